"""A bus on the network, as `stridebus up --network` makes it: https with its own authority, and who sees what."""

import json
import time

from bench import Browser, Client, GymBus, frames, steps, turning, wait_for
from phone_tests import PhoneTest


class NetworkTest(PhoneTest):
    """With a bus on the network of its own, and an operator."""

    @classmethod
    def setUpClass(cls):
        cls.bus = GymBus()
        cls.addClassCleanup(cls.bus.close)
        cls.password, cls.address = cls.bus.add("boss", "--operator")
        cls.client = Client(cls.bus, ("boss", cls.password), cls.bus.authority)
        cls.browser = Browser(authority=cls.bus.authority)
        wait_for(lambda: cls.client.heard.get("stride/service/history/status") == b"online", "history")

    def open_as(self, address):
        """Opens the page by the address of a login, without what was there before."""
        self.browser.open(self.bus.url)
        self.browser.run("localStorage.clear(); sessionStorage.clear()")
        self.browser.open(address)
        wait_for(lambda: self.browser.text(".link") == "Live", "the connection")

    def views(self):
        return self.browser.run("return [...document.querySelectorAll('nav a')].map(({ textContent }) => textContent)")


class NetworkTests(NetworkTest):
    def test_a_browser_without_the_authority_does_not_open_the_page(self):
        stranger = Browser()
        try:
            stranger.open(self.bus.url)
            self.assertIn("ERR_CERT_AUTHORITY_INVALID", stranger.text("body"))
        finally:
            stranger.close()

    def test_a_member_counts_with_a_phone_and_sees_nothing_of_others(self):
        """Logged in by the printed address, by wss, as a device of the member's own name."""
        _, address = self.bus.add("anna", "--member")
        self.bus.add("ben", "--member")
        for frame in frames(10, 50, turning(80), time.time() - 10):
            self.client.publish("ben/imu", frame)
        self.open_as(address)
        wait_for(lambda: self.views() == ["This phone", "History"], "the member's views")
        self.assertEqual(self.browser.run("return [location.protocol, location.hash, isSecureContext]"), ["https:", "", True])
        self.assertIn("It counts as anna", self.browser.text(".phone"))
        self.sensors.play([(0, 9.8, 0, 0, 0, 0)], 50)
        self.browser.click("Start")
        self.sensors.play(list(steps(10)), 50)
        wait_for(lambda: int(self.session("count") or 0) > 8, "steps")
        self.browser.click("Finish")
        wait_for(lambda: "All frames have arrived" in self.note(), "the last frame")
        config = json.loads(wait_for(lambda: self.client.heard.get("stride/anna/config"), "the config"))
        self.assertEqual(config["placement"], "pocket")
        # What is another one's is refused by history, and is not heard.
        self.browser.open(self.bus.url + "#history/ben")
        wait_for(lambda: "No answer" in (self.browser.text(".history [role=status]") or ""), "the refusal")
        self.assertNotIn("ben", self.browser.run("return [...document.querySelectorAll('.history option')].slice(1).map(({ value }) => value)"))

    def test_a_members_history_after_a_ride_on_a_shared_bike(self):
        """The ride is in the member's own history, which is shown first; whole days of the bike are nobody's to ask for."""
        _, address = self.bus.add("mia", "--member")
        now = time.time()
        self.client.publish("request/people/checkin", {"person": "mia", "device": "shared-1", "from": now - 1200, "to": now - 600})
        self.client.publish("shared-1/config", {"kind": "bike", "zone": "UTC"}, retain=True)
        for frame in frames(60, 50, turning(80), now - 1000):
            self.client.publish("shared-1/imu", frame)
        for frame in frames(60, 50, turning(80), now - 400, boot="t2"):
            self.client.publish("shared-1/imu", frame)
        wait_for(lambda: json.loads(self.client.heard.get("stride/shared-1/total", b'{"revolutions":0}'))["revolutions"] > 150, "both rides")
        self.open_as(address + "/history")
        number = lambda: int((self.browser.text('[data-test="revolutions"]') or "0").replace(",", ""))
        wait_for(lambda: 70 <= number() <= 90, "the member's own ride")
        offered = "return [...document.querySelectorAll('.history .toolbar option')].map(({ value }) => value)"
        self.assertIn("@mia", self.browser.run(offered))
        self.assertNotIn("shared-1", self.browser.run(offered))
        for span in ("Week", "Month", "Year", "Day"):
            self.browser.click(span)
            wait_for(lambda: f"/{span.lower()}/" in self.browser.run("return location.hash"), span)
            wait_for(lambda: 70 <= number() <= 90, f"the {span.lower()}")
            self.assertNotIn("No answer", self.browser.text(".history [role=status]"))
        # It is asked again whether something was revised: that is not refused either.
        self.browser.settle(6)
        self.assertNotIn("No answer", self.browser.text(".history [role=status]"))
        self.browser.open(self.bus.url + "#history/shared-1")
        link = wait_for(lambda: self.browser.find(".history [role=status] a"), "the way to the own history")
        link[0].click()
        wait_for(lambda: 70 <= number() <= 90, "the own history")

    def test_a_link_never_takes_the_place_of_who_is_logged_in(self):
        """It asks; and an operator who came by a link stays in the tab alone."""
        _, nina = self.bus.add("nina", "--member")
        _, omar = self.bus.add("omar", "--member")
        kept = lambda: self.browser.run("return [localStorage, sessionStorage].map((each) => JSON.parse(each.getItem('stridebus-login') ?? '{}').user ?? '')")
        self.open_as(nina)
        wait_for(lambda: kept() == ["nina", ""], "a member's login that stays")
        self.browser.click("Start")
        wait_for(self.is_counting, "the session")
        self.browser.run("location.hash = arguments[0]", omar.split("#")[1])
        wait_for(lambda: self.browser.find("dialog[open] [data-test=other]"), "the question")
        self.assertIn("This phone is counting", self.browser.text("dialog"))
        self.assertEqual(self.browser.run("return location.hash"), "")
        self.browser.find("[data-test=stay]")[0].click()
        self.assertEqual((kept(), self.session("state")), (["nina", ""], "Counting"))
        self.browser.click("Finish")
        wait_for(lambda: self.session("state") == "Finished")
        # The page opened anew by the link asks, too.
        self.browser.open(omar)
        wait_for(lambda: self.browser.find("dialog[open] [data-test=other]"), "the question")[0]
        self.assertEqual(kept(), ["nina", ""])
        self.browser.find("[data-test=other]")[0].click()
        wait_for(lambda: "It counts as omar" in (self.browser.text(".phone") or ""), "the other member")
        self.open_as(self.address)
        wait_for(lambda: "Workbench" in self.views(), "the operator")
        self.assertEqual(kept(), ["", "boss"])
        self.browser.find(".menu summary")[0].click()
        self.browser.click("Stay logged in here")
        self.assertEqual(kept(), ["boss", ""])

    def test_a_role_that_comes_late_does_not_end_a_session(self):
        name = "late"
        _, address = self.bus.add(name, "--member")
        self.open_as(address)
        wait_for(lambda: self.views() == ["This phone", "History"], "the member's views")
        self.browser.click("Start")
        wait_for(self.is_counting, "the session")
        self.client.publish(f"user/{name}/role", {"role": "operator"}, retain=True)
        wait_for(lambda: "Floor" in self.views(), "the other views")
        self.assertEqual(self.session("state"), "Counting")
        self.browser.click("Finish")
        wait_for(lambda: self.session("state") == "Finished")

    def test_frames_that_were_kept_go_when_their_user_opens_the_page_again(self):
        """And not when another one does, of whom the broker would take and drop them."""
        addresses = {name: self.bus.add(name, "--member")[1] for name in ["dora", "emre"]}
        self.open_as(addresses["dora"])
        wait_for(lambda: self.views() == ["This phone", "History"], "the member's views")
        frame = next(iter(frames(2, 50, turning(80), time.time() - 60)))
        text = frame if isinstance(frame, str) else json.dumps(frame)
        self.browser.run("""
            const open = indexedDB.open('stridebus-outbox-dora', 1)
            open.onsuccess = () => open.result.transaction('frames', 'readwrite').objectStore('frames').add(
                { topic: 'dora/imu', text: arguments[0] }).onsuccess = () => document.body.dataset.kept = 'yes'""", text)
        wait_for(lambda: self.browser.run("return document.body.dataset.kept") == "yes", "the kept frame")
        self.open_as(addresses["emre"])
        wait_for(lambda: self.views() == ["This phone", "History"], "the other one's views")
        wait_for(lambda: "It counts as emre" in (self.browser.text(".phone") or ""), "the other one's phone")
        self.open_as(addresses["dora"])
        wait_for(lambda: self.client.heard.get("stride/dora/imu"), "the kept frame on the bus")

    def test_the_wall_shows_who_moves_turns_its_pages_and_how_to_join(self):
        _, address = self.bus.add("screen", "--viewer")
        # Carla has no alias, and what she wears moves all the same; Dora has one, and rides.
        self.bus.add("carla", "--member")
        self.client.publish("request/people/checkin", {"person": "Dora", "device": "bike-2"})
        self.client.publish("request/people/configure", {"person": "Dora", "alias": "Champion"})
        # Nine bikes fill a screen, and the code is still on it.
        bikes = [f"bike-{number}" for number in range(1, 10)]
        for device in ("carla", *bikes):
            for frame in frames(10, 50, turning(80), time.time() - 10):
                self.client.publish(f"{device}/imu", frame)
        wait_for(lambda: self.client.heard.get("stride/bike-1/day") and self.client.heard.get("stride/carla/day"), "the days")
        self.open_as(address)
        wait_for(lambda: self.views() == ["Floor"], "the wall's view")
        for device in ("carla", "bike-1"):
            self.say(device, 80)
        wait_for(lambda: self.card("bike-1", ".value") == "80", "the bike")
        wait_for(lambda: self.card("bike-2", ".card-name") == "Champion", "who has an alias")
        self.assertEqual(self.browser.find('[data-device="carla"]'), [])
        self.assertIn(" turns today", self.card("bike-1", ".today"))
        code = wait_for(lambda: self.browser.find(".join .code path"), "the code")
        self.assertGreater(len(code[0].get_attribute("d")), 1000)
        self.assertIn("/trust", self.browser.text(".join-address"))
        wait_for(lambda: all(self.browser.find(f'[data-device="{bike}"]') for bike in bikes), "the bikes")
        for width, height, size in ((3840, 2160, "36px"), (1920, 1080, "18px")):
            self.browser.size(width, height)
            wait_for(lambda: self.browser.run("return getComputedStyle(document.documentElement).fontSize") == size, f"letters of {size}")
        for width, height in ((1920, 1080), (1080, 1920), (1280, 720)):
            self.browser.size(width, height)
            wait_for(lambda: self.browser.run("""const { bottom } = document.querySelector('.join .code').getBoundingClientRect()
                return bottom <= innerHeight && document.documentElement.scrollHeight <= innerHeight"""), f"the code on {width}x{height}")
        self.browser.size(1600, 1000)
        self.client.publish("request/people/configure", {"person": "Dora", "alias": ""})
        wait_for(lambda: self.card("bike-2", ".card-name") == "bike-2", "who took the alias away")
        # Who moved before the wall had a name to show has the colour of the others.
        def moves():
            self.say("carla", 80)
            return self.browser.run("""const canvas = document.querySelector('[data-device="carla"] canvas')
                // A card that has just come has no size yet.
                if (!canvas?.width || !canvas.height) return false
                const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
                return data.some((alpha, i) => i % 4 === 3 && alpha > 200 && data[i - 1] > data[i - 3] + 60)""")
        wait_for(lambda: [moves() for _ in range(5)] == [False] * 5, "a device that nobody sees")
        self.client.publish("request/people/configure", {"person": "carla", "alias": "Carlotta"})
        wait_for(moves, "the line in its colour")
        # After a reboot it is still logged in.
        self.browser.open(self.bus.url)
        wait_for(lambda: self.browser.text(".link") == "Live", "the connection")
        wait_for(lambda: self.views() == ["Floor"], "the wall's view")

    def test_a_login_is_kept_for_the_tab_or_for_good_and_given_up(self):
        self.browser.open(self.bus.url)
        self.browser.run("localStorage.clear(); sessionStorage.clear()")
        self.browser.open(self.bus.url)
        self.log_in("boss", self.password)
        wait_for(lambda: self.browser.text(".link") == "Live", "the connection")
        self.assertIsNone(self.browser.run("return localStorage.getItem('stridebus-login')"))
        wait_for(lambda: "Workbench" in self.views(), "the operator's views")
        self.browser.find(".menu summary")[0].click()
        self.browser.click("Log out")
        wait_for(lambda: self.browser.find("dialog[open]"), "the question")
        # A page without a login is refused as anybody else is, and that is noted.
        told = lambda: [json.loads(payload) for _, topic, payload in list(self.client.log) if topic == "stride/service/history/audit"]
        wait_for(lambda: [entry for entry in told() if entry["did"] == "login" and "a browser" in entry["addresses"]], "the line")

    def test_a_question_that_was_closed_can_be_asked_again(self):
        self.browser.open(self.bus.url)
        self.browser.run("localStorage.clear(); sessionStorage.clear()")
        self.browser.open(self.bus.url)
        wait_for(lambda: self.browser.find("dialog[open]"), "the question")
        self.browser.run("document.querySelector('dialog').dispatchEvent(new Event('cancel')); document.querySelector('dialog').close()")
        wait_for(lambda: "before you log in" in (self.browser.text(".banner") or ""), "the words")
        # The page looks once a second whether it has to ask.
        self.browser.settle(1.5)
        self.assertEqual(self.browser.find("dialog[open]"), [])
        self.browser.click("Log in")
        wait_for(lambda: self.browser.find("dialog[open]"), "the question")

    def test_it_opens_without_a_network_once_it_was_there(self):
        self.open_as(self.address)
        wait_for(lambda: self.browser.run("return navigator.serviceWorker.controller !== null"), "the worker")
        self.browser.command("Network.enable")
        self.browser.command("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        try:
            self.browser.open(self.bus.url)
            wait_for(lambda: self.browser.text("h1") == "stridebus", "the page")
        finally:
            self.browser.command("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
