"""The workbench: the rule tuned by hand, a device's config, recordings."""

import json
import math
import random

from bench import PageTest, count, csv_of, frames, turning, wait_for


class WorkbenchTests(PageTest):
    def test_sliders_count_the_peaks_that_count_counts(self):
        """The page's rule and the program's agree on the same samples, at every setting tried."""
        noise = random.Random(7)
        # The program says at the beginning of a second what the seconds before it were, so it is given one more.
        made = list(frames(21, 50, lambda t: 1.4 * math.sin(2 * math.pi * 1.3 * t) + noise.gauss(0, 0.25), 1_767_225_600))
        self.open("workbench/tuned-1")
        wait_for(lambda: "Waiting" in (self.browser.text(".summary") or ""))
        for frame in made[:40]:
            self.client.publish("tuned-1/imu", frame)
        wait_for(lambda: self.browser.text('[data-test="peaks"]') not in (None, "0"))
        csv = csv_of(made)
        settings = [(0.75, 600, "gyro", "x"), (0.9, 100, "gyro", "x"), (0.97, 12, "acc", "x"), (0.86, 1, "acc", "z"), (1, 50, "gyro", "x")]
        for f, q, sensor, axis in settings:
            self.browser.set("[name=f]", f)
            self.browser.set("[name=q]", q)
            choices = self.browser.find(".panel select")
            for element, value in zip(choices, (sensor, axis)):
                self.browser.run(
                    "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))", element, value)
            lines = count(csv, "--kind", "bike", "--estimator", "prototype", "--sensor", sensor, "--axis", axis,
                          "--f", str(f), "--q", str(q), "--series")
            expected = next(line["cadence_rpm"] for line in lines if line.get("t_s") == 20)
            self.assertEqual(int(self.browser.text('[data-test="peaks"]')) * 12, expected, (f, q, sensor, axis))

    def test_what_repeats_is_named_beside_the_counters_period(self):
        self.open("workbench/rated-1")
        wait_for(lambda: "Waiting" in (self.browser.text(".summary") or ""))
        for frame in frames(12, 50, turning(78), 1_767_225_600):
            self.client.publish("rated-1/imu", frame)
        words = lambda: self.browser.text('[data-test="repeats"]') or ""
        wait_for(lambda: words() in ("Repeats every 0.76 s.", "Repeats every 0.78 s."), "the period")
        self.say("rated-1", 78)
        wait_for(lambda: "the counter chose: 78 a minute, every 0.77 s" in words(), "the counter's period")

    def test_use_on_this_device_writes_its_config(self):
        self.client.publish("tuned-2/config", {"kind": "bike", "zone": "Europe/Berlin"}, retain=True)
        self.open("workbench/tuned-2")
        wait_for(lambda: "own estimator" in (self.browser.text(".panel [role=status]") or ""))
        self.browser.set("[name=q]", 321)
        self.browser.click("Use on this device")
        wait_for(lambda: "quantise 321" in self.browser.text(".panel [role=status]"))
        config = json.loads(self.client.heard["stride/tuned-2/config"])
        self.assertEqual((config["estimator"], config["q"], config["zone"], config["kind"]), ("prototype", 321, "Europe/Berlin", "bike"))

    def test_a_recording_with_taps_is_counted_by_count(self):
        """What was recorded counts as the frames do, and a tap by key or button is a line of the file of events."""
        made = list(frames(24, 50, turning(84), 1_767_225_600))
        self.open("workbench/taped-1")
        wait_for(lambda: "Waiting" in (self.browser.text(".summary") or ""))
        self.client.publish("taped-1/imu", made[0])
        wait_for(lambda: "samples" in (self.browser.text(".summary") or ""))
        self.browser.keep_downloads()
        self.browser.click("Record")
        recording = lambda: self.browser.run("return document.querySelector('[aria-labelledby=record-title] [role=status]').textContent")
        # A picture that stands still goes on being recorded.
        self.browser.click("Freeze")
        for part in (made[1:17], made[17:33], made[33:]):
            for frame in part:
                self.client.publish("taped-1/imu", frame)
            samples = 25 * made.index(part[-1])
            wait_for(lambda: f"{samples:,} samples" in recording(), f"{samples} samples")
            self.browser.click("Tap at each turn or step")
            self.browser.find("body")[0].send_keys("t")
        wait_for(lambda: "6 taps" in recording(), "6 taps")
        # Typed where something is chosen by letters, the letter is no tap.
        self.browser.find(".panel select")[1].send_keys("t")
        self.browser.click("Stop")
        self.assertIn("6 taps", recording())
        self.browser.click("Samples as CSV")
        self.browser.click("Taps as CSV")
        taps = [line.split(",") for line in self.browser.saved("-events.csv").splitlines()]
        self.assertEqual(taps[0], ["t_s", "event"])
        self.assertEqual([event for _, event in taps[1:]], ["tap"] * 6)
        seconds = [float(at) for at, _ in taps[1:]]
        self.assertEqual(seconds, sorted(seconds))
        # The first three parts end 8, 16 and 23.5 s after the beginning of the recording.
        for at, end in zip(seconds[::2], (8, 16, 23.5)):
            self.assertTrue(-1 < at - end < 5, seconds)
        numbers = lambda csv: [[float(cell or "nan") for cell in line.split(",")[:7]] for line in csv.splitlines()[1:]]
        for ours, sent in zip(numbers(self.recorded()), numbers(csv_of(made[1:])), strict=True):
            self.assertTrue(all(abs(a - b) < 1e-5 for a, b in zip(ours, sent)), (ours, sent))
        options = ["--kind", "bike", "--placement", "crank"]
        counted, expected = (count(csv, *options)[0] for csv in (self.recorded(), csv_of(made[1:])))
        self.assertGreater(expected["revolutions"], 28)
        self.assertEqual(counted["revolutions"], expected["revolutions"])

    def recorded(self):
        """The kept file of samples."""
        return wait_for(lambda: self.browser.run(
            "return Object.entries(saved).find(([name]) => !name.endsWith('-events.csv'))?.[1] ?? null"), "the samples")

    def test_all_sensors_are_shown_apart_or_together(self):
        """Derived ones too, three axes in one chart or in three."""
        self.open("workbench/shown-1")
        for label in self.browser.find(".chip"):
            if not self.browser.run("return arguments[0].firstChild.checked", label):
                label.click()
        for frame in frames(2, 50, turning(80), 1_767_225_600):
            self.client.publish("shown-1/imu", frame)
        notes = lambda: [element.text for element in self.browser.find(".waves figcaption .hint")]
        wait_for(lambda: notes() == ["sent", "sent", "not sent", "derived", "derived", "derived", "derived"], "the sensors")
        self.assertEqual(len(self.browser.find(".waves canvas")), 7)
        self.browser.run(
            """const select = [...document.querySelectorAll('.toolbar select')].find((each) => each.querySelector('[value=true]'))
            select.value = 'true'
            select.dispatchEvent(new Event('change'))""")
        self.assertEqual(len(self.browser.find(".waves canvas")), 21)
        self.browser.run("localStorage.removeItem('stridebus')")
