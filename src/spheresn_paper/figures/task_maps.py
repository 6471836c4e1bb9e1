"""Drawing maps over memory τ and nonlinearity ν: what Figs. 7-9 and the bent sphere share."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from spheresn.plotting import COLOURS

from .common import median

CHOSEN = {  # the rows that choose the hyper-parameters
    "train": "chosen on training rows (as in the text)",
    "validation": "chosen on validation rows",
    "test": "chosen on test rows (as in the code)",
}
BOX = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6}
TIE, NOBODY = 0.01, 0.05  # closer accuracies are a tie; below NOBODY no model solves the task


def draw_map(axes: Axes, values: xr.DataArray, **style: Any) -> Any:
    """One map: delays on the x axis, frequencies on the y axis."""
    drawn = values.transpose("frequency", "delay")
    mesh = axes.pcolormesh(
        drawn.delay, np.log10(drawn.frequency), drawn, shading="nearest", rasterized=True, **style
    )
    axes.set_yticks([-2, -1, 0, 1], ["0.01", "0.1", "1", "10"])
    axes.set_xticks([x for x in (0, 5, 10, 15) if x <= int(drawn.delay[-1])])
    return mesh


def find_winner(dataset: xr.Dataset) -> xr.DataArray:
    """The index of the model with the best median accuracy; -1 for a tie, -2 for nobody."""
    accuracy = median(dataset.accuracy, "network").fillna(-1.0)
    ranked = np.sort(accuracy.transpose(..., "model").values, axis=-1)
    best = accuracy.argmax("model")
    close, low = ranked[..., -1] - ranked[..., -2] < TIE, ranked[..., -1] < NOBODY
    return best.copy(data=np.where(low, -2, np.where(close, -1, best.values)))


def draw_bounds(axes: Axes, dataset: xr.Dataset) -> None:
    """Lines where the bound of linear networks falls through .9, .5 and .1."""
    bound, nu = dataset.linear_bound.values, np.log10(dataset.frequency.values)
    x = float(dataset.delay[-1])
    for level in (0.9, 0.5, 0.1):
        below = int(np.argmax(bound < level))
        if bound[below] < level and below > 0:
            share = (bound[below - 1] - level) / (bound[below - 1] - bound[below])
            height = float(nu[below - 1] + share * (nu[below] - nu[below - 1]))
            axes.axhline(height, color="black", lw=1)
            style: dict[str, Any] = {
                "fontsize": 7,
                "ha": "right",
                "va": "bottom" if level < 0.5 else "top",
            }
            axes.text(x, height, f"linear bound {level:g}", bbox=BOX, **style)


def draw_winners(axes: Axes, won: xr.DataArray, names: list[str]) -> None:
    """The map of `find_winner` in the colours of the models."""
    colours = ["white", "#E8E8E8", *(COLOURS[name] for name in names)]
    norm = BoundaryNorm(np.arange(-2.5, len(names)), len(colours))
    draw_map(axes, won, cmap=ListedColormap(colours), norm=norm)


def winner_patches(labels: dict[str, str]) -> list[Patch]:
    """Legend entries for `draw_winners`: model -> label, then tie and nobody."""
    return [
        *(Patch(color=COLOURS[name], label=label) for name, label in labels.items()),
        Patch(color="#E8E8E8", label=f"tie (within {TIE:g})"),
        Patch(fc="white", ec="0.5", label=f"nobody (γ < {NOBODY:g})"),
    ]


def draw_winner_figure(dataset: xr.Dataset) -> Figure:
    """Who wins, by protocol (rows) and selection (columns); crosses: above the linear bound."""
    names = [str(name) for name in dataset.model.values]
    rows = dataset.sizes["protocol"]
    figure = Figure(figsize=(11.5, 3.3 * rows + 0.6), layout="constrained")
    axes = figure.subplots(rows, 3, sharex=True, sharey=True, squeeze=False)
    won, best = find_winner(dataset), median(dataset.accuracy, "network").max("model")
    for row, protocol in zip(axes, dataset.protocol.values, strict=True):
        size = dataset.large_units if "large" in str(protocol) else dataset.units
        for axis, selection in zip(row, dataset.selection.values, strict=True):
            here = won.sel(protocol=protocol, selection=selection)
            draw_winners(axis, here, names)
            reached = best.sel(protocol=protocol, selection=selection)
            _mark_above_bound(axis, (here >= 0) & ((reached - dataset.linear_bound) > 0.02))
            draw_bounds(axis, dataset)
            counts = ", ".join(f"{name} {int((here == i).sum())}" for i, name in enumerate(names))
            rows_used = CHOSEN[str(selection)].split(" (")[0]
            axis.set_title(f"“{protocol}”, N = {size}, {rows_used}\n{counts}", fontsize=9)
        row[0].set_ylabel("nonlinearity ν")
    for axis in axes[-1]:
        axis.set_xlabel("memory τ")
    handles = winner_patches({name: f"{name} wins" for name in names})
    handles += axes[0, 0].get_legend_handles_labels()[0]
    style: dict[str, Any] = {"ncols": len(handles), "frameon": False, "fontsize": 9}
    figure.legend(handles=handles, loc="outside lower center", **style)
    return figure


def _mark_above_bound(axes: Axes, above: xr.DataArray) -> None:
    points = np.argwhere(above.transpose("delay", "frequency").values)
    x, y = above.delay.values[points[:, 0]], np.log10(above.frequency.values[points[:, 1]])
    axes.plot(x, y, "x", color="black", ms=3.5, mew=0.9, label="winner above the linear bound")
