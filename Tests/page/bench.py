"""A broker that serves the page, the services, devices made up, and a browser: all private, all on loopback."""

import json
import math
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from paho.mqtt import client as mqtt
from selenium import webdriver
from selenium.webdriver.common.by import By

BIN = os.environ["BIN"]
PAGE = os.environ["PAGE_FOLDER"]
# Tests that take longer or need the processor for themselves are run too.
WHOLE = os.environ.get("PAGE_WHOLE") == "yes"
# A name that is not localhost: a page that came by http from there is not secure.
OTHER_HOST = "gym.example"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, what="the page"):
    """Waits until a condition is true, and returns what it returned. The deadline is one for a busy machine."""
    end = time.monotonic() + 60
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what} did not come within a minute"
        time.sleep(0.05)


class Bus:
    """A broker's two listeners: a plain one and one for browsers."""

    # The user and password of the services, as in an address.
    login = ""

    def __init__(self, port, web_port):
        self.port, self.web_port = port, web_port

    @classmethod
    def shared(cls):
        """The bus of all tests, with the services on it."""
        return cls(int(os.environ["BUS_PORT"]), int(os.environ["BUS_WEB_PORT"]))

    @property
    def url(self):
        return f"http://localhost:{self.web_port}/"


class Broker(Bus):
    """Mosquitto, for tests that stop it or need its passwords."""

    def __init__(self, users=None):
        super().__init__(free_port(), free_port())
        self.folder = tempfile.mkdtemp(prefix="stridebus-page-")
        lines = [
            f"listener {self.port} 127.0.0.1", f"listener {self.web_port} 127.0.0.1", "socket_domain ipv4", "protocol websockets",
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

    def start(self):
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.process = subprocess.Popen([program, "-c", self.folder + "/conf"], stderr=subprocess.DEVNULL)
        wait_for(lambda: answers(self.port) and answers(self.web_port), "the broker")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class GymBus(Bus):
    """`stridebus up --network` in an empty folder, with its users; reached at a name by those who trust its authority."""

    def __init__(self):
        super().__init__(free_port(), free_port())
        self.data = tempfile.mkdtemp(prefix="stridebus-gym-")
        self.tls_port = free_port()
        self.process = subprocess.Popen(
            [BIN + "/stridebus", "up", "--network", "--address", "127.0.0.1", "--host-name", OTHER_HOST, "--port", str(self.port),
             "--tls-port", str(self.tls_port), "--page-port", str(self.web_port), "--page", PAGE, "--data", self.data,
             "--log-level", "warning"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.authority = self.data + "/network/ca.pem"
        # By which the commands know where the bus is reached.
        wait_for(lambda: answers(self.web_port) and os.path.exists(self.data + "/network/place.json"), "the bus")

    def users(self, *arguments):
        """What a command of `stridebus users` prints."""
        result = subprocess.run([BIN + "/stridebus", "users", *arguments, "--data", self.data], check=True, capture_output=True, text=True)
        return result.stdout

    def add(self, name, *role):
        """Adds a user; returns its password and the address that logs it in."""
        address = re.search(r"https://\S+#key/\S+", self.users("add", name, *role))[0]
        return address.rsplit("/", 1)[1].replace("%2D", "-"), address

    @property
    def url(self):
        return f"https://{OTHER_HOST}:{self.web_port}/"

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.data, ignore_errors=True)


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Network:
    """What lies between a browser and a broker, and can be cut."""

    def __init__(self, broker):
        self.target, self.ends = broker.web_port, {}
        self.is_cut, self.is_closed = False, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://localhost:{self.listener.getsockname()[1]}/"
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.is_closed:
            if self.is_cut:
                self._drop()
            for ready in select.select([self.listener, *self.ends], [], [], 0.02)[0]:
                if ready is self.listener:
                    self._accept()
                elif ready in self.ends:
                    self._pass_on(ready)
        self._drop()
        self.listener.close()

    def _accept(self):
        near, _ = self.listener.accept()
        if self.is_cut:
            return near.close()
        far = socket.create_connection(("127.0.0.1", self.target))
        self.ends.update({near: far, far: near})

    def _pass_on(self, end):
        other = self.ends[end]
        try:
            data = end.recv(1 << 16)
            if data:
                return other.sendall(data)
        except OSError:
            pass
        for each in (end, other):
            del self.ends[each]
            each.close()

    def _drop(self):
        for end in self.ends:
            end.close()
        self.ends.clear()

    def cut(self):
        self.is_cut = True
        wait_for(lambda: not self.ends, "the cut")

    def mend(self):
        self.is_cut = False

    def close(self):
        self.is_closed = True
        self.thread.join()


class Client:
    """A plain MQTT client: what it publishes, and the last message of each topic that it hears."""

    def __init__(self, broker, login=None, authority=None):
        self.heard, self.log = {}, []
        self.client = mqtt.Client()
        if login:
            self.client.username_pw_set(*login)
        if authority:
            self.client.tls_set(authority)
        self.client.on_message = self._hear
        self.client.on_connect = lambda *_: self.client.subscribe("stride/#")
        self.client.connect("127.0.0.1", broker.tls_port if authority else broker.port)
        self.client.loop_start()

    def _hear(self, _client, _data, message):
        self.heard[message.topic] = message.payload
        self.log.append((time.monotonic(), message.topic, message.payload))

    def publish(self, topic, payload, retain=False):
        text = payload if isinstance(payload, (str, bytes)) else json.dumps(payload)
        self.client.publish("stride/" + topic, text, qos=1, retain=retain).wait_for_publish()

    def catch_up(self):
        """Returns when everything has been heard that reached the broker before."""
        mark = f"mark/{time.monotonic_ns()}"
        self.publish(mark, "")
        wait_for(lambda: "stride/" + mark in self.heard, "the mark")

    def frames(self, device):
        """The frames of a device in the order in which they came."""
        return [json.loads(payload) for _, topic, payload in list(self.log) if topic == f"stride/{device}/imu"]

    def close(self):
        self.client.loop_stop()
        self.client.disconnect()


class Program:
    """A command of stridebus that runs beside the tests."""

    def __init__(self, broker, *arguments):
        url = f"mqtt://{broker.login}127.0.0.1:{broker.port}"
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

    def __init__(self, width=1600, height=1000, locale="en-IE", authority=None):
        """One that trusts an authority beside those that it knows."""
        self.home = tempfile.mkdtemp(prefix="stridebus-home-")
        if authority:
            folder = self.home + "/.pki/nssdb"
            os.makedirs(folder)
            for command in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "gym", "-i", authority]):
                subprocess.run(["certutil", "-d", "sql:" + folder, *command], check=True)
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--lang={locale}", f"--accept-lang={locale}",
                         "--disable-dev-shm-usage", "--force-color-profile=srgb", f"--host-resolver-rules=MAP {OTHER_HOST} 127.0.0.1"):
            options.add_argument(argument)
        # Chromium's driver lets every certificate pass unless told otherwise.
        options.add_experimental_option("excludeSwitches", ["ignore-certificate-errors"])
        options.accept_insecure_certs = False
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        before, os.environ["HOME"] = os.environ.get("HOME", "/"), self.home
        try:
            self.driver = webdriver.Chrome(options=options)
        finally:
            os.environ["HOME"] = before
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

    def settle(self, seconds=0):
        """Returns when the page has loaded an image, has drawn what it was given, and its own clock has gone on for so long."""
        self.driver.execute_async_script(
            """const [milliseconds, done] = arguments
            const image = new Image()
            image.onload = image.onerror = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, milliseconds)))
            image.src = '/icon.svg'""", 1000 * seconds)

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

    def before_each_page(self, script):
        """Runs a script in every page before the page's own; returns how to stop that."""
        number = self.command("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
        return lambda: self.command("Page.removeScriptToEvaluateOnNewDocument", identifier=number)

    def keep_downloads(self):
        """From now on the texts that the page offers as files are kept in `window.saved`, by their names."""
        self.run(
            """window.saved = {}
            const names = new Map()
            const make = URL.createObjectURL
            URL.createObjectURL = (blob) => { const url = make(blob); names.set(url, blob); return url }
            HTMLAnchorElement.prototype.click = function () { names.get(this.href).text().then((text) => (saved[this.download] = text)) }""")

    def saved(self, ending):
        """The kept file whose name ends like that."""
        return wait_for(lambda: self.run(
            "return Object.entries(saved).find(([name]) => name.endsWith(arguments[0]))?.[1] ?? null", ending), ending)

    def violations(self):
        """The rules of axe-core that what is shown breaks."""
        with open(os.environ["AXE"]) as file:
            self.run(file.read())
        return self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((result) => done(result.violations.map(({ id, nodes }) =>"
            " `${id}: ${nodes.map(({ html, any }) => html.slice(0, 120) + ' ' + (any[0]?.message ?? '')).join(' | ')}`)))")

    def errors(self):
        """What the browser complained of, but for connections that were lost on purpose."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "WebSocket" not in entry["message"] and "ERR_CONN" not in entry["message"]]

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.home, ignore_errors=True)


def frames(device_seconds, rate, signal, start, boot="t1", length=25):
    """Frames of acceleration and rotation: signal(t) is a rotation about x."""
    count = int(device_seconds * rate)
    for sequence, first in enumerate(range(0, count, length)):
        times = [i / rate for i in range(first, min(first + length, count))]
        yield {"boot": boot, "seq": sequence, "t": round(start + times[0], 6), "rate_hz": rate,
               "acc": [[round(0.5 * signal(t), 4), 0.2, 9.81] for t in times],
               "gyro": [[round(signal(t), 4), 0.01, 0.02] for t in times]}


def turning(rpm):
    """The rotation of a crank that is turned so fast."""
    return lambda t: 1.4 * math.sin(2 * math.pi * rpm / 60 * t)


def steps(seconds, rate=50, per_minute=111):
    """Rows of ax, ay, az, gx, gy, gz of a phone in the pocket of a walker."""
    for i in range(int(seconds * rate)):
        step = 2 * math.pi * per_minute / 60 * i / rate
        yield (0.4 * math.sin(step / 2), 9.8 + 3 * math.sin(step), 0.8, 0.1, 0.9 * math.sin(step / 2), 0.1)


def csv_of(all_frames, start=None):
    """The samples of frames in the layout that `stridebus count` reads, from the first sample or another time on."""
    if start is None:
        start = all_frames[0]["t"]
    lines = ["t_s,ax,ay,az,gx,gy,gz,mx,my,mz"]
    for frame in all_frames:
        seconds = frame["t"] - start
        steps = [step / 1000 for step in frame["dt_ms"]] if "dt_ms" in frame else [1 / frame["rate_hz"]] * len(frame["acc"])
        for acc, gyro, step in zip(frame["acc"], frame.get("gyro") or [["", "", ""]] * len(frame["acc"]), [*steps, 0]):
            lines.append(",".join([f"{seconds:.6f}", *map(str, acc), *map(str, gyro), "", "", ""]))
            seconds += step
    return "\n".join(lines) + "\n"


def count(csv, *options):
    """What `stridebus count` prints for a recording."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(csv)
        file.flush()
        result = subprocess.run([BIN + "/stridebus", "count", file.name, *options], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


class PageTest(unittest.TestCase):
    """Tests on the shared bus, with one browser for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.bus = Bus.shared()
        cls.client = Client(cls.bus)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.client.close()

    def open(self, view="", url=None):
        """Opens a view, and waits until the page is connected."""
        self.browser.open((url or self.bus.url) + (f"#{view}" if view else ""))
        wait_for(lambda: self.browser.text(".link") == "Live", "the connection")

    def log_in(self, user, password):
        wait_for(lambda: self.browser.find("dialog[open]"), "the question")
        self.browser.set("dialog [name=user]", user)
        self.browser.set("dialog [name=password]", password)
        self.browser.find("dialog button")[0].click()

    def card(self, device, part):
        return self.browser.text(f'[data-device="{device}"] {part}')

    def standing(self, device):
        return self.browser.run(
            "return document.querySelector(`[data-device=\"${arguments[0]}\"]`)?.dataset.standing ?? null", device)

    def say(self, device, rpm, client=None):
        """A cadence as the counter says it."""
        (client or self.client).publish(
            f"{device}/cadence", {"t": time.time(), "cadence_rpm": rpm, "confidence": 0.9, "activity": "cycling"})
