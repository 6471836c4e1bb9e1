"""How far back three networks remember white noise, drawn as one picture.

Settings of Verzelli, Alippi, Livi (2019), Fig. 5(a), at half the size: 500 units, 5,000 training
and 2,000 test steps.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

UNITS, WASHOUT, TRAIN, TEST, DELAYS = 500, 1000, 5000, 2000, np.arange(101)
PENALTY = 1e-12  # relative to the sum of squares of the states, which differ in size
NETWORKS = {
    "spherical": {"activation": sn.OnSphere(), "spectral_radius": 15.0, "input_scaling": 0.01},
    "tanh": {"activation": sn.Tanh(), "spectral_radius": 0.95, "input_scaling": 1.0},
    "linear": {"activation": sn.Linear(), "spectral_radius": 0.95, "input_scaling": 1.0},
}
COLOURS = {"spherical": "#0072B2", "tanh": "#D55E00", "linear": "#555555"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    signal = sn.datasets.white_noise(
        WASHOUT + TRAIN + TEST, np.random.default_rng(1), low=-np.sqrt(3), high=np.sqrt(3)
    )
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for name, settings in NETWORKS.items():
        reservoir = sn.random_reservoir(UNITS, rng=np.random.default_rng(0), **settings)
        states = sn.drive(reservoir, signal)
        penalty = PENALTY * TRAIN * states[WASHOUT:].var(axis=0).sum()
        curve = sn.analysis.memory_curve(
            states, signal, DELAYS, washout=WASHOUT, train=TRAIN, penalty=penalty
        ).test
        axes.plot(DELAYS, curve, color=COLOURS[name], lw=2, label=name)
        shown = ", ".join(f"{curve[delay]:.2f}" for delay in (0, 10, 20, 50, 100))
        print(f"{name:>9}: accuracy {shown} at delays 0, 10, 20, 50, 100")
    axes.set(xlabel="steps ago", ylabel="accuracy (1 - NRMSE)", xlim=(0, 100), ylim=(0, 1.02))
    axes.set_title("How well three networks of 500 units recall an old input", fontsize=11)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / "memory_curves.png", dpi=110)
    print(
        f"Drove three networks of {UNITS} units over {len(signal)} steps; the picture is "
        f"{out / 'memory_curves.png'}"
    )


if __name__ == "__main__":
    main()
