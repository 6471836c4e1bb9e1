"""Forecast the Kuramoto-Sivashinsky equation on 128 cells by local networks, and see how far in
space and time the forecast stays true.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# The maximal exponent of the equation at this length, per unit of time (benchmarks/fields.json)
TRAIN, AHEAD, DT, LENGTH, EXPONENT = 2000, 560, 0.25, 60.0, 0.09


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--units", type=int, default=500)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    field = sn.datasets.kuramoto_sivashinsky(TRAIN + AHEAD, LENGTH, 128, DT, rng=0)
    model = sn.ESNFieldForecaster(
        options.units, patch=4, halo=8, memory=0.5, bend=1, bias_ratio=24, random_state=0
    ).fit(field[:TRAIN])
    truth, forecast = field[TRAIN:], model.forecast(AHEAD)

    valid = EXPONENT * sn.metrics.valid_time(truth, forecast, dt=DT)
    figure, panels = plt.subplots(3, 1, figsize=(7, 5), sharex=True, layout="constrained")
    meshes = sn.plotting.plot_field(panels, truth, forecast, dt=EXPONENT * DT, length=LENGTH)
    for axes in panels:
        axes.axvline(valid, color="black", lw=1, ls="--")
    panels[-1].set_xlabel("time ahead (Lyapunov times); dashed: error exceeds .4 deviations")
    figure.colorbar(meshes[0], ax=list(panels), label="u")
    figure.savefig(options.out / "forecast_field.png", dpi=80)
    error = np.abs(forecast[0] - truth[0]).max() / field.std()
    print(
        f"noise {model.noise_:g}; first step wrong by {error:.1e} deviations; true for {valid:.1f} "
        "Lyapunov times"
    )


if __name__ == "__main__":
    main()
