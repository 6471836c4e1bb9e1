"""Drawing Fig. 6."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ._shared import COLOURS, MODELS, median

PUBLISHED = {"tanh": 0.12, "spherical": 0.63, "linear": 0.61}
SHOWN = 100  # steps of the curves
CAPTIONS = {
    "example": "Left: one network of each kind predicts sin(2.5 uₖ₋₁₀) on test rows it has not seen. Right: every network of three "
    "sizes, fed u scaled to unit variance or as it is; dotted lines: the published accuracies, black: the best that any "
    "linear network can reach.",
}


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Truth and prediction for each network, and the accuracies of all networks with the published ones and the bound."""
    figure = Figure(figsize=(13.2, 5.4), layout="constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=[2.1, 1])
    largest = dataset.isel(units=-1)
    first = None
    for row, model in enumerate(MODELS):
        axes = figure.add_subplot(grid[row, 0], sharex=first)
        first = first or axes
        _curve(axes, largest, model)
        axes.tick_params(labelbottom=row == 2)
    axes.set_xlabel("test step k")
    _accuracies(figure.add_subplot(grid[:, 1]), dataset)
    return {"example": figure}


def _curve(axes: Axes, dataset: xr.Dataset, model: str) -> None:
    one = dataset.isel(network=0, time=slice(0, SHOWN)).sel(model=model)
    axes.plot(one.time, one.target, color="0.65", lw=2.5, label="truth")
    axes.plot(one.time, one.prediction, color=COLOURS[model], lw=1.2, label=model)
    axes.spines[["top", "right"]].set_visible(False)
    gamma = float(median(dataset.gamma.sel(model=model, feed="unit variance"), "network"))
    text = f"{model}: γ = {gamma:.2f} (paper {PUBLISHED[model]:.2f}); grey: truth"
    axes.set_title(text, fontsize=10, loc="left", color=COLOURS[model])
    axes.set(ylabel=f"sin({dataset.frequency:g} u$_{{k-{dataset.delay}}}$)", ylim=(-1.5, 1.5))


def _accuracies(axes: Axes, dataset: xr.Dataset) -> None:
    positions, labels = [], []
    for i, units in enumerate(dataset.units.values):
        for j, feed in enumerate(dataset.feed.values):
            x = 3 * i + 1.1 * j
            positions.append(x)
            labels.append(f"N={units}\n{'unit var.' if j == 0 else 'u itself'}")
            for k, model in enumerate(MODELS):
                values = dataset.gamma.sel(units=units, feed=feed, model=model).values
                axes.plot(np.full(len(values), x + 0.25 * (k - 1)), values, "o", ms=4, alpha=0.6, color=COLOURS[model])
    for model, value in PUBLISHED.items():
        axes.axhline(value, color=COLOURS[model], lw=0.8, ls=":")
    axes.axhline(dataset.linear_bound, color="black", lw=1)
    axes.text(
        positions[-1] + 0.5, dataset.linear_bound + 0.008, f"best of any linear network {dataset.linear_bound:.3f}", ha="right", fontsize=8
    )
    axes.plot([], [], ":", color="0.3", lw=0.8, label="published")
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    axes.set_xticks(positions, labels, fontsize=7)
    axes.set(ylabel="accuracy γ, each network a dot", ylim=(-0.02, 0.8))
    axes.set_title("what N and the feed change", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
