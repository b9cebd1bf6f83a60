"""Fits the model of the decoder of `Sources/Motion`, says how it counts people and devices that it has not seen, and writes
`StateModel+Fitted.swift` and `docs/fitted-model.md`. `Tools/fit/run` calls it."""

import argparse
import hashlib
import multiprocessing
import os
import re
import subprocess
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

import confidence  # noqa: E402
import decoder  # noqa: E402
import evaluate  # noqa: E402
import model  # noqa: E402
import off_wrist  # noqa: E402
from data import Data, device_of, fold_of  # noqa: E402
from weights import weights  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "Sources/Motion/Person/StateModel+Fitted.swift"
REPORT = ROOT / "docs/fitted-model.md"
FOLDS = 5
# Seeds of simulated subjects: so many that are fitted to, one that is counted for the report, and those that the table is
# chosen with.
FITTED_SEEDS, REPORTED_SEED, CHOSEN_SEED, CHOSEN_SEEDS = 5, 100, 200, 3
# Copies of a recording by sensors drawn at random: those that are fitted to, those that are counted for the report, and
# those that the bias is chosen with.
FITTED_COPIES, REPORTED_COPIES, CHOSEN_COPIES = 5, 3, 2
# Fits from other beginnings, of which the best becomes the table.
RESTARTS = 10


def features(trials, recordings, folder, *options):
    subprocess.run([trials, "features", str(recordings), str(folder), *options], check=True)


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


def prepare(trials, recordings, folder):
    """Writes features unless they are there, made by the same program from the same recordings."""
    identity = hashlib.sha256(Path(trials).read_bytes() + Path(recordings, "index.csv").read_bytes()).hexdigest()
    for name, options in (("fitted", ["--copies", str(FITTED_COPIES), "--seeds", str(FITTED_SEEDS)]),
                          ("reported", ["--copies", "0", "--seeds", "1", "--first-seed", str(REPORTED_SEED)]),
                          ("chosen", ["--copies", "0", "--seeds", str(CHOSEN_SEEDS), "--first-seed", str(CHOSEN_SEED)])):
        done = folder / name / identity[:16]
        if not done.exists():
            # What another program wrote is about to be replaced.
            for other in (folder / name).glob("[0-9a-f]" * 16):
                other.unlink()
            features(trials, recordings, folder / name, *options)
            done.touch()


def fit_one(job):
    name, seed, rows = job
    start = time.time()
    fitted, loss = model.fit(DATA, rows, WEIGHTS, seed=seed, epochs=EPOCHS, batch=512)
    fitted.off_wrist = off_wrist.fit(fitted, DATA, rows, WEIGHTS)
    print(f"{name}, seed {seed}: {fitted.size} numbers, loss {loss:.3f}, {time.time() - start:.0f} s", flush=True)
    return fitted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recordings", default=os.environ.get("STRIDEBUS_RECORDINGS", str(ROOT.parent / "shared/recordings")))
    parser.add_argument("--trials", default=str(ROOT / ".build/debug/trials"))
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / ".data")
    parser.add_argument("--seeds", type=int, default=1, help="seeds of the fits that are compared")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table-only", action="store_true", help="fit to everything and write the table alone")
    options = parser.parse_args()

    global DATA, WEIGHTS, EPOCHS
    EPOCHS = options.epochs
    prepare(options.trials, options.recordings, options.folder)
    DATA = Data(options.folder / "fitted", options.recordings)
    WEIGHTS = weights(DATA)
    everything = np.arange(len(WEIGHTS))
    folds = np.array([-1 if take.is_simulated else fold_of(take) for take in DATA.takes])[DATA.take]
    devices = np.array([device_of(take) for take in DATA.takes])[DATA.take]
    names = sorted({device_of(take) for take in DATA.takes if not take.is_simulated})
    jobs = [("everything", seed, everything) for seed in range(RESTARTS)]
    if not options.table_only:
        jobs += [(f"without fold {f}", s, np.where(folds != f)[0]) for s in range(options.seeds) for f in range(FOLDS)]
        jobs += [(f"without {name}", 0, np.where(devices != name)[0]) for name in names]
    with multiprocessing.get_context("fork").Pool(options.processes) as pool:
        models = pool.map(fit_one, jobs, chunksize=1)
    tables = [m.table(model.DECODING_NUMBERS | m.off_wrist) for m in models]
    count = lambda tables, runs: evaluate.count(options.trials, options.recordings, tables, runs)  # noqa: E731
    truths = chosen_truths()
    final, shares = model.DECODING_NUMBERS["step_bias"], None
    if not options.table_only:
        of_fold = dict(enumerate(tables[RESTARTS : RESTARTS + FOLDS]))
        of_device = dict(zip(names, tables[RESTARTS + options.seeds * FOLDS :]))
        bias = decoder.choose(count, truths, of_fold, of_device, range(FOLDS))
        final = bias[None]
        held_out = [*(f for _ in range(options.seeds) for f in range(FOLDS)), *(None for _ in names)]
        left_out = [decoder.with_decoder(table, bias[f]) for table, f in zip(tables[RESTARTS:], held_out)]
    candidates = [decoder.with_decoder(table, final) for table in tables[:RESTARTS]] + [built_in()]
    found = decoder.losses_of_each(count, truths + simulated_truths(options), candidates)
    best = int(np.argmin(found))
    print("losses of the fits and of the built-in table", " ".join(f"{x:.3f}" for x in found), flush=True)
    if not options.table_only:
        shares = report(options, left_out, names, bias, found)
    if best < RESTARTS:
        write_table(models[best], decoder.with_decoder(tables[best], final, shares), options)


