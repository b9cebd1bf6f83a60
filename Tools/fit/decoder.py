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


def losses(count, tables, truths, places):
    """The loss of each of `places`, which has the number of the table that a file is counted with."""
    results = count(tables, [(t.file, place[t.file], 1) for place in places for t in truths])
    return [average(truths, lambda file, place=place: results[file, place[file], 1][0]) for place in places]


def best_of(count, truths, fitted, bias):
    """The number of the fit that counts best, of several from other beginnings."""
    own = [t for t in truths if t.steps is not None]
    tables = [with_decoder(table, bias) for table in fitted]
    found = losses(count, tables, own, [{t.file: n for t in own} for n in range(len(tables))])
    best = int(np.argmin(found))
    print(f"of {len(fitted)} fits the best one is {best}; losses", " ".join(f"{x:.3f}" for x in found))
    return best


def choose_for_strangers(count, truths, unseen):
    """The bias that counts best with weights that have seen neither the person nor, weighed as much, the device: `unseen` has
    functions that give the table of a recording."""
    own = [t for t in truths if t.steps is not None]
    several, places = [], []
    for table_of in unseen:
        own_tables = {id(table_of(t)): table_of(t) for t in own}
        first = {key: len(several) + n * len(STEP_BIASES) for n, key in enumerate(own_tables)}
        several += [with_decoder(table, bias) for table in own_tables.values() for bias in STEP_BIASES]
        places += [{t.file: first[id(table_of(t))] + c for t in own} for c in range(len(STEP_BIASES))]
    found = np.mean(np.reshape(losses(count, several, own, places), (len(unseen), -1)), axis=0)
    print("for strangers: losses", " ".join(f"{x:.3f}" for x in found), flush=True)
    return STEP_BIASES[int(np.argmin(found))]


def choose(count, truths, table_of, folds):
    """For each fold that is left out the bias that counts the other subjects best.

    `table_of` has a table by the folds that its weights have not seen: each pair of folds. So a bias is chosen
    on people who are strangers to the weights, and none of whom is in the fold that it is chosen for.
    """
    keys = sorted(table_of, key=sorted)
    tables = [with_decoder(table_of[key], bias) for key in keys for bias in STEP_BIASES]
    first = {key: number * len(STEP_BIASES) for number, key in enumerate(keys)}
    best = {}
    for f in folds:
        own = [t for t in truths if t.steps is not None and t.fold != f]
        found = losses(count, tables, own, [{t.file: first[frozenset({f, t.fold})] + c for t in own} for c in range(len(STEP_BIASES))])
        best[f] = STEP_BIASES[int(np.argmin(found))]
        print(f"without fold {f}: a bias of {best[f]}; losses", " ".join(f"{x:.3f}" for x in found), flush=True)
    return best
