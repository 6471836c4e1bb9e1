"""Drawing Figs. 7-9, and who wins."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ._shared import COLOURS, median

FIGURES = {"tanh": "Fig. 7", "linear": "Fig. 8", "spherical": "Fig. 9"}
CHOSEN = {
    "train": "chosen on training rows (as in the text)",
    "validation": "chosen on validation rows",
    "test": "chosen on test rows (as in the code)",
}
LARGEST = {"tanh": 3.0, "linear": 1.5, "spherical": 10.0}
BOX = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6}
TIE, NOBODY = 0.01, 0.05  # accuracies closer than this are a tie; below this nobody solves the task
_CAPTION = (
    "The {} network on 400 tasks sin(ν uₖ₋τ). Columns: hyper-parameters chosen on training, validation or test rows. Rows: test error, the "
    "input scaling and spectral radius that were chosen, and the error in protocol “authors” (penalty .01)."
)
CAPTIONS = {
    **{f"tradeoff_{model}": _CAPTION.format(model) for model in FIGURES},
    "tradeoff_winner": "Who wins each task: a median accuracy more than .01 above both others. Above the black lines no linear network can "
    "exceed accuracy .9, .5, .1; a cross marks a winner that exceeds the linear bound. Last row: as many units as training rows.",
}


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Twelve maps per model, and the map of winners."""
    figures = {f"tradeoff_{model}": _model(dataset.sel(model=model), model) for model in FIGURES}
    return {**figures, "tradeoff_winner": winners(dataset)}


def maps(axes: Axes, values: xr.DataArray, **style: Any) -> Any:
    """One map, delay across and frequency up."""
    drawn = values.transpose("frequency", "delay")
    mesh = axes.pcolormesh(drawn.delay, np.log10(drawn.frequency), drawn, shading="nearest", rasterized=True, **style)
    axes.set_yticks([-2, -1, 0, 1], ["0.01", "0.1", "1", "10"])
    axes.set_xticks([x for x in (0, 5, 10, 15) if x <= int(drawn.delay[-1])])
    return mesh


def _model(dataset: xr.Dataset, model: str) -> Figure:
    figure = Figure(figsize=(11.5, 9.6))
    axes = figure.subplots(4, 3, sharex=True, sharey=True)
    figure.subplots_adjust(left=0.07, right=0.9, top=0.9, bottom=0.05, hspace=0.14, wspace=0.06)
    paper, authors = (dataset.sel(protocol=name) for name in ("paper", "authors"))
    error: dict[str, Any] = {"vmin": 0, "vmax": 1, "cmap": "cividis"}
    rows: list[tuple[str, xr.DataArray, dict[str, Any]]] = [
        ("test error, NRMSE", 1.0 - paper.accuracy, error),
        ("best input scaling", paper.best_scaling, {"norm": LogNorm(0.01, 2.0), "cmap": "viridis"}),
        ("best spectral radius", paper.best_radius, {"vmin": 0.2, "vmax": LARGEST[model], "cmap": "viridis"}),
        ("test error, “authors”", 1.0 - authors.accuracy, error),
    ]
    for row, (name, values, style) in zip(axes, rows, strict=True):
        for axis, selection in zip(row, dataset.selection.values, strict=True):
            mesh = maps(axis, median(values.sel(selection=selection), "network"), **style)
        place = row[-1].get_position()
        figure.colorbar(mesh, cax=figure.add_axes((0.915, place.y0, 0.013, place.height)), label=name)
        row[0].set_ylabel("nonlinearity ν")
    _headings(figure, axes, dataset, model)
    return figure


def _headings(figure: Figure, axes: Any, dataset: xr.Dataset, model: str) -> None:
    for row, protocol in ((0, "paper"), (3, "authors")):
        for axis, selection in zip(axes[row], dataset.selection.values, strict=True):
            mean = float(median(dataset.accuracy.sel(selection=selection, protocol=protocol), "network").mean())
            first = f"{CHOSEN[str(selection)]}\n" if row == 0 else ""
            axis.set_title(f"{first}“{protocol}”: mean γ = {mean:.3f}", fontsize=9, pad=3)
    for axis in axes[-1]:
        axis.set_xlabel("memory τ", labelpad=1)
    note = ";\non the sphere all points of one ratio scaling/radius are equal, the middle one is shown" if model == "spherical" else ""
    title = f"{FIGURES[model]}, {model}: N = {dataset.units}, median of {dataset.sizes['network']} networks{note}"
    figure.suptitle(title, fontsize=11, y=0.985)


