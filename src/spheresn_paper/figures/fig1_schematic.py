"""Fig. 1: what an echo state network is made of [VAL19, fig:ESN].

The drawing has 4 inputs, 7 units and 1 output.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spheresn._validation import Floats

from ..claim import Claim

NAME, FIGURE = "schematic", "Fig. 1"
TITLE = "An echo state network: only the dashed links are learned"
CAPTIONS = {
    "schematic": "An echo state network with a 4-dimensional input, 7 units and one output. Solid "
    "links, from the inputs and between the units, are drawn at random once and stay; the dashed "
    "links to the output are learned."
}
FIXED, LEARNED = "#0072B2", "#D55E00"


@dataclass(frozen=True)
class Config:
    """Sizes, and the links as pairs (from, to) counted from one; all units feed the output."""

    inputs: int = 4
    units: int = 7
    outputs: int = 1
    from_inputs: tuple[tuple[int, int], ...] = (
        *((1, 1), (1, 2), (2, 1), (2, 4), (3, 4), (3, 7), (4, 6), (4, 7)),
    )
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
    n = config.units
    return (n, config.inputs), (n, n), (config.outputs, n)


def collect(config: Config, results: list[dict[str, Floats] | None]) -> xr.Dataset:
    """The three matrices."""
    dims = {"W_in": ("unit", "input"), "W": ("unit", "from_unit"), "W_out": ("output", "unit")}
    holes = (np.full(shape, np.nan) for shape in _shapes(config))
    found = results[0] or dict(zip(dims, holes, strict=True))
    return xr.Dataset({name: (dim, found[name]) for name, dim in dims.items()})


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Inputs left, units on a ring, output right."""
    figure = Figure(figsize=(7.2, 3.9), layout="constrained")
    axes = figure.add_subplot()
    units, inputs, outputs = (dataset.sizes[name] for name in ("unit", "input", "output"))
    angles = np.pi - 2 * np.pi * (np.arange(units) + 0.5) / units
    ring = np.stack([1.05 * np.cos(angles), 1.05 * np.sin(angles)], axis=1)
    left = np.stack([np.full(inputs, -2.6), np.linspace(1.2, -1.2, inputs)], axis=1)
    right = np.stack([np.full(outputs, 2.6), np.zeros(outputs)], axis=1)
    _draw_links(axes, left, ring, dataset["W_in"].values, FIXED, "-", 0.0)
    _draw_links(axes, ring, ring, dataset["W"].values, "0.45", "-", 0.16)
    _draw_links(axes, ring, right, dataset["W_out"].values, LEARNED, (0, (4, 2.5)), -0.34)
    _draw_nodes(axes, left, FIXED, [f"$s_{{{i + 1}}}$" for i in range(inputs)])
    _draw_nodes(axes, ring, "0.35", [f"$x_{{{i + 1}}}$" for i in range(units)])
    _draw_nodes(axes, right, LEARNED, ["$y$"] * outputs)
    _draw_words(axes)
    axes.set(xlim=(-3.1, 3.1), ylim=(-2.0, 1.85), aspect="equal")
    axes.axis("off")
    return {"schematic": figure}


def _draw_links(
    axes: Axes, start: Floats, end: Floats, matrix: Floats, colour: str, style: Any, bow: float
) -> None:
    """Arrows; with a negative bow they bend away from the middle line, around the nodes there."""
    arrow = {"arrowstyle": "-|>", "color": colour, "linestyle": style, "linewidth": 1.3}
    arrow |= {"shrinkA": 13, "shrinkB": 13, "mutation_scale": 11}
    for to, origin in np.argwhere(matrix == 1.0):
        bend = bow if bow >= 0 else bow * float(np.round(start[origin][1], 6))
        curved = {**arrow, "connectionstyle": f"arc3,rad={bend}"}
        axes.annotate("", end[to], start[origin], arrowprops=curved)


def _draw_nodes(axes: Axes, places: Floats, colour: str, names: list[str]) -> None:
    style: dict[str, Any] = {"s": 560, "facecolor": "white", "edgecolor": colour, "linewidth": 1.8}
    axes.scatter(places[:, 0], places[:, 1], zorder=3, **style)
    for (x, y), name in zip(places, names, strict=True):
        axes.text(x, y, name, ha="center", va="center", fontsize=11, zorder=4)


def _draw_words(axes: Axes) -> None:
    style: dict[str, Any] = {"ha": "center", "va": "center"}
    names = ((-2.6, "input", FIXED), (0.0, "reservoir", "0.35"), (2.6, "output", LEARNED))
    for x, name, colour in names:
        axes.text(x, 1.72, name, color=colour, fontsize=12, **style)
    for x, words, colour in (
        (-1.95, "$W_{in}$  random, fixed", FIXED),
        (0.0, "$W$  random, fixed", "0.35"),
        (1.95, "$W_{out}$  learned", LEARNED),
    ):
        axes.text(x, -1.78, words, color=colour, fontsize=10.5, **style)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """A drawing claims nothing."""
    return []
