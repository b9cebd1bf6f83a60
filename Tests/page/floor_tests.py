"""The floor against the bus, and against what a simulated gym truly does."""

import bisect
import csv
import json
import math
import os
import tempfile
import time

from bench import PageTest, Program, frames, wait_for

# A cadence is shown this near to the true one, a minute, once a rider has kept it for as long as the counter looks back.
NEAR, LOOK_BACK_SECONDS = 4, 5


class Truth:
    """The true steps or revolutions of the devices of a simulated gym."""

    def __init__(self, file):
        self.times = {}
        with open(file) as lines:
            for row in csv.DictReader(lines):
                self.times.setdefault(row["device"], []).append(float(row["t_s"]))

    def steady(self, device, since, until):
        """The mean cadence of a stretch that is moved through without a pause or a change; None of any other."""
        times = self.times[device]
        part = times[bisect.bisect(times, since) - 1:bisect.bisect(times, until) + 1]
        spans = [b - a for a, b in zip(part, part[1:])]
        if len(part) < 4 or part[0] > since or part[-1] < until or max(spans) > 1.35 * min(spans):
            return None
        return 60 * len(spans) / (part[-1] - part[0])


class GymTests(PageTest):
    def watch(self):
        """Notes each number that the floor shows from now on, with its time."""
        self.browser.run(
            """window.shown = []
            new MutationObserver(() => {
              for (const card of document.querySelectorAll('.card'))
                shown.push([Date.now() / 1000, card.dataset.device, card.querySelector('.value').textContent])
            }).observe(document.querySelector('.groups'), { subtree: true, childList: true, characterData: true })""")

    def shown(self, device):
        return [(at, text) for at, name, text in self.browser.run("return shown") if name == device]

    def check_against(self, truth):
        """Every second of a steady ride or walk, its true cadence is shown."""
        checked, wrong = 0, []
        for device, times in truth.times.items():
            shown = self.shown(device)
            for at in range(math.floor(times[0]) + LOOK_BACK_SECONDS + 2, math.floor(times[-1])):
                expected = truth.steady(device, at - LOOK_BACK_SECONDS, at)
                if expected is None:
                    continue
                checked += 1
                texts = [text for seen, text in shown if seen < at][-1:] + [text for seen, text in shown if at <= seen < at + 1]
                if not any(text != "–" and abs(int(text) - expected) <= NEAR for text in texts):
                    wrong.append((device, at, texts, round(expected, 1)))
        self.assertGreater(checked, 25)
        self.assertEqual(wrong, [])

    def check_against_bus(self, devices):
        """Each cadence of the bus is shown within a second."""
        end, ahead = time.time(), time.time() - time.monotonic()
        checked, late = 0, []
        for device in devices:
            shown = self.shown(device)
            for at, topic, payload in list(self.client.log):
                # What came just now may still be shown in time.
                if topic != f"stride/{device}/cadence" or at + ahead > end - 1:
                    continue
                report = json.loads(payload)
                number = str(math.floor((report["cadence_rpm"] if "cadence_rpm" in report else report["cadence_spm"]) + 0.5))
                at += ahead
                texts = [text for seen, text in shown if seen < at][-1:] + [text for seen, text in shown if at <= seen < at + 1]
                checked += 1
                if number not in texts:
                    late.append((device, at, number, texts))
        self.assertGreater(checked, 40)
        self.assertEqual(late, [])

    def test_floor_shows_what_the_simulated_riders_truly_do(self):
        """Within a second, both of what the riders and walkers do and of what the counter says of them."""
        self.open()
        self.watch()
        with tempfile.TemporaryDirectory() as folder:
            events = os.path.join(folder, "events.csv")
            gym = Program(self.bus, "simulate", "--bikes", "3", "--wearables", "2", "--seed", "3", "--for", "16s", "--events", events)
            self.addCleanup(gym.close)
            gym.process.wait(60)
            truth = Truth(events)
        self.check_against(truth)
        self.check_against_bus(truth.times)

    def test_floor_follows_a_change_and_a_stop(self):
        """A crank that turns 78 times a minute, then 96, and then stands: read as soon as the counter is sure of it."""
        self.client.publish("true-1/config", {"kind": "bike", "placement": "crank"}, retain=True)
        self.open()
        self.watch()
        start, change = time.time() + 0.5, 8
        turn = lambda t: 1.4 * math.sin(2 * math.pi * (1.3 * t if t < change else 1.3 * change + 1.6 * (t - change)))
        for frame in frames(15, 50, turn, start):
            time.sleep(max(0, frame["t"] + 0.5 - time.time()))
            self.client.publish("true-1/imu", frame)
        wait_for(lambda: self.card("true-1", ".value") == "0", "the stop")
        shown = [(at - start, int(text)) for at, text in self.shown("true-1") if text not in ("–", "")]
        first = lambda since, low, high: next(at - since for at, rpm in shown if at > since and low <= rpm <= high)
        late = first(0, 76, 80), first(change, 94, 98), first(15, 0, 0)
        print("start {:.1f} s, change {:.1f} s, stop {:.1f} s ".format(*late), end="")
        self.assertTrue(all(seconds < 5 for seconds in late), late)
        self.assertTrue(all(rpm <= 80 for at, rpm in shown if at < change))


