"""Forecasts of many series by one model for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..._errors import BadInput
from ..._validation import Floats
from ...forecasting import PanelForecaster
from ...forecasting.backtesting import Backtest
from ...forecasting.combination import COMBINATION
from ...series.scaling import Scaler
from ..tables import TimeSeries
from .result import ForecastResult, without_constant_columns

# From so many series on one model learns from all: fewer have too little to tell each other
LEAST_TOGETHER = 10
# Of a table: more make a page that browsers open slowly; Python takes any number
MOST_IN_ONE_TABLE = 2000
LEARNED_TWICE = 28  # stages of a panel at most: seven readouts, for the test and for the forecast

Report = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class SharedModel:
    """The model of one series where all share one model, for the page: its record, the weights of
    its members and its season.
    """

    record_: Backtest
    weights_: dict[str, float]
    seasons_: tuple[int, ...]
    said: str

    def describe(self) -> str:
        """The sentence about the model of the panel."""
        return self.said

    def relative_error(self, name: str, other: str) -> float:
        """Mean of |e| of one method in the record, relative to that of another."""
        one, two = (float(np.abs(self.record_.errors(which)).mean()) for which in (name, other))
        return one / two if two > 0.0 else (1.0 if one == 0.0 else float("inf"))


def can_be_together(series: Sequence[TimeSeries]) -> bool:
    """Whether one model can learn from all series: enough of them, with the same known rows."""
    ahead = {one.rows_to_forecast for one in series}
    return len(series) >= LEAST_TOGETHER and len(ahead) == 1


def forecast_together(
    series: Sequence[TimeSeries],
    steps: int | None,
    season: str | list[int] | None,
    seed: int,
    report: Report,
) -> tuple[tuple[ForecastResult, ...], str]:
    """The forecasts of all series, and a sentence about their model. The last rows of each series
    were forecast by a model that had not seen them: that is the record.
    """
    if len(series) > MOST_IN_ONE_TABLE:
        raise BadInput(
            f"FILE must have at most {MOST_IN_ONE_TABLE} series, got {len(series)}; for more use "
            "spheresn.forecasting.PanelForecaster in Python"
        )
    ahead = series[0].rows_to_forecast
    steps = ahead if steps is None else steps
    if ahead is not None and steps is not None and steps > ahead:
        raise BadInput(
            f"--steps must be at most {ahead}, the rows whose --known columns are given, got "
            f"{steps}; append rows or ask for fewer"
        )
    table, coming = _long(series)
    names = [name for name in table if name not in ("unique_id", "ds", "y")]
    model = PanelForecaster(season, horizon=steps, random_state=seed, verbose=False)
    model.fit(table, exogenous=names, report=report)
    found = model.forecast(exogenous=coming if names else None)
    report("the test")
    test = model.backtest(min(model.horizon_, int(np.median(_lengths(series))) // 3))
    count, horizon = len(series), model.horizon_
    rows = [
        np.asarray(part).reshape(count, horizon) for part in (found.mean, found.lower, found.upper)
    ]
    places = {label: place for place, label in enumerate(test.labels)}
    naive = "seasonal naive" if model.season_ > 1 else "naive"
    seasons = (model.season_,) if model.season_ > 1 else ()
    results = []
    for place, one in enumerate(series):
        at = places.get(_name(place))
        record = _record(one, naive) if at is None else _tested(one, test, at, naive)
        shared = SharedModel(record, model.weights_, seasons, model.describe())
        mean, lower, upper = (part[place][:, None] for part in rows)
        constants = without_constant_columns(one)[1]
        results.append(ForecastResult(one, shared, mean, lower, upper, 0, one.names, constants))
    return tuple(results), model.describe()


def _lengths(series: Sequence[TimeSeries]) -> list[int]:
    return [len(one.values) for one in series]


def _name(place: int) -> str:
    """A label that keeps the order of the table."""
    return f"{place:09d}"


def _long(series: Sequence[TimeSeries]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The series below one another, and their known columns at the rows to come; without even dates
    in all of them the rows are counted.
    """
    clocks = [one.clock for one in series]
    dated = all(
        clock is not None and clock.even and isinstance(clock.times, pd.DatetimeIndex)
        for clock in clocks
    )
    past, coming = [], []
    for place, (one, clock) in enumerate(zip(series, clocks, strict=True)):
        rows, more = len(one.values), one.rows_to_forecast or 0
        times: Any = np.arange(rows + more)
        if dated and clock is not None:
            every = clock.calendar.every
            times = every.append(clock.axis_ahead(more)) if more else every
        columns: dict[str, Any] = {"unique_id": _name(place), "ds": times}
        if one.known is not None:
            columns |= {f"known {k}": column for k, column in enumerate(one.known.T)}
        frame = pd.DataFrame(columns)
        past.append(frame.iloc[:rows].assign(y=one.values[:, 0]))
        coming.append(frame.iloc[rows:])
    return pd.concat(past, ignore_index=True), pd.concat(coming, ignore_index=True)


def _tested(series: TimeSeries, test: Any, place: int, naive: str) -> Backtest:
    """The record of one series: one forecast of its last rows."""
    truth = test.truth[place][None, :, None]
    steps = truth.shape[1]
    forecasts = {
        COMBINATION: test.mean[place][None, :, None],
        naive: test.naive[place][None, :, None],
        "mean": _mean_of(series.values[:-steps], steps),
    }
    return _backtest(series, forecasts, truth)


def _record(series: TimeSeries, naive: str) -> Backtest:
    """The record of a series that is too short for a test: its last value was itself."""
    truth = series.values[-1:][None]
    return _backtest(series, {COMBINATION: truth, naive: truth, "mean": truth}, truth)


def _mean_of(values: Floats, steps: int) -> Floats:
    return np.full((1, steps, 1), float(values.mean()))


def _backtest(series: TimeSeries, forecasts: dict[str, Floats], truth: Floats) -> Backtest:
    scaler = Scaler.of(series.values)
    same = Scaler(np.zeros(1), scaler.scale)
    origin = np.array([len(series.values) - truth.shape[1]])
    never = np.zeros(1, np.bool_)
    return Backtest(
        origin,
        (int(origin[0]),),
        {name: same.forward(part) for name, part in forecasts.items()},
        same.forward(truth),
        same,
        dict.fromkeys(forecasts, never),
    )
