"""`spheresn forecast`: a combination of methods by their record, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..._errors import BadInput
from ..._validation import Floats, at_least, whole
from ...forecasting.backtesting import Backtest
from ...forecasting.combination import COMBINATION
from ...forecasting.defaults import SERIES_DEFAULTS
from ...forecasting.series import FORECAST_STAGES, SeriesForecaster
from ..tables import TimeSeries

__all__ = [
    "FORECAST_STAGES",
    "ForecastResult",
    "forecast",
    "seasons_given",
    "without_constant_columns",
]
NO_SEASON = "none"
# Of the table, the last ones, to which the model is fitted in some seconds
MOST_ROWS_TO_FIT = 20_000
SHOWN_HORIZONS = 3  # a picture shows the past for so many horizons
LEAST_ROWS_SHOWN = 60  # rows of the past, if the horizon is short

Report = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class ForecastResult:
    """A forecast and everything needed to judge it.

    `values`, `lower` and `upper` (H, d) are the forecast and its interval in the units of the data;
    the model is not fitted to the first `skipped` rows. columns: of the table, of which those in
    `constants` have no model.
    """

    series: TimeSeries
    model: Any  # a SeriesForecaster, or the part of a panel's model
    values: Floats
    lower: Floats
    upper: Floats
    skipped: int = 0
    columns: tuple[str, ...] = ()
    constants: tuple[tuple[str, float], ...] = ()

    @property
    def everything(self) -> list[tuple[str, Floats, Floats, Floats]]:
        """The name of each column of the table, in its order, its forecast and the ends of its
        interval (H,); a constant column stays what it was.
        """
        found = {
            name: (name, self.values[:, one], self.lower[:, one], self.upper[:, one])
            for one, name in enumerate(self.series.names)
        }
        for name, value in self.constants:
            same = np.full(self.steps, value)
            found[name] = (name, same, same, same)
        return [found[name] for name in self.columns or self.series.names]

    @property
    def steps(self) -> int:
        """The number of steps that are forecast."""
        return len(self.values)

    @property
    def times(self) -> list[str]:
        """The time of each forecast."""
        return self.series.ahead(self.steps)

    @property
    def axis(self) -> tuple[pd.Index, pd.Index]:
        """The times of the rows and of the forecasts for a plot; without a clock, row numbers."""
        clock, rows = self.series.clock, len(self.series.values)
        if clock is not None:
            return clock.axis, clock.axis_ahead(self.steps)
        numbers = pd.Index(np.arange(1, rows + self.steps + 1))
        return numbers[:rows], numbers[rows:]

    @property
    def first_shown(self) -> int:
        """The row at which a picture of the forecast begins."""
        return max(len(self.series.values) - max(SHOWN_HORIZONS * self.steps, LEAST_ROWS_SHOWN), 0)

    @property
    def record(self) -> Backtest:
        """Forecasts of all methods, and of their combination, of rows that they had not seen."""
        found: Backtest = self.model.record_
        return found

    @property
    def origins(self) -> list[int]:
        """The rows of the table at which the forecasts of the record begin."""
        return [self.skipped + int(origin) for origin in self.record.origins]

    @property
    def past_runs(self) -> list[tuple[int, Floats]]:
        """The last forecasts (H, d) of the record that do not overlap, each with the row at which
        it begins, as far as a picture shows them; the latest first.
        """
        runs = self.record.scaler.backward(self.record.forecasts[COMBINATION])
        last, found = len(self.series.values) + 1, []
        for origin, run in reversed(list(zip(self.origins, runs, strict=True))):
            if origin + len(run) < last and origin > self.first_shown:
                found.append((origin, run))
                last = origin
        return found

    @property
    def naive(self) -> str:
        """The simple method that the others are compared with."""
        return "seasonal naive" if "seasonal naive" in self.record.forecasts else "naive"

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each method in the combination, averaged over the columns."""
        weights = {name: float(np.mean(weight)) for name, weight in self.model.weights_.items()}
        singles = (name for name in self.record.forecasts if name != COMBINATION)
        return {name: weights.get(name, 0.0) for name in singles}

    @property
    def relative_errors(self) -> dict[str, float]:
        """The mean of |e| of each method relative to that of the naive one, the least first."""
        naive = self.naive
        found = {name: self.model.relative_error(name, naive) for name in self.record.forecasts}
        return dict(sorted(found.items(), key=lambda pair: pair[1]))

    @property
    def best(self) -> str:
        """The single method of least error in the record."""
        return next(name for name in self.relative_errors if name != COMBINATION)


