"""Reads what `trials features` wrote, and says which states each moment may have been in."""

import csv
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# As PeriodAxis, Autocorrelation and MotionFeatures have it.
PLACES = 60
PLACES_PER_OCTAVE = 12
SHORTEST_S = 0.106
STEP_PLACES = np.arange(14, 54)
PEDAL_PLACES = np.arange(18, 58)
CURVES = ("norm", "vector", "envelope", "turning", "shortNorm", "shortVector")
LEVELS = 11
BEST = 6
GROUPS = ("unknown", "wrist", "carried", "pocket", "leg")
STILL = 3
STATES = STILL + len(STEP_PLACES) + len(PEDAL_PLACES)
STEPS = slice(STILL, STILL + len(STEP_PLACES))
PEDALS = slice(STILL + len(STEP_PLACES), STATES)

PERIODS_S = SHORTEST_S * 2 ** (np.arange(PLACES) / PLACES_PER_OCTAVE)
STEP_S, PEDAL_S = PERIODS_S[STEP_PLACES], PERIODS_S[PEDAL_PLACES]

GROUP_OF = {"wrist": 1, "hand": 2, "bag": 2, "hip": 2, "back": 2, "pocket": 3, "thigh": 3, "ankle": 4, "foot": 4}


@dataclass
class Take:
    """One recording, copy or simulation, and where its rows are."""

    file: str
    kind: str
    subject: str
    placement: str
    activity: str
    copy: int
    stretch: float
    rows: slice

    @property
    def source(self):
        return self.file.split("/")[0]

    @property
    def group(self):
        return GROUP_OF.get(self.placement, 0)

    @property
    def is_simulated(self):
        return self.source == "sim"


class Data:
    """All rows of a folder; `allowed` has the states that a moment may have been in, `weight` what it weighs."""

    def __init__(self, folder, recordings):
        folder, self.recordings = Path(folder), Path(recordings)
        width = 3 + len(CURVES) * PLACES + LEVELS + BEST
        raw = np.fromfile(folder / "features.bin", np.int16).reshape(-1, width)
        self.time_s = (raw[:, 0].astype(np.uint16).astype(np.int64) | raw[:, 1].astype(np.int64) << 16) / 1000
        self.has_acceleration = (raw[:, 2] & 1) > 0
        self.has_turning = (raw[:, 2] & 2) > 0
        self.curves = raw[:, 3 : 3 + len(CURVES) * PLACES].reshape(-1, len(CURVES), PLACES)
        self.levels = raw[:, 3 + len(CURVES) * PLACES :].astype(np.float32) / 1024
        self.takes = [
            Take(r["file"], r["kind"], r["subject"], r["placement"], r["activity"], int(r["copy"]), float(r["stretch"]),
                 slice(int(r["first_row"]), int(r["first_row"]) + int(r["rows"])))
            for r in csv.DictReader(open(folder / "takes.csv"))
        ]
        self.index = {r["file"]: r for r in csv.DictReader(open(self.recordings / "index.csv"))}
        events = self.events = {}
        for row in csv.DictReader(open(folder / "events.csv")):
            events.setdefault(row["file"], []).append(float(row["t_s"]))
        self.allowed = np.zeros((len(raw), STATES), bool)
        self.weight = np.ones(len(raw), np.float32)
        self.group = np.zeros(len(raw), np.int8)
        self.take = np.zeros(len(raw), np.int32)
        for number, take in enumerate(self.takes):
            self.group[take.rows] = take.group
            self.take[take.rows] = number
            label = SimulatedLabels(self, take, events.get(take.file, [])) if take.is_simulated else Labels(self, take)
            self.allowed[take.rows], self.weight[take.rows] = label.allowed, label.weight
        self.weight[~self.allowed.any(1)] = 0


def step_times(path):
    """The times of true steps, s, without those that follow one at once: switches in shoes bounce."""
    times = np.array(sorted(float(r["t_s"]) for r in csv.DictReader(open(path))))
    return times[np.r_[True, np.diff(times) > 0.15]] if len(times) else times


