"""Chooses how much the score of steps is raised beside the others, which sets missed steps against false ones, on subjects
that the weights were not fitted to."""

import numpy as np

import confidence
from model import DECODING, DECODING_NUMBERS

STEP_BIASES = (1.4, 1.8, 2.2, 2.6, 3.0)
# What is a good figure of a recording: an error in %, or false steps a minute. Others are weighed by it, up to five times it.
GOOD_PERCENT, GOOD_FALSE, MOST = 3, 1, 5


def numbers(step_bias):
    return DECODING_NUMBERS | {"step_bias": step_bias}


def with_decoder(table, step_bias, shares=None):
    chosen = numbers(step_bias) | confidence.as_told(shares)
    return np.concatenate([table[: -len(DECODING)], np.array([chosen[name] for name in DECODING], np.float32)])


def loss(truth, steps):
    if truth.steps:
        return min(100 * abs(steps - truth.steps) / truth.steps / GOOD_PERCENT, MOST)
    return min(steps / truth.minutes / GOOD_FALSE, MOST)


def average(truths, steps):
    """The mean loss, where `steps` has what was counted of a file. A group weighs as the root of its size: there are 84
    walks at the wrist and six gestures, and neither may outvote the other."""
    groups = [[t for t in truths if t.group == name] for name in sorted({t.group for t in truths})]
    return np.average([np.mean([loss(t, steps(t.file)) for t in group]) for group in groups],
                      weights=[len(group) ** 0.5 for group in groups])


def best_of(count, truths, fitted, bias):
    """The number of the fit that counts best, of several from other beginnings."""
    own = [t for t in truths if t.steps is not None]
    results = count([with_decoder(table, bias) for table in fitted], [(t.file, n, 1) for t in own for n in range(len(fitted))])
    losses = [average(own, lambda file, n=n: results[file, n, 1][0]) for n in range(len(fitted))]
    best = int(np.argmin(losses))
    print(f"of {len(fitted)} fits the best one is {best}; losses", " ".join(f"{x:.3f}" for x in losses))
    return best


def choose_for_strangers(count, truths, unseen):
    """The bias that counts best with weights that have seen neither the person nor, weighed as much, the device: `unseen` has
    functions that give the table of a file."""
    own = [t for t in truths if t.steps is not None]
    tables, runs = [], {}
    for number, table_of in enumerate(unseen):
        for t in own:
            table = table_of(t.file)
            place = next((i for i, known in enumerate(tables) if known is table), len(tables))
            if place == len(tables):
                tables.append(table)
            runs[number, t.file] = place
    several = [with_decoder(table, bias) for table in tables for bias in STEP_BIASES]
    results = count(several, [(f, place * len(STEP_BIASES) + c, 1) for (_, f), place in runs.items() for c in range(len(STEP_BIASES))])
    counted = lambda n, c: lambda file: results[file, runs[n, file] * len(STEP_BIASES) + c, 1][0]  # noqa: E731
    losses = [np.mean([average(own, counted(n, c)) for n in range(len(unseen))]) for c in range(len(STEP_BIASES))]
    print("for strangers: losses", " ".join(f"{x:.3f}" for x in losses), flush=True)
    return STEP_BIASES[int(np.argmin(losses))]


def choose(count, truths, fold_of, table_of, folds):
    """For each fold that is left out the bias that counts the other subjects best.

    `table_of` has a table by the folds that its weights have not seen: each pair of folds. So a bias is chosen
    on people who are strangers to the weights, and none of whom is in the fold that it is chosen for.
    """
    keys = sorted(table_of, key=sorted)
    tables = [with_decoder(table_of[key], bias) for key in keys for bias in STEP_BIASES]
    place = {key: number * len(STEP_BIASES) for number, key in enumerate(keys)}
    table = lambda f, file, c: place[frozenset({f, fold_of(file)})] + c  # noqa: E731
    own = {f: [t for t in truths if t.steps is not None and fold_of(t.file) != f] for f in folds}
    results = count(tables, [(t.file, table(f, t.file, c), 1) for f in own for t in own[f] for c in range(len(STEP_BIASES))])
    best = {}
    for f, inner in own.items():
        losses = [average(inner, lambda file, c=c: results[file, table(f, file, c), 1][0]) for c in range(len(STEP_BIASES))]
        best[f] = STEP_BIASES[int(np.argmin(losses))]
        print(f"without fold {f}: a bias of {best[f]}; losses", " ".join(f"{x:.3f}" for x in losses), flush=True)
    return best
