"""This phone: the browser's own sensors as a device of the bus."""

import json
import os
import time

from bench import OTHER_HOST, Broker, Client, Network, PageTest, Program, count, csv_of, steps, wait_for
from devtools import MotionSensors

RECORDINGS = os.environ.get("STRIDEBUS_RECORDINGS", os.path.join(os.path.dirname(__file__), "../../../shared/recordings"))
# 101 Hz, phone in the front pocket; from this second on it is walked without a pause.
WALK, WALK_FROM = "oxford_opt/Pixel_Jamie_Hard_FrontPocket_2.csv", 40


def walk(seconds):
    """Rows of a recorded walk, every second one: 50 a second; None where the recordings are not here."""
    path = os.path.join(RECORDINGS, WALK)
    if not os.path.exists(path):
        return None
    with open(path) as file:
        rows = [[float(cell) if cell else None for cell in line.strip().split(",")] for line in list(file)[1:]]
    return [row[1:7] for row in rows if WALK_FROM <= row[0] < WALK_FROM + seconds][::2]


class PhoneTest(PageTest):
    def setUp(self):
        self.sensors = MotionSensors(self.browser)

    def tearDown(self):
        self.sensors.close()

    def begin(self, name, url=None, height=""):
        """Opens the view and starts a session of a device."""
        self.open("phone", url)
        self.browser.set("[pattern]", name)
        self.browser.set("[name=height]", height)
        self.browser.click("Start")
        wait_for(self.is_counting, "the session")

    def is_counting(self):
        """Whether the session has begun, which it does with a first reading: on a busy machine one alone may come before the sensor."""
        self.assertEqual(self.browser.text(".phone [role=alert]") or "", "")
        self.sensors.play([(0, 9.8, 0, 0, 0, 0), (0, 9.81, 0, 0, 0, 0)], 50)
        return self.session("state") == "Counting"

    def session(self, part):
        if part == "state":
            return self.browser.text(".session-state")
        return self.browser.text(f'[data-test="phone-{part}"]')

    def note(self):
        return self.browser.text(".phone .hint[role=status]") or ""

    def heard(self, name, client=None):
        """The numbers of the frames that came."""
        return [frame["seq"] for frame in (client or self.client).frames(name)]