# The most movement at rest, m/s², as in StateModel.
MOST_AT_REST = 8
# Hours of exercises and of hands at work beside minutes of everything else.
SOURCE_WEIGHTS = {"spar": 0.45, "wisdm": 0.15, "ptex_legs": 0.3, "ptex_arms": 0.3, "aos500": 2, "sensorwatch25": 1.5}


class Labels:
    """The states that the moments of a recording may have been in, from its truth: a set, because a total says the rate
    only roughly, and an activity not at all."""

    def __init__(self, data, take):
        self.time = data.time_s[take.rows]
        levels = np.exp(data.levels[take.rows])
        # Without acceleration, angular velocity stands in.
        has = data.has_acceleration[take.rows]
        self.now = np.where(has, levels[:, 2], 3 * levels[:, 9])
        self.level = np.where(has, levels[:, 3], 3 * levels[:, 10])
        self.allowed = np.zeros((len(self.time), STATES), bool)
        self.weight = np.ones(len(self.time), np.float32)
        row, self.stretch = data.index[take.file], take.stretch
        activity, source = take.activity, take.source
        truth = data.recordings / row["events_file"] if row["events_file"] else None
        rpm = data.recordings / row["rpm_file"] if row["rpm_file"] else None
        if truth and truth.exists():
            self.of_events(step_times(truth), knows_rests=source != "gaitmap")
        elif rpm and rpm.exists():
            self.of_cadence(list(csv.DictReader(open(rpm))))
        elif row["true_steps"] and float(row["true_steps"]) > 0:
            self.of_total(float(row["true_steps"]))
        elif "cycl" in activity or "bik" in activity:
            # Turning or coasting, but no steps.
            self.allowed[:, PEDALS] = True
            self.allowed[:, :2] = True
            self.weight[:] = 0.3
        elif "walk" in activity and "non-walk" not in activity or "running" in activity:
            least, most = (0.25, 0.46) if "running" in activity else (0.4, 0.8)
            moving = self.now > 0.7
            self.allow_steps(moving, least * take.stretch, most * take.stretch)
            self.allowed[~moving, :2] = True
            self.weight[~moving] = 0.3
        else:
            self.allowed[:, : 3 if "driv" in activity else 2] = True
        self.weigh(take)

    def weigh(self, take):
        activity, source = take.activity, take.source
        # Nobody rests whose sensor is shaken so.
        self.allowed[self.now > MOST_AT_REST, 0] = False
        if source in SOURCE_WEIGHTS:
            self.weight *= SOURCE_WEIGHTS[source]
        elif any(word in activity for word in ("gesture", "shak")):
            self.weight *= 12
        elif any(word in activity for word in ("exercise", "squat", "driv")):
            self.weight *= 3
        elif any(word in activity for word in ("daily", "desk")):
            self.weight *= 2
        if source == "oxford_opt":
            self.weight *= 1.5
        if source == "jarchi" and "cycl" in activity:
            self.weight *= 2.5
        if take.copy:
            self.weight *= 0.8

    def allow_steps(self, moments, least_s, most_s):
        states = STILL + np.where((STEP_S >= least_s) & (STEP_S <= most_s))[0]
        self.allowed[np.ix_(np.where(moments)[0], states)] = True

    def of_events(self, times, knows_rests):
        """Steps at known times: within 5.5 % of the mean step around."""
        gaps = np.diff(times)
        for k, t in enumerate(self.time):
            i = np.searchsorted(times, t)
            if 0 < i < len(times) and gaps[i - 1] < 1.6:
                around = gaps[max(0, i - 3) : min(len(gaps), i + 2)]
                period = np.median(around[around < 1.6]) * self.stretch
                self.allowed[k, STILL + np.where(np.abs(np.log(STEP_S / period)) < 0.055)[0]] = True
            elif min(abs(t - times[min(i, len(times) - 1)]), abs(t - times[max(i - 1, 0)])) < 0.6 or not knows_rests:
                self.weight[k] = 0
            else:
                self.allowed[k, :2] = True

    def of_total(self, steps):
        """A count for the whole: while it moves, within 28 % of the mean step."""
        least = max(0.35 * np.median(self.level), 0.35)
        moving, perhaps = self.now > least, (self.now > 0.25) & (self.now <= least)
        seconds = moving.mean() * (self.time[-1] - self.time[0] + 0.4) if len(self.time) else 0
        period = seconds / steps * self.stretch
        self.allow_steps(moving | perhaps, period / 1.28, period * 1.28)
        self.allowed[~moving, :2] = True
        self.weight[moving & (self.now < 1.5 * least)] = 0.3

    def of_cadence(self, windows):
        """Windows with a cadence that is sure; else pedals or rest."""
        rate, count = np.zeros(len(self.time)), np.zeros(len(self.time))
        for window in windows:
            if float(window["confidence"] or 0) < 1:
                continue
            inside = (self.time >= float(window["t_start_s"])) & (self.time < float(window["t_end_s"]))
            rate[inside] += float(window["rpm"])
            count[inside] += 1
        for k in range(len(self.time)):
            if count[k]:
                period = 60 * count[k] / rate[k] * self.stretch
                self.allowed[k, PEDALS] = np.abs(np.log(PEDAL_S / period)) < 0.07
            else:
                self.allowed[k, PEDALS] = True
                self.allowed[k, :2] = True


class SimulatedLabels:
    """The states of a simulated subject's moments, from the true times of steps or revolutions."""

    def __init__(self, data, take, events):
        self.time = data.time_s[take.rows]
        self.allowed = np.zeros((len(self.time), STATES), bool)
        self.weight = np.ones(len(self.time), np.float32)
        if take.kind == "vehicle":
            self.allowed[:, :3] = True
        elif take.kind == "hand" or len(events) < 3:
            self.allowed[:, :2] = True
        else:
            self.of_events(np.array(events), take)

    def of_events(self, times, take):
        gaps, rides = np.diff(times), take.kind == "ride"
        periods, first = (PEDAL_S, PEDALS.start) if rides else (STEP_S, STEPS.start)
        longest = 2.6 if rides else 1.35
        if take.activity in ("ride", "sprint"):
            longest = 4
        if take.activity in ("walk", "slow"):
            longest = 2.6
        tolerance = {"limp": 0.08, "uneven": 0.09, "bouts": 0.09}.get(take.activity, 0.07 if rides else 0.06)
        for k, t in enumerate(self.time):
            i = np.searchsorted(times, t)
            if 0 < i < len(times) and gaps[i - 1] < longest:
                around = gaps[max(0, i - 2) : min(len(gaps), i + 2)] if not rides else gaps[i - 1 : i]
                around = around[around < longest]
                period = around.mean() * take.stretch
                self.allowed[k, first + np.where(np.abs(np.log(periods / period)) < tolerance)[0]] = True
                continue
            nearest = min(abs(t - times[min(i, len(times) - 1)]), abs(t - times[max(i - 1, 0)]))
            usual = np.median(gaps[gaps < longest]) if (gaps < longest).any() else 1
            if nearest < max(0.7, usual if rides else 0):
                self.weight[k] = 0
            else:
                self.allowed[k, :2] = True


def fold_of(take, folds=5):
    """The fold of a subject; subjects of sources with few of them are spread by hand over the folds. Simulated subjects of seeds
    that are not fitted to are strangers to every fit: they are spread evenly."""
    fixed = {"ox-carmelo": 0, "ox-jamie": 1, "jarchi-s1": 0, "jarchi-s3": 1, "jarchi-s6": 2, "jarchi-s8": 3,
             "gaitmap-healthy": 2, "mobgap-HA001": 3, "st-unknown": 3}
    if take.is_simulated:
        return int(take.file.split("/")[-1]) % folds
    if take.subject in fixed:
        return fixed[take.subject]
    return 2 if take.source == "st_pamap2" else zlib.crc32(take.subject.encode()) % folds


def device_of(take):
    """Recordings made with the same kind of device."""
    return "st" if take.source.startswith("st") else take.source


def kinds(data):
    """`step`, `pedal` or `still` of each row, by the states that it may be in."""
    kind = np.full(len(data.allowed), "still", dtype="U5")
    kind[data.allowed[:, PEDALS].any(1)] = "pedal"
    kind[data.allowed[:, STEPS].any(1)] = "step"
    return kind
