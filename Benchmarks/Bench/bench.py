#!/usr/bin/env python3
"""Measures the whole of stridebus beside others that get the same frames from the same kind of broker.

Every run has a fresh Mosquitto, started as `stridebus up` starts its own. One after the other in each round there are a
subscriber in C that only receives (noop), the three services until history has published the last count, and the same job
as people write it in Python and node. A wrong total is a failed run. See --help, and deploy/bench, which builds all of it.
"""
import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
SERVICES = ("ingest", "counter", "history")
# How long a run may take until every frame has been counted, in seconds.
PATIENCE_SECONDS = 900
# How long the services may take to come up, in seconds.
START_SECONDS = 120
CLOCK_HZ = os.sysconf("SC_CLK_TCK")
# Where Debian's mqtt.js is.
NODE_PATH = os.environ.get("NODE_PATH", "/usr/share/nodejs")


class Failure(Exception):
    """A run that did not do what it should; the text says what."""


@dataclass(frozen=True)
class Case:
    """What is sent: each of `devices` sends `frames` frames of `seconds`, in `form`."""

    form: str
    devices: int
    frames: int
    seconds: float

    @property
    def count(self) -> int:
        return self.devices * self.frames

    @property
    def name(self) -> str:
        return f"{self.form}, {self.devices:,} devices, {self.seconds:g} s"


@dataclass
class Usage:
    """What a process took: CPU seconds, most resident memory in MB, bytes that went to the disk."""

    cpu_s: float = 0
    peak_mb: float = 0
    written: int = 0


@dataclass
class Run:
    """One measurement of one contender."""

    frames: int
    frames_per_s: float
    usage: dict[str, Usage] = field(default_factory=dict)


# Processes


