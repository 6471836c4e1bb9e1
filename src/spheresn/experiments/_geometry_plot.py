"""The two drawings of `geometry`."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

LINEAR, ACTUAL, BACK = "#0072B2", "#C8102E", "0.35"
SIZES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#555555")


def plot_steps(dataset: xr.Dataset) -> Figure:
    """Circle, linear steps, projections, and the steps really made."""
    figure = Figure(figsize=(5.2, 5.4), layout="constrained")
    axes, radius = figure.add_subplot(), float(dataset.attrs["radius"])
    angle = np.linspace(0, 2 * np.pi, 400)
    axes.fill(radius * np.cos(angle), radius * np.sin(angle), color="0.96", zorder=0)
    axes.plot(radius * np.cos(angle), radius * np.sin(angle), color="0.55", linewidth=1.2, zorder=1)
    axes.annotate(
        "", (radius * np.cos(2.5), radius * np.sin(2.5)), (0, 0), arrowprops={"arrowstyle": "->", "color": "0.55", "linewidth": 1}
    )
    axes.text(0.5 * radius * np.cos(2.5) + 0.04, 0.5 * radius * np.sin(2.5) + 0.05, "$r$", color="0.4", fontsize=12)
    states, linear = dataset["state"].values, dataset["linear"].values
    for k, (before, after, step) in enumerate(zip(states[:-1], states[1:], linear, strict=True)):
        _arrow(axes, before, step, LINEAR, 1.6)
        axes.plot(*np.stack([step, after], axis=1), color=BACK, linestyle=(0, (3, 2)), linewidth=1.1, zorder=2)
        _arrow(axes, before, after, ACTUAL, 2.2)
        x, y = step * (1 + 0.13 / np.linalg.norm(step))
        axes.text(x, y, f"$a_{{{k + 1}}}$", color=LINEAR, ha="center", va="center", fontsize=12)
    axes.scatter(states[:, 0], states[:, 1], s=26, color="black", zorder=5)
    for k, state in enumerate(states):
        x, y = 0.86 * state
        axes.text(x, y, f"$x_{{{k}}}$", ha="center", va="center", fontsize=12, zorder=6)
    axes.set(aspect="equal")
    axes.axis("off")
    figure.legend(handles=_key(), loc="outside lower center", frameon=False, fontsize=10)
    return figure


def _arrow(axes: Axes, start: Any, end: Any, colour: str, width: float) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "shrinkA": 3, "shrinkB": 3, "mutation_scale": 13}
    axes.annotate("", end, start, arrowprops=style, zorder=3)


def _key() -> list[Line2D]:
    return [
        Line2D([], [], color=LINEAR, linewidth=1.6, label="linear step: $a_k = W x_{k-1} + W_{in} s_k$"),
        Line2D([], [], color=BACK, linewidth=1.1, linestyle=(0, (3, 2)), label="projection: $x_k = r\\,a_k/|a_k|$"),
        Line2D([], [], color=ACTUAL, linewidth=2.2, label="step really made: $x_{k-1}$ to $x_k$"),
    ]


def plot_inside(dataset: xr.Dataset) -> Figure:
    """Share of steps inside against the strength of W, one line per size."""
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes, strength = figure.add_subplot(), dataset["strength"].values
    for colour, units in zip(SIZES, dataset["units"].values, strict=False):
        shares = dataset["inside"].sel(units=units)
        low, middle, high = (shares.quantile(q, "network", skipna=False).values for q in (0.1, 0.5, 0.9))
        axes.fill_between(strength, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(strength, middle, "o-", color=colour, markersize=4, linewidth=1.6, label=f"N = {units}")
    axes.set(
        xscale="log", xlabel=r"strength of the network over that of the input,  $\|W\|\,r\,/\,\mathrm{std}|W_{in}s|$", ylim=(-0.02, 1.02)
    )
    axes.set_ylabel("share of linear steps that\nend inside of the sphere")
    axes.set_xticks([0.5, 1, 2, 4, 8, 16], ["0.5", "1", "2", "4", "8", "16"])
    axes.minorticks_off()
    axes.grid(color="0.92")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure
