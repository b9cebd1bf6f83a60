#!/usr/bin/env python3
"""Says where the three services and the broker spend their time while frames come as fast as they are taken, or at a gym's pace: the ten largest functions of each, by perf's samples.

Usage: Benchmarks/Bench/profile.py --programs DIR [--devices 1000] [--frames 300] [--rate 0] [--report PATH]
DIR has stridebus, benchframes and benchbus; perf is Debian's linux-perf.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from bench import Bench, Case, Failure, Frames, usage_of

# Samples a second of CPU time, of which each is a stack of one function: an odd number, so that no timer beats with it.
SAMPLES_HZ = 997
LARGEST = 10
# How long after the last frame the services are looked at, in seconds: rows and states are written.
REST_SECONDS = 6


def shares(path: str, process: int) -> list[tuple[float, str]]:
    """The largest functions of a process, in percent of its samples."""
    report = subprocess.run(
        ["perf", "report", "-i", path, "--stdio", "--no-children", "--pid", str(process), "-g", "none",
         "--percentage", "relative", "-F", "overhead,dso,symbol"],
        capture_output=True, text=True).stdout
    found = []
    for line in report.splitlines():
        match = re.match(r"\s+([\d.]+)%\s+(\S+)\s+\[[.k]\]\s+(.*\S)", line)
        if match:
            found.append((float(match[1]), short(match[3], match[2])))
    return found[:LARGEST]


def short(symbol: str, program: str) -> str:
    """A function's name without the types of its parameters."""
    if symbol.startswith("$s"):
        symbol = subprocess.run(["swift", "demangle", "--compact", "--simplified", symbol], capture_output=True, text=True).stdout.strip()
    name = re.sub(r"^(?:\w+ )*?(?:specialized |closure #\d+ in )", "", symbol).split("(")[0].strip() or symbol
    return f"{name} ({program})" if program != "stridebus" else name


def profile(bench: Bench, case: Case, rate: float) -> tuple[dict, dict]:
    frames = Frames(bench, case)
    broker, port = bench.broker()
    processes = {**bench.services(port, bench.path("data")), "mosquitto": broker}
    bench.bus("configure", port, frames.path, str(case.devices))
    before = {name: usage_of(process.pid).cpu_s for name, process in processes.items()}
    path = bench.path("perf.data")
    recorder = bench.start(
        "perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_HZ), "-o", path, "-p",
        ",".join(str(process.pid) for process in processes.values()), stderr=subprocess.DEVNULL)
    time.sleep(1)
    bench.bus("feed", port, frames.path, str(case.devices), "0", str(case.frames), f"{rate:g}")
    time.sleep(REST_SECONDS)
    spent = {name: usage_of(process.pid).cpu_s - before[name] for name, process in processes.items()}
    recorder.send_signal(signal.SIGINT)
    recorder.wait(60)
    return {name: shares(path, process.pid) for name, process in processes.items()}, spent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--devices", type=int, default=1_000)
    parser.add_argument("--frames", type=int, default=300, help="of each device")
    parser.add_argument("--rate", type=float, default=0, help="frames a second of all; 0: as fast as they are taken")
    parser.add_argument("--report", help="where the tables are written, without .md")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="stridebus-profile-", dir=os.environ.get("STRIDEBUS_BENCH_FOLDER", "/var/tmp"))
    bench = Bench(arguments.programs, folder)
    try:
        case = Case("json", arguments.devices, arguments.frames, 1)
        found, spent = profile(bench, case, arguments.rate)
    except Failure as failure:
        print(f"FAILED: {failure}; the files are in {folder}", file=sys.stderr)
        return 1
    finally:
        bench.end_all()
    shutil.rmtree(folder, ignore_errors=True)
    lines = [f"{case.count:,} JSON frames of {case.devices:,} devices; CPU in µs a frame.", ""]
    for name, functions in found.items():
        lines += [f"**{name}**, {spent[name] / case.count * 1e6:.1f} µs", "", "| share | function |", "|---:|---|"]
        lines += [f"| {share:.1f} % | `{function}` |" for share, function in functions] + [""]
    text = "\n".join(lines)
    print(text)
    if arguments.report:
        with open(f"{arguments.report}.md", "w") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    # From a supervisor it ends as from a terminal.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
