"""An ESP32 or a Pico W with an MPU6050 publishes its motion to stridebus.

MicroPython 1.24 or later with umqtt.simple (`mpremote mip install umqtt.simple`). Change the lines of "What is yours",
put what `stridebus users add bike-07 --board micropython` prints into stride_login.py, and copy the three files to the board
(`mpremote cp stride_frames.py stride_login.py main.py :`).

The sensor keeps its samples in a memory of its own for 3.4 s, so that none is lost while a frame is sent.
"""

import os
import struct
import time

import machine
import network
import ssl
from umqtt.simple import MQTTClient, MQTTException

from stride_frames import FrameQueue
from stride_login import AUTHORITY, CLIENT, DEVICE, HOST, PASSWORD, PORT

# What is yours.
WIFI = ("gym", "secret")
SCL, SDA = 22, 21

RATE_HZ = 50
IMU_TOPIC = ("stride/%s/imu" % DEVICE).encode()
STATUS_TOPIC = ("stride/%s/status" % DEVICE).encode()
TIMEOUT_S = 2
RECONNECT_MS = 2000
# The longest wait between two tries while the broker says no, as after `stridebus users rotate`.
LONGEST_WAIT_MS = 60000
SENSOR_RETRY_MS = 1000


class MPU6050:
    """The accelerometer of an MPU6050, ±4 g, through its FIFO (InvenSense RM-MPU-6000A)."""

    ADDRESS = 0x68
    SETTINGS = (
        (0x6B, 0x01),  # Awake, timed by the gyroscope.
        (0x1A, 0x04),  # Low-pass at 21 Hz; the sensor then samples at 1 kHz.
        (0x19, 1000 // RATE_HZ - 1),  # Every 20th sample is kept.
        (0x1C, 0x08),  # ±4 g: 8192 a g
        (0x23, 0x08),  # The acceleration goes into the FIFO.
    )

    def __init__(self, i2c):
        self.i2c = i2c
        for register, value in self.SETTINGS:
            self._write(register, value)
        self._empty()

    def _write(self, register, value):
        self.i2c.writeto_mem(self.ADDRESS, register, bytes((value,)))

    def _empty(self):
        self._write(0x6A, 0x04)
        self._write(0x6A, 0x40)

    def read(self):
        """What was sampled since the last call, oldest first; nothing where it was too much for the FIFO."""
        overflowed = self.i2c.readfrom_mem(self.ADDRESS, 0x3A, 1)[0] & 0x10
        if overflowed:
            self._empty()
            return []
        count = struct.unpack(">H", self.i2c.readfrom_mem(self.ADDRESS, 0x72, 2))[0] // 6
        samples = []
        while count > 0:
            some = min(count, 20)
            numbers = struct.unpack(">%dh" % (3 * some), self.i2c.readfrom_mem(self.ADDRESS, 0x74, 6 * some))
            for at in range(0, 3 * some, 3):
                samples.append(tuple(number * 1000 // 8192 for number in numbers[at : at + 3]))
            count -= some
        return samples


class Uptime:
    """Milliseconds since the start, beyond where ticks_ms() wraps (after 12 days)."""

    def __init__(self):
        self.ms = 0
        self.ticks = time.ticks_ms()

    def now(self):
        ticks = time.ticks_ms()
        self.ms += time.ticks_diff(ticks, self.ticks)
        self.ticks = ticks
        return self.ms


def tls():
    """TLS that trusts the bus's own authority alone; None where AUTHORITY says that the broker has none."""
    if AUTHORITY is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=AUTHORITY)
    return context


def set_clock():
    """Certificates have dates, and some boards compare them; without the network's time these refuse and try again."""
    try:
        import ntptime

        ntptime.settime()
    except (ImportError, OSError):
        pass


def close(client):
    """Gives its socket back: a board has few."""
    try:
        client.sock.close()
    except Exception:
        pass


class Link:
    """The way to the broker. What goes wrong there is tried again, and never ends the program: umqtt raises OSError,
    MQTTException where the broker says no, and whatever else comes of a packet that is cut off."""

    def __init__(self, wlan, context):
        self.wlan = wlan
        self.context = context
        self.client = None
        self.wait_ms = RECONNECT_MS
        self.tried_ms = None

    def connect(self, now):
        """Tries to connect, with the birth told, where it is time to."""
        if self.tried_ms is not None and now - self.tried_ms < self.wait_ms:
            return
        self.tried_ms = now
        client = None
        try:
            if not self.wlan.isconnected():
                return
            if self.context and time.gmtime()[0] < 2025:
                set_clock()
            client = MQTTClient(CLIENT, HOST, port=PORT, user=DEVICE, password=PASSWORD, keepalive=15, ssl=self.context)
            client.set_last_will(STATUS_TOPIC, b"offline", retain=True, qos=1)
            client.connect()
            client.sock.settimeout(TIMEOUT_S)
            client.publish(STATUS_TOPIC, b"online", retain=True, qos=1)
            self.client = client
            self.wait_ms = RECONNECT_MS
        except OSError:
            # The network: it may be back at any moment.
            close(client)
            self.wait_ms = RECONNECT_MS
        except Exception as error:
            close(client)
            self.wait_ms = min(2 * self.wait_ms, LONGEST_WAIT_MS)
            if isinstance(error, MQTTException):
                print("the broker says no (%s): is the password in stride_login.py the present one?" % error)
            else:
                print("the broker's answer was not understood: %r" % error)
            print("trying again in %d s" % (self.wait_ms // 1000))

    def send(self, frames):
        """Sends the oldest frame and waits for its acknowledgement."""
        frame = frames.next()
        if frame is None:
            return
        try:
            self.client.publish(IMU_TOPIC, frame, qos=1)
        except Exception as error:
            if not isinstance(error, OSError):
                print("the connection ended: %r" % error)
            close(self.client)
            self.client = None
            return
        frames.sent()


def open_sensor():
    """The sensor, or None where it does not answer now."""
    try:
        return MPU6050(machine.I2C(0, scl=machine.Pin(SCL), sda=machine.Pin(SDA), freq=400000))
    except OSError as error:
        print("the sensor does not answer: %r; are its four wires right?" % error)
        return None


def join(wlan):
    """Begins to join the Wi-Fi, which goes on by itself."""
    try:
        wlan.active(True)
        wlan.connect(*WIFI)
    except OSError as error:
        print("the Wi-Fi does not begin: %r" % error)


def main():
    sensor, opened_ms = open_sensor(), 0
    wlan = network.WLAN(network.STA_IF)
    join(wlan)
    link = Link(wlan, tls())
    boot = struct.unpack("<I", os.urandom(4))[0]
    frames = FrameQueue(IMU_TOPIC, boot, RATE_HZ)
    uptime = Uptime()
    while True:
        samples = []
        try:
            samples = sensor.read() if sensor else []
        except OSError as error:
            print("the sensor was lost: %r" % error)
            sensor = None
        now = uptime.now()
        if sensor is None and now - opened_ms >= SENSOR_RETRY_MS:
            sensor, opened_ms = open_sensor(), now
        for age, (x, y, z) in zip(range(len(samples) - 1, -1, -1), samples):
            frames.add(x, y, z, now - age * 1000 // RATE_HZ)
        if link.client is None:
            link.connect(now)
        else:
            link.send(frames)
        time.sleep_ms(20)


main()
