"""Watch a sensor: a spike, an offset that stays, and a needle that sticks."""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TRAINING, WATCHED = 3000, 3500  # rows
SPIKE, OFFSET, STUCK = 1200, (1800, 2000), (2600, 2660)  # rows of the stream


def sensor(rng: np.random.Generator) -> np.ndarray:
    """A pump: two rhythms that do not fit each other, and noise."""
    t = np.arange(TRAINING + WATCHED)
    return np.sin(0.21 * t) + 0.5 * np.sin(0.13 * t) ** 3 + 0.05 * rng.standard_normal(len(t))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    series = sensor(np.random.default_rng(0))
    training, stream = series[:TRAINING], series[TRAINING:].copy()
    stream[SPIKE] += 0.6
    stream[slice(*OFFSET)] += 0.15
    stream[slice(*STUCK)] = stream[STUCK[0]]
    model = sn.ESNForecaster(units=200, observation_noise=0, random_state=0).fit(training)
    found = list(model.watch(stream, level=0.005))

    rows = np.arange(len(stream))
    lower, upper = (np.array([getattr(one, end)[0] for one in found]) for end in ("lower", "upper"))
    alarms = np.array([one.alarm for one in found])
    changed = np.array([one.changed for one in found])
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 4.4), sharex=True, layout="constrained")
    above.fill_between(rows, lower, upper, color="C0", alpha=0.3, lw=0, label="expected")
    above.plot(rows, stream, "k", lw=0.6, label="measured")
    above.plot(rows[alarms], stream[alarms], "o", color="C1", ms=4, label="alarm")
    above.fill_between(rows, -2, 2, where=changed, color="C3", alpha=0.15, lw=0, label="change")
    above.set(xlim=(1000, 3200), ylim=(-2.4, 2), ylabel="sensor")
    above.legend(loc="lower left", ncols=4)
    below.semilogy(rows, np.maximum([one.evidence for one in found], 1.0), color="C3", lw=1)
    below.axhline(100_000, color="k", lw=0.6, ls=":")
    below.set(xlabel="row", ylabel="evidence of a change")
    figure.savefig(given.out / "watch_a_sensor.png", dpi=100)
    for before, now in pairwise(found):
        if now.changed and not before.changed:
            print(f"row {now.row}: a change, which seems to have begun at row {now.since}")


if __name__ == "__main__":
    main()
