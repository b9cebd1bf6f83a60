"""A broker that serves the page, the services, devices made up, and a browser: all private, all on loopback."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from paho.mqtt import client as mqtt
from selenium import webdriver
from selenium.webdriver.common.by import By

BIN = os.environ["BIN"]
PAGE = os.environ["PAGE_FOLDER"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, seconds=15, what="the page"):
    """Waits until a condition is true, and returns what it returned."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what} did not come within {seconds} s"
        time.sleep(0.05)


class Broker:
    """Mosquitto with a plain listener and one for browsers."""

    def __init__(self, users=None):
        self.folder = tempfile.mkdtemp(prefix="stridebus-page-")
        self.port, self.web_port = free_port(), free_port()
        lines = [
            f"listener {self.port} 127.0.0.1", f"listener {self.web_port} 127.0.0.1", "protocol websockets",
            f"http_dir {PAGE}", "log_dest file " + self.folder + "/log", "user root", "set_tcp_nodelay true",
            f"persistence true\npersistence_location {self.folder}/",
        ]
        if users:
            passwords = self.folder + "/passwords"
            for user, password in users.items():
                open(passwords, "a").close()
                subprocess.run(["mosquitto_passwd", "-b", passwords, user, password], check=True)
            lines += ["allow_anonymous false", f"password_file {passwords}"]
        else:
            lines.append("allow_anonymous true")
        with open(self.folder + "/conf", "w") as file:
            file.write("\n".join(lines) + "\n")
        self.start()

    @property
    def url(self):
        return f"http://localhost:{self.web_port}/"

    def start(self):
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.process = subprocess.Popen([program, "-c", self.folder + "/conf"])
        wait_for(lambda: answers(self.port) and answers(self.web_port), what="the broker")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Client:
    """A plain MQTT client: what it publishes, and the last message of each topic that it hears."""

    def __init__(self, broker):
        self.heard, self.log = {}, []
        self.client = mqtt.Client()
        self.client.on_message = self._hear
        self.client.on_connect = lambda *_: self.client.subscribe("stride/#")
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()

    def _hear(self, _client, _data, message):
        self.heard[message.topic] = message.payload
        self.log.append((time.monotonic(), message.topic, message.payload))

    def publish(self, topic, payload, retain=False):
        text = payload if isinstance(payload, (str, bytes)) else json.dumps(payload)
        self.client.publish("stride/" + topic, text, qos=1, retain=retain).wait_for_publish()

    def close(self):
        self.client.loop_stop()
        self.client.disconnect()


class Program:
    """A command of stridebus that runs beside the tests."""

    def __init__(self, broker, *arguments):
        url = f"mqtt://127.0.0.1:{broker.port}"
        self.process = subprocess.Popen(
            [BIN + "/stridebus", arguments[0], "--broker", url, *arguments[1:]], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


def ask(broker, *arguments):
    """What a command of stridebus prints, as JSON."""
    command = [BIN + "/stridebus", *arguments, "--broker", f"mqtt://127.0.0.1:{broker.port}", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)


class Browser:
    """Chromium without a window."""

    def __init__(self, width=1600, height=1000, locale="en-IE"):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--lang={locale}", f"--accept-lang={locale}",
                         "--disable-dev-shm-usage", "--force-color-profile=srgb"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options)
        self.size(width, height)

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def size(self, width, height, scale=1):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                     mobile=width < 700)

    def theme(self, name):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, url):
        # An address that differs in its hash alone would not be loaded anew.
        self.driver.get("about:blank")
        self.driver.get(url)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """The text of the first element that matches, or None."""
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def click(self, text):
        for button in self.find("button"):
            if button.text == text:
                return button.click()
        raise AssertionError(f"there is no button '{text}'")

    def set(self, selector, value):
        """Gives an input or a choice a value as a person does."""
        self.run(
            """const [input, value] = [document.querySelector(arguments[0]), arguments[1]]
            input.value = value
            input.dispatchEvent(new Event('input', { bubbles: true }))
            input.dispatchEvent(new Event('change', { bubbles: true }))""", selector, value)

    def errors(self):
        """What the browser complained of, but for connections that were lost on purpose."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "WebSocket" not in entry["message"] and "ERR_CONN" not in entry["message"]]

    def close(self):
        self.driver.quit()
