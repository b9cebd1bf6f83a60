"""Writes docs/accuracy.md: `accuracy.md` beside this file with its `{{tables}}` filled in by what `trials` counts.
The table of people is that of docs/fitted-model.md, which `Tools/fit/run` writes."""

import argparse
import csv
import json
import math
import os
import random
import re
import subprocess
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE, REPORT = Path(__file__).with_name("accuracy.md"), ROOT / "docs/accuracy.md"
RIDERS = ("wrist", "pocket", "pocket --no-gyroscope", "thigh", "ankle")
WALKERS = ("wrist", "hand", "hip", "bag", "pocket", "thigh", "ankle")
BIKES = ("", "--no-config")
VARIED = "trials rides --json --varied --rides 24 --seed 9000"
# What the built-in table has not seen, neither the devices nor the people: a title, the source, and which of its recordings.
STRANGERS = (
    ("phone in the hand", "harle_hand", lambda row, steps: True),
    ("sensor in the hand, with stairs", "awinda_hand", lambda row, steps: True),
    ("phone in a bag or somewhere, ten steps", "aos500", lambda row, steps: steps <= 10),
    ("phone somewhere, 100 and 300 steps", "aos500", lambda row, steps: steps > 10),
    ("wrist, magnitude alone, usual and fast walks", "sensorwatch25", lambda row, steps: steps > 60),
    ("wrist, magnitude alone, 33 to 50 steps a minute", "sensorwatch25", lambda row, steps: "slow" in row["activity"]),
    ("wrist, magnitude alone, desk and chores", "sensorwatch25", lambda row, steps: steps == 0),
    ("wrist, clapping", "wisdm", lambda row, steps: "clapping" in row["activity"]),
    ("wrist, other work of seated and standing people", "wisdm", lambda row, steps: "clapping" not in row["activity"]),
    ("wrist, arm exercises", "ptex_arms", lambda row, steps: True),
    ("ankle and thigh, leg exercises", "ptex_legs", lambda row, steps: True),
)
# The watch of most recordings at the wrist, 25 samples a second of an accelerometer, and others that it is made to resemble.
WATCH = "pebble"


def low_passed(samples, cutoff_hz, rate_hz):
    """A second-order Butterworth low-pass, as a sensor has one: R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter
    coefficients"."""
    angle = 2 * math.pi * cutoff_hz / rate_hz
    alpha, cosine = math.sin(angle) / math.sqrt(2), math.cos(angle)
    b, a0, a1, a2 = (1 - cosine) / 2, 1 + alpha, -2 * cosine, 1 - alpha
    filtered, x1, x2, y1, y2 = [], samples[0], samples[0], samples[0], samples[0]
    for x in samples:
        y = (b * (x + 2 * x1 + x2) - a1 * y1 - a2 * y2) / a0
        x1, x2, y1, y2 = x, x1, y, y1
        filtered.append(y)
    return filtered


# By name, what becomes of times and of one axis of a recording.
OTHER_WATCHES = {
    "as recorded": lambda values, rate: values,
    "12.5 samples a second": lambda values, rate: values[::2],
    "low-passed at 5 Hz": lambda values, rate: low_passed(values, 5, rate) if rate else values,
    "low-passed at 3 Hz": lambda values, rate: low_passed(values, 3, rate) if rate else values,
    "without gravity": lambda values, rate: [x - slow for x, slow in zip(values, low_passed(values, 0.3, rate))] if rate else values,
}


def other_watches(recordings, folder):
    """Writes the watch's recordings as other watches would send them, a folder each with an index of its own."""
    with open(Path(recordings, "index.csv")) as file:
        index = csv.DictReader(file)
        heads, rows = index.fieldnames, [row for row in index if row["file"].startswith(f"{WATCH}/")]
    for number, copy in enumerate(OTHER_WATCHES.values()):
        into = Path(folder, str(number))
        Path(into, WATCH).mkdir(parents=True)
        with open(into / "index.csv", "w") as file:
            writer = csv.DictWriter(file, heads)
            writer.writeheader()
            writer.writerows(rows)
        for row in rows:
            with open(Path(recordings, row["file"])) as file:
                lines = list(csv.reader(file))
            columns = list(zip(*lines[1:]))
            times = copy(list(columns[0]), None)
            axes = [copy([float(value) for value in column], float(row["rate_hz"])) for column in columns[1:4]]
            with open(into / row["file"], "w") as file:
                csv.writer(file).writerows([lines[0][:4], *zip(times, *([f"{x:.4f}" for x in axis] for axis in axes))])


