"""A deep network: four reservoirs in a chain. Which layer remembers what?

Each layer is a ring of 50 units on a sphere, and only the first sees the signal. The others listen
to the layer before them, and take in slowly what that one has. So each remembers what is older. The
largest exponent of the whole network is that of its slowest layer: no layer acts back on one before
it, so that the exponents of a chain are those of its layers together.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LAYERS, UNITS = 4, 50
COLOURS = ("#0072B2", "#009E73", "#E69F00", "#D55E00")


def deep_network() -> sn.System:
    """Rings on spheres. Unit i of a layer listens to unit i of the layer before it, weakly."""
    first = sn.random_reservoir(UNITS, topology="ring", input_scaling=0.1, rng=0)
    listening = 0.1 * np.eye(UNITS)
    return sn.chain(first, *(sn.Reservoir(first.recurrent, listening) for _ in range(LAYERS - 1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    network, signal = deep_network(), sn.datasets.white_noise(4000, rng=0)
    memory = sn.analysis.memory_by_layer(network, signal, range(101), washout=500)
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    axes.plot(memory.delays, memory.together, color="black", lw=1.2, ls="--", label="all together")
    for place, (curve, colour) in enumerate(zip(memory.alone, COLOURS, strict=True)):
        axes.plot(memory.delays, curve, lw=2, color=colour, label=f"layer {place + 1}")
    axes.set(xlabel="steps ago", ylabel="how well that input is recalled (γ)", ylim=(0, 1.02))
    axes.set_title("A chain of four spheres: each layer remembers what is older")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(out / "deep_network.png", dpi=100)
    for place, (alone, own) in enumerate(zip(memory.alone, memory.own, strict=True)):
        best = memory.delays[alone.argmax()]
        print(f"layer {place + 1}: best {best} steps ago; {own.sum():.1f} steps only there")
    print(f"all together: {memory.together.sum():.1f} steps")


if __name__ == "__main__":
    main()