class CardTests(PageTest):
    def test_floor_tells_moving_still_silent_and_offline_apart(self):
        """A stopped rider reads 0; what is silent or offline shows no number."""
        self.client.publish("states-1/config", {"kind": "bike", "person": "Ole"}, retain=True)
        self.open()
        self.say("states-1", 83.6)
        wait_for(lambda: self.card("states-1", ".value") == "84")
        self.assertEqual(self.standing("states-1"), "moving")
        self.assertEqual(self.card("states-1", ".card-name"), "Ole")
        self.say("states-1", 0)
        wait_for(lambda: self.card("states-1", ".value") == "0")
        self.assertEqual(self.standing("states-1"), "still")
        # The first report after a stop may still name the activity of before.
        self.client.publish("states-1/cadence", {"t": time.time(), "cadence_rpm": 70, "confidence": 0.5, "activity": "stationary"})
        wait_for(lambda: self.card("states-1", ".value") == "70")
        self.assertEqual(self.card("states-1", ".doing-word"), "Cycling")
        wait_for(lambda: self.standing("states-1") == "silent")
        self.assertEqual(self.card("states-1", ".value"), "–")
        self.assertIn("nothing for", self.card("states-1", ".today"))
        self.client.publish("states-1/status", "offline", retain=True)
        wait_for(lambda: self.standing("states-1") == "offline")
        self.assertEqual(self.card("states-1", ".doing-word"), "Offline")

    def test_a_name_that_is_read_from_the_right_is_cut_at_its_end(self):
        self.client.publish("name-1/config", {"kind": "bike", "person": "حنا العبد الله"}, retain=True)
        self.open()
        wait_for(lambda: self.card("name-1", ".card-name") == "حنا العبد الله")
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('[data-device=name-1] .card-name')).direction"), "rtl")

    def test_floor_shows_the_beats_of_a_strap(self):
        """A strap has no cadence: its number is its beats, and it does not wait for anything."""
        self.client.publish("strap-1/config", {"kind": "wearable", "placement": "chest"}, retain=True)
        self.open()
        self.client.publish("strap-1/heart", {"t": time.time(), "bpm": 131})
        wait_for(lambda: self.card("strap-1", ".value") == "131")
        self.assertEqual(self.card("strap-1", ".unit"), "bpm")
        self.assertEqual((self.card("strap-1", ".doing-word"), self.card("strap-1", ".today")), ("Heart rate", ""))
        # A watch that rests tells its steps beside its beats.
        self.client.publish("strap-1/day", {"t": time.time(), "steps": 8123, "revolutions": 0, "end": time.time() + 3600}, retain=True)
        wait_for(lambda: (self.client.publish("strap-1/heart", {"t": time.time(), "bpm": 70}), self.card("strap-1", ".today"))[1] == "8,123 steps today")
        self.client.publish("strap-1/day", "", retain=True)
        self.client.publish("meter-1/power", {"t": time.time(), "watts": 210})
        wait_for(lambda: self.card("meter-1", ".value") == "210")
        self.assertEqual((self.card("meter-1", ".unit"), self.card("meter-1", ".doing-word")), ("W", "Power"))
        wait_for(lambda: self.card("strap-1", ".doing-word") == "Waiting")

    def test_floor_says_what_is_wrong_in_words(self):
        problem = "sampled at 8 Hz: too slow for steps, 20 Hz are needed"
        self.client.publish("sick-1/health", {"t": 1, "ok": False, "problem": problem, "accepted": 1}, retain=True)
        self.open()
        wait_for(lambda: self.card("sick-1", ".problem") == problem)

    def test_floor_sorts_filters_and_groups(self):
        """The reader's choices put the cards in their order, and are kept for the next time."""
        for device, kind, rpm in (("sort-1", "bike", 60), ("sort-2", "bike", 95), ("sort-3", "wearable", 0)):
            self.client.publish(f"{device}/config", {"kind": kind}, retain=True)
            self.client.publish(f"{device}/cadence", {"t": 1, "cadence_rpm" if kind == "bike" else "cadence_spm": rpm, "confidence": 1, "activity": "cycling"})
        self.open()
        names = lambda: [name for name in self.browser.run(
            "return [...document.querySelectorAll('.card')].map((card) => card.dataset.device)") if name.startswith("sort-")]
        for device, kind, rpm in (("sort-1", "bike", 60), ("sort-2", "bike", 95)):
            self.say(device, rpm)
        self.client.publish("sort-3/cadence", {"t": 1, "cadence_spm": 0, "confidence": 1, "activity": "walking"})
        wait_for(lambda: names() == ["sort-1", "sort-2", "sort-3"])
        choose = lambda label, value: self.browser.run(
            """const field = [...document.querySelectorAll('.toolbar .field')].find(({ textContent }) => textContent.startsWith(arguments[0]))
            const select = field.querySelector('select')
            select.value = arguments[1]
            select.dispatchEvent(new Event('change'))""", label, value)
        choose("Sort", "cadence")
        wait_for(lambda: names() == ["sort-2", "sort-1", "sort-3"])
        choose("Show", "person")
        wait_for(lambda: names() == ["sort-3"])
        choose("Show", "all")
        choose("Group", "kind")
        wait_for(lambda: "People" in " ".join(self.browser.run("return [...document.querySelectorAll('h2')].map((each) => each.textContent)")))
        self.browser.set("[type=search]", "sort-2")
        wait_for(lambda: names() == ["sort-2"])
        self.open()
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.toolbar select')].map(({ value }) => value)"), ["all", "cadence", "kind"])
        self.browser.run("localStorage.removeItem('stridebus')")
