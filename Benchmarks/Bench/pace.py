#!/usr/bin/env python3
"""Lets many devices train at their own pace on one machine with one Mosquitto, and says what that takes. Groups of devices train in turn, each device with a frame of 50 samples a second, from now on.

Usage: Benchmarks/Bench/pace.py --programs DIR --devices 20000 [--at-once 5000] [--seconds 20] [--report PATH]
DIR has stridebus, benchframes and benchbus.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from bench import Bench, Failure, cadence_latency, usage_of

# How long nothing happens before the first group and after the last: states and rows are written within ten seconds.
REST_SECONDS = 15
# How long cadence is listened to, after the rest and on a bus of its own.
LATENCY_SECONDS = 20
BASES = 32
# The first sample of the first frame is so old when it is sent: a frame is sent when it is whole.
LEAD_SECONDS = 2


@dataclass
class Gym:
    """So many devices, of which `at_once` train at a time for `seconds`."""

    devices: int
    at_once: int
    seconds: int

    @property
    def groups(self) -> int:
        return self.devices // self.at_once

    @property
    def frames(self) -> int:
        return self.groups * self.at_once * self.seconds


def train(bench: Bench, port: str, gym: Gym) -> None:
    """Group after group; the frames of each are of now."""
    for group in range(gym.groups):
        path, lowest = bench.path("frames"), str(group * gym.at_once)
        subprocess.run(
            [bench.program("benchframes"), path, "--bases", str(BASES), "--frames", str(gym.seconds), "--seed",
             str(1 + group * BASES), f"--age={LEAD_SECONDS - gym.seconds}"],
            check=True, capture_output=True)
        bench.bus("configure", port, path, str(gym.at_once), lowest)
        bench.bus("feed", port, path, str(gym.at_once), "0", str(gym.seconds), str(gym.at_once), lowest)
        os.remove(path)


def health(port: str, service: str) -> dict:
    """What a service last said of itself."""
    said = subprocess.run(
        ["mosquitto_sub", "-p", port, "-t", f"stride/service/{service}/#", "-F", "%t %p", "-W", "6"],
        capture_output=True, text=True).stdout
    lines = [line.split(" ", 1) for line in said.splitlines() if line.split(" ", 1)[0].endswith("/health")]
    return json.loads(lines[-1][1]) if lines else {}


def measure(bench: Bench, gym: Gym) -> dict:
    broker, port = bench.broker()
    processes = {**bench.services(port, bench.path("data")), "mosquitto": broker}
    read = lambda: {name: usage_of(process.pid) for name, process in processes.items()}
    time.sleep(REST_SECONDS)
    start, began = read(), time.monotonic()
    time.sleep(REST_SECONDS)
    before = read()
    idle = {name: (before[name].cpu_s - start[name].cpu_s) / (time.monotonic() - began) for name in processes}
    began = time.monotonic()
    train(bench, port, gym)
    trained = time.monotonic() - began
    # The counter's word comes each five seconds.
    deadline = time.monotonic() + 120
    while (said := health(port, "counter")).get("accepted", 0) < gym.frames and time.monotonic() < deadline:
        time.sleep(1)
    time.sleep(REST_SECONDS)
    after, took = read(), time.monotonic() - began
    if said.get("accepted", 0) < gym.frames:
        raise Failure(f"the counter took {said.get('accepted')} of {gym.frames} frames: {said}")
    cost = {name: (after[name].cpu_s - before[name].cpu_s - idle[name] * took) / gym.frames * 1e6 for name in processes}
    return {
        "devices": gym.devices, "at_once": gym.at_once, "frames": gym.frames, "frames_a_second": round(gym.frames / trained),
        "seconds": round(took, 1),
        "cpu_s_a_million": {name: round(value, 1) for name, value in cost.items()},
        "idle_cores": {name: round(value, 3) for name, value in idle.items()},
        "peak_mb": {name: round(after[name].peak_mb, 1) for name in processes},
        "written_a_frame": {
            name: round((after[name].written - before[name].written) / gym.frames) for name in processes},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--devices", type=int, default=20_000)
    parser.add_argument("--at-once", type=int, default=5_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--report", help="where the figures are written, without .json")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="stridebus-pace-", dir=os.environ.get("STRIDEBUS_BENCH_FOLDER", "/var/tmp"))
    bench = Bench(arguments.programs, folder)
    try:
        gym = Gym(arguments.devices, arguments.at_once, arguments.seconds)
        said = measure(bench, gym)
        said["cadence"] = cadence_latency(bench, gym.at_once, gym.at_once, LATENCY_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)
    except Failure as failure:
        print(f"FAILED: {failure}; the files are in {folder}", file=sys.stderr)
        return 1
    finally:
        bench.end_all()
    print(json.dumps(said, indent=1))
    if arguments.report:
        with open(f"{arguments.report}.json", "w") as file:
            json.dump(said, file, indent=1)
    return 0


if __name__ == "__main__":
    # From a supervisor it ends as from a terminal.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