def winner(dataset: xr.Dataset) -> xr.DataArray:
    """0, 1, 2: the model with the best median accuracy; -1 a tie, -2 nobody."""
    accuracy = median(dataset.accuracy, "network").fillna(-1.0)
    ranked = np.sort(accuracy.transpose(..., "model").values, axis=-1)
    best = accuracy.argmax("model")
    close, low = ranked[..., -1] - ranked[..., -2] < TIE, ranked[..., -1] < NOBODY
    return best.copy(data=np.where(low, -2, np.where(close, -1, best.values)))


def winners(dataset: xr.Dataset) -> Figure:
    """Who wins, by protocol (rows) and selection (columns); crosses where the winner beats the bound of linear networks."""
    names = [str(name) for name in dataset.model.values]
    colours = ["white", "#E8E8E8", *(COLOURS[name] for name in names)]
    norm = BoundaryNorm(np.arange(-2.5, len(names)), len(colours))
    figure = Figure(figsize=(11.5, 3.3 * dataset.sizes["protocol"] + 0.6), layout="constrained")
    axes = figure.subplots(dataset.sizes["protocol"], 3, sharex=True, sharey=True, squeeze=False)
    won, best = winner(dataset), median(dataset.accuracy, "network").max("model")
    for row, protocol in zip(axes, dataset.protocol.values, strict=True):
        for axis, selection in zip(row, dataset.selection.values, strict=True):
            place = {"protocol": protocol, "selection": selection}
            maps(axis, won.sel(place), cmap=ListedColormap(colours), norm=norm)
            _above_bound(axis, (best.sel(place) - dataset.linear_bound) > 0.02)
            bound_lines(axis, dataset)
            counts = ", ".join(f"{name} {int((won.sel(place) == i).sum())}" for i, name in enumerate(names))
            size = dataset.large_units if "large" in str(protocol) else dataset.units
            axis.set_title(f"“{protocol}”, N = {size}, {CHOSEN[str(selection)].split(' (')[0]}\n{counts}", fontsize=9)
        row[0].set_ylabel("nonlinearity ν")
    for axis in axes[-1]:
        axis.set_xlabel("memory τ")
    patches = [Patch(color=COLOURS[name], label=f"{name} wins") for name in names]
    patches += [Patch(color="#E8E8E8", label=f"tie (within {TIE:g})"), Patch(fc="white", ec="0.5", label=f"nobody (γ < {NOBODY:g})")]
    handles = [*patches, *axes[0, 0].get_legend_handles_labels()[0]]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=9)
    return figure


def _above_bound(axes: Axes, above: xr.DataArray) -> None:
    points = np.argwhere(above.transpose("delay", "frequency").values)
    x, y = above.delay.values[points[:, 0]], np.log10(above.frequency.values[points[:, 1]])
    axes.plot(x, y, "x", color="black", ms=3.5, mew=0.9, label="winner above the linear bound")


def bound_lines(axes: Axes, dataset: xr.Dataset) -> None:
    """Where the bound of linear networks falls through .9, .5, .1."""
    bound, nu = dataset.linear_bound.values, np.log10(dataset.frequency.values)
    for level in (0.9, 0.5, 0.1):
        below = int(np.argmax(bound < level))
        if bound[below] < level and below > 0:
            share = (bound[below - 1] - level) / (bound[below - 1] - bound[below])
            height = float(nu[below - 1] + share * (nu[below] - nu[below - 1]))
            axes.axhline(height, color="black", lw=1)
            axes.text(
                float(dataset.delay[-1]),
                height,
                f"linear bound {level:g}",
                fontsize=7,
                ha="right",
                va="bottom" if level < 0.5 else "top",
                bbox=BOX,
            )
