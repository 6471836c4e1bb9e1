"""The methods that are compared: those of statsforecast, simple ones, and this library's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import norm

LEVEL = 90
LONGER = {24: 168, 48: 336, 7: 365}  # the next season of a series with this one
Answer = tuple[np.ndarray, np.ndarray, np.ndarray]  # mean, lower, upper


def seasonal_naive(rows: np.ndarray, season: int, steps: int) -> Answer:
    """The last season repeated; intervals as if its errors were a random walk over seasons."""
    back = season if season < len(rows) else 1
    mean = rows[len(rows) - back + np.arange(steps) % back]
    deviation = np.std(rows[back:] - rows[:-back]) * np.sqrt(1 + np.arange(steps) // back)
    half = norm.ppf(0.5 + LEVEL / 200) * deviation
    return mean, mean - half, mean + half


def _stats(make: Callable[[int, int], Any]) -> Callable[[np.ndarray, int, int], Answer]:
    """A model of statsforecast, with its own intervals."""

    def forecast(rows: np.ndarray, season: int, steps: int) -> Answer:
        found = make(season, len(rows)).forecast(y=rows.astype(float), h=steps, level=[LEVEL])
        return found["mean"], found[f"lo-{LEVEL}"], found[f"hi-{LEVEL}"]

    return forecast


def _ets(season: int, rows: int) -> Any:
    from statsforecast.models import AutoETS

    # Its states are a season long; beyond 24 it falls back to no season by itself
    return AutoETS(season_length=season if 2 * season < rows else 1)


def _arima(season: int, rows: int) -> Any:
    from statsforecast.models import AutoARIMA

    # A season of a day's half hours or of a year's weeks takes hours: as its authors advise, none
    return AutoARIMA(season_length=season if season <= 24 and 2 * season < rows else 1)


def _theta(season: int, rows: int) -> Any:
    from statsforecast.models import AutoTheta

    return AutoTheta(season_length=season if 2 * season < rows else 1)


def _mstl(season: int, rows: int) -> Any:
    from statsforecast.models import MSTL, AutoETS

    seasons = list(_usual_seasons(season, rows))
    trend = AutoETS(model="ZZN")
    return MSTL(season_length=seasons, trend_forecaster=trend) if seasons else trend


def _usual_seasons(season: int, rows: int) -> tuple[int, ...]:
    """The seasons that a method is given: those of MSTL."""
    return tuple(one for one in (season, LONGER.get(season, 0)) if one > 1 and 2 * one < rows)


def _combined(rows: np.ndarray, season: int, steps: int) -> Answer:
    from spheresn.forecasting import SeriesForecaster

    model = SeriesForecaster(_usual_seasons(season, len(rows)), horizon=steps, verbose=False).fit(
        rows
    )
    found = model.forecast(steps, level=LEVEL / 100)
    return found.mean, found.lower, found.upper


def _network(rows: np.ndarray, season: int, steps: int) -> Answer:
    """The library's network alone, without seasons and intervals."""
    from spheresn import ESNForecaster

    mean = ESNForecaster(random_state=0, verbose=False).fit(rows).forecast(steps)
    return mean, np.full(steps, -1e300), np.full(steps, 1e300)


def _autoregression(rows: np.ndarray, season: int, steps: int) -> Answer:
    from spheresn.forecasting import Autoregression

    scale = np.std(rows) or 1.0
    table = rows[:, None] / scale
    found = Autoregression(seasons=_usual_seasons(season, len(rows))).fit(table)
    mean = scale * found.forecast(table, [len(rows)], steps).values[0, :, 0]
    return mean, np.full(steps, -1e300), np.full(steps, 1e300)


METHODS: dict[str, Callable[[np.ndarray, int, int], Answer]] = {
    "SeriesForecaster": _combined,
    "ESNForecaster": _network,
    "ridge AR": _autoregression,
    "seasonal naive": seasonal_naive,
    "AutoETS": _stats(_ets),
    "AutoTheta": _stats(_theta),
    "MSTL": _stats(_mstl),
    "AutoARIMA": _stats(_arima),
}
