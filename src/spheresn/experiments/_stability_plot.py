"""Drawing the counterexamples."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ._shared import ACCENTS, ZERO, panels

FLOOR = 1e-16
CAPTIONS = {
    "stability": "(a) Four networks on the sphere in which states 10⁻¹² apart separate for good: chaos. (b) Networks that meet the "
    "paper's condition for the echo state property and never forget where they started. (c) Largest exponents of random "
    "networks: none is positive. (d) Two starts under the same white noise at the paper's setting.",
}


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Chaos, lost echo states, typical networks, and the paper's own setting."""
    figure, (first, second, third, fourth) = panels(2, 2, 6.2, 3.9)
    _chaos(first, dataset)
    _echo(second, dataset)
    _typical(third, dataset)
    _setting(fourth, dataset)
    return {"stability": figure}


def _chaos(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, name in zip(ACCENTS, dataset.case.values[:4], strict=False):
        one = dataset.sel(case=name)
        label = f"{name}: exponent {float(one.exponent):+.2f} ± {float(one.exponent_error):.1g}"
        axes.semilogy(one.step, np.maximum(one.close_pair, FLOOR), color=colour, lw=1.2, label=label)
    axes.set(xlabel="step", ylabel="distance of two states", ylim=(1e-13, 1e9), xlim=(0, min(300, int(dataset.step[-1]))))
    axes.set_title("(a) chaos on the sphere: states 10⁻¹² apart part for good", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def _echo(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, name in zip(ACCENTS, dataset.case.values[3:], strict=False):
        one = dataset.sel(case=name)
        condition = "met" if float(one.condition) == 1.0 else "not met"
        axes.plot(one.step, one.far_pair, color=colour, lw=0.8, label=f"{name}: condition {condition}")
    axes.set(xlabel="step", ylabel="distance of two trajectories", ylim=(0, 3.4), xlim=(0, min(120, int(dataset.step[-1]))))
    axes.set_title("(b) the printed condition holds, and the start is never forgotten", fontsize=10)
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="upper right")


def _typical(axes: Axes, dataset: xr.Dataset) -> None:
    axes.axhline(0, **ZERO)
    for j, name in enumerate(dataset.input.values):
        for i, units in enumerate(dataset.units.values):
            values = dataset.typical.sel(units=units, input=name)
            shift = np.exp(0.12 * (i + 4 * j - 3))
            x = np.repeat(dataset.strength.values[None] * shift, values.sizes["sample"], axis=0)
            label = f"{name}, N = {units}"
            axes.plot(x.ravel(), values.values.ravel(), ".", ms=3, color=ACCENTS[i + 3 * j], label=label, alpha=0.6)
    axes.set_xscale("log")
    axes.set_xticks(dataset.strength.values, [f"{value:g}" for value in dataset.strength.values])
    axes.minorticks_off()
    axes.set(xlabel="size of the input relative to the spectral radius", ylabel="largest exponent per step")
    axes.set_title("(c) random networks are not chaotic: every dot a network", fontsize=10)
    axes.legend(frameon=False, fontsize=7, ncols=2, loc="lower left", markerscale=2)


def _setting(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, scaling in zip(ACCENTS, dataset.scaling.values, strict=False):
        for n in range(dataset.sizes["network"]):
            label = f"input scaling {scaling:g}" if n == 0 else None
            axes.semilogy(dataset.time, np.maximum(dataset.distance.sel(scaling=scaling)[n], FLOOR), color=colour, lw=0.9, label=label)
    axes.set(xlabel="step", ylabel="distance of two trajectories", ylim=(FLOOR / 3, 1e3))
    axes.set_title(
        f"(d) the paper's setting, N = {dataset.setting_units}, ρ = {dataset.spectral_radius:g}: two starts, same input", fontsize=10
    )
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper right")