def commands(recordings):
    """What is counted, by name."""
    rides, walks = "trials rides --json --rides 12 --seed", "trials walks --json --walks 12 --seed 9100 --placement"
    return ({("recordings", option): f"trials evaluate {recordings} --json {option}" for option in ("", "--no-config")}
            | {("bike", option): f"{rides} 9000 {option}" for option in BIKES}
            | {("varied", ""): VARIED}
            | {("rider", place): f"{rides} 9100 --placement {place}" for place in RIDERS}
            | {("walker", place): f"{walks} {place}" for place in WALKERS}
            | {("untold", place): f"{walks} {place} --no-config" for place in WALKERS})


def short(number):
    """Two digits, as much as the number of rides or walks is worth."""
    number = float(number)
    return f"{number:.0f}" if number >= 9.95 else f"{number:.1f}"


def span(numbers, unit=""):
    """`a–b`, or one number where both look alike."""
    numbers = sorted(float(n) for n in numbers)
    ends = dict.fromkeys(short(n) for n in (numbers[0], numbers[-1]))
    return "–".join(ends) + unit


def markdown(heads, rows):
    marks = ["---"] + ["---:"] * (len(heads) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [heads, marks, *rows])


def interval(rows):
    """The 90 % interval of a ratio of sums by the bootstrap over subjects (B. Efron and R. Tibshirani, "An Introduction to the
    Bootstrap", 1993), in brackets; of one or two subjects there is none."""
    subjects = sorted({subject for subject, _, _ in rows})
    if len(subjects) < 3:
        return ""
    sums = [[sum(row[1] for row in rows if row[0] == s), sum(row[2] for row in rows if row[0] == s)] for s in subjects]
    draw, ratios = random.Random(1), []
    for _ in range(2000):
        drawn = draw.choices(sums, k=len(sums))
        ratios.append(sum(a for a, _ in drawn) / sum(b for _, b in drawn))
    ratios.sort()
    return f" ({span([ratios[100], ratios[1899]])})"


def strangers(outputs, recordings):
    """Devices and people that the table has not seen: mean errors, recordings lost whole, false steps a minute."""
    index = {row["file"]: row for row in csv.DictReader(open(Path(recordings, "index.csv")))}

    def cell(source, chosen, option):
        rows, lost = [], 0
        for result in outputs["recordings", option]:
            row, steps = index[result["file"]], result.get("true_steps")
            if result["folder"] != source or not chosen(row, steps):
                continue
            lost += steps > 0 and result["steps"] < steps / 10
            rows.append((result["subject"], *((result["ape"], 1) if steps else (result["steps"], result["minutes"]))))
        ratio = short(sum(value for _, value, _ in rows) / sum(weight for _, _, weight in rows))
        unit = " %" if steps_of(source, chosen) else " a minute"
        return f"{ratio}{unit}{interval(rows)}" + (f", {lost} lost" if lost else ""), len(rows), len({row[0] for row in rows})

    def steps_of(source, chosen):
        return any(float(row["true_steps"] or 0) > 0 for row in index.values()
                   if row["file"].split("/")[0] == source and chosen(row, float(row["true_steps"] or 0)))

    table = []
    for title, source, chosen in STRANGERS:
        told, count, people = cell(source, chosen, "")
        table.append([f"{title} ({count} of {people})", told, cell(source, chosen, "--no-config")[0]])
    return markdown(["", "told", "nothing told"], table)


def watches(outputs):
    """Walks and runs at the wrist as other watches would send them: mean errors, told and not."""
    def cell(name, option, activity):
        errors = [row["ape"] for row in outputs["watch", name, option]
                  if row["activity"] == activity and row.get("true_steps")]
        return f"{short(sum(errors) / len(errors))} %"

    return markdown(["", "walks, told", "nothing told", "runs, told", "nothing told"], [
        [name, *(cell(name, option, activity) for activity in ("walk", "run") for option in ("", "--no-config"))]
        for name in OTHER_WATCHES])