def usage_of(pid: int) -> Usage:
    """What the kernel says of a living process and its children (proc(5))."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    usage = Usage(cpu_s=(int(fields[11]) + int(fields[12])) / CLOCK_HZ)
    with open(f"/proc/{pid}/status") as file:
        usage.peak_mb = next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM:"))
    with contextlib.suppress(OSError), open(f"/proc/{pid}/io") as file:
        usage.written = next(int(line.split()[1]) for line in file if line.startswith("write_bytes:"))
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children") as file:
        for child in file.read().split():
            with contextlib.suppress(OSError, StopIteration):
                of_child = usage_of(int(child))
                usage.cpu_s += of_child.cpu_s
                usage.peak_mb += of_child.peak_mb
                usage.written += of_child.written
    return usage


def end(process: subprocess.Popen) -> None:
    """Ends a process that was started here."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Bench:
    """The programs, a folder for this run, and what is alive."""

    def __init__(self, programs: str, folder: str):
        self.programs = programs
        self.folder = folder
        self.living: list[subprocess.Popen] = []
        self.number = 0

    def path(self, name: str) -> str:
        self.number += 1
        return os.path.join(self.folder, f"{self.number}-{name}")

    def program(self, name: str) -> str:
        return os.path.join(self.programs, name)

    def start(self, *command: str, **options) -> subprocess.Popen:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, **options)
        self.living.append(process)
        return process

    def end_all(self) -> None:
        for process in reversed(self.living):
            end(process)
        self.living.clear()

    def broker(self) -> tuple[subprocess.Popen, str]:
        """A Mosquitto of its own, with the limits of the private broker of `stridebus up` but for a queue without end:
        whoever is slow must not lose frames."""
        port = free_port()
        lines = [
            f"listener {port} 127.0.0.1", "allow_anonymous true", "max_queued_messages 0", "max_queued_bytes 0",
            "max_inflight_messages 0", "connection_messages false", "log_type error", "set_tcp_nodelay true",
        ]  # fmt: skip
        if os.geteuid() == 0:
            lines.append("user root")
        path = self.path("mosquitto.conf")
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        process = self.start("mosquitto", "-c", path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return process, str(port)
            time.sleep(0.02)
        raise Failure("mosquitto did not start")

    def bus(self, *words: str) -> dict:
        """Runs benchbus to its end and returns what it says."""
        result = subprocess.run([self.program("benchbus"), *words], capture_output=True, text=True)
        if result.returncode != 0:
            raise Failure(result.stderr.strip())
        return json.loads(result.stdout)

    def begin(self, *command: str, environment: dict[str, str] | None = None) -> subprocess.Popen:
        """Starts something that says `ready` on its standard error when it has subscribed, and one line at its end."""
        process = self.start(
            *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        said = process.stderr.readline()
        if said.strip() != "ready":
            raise Failure(f"{command[0]}: {said}{process.stderr.read()}")
        return process

    def services(self, port: str, data: str, names=SERVICES) -> dict[str, subprocess.Popen]:
        """Starts services and waits until each says that it is online."""
        processes = {}
        for name in names:
            log = open(self.path(f"{name}.log"), "w")
            processes[name] = self.start(
                self.program("stridebus"), name, "--broker", f"mqtt://127.0.0.1:{port}", "--data",
                os.path.join(data, name), stdout=log, stderr=log, env=clean_environment())
        self.wait_online(port, set(names), processes)
        return processes

    def wait_online(self, port: str, names: set[str], processes: dict[str, subprocess.Popen]) -> None:
        deadline = time.monotonic() + START_SECONDS
        online: set[str] = set()
        while not names <= online:
            if time.monotonic() > deadline:
                raise Failure(f"not online after {START_SECONDS} s: {names - online}")
            for name, process in processes.items():
                if process.poll() is not None:
                    raise Failure(f"{name} ended; its log is in {self.folder}")
            said = subprocess.run(
                ["mosquitto_sub", "-p", port, "-t", "stride/service/+/status", "-F", "%t %p", "-W", "1"],
                capture_output=True, text=True).stdout
            online = {line.split()[0].split("/")[2] for line in said.splitlines() if "online" in line.split()[1]}


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("STRIDEBUS_")}


# Frames


class Frames:
    """The file of a case's frames, and what they count to."""

    BASES = 32

    def __init__(self, bench: Bench, case: Case):
        self.case = case
        self.path = bench.path("frames")
        self.bases = min(self.BASES, case.devices)
        result = subprocess.run(
            [bench.program("benchframes"), self.path, "--form", case.form, "--bases", str(self.bases), "--frames",
             str(case.frames), "--seconds", str(case.seconds)],
            capture_output=True, text=True)
        if result.returncode != 0:
            raise Failure(result.stderr.strip())
        totals = [json.loads(line) for line in result.stdout.splitlines()]
        self.steps = sum(totals[device % self.bases]["steps"] for device in range(case.devices))
        self.revolutions = sum(totals[device % self.bases]["revolutions"] for device in range(case.devices))
        self.bytes = os.path.getsize(self.path) / (self.bases * case.frames)

    def remove(self) -> None:
        os.remove(self.path)


def feed(bench: Bench, port: str, frames: Frames, count: int) -> dict:
    """Sends the first `count` frames of every device."""
    return bench.bus("feed", port, frames.path, str(frames.case.devices), "0", str(count), "0")


# Contenders


def run_receiver(bench: Bench, frames: Frames, command: list[str], environment=None, part: int = 1) -> Run:
    """A subscriber that counts messages to the last one and says when it was done. It gets one frame of `part`."""
    count = max(frames.case.frames // part, 1)
    total = frames.case.devices * count
    broker, port = bench.broker()
    words = [{"PORT": port, "FRAMES": str(total)}.get(word, word) for word in command]
    receiver = bench.begin(*words, environment=environment)
    before = usage_of(broker.pid)
    fed = feed(bench, port, frames, count)
    said, usage = finish(receiver)
    if said["received"] != total:
        raise Failure(f"{command[0]} received {said['received']} of {total} frames")
    broker_usage = usage_of(broker.pid)
    broker_usage.cpu_s -= before.cpu_s
    return Run(total, total / (said["end"] - fed["start"]), {"program": usage, "broker": broker_usage})


def finish(process: subprocess.Popen) -> tuple[dict, Usage]:
    """The last words of a process, and what it took."""
    usage = Usage()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        # Looked at while it lives, because what its children took and wrote is told at no other time.
        with contextlib.suppress(OSError, StopIteration, IndexError):
            usage = usage_of(process.pid)
        identifier, status, resources = os.wait4(process.pid, os.WNOHANG)
        if identifier:
            break
        if time.monotonic() > deadline:
            raise Failure("not done in time")
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    usage.cpu_s = max(usage.cpu_s, resources.ru_utime + resources.ru_stime)
    usage.peak_mb = max(usage.peak_mb, resources.ru_maxrss / 1024)
    line = process.stdout.read()
    if not line:
        raise Failure(process.stderr.read())
    return json.loads(line), usage


def run_noop(bench: Bench, frames: Frames) -> Run:
    return run_receiver(bench, frames, [bench.program("benchbus"), "noop", "PORT", "FRAMES"])


def run_python(bench: Bench, frames: Frames, *options: str) -> Run:
    command = [sys.executable, f"{HERE}/pipeline.py", "PORT", bench.path("python.db"), "FRAMES", *options]
    return run_receiver(bench, frames, command)


def run_node(bench: Bench, frames: Frames, *options: str, part: int = 1) -> Run:
    command = ["node", f"{HERE}/pipeline.js", "PORT", bench.path("node.db"), "FRAMES", *options]
    return run_receiver(bench, frames, command, {"NODE_PATH": NODE_PATH}, part)


def run_stridebus(bench: Bench, frames: Frames) -> Run:
    """The three services, from the first frame to the last count that history has committed and published."""
    case = frames.case
    broker, port = bench.broker()
    data = bench.path("data")
    processes = bench.services(port, data)
    bench.bus("configure", port, frames.path, str(case.devices))
    totals = bench.begin(
        bench.program("benchbus"), "totals", port, str(case.devices), str(frames.steps), str(frames.revolutions),
        str(PATIENCE_SECONDS))
    before = {name: usage_of(process.pid) for name, process in {**processes, "broker": broker}.items()}
    fed = feed(bench, port, frames, case.frames)
    said, _ = finish(totals)
    usage = {}
    for name, process in {**processes, "broker": broker}.items():
        usage[name] = usage_of(process.pid)
        usage[name].cpu_s -= before[name].cpu_s
        usage[name].written -= before[name].written
    if (said["steps"], said["revolutions"]) != (frames.steps, frames.revolutions):
        raise Failure(
            f"wrong total: {said['steps']} steps and {said['revolutions']} revolutions, not {frames.steps} and "
            f"{frames.revolutions} ({case.name})")
    bench.end_all()
    shutil.rmtree(data, ignore_errors=True)
    return Run(case.count, case.count / (said["end"] - fed["start"]), usage)


CONTENDERS = {
    "noop": run_noop, "stridebus": run_stridebus, "python": run_python, "node": run_node,
    "python, durable": lambda bench, frames: run_python(bench, frames, "durable"),
    # A transaction a frame takes its time.
    "node, durable": lambda bench, frames: run_node(bench, frames, "durable", part=30),
}  # fmt: skip


def missing(name: str) -> str | None:
    """Why a contender cannot run here."""
    if name.startswith("python") and subprocess.run(
            [sys.executable, "-c", "import numpy, paho.mqtt.enums"], capture_output=True).returncode:
        return "numpy or paho-mqtt 2 is missing"
    if name.startswith("node") and subprocess.run(
            ["node", "-e", "require('mqtt')"], capture_output=True,
            env={**os.environ, "NODE_PATH": NODE_PATH}).returncode:
        return "node or node-mqtt is missing"
    return None


# What is measured


def throughput(bench: Bench, case: Case, rounds: int, names: list[str]) -> dict:
    """All contenders of a case in turn, round after round."""
    frames = Frames(bench, case)
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for number in range(rounds):
        # Each round begins with another one.
        for name in names[number % len(names):] + names[:number % len(names)]:
            try:
                runs[name].append(CONTENDERS[name](bench, frames))
            finally:
                bench.end_all()
            print(f"{case.name}: {name} {runs[name][-1].frames_per_s:,.0f} frames/s", file=sys.stderr, flush=True)
    result = {"case": case.name, "form": case.form, "devices": case.devices, "frame_s": case.seconds,
              "frames": case.count, "bytes_a_frame": round(frames.bytes, 1), "contenders": {}}
    for name, list_of_runs in runs.items():
        result["contenders"][name] = summary(list_of_runs)
    frames.remove()
    return result


def summary(runs: list[Run]) -> dict:
    speeds = [run.frames_per_s for run in runs]
    million = runs[0].frames / 1e6
    usages = {process: [run.usage[process] for run in runs] for process in runs[0].usage}
    ours = [process for process in usages if process != "broker"]
    return {
        "frames_per_s": round(statistics.median(speeds)), "least": round(min(speeds)), "most": round(max(speeds)),
        "cpu_s_a_million": {
            process: round(statistics.median(usage.cpu_s for usage in list_of) / million, 2)
            for process, list_of in usages.items()},
        "peak_mb": {
            process: round(max(usage.peak_mb for usage in list_of), 1) for process, list_of in usages.items()},
        "written_a_frame": round(
            statistics.median(sum(run.usage[name].written for name in ours) for run in runs) / runs[0].frames),
    }  # fmt: skip


def cadence_latency(bench: Bench, devices: int, rate: float, seconds: int) -> dict:
    """From the publish of a frame to the cadence event that it makes, at so many frames a second."""
    count = max(int(rate * seconds / devices), 12)
    frames = Frames(bench, Case("json", devices, count + 8, 1))
    _, port = bench.broker()
    try:
        bench.services(port, bench.path("data"))
        bench.bus("configure", port, frames.path, str(devices))
        said = bench.bus("latency", port, frames.path, str(devices), "0", str(count), f"{rate:.1f}")
    finally:
        bench.end_all()
    frames.remove()
    return {name: said[name] for name in ("events", "p50_ms", "p99_ms", "p999_ms")}


def latency(bench: Bench, capacity: float, seconds: int) -> list[dict]:
    """The same of 1,000 devices, at shares of the capacity."""
    rows = []
    for share in (0.25, 0.5, 0.75):
        rate = capacity * share
        said = cadence_latency(bench, 1000, rate, seconds)
        rows.append({"share": share, "frames_per_s": round(rate), **said})
        print(f"latency at {share:.0%}: p99 {said['p99_ms']:.1f} ms", file=sys.stderr, flush=True)
    return rows


def start_seconds(bench: Bench, rounds: int) -> dict:
    """From the start of `stridebus up` to the first message that it has handled and answered."""
    times = []
    for _ in range(rounds):
        port = str(free_port())
        begin = time.monotonic()
        bench.start(
            bench.program("stridebus"), "up", "--port", port, "--data", bench.path("data"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment())
        try:
            said = bench.bus("first", port, str(START_SECONDS))
        finally:
            bench.end_all()
        if said["end"] == 0:
            raise Failure("stridebus up answered nothing")
        times.append(said["end"] - begin)
    return {"median_s": round(statistics.median(times), 3), "most_s": round(max(times), 3)}


def after_kill(bench: Bench, devices: int) -> dict:
    """How soon the counter of so many devices counts again after kill -9, and what memory the services take. One of them
    is the device that asks: more than 100,000 are refused."""
    frames = Frames(bench, Case("json", devices, 40, 1))
    broker, port = bench.broker()
    data = bench.path("data")
    try:
        processes = bench.services(port, data)
        bench.bus("feed", port, frames.path, str(devices - 1), "0", "3", "0")
        quiet = 0.0
        while quiet < 3:
            before = sum(usage_of(process.pid).cpu_s for process in processes.values())
            time.sleep(1)
            after = sum(usage_of(process.pid).cpu_s for process in processes.values())
            quiet = quiet + 1 if after - before < 0.2 else 0
        memory = {name: round(usage_of(process.pid).peak_mb, 1) for name, process in processes.items()}
        processes["counter"].send_signal(signal.SIGKILL)
        processes["counter"].wait()
        begin = time.monotonic()
        bench.start(
            bench.program("stridebus"), "counter", "--broker", f"mqtt://127.0.0.1:{port}", "--data",
            os.path.join(data, "counter"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=clean_environment())
        said = bench.bus("first", port, str(START_SECONDS))
    finally:
        bench.end_all()
    frames.remove()
    if said["end"] == 0:
        raise Failure("the counter did not count again")
    return {"devices": devices, "counting_again_s": round(said["end"] - begin, 3), "peak_mb": memory}


def allocations(bench: Bench) -> list[str]:
    """Asks motionbench how often a sample asks for memory: it must be never. Returns what is wrong."""
    wrong = []
    for name in ("walk", "ride"):
        said = subprocess.run([bench.program("motionbench"), name, "50", "6"], capture_output=True, text=True).stdout
        lines = said.splitlines()[1:]
        wrong += [f"a sample asks for memory: {line}" for line in lines if line.split()[-2] not in ("0.0", "known")]
        if not lines:
            wrong.append(f"motionbench has nothing named {name}")
    return wrong


# Reports


def machine() -> dict:
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return {"date": time.strftime("%Y-%m-%d %H:%M", time.gmtime()), "commit": commit.stdout.strip(), "cpu": model,
            "cores": os.cpu_count(), "system": platform.platform(), "load": round(os.getloadavg()[0], 1)}


def markdown(report: dict) -> str:
    of = report["machine"]
    lines = [
        "# Bench", "",
        f"{of['date']} UTC, commit {of['commit']}, {of['cores']} cores of {of['cpu']}, load {of['load']} at the start. "
        f"Medians of {report['rounds']} rounds, least and most in brackets. Publisher, broker and what is measured share "
        "the machine. *Durable* is acknowledged after the commit, as stridebus does. Made by `deploy/bench`.", "",
        "| frames | contender | frames/s | share of noop | CPU s a million frames | broker's | peak MB | bytes written a frame |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for case in report["throughput"]:
        floor = case["contenders"].get("noop", {}).get("frames_per_s")
        for name, row in case["contenders"].items():
            cpu = {process: value for process, value in row["cpu_s_a_million"].items() if process != "broker"}
            parts = f" ({', '.join(f'{process} {value}' for process, value in cpu.items())})" if len(cpu) > 1 else ""
            memory = sum(value for process, value in row["peak_mb"].items() if process != "broker")
            lines.append(
                f"| {case['case']} | {name} | {row['frames_per_s']:,} ({row['least']:,}–{row['most']:,}) | "
                f"{row['frames_per_s'] / floor if floor else 0:.2f} | {sum(cpu.values()):.1f}{parts} | "
                f"{row['cpu_s_a_million']['broker']} | {memory:.0f} | {row['written_a_frame']} |")
    if report.get("latency"):
        lines += ["", "| load | frames/s | publish → cadence event, p50 | p99 | p99.9 | events |",
                  "|---:|---:|---:|---:|---:|---:|"]
        for row in report["latency"]:
            lines.append(f"| {row['share']:.0%} | {row['frames_per_s']:,} | {row['p50_ms']:.1f} ms | {row['p99_ms']:.1f} ms | "
                         f"{row['p999_ms']:.1f} ms | {row['events']:,} |")
    if report.get("start"):
        lines += ["", f"`stridebus up` to the first message handled: {report['start']['median_s']} s (most "
                  f"{report['start']['most_s']} s)."]
    if report.get("kill"):
        kill = report["kill"]
        memory = ", ".join(f"{name} {value} MB" for name, value in kill["peak_mb"].items())
        lines += ["", f"The counter of {kill['devices']:,} devices counts again {kill['counting_again_s']} s after "
                  f"kill -9; peak memory {memory}."]
    lines += aims(report)
    for name, reason in report["missing"].items():
        lines += ["", f"{name} was not measured: {reason}."]
    return "\n".join(lines) + "\n"


def aims(report: dict) -> list[str]:
    """The figures that stridebus wants to reach, beside those measured; nothing where a part of the bench was left out."""
    cases = {(case["form"], case["devices"], case["frame_s"]): case["contenders"] for case in report["throughput"]}
    if ("json", 1000, 1) not in cases or not all(report.get(part) for part in ("latency", "start", "kill")):
        return []
    speed = lambda form, devices, name: cases.get((form, devices, 1), {}).get(name, {}).get("frames_per_s")
    ratio = lambda one, other, digits=2: f"{one / other:.{digits}f}" if one and other else "not measured"
    share = lambda form: ratio(speed(form, 1000, "stridebus"), speed(form, 1000, "noop"))
    against = lambda name: ratio(speed("json", 1000, "stridebus"), speed("json", 1000, name), 1)
    ours = cases["json", 1000, 1]["stridebus"]
    cpu = sum(value for process, value in ours["cpu_s_a_million"].items() if process != "broker")
    half = next(line for line in report["latency"] if line["share"] == 0.5)
    memory = report["kill"]["peak_mb"]
    rows = [
        ("frames/s as a share of noop: JSON; protobuf", "0.70; 0.60", f"{share('json')}; {share('protobuf')}"),
        ("frames/s against others that acknowledge after the commit: Python; node", "4 times; 6 times",
         f"{against('python, durable')} times; {against('node, durable')} times"),
        ("frames/s against others that lose frames where they are killed: Python; node", "",
         f"{against('python')} times; {against('node')} times"),
        ("CPU a million JSON frames, the three services", "24 s", f"{cpu:.0f} s"),
        ("bytes written a frame", "1,500", f"{ours['written_a_frame']:,}"),
        ("publish to cadence event at half load: p99; p99.9", "20 ms; 100 ms", f"{half['p99_ms']:.0f} ms; {half['p999_ms']:.0f} ms"),
        (f"memory with {report['kill']['devices']:,} devices, the three services", "1,000 MB", f"{sum(memory.values()):,.0f} MB"),
        ("frames/s with 20,000 devices against 1,000", "0.90",
         ratio(speed("json", 20_000, "stridebus"), speed("json", 1000, "stridebus"))),
        (f"{report['kill']['devices']:,} devices counting again after a kill; start to first message", "2 s; 0.5 s",
         f"{report['kill']['counting_again_s']:.2f} s; {report['start']['median_s']:.2f} s"),
    ]  # fmt: skip
    return ["", "| what | aim | measured |", "|---|---|---|", *(f"| {what} | {aim} | {measured} |" for what, aim, measured in rows)]


def cases(quick: bool, usual_only: bool) -> list[Case]:
    if quick:
        return [Case("json", 200, 30, 1), Case("compact", 200, 30, 1), Case("protobuf", 200, 30, 1)]
    # Long enough that the last snapshot, up to 5 s after the last frame, is a small part.
    usual = [Case(form, 1000, 300, 1) for form in ("json", "compact", "protobuf")]
    if usual_only:
        return usual
    others = [Case("json", 10, 6000, 1), Case("protobuf", 10, 6000, 1), Case("json", 20_000, 30, 1),
              Case("protobuf", 20_000, 30, 1), Case("json", 1000, 300, 0.2), Case("protobuf", 1000, 300, 0.2)]
    return usual + others


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few frames, one round: only wrong totals and allocations fail it")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured")
    parser.add_argument("--usual", action="store_true", help="of the cases only 1,000 devices with frames of a second")
    parser.add_argument("--only", default="", help="only cases with this in their name; no latency, start and kill then")
    parser.add_argument("--programs", required=True, help="the folder of the built programs")
    parser.add_argument("--report", default="bench", help="writes PATH.md and PATH.json")
    arguments = parser.parse_args()
    rounds = 1 if arguments.quick else max(arguments.rounds, 1)
    absent = {name: reason for name in CONTENDERS if (reason := missing(name))}
    report = {"machine": machine(), "rounds": rounds, "missing": absent, "throughput": []}
    folder = tempfile.mkdtemp(prefix="stridebus-bench-", dir=os.environ.get("STRIDEBUS_BENCH_FOLDER", "/var/tmp"))
    bench = Bench(arguments.programs, folder)
    failures = []
    try:
        for case in cases(arguments.quick, arguments.usual):
            if arguments.only not in case.name:
                continue
            # Others are compared where frames are JSON, which is what they read.
            names = ["noop", "stridebus"]
            if case.form == "json":
                others = ["python", "node"]
                # Once, because a transaction a frame takes minutes.
                others += ["python, durable", "node, durable"] if case.devices == 1000 and case.seconds == 1 else []
                names += [name for name in others if name not in absent]
            try:
                report["throughput"].append(throughput(bench, case, rounds, names))
            except Failure as failure:
                failures.append(str(failure))
                print(f"FAILED {case.name}: {failure}", file=sys.stderr, flush=True)
        if arguments.quick:
            failures += allocations(bench)
        elif not arguments.only and report["throughput"]:
            capacity = report["throughput"][0]["contenders"]["stridebus"]["frames_per_s"]
            for name, measure in {"latency": lambda: latency(bench, capacity, 20), "start": lambda: start_seconds(bench, 5),
                                  "kill": lambda: after_kill(bench, 100_000)}.items():
                try:
                    report[name] = measure()
                except Failure as failure:
                    failures.append(f"{name}: {failure}")
    finally:
        bench.end_all()
        if not failures:
            shutil.rmtree(folder, ignore_errors=True)
    report["failures"] = failures
    with open(f"{arguments.report}.json", "w") as file:
        json.dump(report, file, indent=1)
    with open(f"{arguments.report}.md", "w") as file:
        file.write(markdown(report))
    print(markdown(report))
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
