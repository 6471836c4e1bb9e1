"""Where is the bent sphere chaotic? Its maximal Lyapunov exponent over bend and strength of the
input.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

UNITS, BENDS, SCALINGS = 80, np.linspace(0, 2, 17), np.geomspace(0.003, 1, 17)
# Clearly above zero; at little bend and weak input the exponent is zero within its error
CHAOTIC = 0.01


def network() -> sn.Reservoir:
    """Gaussian, and driven as strongly by white noise as by itself."""
    strength = np.sqrt(3 / UNITS)
    return sn.random_reservoir(UNITS, input_scaling=strength, bias_scaling=0.3 * strength, rng=0)


def exponent(base: sn.Reservoir, bend: float, scaling: float, signal: np.ndarray) -> float:
    """Per step, with the input and the bias scaled."""
    reservoir = replace(base, activation=sn.OnSphere(bend=bend)).rescaled(
        inputs=scaling, bias=scaling
    )
    return sn.analysis.max_lyapunov(reservoir, signal, transient=200).exponent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    signal = sn.datasets.white_noise(1200, rng=0, low=-np.sqrt(3), high=np.sqrt(3))
    base = network()
    exponents = np.array(
        [[exponent(base, bend, scaling, signal) for scaling in SCALINGS] for bend in BENDS]
    )

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    mesh = axes.pcolormesh(
        SCALINGS, BENDS, exponents, cmap="RdBu_r", vmin=-0.4, vmax=0.4, shading="nearest"
    )
    axes.contour(SCALINGS, BENDS, exponents, levels=[CHAOTIC], colors="black", linewidths=1.5)
    axes.set(xscale="log", xlabel="strength of the input, relative to the network", ylabel="bend")
    axes.set_title("Red: chaotic. Blue: the start is forgotten. Line: exponent .01", fontsize=11)
    figure.colorbar(mesh, label="maximal Lyapunov exponent per step", extend="min")
    figure.savefig(out / "lyapunov_map.png", dpi=110)
    print(
        f"largest exponent {exponents.max():+.3f} at bend "
        f"{BENDS[exponents.max(axis=1).argmax()]:.1f}; bend 0: {exponents[0].max():+.3f}"
    )


if __name__ == "__main__":
    main()