def people():
    """Errors of people whom the fit has not seen: the least and the most of the seeds."""
    lines = [line for line in (ROOT / "docs/fitted-model.md").read_text().splitlines() if line.startswith("| ")]
    heads, groups = [cell.strip() for cell in lines[0].strip("| ").split("|")], {}
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if len(cells) == len(heads):
            groups[cells[0]] = dict(zip(heads[1:], cells[1:]))
    seeds = [head for head in heads if head.startswith("seed")]

    def cell(group, column):
        texts = [groups[group][seed] for seed in seeds] if column == "seeds" else [groups[group][column]]
        found = [re.match(r"([\d.]+) / ([\d.]+)(?: \[[^]]*\])? \(", text) for text in texts]
        if all(found):
            return f"{span((m[2] for m in found))} %, median {span((m[1] for m in found))}"
        line = span((re.match(r"([\d.]+) a min", text)[1] for text in texts)) + " a minute"
        for name, pattern in (("rpm", r"rpm ([\d.]+)"), ("% silent", r"([\d.]+) % silent"), ("% of revolutions", r"revolutions [\d.]+ / ([\d.]+)")):
            found = [re.search(pattern, text) for text in texts]
            if all(found):
                line += f"; {span(m[1] for m in found)} {name}"
        return line

    names = [("phone", "phone in a bag, hand or pocket (36 walks of 2 people)"), ("wrist 25 Hz", "wrist, walking (84 of 13 dates)"),
             ("running", "wrist, running (5)"), ("phone in the hand", "phone in the hand (13 of 13 people)"),
             ("hand, stairs", "sensor in the hand, with stairs (7 of 3 people)"), ("phone, ten steps", "phone somewhere, most bouts of ten steps (16)"),
             ("wrist, magnitude alone", "wrist, magnitude alone (11 of one person)"), ("legs", "foot (2 walks of one person; the labels leave out first and last steps)"),
             ("back, lab", "lower back, bouts of 9 steps (3 of one person)"), ("daily", "wrist, daily life"),
             ("exercises", "wrist, gym exercises (70 of 5 people)"), ("gestures", "wrist, gestures (1.6 minutes)"), ("clapping", "wrist, clapping (6 people)"),
             ("hands", "wrist, other work of seated and standing people (62 of 6)"), ("leg exercises", "ankle and thigh, leg exercises (20 of 2)"),
             ("chores", "wrist, magnitude alone, desk and chores (9)"),
             ("vehicle", "vehicles (2 minutes)"), ("wrist that rides", "wrist, exercise bikes and bicycles"),
             ("sim hand", "work with a hand, simulated"), ("sim ride legs", "legs that pedal, simulated")]
    rows = [[title, cell(name, "device left out"), cell(name, "seeds"),
             cell(f"drawn {name}", "seeds") if f"drawn {name}" in groups else "", cell(name, "nothing told"), cell(name, "built in")]
            for name, title in names if name in groups]
    return markdown(["", "device not seen", "people not seen", "the same by sensors drawn at random", "nothing told", "built in"], rows)


def confidence():
    text = (ROOT / "docs/fitted-model.md").read_text()
    lines = text[text.index("| | confidence told") :].strip().splitlines()
    return "\n".join(lines)


def activity(outputs):
    true = {"walk": "walking", "run": "running", "bike": "cycling", "still": "stationary", "vehicle": "automotive"}
    seconds, right = defaultdict(float), defaultdict(float)
    for row in outputs["recordings", ""]:
        if row["activity"] in true and row["placement"] not in ("unknown", ""):
            key = row["activity"], "wrist" if row["placement"] == "wrist" else "elsewhere"
            seconds[key] += sum(value for name, value in row.items() if name.endswith("_s"))
            right[key] += row[f"{true[row['activity']]}_s"]
    cell = lambda key: f"{100 * right[key] / seconds[key]:.0f} % of {seconds[key]:,.0f} s" if seconds[key] else ""  # noqa: E731
    return markdown(["", "wrist", "elsewhere"], [[name, cell((key, "wrist")), cell((key, "elsewhere"))] for key, name in true.items()])


def bikes(outputs):
    rows = []
    for option, told in zip(BIKES, ("told", "not told")):
        by_noise = defaultdict(list)
        for row in outputs["bike", option]["rows"]:
            by_noise[row["signal/noise"]].append(row)
        for noise, own in by_noise.items():
            get = lambda name: [row[name] for row in own]  # noqa: E731
            rows.append([f"{float(noise):g}, {told}", f"{', '.join(short(x) for x in get('revolutions mean %'))} %; {short(max(map(float, get('worst %'))))} %",
                         f"{', '.join(short(x) for x in get('rpm MAE'))} rpm", span(get("silent %"), " %"), span(get("octave %"), " %"),
                         f"{sum(int(x) for x in get('octave rides'))} of {sum(int(x) for x in get('rides'))}"])
    return markdown(["signal/noise, that it is a bike's", "revolutions, mean by harmonic ratio 1, 2.5, 5, 10; worst", "cadence, mean error",
                     "seconds silent", "off by an octave", "rides off by an octave"], rows)


