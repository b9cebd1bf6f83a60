"""Fits the logistic regression of OffWrist: whether what looks like steps is a walk that is felt away from the wrist, where
nothing is told."""

import numpy as np

from data import STEP_PLACES, STEPS, kinds

# As OffWrist has them: a bias, levels by number, octaves of the period.
NAMES = tuple(f"off_wrist_{name}" for name in
              ("bias", "norm", "norm_jerk", "vector_jerk", "envelope", "crest", "norm_share", "period"))
LEVELS = (1, 4, 5, 6, 7, 8)
# How much lower than the fitted one the bias is: hands must not count.
CAUTION = 2.4
# What false steps weigh beside walks at a wrist.
FALSE_FACTOR = 2
PENALTY = 1e-3


def fit(model, data, rows, weight):
    """The numbers by name, from true steps away from the wrist, and from all else that looks like steps."""
    rows = rows[(weight[rows] > 0) & (data.group[rows] > 0) & data.has_acceleration[rows]]
    rows = rows[:: max(1, len(rows) // 60_000)]
    places, likely = [], []
    for part in np.array_split(rows, max(1, len(rows) // 2000)):
        scores = model.scores(model.batch(data, part, told=False))
        e = np.exp(scores - scores.max(1, keepdims=True))
        likely.append(e[:, STEPS].sum(1) / e.sum(1))
        places.append(STEP_PLACES[e[:, STEPS].argmax(1)])
    places, likely = np.concatenate(places), np.concatenate(likely)
    is_away, is_step = data.group[rows] >= 2, kinds(data)[rows] == "step"
    chosen = likely > 0.5
    rows, is_step, y = rows[chosen], is_step[chosen], (is_away & is_step)[chosen].astype(float)
    x = np.column_stack([np.ones(len(rows)), data.levels[rows][:, LEVELS], (places[chosen] - 30) / 12]).astype(float)
    # Recordings and simulations weigh as much as each other on either side, and so do both sides.
    simulated = np.array([take.is_simulated for take in data.takes])[data.take[rows]]
    w = weight[rows].astype(float)
    w[~is_step] *= FALSE_FACTOR
    for side in (0, 1):
        for kind in (False, True):
            own = (y == side) & (simulated == kind)
            if own.any():
                w[own] /= w[own].sum()
    w /= w.sum()
    beta = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ beta))
        hessian = (x * (w * p * (1 - p))[:, None]).T @ x + PENALTY * np.diag([0] + [1] * (len(beta) - 1))
        beta += np.linalg.solve(hessian + 1e-9 * np.eye(len(beta)), x.T @ (w * (y - p)) - PENALTY * np.r_[0, beta[1:]])
    beta[0] -= CAUTION
    return dict(zip(NAMES, beta))
