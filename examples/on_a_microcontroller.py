"""Write a forecaster as C, compile it with the compiler of this machine, and let the C forecast."""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PENALTY = 1e-11  # the size of the rounding errors of single precision


def forecast_by_c(source: Path, steps: int) -> np.ndarray:
    """What the functions of the file say after the training rows."""
    library = source.with_suffix(".so")
    command = ["gcc", "-O2", "-std=c99", "-shared", "-fPIC", "-o", library, source, "-lm"]
    subprocess.run(command, check=True)
    code = ctypes.CDLL(str(library))
    state, out = ctypes.create_string_buffer(100_000), np.zeros((steps, 3), np.float32)
    code.lorenz_init(state)
    code.lorenz_forecast(state, steps, out.ctypes)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    given = parser.parse_args()
    series = sn.datasets.lorenz(4700)
    rows, truth = series[:4000], series[4000:]
    settings = {"penalty": PENALTY, "observation_noise": 0, "random_state": 0}
    model = sn.ESNForecaster(units=200, **settings).fit(rows)
    header, source = sn.export(model, given.out, name="lorenz", dtype="float32")
    runs = {"what happened": truth, "Python, 64 bits": model.forecast(len(truth))}
    if shutil.which("gcc"):
        runs["C, 32 bits"] = forecast_by_c(source, len(truth))
    else:
        print("gcc is not installed: the picture has no forecast by C")

    figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
    times = 0.02 * 0.906 * np.arange(len(truth))
    for (label, run), style in zip(runs.items(), ("k", "C0--", "C1:"), strict=False):
        axes.plot(times, run[:, 0], style, label=label, lw=1.8 if style == "C1:" else 1.2)
    axes.set(xlabel="Lyapunov times after the training rows", ylabel="x", title="A forecaster in C")
    axes.set_ylim(-28, 22)
    axes.legend(loc="lower left", ncols=3)
    figure.savefig(given.out / "on_a_microcontroller.png", dpi=110)
    text = source.stat().st_size / 1000
    print(f"{header.name}, {source.name}: {text:.0f} kB of text")


if __name__ == "__main__":
    main()