def built_in():
    """The table of the program, which stays where no fit counts better."""
    text = TABLE.read_text()
    lists = [re.search(rf"static let {name}: \[Float\] = \[(.*?)\]", text, re.DOTALL)[1] for name in (*model.GROUPS, "decoding")]
    return np.array([number for part in lists for number in part.replace(",", " ").split()], np.float32)


def chosen_truths():
    """What the bias is chosen with: recordings, and copies of them that are neither fitted to nor reported."""
    takes = [take for take in DATA.takes if not take.is_simulated and not take.copy]
    truths = [truth for truth in (evaluate.Truth(take, DATA) for take in takes) if truth.group]
    return truths + [truth.copy(REPORTED_COPIES + 1 + n) for truth in truths for n in range(CHOSEN_COPIES)]


def simulated_truths(options):
    """Simulated subjects that are neither fitted to nor reported."""
    data = Data(options.folder / "chosen", options.recordings)
    return [evaluate.Truth(take, data, data.events.get(take.file, [])) for take in data.takes if take.is_simulated]


def report(options, tables, names, bias, found):
    """The tables of the report: with the placement told and with nothing told, and `found`, the losses of the fits to everybody
    and of the built-in table. Gives the shares of right cadences."""
    reported = Data(options.folder / "reported", options.recordings)
    truths = [evaluate.Truth(take, reported, reported.events.get(take.file, [])) for take in reported.takes]
    truths += [truth.copy(n + 1) for truth in truths if not truth.is_simulated for n in range(REPORTED_COPIES)]
    subject_table = lambda seed: lambda truth: seed * FOLDS + truth.fold  # noqa: E731
    device_table = lambda truth: options.seeds * FOLDS + (0 if truth.is_simulated else names.index(truth.device))  # noqa: E731
    runs = []
    for truth in truths:
        runs += [(truth.file, subject_table(s)(truth), 1) for s in range(options.seeds)]
        runs += [(truth.file, device_table(truth), 1), (truth.file, device_table(truth), 0)]
        runs += [(truth.file, subject_table(0)(truth), 0)]
        runs += [(truth.file, len(tables), told) for told in (1, 0)]
    results = evaluate.count(options.trials, options.recordings, [*tables, built_in()], runs)
    columns = [("device left out", evaluate.summary(truths, results, device_table, 1)),
               ("device left out, nothing told", evaluate.summary(truths, results, device_table, 0))]
    columns += [(f"seed {s}", evaluate.summary(truths, results, subject_table(s), 1)) for s in range(options.seeds)]
    columns += [("nothing told", evaluate.summary(truths, results, subject_table(0), 0))]
    columns += [(f"built in{name}", evaluate.summary(truths, results, lambda truth: len(tables), told))
                for name, told in (("", 1), (", nothing told", 0))]
    told = confidence.told(truths, results, subject_table(0))
    lines = evaluate.table_lines(columns) + ["", *CONFIDENCE, "", *confidence.table_lines(told)]
    REPORT.parent.mkdir(exist_ok=True)
    biases = ", ".join(str(bias[f]) for f in range(FOLDS))
    text = HEAD.format(head=head(options), numbers=model_size(), decoding=len(model.DECODING) - len(confidence.as_told()),
                       biases=biases, final=bias[None], restarts=RESTARTS, losses=" ".join(f"{x:.2f}" for x in found[:-1]),
                       built_in=f"{found[-1]:.2f}", built_in_head=TABLE.read_text().split("\n", 1)[0].split(": ", 1)[1].split(",")[0])
    REPORT.write_text(text + "\n".join(lines) + "\n")
    print("\n".join(lines))
    return {kind: confidence.shares(told[kind]) for kind in confidence.KINDS}


