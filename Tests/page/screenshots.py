"""Pictures of each view of the page, of a simulated gym whose riders have names."""

import os
import sys
import tempfile
import time

from bench import Broker, Browser, Client, Program, wait_for

NAMES = ["Anna", "Björn", "Chidi", "Dana", "Emre", "Freya", "Goran", "Hana", "Ines"]
VIEWS = {"floor": "floor", "workbench": "workbench/bike-1", "history": "history/bike-1", "phone": "phone"}
SIZES = {"phone": (390, 844, 2), "wall": (1920, 1080, 1)}
# Until the traces of the floor say something.
TRAINING_SECONDS = float(os.environ.get("TRAINING_SECONDS", "90"))

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
broker = Broker()
client = Client(broker)
with tempfile.TemporaryDirectory() as data:
    services = Program(broker, "up", "--data", data, "--log-level", "warning")
    wait_for(lambda: client.heard.get("stride/service/history/status") == b"online", 60, "history")
    gym = Program(broker, "simulate", "--bikes", "9", "--wearables", "6", "--for", "900s")
    browser = Browser(1920, 1080)
    browser.open(broker.url)
    wait_for(lambda: "stride/bike-9/config" in client.heard)
    for number, name in enumerate(NAMES, start=1):
        client.publish(f"bike-{number}/config", {"kind": "bike", "placement": "frame", "person": name, "metres_per_revolution": 6.1}, retain=True)
    time.sleep(TRAINING_SECONDS)
    # The floor comes first, because a trace begins where the page is opened.
    for view, address in VIEWS.items():
        browser.run("location.hash = arguments[0]", address)
        time.sleep(12 if view == "workbench" else 2)
        for size, (width, height, scale) in SIZES.items():
            for theme in ("dark", "light"):
                browser.theme(theme)
                browser.size(width, height, scale)
                browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
                time.sleep(1.5)
                browser.driver.save_screenshot(f"{folder}/{view}-{size}-{theme}.png")
    browser.close()
    gym.close()
    services.close()
client.close()
broker.close()
