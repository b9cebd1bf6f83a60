"""The multinomial logistic regression: weights that all periods of a kind share, with deviations by placement group."""

import numpy as np

import confidence
import off_wrist
from data import BEST, CURVES, GROUPS, LEVELS, MOST_AT_REST, PEDAL_PLACES, PEDALS, PLACES, STATES, STEP_PLACES, STEPS, STILL

SHARP, PLAIN = (0, -12, 7, 12, -3, 3, 9, 15), (0, -12, 7, 12)
# The order of StateModel.taps.
TAPS = [(0, o) for o in SHARP] + [(1, o) for o in SHARP] + [(2, o) for o in PLAIN] + [(4, 0), (5, 0), (5, 12)] \
    + [(3, o) for o in SHARP]
TURNING_TAPS = np.array([c == 3 for c, _ in TAPS])
TURNING_LEVELS = np.arange(LEVELS) >= 9
TURNING_BEST = np.arange(BEST) == 3
POWERS = 3
# How the score of rest falls with the logarithm of movement above MOST_AT_REST, as in StateModel.
REST_SLOPE = 1
# How many weighted sums a score is the highest of.
VARIANTS = {"S": 3, "P": 3, "N": 6}
DECODING = ("power", "step_bias", "pedal_bias", "still_to_step", "still_to_pedal", "step_to_still", "step_to_pedal",
            "pedal_to_still", "pedal_to_step", "still_to_still", "jump", "step_spread", "pedal_spread",
            "step_threshold", "pedal_threshold", "onset_most_odds", "onset_decay", "walk_seconds",
            *(f"walk_bias_{group}" for group in GROUPS),
            *(f"onset_evidence_{group}" for group in GROUPS),
            *off_wrist.NAMES,
            *(f"{kind}_confidence_{knot}" for kind in confidence.KINDS for knot in confidence.KNOTS))
# Chosen by hand and by random search, with every recording in view; `decoder.py` chooses `step_bias` anew for each fold.
DECODING_NUMBERS = dict(
    power=0.43, step_bias=1.8, pedal_bias=0.7, still_to_step=0.05, still_to_pedal=0.02, step_to_still=0.001,
    step_to_pedal=0.001, pedal_to_still=0.008, pedal_to_step=0.001, still_to_still=0.06, jump=0.003, step_spread=0.27,
    pedal_spread=0.12, step_threshold=0.5, pedal_threshold=0.5, onset_most_odds=12, onset_decay=0.3, walk_seconds=16,
    walk_bias_unknown=1, walk_bias_wrist=1, walk_bias_carried=0.5, walk_bias_pocket=0.5, walk_bias_leg=0,
    onset_evidence_unknown=120, onset_evidence_wrist=120, onset_evidence_carried=30, onset_evidence_pocket=30,
    onset_evidence_leg=30) | dict.fromkeys(off_wrist.NAMES, 0) | confidence.as_told()


def powers(places):
    x = (places - 30) / 12
    return np.stack([x, x**2, x**3], 1).astype(np.float32)


KINDS = {"S": (STEP_PLACES, STEPS, powers(STEP_PLACES)), "P": (PEDAL_PLACES, PEDALS, powers(PEDAL_PLACES))}


def places_of(places, offset):
    return np.clip(places + offset, 0, PLACES - 1)


# Curves go on as they end, as far as taps reach.
PADDED = np.minimum(np.arange(PLACES + max(SHARP)), PLACES - 1)
# The taps of a kind. The score of a step has no gyroscope: there are hardly any walks with one.
USED = {"S": np.where(~TURNING_TAPS)[0], "P": np.arange(len(TAPS))}


