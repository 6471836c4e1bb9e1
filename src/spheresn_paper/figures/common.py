"""What the figures share: random streams, holes, accuracies by column, medians and panels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spheresn._validation import Floats
from spheresn.reservoir import Reservoir, random_reservoir

Result = dict[str, np.ndarray]
MODELS = ("spherical", "tanh", "linear")


def stream(seed: int, *place: int) -> np.random.Generator:
    """The random numbers of one unit of work; they depend on the seed and on its place only."""
    return np.random.default_rng([seed, *place])


def dense(units: int, rng: np.random.Generator, topology: str = "gaussian") -> Reservoir:
    """W of spectral radius 1 and W_in uniform in [-1, 1].

    The networks of a unit are rescaled versions of this one, so the spectrum of W is computed once.
    """
    return random_reservoir(units, topology=topology, spectral_radius=1.0, rng=rng)


def with_holes(
    results: Sequence[Result | None], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Floats]:
    """Each named array stacked over the units, NaN where a unit failed."""
    stacked = {name: np.full((len(results), *shape), np.nan) for name, shape in shapes.items()}
    for i, result in enumerate(results):
        for name in shapes if result is not None else ():
            stacked[name][i] = result[name]  # type: ignore[index]
    return stacked


def of_part(
    tasks: Sequence[dict[str, Any]], results: Sequence[Result | None], part: str
) -> list[Result | None]:
    """The results of the units that belong to one part of an experiment, in their order."""
    return [result for task, result in zip(tasks, results, strict=True) if task["part"] == part]


def accuracies(targets: Floats, guesses: Floats) -> Floats:
    """`metrics.accuracy` of every column at once, (m,); a guess that is not finite scores 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.sqrt(((targets - guesses) ** 2).mean(axis=0)) / targets.std(axis=0)
    return np.asarray(np.clip(1.0 - np.where(np.isfinite(errors), errors, 1.0), 0.0, None))


def delayed(signal: Floats, delays: Sequence[int]) -> Floats:
    """s_{k-τ} for each delay (T, D); the first rows have no past: they are zero and unused."""
    columns = np.zeros((len(signal), len(delays)))
    for i, delay in enumerate(delays):
        columns[delay:, i] = signal[: len(signal) - delay]
    return columns


def quantiles(values: xr.DataArray, share: float | Sequence[float], *dims: str) -> Any:
    """Quantiles over the units that are there; NaN, without a warning, where there are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return values.quantile(share, dims, skipna=True).drop_vars("quantile")


def median(values: xr.DataArray, *dims: str) -> xr.DataArray:
    """The median over the units that are there; like `quantiles`, but much faster."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return values.median(dims, skipna=True)


def panels(
    rows: int, columns: int, width: float, height: float, **options: Any
) -> tuple[Figure, list[Axes]]:
    """A figure and its axes, row by row; width and height of one panel in inches."""
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = np.atleast_1d(figure.subplots(rows, columns, squeeze=False, **options)).ravel()
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, list(axes)


def finding(ylabel: str, xlabel: str) -> tuple[Figure, Axes]:
    """A small picture for the first screen of the report: large letters and few of them."""
    figure = Figure(figsize=(3.6, 2.7), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylabel(ylabel, fontsize=12)
    axes.set_xlabel(xlabel, fontsize=12, labelpad=1)
    axes.tick_params(labelsize=11)
    return figure, axes


def legend_below(axes: Axes, columns: int) -> None:
    """A legend under the panel, where it cannot cover a curve."""
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15)}
    axes.legend(ncols=columns, frameon=False, fontsize=8, **place)
