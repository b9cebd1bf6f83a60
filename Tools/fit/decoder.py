"""Chooses how much the score of steps is raised beside the others, which sets missed steps against false ones, on subjects
that the weights were not fitted to."""

import numpy as np

from model import DECODING, DECODING_NUMBERS

STEP_BIASES = (1.4, 1.8, 2.2, 2.6, 3.0)
# What is a good figure of a recording: an error in %, or false steps a minute. Others are weighed by it, up to five times it.
GOOD_PERCENT, GOOD_FALSE, MOST = 3, 1, 5


def numbers(step_bias):
    return DECODING_NUMBERS | {"step_bias": step_bias}


def with_decoder(table, step_bias):
    chosen = numbers(step_bias)
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


def best_of(count, truths, fitted):
    """The weights and the bias that count best of several fits from other beginnings."""
    tables = [with_decoder(table, bias) for table in fitted for bias in STEP_BIASES]
    own = [t for t in truths if t.steps is not None]
    results = count(tables, [(t.file, number, 1) for t in own for number in range(len(tables))])
    losses = [average(own, lambda file, number=number: results[file, number, 1][0]) for number in range(len(tables))]
    number = int(np.argmin(losses))
    print(f"of {len(fitted)} fits the best one is {number // len(STEP_BIASES)}; losses", " ".join(f"{x:.3f}" for x in losses))
    return number // len(STEP_BIASES), STEP_BIASES[number % len(STEP_BIASES)]


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
