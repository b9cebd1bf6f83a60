"""History: the numbers of `stridebus query`, late data, people, files."""

import json
import math
import subprocess
import time

from bench import BIN, PageTest, ask, frames, steps, turning, wait_for

DAY = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400))
NEXT_DAY = time.strftime("%Y-%m-%d", time.gmtime())
NOON = math.floor(time.time() / 86_400) * 86_400 - 43_200


class HistoryTest(PageTest):
    def number(self, key):
        """The number of a tile, without its grouping; 0 before it is there."""
        return int((self.browser.text(f'[data-test="{key}"]') or "0").replace(",", ""))

    @classmethod
    def ride(cls, device, start, seconds=60, rpm=78, boot="t1", since=0, **config):
        cls.client.publish(f"{device}/config", {"kind": "bike", "zone": "UTC", **config}, retain=True)
        for frame in frames(seconds, 50, turning(rpm), start, boot):
            if frame["seq"] >= since:
                cls.client.publish(f"{device}/imu", frame)

    @classmethod
    def walk(cls, device, start, seconds=60, **config):
        cls.client.publish(f"{device}/config", {"kind": "wearable", "placement": "pocket", "zone": "UTC", **config}, retain=True)
        rows = list(steps(seconds))
        for sequence, first in enumerate(range(0, len(rows), 25)):
            part = rows[first:first + 25]
            cls.client.publish(f"{device}/imu", {
                "boot": "w1", "seq": sequence, "t": start + first / 50, "rate_hz": 50,
                "acc": [row[:3] for row in part], "gyro": [row[3:] for row in part]})

    def query(self, *arguments):
        answer = ask(self.bus, "query", *arguments, "--from", DAY, "--to", NEXT_DAY)
        return answer.get("data", answer)

    def saved_hours(self):
        """The rows of the day that is shown, as its file has them."""
        self.browser.keep_downloads()
        self.browser.run("document.querySelector('[data-test=export]').click()")
        head, *rows = [line.split(",") for line in self.browser.saved(".csv").split()]
        return [dict(zip(head, row)) for row in rows]

    def settled(self, device, key, least):
        """What history says of a device once its total has been the same for longer than a silence takes to settle."""
        def total():
            heard = [(at, payload) for at, topic, payload in list(self.client.log) if topic == f"stride/{device}/total"]
            return heard and heard[-1][0] < time.monotonic() - 2.5 and json.loads(heard[-1][1])[key] >= least
        wait_for(total, f"{key} of {device}")
        return self.query("interval", "--device", device)


