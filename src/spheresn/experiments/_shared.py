"""What all experiments share: random streams, holes, accuracies by column, colours and panels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .._validation import Floats
from ..reservoir import Reservoir, random_reservoir
from ._claim import Claim

Result = dict[str, np.ndarray]
MODELS = ("spherical", "tanh", "linear")
COLOURS = {"spherical": "#0072B2", "tanh": "#D55E00", "linear": "#555555", "bent": "#009E73"}
ACCENTS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")  # Okabe and Ito
GAMMA = "accuracy γ = max(1 − RMSE/std, 0)"
ZERO: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "zorder": 0}


def stream(seed: int, *place: int) -> np.random.Generator:
    """The random numbers of one unit of work: of the seed and of its place, whoever computes it and when."""
    return np.random.default_rng([seed, *place])


def dense(units: int, rng: np.random.Generator, topology: str = "gaussian") -> Reservoir:
    """W of spectral radius 1 and W_in uniform in [-1, 1]; every network of a unit is this one rescaled, so W is measured once."""
    return random_reservoir(units, topology=topology, spectral_radius=1.0, rng=rng)


def with_holes(results: Sequence[Result | None], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Floats]:
    """Each named array stacked over the units, NaN where a unit failed."""
    stacked = {name: np.full((len(results), *shape), np.nan) for name, shape in shapes.items()}
    for i, result in enumerate(results):
        for name in shapes if result is not None else ():
            stacked[name][i] = result[name]  # type: ignore[index]
    return stacked


def of_part(tasks: Sequence[dict[str, Any]], results: Sequence[Result | None], part: str) -> list[Result | None]:
    """The results of the units that belong to one part of an experiment, in their order."""
    return [result for task, result in zip(tasks, results, strict=True) if task["part"] == part]


def accuracies(targets: Floats, guesses: Floats) -> Floats:
    """`metrics.accuracy` of every column at once, (m,); a guess that is not finite counts as no better than the mean."""
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.sqrt(((targets - guesses) ** 2).mean(axis=0)) / targets.std(axis=0)
    return np.asarray(np.clip(1.0 - np.where(np.isfinite(errors), errors, 1.0), 0.0, None))


def delayed(signal: Floats, delays: Sequence[int]) -> Floats:
    """s_{k-τ} for each delay (T, D); the first rows, which have no past, are zero and must not be used."""
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
    """The median over the units that are there; as `quantiles`, and much faster."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return values.median(dims, skipna=True)


def judged(claims: Sequence[Claim]) -> list[Claim]:
    """The claims whose evidence is there: one that rests on a failed unit is left out rather than guessed."""
    return [claim for claim in claims if not any(isinstance(v, float) and np.isnan(v) for v in claim.evidence.values())]


def verdict(holds: bool, partly: bool = False) -> str:
    """The one word."""
    return "holds" if holds else "partly" if partly else "fails"


def panels(rows: int, columns: int, width: float, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure and its axes, row by row; width and height of one panel in inches."""
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = np.atleast_1d(figure.subplots(rows, columns, squeeze=False, **options)).ravel()
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, list(axes)


def band(axes: Axes, x: Any, values: Floats, **style: Any) -> None:
    """Runs (n, X): their median as a line, mean ± one standard deviation as a band."""
    if not np.isfinite(values).any():
        return
    kept = values[np.isfinite(values).any(axis=1)]
    (line,) = axes.plot(x, np.median(kept, axis=0), **style)
    middle, spread = kept.mean(axis=0), kept.std(axis=0)
    axes.fill_between(x, middle - spread, middle + spread, color=line.get_color(), alpha=0.2, linewidth=0)


def missing(axes: Axes, name: str) -> None:
    """A panel whose numbers are not there."""
    axes.text(0.5, 0.5, f"{name}\nnot available in this run", ha="center", va="center", transform=axes.transAxes, color="0.4")