CONFIDENCE = """## Confidence

How often a cadence of steps or pedals is right that is told with a confidence, in seconds that are not next to a start or a stop;
within 10 steps or 5 turns a minute. Nobody was seen by the weights, or by the calibration. Recordings of which the cadence is
known weigh as much as simulations, which ride and walk slowly and fast as often as usually.""".splitlines()

HEAD = """# How well people are counted whom the fit has not seen

Written by `Tools/fit/run` ({head}). The model has {numbers} fitted numbers.

- *Device left out* has not seen that source of recordings at all. The other figures are of people whom the fit has not seen:
  subjects are left out in five folds (for the Pebble watch, capture dates, which are not people), one column a seed.
- In brackets is the 90 % interval of the mean by the bootstrap over subjects, where there are three or more.
- Of the {decoding} numbers of the decoder, beside those of confidence, eight are fitted with the weights: they tell a wrist from
  other places where nothing is told. One sets missed steps against false ones, the bias of steps. It is chosen for each fold on
  the other folds' people, and on copies of them by other sensors, each counted with weights that have not seen them: {biases}.
- *Built in* is the table of the program, of {built_in_head}. A fit to everybody takes its place where it counts those same
  recordings and copies, and simulated subjects of three more seeds, rides among them, better; a third of that is counts with
  nothing told, and every group weighs as the root of its size. It favours the fits, which have seen all of it. The losses of {restarts} fits were {losses}, that of the table
  {built_in}. The table has seen the devices `oxford_opt`, `pebble`, `gaitmap`, `mobgap`, `jarchi`, `st` and `spar`, and none of the
  other seven.
- Fits have a bias of {final}: it counts best with weights that have seen neither the person nor, weighed as much, the device;
  *device left out* has that bias, and so has seen that device in this one number.
- The others were chosen by hand and by random search with every recording in view, and so were the form of the model, its
  penalties and the weights of sources: the figures are better than those of strangers by what that gains.
- *Drawn*: the same recordings, three times each, as a sensor drawn at random would have made them: range, resolution, its own
  low-pass, sampling rate, jitter, lost samples, scale, gravity taken away, noise. No fit has seen these copies.
- Simulated subjects (`sim`) are of a seed that was counted in that search; the weights were fitted to other seeds.
- *Nothing told*: no config. In the rows of rides, some sensors are then taken for a bike's.
- Steps: median / mean error a recording in % (number of recordings; lost are those of which less than a tenth was counted), and
  F1, the score of single steps within 0.25 s where each has a time; false steps a minute where none was made; revolutions:
  median / mean error in %; cadence: mean error in rpm, windows within 5 rpm, windows without a cadence.
- What counting costs a sample is in [accuracy.md](accuracy.md).

"""

def model_size():
    return model.Model(DATA, np.arange(100)).size


def head(options):
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    changed = " with this change" if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT).returncode else ""
    return f"commit {commit}{changed}, features {digest((options.folder / 'fitted/features.bin').read_bytes())}"


def write_table(fitted, table, options):
    groups = np.split(table[: -len(model.DECODING)], len(model.GROUPS))
    out = ["// How it counts people and devices that it was not fitted to is in docs/fitted-model.md.", "",
           "extension StateModel {", "    /// The model of `Tools/fit`.",
           "    package static let fitted = StateModel(", "        table: " + " + ".join(f"Table.{g}" for g in model.GROUPS) + ",",
           "        decoding: StateDecoder.Settings(numbers: Table.decoding[...]))", "}", "",
           "// swift-format-ignore", "private enum Table {"]
    for name, numbers in [*zip(model.GROUPS, groups), ("decoding", table[-len(model.DECODING) :])]:
        out.append(f"    static let {name}: [Float] = [")
        text = [f"{number + 0:.5g}" for number in numbers + 0.0]
        out += ["        " + ", ".join(text[i : i + 12]) + "," for i in range(0, len(text), 12)]
        out.append("    ]")
    out.append("}")
    body = "\n".join(out) + "\n"
    title = f"// Generated by Tools/fit/run: {head(options)}, {fitted.size} fitted numbers, body {digest(body.encode())}.\n"
    TABLE.write_text(title + body)


if __name__ == "__main__":
    main()
