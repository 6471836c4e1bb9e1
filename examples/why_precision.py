"""What a strong bias hides in the states of a network, and which readout finds it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from math import comb
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn
from spheresn.readout import Gram, Triangle, solve

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TRAIN, AHEAD, DT, EXPONENT, WASHOUT = 5000, 1500, 0.02, 0.906, 50
RATIOS = {3: "#E69F00", 10: "#0072B2", 30: "#009E73"}
KINDS = {Gram: (range(-14, 1), "--", "Gram"), Triangle: (range(-30, 1, 2), "-", "orthogonal")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--units", type=int, default=500)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    series = sn.datasets.lorenz(TRAIN + 4 * AHEAD, DT, tolerance=1e-13)
    series = (series - series[:TRAIN].mean(axis=0)) / series[:TRAIN].std(axis=0)
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.7), layout="constrained")
    for ratio, color in RATIOS.items():
        network = sn.ESNForecaster(
            options.units, memory=0.5, bend=1.0, bias_ratio=ratio, noise=0.0, penalty=1e-9,
            random_state=0,
        ).fit(series[:TRAIN])  # fmt: skip
        states = sn.drive(network.reservoir_, series[:-1])
        learn = states[WASHOUT : TRAIN - 1], np.diff(series, axis=0)[WASHOUT : TRAIN - 1]
        values = np.linalg.svd(learn[0] - learn[0].mean(axis=0), compute_uv=False)
        panels[0].semilogy(values / values[0], color=color, label=f"bias {ratio} : 1")
        for kind, (decades, style, name) in KINDS.items():
            moments = kind.of(*learn)
            shares = 10.0 ** np.array(decades)
            loops = [
                replace(
                    network.closed_loop_, weights=solve(moments, share * moments.trace), carry=1
                )
                for share in shares
            ]
            found = np.array([judged(loop, states, series) for loop in loops])
            label = name if ratio == 10 else None
            panels[1].loglog(shares, found[:, 0], style, color=color, label=label)
            panels[2].semilogx(shares, found[:, 1], style, color=color)
            print(
                f"bias {ratio:2} : 1, {name:10}: one-step error {found[:, 0].min():.0e}, "
                f"true for {found[:, 1].max():.1f} Lyapunov times"
            )
    finish(figure, panels, options.units)
    figure.savefig(options.out / "why_precision.png", dpi=110)


def judged(loop: sn.System, states: np.ndarray, series: np.ndarray) -> tuple[float, float]:
    """The one-step error and the valid time of free runs after the training rows, medians."""
    errors, valid = [], []
    for start in range(TRAIN, len(series) - AHEAD, AHEAD // 2):
        truth = series[start + 1 : start + 1 + AHEAD]
        ahead, _ = loop.run(len(truth), states[start - 1], series[start], np.zeros((len(truth), 0)))
        errors.append(np.sqrt(np.mean((ahead[0] - truth[0]) ** 2)))
        valid.append(EXPONENT * sn.metrics.valid_time(truth, ahead, dt=DT))
    return float(np.median(errors)), float(np.median(valid))


def finish(figure: plt.Figure, panels: list[plt.Axes], units: int) -> None:
    """Titles, limits, legends."""
    for limit in (1e-8, 1e-16):
        panels[0].axhline(limit, color="0.5", lw=0.8, ls=":")
    note = {"fontsize": 8, "color": "0.35"}
    panels[0].text(units, 1.6e-8, "below: lost in a Gram matrix", ha="right", **note)
    panels[0].text(8, 1.2e-17, "below: lost in the states", **note)
    for degree in range(2, 40):
        if comb(degree + 3, 3) < units:
            panels[0].axvline(comb(degree + 3, 3), color="0.9", lw=0.8, zorder=0)
    panels[0].set(xlabel="singular value of the states", ylabel="relative to the largest")
    panels[0].set(title="(a) what the states hold", ylim=(1e-18, 2), xlim=(0, units))
    panels[0].legend(frameon=False, fontsize=8, loc="upper right")
    panels[1].set(xlabel="penalty (share of the trace)", ylabel="deviations")
    panels[1].set(title="(b) error of one step")
    panels[1].legend(frameon=False, fontsize=8)
    panels[2].set(xlabel="penalty (share of the trace)", ylabel="Lyapunov times", ylim=(0, None))
    panels[2].set(title="(c) how long free runs stay true")
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.title.set_fontsize(10)


if __name__ == "__main__":
    main()
