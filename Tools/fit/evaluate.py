"""Counts with tables through `trials tables`, and says how far the counts are from the truth, by group."""

import csv
import os
import subprocess
import tempfile
from collections import defaultdict
from copy import copy
from pathlib import Path

import numpy as np

from data import device_of, fold_of, step_times


def count(trials, recordings, tables, runs):
    """(file, table, told) → steps, revolutions, of each second rpm, steps a minute and confidence in percent, and the times of
    steps, s; counted by the pipeline itself, two processes at once."""
    runs = sorted(set(runs), key=lambda run: (run[0].split("/")[:2], run[0], run[1:]))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tables").write_bytes(np.concatenate(tables or [np.zeros(0)]).astype("<f4").tobytes())
        files = sorted({run[0] for run in runs}, key=lambda f: (f.split("/")[:2], f))
        results, processes = {}, []
        for part in range(2):
            own = set(files[part::2])
            path = Path(folder, f"list{part}")
            path.write_text("".join(f"{f},{t},{told}\n" for f, t, told in runs if f in own))
            out = open(Path(folder, f"out{part}"), "w")
            processes.append(subprocess.Popen(
                ["nice", "-n", "10", trials, "tables", recordings, str(Path(folder, "tables")), str(path)],
                stdout=out))
        for process in processes:
            if process.wait():
                raise SystemExit("trials tables failed")
        for part in range(2):
            for line in open(Path(folder, f"out{part}")):
                file, table, told, steps, revolutions, seconds, times = line.rstrip("\n").split(",")
                results[file, int(table), int(told)] = (
                    int(steps), int(revolutions), np.array(seconds.replace(";", " ").split(), float).reshape(-1, 3),
                    np.array(times.split(";") if times else [], float))
    return results


# Groups by source, where the activity does not say them.
WALKS = {"oxford_opt": "phone", "mobgap": "back, lab", "harle_hand": "phone in the hand", "awinda_hand": "hand, stairs",
         "aos500": "phone, ten steps", "sensorwatch25": "wrist, magnitude alone"}
ZEROS = {"spar": "exercises", "st": "exercises", "ptex_arms": "exercises", "ptex_legs": "leg exercises",
         "wisdm": "hands", "sensorwatch25": "chores"}


class Truth:
    """What is known of a recording or a simulation, and the group that it is reported in."""

    def __init__(self, take, data, events=None):
        self.file, self.is_simulated = take.file, take.is_simulated
        self.fold, self.device, self.subject = fold_of(take), device_of(take), take.subject
        self.windows, self.steps, self.revolutions = [], None, None
        self.times = np.array(events) if events else None
        rows = take.rows
        self.minutes = max(rows.stop - rows.start, 1) * 0.4 / 60
        activity, source, place = take.activity, take.source, take.placement
        if take.is_simulated:
            self.minutes = 75 / 60
            leg = "legs" if place in ("pocket", "thigh", "ankle") else "body" if place != "wrist" else "wrist"
            if take.kind == "ride":
                self.group, self.steps, self.revolutions = f"sim ride {leg}", 0, len(events)
            elif take.kind in ("hand", "vehicle") or not events:
                self.group, self.steps = f"sim {take.kind if take.kind != 'walk' else 'stand'}", 0
            else:
                hard = take.activity in ("limp", "uneven", "bouts")
                self.group, self.steps = f"sim {'hard ' if hard else ''}walk {leg}", len(events)
            return
        row = data.index[take.file]
        self.minutes = float(row["duration_s"]) / 60
        known = row["true_steps"] != ""
        steps = float(row["true_steps"]) if known else None
        if row["events_file"]:
            self.times = step_times(data.recordings / row["events_file"])
        if row["rpm_file"]:
            self.group, self.steps = "wrist that rides", 0
            for w in csv.DictReader(open(data.recordings / row["rpm_file"])):
                if float(w["confidence"] or 0) >= 1:
                    self.windows.append((float(w["t_start_s"]), float(w["t_end_s"]), float(w["rpm"])))
        elif steps:
            self.steps = steps
            if source not in WALKS and "run" in activity:
                self.group = "running"
            elif place in ("ankle", "foot"):
                self.group = "legs"
            else:
                self.group = WALKS.get(source, "wrist 25 Hz")
        elif known and steps == 0:
            self.steps = 0
            words = (("driv", "vehicle"), ("still", "daily"), ("stationary", "daily"), ("desk", "daily"),
                     ("daily", "daily"), ("cycl", "wrist that rides"), ("shak", "gestures"), ("squat", "exercises"),
                     ("clapping", "clapping"))
            self.group = next((name for word, name in words if word in activity), None) or ZEROS.get(source, "gestures")
        else:
            self.group = None


    def copy(self, number):
        """The same of a copy by a sensor drawn at random."""
        other = copy(self)
        other.file, other.group = f"{self.file}+{number}", self.group and f"drawn {self.group}"
        return other