class QueryTests(HistoryTest):
    @classmethod
    def setUpClass(cls):
        """Publishes what the tests ask for at once: what a device did last is settled some seconds after it fell silent."""
        super().setUpClass()
        for device, start in (("hers-1", NOON), ("hers-2", NOON + 3600)):
            subprocess.run([BIN + "/stridebus", "people", "checkin", "Ada Berg", "--device", device, "--from", str(NOON - 3600), "--broker",
                            f"mqtt://127.0.0.1:{cls.bus.port}"], check=True, capture_output=True)
        cls.ride("asked-1", NOON, metres_per_revolution=6)
        cls.ride("asked-1", NOON + 7200, seconds=30, rpm=90, boot="t2", metres_per_revolution=6)
        cls.walk("asked-2", NOON, height_m=1.8)
        cls.ride("hers-1", NOON)
        cls.walk("hers-2", NOON + 3600)

    def test_history_shows_the_numbers_of_query(self):
        """Tiles and table, of turns with a length and of steps."""
        truth = self.settled("asked-1", "revolutions", 122)
        self.open(f"history/asked-1/day/{DAY}")
        wait_for(lambda: self.number("revolutions") == truth["revolutions"], "the turns")
        self.assertEqual(self.browser.text('[data-test="average"]'), f'{truth["cadence_avg_rpm"]:.1f} rpm')
        self.assertEqual(self.browser.text('[data-test="distance"]'), f'{truth["distance_m"]:.0f} m')
        self.assertEqual(self.browser.text('[data-test="speed"]'), f'{truth["speed_avg_m_per_s"] * 3.6:.1f} km/h')
        rows = self.browser.run("return [...document.querySelectorAll('tbody tr')].map((row) => row.children[2].textContent)")
        buckets = self.query("series", "--device", "asked-1", "--bucket", "hour")["buckets"]
        self.assertEqual([int(row.replace(",", "")) for row in rows],
                         [bucket["revolutions"] for bucket in buckets if bucket["covered_s"] > 0])
        self.choose_units("imperial", "speed", "mph")
        self.assertEqual(self.browser.text('[data-test="speed"]'), f'{truth["speed_avg_m_per_s"] * 3600 / 1609.344:.1f} mph')
        self.assertEqual(self.browser.text('[data-test="distance"]'), f'{truth["distance_m"] / 1609.344:.2f} mi')
        self.choose_units("metric", "speed", "km/h")
        truth = self.settled("asked-2", "steps", 100)
        self.open(f"history/asked-2/day/{DAY}")
        wait_for(lambda: self.number("steps") == truth["steps"], "the steps")
        for units, unit, metres in (("imperial", "min/mi", 1609.344), ("metric", "min/km", 1000)):
            self.choose_units(units, "pace", unit)
            minutes, seconds = divmod(round(truth["pace_avg_s_per_m"] * metres), 60)
            self.assertEqual(self.browser.text('[data-test="pace"]'), f"{minutes}:{seconds:02} {unit}")
        for span in ("week", "month", "year"):
            self.browser.click(span.title())
            wait_for(lambda: f"/{span}/" in self.browser.run("return location.hash") and self.number("steps") == truth["steps"], span)

    def choose_units(self, units, key, unit):
        """Chooses units as a reader does, and waits until a tile has them."""
        if not self.browser.find(".menu[open]"):
            self.browser.find(".menu summary")[0].click()
        self.browser.find(f"[name=units][value={units}]")[0].click()
        wait_for(lambda: unit in (self.browser.text(f'[data-test="{key}"]') or ""), unit)

    def test_a_persons_history_is_that_of_all_devices(self):
        """Two devices in two hours: the sums of both."""
        turns, walked = self.settled("hers-1", "revolutions", 76), self.settled("hers-2", "steps", 100)
        truth = self.query("series", "--person", "Ada Berg", "--bucket", "hour")["buckets"]
        self.assertEqual(sum(bucket["steps"] for bucket in truth), turns["steps"] + walked["steps"])
        self.open(f"history/@Ada%20Berg/day/{DAY}")
        for key in ("steps", "revolutions"):
            wait_for(lambda: self.number(key) == sum(bucket[key] for bucket in truth), key)
        self.assertEqual(self.browser.run("return document.querySelector('.toolbar select').selectedOptions[0].textContent"), "Ada Berg")
        self.assertEqual([(int(hour["steps"]), int(hour["revolutions"])) for hour in self.saved_hours()],
                         [(bucket["steps"], bucket["revolutions"]) for bucket in truth])

    def test_a_persons_week_begins_as_that_of_the_goals(self):
        subprocess.run([BIN + "/stridebus", "people", "set", "Ada Berg", "--active-min-per-week", "150", "--week-starts", "saturday", "--broker",
                        f"mqtt://127.0.0.1:{self.bus.port}"], check=True, capture_output=True)
        self.open(f"history/@Ada%20Berg/week/{DAY}")
        wait_for(lambda: self.number("revolutions") > 0, "the person")
        self.assertEqual(time.strptime(self.saved_hours()[0]["start"][:10], "%Y-%m-%d").tm_wday, 5)

    def test_a_persons_day_has_activities_and_cadences(self):
        """A ride and a walk with two devices: the bands over the bars, and both cadences over time, as `query` gives them."""
        self.settled("hers-1", "revolutions", 76), self.settled("hers-2", "steps", 100)
        segments = self.query("activity", "--person", "Ada Berg")["segments"]
        self.assertEqual([segment["activity"] for segment in segments], ["cycling", "walking"])
        self.open(f"history/@Ada%20Berg/day/{DAY}")
        wait_for(lambda: self.number("revolutions") > 0, "the person")
        bands = self.browser.run("return [...document.querySelectorAll('[aria-label=Activities] li')].map((each) => each.textContent)")
        buckets = self.query("series", "--person", "Ada Berg", "--bucket", "minute")["buckets"]
        # As the tiles say it: the time in motion, not the minutes that have some.
        seconds = {segment["activity"]: int(sum(bucket["active_s"] for bucket in buckets if segment["start"] <= bucket["start"] < segment["end"])) for segment in segments}
        words = {activity: f"{length // 60} min" if length >= 60 else f"{length} s" for activity, length in seconds.items()}
        self.assertEqual(sorted(bands), [f"Cycling {words['cycling']}", f"Walking {words['walking']}"])
        for unit in ("rpm", "spm"):
            known = [bucket[f"cadence_avg_{unit}"] for bucket in buckets if f"cadence_avg_{unit}" in bucket]
            label = self.browser.run("return document.querySelector(`canvas[data-test=${arguments[0]}]`).getAttribute('aria-label')", unit)
            self.assertTrue(label.endswith(f"from {min(known):.1f} to {max(known):.1f} {unit}"), label)
        whole = self.query("series", "--person", "Ada Berg", "--bucket", "day")["buckets"][0]
        self.assertEqual(self.browser.text('[data-test="average"]'), f'{whole["cadence_avg_rpm"]:.1f} rpm')


