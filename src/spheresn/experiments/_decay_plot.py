"""Drawing Fig. 4."""

from __future__ import annotations

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ._shared import COLOURS, median, panels, quantiles

CAPTIONS = {
    "decay": "How the trace of one input fades. (a) The three laws of the paper. (b, c) The laws (dashed) against the exact "
    "sensitivity |dxₙ/dsₙ₋ₖ| of networks (solid, band: quartiles), relative to the newest input.",
}


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The figure as published; the spherical law against the truth; the two others against the truth."""
    figure, (left, middle, right) = panels(1, 3, 4.6, 3.9, sharey=True)
    _published(left, dataset)
    _against(middle, dataset, {"spherical": ("random W", COLOURS["spherical"]), "orthogonal": ("orthogonal W", "#CC79A7")})
    middle.set_title(f"(b) spherical, N = {dataset.units}: law and truth", fontsize=10)
    _against(right, dataset, {"linear": ("linear", COLOURS["linear"]), "tanh": ("tanh", COLOURS["tanh"])})
    right.set_title("(c) linear and tanh: law and truth", fontsize=10)
    left.set(ylabel="memory of an input, relative to the newest", ylim=(-0.02, 1.12))
    return {"decay": figure}


def _published(axes: Axes, dataset: xr.Dataset) -> None:
    for law in dataset.law.values:
        axes.plot(dataset.delay, dataset.authors_law.sel(law=law), color=COLOURS[str(law)], lw=2, label=str(law))
    axes.set_title("(a) predicted, as in the paper's figure", fontsize=10)
    axes.set(xlabel="steps k since the input")
    axes.legend(frameon=False, fontsize=9)


def _against(axes: Axes, dataset: xr.Dataset, kinds: dict[str, tuple[str, str]]) -> None:
    for kind, (label, colour) in kinds.items():
        one = dataset.sel(kind=kind)
        low, centre, high = quantiles(one.sensitivity, [0.1, 0.5, 0.9], "network")
        axes.plot(dataset.delay, centre, color=colour, lw=2, label=f"{label}: measured |dxₙ/dsₙ₋ₖ|")
        axes.fill_between(dataset.delay, low, high, color=colour, alpha=0.2, linewidth=0)
        meaningful = one.predicted.where(one.alpha.sel(matrix="random" if kind == "spherical" else "orthogonal") > 0)
        law = one.predicted if kind in ("linear", "tanh") else meaningful
        axes.plot(dataset.delay, median(law, "network"), color=colour, lw=1.2, ls="--", label=f"{label}: predicted")
    axes.set(xlabel="steps k since the input")
    axes.legend(frameon=False, fontsize=8, loc="center right" if "spherical" in kinds else "upper right")
