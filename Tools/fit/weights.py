"""What each moment weighs in the fit: people as they are on record, simulations beside them by what is not on record."""

import numpy as np

# The weight of simulations beside that of all people, by what is done and whether it is felt at the wrist, on the trunk
# or on a leg.
SHARES = {
    ("walk", "wrist"): 0.08, ("walk", "trunk"): 0.10, ("walk", "leg"): 0.20,
    ("ride", "wrist"): 0.10, ("ride", "leg"): 0.25,
    ("hand", "wrist"): 0.30, ("hand", "trunk"): 0.05,
    ("vehicle", "wrist"): 0.01, ("vehicle", "trunk"): 0.02, ("vehicle", "leg"): 0.02,
    ("stand", "wrist"): 0.02, ("stand", "trunk"): 0.03, ("stand", "leg"): 0.04,
}
# Walks that are hard to count, beside other walks.
HARD, HARD_FACTOR = ("limp", "uneven", "bouts"), 1.5
# Runs beside walks, at the wrist and elsewhere: what hands shake is as quick. Slow walks, which look like anything.
# Riders hardly ever turn their pedals as fast as runners take steps.
RUN_FACTORS, SLOW_FACTOR, SPRINT_FACTOR = (4, 3), 0.5, 0.3


def cell(take):
    """What is simulated, or `None` of a person."""
    if not take.is_simulated:
        return None
    place = "wrist" if take.placement == "wrist" else "leg" if take.group >= 3 else "trunk"
    return ("stand" if take.activity == "stand" else take.kind), place


def weights(data, simulated=1.0):
    weight = data.weight.copy()
    cells = [cell(take) for take in data.takes]
    people = weight[np.array([c is None for c in cells])[data.take]].sum() or len(weight)
    for name, share in SHARES.items():
        rows = np.array([c == name for c in cells])[data.take]
        if rows.any():
            weight[rows] *= simulated * share * people / weight[rows].sum()
    hard = np.array([take.is_simulated and take.activity in HARD for take in data.takes])[data.take]
    weight[hard] *= HARD_FACTOR
    own = {"run": RUN_FACTORS, "slow": (SLOW_FACTOR,) * 2, "sprint": (SPRINT_FACTOR,) * 2}
    factors = np.array([own[take.activity][take.placement != "wrist"] if take.is_simulated and take.activity in own else 1
                        for take in data.takes])
    weight *= factors[data.take]
    return weight
