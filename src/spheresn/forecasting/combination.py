"""A combination of methods, weighted by their records.

The record of a method is its forecasts from origins within the series; it was fitted to the rows
before them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._validation import Floats
from ..series.scaling import Scaler
from .backtesting import Backtest, Fit, roll, spread_origins
from .defaults import SERIES_DEFAULTS
from .methods import Forecasts, Method, checked_origins, given

COMBINATION = "combination"


@dataclass(frozen=True, eq=False)
class FittedCombination:
    """Fitted methods, their weights for each column and their record, as a `Method`.

    weights: of each method (d,), zero for those that are not used; limit (d,): how far from the
    others a forecast may be. The record is a `Backtest` that holds the combination too.

    >>> from spheresn.forecasting import Mean, Naive
    >>> rows = np.sin(0.1 * np.arange(90.0))[:, None]
    >>> found = combine(rows, 5, {"naive": Naive.fit, "mean": Mean.fit})
    >>> found.forecast(rows, [90], 5).values.shape, sorted(found.record.forecasts)
    ((1, 5, 1), ['combination', 'mean', 'naive'])
    """

    methods: dict[str, Method]
    weights: dict[str, Floats]
    limit: Floats
    record: Backtest

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """The weighted mean of the methods that have a weight."""
        places = checked_origins(origins, 1, len(series))
        used = [name for name, weight in self.weights.items() if weight.any()]
        found = {name: self.methods[name].forecast(series, places, steps).values for name in used}
        return Forecasts(mixed(found, self.weights, self.limit), np.zeros(len(places), np.bool_))

    def given(self, exogenous: Floats) -> FittedCombination:
        """The same with other exogenous columns."""
        methods = {name: given(method, exogenous) for name, method in self.methods.items()}
        return FittedCombination(methods, self.weights, self.limit, self.record)


def combine(
    rows: Floats,
    steps: int,
    methods: Mapping[str, Fit],
    report: Callable[[str], None] = lambda stage: None,
) -> FittedCombination:
    """The combination of these methods for rows (T, d) of comparable columns.

    `roll` gives the record of each method. The error of a forecast is the mean of |e| over its
    steps, and that of a method the geometric mean over its forecasts: one bad day decides nothing.
    Methods within `worst` times the least error are kept. Each column has weights of its own and no
    single method is chosen, so `selection.engine` has no part in it.

    >>> from spheresn.forecasting import Naive, SeasonalNaive
    >>> months = np.tile(np.arange(12.0), 10)[:, None]
    >>> found = combine(months, 12, {"naive": Naive.fit, "seasonal": SeasonalNaive(12).fit})
    >>> {name: float(weight[0]) for name, weight in found.weights.items()}
    {'naive': 0.0, 'seasonal': 1.0}
    """
    origins, reach = record_origins(len(rows), steps)
    same = Scaler.identity(rows.shape[1])
    found = roll(rows, origins, reach, methods, same, lambda fold: report(f"record {fold}"))
    weights, least = weights_of(found.forecasts, found.truth)
    limit = SERIES_DEFAULTS.outlier * least
    used = {name: found.forecasts[name] for name, weight in weights.items() if weight.any()}
    record = replace(
        found,
        forecasts={**found.forecasts, COMBINATION: mixed(used, weights, limit)},
        diverged={**found.diverged, COMBINATION: np.zeros(len(origins), np.bool_)},
    )
    report("fitting")
    kept = {name: fit(rows) for name, fit in methods.items() if weights[name].any()}
    return FittedCombination(kept, weights, limit, record)


def record_origins(rows: int, steps: int) -> tuple[NDArray[np.int64], int]:
    """Origins within the last part of a series, and how far ahead its record reaches.

    >>> [part if isinstance(part, int) else part.tolist() for part in record_origins(30, 12)]
    [[20, 21, 22, 23, 24, 25], 5]
    """
    reach = max(min(steps, rows // SERIES_DEFAULTS.reach), 1)
    first = rows - max(rows // SERIES_DEFAULTS.late_share, reach + min(10, rows // 10))
    last = rows - reach
    return spread_origins(first, last, SERIES_DEFAULTS.record_origins), reach


def weights_of(forecasts: Mapping[str, Floats], truth: Floats) -> tuple[dict[str, Floats], Floats]:
    """The weight (d,) of each method in each column, and the least error (d,) of all methods."""
    ages = np.exp(np.linspace(-SERIES_DEFAULTS.recent, 0.0, len(truth)))
    errors = {}
    for name, values in forecasts.items():
        sizes = np.abs(values - truth).mean(axis=1)  # (K, d)
        with np.errstate(invalid="ignore"):
            logs = np.log(np.where(np.isfinite(sizes), sizes, np.inf) + SERIES_DEFAULTS.negligible)
        errors[name] = np.exp(ages @ logs / ages.sum())
    least = np.min(list(errors.values()), axis=0)
    raw = {
        name: np.where(
            error <= SERIES_DEFAULTS.worst * least, (least / error) ** SERIES_DEFAULTS.power, 0.0
        )
        for name, error in errors.items()
    }
    total = np.sum(list(raw.values()), axis=0)
    return {name: np.asarray(weight / total) for name, weight in raw.items()}, least


def mixed(forecasts: Mapping[str, Floats], weights: Mapping[str, Floats], limit: Floats) -> Floats:
    """The weighted mean (K, H, d) of forecasts, without those that are far from their median.

    A method with a good record may fail when something new happens, for instance after a day
    without data; then the others disagree with it.
    """
    values = np.stack(list(forecasts.values()))  # (M, K, H, d)
    share = np.stack([np.broadcast_to(weights[name], values.shape[1:]) for name in forecasts])
    order = np.argsort(values, axis=0)
    heights = np.cumsum(np.take_along_axis(share, order, axis=0), axis=0)
    middle = (heights >= 0.5 * heights[-1]).argmax(axis=0)[None]
    centre = np.take_along_axis(np.take_along_axis(values, order, axis=0), middle, axis=0)
    with np.errstate(invalid="ignore", over="ignore"):
        away = np.abs(values - centre).mean(axis=2, keepdims=True)  # (M, K, 1, d)
    kept = np.where(away <= limit, share, 0.0)
    total = kept.sum(axis=0)
    # What is left out may be infinite or no number
    mean = (kept * np.where(kept > 0.0, values, 0.0)).sum(axis=0) / np.where(total > 0.0, total, 1)
    return np.asarray(np.where(total > 0.0, mean, centre[0]))
