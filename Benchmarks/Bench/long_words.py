#!/usr/bin/env python3
"""Another bike's cadence while devices tell much at once: 300 and 4,000 days in one message, and minutes of a year, 4,000
a message, two messages a second.

Usage: long_words.py STRIDEBUS [--seconds 30]
Starts a bus of its own in an empty folder, sends a crank count ten times a second, and measures how long each takes to
come back as a cadence, without the long words and while they come; once more while the bus is killed and counts them
again from its log. Prints a line of JSON a part.
"""
import argparse
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time

import paho.mqtt.client as mqtt


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def health_export(first, seconds, count):
    """Records of so many seconds each, the last one before `first`."""
    records = [
        {"qty": 40 + index % 7, "date": time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime(first - seconds * (index + 1)))}
        for index in range(count)
    ]
    return json.dumps({"data": {"metrics": [{"name": "step_count", "units": "count", "data": records}]}}, separators=(",", ":"))


class Bus:
    def __init__(self, program, folder, port):
        self.arguments = [program, "up", "--data", folder, "--port", str(port)]
        self.folder = folder
        self.start()

    def start(self):
        log = open(os.path.join(self.folder, "up.log"), "ab")
        environment = dict(os.environ, STRIDEBUS_SOURCES=json.dumps([
            {"filter": "health/days", "format": "health-auto-export", "device": "phone-days", "interval": "day"},
            {"filter": "health/minutes", "format": "health-auto-export", "device": "phone-minutes", "interval": "minute"},
        ]))
        self.process = subprocess.Popen(self.arguments, stdout=log, stderr=log, env=environment)

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait()


def connect(port, clean=True):
    client = mqtt.Client(client_id="" if clean else "bench-listener", clean_session=clean)
    client.max_inflight_messages_set(1000)
    for _ in range(100):
        try:
            client.connect("127.0.0.1", port)
            break
        except OSError:
            time.sleep(0.1)
    client.loop_start()
    return client


class Rider:
    """A crank of 90 rpm whose count is told ten times a second; delays in milliseconds from a count to its cadence."""

    def __init__(self, port):
        self.delays = []
        self.sent = []
        self.client = connect(port)
        self.client.on_message = self.heard
        self.client.on_connect = lambda client, *_: client.subscribe("stride/bench-bike/cadence", qos=0)
        self.client.subscribe("stride/bench-bike/cadence", qos=0)
        self.running = True
        self.thread = threading.Thread(target=self.ride)
        self.thread.start()

    def heard(self, _client, _userdata, message):
        now = time.time()
        told = json.loads(message.payload)["t"]
        self.delays.append((now, (now - told) * 1000))

    def ride(self):
        sequence = 0
        while self.running:
            now = time.time()
            self.client.publish("stride/bench-bike/rev", json.dumps(
                {"boot": 1, "seq": sequence, "t": now, "revolutions": int(sequence * 0.15)}), qos=1)
            sequence += 1
            time.sleep(0.1)

    def stop(self):
        self.running = False
        self.thread.join()
        self.client.loop_stop()

    def part(self, name, since):
        delays = sorted(delay for when, delay in self.delays if when >= since)
        gaps = [b[0] - a[0] for a, b in zip(self.delays, self.delays[1:]) if a[0] >= since]
        row = {"part": name, "cadences": len(delays)}
        if delays:
            row.update(p50_ms=round(delays[len(delays) // 2]), p99_ms=round(delays[int(len(delays) * 0.99)]),
                       longest_gap_ms=round(max(gaps, default=0) * 1000))
        print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        bus = Bus(options.program, folder, port)
        try:
            rider = Rider(port)
            time.sleep(5)
            begun = time.time()
            time.sleep(options.seconds)
            rider.part("alone", begun)
            sender = connect(port)
            midnight = int(time.time()) // 86400 * 86400
            for name, topic, payloads in [
                ("300 days", "health/days", [health_export(midnight, 86400, 300)]),
                ("4,000 days", "health/days", [health_export(midnight, 86400, 4000)]),
                ("minutes of a year", "health/minutes",
                 [health_export(midnight - 60 * 4000 * part, 60, 4000) for part in range(int(2 * options.seconds))]),
            ]:
                begun = time.time()
                for payload in payloads:
                    sender.publish(topic, payload, qos=1)
                    time.sleep(0.5)
                time.sleep(max(0, begun + options.seconds - time.time()))
                rider.part(name, begun)
            bus.end(signal.SIGKILL)
            bus.start()
            time.sleep(5)
            begun = time.time()
            time.sleep(options.seconds)
            rider.part("after a kill", begun)
            rider.stop()
        finally:
            bus.end(signal.SIGTERM)


if __name__ == "__main__":
    main()
