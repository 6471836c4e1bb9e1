"""Noise and gaps: the Lorenz system, measured badly, what a forecaster makes of the rows, and its
forecast with an interval.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# The exponent of the Lorenz system per unit of time
TRAIN, AHEAD, SHOWN, DT, EXPONENT = 5000, 500, 250, 0.02, 0.906
NOISE, MISSING, GAP = 0.1, 0.1, slice(4850, 4875)  # deviations; share of the cells; rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    truth = sn.datasets.lorenz(TRAIN + AHEAD, DT)
    rng = np.random.default_rng(0)
    rows = truth[:TRAIN] + NOISE * truth.std(axis=0) * rng.standard_normal((TRAIN, 3))
    rows[rng.random(rows.shape) < MISSING] = np.nan
    rows[GAP] = np.nan

    model = sn.ESNForecaster(units=300, random_state=0).fit(rows)
    forecast = model.forecast(AHEAD, level=0.9)

    times = EXPONENT * DT * np.arange(1 - TRAIN, AHEAD + 1)
    past, ahead = slice(TRAIN - SHOWN, TRAIN), slice(TRAIN, None)
    figure, panels = plt.subplots(3, 1, figsize=(8, 5), sharex=True, layout="constrained")
    for column, (axes, name) in enumerate(zip(panels, "xyz", strict=True)):
        axes.plot(
            times[past.start :], truth[past.start :, column], color="0.25", lw=1, label="truth"
        )
        axes.plot(times[past], rows[past, column], ".", color="#D55E00", ms=3, label="measured")
        known = model.smoothed_[past, column]
        axes.plot(times[past], known, color="#009E73", lw=1.6, label="what the model makes of it")
        ends = forecast.lower[:, column], forecast.upper[:, column]
        axes.fill_between(times[ahead], *ends, color="#0072B2", alpha=0.2, lw=0)
        mean = forecast.mean[:, column]
        axes.plot(times[ahead], mean, color="#0072B2", lw=1.6, label="forecast, 90 % interval")
        axes.axvline(0.0, color="0.6", lw=0.8)
        axes.set_ylabel(name, rotation=0)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(0, 1), fontsize=9)
    panels[-1].set(xlabel="time (Lyapunov times)", xlim=(times[past.start], times[-1]))
    figure.savefig(out / "noisy_and_gappy.png", dpi=100)

    found = model.observation_noise_ / truth[:TRAIN].std(axis=0)
    print(f"noise found: {', '.join(f'{one:.1%}' for one in found)} of each column's deviation")


if __name__ == "__main__":
    main()
