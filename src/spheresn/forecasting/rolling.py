"""Rolling origins: methods are fitted to the rows before a fold of origins and forecast from these.

`backtest` and `combine` both judge methods this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats, one_of
from ..selection.free_runs import evenly_spaced
from ..series.scaling import Scaler
from .defaults import SERIES_DEFAULTS
from .intervals import INTERVAL_LEVEL, half_widths
from .methods import Forecasts, Method

Fit = Callable[[Floats], Method]


@dataclass(frozen=True, eq=False)
class Backtest:
    """Forecasts of several methods from the same origins, beside the true rows.

    origins (K,): the first rows forecast; folds: the origins at which the methods were fitted
    again; forecasts: of each method (K, H, d); truth (K, H, d): the true rows; diverged: of each
    method, which forecasts (K,) diverged, so that the mean replaces them from there on. All values
    are in deviations of the columns, so that columns can be compared; `scaler.backward` brings them
    to the units of the series.

    >>> from spheresn.forecasting import Naive, backtest
    >>> test = backtest(np.sin(0.3 * np.arange(120.0)), 5, {"naive": Naive.fit})
    >>> test.forecasts["naive"].shape, len(test.rmse_by_step("naive"))
    ((36, 5, 1), 5)
    """

    origins: NDArray[np.int64]
    folds: tuple[int, ...]
    forecasts: dict[str, Floats]
    truth: Floats
    scaler: Scaler
    diverged: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def errors(self, name: str) -> Floats:
        """Forecast minus truth (K, H, d), in deviations of the columns."""
        one_of("name", name, tuple(self.forecasts))
        return np.asarray(self.forecasts[name] - self.truth)

    def rmse_by_step(self, name: str) -> Floats:
        """Root mean square error at each horizon (H,), over origins and columns."""
        return np.asarray(np.sqrt(np.mean(np.square(self.errors(name)), axis=(0, 2))))

    def rmse(self, name: str) -> float:
        """Root mean square error over everything; the mean of the series has 1."""
        return float(np.sqrt(np.mean(np.square(self.errors(name)))))

    def half_widths(self, name: str, level: float = INTERVAL_LEVEL) -> Floats:
        """Half the width (H, d) of an interval around a forecast, in the units of the series."""
        return np.asarray(half_widths(self.errors(name), level) * self.scaler.scale)


def roll(
    rows: Floats,
    origins: NDArray[np.int64],
    steps: int,
    methods: Mapping[str, Fit],
    scaler: Scaler,
    report: Callable[[str], None] = lambda fold: None,
) -> Backtest:
    """Forecasts of `steps` rows by every method from every origin.

    The origins are divided into folds. For each fold every method is fitted to the rows (T, d)
    before its first origin, so no method learns a row that it forecasts. `scaler` brings the rows
    to the units of the series; `report` is called with "1 of 4" and so on as a fold begins.

    >>> from spheresn.forecasting import Mean
    >>> rows = np.arange(12.0)[:, None]
    >>> found = roll(rows, np.arange(4, 12), 1, {"mean": Mean.fit}, Scaler.identity(1))
    >>> found.folds, found.forecasts["mean"].ravel().tolist()
    ((4, 6, 8, 10), [1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5, 4.5])
    """
    folds = [fold for fold in np.array_split(origins, SERIES_DEFAULTS.folds) if len(fold)]
    parts: dict[str, list[Forecasts]] = {name: [] for name in methods}
    for number, fold in enumerate(folds, 1):
        report(f"{number} of {len(folds)}")
        for name, fit in methods.items():
            parts[name].append(fit(rows[: fold[0]]).forecast(rows, fold, steps))
    return Backtest(
        origins,
        tuple(int(fold[0]) for fold in folds),
        {name: np.concatenate([part.values for part in found]) for name, found in parts.items()},
        np.array([rows[origin : origin + steps] for origin in origins]),
        scaler,
        {name: np.concatenate([part.diverged for part in found]) for name, found in parts.items()},
    )


def spread_origins(first: int, last: int, most: int) -> NDArray[np.int64]:
    """At most so many origins, evenly spaced from the first to the last.

    >>> spread_origins(10, 20, 3).tolist(), spread_origins(10, 12, 5).tolist()
    ([10, 15, 20], [10, 11, 12])
    """
    return np.unique(evenly_spaced(first, last, min(most, last - first + 1)))
