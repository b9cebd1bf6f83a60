"""Chooses how much the score of steps is raised beside the others, which sets missed steps against false ones, on subjects
that the weights were not fitted to."""

import numpy as np

import confidence
from model import DECODING

STEP_BIASES = (1.4, 1.8, 2.2, 2.6, 3.0)
# What is a good figure of a recording: an error in %, or false steps a minute. Others are weighed by it, up to five times it.
GOOD_PERCENT, GOOD_FALSE, MOST = 3, 1, 5
# What counts with nothing told weigh in the choice of a fit.
UNTOLD_SHARE = 1 / 3


def with_decoder(table, step_bias, shares=None):
    """The table with that bias, and confidences; what was fitted with its weights stays."""
    chosen = dict(zip(DECODING, table[-len(DECODING):])) | {"step_bias": step_bias} | confidence.as_told(shares)
    return np.concatenate([table[: -len(DECODING)], np.array([chosen[name] for name in DECODING], np.float32)])


def loss(truth, counted):
    """How bad a count of steps and revolutions is."""
    steps, revolutions = counted[:2]
    if truth.steps:
        return min(100 * abs(steps - truth.steps) / truth.steps / GOOD_PERCENT, MOST)
    false = min(steps / truth.minutes / GOOD_FALSE, MOST)
    if not truth.revolutions:
        return false
    return (false + min(100 * abs(revolutions - truth.revolutions) / truth.revolutions / GOOD_PERCENT, MOST)) / 2


def average(truths, counted):
    """The mean loss, where `counted` has what was counted of a file. A group weighs as the root of its size: there are 84
    walks at the wrist and six gestures, and neither may outvote the other."""
    groups = [[t for t in truths if t.group == name] for name in sorted({t.group for t in truths})]
    return np.average([np.mean([loss(t, counted(t.file)) for t in group]) for group in groups],
                      weights=[len(group) ** 0.5 for group in groups])


def losses(count, tables, truths, places, untold_share=0):
    """The loss of each of `places`, which has the number of the table that a file is counted with; a share of it is that of
    counts to which nothing was told."""
    shares = {1: 1 - untold_share} | ({0: untold_share} if untold_share else {})
    results = count(tables, [(t.file, place[t.file], told) for place in places for t in truths for told in shares])
    return [sum(share * average(truths, lambda file, place=place, told=told: results[file, place[file], told])
                for told, share in shares.items()) for place in places]


def losses_of_each(count, truths, tables):
    """The loss of each table, which counts everybody."""
    own = [t for t in truths if t.steps is not None]
    return losses(count, tables, own, [{t.file: n for t in own} for n in range(len(tables))], UNTOLD_SHARE)


def choose(count, truths, of_fold, of_device, folds):
    """The biases by the fold that is left out, and for `None` the one of the table.

    `of_fold` and `of_device` have a table for each fold and device that its weights have not seen. A fold's bias counts the
    other folds' people best, each with weights that have not seen them; that of the table counts all best with weights that have
    seen neither the person nor, weighed as much, the device.
    """
    own = [t for t in truths if t.steps is not None]
    tables, places = [], {}
    for kind, table_of, key in (("fold", of_fold, lambda t: t.fold), ("device", of_device, lambda t: t.device)):
        names = sorted(table_of)
        for number, bias in enumerate(STEP_BIASES):
            places[kind, number] = {t.file: len(tables) + names.index(key(t)) for t in own}
            tables += [with_decoder(table_of[name], bias) for name in names]
    results = count(tables, [(t.file, place[t.file], 1) for place in places.values() for t in own])

    def found(kind, truths):
        return np.array([average(truths, lambda file, n=n: results[file, places[kind, n][file], 1])
                         for n in range(len(STEP_BIASES))])

    wanted = {f: found("fold", [t for t in own if t.fold != f]) for f in folds}
    wanted[None] = (found("fold", own) + found("device", own)) / 2
    for f, values in wanted.items():
        print("for strangers" if f is None else f"without fold {f}", "losses", " ".join(f"{x:.3f}" for x in values), flush=True)
    return {f: STEP_BIASES[int(np.argmin(values))] for f, values in wanted.items()}
