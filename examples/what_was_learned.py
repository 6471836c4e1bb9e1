"""What did a network learn of the Lorenz system? Exponents, dimension, fixed points, climate."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

import spheresn as sn
from spheresn import analysis, plotting

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TRAIN, AHEAD, DT = 5000, 8000, 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    series = sn.datasets.lorenz(TRAIN + AHEAD, DT)
    model = sn.ESNForecaster(units=300, random_state=0).fit(series[:TRAIN])
    run = model.forecast(AHEAD)
    spectrum = analysis.lyapunov_spectrum(model, dt=DT)
    dimension = analysis.kaplan_yorke_dimension(spectrum)
    rest = analysis.fixed_points(model, dt=DT)
    found = analysis.climate(run, series[:TRAIN])

    low, high = spectrum.interval()
    for name, *ends, true in zip("123", low, high, (0.906, 0.0, -14.57), strict=False):
        print(f"exponent {name}: {ends[0]:.2f} to {ends[1]:.2f} (the equations: {true:g})")
    print(f"dimension {dimension.dimension:.3f} ± {dimension.standard_error:.3f} (2.062)")
    for point, count in zip(rest.points, rest.unstable, strict=True):
        print(f"rests at {point.round(2) + 0.0}, where {count} directions grow")
    print(f"climate: {found.verdict}; {found.reason}")

    figure = plt.figure(figsize=(7.5, 3.6), layout="constrained")
    panels = [figure.add_subplot(1, 2, k, projection="3d") for k in (1, 2)]
    plotting.attractor(panels, series[TRAIN:], run, linewidth=0.25)
    panels[1].scatter(*rest.points.T, color="#D55E00", s=18, depthshade=False, zorder=10)
    panels[1].set(title="free run, and where it would rest")
    for axes in panels:
        axes.view_init(elev=15, azim=-60)
        axes.set(xlabel="x", ylabel="y", zlabel="z", zlim=(-1, 48), box_aspect=(1, 1, 0.85))
        axes.tick_params(labelsize=7)
    figure.savefig(out / "what_was_learned.png", dpi=100)


if __name__ == "__main__":
    main()
