"""What a forecasting method is, and simple ones that others have to beat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dtbtrs

from .._errors import BadInput
from .._validation import Floats
from ..series.scaling import bounds
from ..series.statistics import beside_moving_average

LEAST_THETA_ROWS = 3  # of a trend and its errors
# A grid for exponential smoothing, finer where the level remembers long
SMOOTHINGS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Forecasts (K, H, d) from K origins, and which of them (K,) diverged.

    >>> rows = np.sin(np.arange(90.0))[:, None]
    >>> found = Naive.fit(rows[:60]).forecast(rows, [60, 70], 5)
    >>> found.values.shape, found.diverged.tolist()
    ((2, 5, 1), [False, False])
    """

    values: Floats
    diverged: NDArray[np.bool_]


class Method(Protocol):
    """A fitted forecasting method. `backtest` takes any class that has `forecast`.

    A backtest calls a function that fits rows (T, d) and returns a Method. For example, the
    seasonal naive method repeats the last season:

    >>> class Seasonal:
    ...     def forecast(self, series, origins, steps):
    ...         rows = [[k - 12 + step % 12 for step in range(steps)] for k in origins]
    ...         return Forecasts(series[np.array(rows)], np.zeros(len(origins), bool))
    >>> months = np.sin(2 * np.pi * np.arange(120) / 12)[:, None]
    >>> found = Seasonal().forecast(months, [96], 24)
    >>> bool(np.allclose(found.values[0], months[96:]))
    True
    """

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """Forecasts (K, steps, d) of the rows from each origin on, by the rows before it.

        series (T, d); origins (K,) increase, and none lies before the end of the rows of the fit.
        The origin T asks for what follows the series.
        """
        ...


class Naive:
    """The last value, repeated; also called persistence.

    >>> rows = np.array([[3.0], [1.0], [2.0]])
    >>> Naive.fit(rows).forecast(rows, [3], 2).values.ravel().tolist()
    [2.0, 2.0]
    """

    @classmethod
    def fit(cls, rows: Floats) -> Naive:
        """There is nothing to learn from rows (T, d)."""
        return cls()

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """The row before each origin, repeated."""
        places = checked_origins(origins, 1, len(series))
        values = np.repeat(series[places - 1][:, None], steps, axis=1)
        return Forecasts(values, np.zeros(len(places), np.bool_))


@dataclass(frozen=True)
class SeasonalNaive:
    """The last season, repeated.

    >>> rows = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> SeasonalNaive(2).fit(rows).forecast(rows, [4], 5).values.ravel().tolist()
    [3.0, 4.0, 3.0, 4.0, 3.0]
    """

    season: int

    @property
    def earliest(self) -> int:
        """The first row that it can forecast."""
        return self.season

    def fit(self, rows: Floats) -> SeasonalNaive:
        """There is nothing to learn from rows (T, d)."""
        return self

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """The season before each origin, repeated."""
        places = checked_origins(origins, self.season, len(series))
        back = places[:, None] - self.season + np.arange(steps)[None] % self.season
        return Forecasts(series[back], np.zeros(len(places), np.bool_))


@dataclass(frozen=True, eq=False)
class Mean:
    """The mean of the rows of the fit.

    >>> rows = np.array([[3.0], [1.0], [2.0]])
    >>> Mean.fit(rows).forecast(rows, [3], 2).values.ravel().tolist()
    [2.0, 2.0]
    """

    level: Floats

    @classmethod
    def fit(cls, rows: Floats) -> Mean:
        """The mean of rows (T, d)."""
        return cls(rows.mean(axis=0))

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """The same mean from every origin."""
        places = checked_origins(origins, 1, len(series))
        values = np.broadcast_to(self.level, (len(places), steps, len(self.level)))
        return Forecasts(values.copy(), np.zeros(len(places), np.bool_))


@dataclass(frozen=True)
class Theta:
    """The theta method [ASS00]: exponential smoothing that drifts by half of the linear trend.

    A season of at least two rows is removed first and added again. The smoothing is that of least
    squared one-step errors among a few [HYN03].

    >>> rows = np.arange(40.0)[:, None] + np.tile([0.0, 3.0], 20)[:, None]
    >>> Theta(2).fit(rows).forecast(rows, [40], 2).values.ravel().round(1).tolist()
    [39.5, 43.0]
    """

    season: int = 1
    earliest = LEAST_THETA_ROWS

    def fit(self, rows: Floats) -> Theta:
        """Everything is computed from the rows before an origin, when they are known."""
        return self

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """From each origin, by the rows before it."""
        places = checked_origins(origins, LEAST_THETA_ROWS, len(series))
        found = [
            [
                _theta(series[:place, column], self.season, steps)
                for column in range(series.shape[1])
            ]
            for place in places.tolist()
        ]
        return Forecasts(np.array(found).transpose(0, 2, 1), np.zeros(len(places), np.bool_))


