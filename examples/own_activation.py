"""An activation of your own: a value and its derivative, and every measure of the library works
with it.

The softsign a/(1 + |a|) beside tanh and the sphere, driven by weak white noise: where does the
maximal Lyapunov exponent pass through zero?
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@dataclass(frozen=True)
class Softsign:
    """a/(1 + |a|): like tanh, but it saturates slowly."""

    sphere_radius = None  # the states fill a cube, not a sphere

    def value(self, pre_activation: np.ndarray) -> np.ndarray:
        return pre_activation / (1 + np.abs(pre_activation))

    def pushforward(self, pre_activation: np.ndarray, tangents: np.ndarray) -> np.ndarray:
        return (tangents.T / (1 + np.abs(pre_activation)) ** 2).T


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    signal, radii = (
        sn.datasets.white_noise(1500, rng=1, low=-0.3, high=0.3),
        np.linspace(0.2, 3.0, 15),
    )
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for activation, colour in (
        (Softsign(), "#009E73"),
        (sn.Tanh(), "#D55E00"),
        (sn.OnSphere(), "#0072B2"),
    ):
        exponents = []
        for radius in radii:
            reservoir = sn.random_reservoir(
                60, activation=activation, spectral_radius=radius, rng=0
            )
            exponents.append(sn.analysis.max_lyapunov(reservoir, signal).exponent)
        axes.plot(radii, exponents, "o-", ms=4, color=colour, label=type(activation).__name__)
    axes.axhline(0, color="0.6", lw=0.8)
    axes.set(
        xlabel="spectral radius",
        ylabel="maximal Lyapunov exponent",
        title="Above zero the network never forgets its start",
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(out / "own_activation.png", dpi=110)
    print("an activation needs sphere_radius, value and pushforward; nothing else")


if __name__ == "__main__":
    main()