class LateTests(HistoryTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ride("part-1", NOON, seconds=180)
        cls.ride("late-1", NOON, seconds=30)
        cls.ride("late-2", NOON, seconds=30, person="Cleo Dahl")

    def test_a_distance_of_a_part_is_called_that(self):
        """Where the length of a turn was told half-way, the speed is that of the other half, and the page says so."""
        self.settled("part-1", "revolutions", 232)
        self.ride("part-1", NOON + 3600, seconds=180, boot="t2", metres_per_revolution=6)
        truth = self.settled("part-1", "revolutions", 466)
        # The minute in which the length was told may be on either side.
        self.assertGreaterEqual(truth["distance_active_s"], 177)
        self.assertLessEqual(truth["distance_active_s"], truth["active_s"] - 115)
        self.assertAlmostEqual(truth["speed_avg_m_per_s"], truth["distance_m"] / truth["distance_active_s"], delta=0.001)
        self.open(f"history/part-1/day/{DAY}")
        wait_for(lambda: self.number("revolutions") == truth["revolutions"], "the turns")
        self.assertIn("those of that part", self.browser.text('[data-test="partial"]'))
        self.assertEqual(self.browser.text('[data-test="speed"]'), f'{truth["speed_avg_m_per_s"] * 3.6:.1f} km/h')

    def test_a_persons_past_day_that_is_revised_says_so(self):
        before = self.settled("late-2", "revolutions", 38)["revolutions"]
        self.open(f"history/@Cleo%20Dahl/day/{DAY}")
        wait_for(lambda: self.number("revolutions") == before, "the first half")
        self.assertNotIn("being revised", self.browser.text(".history [role=status]"))
        self.ride("late-2", NOON, since=60, person="Cleo Dahl")
        wait_for(lambda: self.number("revolutions") == 78, "the whole ride")
        self.assertIn("is being revised", self.browser.text(".history [role=status]"))

    def test_history_says_that_a_past_day_is_revised_and_saves_it_as_csv(self):
        before = self.settled("late-1", "revolutions", 38)["revolutions"]
        self.open(f"history/late-1/day/{DAY}")
        wait_for(lambda: self.number("revolutions") == before, "the first half")
        # What is shown anew does not take the keyboard away.
        self.browser.run("document.querySelector('.table summary').focus()")
        self.ride("late-1", NOON, since=60)
        # The last turns are counted once the bike has been silent for a while.
        wait_for(lambda: self.number("revolutions") == 78, "the whole ride")
        self.assertIn("is being revised", self.browser.text(".history [role=status]"))
        self.assertEqual(self.browser.run("return document.activeElement.textContent"), "The numbers")
        hours = self.saved_hours()
        self.assertEqual([int(hour["revolutions"]) for hour in hours],
                         [bucket["revolutions"] for bucket in self.query("series", "--device", "late-1", "--bucket", "hour")["buckets"]])
        self.assertEqual(hours[12]["start"], f"{DAY}T12:00:00.000Z")
