"""Drawing the bent sphere."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, SymLogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ._shared import COLOURS, median, panels
from ._tradeoff_plot import CHOSEN, NOBODY, TIE, bound_lines, maps, winner

NAMES = {"lorenz": "Lorenz", "mackey_glass": "Mackey-Glass", "henon": "Hénon", "santa_fe_laser": "laser"}
LABELS = {"bent": "bent sphere", "spherical": "sphere", "tanh": "tanh", "linear": "linear"}
NORM = SymLogNorm(0.05, vmin=-5.0, vmax=5.0)  # zero, where chaos begins, is white
CAPTIONS = {
    "bent_maps": "The bent sphere on the tasks of Figs. 7-9: test error by selection, the bend and strength that validation chose, and "
    "who wins against the plain sphere, tanh and linear networks.",
    "bent_forecasts": "(a, b) Largest exponent over bend and strength of input and bias; right of the line “chaos” it is positive, so the "
    "drive is calibrated. (c) How long free-running forecasts stay true; dots: single runs.",
}


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The maps, and the two dials with what they buy."""
    return {"bent_maps": _maps(dataset), "bent_forecasts": _dials(dataset)}


def _maps(dataset: xr.Dataset) -> Figure:
    figure = Figure(figsize=(11.5, 7.0), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    bent = dataset.sel(model="bent")
    for axis, selection in zip(axes[0], dataset.selection.values, strict=True):
        error = 1.0 - median(bent.accuracy.sel(selection=selection), "network")
        mesh = maps(axis, error, vmin=0, vmax=1, cmap="cividis")
        axis.set_title(f"{CHOSEN[str(selection)].split(' (')[0]}: mean γ = {1.0 - float(error.mean()):.3f}", fontsize=9)
    figure.colorbar(mesh, ax=axes[0, -1], label="test error, NRMSE")
    chosen = median(bent.choice.sel(selection="validation"), "network")
    figure.colorbar(maps(axes[1, 0], chosen.isel(parameter=0), cmap="viridis", vmin=0, vmax=2), ax=axes[1, 0])
    figure.colorbar(maps(axes[1, 1], chosen.isel(parameter=1), cmap="viridis", norm=LogNorm(0.003, 10)), ax=axes[1, 1])
    axes[1, 0].set_title("best bend (validation)\n", fontsize=9)
    axes[1, 1].set_title("best strength of input and bias\n(validation)", fontsize=9)
    _winner(figure, axes[1, 2], dataset)
    for axis in axes[-1]:
        axis.set_xlabel("memory τ")
    for axis in axes[:, 0]:
        axis.set_ylabel("nonlinearity ν")
    figure.suptitle(f"Bent sphere, N = {dataset.map_units}: the map of Figs. 7-9", fontsize=11)
    return figure


def _winner(figure: Figure, axes: Axes, dataset: xr.Dataset) -> None:
    names = [str(name) for name in dataset.model.values]
    colours = ["white", "#E8E8E8", *(COLOURS[name] for name in names)]
    won = winner(dataset).sel(selection="validation")
    maps(axes, won, cmap=ListedColormap(colours), norm=BoundaryNorm(np.arange(-2.5, len(names)), len(colours)))
    bound_lines(axes, dataset)
    counts = ", ".join(f"{LABELS[name]} {int((won == i).sum())}" for i, name in enumerate(names))
    axes.set_title(f"who wins (validation)\n{counts}", fontsize=9)
    patches = [Patch(color=COLOURS[name], label=LABELS[name]) for name in names]
    patches += [Patch(color="#E8E8E8", label=f"tie (within {TIE:g})"), Patch(fc="white", ec="0.5", label=f"nobody (γ < {NOBODY:g})")]
    figure.legend(handles=patches, loc="outside lower right", ncols=len(patches), frameon=False, fontsize=8)


def _dials(dataset: xr.Dataset) -> Figure:
    figure, (left, middle, right) = panels(1, 3, 5.0, 4.2)
    for letter, axes, topology in zip("ab", (left, middle), dataset.topology.values, strict=True):
        mesh = _exponents(axes, dataset.sel(topology=topology))
        axes.set_title(f"({letter}) {topology}, N = {dataset.units}, white noise and bias", fontsize=10)
    left.set_ylabel("strength of input and bias")
    figure.colorbar(mesh, ax=middle, label="largest exponent per step")
    _forecasts(right, dataset)
    return figure


def _exponents(axes: Axes, dataset: xr.Dataset) -> Any:
    values = dataset.exponent.transpose("strength", "bend").values
    axes.set_yscale("log")
    mesh = axes.pcolormesh(dataset.bend, dataset.strength, values, cmap="PuOr_r", norm=NORM, shading="nearest", rasterized=True)
    whole = np.nan_to_num(values, nan=-9.0)
    levels = [level for level in (-1.0, -0.1, 0.01) if whole.min() < level < whole.max()]
    if levels and min(values.shape) > 1:
        lines = axes.contour(dataset.bend, dataset.strength, whole, levels=levels, colors="black", linewidths=0.9)
        axes.clabel(lines, fmt={-1.0: "memory 1", -0.1: "memory 10", 0.01: "chaos"}, fontsize=8)
    axes.set_xlabel("bend")
    return mesh


def _forecasts(axes: Axes, dataset: xr.Dataset) -> None:
    names = [str(name) for name in dataset.forecaster.values]
    for i, series in enumerate(dataset.series.values):
        for j, name in enumerate(names):
            values = dataset.valid.sel(series=series, forecaster=name)
            scaled = values / (10.0 if series == "santa_fe_laser" else 1.0)
            x = i + 0.25 * (j - 1)
            if bool(values.notnull().any()):
                axes.bar(x, float(median(scaled, "run")), 0.22, color=COLOURS[name], alpha=0.75)
            axes.plot(np.full(values.size, x), scaled, "o", ms=3, color="black", alpha=0.5)
    labels = [NAMES[str(s)] + ("\n(10 steps)" if s == "santa_fe_laser" else "") for s in dataset.series.values]
    axes.set_xticks(range(len(labels)), labels, fontsize=8)
    axes.set_ylabel("valid time of free runs (Lyapunov times)")
    axes.set_title(f"(c) forecasts, N = {dataset.units}, {dataset.train} training rows", fontsize=10)
    axes.legend(handles=[Patch(color=COLOURS[name], alpha=0.75, label=LABELS[name]) for name in names], frameon=False, fontsize=9)