def _theta(values: Floats, season: int, steps: int) -> Floats:
    rows = len(values)
    pattern = seasonal_pattern(values, season)
    adjusted = values - pattern[np.arange(rows) % len(pattern)]
    slope = float(np.polyfit(np.arange(rows), adjusted, 1)[0])
    start, errors, levels = adjusted[:6].mean(), [], []
    for smoothing in SMOOTHINGS:
        level = _smoothed(adjusted, smoothing, start)
        errors.append(float(np.square(adjusted[1:] - level[:-1]).sum()))
        levels.append(float(level[-1]))
    best = int(np.argmin(errors))
    smoothing = SMOOTHINGS[best]
    # Half of the trend, from where the smoothed level lags behind it
    drift = 0.5 * slope * (np.arange(steps) + (1.0 - (1.0 - smoothing) ** rows) / smoothing)
    return np.asarray(levels[best] + drift + pattern[(rows + np.arange(steps)) % len(pattern)])


def _smoothed(values: Floats, smoothing: float, start: float) -> Floats:
    """l_k = a s_k + (1 - a) l_{k-1}, as a triangular system: importing scipy.signal takes longer.

    >>> _smoothed(np.array([4.0, 8.0]), 0.5, 2.0).tolist()
    [3.0, 5.5]
    """
    keep, right = 1.0 - smoothing, smoothing * values
    right[0] += keep * start
    bands = np.broadcast_to(np.array([[1.0], [-keep]]), (2, len(values)))
    return np.asarray(dtbtrs(bands, right, uplo="L")[0])


def seasonal_pattern(values: Floats, season: int) -> Floats:
    """The mean of each row of a season relative to the moving average over one season.

    Zero where the values (T,) are shorter than two seasons. The pattern begins at row 0.

    >>> seasonal_pattern(np.tile([0.0, 3.0, 0.0], 4), 3).tolist()
    [-1.0, 2.0, -1.0]
    """
    if season < 2 or len(values) < 2 * season:
        return np.zeros(1)
    first, rest = beside_moving_average(values, season)
    phase = np.arange(first, first + len(rest)) % season
    pattern = np.bincount(phase, rest, season) / np.maximum(np.bincount(phase, minlength=season), 1)
    return np.asarray(pattern - pattern.mean())


class LogScale:
    """Another method, applied to the logarithms of the columns that are always positive.

    >>> rows = np.exp(np.arange(30.0))[:, None]
    >>> found = LogScale(SeasonalNaive(1).fit).fit(rows).forecast(rows, [30], 1)
    >>> bool(np.isclose(found.values[0, 0, 0], np.exp(29.0)))
    True
    """

    def __init__(self, fit: Callable[[Floats], Method]) -> None:
        self._fit = fit
        self._positive: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._inner: Method = Naive()

    def fit(self, rows: Floats) -> LogScale:
        """The other method, fitted to the logarithms of rows (T, d)."""
        fitted = LogScale(self._fit)
        fitted._positive = np.asarray((rows > 0.0).all(axis=0))
        fitted._inner = self._fit(fitted._forward(rows))
        return fitted

    @property
    def earliest(self) -> int:
        """The first row that the other method can forecast."""
        return int(getattr(self._inner, "earliest", 1))

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """Its forecasts, in the units of the series."""
        known = self._forward(series)
        found = self._inner.forecast(known, origins, steps)
        span = np.ptp(known, axis=0) + 1.0  # keeps the exponential finite
        values = np.clip(found.values, known.min(axis=0) - span, known.max(axis=0) + span)
        with np.errstate(over="ignore"):
            back = np.where(self._positive, np.exp(values), values)
        return Forecasts(back, found.diverged)

    def given(self, exogenous: Floats) -> LogScale:
        """The same with other exogenous columns, where the method takes some."""
        fitted = LogScale(self._fit)
        fitted._positive, fitted._inner = self._positive, given(self._inner, exogenous)
        return fitted

    def _forward(self, rows: Floats) -> Floats:
        # Later rows of a column may not be positive: they count as the least that was seen
        safe = np.where(rows > 0.0, rows, np.where(rows > 0.0, rows, np.inf).min(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self._positive, np.log(safe), rows)


@dataclass(frozen=True, eq=False)
class Shifted:
    """A fitted method of rows that lie higher by `shift` (d,)."""

    method: Method
    shift: Floats

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """Its forecasts, shifted back."""
        found = self.method.forecast(series + self.shift, origins, steps)
        return Forecasts(found.values - self.shift, found.diverged)


def given(method: Method, exogenous: Floats) -> Method:
    """The method with these exogenous columns (T + H, e); one that takes none is left as it is."""
    renew = getattr(method, "given", None)
    return method if renew is None else renew(exogenous)


def checked_origins(origins: ArrayLike, first: int, last: int) -> NDArray[np.int64]:
    """Increasing row numbers from `first` to `last`."""
    found = np.asarray(origins)
    whole = found.ndim == 1 and found.dtype.kind in "iu" and len(found) > 0
    if not whole or found[0] < first or found[-1] > last or (found[1:] < found[:-1]).any():
        raise BadInput(
            f"origins must be increasing row numbers from {first} to {last}, got {origins!r}; "
            "begin after the rows of the fit"
        )
    return found.astype(np.int64)


def clip_divergent(values: Floats, rows: Floats) -> Forecasts:
    """Forecasts (K, H, d) after these rows; the mean of the rows replaces one from the step on at
    which it leaves the bounds.
    """
    low, high = bounds(rows, values.shape[1])
    inside = ((values >= low) & (values <= high)).all(axis=2)
    left = np.logical_not(np.logical_and.accumulate(inside, axis=1))
    return Forecasts(np.where(left[:, :, None], rows.mean(axis=0), values), left[:, -1])