class SessionTests(PhoneTest):
    def test_a_walk_through_the_browsers_sensors_counts_what_count_counts(self):
        rows = walk(12)
        if rows is None:
            self.skipTest(f"no {WALK} in {RECORDINGS}: name the folder with STRIDEBUS_RECORDINGS")
        self.begin("walked-1", height="180")
        self.sensors.play(rows, 50)
        self.browser.click("Finish")
        wait_for(lambda: self.session("state") == "Finished")
        wait_for(lambda: "All frames have arrived" in self.note(), "the last frame")
        numbers = self.heard("walked-1")
        self.assertEqual(numbers, list(range(len(numbers))))
        # A browser on a busy machine leaves readings out.
        self.assertGreater(sum(len(each["acc"]) for each in self.client.frames("walked-1")), 0.5 * len(rows))
        # Where in a second a short walk begins may decide about a step, and `count` takes 0 for a multiple of ten seconds.
        frames = self.client.frames("walked-1")
        recorded = csv_of(frames, start=frames[0]["t"] // 10 * 10)
        expected = count(recorded, "--kind", "wearable", "--placement", "pocket")[0]["steps"]
        self.assertGreater(expected, 15)
        wait_for(lambda: self.session("count") == str(expected), f"{expected} steps")
        wait_for(lambda: self.session("today") == str(expected), "today")
        self.assertIn(" m", self.session("distance"))

    def test_pause_resume_and_finish(self):
        """A paused session sends nothing and its time stands; it goes on where it was."""
        self.client.publish("paused-1/config", {"day_start": "04:00"}, retain=True)
        self.begin("paused-1")
        config = wait_for(lambda: "kind" in (said := json.loads(self.client.heard["stride/paused-1/config"])) and said, "the config")
        self.assertEqual((config["kind"], config["placement"], config["day_start"]), ("wearable", "pocket", "04:00"))
        rows = list(steps(60))
        self.sensors.play(rows[:150], 50)
        self.browser.click("Pause")
        wait_for(lambda: self.session("state") == "Paused")
        # The readings before the pause are on their way.
        self.sensors.play(rows[150:200], 50)
        frames, clock = len(self.heard("paused-1")), self.session("time")
        self.assertGreaterEqual(frames, 6)
        self.sensors.play(rows[200:275], 50)
        self.assertEqual((len(self.heard("paused-1")), self.session("time")), (frames, clock))
        self.browser.click("Go on")
        wait_for(lambda: self.session("state") == "Counting")
        self.sensors.play(rows[275:600], 50)
        wait_for(lambda: int(self.session("count")) > 4, "steps")
        self.browser.click("Finish")
        wait_for(lambda: self.session("state") == "Finished")
        numbers = wait_for(lambda: len(self.heard("paused-1")) > frames and self.heard("paused-1"))
        self.assertEqual(numbers, list(range(len(numbers))))
        hours, minutes, seconds = map(int, self.session("time").split(":"))
        self.assertLess(abs(3600 * hours + 60 * minutes + seconds - 9.5), 4)
        self.browser.click("Start again")
        # What was changed since is told, over the same connection.
        self.browser.run("[...document.querySelectorAll('select')].find(({ value }) => value === 'pocket').value = 'wrist'")
        self.browser.run("document.querySelectorAll('select')[1].dispatchEvent(new Event('change'))")
        self.browser.click("Start")
        wait_for(lambda: json.loads(self.client.heard["stride/paused-1/config"])["placement"] == "wrist", "the other placement")
        self.browser.click("Finish")


    def test_a_double_tap_begins_one_session_and_one_that_was_left_begins_none(self):
        self.open("phone")
        self.browser.set("[pattern]", "twice-1")
        self.sensors.play([(0, 9.8, 0, 0, 0, 0)], 50)
        tap = "const start = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Start');"
        self.browser.run(tap + "start.click(); start.click(); start.disabled = false; start.click()")
        wait_for(lambda: self.session("state") == "Counting", "the session")
        rows = list(steps(30))
        self.sensors.play(rows[:100], 50)
        self.browser.click("Finish")
        wait_for(lambda: "All frames have arrived" in self.note(), "the frames")
        boots = lambda: {frame["boot"] for frame in self.client.frames("twice-1")}
        known = len(self.heard("twice-1"))
        self.assertEqual(len(boots()), 1)
        self.sensors.play(rows[100:200], 50)
        self.browser.click("Start again")
        self.sensors.play(rows[200:300], 50)
        self.client.catch_up()
        self.assertEqual(len(self.heard("twice-1")), known)
        # Left while it starts, and finished before the frames of a second one.
        self.browser.run(tap + "start.click(); location.hash = 'floor'")
        wait_for(lambda: self.browser.find(".floor"), "the floor")
        self.sensors.play(rows[300:400], 50)
        self.client.catch_up()
        self.assertEqual(len(self.heard("twice-1")), known)
        self.open("phone")
        self.browser.click("Start")
        self.sensors.play(rows[400:500], 50)
        self.browser.click("Finish")
        wait_for(lambda: len(boots()) == 2, "the second session")

    def test_today_is_no_less_than_the_session(self):
        self.begin("today-1")
        rows = list(steps(30))
        self.sensors.play(rows, 50)
        number = lambda part: int((self.session(part) or "").replace(",", "").replace("–", "0") or 0)
        wait_for(lambda: number("count") > 10 and number("today") >= number("count"), "today")
        for _ in range(20):
            both = self.browser.run("return ['count', 'today'].map((part) => document.querySelector(`[data-test=phone-${part}]`).textContent)")
            self.assertGreaterEqual(int(both[1]), int(both[0]))
        self.browser.click("Finish")


class NetworkTests(PhoneTest):
    def away(self):
        """A client of a broker, and a network between it and the phone that can be cut."""
        broker = Broker()
        self.addCleanup(broker.close)
        client, network = Client(broker), Network(broker)
        self.addCleanup(client.close)
        self.addCleanup(network.close)
        return client, network

    def test_frames_wait_while_the_network_is_away(self):
        """They are kept, outlive a closed page, and arrive when it is back, in order."""
        client, network = self.away()
        self.begin("cut-1", network.url)
        rows = list(steps(60))
        self.sensors.play(rows[:75], 50)
        wait_for(lambda: len(self.heard("cut-1", client)) >= 2, "frames")
        network.cut()
        before = len(self.heard("cut-1", client))
        self.sensors.play(rows[75:225], 50)
        wait_for(lambda: "frames are kept" in self.note(), "the words")
        self.assertLessEqual(len(self.heard("cut-1", client)), before + 1)
        network.mend()
        wait_for(lambda: len(self.heard("cut-1", client)) >= before + 5, "the kept frames")
        self.sensors.play(rows[225:300], 50)
        network.cut()
        self.sensors.play(rows[300:400], 50)
        wait_for(lambda: "frames are kept" in self.note(), "the words")
        known = len(self.heard("cut-1", client))
        self.browser.open("about:blank")
        client.catch_up()
        self.assertEqual(len(self.heard("cut-1", client)), known)
        network.mend()
        self.begin("cut-2", network.url)
        numbers = wait_for(lambda: len(self.heard("cut-1", client)) >= known + 3 and self.heard("cut-1", client), "the frames of before")
        # What the broker had taken, and could not say so any more, comes twice and counts once.
        first = list(dict.fromkeys(numbers))
        self.assertEqual(first, list(range(len(first))))
        self.browser.click("Finish")

    def test_what_waits_at_finish_goes_without_another_session(self):
        client, network = self.away()
        self.begin("kept-1", network.url)
        rows = list(steps(10))
        self.sensors.play(rows[:75], 50)
        wait_for(lambda: len(self.heard("kept-1", client)) >= 1, "frames")
        network.cut()
        self.sensors.play(rows[75:250], 50)
        self.browser.click("Finish")
        wait_for(lambda: "frames are kept" in self.note(), "the words")
        known = len(self.heard("kept-1", client))
        # Another view, and no session: they go as soon as there is a network.
        self.browser.run("location.hash = 'floor'")
        wait_for(lambda: self.browser.find(".floor"), "the floor")
        network.mend()
        numbers = wait_for(lambda: len(self.heard("kept-1", client)) >= known + 5 and self.heard("kept-1", client), "the kept frames")
        self.assertEqual(numbers, list(range(len(numbers))))


class SensorTests(PhoneTest):
    def test_the_screen_is_kept_awake_while_a_session_runs(self):
        script = """Object.defineProperty(navigator, 'wakeLock', { value: { request: async (kind) => {
            (window.locks ??= []).push(kind)
            return { release: async () => locks.push('released') } } } })"""
        self.addCleanup(self.browser.before_each_page(script))
        self.begin("awake-1")
        wait_for(lambda: self.browser.run("return window.locks ?? []") == ["screen"], "the lock")
        wait_for(lambda: "readings" in self.note() and "Keep the screen on" not in self.note(), "the words")
        self.browser.click("Pause")
        wait_for(lambda: self.browser.run("return locks") == ["screen", "released"], "the release")
        self.browser.click("Go on")
        wait_for(lambda: self.browser.run("return locks").count("screen") == 2, "the lock again")
        self.browser.click("Finish")

    def test_sensors_that_are_refused_are_told_in_words(self):
        script = "DeviceMotionEvent.requestPermission = async () => 'denied'"
        self.addCleanup(self.browser.before_each_page(script))
        self.open("phone")
        self.browser.click("Start")
        wait_for(lambda: "told not to give its motion sensors" in (self.browser.text("[role=alert].warning") or ""), "the words")

    def test_motion_events_are_in_true_units(self):
        """Where there is no Generic Sensor API: leave is asked for in the click, degrees become radians."""
        script = """delete window.Accelerometer
            DeviceMotionEvent.requestPermission = async () => { window.asked = navigator.userActivation.isActive; return 'granted' }"""
        self.addCleanup(self.browser.before_each_page(script))
        self.open("phone")
        self.browser.set("[pattern]", "events-1")
        self.browser.run(
            """window.moving = setInterval(() => window.dispatchEvent(new DeviceMotionEvent('devicemotion', {
              accelerationIncludingGravity: { x: 1, y: 2, z: 9.5 }, rotationRate: { alpha: 90, beta: 0, gamma: -180 }, interval: 16 })), 20)""")
        self.browser.click("Start")
        frame = wait_for(lambda: self.client.frames("events-1")[1:], "frames")[0]
        self.browser.click("Finish")
        self.assertTrue(self.browser.run("return asked"))
        self.assertEqual((frame["acc"][0], frame["gyro"][0]), ([1, 2, 9.5], [1.5708, 0, -3.1416]))
        self.assertLess(abs(frame["t"] - time.time()), 10)

    def test_a_page_that_is_not_secure_says_so(self):
        self.open("phone", f"http://{OTHER_HOST}:{self.bus.web_port}/")
        words = self.browser.text(".phone .warning")
        self.assertIn("secure pages only", words)
        self.assertIn("https://", words)
        self.assertFalse(self.browser.run("return [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Start')").is_enabled())
