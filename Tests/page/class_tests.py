"""A class: begun by an operator, shown on the wall, and kept."""

import json
import time

from bench import Browser, frames, turning, wait_for
from gym_tests import NetworkTest

RIDERS = {"bike-1": ("Anna", "Rocket", "Red"), "bike-2": ("Ben", "", "Blue"), "bike-3": ("Cleo", "Comet", "Red")}


class ClassTests(NetworkTest):
    def request(self, verb, **fields):
        """Asks history as an operator, and returns what it says."""
        mark = f"{time.monotonic_ns()}"
        self.client.publish("request/" + verb, {**fields, "reply_to": f"stride/reply/boss/{mark}", "transaction": mark})
        reply = json.loads(wait_for(lambda: self.client.heard.get(f"stride/reply/boss/{mark}"), verb))
        self.assertEqual(reply["status"], "ok", reply)
        return reply["data"]

    def cards(self, browser):
        return browser.run("return [...document.querySelectorAll('.rider')].map((card) => [card.querySelector('h3'), ...card.querySelectorAll('.advice')].map(({ textContent }) => textContent))")

    def test_a_class_from_its_form_to_the_wall_and_the_months_file(self):
        _, screen = self.bus.add("screen", "--viewer")
        wall = Browser(1920, 1080, authority=self.bus.authority)
        self.addCleanup(wall.close)
        wall.open(screen)
        wait_for(lambda: "Nobody has moved yet today" in wall.text("body"), "a wall in the morning")
        for bike, (person, alias, team) in RIDERS.items():
            self.client.publish(f"{bike}/config", {"kind": "bike", "zone": "UTC", "metres_per_revolution": 6}, retain=True)
            self.request("people/checkin", person=person, device=bike, team=team)
            self.request("people/configure", person=person, alias=alias)
            for frame in frames(10, 50, turning(80), time.time() - 10):
                self.client.publish(f"{bike}/imu", frame)
        wait_for(lambda: all(self.client.heard.get(f"stride/{bike}/day") for bike in RIDERS), "the days")
        self.client.publish("bike-10/config", {"kind": "bike"}, retain=True)
        self.client.publish("bike-10/imu", next(frames(1, 50, turning(80), time.time() - 10)))
        self.open_as(self.address + "/class")
        wait_for(lambda: self.browser.find(".lesson"), "the form")
        self.browser.set(".lesson [name=title]", "<i>Monday</i> hills")
        self.browser.set(".lesson [name=minutes]", "30")
        self.browser.click("Add a step")
        for key, value in (("minutes", "10"), ("cadence_min_rpm", "75"), ("cadence_max_rpm", "85")):
            self.browser.set(f".steps [data-step={key}]", value)
        self.browser.set(".lesson select", "time_in_target")
        # Who rides, and for which team; the bike that is left out comes to nobody's results.
        wait_for(lambda: len(self.browser.find(".bikes li")) == 4, "the bikes")
        order = self.browser.run("return [...document.querySelectorAll('.bikes [type=checkbox]')].map(({ name }) => name)")
        self.assertEqual(order, ["bike-1", "bike-2", "bike-3", "bike-10"])
        self.browser.set("[aria-label='Team of Cleo']", "Green")
        wait_for(lambda: any(stay.get("team") == "Green" for person in self.request("people")["people"] for stay in person["devices"]), "the team")
        self.browser.run("document.querySelector('.bikes [name=bike-10]').click()")
        self.browser.click("Start the class")
        for browser in (self.browser, wall):
            wait_for(lambda: browser.text(".class-board h2") == "<i>Monday</i> hills", "the class")
            wait_for(lambda: (browser.text(".class-target") or "").startswith("75–85 rpm for "), "the target")
        for bike, rpm in (("bike-1", 80), ("bike-2", 60), ("bike-3", 100)):
            self.say(bike, rpm)
        told = [["Comet", "▼ Slower"], ["Rocket", "✓ On target"], ["bike-2", "▲ Faster"]]
        wait_for(lambda: sorted(card[:2] for card in self.cards(wall)) == told, "each rider's number")
        self.assertNotIn("Anna", wall.text("body"))
        self.assertEqual([self.browser.violations(), wall.violations()], [[], []])
        # The floor gives way, and on a screen of this size the class fits.
        self.assertFalse(wall.find('[data-device="bike-1"]')[0].is_displayed())
        wait_for(lambda: wall.run("return document.documentElement.scrollHeight <= innerHeight"), "a class on one screen")
        # A wall that is loaded anew goes on where the class is.
        left = wall.text(".class-left")
        wall.open(self.bus.url)
        wait_for(lambda: wall.text(".class-left") and wall.text(".class-left") <= left, "the time left")
        # On a phone the way out and what riders did are seen at once.
        self.browser.size(390, 844)
        self.assertTrue(self.browser.run("return document.querySelector('[data-test=end-class]').getBoundingClientRect().bottom < 300"))
        self.browser.run("window.confirm = () => true")
        self.browser.click("End the class")
        for browser in (self.browser, wall):
            wait_for(lambda: browser.text(".class-board h2") == "<i>Monday</i> hills: finished", "the summary")
            self.assertIn("Rocket", browser.text(".class-summary"))
        self.assertTrue(self.browser.run("const table = document.querySelector('.class-summary .scroll'); return table.scrollWidth <= table.clientWidth"))
        self.browser.size(1600, 1000)
        self.assertEqual([self.browser.violations(), wall.violations()], [[], []])
        wait_for(lambda: "<i>Monday</i> hills" in (self.browser.text(".past-class") or ""), "the class of the month")
        # Its month is that of who looks, wherever that is.
        self.browser.run("window.sent = ''; const send = WebSocket.prototype.send; WebSocket.prototype.send = function (data) { window.sent += new TextDecoder().decode(data); send.call(this, data) }")
        self.browser.run("document.querySelector('[aria-label=Earlier]').click(); document.querySelector('[aria-label=Later]').click()")
        zone = self.browser.run("return Intl.DateTimeFormat().resolvedOptions().timeZone")
        wait_for(lambda: f'"zone":"{zone}"' in self.browser.run("return window.sent"), "the zone")
        wait_for(lambda: "<i>Monday</i> hills" in (self.browser.text(".past-class") or ""), "the month again")
        self.browser.keep_downloads()
        self.browser.click("Save as CSV")
        lines = self.browser.saved(".csv").splitlines()
        self.assertEqual([line.split(",")[5] for line in lines[1:] if "Rocket" in line], ['"Rocket"'])
        self.assertEqual(len(lines), 4)
        self.browser.click("Use again")
        self.assertEqual(self.browser.run("return document.querySelector('.steps [data-step=cadence_min_rpm]').value"), "75")