class Model:
    """Parameters of standardised features, and the scales that make them a table of plain ones."""

    def __init__(self, data, rows, seed=0):
        rng = np.random.default_rng(seed)
        some = rows[:: max(1, len(rows) // 8000)]
        turning = data.has_turning[some]
        curves = data.curves[some].astype(np.float32) / 16384
        self.mean = {k: np.zeros(len(TAPS), np.float32) for k in KINDS}
        self.scale = {k: np.ones(len(TAPS), np.float32) for k in KINDS}
        for kind, (places, _, _) in KINDS.items():
            for tap, (curve, offset) in enumerate(TAPS):
                values = curves[:, curve][:, places_of(places, offset)][turning if curve == 3 else slice(None)]
                if values.size:
                    self.mean[kind][tap], self.scale[kind][tap] = values.mean(), values.std() + 1e-3
        levels = data.levels[some]
        is_turning = np.r_[TURNING_LEVELS, TURNING_BEST]
        self.level_mean = np.where(is_turning, levels[turning].mean(0) if turning.any() else 0, levels.mean(0))
        self.level_scale = np.where(is_turning, levels[turning].std(0) if turning.any() else 1, levels.std(0)) + 1e-3
        self.level_mean, self.level_scale = self.level_mean.astype(np.float32), self.level_scale.astype(np.float32)
        z = lambda *shape: np.zeros(shape, np.float32)
        r = lambda *shape: (0.1 * rng.standard_normal(shape)).astype(np.float32)
        self.p = {}
        for kind in KINDS:
            n = VARIANTS[kind]
            self.p |= {"w" + kind: r(n, len(TAPS)), "W" + kind: z(4, len(TAPS)), "t" + kind: r(n, LEVELS),
                       "T" + kind: z(4, LEVELS), "b" + kind: z(n), "B" + kind: z(4, n), "f" + kind: z(2),
                       "l" + kind: z(n, POWERS), "i" + kind: z(n, LEVELS)}
        n = VARIANTS["N"]
        self.p |= {"tN": r(STILL, n, LEVELS + BEST), "TN": z(4, STILL, LEVELS + BEST), "bN": z(STILL, n),
                   "BN": z(4, STILL, n), "fN": z(STILL, 2)}

    @property
    def size(self):
        return sum(v.size for v in self.p.values())

    def batch(self, data, rows, rng=None, told=True):
        """The inputs of rows, those of a placement group together; with a generator, placements and sensors are hidden at
        random."""
        b = Batch()
        group = data.group[rows].astype(int) if told else np.zeros(len(rows), int)
        acceleration, turning = data.has_acceleration[rows].copy(), data.has_turning[rows].copy()
        if rng is not None:
            group = np.where(rng.random(len(rows)) < 0.35, 0, group)
            both, u = acceleration & turning, rng.random(len(rows))
            turning &= ~(both & (u < 0.35))
            acceleration &= ~(both & (u > 0.9))
        shift = (rng.standard_normal((len(rows), 1)) * 0.15 if rng is not None else np.zeros((len(rows), 1)))
        order = np.argsort(group, kind="stable")
        rows, group, acceleration, turning, shift = (x[order] for x in (rows, group, acceleration, turning, shift))
        ends = np.searchsorted(group, np.arange(len(GROUPS) + 1))
        b.rows = rows
        b.parts = [(g, slice(ends[g], ends[g + 1])) for g in range(len(GROUPS)) if ends[g] < ends[g + 1]]
        b.flags = np.stack([acceleration, turning], 1).astype(np.float32)
        b.curves = data.curves[rows].transpose(1, 0, 2)[:, :, PADDED].astype(np.float32) / 16384
        b.curves *= np.where(np.arange(len(CURVES)) == 3, turning[:, None], acceleration[:, None]).T[:, :, None]
        levels = data.levels[rows].copy()
        levels[:, [0, 1, 2, 3, 9, 10]] += shift.astype(np.float32)
        b.unrest = np.maximum(levels[:, 2] * acceleration - np.log(MOST_AT_REST), 0)
        mask = np.where(np.r_[TURNING_LEVELS, TURNING_BEST], b.flags[:, 1:2], b.flags[:, 0:1])
        b.levels = (levels - self.level_mean) / self.level_scale * mask
        return b

    def scores(self, b):
        p, n = self.p, len(b.levels)
        out = np.empty((n, STATES), np.float32)
        still = (b.levels @ p["tN"].reshape(-1, LEVELS + BEST).T).reshape(n, STILL, -1) + p["bN"] + (b.flags @ p["fN"].T)[:, :, None]
        for group, part in b.parts:
            if group:
                still[part] += p["BN"][group - 1] + (b.levels[part] @ p["TN"][group - 1].T)[:, :, None]
        b.best, b.taps = {"N": still.argmax(2)}, {}
        out[:, :STILL] = still.max(2)
        out[:, 0] -= REST_SLOPE * b.unrest
        for kind, (places, states, pw) in KINDS.items():
            levels = b.levels[:, :LEVELS] * self.level_mask(kind)
            common = p["t" + kind] @ levels.T + b.flags @ (p["f" + kind] * self.flag_mask(kind)) + p["b" + kind][:, None]
            taps = b.taps[kind] = self.gather(b, kind, places)
            scores = np.empty((VARIANTS[kind], n, len(places)), np.float32)
            for group, part in b.parts:
                weights = p["w" + kind] + (p["W" + kind][group - 1] if group else 0)
                weights = (weights / self.scale[kind])[:, USED[kind]]
                scores[:, part] = (weights @ taps[:, part].reshape(len(weights[0]), -1)).reshape(len(weights), -1, len(places))
                common[:, part] -= (weights * self.mean[kind][USED[kind]]) @ self.sensors(kind) @ b.flags[part].T
                if group:
                    common[:, part] += levels[part] @ p["T" + kind][group - 1] + p["B" + kind][group - 1][:, None]
            scores += common[:, :, None]
            scores += (p["l" + kind] @ pw.T)[:, None]
            scores += (p["i" + kind] @ levels.T)[:, :, None] * pw[:, 0]
            b.best[kind] = scores.argmax(0)
            out[:, states] = scores.max(0)
        return out

    def gather(self, b, kind, places):
        """The curves at each tap of each row and period."""
        taps = np.empty((len(USED[kind]), len(b.levels), len(places)), np.float32)
        for number, tap in enumerate(USED[kind]):
            curve, offset = TAPS[tap]
            taps[number] = b.curves[curve][:, places[0] + offset : places[-1] + 1 + offset]
        return taps

    def sensors(self, kind):
        """Which of the two sensors each tap is of."""
        return np.stack([~TURNING_TAPS, TURNING_TAPS], 1).astype(np.float32)[USED[kind]]

    def level_mask(self, kind):
        return (~TURNING_LEVELS).astype(np.float32) if kind == "S" else np.float32(1)

    def flag_mask(self, kind):
        return np.array([1, 0 if kind == "S" else 1], np.float32)

    def gradient(self, b, d):
        g = {k: np.zeros_like(v) for k, v in self.p.items()}
        still = d[:, :STILL]
        each = still[:, :, None] * (b.best["N"][:, :, None] == np.arange(VARIANTS["N"]))
        g["tN"] = (each.reshape(len(each), -1).T @ b.levels).reshape(g["tN"].shape)
        g["bN"], g["fN"] = each.sum(0), still.T @ b.flags
        for group, part in b.parts:
            if group:
                g["BN"][group - 1], g["TN"][group - 1] = each[part].sum(0), still[part].T @ b.levels[part]
        for kind, (places, states, pw) in KINDS.items():
            levels = b.levels[:, :LEVELS] * self.level_mask(kind)
            each = d[None, :, states] * (b.best[kind] == np.arange(VARIANTS[kind])[:, None, None])
            total, used, taps = each.sum(2), USED[kind], b.taps[kind]
            for group, part in b.parts:
                own = each[:, part].reshape(len(each), -1) @ taps[:, part].reshape(len(taps), -1).T
                own -= total[:, part] @ b.flags[part] @ self.sensors(kind).T * self.mean[kind][used]
                own /= self.scale[kind][used]
                g["w" + kind][:, used] += own
                if group:
                    g["W" + kind][group - 1, used] = own.sum(0)
                    g["T" + kind][group - 1] = total[:, part].sum(0) @ levels[part]
                    g["B" + kind][group - 1] = total[:, part].sum(1)
            g["t" + kind], g["b" + kind] = total @ levels, total.sum(1)
            g["f" + kind] = (b.flags.T @ total.sum(0)) * self.flag_mask(kind)
            g["l" + kind] = each.sum(1) @ pw
            g["i" + kind] = each @ pw[:, 0] @ levels
        return g

    def table(self, decoding):
        """The numbers of a StateModel's table, in its order."""
        out, p = [], self.p
        flags = [np.array(f, np.float32) for f in ((1, 0), (1, 1), (0, 1))]
        for group in range(len(GROUPS)):
            hot = np.zeros(4, np.float32)
            if group:
                hot[group - 1] = 1
            for kind in "SP":
                for v in range(VARIANTS[kind]):
                    taps = (p["w" + kind][v] + hot @ p["W" + kind]) / self.scale[kind]
                    taps = taps * (~TURNING_TAPS if kind == "S" else 1)
                    levels = (p["t" + kind][v] + hot @ p["T" + kind]) * self.level_mask(kind) / self.level_scale[:LEVELS]
                    slopes = p["i" + kind][v] * self.level_mask(kind) / self.level_scale[:LEVELS]
                    bias, tilt = [], []
                    for f in flags:
                        tm, lm = np.where(TURNING_TAPS, f[1], f[0]), np.where(TURNING_LEVELS, f[1], f[0])
                        bias.append(p["b" + kind][v] + hot @ p["B" + kind][:, v]
                                    + f @ (p["f" + kind] * self.flag_mask(kind))
                                    - (taps * tm) @ self.mean[kind] - (levels * lm) @ self.level_mean[:LEVELS])
                        tilt.append(p["l" + kind][v][0] - (slopes * lm) @ self.level_mean[:LEVELS])
                    out += [taps, levels, slopes, p["l" + kind][v][1:], bias, tilt]
            for state in range(STILL):
                for v in range(VARIANTS["N"]):
                    levels = (p["tN"][state, v] + hot @ p["TN"][:, state]) / self.level_scale
                    bias = []
                    for f in flags:
                        lm = np.where(np.r_[TURNING_LEVELS, TURNING_BEST], f[1], f[0])
                        bias.append(p["bN"][state, v] + hot @ p["BN"][:, state, v] + f @ p["fN"][state]
                                    - (levels * lm) @ self.level_mean)
                    out += [levels, bias]
        out.append([decoding[name] for name in DECODING])
        return np.concatenate([np.asarray(x, np.float32).ravel() for x in out])


class Batch:
    pass


# Rows that weigh less than this many times the mean are drawn as seldom as they weigh little, and weigh this much then: hours of
# hands at work cost no more than they count.
DRAWN_WEIGHT = 2


def drawn(rows, weight, rng):
    """The rows of an epoch in random order."""
    chosen = rows[rng.random(len(rows)) < weight[rows] / DRAWN_WEIGHT]
    rng.shuffle(chosen)
    return chosen


def fit(data, rows, weight, seed=0, epochs=5, batch=512, rate=0.02, l2=1e-3, l2_group=1e-2):
    """Adam on the likelihood of the set of allowed states (D. P. Kingma and J. Ba, 2015)."""
    rng = np.random.default_rng(seed)
    rows = rows[(weight[rows] > 0) & data.allowed[rows].any(1)]
    weight = weight / weight[rows].mean()
    model = Model(data, rows, seed)
    memory = {k: [np.zeros_like(v), np.zeros_like(v)] for k, v in model.p.items()}
    orders = [drawn(rows, weight, rng) for _ in range(epochs)]
    weight = np.maximum(weight, DRAWN_WEIGHT) * np.minimum(weight[rows] / DRAWN_WEIGHT, 1).mean()
    step, total, losses = 0, sum(len(order) // batch for order in orders), []
    for order in orders:
        for start in range(0, len(order) - batch + 1, batch):
            b = model.batch(data, np.sort(order[start : start + batch]), rng)
            chosen = b.rows
            scores = model.scores(b)
            e = np.exp(scores - scores.max(1, keepdims=True))
            q = e / e.sum(1, keepdims=True)
            allowed = e * data.allowed[chosen]
            share = allowed.sum(1, keepdims=True)
            w = weight[chosen, None] / batch
            losses.append(float(-(np.log(np.maximum(share[:, 0] / e.sum(1), 1e-12)) * w[:, 0]).sum()))
            gradient = model.gradient(b, (q - allowed / np.maximum(share, 1e-30)) * w)
            step += 1
            now = rate * (1 - step / total) + 1e-5
            for name, value in model.p.items():
                g = gradient[name] + (l2 if name[0] in "wti" else l2_group if name[0] in "WT" else 0) * value
                first, second = memory[name]
                first += 0.1 * (g - first)
                second += 0.01 * (g * g - second)
                value -= (now * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)).astype(np.float32)
    return model, float(np.mean(losses[-20:]))
