"""Runs the tests of the page: the classes beside each other, each with a browser, on one broker and one set of services."""

import os
import subprocess
import sys
import tempfile
import threading
import time

from bench import WHOLE, Broker, Client, Program, wait_for

# What waits longest begins first; WIDTH of them run at a time.
CLASSES = ["gym_tests", "class_tests", "workout_tests", "history_tests.LateTests", "phone_tests.SessionTests", "page_tests.FrameTests",
           "phone_tests.NetworkTests", "history_tests.QueryTests", "page_tests.ReaderTests", "floor_tests.CardTests",
           "workbench_tests", "phone_tests.SensorTests"]
WIDTH = 7
# They measure how soon and with how much work the page shows what comes, so nothing else runs beside them.
ALONE = ["smooth_tests", "floor_tests.GymTests"]


class Run(threading.Thread):
    """One process of tests; beside others its output is printed when it has ended."""

    places = threading.Semaphore(WIDTH)

    def __init__(self, names, is_alone=False):
        super().__init__()
        self.names, self.is_alone, self.is_good = names, is_alone, False
        self.start()

    def run(self):
        with self.places:
            self.run_tests()

    def run_tests(self):
        start = time.monotonic()
        result = subprocess.run([sys.executable, "-m", "unittest", "--verbose", *self.names],
                                stdout=None if self.is_alone else subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.is_good = result.returncode == 0
        print(f"== {' '.join(self.names)}: {time.monotonic() - start:.1f} s\n{result.stdout or ''}", flush=True)


def run(names):
    """Whether all tests pass: those named, or all."""
    if names:
        runs = [Run(names, is_alone=True)]
    else:
        runs = [Run([name]) for name in CLASSES]
    for each in runs:
        each.join()
    if WHOLE and not names:
        runs.append(Run(ALONE, is_alone=True))
        runs[-1].join()
    return all(each.is_good for each in runs)


start = time.monotonic()
broker = Broker()
client = Client(broker)
with tempfile.TemporaryDirectory() as data:
    services = Program(broker, "up", "--data", data, "--log-level", "warning")
    try:
        wait_for(lambda: client.heard.get("stride/service/history/status") == b"online", "history")
        os.environ.update(BUS_PORT=str(broker.port), BUS_WEB_PORT=str(broker.web_port))
        is_good = run(sys.argv[1:])
    finally:
        services.close()
        client.close()
        broker.close()
print(f"page: {'passed' if is_good else 'FAILED'} in {time.monotonic() - start:.1f} s")
sys.exit(0 if is_good else 1)
