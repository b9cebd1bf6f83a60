"""Pictures of each view of the page, of a simulated gym whose riders have names."""

import math
import os
import sys
import tempfile
import time

from bench import Broker, Browser, Client, Program, wait_for
from devtools import MotionSensors

NAMES = ["Anna", "Björn", "Chidi", "Dana", "Emre", "Freya", "Goran", "Hana", "Ines"]
VIEWS = {"floor": "floor", "workbench": "workbench/bike-1", "history": "history/bike-1", "phone": "phone"}
SIZES = {"phone": (390, 844, 2), "wall": (1920, 1080, 1)}
# Until the traces of the floor say something.
TRAINING_SECONDS = float(os.environ.get("TRAINING_SECONDS", "90"))

# A crank's turning is seen best about its own axis.
TUNED = {"sensor": "gyro", "axis": "z", "f": 0.75, "q": 600}


def walk(browser):
    """Begins a session and takes some steps in it."""
    sensors = MotionSensors(browser)
    rows = [(0.4 * math.sin(6 * t / 50), 9.8 + 3 * math.sin(2 * math.pi * 1.85 * t / 50), 0.8, 0.1, 0.9 * math.sin(6 * t / 50), 0.1)
            for t in range(50 * 25)]
    sensors.play(rows[:1], 50)
    browser.click("Start")
    sensors.play(rows, 50)


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
broker = Broker()
client = Client(broker)
with tempfile.TemporaryDirectory() as data:
    services = Program(broker, "up", "--data", data, "--log-level", "warning")
    wait_for(lambda: client.heard.get("stride/service/history/status") == b"online", 60, "history")
    # Three hours of the first bike and walker, so that history has something to show.
    past = Program(broker, "simulate", "--bikes", "1", "--wearables", "1", "--seed", "3", "--speed", "240", "--for", "45s")
    past.process.wait(240)
    past.close()
    gym = Program(broker, "simulate", "--bikes", "9", "--wearables", "6", "--for", "900s")
    browser = Browser(1920, 1080)
    browser.open(broker.url)
    wait_for(lambda: "stride/bike-9/config" in client.heard)
    for number, name in enumerate(NAMES, start=1):
        client.publish(f"bike-{number}/config", {"kind": "bike", "placement": "frame", "person": name, "metres_per_revolution": 6.1}, retain=True)
    time.sleep(TRAINING_SECONDS)
    # The floor comes first, because a trace begins where the page is opened.
    for view, address in VIEWS.items():
        if view == "workbench":
            browser.run("localStorage.setItem('stridebus', JSON.stringify({ workbench: arguments[0] }))", TUNED)
            browser.run("location.hash = arguments[0]", address)
            browser.driver.refresh()
        browser.run("location.hash = arguments[0]", address)
        if view == "phone":
            walk(browser)
        time.sleep(12 if view == "workbench" else 2)
        for size, (width, height, scale) in SIZES.items():
            for theme in ("dark", "light"):
                browser.theme(theme)
                browser.size(width, height, scale)
                time.sleep(1.5)
                browser.driver.save_screenshot(f"{folder}/{view}-{size}-{theme}.png")
    browser.close()
    gym.close()
    services.close()
client.close()
broker.close()
