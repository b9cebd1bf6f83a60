"""Calibrates the confidence of a cadence: how often one is right that was told with a probability, of people whom the weights
have not seen (B. Zadrozny and C. Elkan, "Transforming classifier scores into accurate multiclass probability estimates", 2002)."""

from dataclasses import dataclass

import numpy as np

# As Calibration.person has them.
KNOTS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1])
KINDS = ("step", "pedal")
# A cadence is right within so many steps or turns a minute: five strides, five turns.
RIGHT = {"step": 10, "pedal": 5}
# Seconds on both sides of a start or a stop that are not asked about.
EDGE_S = 4


def as_told(shares=None):
    """The decoder's numbers of confidence: the shares by kind, or probabilities as they are."""
    return {f"{kind}_confidence_{knot}": share for kind in KINDS for knot, share in zip(KNOTS, (shares or {}).get(kind, KNOTS))}


@dataclass
class Told:
    """Seconds with a cadence of one kind: how likely it was said to be, whether it was right, and of which subject."""

    probability: np.ndarray
    right: np.ndarray
    weight: np.ndarray
    fold: np.ndarray


def true_cadence(truth, count):
    """The true cadence of each second by kind, 0 where none; a second that is not known is not a number."""
    true = {kind: np.full(count, np.nan) for kind in KINDS}
    if truth.windows:
        true["step"][:] = 0
        for start, end, rpm in truth.windows:
            true["pedal"][int(start) + 1 : int(end)] = rpm
    elif truth.times is not None and len(truth.times) > 2:
        kind, longest = ("pedal", 4) if truth.revolutions is not None else ("step", 1.6)
        gaps = np.diff(truth.times)
        for second in range(count):
            # Two strides, or turns: left and right steps differ.
            i = np.searchsorted(truth.times, second + 0.5)
            around = gaps[max(0, i - 3) : i + 1]
            goes_on = 0 < i < len(truth.times) and gaps[i - 1] < longest and around.max() < longest
            true[kind][second] = 60 / np.mean(around) if goes_on else 0
        moves = true[kind] > 0
        changes = np.where(moves[1:] != moves[:-1])[0]
        for second in changes:
            true[kind][max(0, second - EDGE_S) : second + EDGE_S + 1] = np.nan
        true["step" if kind == "pedal" else "pedal"] = np.where(np.isnan(true[kind]), np.nan, 0)
    elif truth.steps == 0:
        for kind in KINDS:
            true[kind][:] = 0
    return true


def told(truths, results, table_of):
    """What was told by kind. Recordings weigh as much as simulations, altogether."""
    rows = {kind: [] for kind in KINDS}
    for truth in truths:
        key = truth.file, table_of(truth), 1
        if truth.group is None or key not in results:
            continue
        seconds = results[key][2]
        true = true_cadence(truth, len(seconds))
        for kind, column in (("pedal", 0), ("step", 1)):
            said = (seconds[:, column] > 0) & ~np.isnan(true[kind])
            is_right = (np.abs(seconds[:, column] - true[kind]) <= RIGHT[kind]) & (true[kind] > 0)
            rows[kind] += [(seconds[i, 2] / 100, is_right[i], truth.is_simulated, truth.fold) for i in np.where(said)[0]]
    out = {}
    for kind, own in rows.items():
        probability, right, simulated, fold = np.array(own, float).reshape(-1, 4).T
        weight = np.where(simulated, 1 / max(simulated.sum(), 1), 1 / max((1 - simulated).sum(), 1))
        out[kind] = Told(probability, right, weight, fold)
    return out


def nearest(probability):
    return np.searchsorted((KNOTS[1:] + KNOTS[:-1]) / 2, probability)


def shares(own, chosen=slice(None)):
    """The share of right seconds at each knot, made monotone by pooling neighbours."""
    bins, weight, right = nearest(own.probability[chosen]), own.weight[chosen], own.right[chosen]
    pools = []
    for knot in range(len(KNOTS)):
        total = weight[bins == knot].sum()
        if not total:
            continue
        pools.append([total, (weight * right)[bins == knot].sum(), knot])
        while len(pools) > 1 and pools[-1][1] / pools[-1][0] < pools[-2][1] / pools[-2][0]:
            total, good, knot = pools.pop()
            pools[-1] = [pools[-1][0] + total, pools[-1][1] + good, knot]
    if not pools:
        return KNOTS
    ends = np.array([knot for _, _, knot in pools])
    values = np.array([good / total for total, good, _ in pools])
    return values[np.minimum(np.searchsorted(ends, np.arange(len(KNOTS))), len(values) - 1)]


def table_lines(own):
    """How often cadences were right by the confidence that they were told with, calibrated on the other folds' subjects."""
    lines = ["| | confidence told | right | share of the seconds |", "| --- | ---: | ---: | ---: |"]
    for kind in KINDS:
        t = own[kind]
        if not len(t.fold):
            continue
        calibrated = np.zeros(len(t.fold))
        for fold in np.unique(t.fold):
            calibrated[t.fold == fold] = np.interp(t.probability, KNOTS, shares(t, t.fold != fold))[t.fold == fold]
        edges = np.quantile(calibrated, (0, 0.02, 0.05, 0.1, 0.3, 1))
        bins = np.searchsorted(edges[1:-1], calibrated)
        for b in np.unique(bins):
            w = t.weight * (bins == b)
            lines.append(f"| {kind} | {(w * calibrated).sum() / w.sum():.2f} | {(w * t.right).sum() / w.sum():.2f} "
                         f"| {100 * w.sum() / t.weight.sum():.0f} % |")
    return lines
