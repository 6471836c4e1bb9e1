"""Fig. 1: what an echo state network is made of, drawn for 4 inputs, 7 units and 1 output [VAL19, fig:ESN]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from spheresn._validation import Floats

from ._claim import Claim

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME, FIGURE, TITLE = "schematic", "Fig. 1", "An echo state network: only the dashed links are learned"
CAPTIONS = {
    "schematic": "An echo state network with a 4-dimensional input, 7 units and one output. Solid links, from the inputs and between the "
    "units, are drawn at random once and stay; the dashed links to the output are learned."
}
FIXED, LEARNED = "#0072B2", "#D55E00"


@dataclass(frozen=True)
class Config:
    """Sizes, and the links that are there, as pairs (from, to) counted from one; every unit is linked to the output."""

    inputs: int = 4
    units: int = 7
    outputs: int = 1
    from_inputs: tuple[tuple[int, int], ...] = ((1, 1), (1, 2), (2, 1), (2, 4), (3, 4), (3, 7), (4, 6), (4, 7))
    between: tuple[tuple[int, int], ...] = (
        *((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 1)),
        *((1, 5), (3, 7), (4, 1), (6, 3), (2, 6)),
    )


PRESETS = {name: Config() for name in ("smoke", "quick", "paper")}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One drawing."""
    return [{"part": "links"}]


def run(config: Config, task: dict[str, Any], seed: int) -> dict[str, Floats]:
    """Which links exist: W (to, from), W_in and W_out as ones and zeros."""
    from_inputs, between, to_outputs = (np.zeros(shape) for shape in _shapes(config))
    for matrix, pairs in ((from_inputs, config.from_inputs), (between, config.between)):
        origin, to = np.array(pairs).T - 1
        matrix[to, origin] = 1.0
    to_outputs[:] = 1.0
    return {"W_in": from_inputs, "W": between, "W_out": to_outputs}


def _shapes(config: Config) -> tuple[tuple[int, int], ...]:
    return (config.units, config.inputs), (config.units, config.units), (config.outputs, config.units)


def collect(config: Config, results: list[dict[str, Floats] | None]) -> xr.Dataset:
    """The three matrices."""
    names, dims = ("W_in", "W", "W_out"), (("unit", "input"), ("unit", "from_unit"), ("output", "unit"))
    found = results[0] or {name: np.full(shape, np.nan) for name, shape in zip(names, _shapes(config), strict=True)}
    return xr.Dataset({name: (dim, found[name]) for name, dim in zip(names, dims, strict=True)})


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Inputs left, units on a ring, output right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.9), layout="constrained")
    axes = figure.add_subplot()
    units, inputs = dataset.sizes["unit"], dataset.sizes["input"]
    angles = np.pi - 2 * np.pi * (np.arange(units) + 0.5) / units
    ring = np.stack([1.05 * np.cos(angles), 1.05 * np.sin(angles)], axis=1)
    left = np.stack([np.full(inputs, -2.6), np.linspace(1.2, -1.2, inputs)], axis=1)
    right = np.stack([np.full(dataset.sizes["output"], 2.6), np.zeros(dataset.sizes["output"])], axis=1)
    _links(axes, left, ring, dataset["W_in"].values, FIXED, "-", 0.0)
    _links(axes, ring, ring, dataset["W"].values, "0.45", "-", 0.16)
    _links(axes, ring, right, dataset["W_out"].values, LEARNED, (0, (4, 2.5)), -0.34)
    _nodes(axes, left, FIXED, [f"$s_{{{i + 1}}}$" for i in range(inputs)])
    _nodes(axes, ring, "0.35", [f"$x_{{{i + 1}}}$" for i in range(units)])
    _nodes(axes, right, LEARNED, ["$y$"] * dataset.sizes["output"])
    _words(axes)
    axes.set(xlim=(-3.1, 3.1), ylim=(-2.0, 1.85), aspect="equal")
    axes.axis("off")
    return {"schematic": figure}


def _links(axes: Axes, start: Floats, end: Floats, matrix: Floats, colour: str, style: Any, bow: float) -> None:
    """Arrows; with a negative bow they bend away from the middle line, around what stands in the way."""
    for to, origin in np.argwhere(matrix == 1.0):
        bend = bow if bow >= 0 else bow * float(np.round(start[origin][1], 6))
        arrow = {"arrowstyle": "-|>", "color": colour, "linestyle": style, "linewidth": 1.3, "shrinkA": 13, "shrinkB": 13}
        axes.annotate("", end[to], start[origin], arrowprops={**arrow, "connectionstyle": f"arc3,rad={bend}", "mutation_scale": 11})


def _nodes(axes: Axes, places: Floats, colour: str, names: list[str]) -> None:
    axes.scatter(places[:, 0], places[:, 1], s=560, facecolor="white", edgecolor=colour, linewidth=1.8, zorder=3)
    for (x, y), name in zip(places, names, strict=True):
        axes.text(x, y, name, ha="center", va="center", fontsize=11, zorder=4)


def _words(axes: Axes) -> None:
    for x, words, colour in ((-2.6, "input", FIXED), (0.0, "reservoir", "0.35"), (2.6, "output", LEARNED)):
        axes.text(x, 1.72, words, ha="center", va="center", color=colour, fontsize=12)
    for x, matrix, words, colour in (
        (-1.95, "$W_{in}$", "random, fixed", FIXED),
        (0.0, "$W$", "random, fixed", "0.35"),
        (1.95, "$W_{out}$", "learned", LEARNED),
    ):
        axes.text(x, -1.78, f"{matrix}  {words}", ha="center", va="center", color=colour, fontsize=10.5)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """A drawing claims nothing."""
    return []
