"""Walks and rides as files for `stridebus replay` and `stridebus count`: made up, so that the test needs nobody's data."""
import math, pathlib, random

RATE_HZ = 50
HEADER = "t_s,ax,ay,az,gx,gy,gz,mx,my,mz\n"


def write(path, seconds, row):
    with open(path, "w") as file:
        file.write(HEADER)
        for index in range(int(seconds * RATE_HZ)):
            t = index / RATE_HZ
            file.write(f"{t:.3f}," + ",".join(f"{value:.4f}" for value in row(t)) + ",,,\n")


def walk(path, seconds, seed):
    """A sensor at the hip of somebody who walks for 40 s, stands for 8 s, and so on (m/s², rad/s)."""
    chance = random.Random(seed)
    steps_hz, strength = chance.uniform(1.6, 2.0), chance.uniform(2.2, 3.2)

    def row(t):
        walks = 4 < t < seconds - 4 and t % 48 < 40
        phase = 2 * math.pi * steps_hz * t
        swing = strength if walks else 0
        noise = lambda scale: chance.gauss(0, scale)
        return (swing * 0.4 * math.sin(phase / 2) + noise(0.05), swing * 0.5 * math.cos(phase) + noise(0.05),
                9.81 + swing * (math.sin(phase) + 0.3 * math.sin(2 * phase + 1)) + noise(0.05),
                swing * 0.2 * math.sin(phase / 2) + noise(0.01), noise(0.01), noise(0.01))

    write(path, seconds, row)


def ride(path, seconds, seed):
    """A sensor on the crank of a bike, at a cadence that drifts, with a pause in every two minutes."""
    chance = random.Random(seed)
    usual, state = chance.uniform(70, 95), {"angle": 0.0, "rpm": 0.0}

    def row(t):
        aim = usual + 8 * math.sin(t / 17) if 3 < t < seconds - 5 and t % 120 < 100 else 0.0
        state["rpm"] += (aim - state["rpm"]) * 0.02
        speed = state["rpm"] * 2 * math.pi / 60
        state["angle"] += speed / RATE_HZ
        noise = lambda scale: chance.gauss(0, scale)
        return (9.81 * math.sin(state["angle"]) + noise(0.2), 9.81 * math.cos(state["angle"]) + noise(0.2), noise(0.2),
                noise(0.02), noise(0.02), speed + noise(0.02))

    write(path, seconds, row)


def make(folder, seconds, walkers, bikes):
    """Files by what `replay` and `count` are told of them."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    files = {("wearable", "hip"): [], ("bike", "crank"): []}
    for number in range(1, walkers + 1):
        files["wearable", "hip"].append(folder / f"walker-{number}.csv")
        walk(files["wearable", "hip"][-1], seconds, number)
    for number in range(1, bikes + 1):
        files["bike", "crank"].append(folder / f"bike-{number}.csv")
        ride(files["bike", "crank"][-1], seconds, 100 + number)
    return files