def varied_bikes(outputs):
    """Bikes drawn from wide ranges, a row each kind: revolutions, and rides off by an octave."""
    table = defaultdict(dict)
    for row in outputs["varied", ""]["rows"]:
        table[row["bikes"]][row["signal/noise"]] = (
            f"{short(row['revolutions mean %'])} % (worst {float(row['worst %']):.0f}); {row['octave rides']} of {row['rides']}")
    noises = list(dict.fromkeys(noise for cells in table.values() for noise in cells))
    return markdown(["signal/noise", *(f"{float(noise):g}" for noise in noises)],
                    [[name, *(cells[noise] for noise in noises)] for name, cells in table.items()])


def bike_confidence(outputs):
    rows = [row for row in outputs["bike", ""]["confidence"] if int(row["seconds"]) >= 100]
    return markdown(["confidence", *(row["confidence"] for row in rows)], [["right", *(row["right"] for row in rows)]])


def riders(outputs):
    tables = {place: outputs["rider", place]["rows"] for place in RIDERS}
    rpm = [row["rpm"] for row in tables["wrist"]]
    rows = []
    for place, table in tables.items():
        title = place.replace(" --no-gyroscope", ", no gyroscope")
        rows.append([f"{title}, within 5 rpm", *(f"{float(row['within 5 rpm %']):.0f} %" for row in table)])
        rows.append([f"{title}, false steps a minute", *(short(row["steps/min"]) for row in table)])
    return markdown(["rpm", *rpm], rows)


def walkers(outputs, kind):
    tables = {place: {row["steps a minute"]: row for row in outputs[kind, place]["rows"]} for place in WALKERS}
    names = list(dict.fromkeys(name for table in tables.values() for name in table))
    rows = []
    for name in names:
        def cell(place):
            row = tables[place].get(name)
            if row is None:
                return ""
            if not row["mean %"]:
                return f"{short(row['false steps/min'])} a minute"
            return f"{short(row['mean %'])} ({float(row['worst %']):.0f})"
        rows.append([name, *(cell(place) for place in WALKERS)])
    return markdown(["", *WALKERS], rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recordings", default=os.environ.get("STRIDEBUS_RECORDINGS", str(ROOT.parent / "shared/recordings")))
    parser.add_argument("--programs", type=Path, default=ROOT / ".build/release", help="the folder of stridebus and trials")
    parser.add_argument("--check", action="store_true", help="say whether what is not a table is as in the template, and count nothing")
    options = parser.parse_args()
    if options.check:
        texts = [re.escape(text) for text in re.split(r"\{\{.*?\}\}", TEMPLATE.read_text())]
        if not re.fullmatch(r"\|.*\|".join(texts), REPORT.read_text(), re.DOTALL):
            raise SystemExit(f"{REPORT.name} is not as its template has it: run Tools/accuracy/run")
        return

    def run(command):
        program, *arguments = command.split()
        text = subprocess.run([options.programs / program, *arguments], check=True, capture_output=True, text=True).stdout
        return [json.loads(line) for line in text.splitlines()] if arguments[0] == "evaluate" else json.loads(text)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        other_watches(options.recordings, folder)
        wanted = commands(options.recordings) | {
            ("watch", name, option): f"trials evaluate {folder}/{number} --json {option}"
            for number, name in enumerate(OTHER_WATCHES) for option in ("", "--no-config")}
        outputs = dict(zip(wanted, pool.map(run, wanted.values())))
    tables = {"strangers": strangers(outputs, options.recordings), "people": people(), "watches": watches(outputs), "confidence": confidence(), "activity": activity(outputs), "bikes": bikes(outputs),
              "varied bikes": varied_bikes(outputs), "bike confidence": bike_confidence(outputs), "riders": riders(outputs), "walks": walkers(outputs, "walker"),
              "untold walks": walkers(outputs, "untold")}
    REPORT.write_text(re.sub(r"\{\{(.*?)\}\}", lambda match: tables[match[1]], TEMPLATE.read_text()))


if __name__ == "__main__":
    main()
