"""Pictures of each view of the page, of a simulated gym whose riders have names."""

import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time

from bench import BIN, Broker, Browser, Client, Program, steps, wait_for
from devtools import MotionSensors

NAMES = ["Anna", "Björn", "Chidi", "Dana", "Emre", "Freya", "Goran", "Hana", "Ines"]
VIEWS = {"floor": "floor", "workbench": "workbench/bike-1", "history": "history/@Anna", "workout": "history/@Anna", "class": "class", "phone": "phone"}
SIZES = {"phone": (390, 844, 2), "tablet": (820, 1180, 1), "wall": (1920, 1080, 1), "large": (3840, 2160, 1)}
LESSON = {"title": "Monday hills", "length_s": 2700, "ranking": "time_in_target", "steps": [
    {"length_s": 600, "cadence_min_rpm": 75, "cadence_max_rpm": 90}, {"length_s": 300, "cadence_min_rpm": 90, "cadence_max_rpm": 105}]}
# Until the traces of the floor say something.
TRAINING_SECONDS = float(os.environ.get("TRAINING_SECONDS", "90"))

# A frame's swaying is seen best about the crank's axis.
TUNED = {"sensor": "gyro", "axis": "z", "f": 0.75, "q": 600}


class Walk(threading.Thread):
    """Steps that the browser's sensors feel until the end of the pictures."""

    def __init__(self, browser):
        super().__init__()
        self.is_over = False
        self.sensors = MotionSensors(browser)
        self.sensors.play([(0, 9.8, 0, 0, 0, 0)], 50)
        browser.set("[name=height]", 172)
        browser.click("Start")
        self.start()

    def run(self):
        self.sensors.play(itertools.takewhile(lambda _: not self.is_over, steps(600)), 50)

    def end(self):
        self.is_over = True
        self.join()


def configure(client, number, name):
    client.publish(f"bike-{number}/config", {
        "kind": "bike", "placement": "frame", "person": name, "metres_per_revolution": 6.1}, retain=True)


def wait_for_agreement(browser):
    """Waits until the rule and the counter say nearly the same: its window may have a peak more or less than there are turns."""
    number = lambda name: float((browser.text(f'[data-test="{name}"]') or "").split(" ")[0].replace("–", "") or 0)
    wait_for(lambda: number("counter") > 0 and abs(12 * number("peaks") - number("counter")) < 6, "the same cadence twice")


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
broker = Broker()
client = Client(broker)
with tempfile.TemporaryDirectory() as data:
    services = Program(broker, "up", "--data", data, "--log-level", "warning")
    wait_for(lambda: client.heard.get("stride/service/history/status") == b"online", "history")
    # Three hours of the first bike and walker, so that history has something to show.
    past = Program(broker, "simulate", "--bikes", "1", "--wearables", "1", "--seed", "3", "--speed", "240", "--for", "45s")
    wait_for(lambda: "stride/bike-1/config" in client.heard)
    configure(client, 1, NAMES[0])
    past.process.wait(240)
    past.close()
    # Who rode the bike at first is another one, while she walked: her day has a walk and a ride.
    hours = lambda ago: str(int(time.time()) - int(3600 * ago))
    for person, device in ((NAMES[0], "walker-1"), (NAMES[1], "bike-1")):
        command = [BIN + "/stridebus", "people", "checkin", person, "--device", device, "--from", hours(4), "--to", hours(1.6),
                   "--broker", f"mqtt://127.0.0.1:{broker.port}"]
        subprocess.run(command, check=True, capture_output=True)
    gym = Program(broker, "simulate", "--bikes", "9", "--wearables", "6", "--for", "900s")
    browser = Browser(1920, 1080)
    browser.open(broker.url)
    wait_for(lambda: "stride/bike-9/config" in client.heard)
    for number, name in enumerate(NAMES, start=1):
        configure(client, number, name)
    time.sleep(TRAINING_SECONDS)
    # The floor comes first, because a trace begins where the page is opened.
    for view, address in VIEWS.items():
        if view == "workbench":
            browser.run("localStorage.setItem('stridebus', JSON.stringify({ workbench: arguments[0] }))", TUNED)
            browser.run("location.hash = arguments[0]", address)
            browser.driver.refresh()
        browser.run("location.hash = arguments[0]", address)
        if view == "phone":
            walk = Walk(browser)
        if view == "workout":
            wait_for(lambda: browser.find(".workout-list a"), "a workout")[0].click()
            wait_for(lambda: browser.find(".lanes"), "its seconds")
        if view == "class":
            client.publish("request/classes/start", LESSON)
        time.sleep({"workbench": 12, "phone": 15, "class": 20}.get(view, 2))
        for size, (width, height, scale) in SIZES.items():
            for theme in ("dark", "light"):
                browser.theme(theme)
                browser.size(width, height, scale)
                time.sleep(1.5)
                if view == "workbench":
                    wait_for_agreement(browser)
                browser.driver.save_screenshot(f"{folder}/{view}-{size}-{theme}.png")
    walk.end()
    browser.close()
    gym.close()
    services.close()
client.close()
broker.close()
