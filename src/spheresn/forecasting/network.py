"""A network as a forecasting method: chosen once on early rows, then fitted to any rows."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._validation import Floats
from ..estimators import ESNForecaster, OutOfRange
from ..selection.calibration import MemoryOutOfReach
from .methods import Forecasts, checked_origins, clip_divergent


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

    @property
    def earliest(self) -> int:
        """The first row that it can forecast."""
        return len(self.rows)

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
    """The settings of an `ESNForecaster`: all that its fit needs besides the rows.

    >>> rows = np.sin(0.3 * np.arange(200.0))[:, None]
    >>> chosen = ESNForecaster(30, random_state=0).fit(rows[:150])
    >>> NetworkSettings.of(chosen).fit(rows).forecast(rows, [200], 10).diverged.tolist()
    [False]
    """

    units: int
    seed: int
    penalty: float | str = "auto"
    noise: float | str = "auto"
    memory: float | str = "auto"
    bend: float | str = "auto"
    bias_ratio: float | str = "auto"
    observation_noise: float | str = 0.0

    @staticmethod
    def of(model: ESNForecaster) -> NetworkSettings:
        """The settings that a fitted forecaster has chosen, for fits to other rows."""
        return NetworkSettings(
            model.units,
            model.random_state,
            model.penalty,
            float(model.noise_),
            float(model.memory_),
            float(model.bend_),
            float(model.bias_ratio_),
            model.observation_noise,
        )

    def fit(self, rows: Floats) -> FittedNetwork:
        """The method, fitted to rows (T, d)."""
        return FittedNetwork(self.fit_forecaster(rows), rows)

    def fit_forecaster(self, rows: Any) -> ESNForecaster:
        """The estimator, fitted to rows; with another memory where this one is out of reach."""
        model = ESNForecaster(
            self.units,
            penalty=self.penalty,
            noise=self.noise,
            bias_ratio=self.bias_ratio,
            observation_noise=self.observation_noise,
            long_runs=False,  # forecasts of ordinary series are short
            random_state=self.seed,
            verbose=False,
        )
        try:
            model.set_params(memory=self.memory, bend=self.bend).fit(rows)
        except MemoryOutOfReach:
            model.set_params(memory="auto", bend="auto").fit(rows)
        return model


def _free_run(model: ESNForecaster, steps: int) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutOfRange)  # the forecasts say which of them diverged
        return np.asarray(model.forecast(steps)).reshape(steps, -1)
