"""Runs main.py of the MicroPython example on a board that is not there, under a clock of its own.

The sensor lies on a table; x counts its samples, in thousandths of g from -4000 to 3999. The broker is there but
from LOST_FROM_MS to BACK_AT_MS; an attempt to connect takes CONNECT_MS meanwhile. What the broker receives is printed as topic and payload
in hex.

HOW is what is raised meanwhile: `OSError`, `refused` (the broker says no, as after a rotated password), or another exception's
name, which umqtt raises of a packet that is cut off; `sensor` is a sensor that does not answer meanwhile. A board has few
sockets: one that is not given back is missing.

Usage: board.py FOLDER_OF_MAIN LOST_FROM_MS BACK_AT_MS END_MS CONNECT_MS [HOW]
"""

import builtins
import runpy
import struct
import sys
import time
import types

folder = sys.argv[1]
lost_from_ms, back_at_ms, end_ms, connect_ms = map(int, sys.argv[2:6])
how = sys.argv[6] if len(sys.argv) > 6 else "OSError"
SOCKETS = 10
FIFO_BYTES = 1024
SAMPLE_MS = 20


class Board:
    now_ms = 0
    sampled_ms = 0
    samples = 0
    fifo = b""
    overflowed = False

    def wait(self, ms):
        self.now_ms += ms
        while self.sampled_ms + SAMPLE_MS <= self.now_ms:
            self.sampled_ms += SAMPLE_MS
            x = -((4000 - self.samples % 8000) * 8192 // 1000)  # Upwards, as main.py divides downwards.
            self.samples += 1
            if len(self.fifo) + 6 > FIFO_BYTES:
                self.overflowed = True
            else:
                self.fifo += struct.pack(">3h", x, 0, 8192)
        if self.now_ms >= end_ms:
            sys.exit(0)

    def is_lost(self):
        return lost_from_ms <= self.now_ms < back_at_ms

    def is_broker_lost(self):
        return how != "sensor" and self.is_lost()

    def answer_sensor(self):
        if how == "sensor" and self.is_lost():
            raise OSError(110, "ETIMEDOUT")


board = Board()


class I2C:
    def __init__(self, *_, **__):
        pass

    def writeto_mem(self, _, register, value):
        board.answer_sensor()
        if register == 0x6A and value[0] & 0x04:
            board.fifo = b""
            board.overflowed = False

    def readfrom_mem(self, _, register, count):
        board.answer_sensor()
        if register == 0x3A:
            return bytes((0x10 if board.overflowed else 0,))
        if register == 0x72:
            return struct.pack(">H", len(board.fifo))
        assert register == 0x74 and count <= len(board.fifo)
        read, board.fifo = board.fifo[:count], board.fifo[count:]
        return read


class WLAN:
    def __init__(self, _):
        pass

    def active(self, _):
        pass

    def connect(self, *_):
        pass

    def isconnected(self):
        return True


class MQTTException(Exception):
    pass


def failure(of_network):
    if how == "refused":
        return MQTTException(5)
    return OSError(of_network) if how == "OSError" else getattr(builtins, how)("cut off")


class Socket:
    open = 0

    def __init__(self):
        Socket.open += 1
        if Socket.open > SOCKETS:
            sys.exit("no socket is left")

    def settimeout(self, _):
        pass

    def close(self):
        Socket.open -= 1


class MQTTClient:
    def __init__(self, *_, **__):
        self.sock = None

    def set_last_will(self, *_, **__):
        pass

    def connect(self):
        self.sock = Socket()
        if board.is_broker_lost():
            print("tried", board.now_ms, file=sys.stderr)
            board.wait(connect_ms)
            raise failure("no route")

    def publish(self, topic, payload, retain=False, qos=0):
        assert 7 + len(topic) + len(payload) <= 256
        if board.is_broker_lost():
            board.wait(2000)
            raise failure("timed out")
        board.wait(15)
        print(topic.decode(), payload.hex(), file=told)


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made


module("machine", I2C=I2C, Pin=lambda _: None)
module("network", WLAN=WLAN, STA_IF=0)
module("umqtt")
module("umqtt.simple", MQTTClient=MQTTClient, MQTTException=MQTTException)
module("ssl")
time.ticks_ms = lambda: board.now_ms % (1 << 30)
time.ticks_diff = lambda later, earlier: (later - earlier + (1 << 29)) % (1 << 30) - (1 << 29)
time.sleep_ms = board.wait
# What main.py says is for its console.
told, sys.stdout = sys.stdout, sys.stderr
sys.dont_write_bytecode = True
sys.path.insert(0, folder)
runpy.run_path(folder + "/main.py")