# A counted step is a true one where that is as near, s.
NEAR_S = 0.25


def f1(counted, true):
    """The F1 score of single steps, each of which is matched once, the earliest first."""
    hits, number = 0, 0
    for time in np.sort(counted):
        while number < len(true) and true[number] < time - NEAR_S:
            number += 1
        if number < len(true) and true[number] <= time + NEAR_S:
            hits, number = hits + 1, number + 1
    return 2 * hits / max(len(counted) + len(true), 1)


def measures(truths, results, table_of, told):
    """What was counted with the tables of recordings, by group: errors of recordings in %, false steps a minute, F1 of single
    steps, errors of revolutions in %, of cadences in rpm, and how many windows are without one."""
    groups = defaultdict(lambda: dict(error=[], false=[], f1=[], rpm=[], windows=0, silent=0, revolutions=[]))
    for truth in truths:
        key = truth.file, table_of(truth), told
        if truth.group is None or key not in results:
            continue
        steps, revolutions, seconds, times = results[key]
        g = groups[truth.group]
        if truth.steps:
            g["error"].append((truth.subject, abs(100 * (steps - truth.steps) / truth.steps), steps < truth.steps / 10))
            if truth.times is not None:
                g["f1"].append(f1(times, truth.times))
        elif truth.steps == 0:
            g["false"].append((truth.subject, steps, truth.minutes))
        if truth.revolutions:
            g["revolutions"].append(abs(100 * (revolutions - truth.revolutions) / truth.revolutions))
        for start, end, true in truth.windows:
            said = seconds[int(start) + 1 : int(end), 0]
            said = said[said > 0]
            g["windows"] += 1
            if len(said):
                g["rpm"].append(abs(said.mean() - true))
            else:
                g["silent"] += 1
    return {name: measure(g) for name, g in sorted(groups.items())}


def interval(rows):
    """The 90 % interval of a ratio of sums, by the bootstrap over subjects (B. Efron and R. Tibshirani, "An Introduction to the
    Bootstrap", 1993); of a single subject there is none."""
    subjects = sorted({subject for subject, _, _ in rows})
    if len(subjects) < 3:
        return None
    sums = np.array([np.sum([row[1:] for row in rows if row[0] == subject], axis=0) for subject in subjects])
    drawn = sums[np.random.default_rng(1).integers(0, len(subjects), (2000, len(subjects)))].sum(1)
    return np.quantile(drawn[:, 0] / np.maximum(drawn[:, 1], 1e-9), (0.05, 0.95))


def measure(g):
    m = {"recordings": len(g["error"]), "interval": interval([(s, e, 1) for s, e, _ in g["error"]] or g["false"])}
    if g["error"]:
        errors = [error for _, error, _ in g["error"]]
        m |= {"median": np.median(errors), "mean": np.mean(errors), "lost": sum(lost for _, _, lost in g["error"])}
    else:
        m["false"] = sum(steps for _, steps, _ in g["false"]) / max(sum(minutes for _, _, minutes in g["false"]), 1e-9)
    if g["f1"]:
        m["f1"] = np.mean(g["f1"])
    if g["revolutions"]:
        m["revolutions"] = np.median(g["revolutions"]), np.mean(g["revolutions"])
    if g["windows"]:
        r = np.array(g["rpm"] or [99])
        m |= {"rpm": r.mean(), "within": 100 * (r < 5).mean(), "silent": 100 * g["silent"] / g["windows"]}
    return m


def summary(truths, results, table_of, told):
    """The measures in words."""
    lines = {}
    for name, m in measures(truths, results, table_of, told).items():
        ends = "" if m["interval"] is None else " [{:.2f}–{:.2f}]".format(*m["interval"])
        lost = f", {m['lost']} lost" if m.get("lost") else ""
        line = f"{m['median']:.2f} / {m['mean']:.2f}{ends} ({m['recordings']}{lost})" if m["recordings"] else f"{m['false']:.2f} a min{ends}"
        if "f1" in m:
            line += f"; F1 {m['f1']:.2f}"
        if "revolutions" in m:
            line += "; revolutions {:.1f} / {:.1f}".format(*m["revolutions"])
        if "rpm" in m:
            line += f"; rpm {m['rpm']:.2f}, {m['within']:.0f} % within 5, {m['silent']:.0f} % silent"
        lines[name] = line
    return lines


def table_lines(columns):
    names = sorted({name for _, lines in columns for name in lines}, key=lambda name: (name.startswith("sim"), name.startswith("drawn"), name))
    lines = ["| group | " + " | ".join(title for title, _ in columns) + " |", "| --- |" + " --- |" * len(columns)]
    return lines + [f"| {name} | " + " | ".join(own.get(name, "") for _, own in columns) + " |" for name in names]
