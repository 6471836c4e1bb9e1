"""The same network in reservoirpy and here: equal matrices and equal input give equal states."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from reservoirpy.nodes import Reservoir

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

UNITS, LEAK, STEPS = 100, 0.3, 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    ours = sn.random_reservoir(
        UNITS,
        activation=sn.Tanh(),
        spectral_radius=0.9,
        input_scaling=0.5,
        bias_scaling=0.2,
        leak=LEAK,
        rng=0,
    )
    theirs = Reservoir(
        W=ours.recurrent.toarray(), Win=ours.inputs, bias=ours.bias, lr=LEAK, activation="tanh"
    )
    signal = sn.datasets.mackey_glass(STEPS)
    states, their_states = sn.drive(ours, signal), theirs.run(signal)
    difference = np.abs(states - their_states).max()
    if difference > 1e-12:
        raise SystemExit(f"the states differ by {difference:.1e}")

    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    axes.plot(
        their_states[:, :4], color="#D55E00", lw=4, alpha=0.5, label=["reservoirpy", *[None] * 3]
    )
    axes.plot(states[:, :4], color="black", lw=1, label=["spheresn", *[None] * 3])
    axes.set(
        xlabel="step",
        ylabel="state of four units",
        title=f"Largest difference of all {states.size:,} numbers: {difference:.0e}",
    )
    axes.legend(frameon=False, loc="center right", bbox_to_anchor=(1, 0.72))
    figure.savefig(out / "same_as_reservoirpy.png", dpi=110)
    print(f"largest difference of the states: {difference:.1e}")


if __name__ == "__main__":
    main()
