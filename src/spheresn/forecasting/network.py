"""A network as a forecasting method: chosen once on early rows, then fitted to any rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._validation import Floats, at_least, table, whole
from ..estimators import ESNForecaster, OutOfRange
from ..selection.calibration import MemoryOutOfReach
from ..series.scaling import Scaler
from ..series.windows import evenly_spaced, first_held_out
from .methods import Forecasts, checked_origins, clip_divergent

# Rules for the penalty and deviations of the noise while learning: for clean series, for noisy
# ones, and for those whose free runs tend to diverge
RULES: tuple[tuple[str, float | str], ...] = (("auto", "auto"), ("loo", 1e-5), ("loo", 0.1))
RUNS = 12  # free runs by which the rules are compared
FEWEST = 8  # rows, of which a quarter is held out

Report = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class FittedNetwork:
    """A fitted ESNForecaster and its rows, as a method for `backtest`.

    >>> import spheresn as sn
    >>> rows = sn.datasets.mackey_glass(400)
    >>> model = sn.ESNForecaster(units=50, bend=0.5, memory=2, random_state=0).fit(rows[:300])
    >>> FittedNetwork(model, rows[:300]).forecast(rows, [300, 350], 10).values.shape
    (2, 10, 1)
    """

    model: ESNForecaster
    rows: Floats

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """Free runs (K, steps, d), each after observing the series up to its origin."""
        model, found, observed = copy(self.model), [], len(self.rows)
        for origin in checked_origins(origins, observed, len(series)).tolist():
            if origin > observed:
                model.update(series[observed:origin])
                observed = origin
            found.append(_free_run(model, steps))
        return clip_divergent(np.array(found), self.rows)


@dataclass(frozen=True)
class NetworkSettings:
    """Everything that a forecaster needs besides the rows.

    >>> rows = np.sin(0.3 * np.arange(200.0))[:, None]
    >>> settings = NetworkSettings(units=30, seed=0, memory=5.0, bend=0.5)
    >>> settings.fit(rows).forecast(rows, [200], 10).diverged.tolist()
    [False]
    """

    units: int
    seed: int
    penalty: str = "auto"
    noise: float | str = "auto"
    memory: float | str = "auto"
    bend: float | str = "auto"

    def fit(self, rows: Floats) -> FittedNetwork:
        """The method, fitted to rows (T, d)."""
        return FittedNetwork(self.fit_forecaster(rows), rows)

    def fit_forecaster(self, rows: Any) -> ESNForecaster:
        """The estimator, fitted to rows; with another memory if they do not allow this one."""
        model = ESNForecaster(
            self.units, penalty=self.penalty, noise=self.noise, random_state=self.seed
        )
        try:
            model.set_params(memory=self.memory, bend=self.bend).fit(rows)
        except MemoryOutOfReach:
            model.set_params(memory="auto", bend="auto").fit(rows)
        return model


def select_network(
    rows: ArrayLike,
    steps: int,
    units: int = 300,
    seed: int = 0,
    report: Report = lambda doing: None,
) -> NetworkSettings:
    """The settings whose free runs over the last quarter of the rows have the least error.

    rows (T,) or (T, d): for an honest backtest only those before it, series[:first_origin(T)]. The
    forecaster chooses memory and bend by how long its runs stay valid. This function also chooses
    the rule for the penalty and the noise, by the error over as many steps as will be forecast.

    >>> settings = select_network(np.sin(0.3 * np.arange(200.0)), steps=10, units=20)
    >>> settings.units, settings.penalty in ("auto", "loo")
    (20, True)
    """
    given = table("rows", rows)
    at_least("rows", len(given), FEWEST, "to choose a network by")
    values = Scaler.of(given).forward(given)
    first = first_held_out(len(values))
    ahead = max(min(whole("steps", steps, 1), (len(values) - first) // 2), 1)
    origins = np.unique(evenly_spaced(first, len(values) - ahead, RUNS))
    truth = np.array([values[origin : origin + ahead] for origin in origins])
    errors: dict[NetworkSettings, float] = {}
    for rule in RULES:
        report("choosing a network")
        tried = NetworkSettings(units, seed, *rule)
        fitted = tried.fit(values[:first])
        fixed = replace(tried, memory=float(fitted.model.memory_), bend=float(fitted.model.bend_))
        found = fitted.forecast(values, origins, ahead)
        errors[fixed] = float(np.mean(np.square(found.values - truth)))
    return min(errors, key=lambda one: errors[one])


def _free_run(model: ESNForecaster, steps: int) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutOfRange)  # the forecasts say which of them diverged
        return np.asarray(model.forecast(steps)).reshape(steps, -1)
