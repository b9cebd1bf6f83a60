#!/usr/bin/env python3
"""Checks for the gate, in seconds and with simulated subjects alone: that the committed table is one that `fit.py` wrote, that
the counter's own code counts with it to the step what `fixture.csv` says, and that a fresh fit on a small fixture comes out as
it says there. `--write` renews that.

What the committed table counts hangs on no processor, and is compared exactly. The sums of a training do: its numbers may
differ by what two processors and two versions of numpy differ."""

import csv
import sys
import tempfile
from collections import Counter
from pathlib import Path

import evaluate
import fit
import model
import numpy as np
import off_wrist
from data import Data
from weights import weights

FIXTURE = Path(__file__).with_name("fixture.csv")
SEED, EVERY = 7, 6
# No recordings, only what they would be described by.
INDEX = "file,subject,activity,placement,rate_hz,duration_s,true_steps,true_rpm,truth_method,truth_grade,events_file,rpm_file\n"
# Of the fresh fit; a weight in another place, or another feature, changes much more.
TOLERANCE = 0.03
# What a fresh fit counts may differ by so many steps where 3 % of it are fewer.
STEPS = 3
COMMITTED = "with the committed table: "


def measured(trials):
    """Norms of the fitted numbers by name, and what the table counts by group."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "index.csv").write_text(INDEX)
        fit.features(trials, folder, folder / "fixture", "--seeds", "1", "--first-seed", str(SEED), "--every", str(EVERY))
        data = Data(folder / "fixture", folder)
        rows = np.arange(len(data.weight))
        fitted, loss = model.fit(data, rows, weights(data), epochs=3, batch=128)
        counted = data.takes[::5]
        files = [(take.file, 0, 1) for take in counted]
        found = off_wrist.fit(fitted, data, rows, weights(data))
        tables = {"": fitted.table(model.DECODING_NUMBERS | found), COMMITTED: fit.built_in()}
        counts = evaluate.count(trials, folder, list(tables.values()), [(f, t, told) for f, _, told in files for t in range(len(tables))])
        values = {"loss": loss} | {f"norm of {k}": float(np.linalg.norm(v)) for k, v in sorted(fitted.p.items())}
        sums = Counter()
        for take in counted:
            truth = evaluate.Truth(take, data, data.events.get(take.file, []))
            for number, name in enumerate(tables):
                steps, revolutions = counts[take.file, number, 1][:2]
                sums[f"{name}steps, {truth.group}"] += steps
                sums[f"{name}revolutions, {truth.group}"] += revolutions
        return values | {name: float(value) for name, value in sorted(sums.items())}


def main():
    trials = next((a for a in sys.argv[1:] if not a.startswith("--")), str(fit.ROOT / ".build/debug/trials"))
    values = measured(trials)
    if "--write" in sys.argv:
        FIXTURE.write_text("name,value\n" + "".join(f'"{name}",{value:.6g}\n' for name, value in values.items()))
        return
    problems = []
    text = fit.TABLE.read_text()
    head, body = text.split("\n", 1)
    if f"body {fit.digest(body.encode())}" not in head:
        problems.append(f"{fit.TABLE.name} is not as the fit wrote it: run Tools/fit/run")
    expected = {row["name"]: float(row["value"]) for row in csv.DictReader(open(FIXTURE))}
    for name in sorted(expected.keys() | values.keys()):
        was, now = expected.get(name, 0), values.get(name, 0)
        tolerance = 0 if name.startswith(COMMITTED) else max(TOLERANCE * abs(was), STEPS if "," in name else 0)
        if abs(now - was) > tolerance:
            problems.append(f"{name}: {now:.6g}, and {was:.6g} in fixture.csv")
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
