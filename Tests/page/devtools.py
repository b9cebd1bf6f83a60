"""The browser's DevTools protocol without a driver in between: motion sensors at their full rate, and tracing."""

import bisect
import json
import socket
import time
import urllib.request
from urllib.parse import urlparse

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Request, TextMessage


class DevTools:
    """One connection to the page that a browser shows."""

    def __init__(self, browser):
        address = browser.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{address}/json") as answer:
            page = next(target for target in json.load(answer) if target["type"] == "page")
        url = urlparse(page["webSocketDebuggerUrl"])
        self.socket = socket.create_connection((url.hostname, url.port), timeout=30)
        self.connection = WSConnection(ConnectionType.CLIENT)
        self.socket.sendall(self.connection.send(Request(host=url.netloc, target=url.path)))
        self.number, self.text, self.messages = 0, "", []
        self.is_open = False
        while not self.is_open:
            self._read()

    def _read(self):
        self.connection.receive_data(self.socket.recv(1 << 20))
        for event in self.connection.events():
            if isinstance(event, AcceptConnection):
                self.is_open = True
            elif isinstance(event, TextMessage):
                self.text += event.data
                if event.message_finished:
                    self.messages.append(json.loads(self.text))
                    self.text = ""

    def send(self, name, **parameters):
        """Sends a command without waiting for its result."""
        self.number += 1
        text = json.dumps({"id": self.number, "method": name, "params": parameters})
        self.socket.sendall(self.connection.send(TextMessage(data=text)))
        return self.number

    def call(self, name, **parameters):
        number = self.send(name, **parameters)
        message = self.wait(lambda message: message.get("id") == number)
        assert "error" not in message, (name, message)
        return message["result"]

    def wait(self, is_wanted):
        """The first message like that; those before it are left out."""
        while True:
            while self.messages:
                message = self.messages.pop(0)
                if is_wanted(message):
                    return message
            self._read()

    def close(self):
        self.socket.close()


class MotionSensors:
    """The browser's own emulation of an accelerometer and a gyroscope."""

    # The first column of each in a row of ax, ay, az, gx, gy, gz.
    KINDS = {"accelerometer": 0, "gyroscope": 3}

    def __init__(self, browser):
        self.tools = DevTools(browser)
        for kind in self.KINDS:
            self.tools.call("Emulation.setSensorOverrideEnabled", enabled=True, type=kind)

    def play(self, rows, rate):
        """Lets the sensors feel rows of ax, ay, az, gx, gy, gz, so many a second."""
        start = time.monotonic()
        for index, row in enumerate(rows):
            for kind, first in self.KINDS.items():
                if row[first] is not None:
                    reading = {"xyz": dict(zip("xyz", row[first:first + 3]))}
                    last = self.tools.send("Emulation.setSensorOverrideReadings", type=kind, reading=reading)
            time.sleep(max(0, start + (index + 1) / rate - time.monotonic()))
        self.tools.wait(lambda message: message.get("id") == last)

    def close(self):
        for kind in self.KINDS:
            self.tools.call("Emulation.setSensorOverrideEnabled", enabled=False, type=kind)
        self.tools.close()


def main_thread_frames(browser, body):
    """Milliseconds of work of the page's main thread in each frame while `body` runs, by the browser's own tracing."""
    tools = DevTools(browser)
    categories = ["toplevel", "disabled-by-default-devtools.timeline", "devtools.timeline"]
    tools.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": categories})
    body()
    tools.send("Tracing.end")
    events = []

    def collect(message):
        if message.get("method") == "Tracing.dataCollected":
            events.extend(message["params"]["value"])
        return message.get("method") == "Tracing.tracingComplete"

    tools.wait(collect)
    tools.close()
    return work_by_frame(events)


def work_by_frame(events):
    """Adds up the tasks of the page's main thread from each frame to the next, in ms of the thread's own time."""
    frames = [event for event in events if event["name"] == "FireAnimationFrame"]
    threads = [(event["pid"], event["tid"]) for event in frames]
    page = max(set(threads), key=threads.count)
    starts = sorted(event["ts"] for event, thread in zip(frames, threads) if thread == page)
    sums = [0.0] * len(starts)
    for task in events:
        if task["name"] == "RunTask" and "dur" in task and (task["pid"], task["tid"]) == page:
            # A frame begins within the task that draws it.
            index = bisect.bisect_left(starts, task["ts"])
            if index < len(sums):
                sums[index] += task.get("tdur", task["dur"]) / 1000
    return sums
