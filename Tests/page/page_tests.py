"""The frame of the page: its connection, log-in, policy, names from the bus, and that everybody can use it."""

import time

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from bench import WHOLE, Broker, Browser, Client, PageTest, frames, turning, wait_for

HOSTILE = "<img src=x onerror=\"window.hacked=1\">"
VIEWS = ("floor", "workbench/bike-9", "history/bike-9", "class", "phone")


class FrameTests(PageTest):
    def test_hostile_names_are_text(self):
        """Markup in a person, a problem or a topic runs nowhere and is read as it is."""
        self.client.publish("hostile-1/config", {"kind": "bike", "person": HOSTILE}, retain=True)
        self.client.publish("hostile-1/health", {"t": 1, "ok": False, "problem": HOSTILE, "accepted": 1}, retain=True)
        self.open()
        wait_for(lambda: self.card("hostile-1", ".card-name") == HOSTILE)
        self.assertEqual(self.card("hostile-1", ".problem"), HOSTILE)
        self.client.publish(f"{HOSTILE}/cadence", {"t": 1, "cadence_rpm": 80, "confidence": 1, "activity": "cycling"})
        self.say("hostile-2", 90)
        wait_for(lambda: self.card("hostile-2", ".value") == "90", "what was said after it")
        self.assertNotIn(HOSTILE, self.browser.run("return [...document.querySelectorAll('.card')].map(({ dataset }) => dataset.device)"))
        for view in ("workbench/hostile-1", f"history/@{HOSTILE}", "workbench/" + HOSTILE):
            self.open(view)
            self.browser.settle()
        self.assertIsNone(self.browser.run("return window.hacked ?? null"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.client.publish("hostile-1/config", "", retain=True)
        self.client.publish("hostile-1/health", "", retain=True)

    def test_connection_lost_and_found_again(self):
        """A killed broker is told of in words, nothing poses as live, and the page comes back by itself."""
        broker = Broker()
        self.addCleanup(broker.close)
        client = Client(broker)
        self.addCleanup(client.close)
        self.open(url=broker.url)
        self.say("lost-1", 90, client)
        wait_for(lambda: self.card("lost-1", ".value") == "90")
        broker.kill()
        wait_for(lambda: self.browser.text(".link") == "Reconnecting…")
        self.assertIn("was lost at", self.browser.text(".banner"))
        wait_for(lambda: self.card("lost-1", ".value") == "–")
        broker.start()
        wait_for(lambda: self.browser.text(".link") == "Live")
        self.assertFalse(self.browser.find(".banner")[0].is_displayed())
        wait_for(lambda: client.client.is_connected())
        self.say("lost-1", 91, client)
        wait_for(lambda: self.card("lost-1", ".value") == "91")

    def test_log_in_where_the_broker_asks(self):
        broker = Broker(users={"screen": "secret"})
        self.addCleanup(broker.close)
        self.browser.open(broker.url)
        for password, expected in (("wrong", None), ("secret", "Live")):
            self.log_in("screen", password)
            if expected:
                wait_for(lambda: self.browser.text(".link") == expected)
            else:
                wait_for(lambda: "does not know" in (self.browser.text("dialog") or ""))

    def test_nothing_is_refused_by_the_policy_and_nothing_is_thrown(self):
        for view in VIEWS:
            self.browser.errors()
            self.open(view)
            self.browser.settle()
            self.assertEqual(self.browser.errors(), [], view)

    def test_the_policy_runs_no_inline_script(self):
        """What would be an inline script or handler does not run, and the browser says why."""
        self.open()
        self.browser.errors()
        self.browser.run(
            """document.body.insertAdjacentHTML('beforeend', '<p onclick="window.hacked=2" id="bad">x</p>')
            document.getElementById('bad').click()
            const script = document.createElement('script')
            script.textContent = 'window.hacked=3'
            document.body.append(script)""")
        self.assertIsNone(self.browser.run("return window.hacked ?? null"))
        self.assertEqual(len([error for error in self.browser.errors() if "Content Security Policy" in error]), 2)


class ReaderTests(PageTest):
    def test_units_and_numbers_are_the_readers(self):
        """Miles where the reader chose them, and the number format of the language."""
        day = {"date": "2026-01-01", "zone": "UTC", "steps": 12345, "revolutions": 0, "distance_m": 8046.72, "active_s": 3600,
               "covered_s": 3600, "revision": 1, "final": False, "end": time.time() + 3600}
        self.client.publish("reader-1/day", day, retain=True)
        self.open()
        wait_for(lambda: self.card("reader-1", ".today") == "12,345 steps today", "the day")
        german = Browser(locale="de-DE")
        try:
            german.open(self.bus.url)
            wait_for(lambda: german.text('[data-device="reader-1"] .today') == "12.345 steps today", "German numbers")
        finally:
            german.close()
        self.open("phone")
        label = lambda: self.browser.run("return document.querySelector('[name=height]').labels[0].textContent")
        self.assertIn("cm", label())
        self.browser.find(".menu summary")[0].click()
        self.browser.find("[name=units][value=imperial]")[0].click()
        wait_for(lambda: "inches" in label(), "miles")
        self.browser.run("localStorage.removeItem('stridebus')")

    def test_everything_is_reached_by_keyboard(self):
        """The first key skips to the content; views, settings and a card are opened by Tab and Enter."""
        self.open()
        self.say("keys-1", 80)
        wait_for(lambda: self.browser.find('[data-device="keys-1"]'))
        body = self.browser.find("body")[0]
        focused = lambda: self.browser.driver.switch_to.active_element
        body.send_keys(Keys.TAB)
        self.assertEqual(focused().text, "Skip to the content")
        focused().send_keys(Keys.ENTER)
        self.assertEqual(focused().get_attribute("id"), "main")
        for _ in range(4 + 1):
            focused().send_keys(Keys.TAB)
        self.assertIn("card-name", focused().get_attribute("class"))
        focused().send_keys(Keys.ENTER)
        wait_for(lambda: self.browser.run("return location.hash").startswith("#workbench/"), "the workbench")
        seen = []
        self.open("phone")
        self.browser.run("document.activeElement.blur()")
        for _ in range(14):
            focused().send_keys(Keys.TAB)
            seen.append(focused().text or focused().get_attribute("aria-label") or focused().tag_name)
        for word in ("Floor", "Workbench", "History", "This phone", "Start"):
            self.assertIn(word, seen)

    def test_light_and_dark_follow_the_system(self):
        self.open()
        for theme in ("dark", "light"):
            self.browser.theme(theme)
            wait_for(lambda: self.browser.run("return document.documentElement.dataset.theme") == theme, theme)

    def test_each_view_is_accessible(self):
        """No rule of axe-core is broken, in light and dark, at phone and desk size."""
        self.client.publish("read-1/config", {"kind": "bike", "person": "Eva Lund"}, retain=True)
        start = time.time() - 60
        for frame in frames(40, 50, turning(75), start):
            self.client.publish("read-1/imu", frame)
        self.say("bike-9", 80)
        for theme, width in (("light", 390), ("dark", 1600)) + ((("light", 1600), ("dark", 390)) if WHOLE else ()):
            self.browser.theme(theme)
            self.browser.size(width, 900)
            for view in (*VIEWS, f"history/@Eva%20Lund/day/{time.strftime('%Y-%m-%d', time.gmtime(start))}"):
                self.open(view)
                if "@" in view:
                    wait_for(lambda: self.browser.find("canvas[data-test=rpm]"), "the cadence")
                if view == "floor":
                    self.say("bike-9", 80)
                    wait_for(lambda: self.browser.find(".card"))
                self.browser.settle()
                self.assertEqual(self.browser.violations(), [], (view, theme, width))
        self.browser.size(1600, 1000)
