"""Workouts: the list of a day, one second by second, its files, what its reader changes, and the end of a session on the phone."""

import json
import time

from bench import frames, turning, wait_for
from history_tests import DAY, NOON, HistoryTest
from phone_tests import PhoneTest
from selenium.webdriver.common.keys import Keys

# Long enough for a workout, with a pause that is none.
RIDE_SECONDS, PAUSE_SECONDS = 200, 100


class WorkoutTests(HistoryTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ride("rode-1", NOON, seconds=RIDE_SECONDS, metres_per_revolution=6)
        cls.ride("rode-1", NOON + RIDE_SECONDS + PAUSE_SECONDS, seconds=RIDE_SECONDS, rpm=90, boot="t2", metres_per_revolution=6)
        for second in range(RIDE_SECONDS):
            cls.client.publish("rode-1/ftms", {"watts": 150 + second, "bpm": 120, "t": NOON + second})

    def number(self, key):
        """The number of a tile, without its unit."""
        return int((self.browser.text(f'[data-test="{key}"]') or "0").split()[0].replace(",", ""))

    def workouts(self):
        return self.query("workouts", "--device", "rode-1")["workouts"]

    def test_a_workout_opens_second_by_second_is_saved_and_changed(self):
        # Both parts are one.
        whole = self.settled("rode-1", "revolutions", 560)
        [truth] = self.workouts()
        self.assertEqual(truth["revolutions"], whole["revolutions"])
        self.open(f"history/rode-1/day/{DAY}")
        link = wait_for(lambda: self.browser.find(f'[data-workout="{truth["id"]}"] a'), "the workout in the list")[0]
        self.assertIn("W", self.browser.text(".workout-list .facts"))
        self.assertEqual(self.browser.violations(), [])
        link.send_keys(Keys.ENTER)
        lanes = wait_for(lambda: self.browser.find(".lanes"), "the seconds")[0]
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.lane')].map(({ dataset }) => dataset.lane)"), ["cadence", "watts", "bpm"])
        self.assertEqual(self.number("revolutions"), truth["revolutions"])
        self.assertLessEqual(abs(self.number("power") - truth["power_avg_w"]), 0.5)
        self.assertEqual(self.browser.text('[data-test="heart"]'), "120 bpm")
        self.assertEqual(self.browser.violations(), [])
        # By keyboard: the first second, and one in the pause.
        lanes.send_keys(Keys.HOME, Keys.PAGE_UP, Keys.ARROW_RIGHT)
        offset = round(truth["start"]) - NOON
        self.assertIn(f"{150 + offset + 61} W", lanes.get_attribute("aria-valuetext"))
        lanes.send_keys(*[Keys.PAGE_UP] * 3, *[Keys.ARROW_RIGHT] * 9)
        self.assertIn("paused", lanes.get_attribute("aria-valuetext"))
        self.assertIn("Power not known", lanes.get_attribute("aria-valuetext"))
        self.browser.keep_downloads()
        self.browser.click("Save as FIT")
        self.assertIn(".FIT", self.browser.saved(".fit")[:16])
        self.browser.click("Save as CSV")
        self.assertGreater(len(self.browser.saved(".csv").splitlines()), 2 * RIDE_SECONDS - 30)
        self.browser.find(".workout details summary")[0].click()
        self.browser.set(".workout details [maxlength]", "<b>Hills</b>")
        self.browser.click("Save")
        wait_for(lambda: self.browser.text(".title") == "<b>Hills</b>", "the title")
        self.assertEqual([each["title"] for each in self.workouts()], ["<b>Hills</b>"])
        # In its pause it is cut in two, and joined again.
        self.browser.find(".workout details summary")[0].click()
        self.browser.click("Cut in two at the mark")
        wait_for(lambda: len(self.workouts()) == 2, "two workouts")
        wait_for(lambda: self.number("revolutions") < truth["revolutions"], "the first of them")
        self.browser.find(".workout details summary")[0].click()
        self.browser.click("Join with the next")
        wait_for(lambda: self.number("revolutions") == truth["revolutions"], "the whole")
        self.browser.run("window.confirm = () => true")
        self.browser.find(".workout details summary")[0].click()
        self.browser.click("Delete")
        wait_for(lambda: self.workouts() == [], "no workout")
        wait_for(lambda: self.browser.run("return location.hash").startswith("#history/rode-1"), "the way back")


class FinishTests(PhoneTest):
    def test_finish_ends_in_the_workout(self):
        """The session began some minutes ago by the clock of the page, and that long it was ridden."""
        self.open("phone")
        self.browser.set("select", "bike")
        self.browser.set("[pattern]", "finish-1")
        self.browser.run("window.realNow = Date.now; Date.now = () => realNow() - 300_000")
        began = time.time() - 300
        self.sensors.play([(0, 9.8, 0, 0, 0, 0)], 50)
        self.browser.click("Start")
        wait_for(lambda: self.session("state") == "Counting", "the session")
        for frame in frames(240, 50, turning(80), began + 20, boot="past"):
            self.client.publish("finish-1/imu", frame)
        wait_for(lambda: json.loads(self.client.heard.get("stride/finish-1/total") or b'{"revolutions":0}')["revolutions"] > 300, "the ride")
        self.browser.run("Date.now = realNow")
        self.browser.click("Finish")
        wait_for(lambda: "/workout/" in self.browser.run("return location.hash"), "the workout")
        wait_for(lambda: self.browser.find(".lane[data-lane=cadence]"), "its seconds")