def forecast(
    series: TimeSeries,
    steps: int | None = None,
    season: str | list[int] | None = "auto",
    seed: int = 0,
    report: Report = lambda stage: None,
) -> ForecastResult:
    """Judge all methods on the series, combine those that did well, and forecast.

    `season` and the usual `steps` are those of SeriesForecaster; `report` is called with the name
    of each stage that begins.
    """
    whole("--seed", seed, 0)
    rows = len(series.values)
    at_least("FILE", rows, SERIES_DEFAULTS.least_rows, "for a forecast and its record")
    if series.known is not None:
        ahead = len(series.known) - rows
        if steps is not None and whole("--steps", steps, 1) > ahead:
            raise BadInput(
                f"--steps must be at most {ahead}, the rows whose --known columns are given, got "
                f"{steps}; append rows or ask for fewer"
            )
        steps = ahead if steps is None else steps
    if steps is not None and whole("--steps", steps, 1) > rows:
        raise BadInput(
            f"--steps must be at most {rows}, the rows of FILE, got {steps}; ask for fewer"
        )
    longest = min(rows, MOST_ROWS_TO_FIT) // 2
    if isinstance(season, list) and max(season, default=0) > longest:
        raise BadInput(
            f"--season must be at most {longest}, half of the rows that are learned from, got "
            f"{max(season)}; give a shorter one"
        )
    series.ahead(steps or 1)  # dates that cannot go on are refused before the work
    columns = series.names
    series, constants = without_constant_columns(series)
    skipped = max(rows - max(MOST_ROWS_TO_FIT, steps or 0), 0)
    model = SeriesForecaster(season, horizon=steps, random_state=seed, verbose=False)
    known = known_that_vary(series, skipped)
    past, after = (None, None) if known is None else (known[:rows], known[rows:][:steps])
    learned = None if past is None else past[skipped:]
    model.fit(observations(series)[skipped:], exogenous=learned, report=report)
    coming = model.forecast(exogenous=after)
    mean, lower, upper = (np.asarray(part) for part in (coming.mean, coming.lower, coming.upper))
    listed = ", ".join(name for name, _ in constants)
    about = [f"constant, and forecast as such: {listed}"] if constants else []
    unused = sorted(set(season) - set(model.seasons_)) if isinstance(season, list) else []
    notes = about + [
        f"a season of {one} rows is not used: before the record there are too few rows"
        for one in unused
    ]
    if skipped:
        notes.append(f"the forecast is learned from the last {rows - skipped} of {rows} rows")
    series = replace(series, notes=(*series.notes, *notes))
    return ForecastResult(series, model, mean, lower, upper, skipped, columns, constants)


def known_that_vary(series: TimeSeries, skipped: int) -> Floats | None:
    """The columns that are known ahead, as far as they vary in the rows that are learned from."""
    if series.known is None:
        return None
    learned = series.known[skipped : len(series.values)]
    return series.known[:, np.ptp(learned, axis=0) > 0.0]


def observations(series: TimeSeries) -> Any:
    """The values, with their dates if these are evenly spaced: dates suggest seasons."""
    clock = series.clock
    if clock is None or not clock.even or not isinstance(clock.times, pd.DatetimeIndex):
        return series.values
    return pd.DataFrame(series.values, clock.calendar.every, range(series.values.shape[1]))


def seasons_given(values: Sequence[str]) -> str | list[int] | None:
    """The seasons that the values of `--season` name: "auto" without any, None for "none".

    >>> seasons_given(["24", "168"]), seasons_given(["none"]), seasons_given([])
    ([24, 168], None, 'auto')
    """
    if not values:
        return "auto"
    if list(values) == [NO_SEASON]:
        return None
    if not all(one.isascii() and one.isdigit() and int(one) > 1 for one in values):
        raise BadInput(
            f"--season must be a number of rows from 2 on, several of them, or {NO_SEASON}, got "
            f"{' '.join(values)!r}; for months with a season of a year give --season 12"
        )
    return sorted({int(one) for one in values})


def without_constant_columns(
    series: TimeSeries,
) -> tuple[TimeSeries, tuple[tuple[str, float], ...]]:
    """The series without its constant columns, and these with their values. If all are constant,
    they stay.
    """
    largest = np.maximum(np.abs(series.values).max(axis=0), np.finfo(float).tiny)
    varies = np.ptp(series.values / largest, axis=0) > 0.0
    constant = tuple(
        (name, float(series.values[-1, one]))
        for one, name in enumerate(series.names)
        if not varies[one]
    )
    if not varies.any():
        return series, constant
    names = tuple(name for name, moves in zip(series.names, varies, strict=True) if moves)
    values = np.ascontiguousarray(series.values[:, varies])
    return replace(series, names=names, values=values), constant
