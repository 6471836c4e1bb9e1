"""Forecast the Lorenz system: learn 5,000 rows, then run free, and see how long the forecast stays
true.
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
TRAIN, AHEAD, DT, EXPONENT = 5000, 1600, 0.02, 0.906


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    series = sn.datasets.lorenz(TRAIN + AHEAD, DT, tolerance=1e-13)
    model = sn.ESNForecaster(units=300, random_state=0).fit(series[:TRAIN])
    truth, forecast = series[TRAIN:], model.forecast(AHEAD)

    times = EXPONENT * DT * np.arange(1, AHEAD + 1)
    valid = EXPONENT * sn.metrics.valid_time(truth, forecast, dt=DT)
    figure, panels = plt.subplots(3, 1, figsize=(7, 4.4), sharex=True, layout="constrained")
    for axes, name, true, predicted in zip(panels, "xyz", truth.T, forecast.T, strict=True):
        axes.plot(times, true, color="0.25", lw=2, label="what happened")
        axes.plot(times, predicted, color="#0072B2", lw=1.4, label="forecast")
        axes.axvline(valid, color="#D55E00", lw=1, ls="--", label="error exceeds .4 deviations")
        axes.set_ylabel(name, rotation=0)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), fontsize=9)
    panels[-1].set(xlabel="time ahead (Lyapunov times)", xlim=(0, times[-1]))
    figure.savefig(out / "forecast_lorenz.png", dpi=100)
    print(
        f"memory {model.memory_:.1f} steps, bend {model.bend_:g}; true for {valid:.1f} Lyapunov "
        "times"
    )


if __name__ == "__main__":
    main()
