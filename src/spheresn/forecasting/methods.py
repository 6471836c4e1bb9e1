"""What a forecasting method is, and two simple ones that a network has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from .._errors import BadInput
from .._validation import Floats
from ..estimators.forecaster import MARGIN
from ..readout import Sample, Weights
from ..readout.gram import Sums, block_rows
from ..readout.loo import choose_penalty

LAGS, COEFFICIENTS = 50, 200  # at most: past rows, and numbers per forecast
HUGE = 1e6  # times the largest value: an unstable autoregression stops growing there
TWICE = 2.0  # times as far as the series itself left its past range


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Forecasts (K, H, d) from K origins, and which of them (K,) diverged.

    >>> rows = np.sin(np.arange(90.0))[:, None]
    >>> found = LinearAutoregression.fit(rows[:60]).forecast(rows, [60, 70], 5)
    >>> found.values.shape, found.diverged.tolist()
    ((2, 5, 1), [False, False])
    """

    values: Floats
    diverged: NDArray[np.bool_]


class Method(Protocol):
    """A fitted forecasting method. Anything with this one method can be backtested.

    A backtest gets a function that fits rows (T, d) and returns a Method. The seasonal naive
    method, say, repeats the last season:

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


@dataclass(frozen=True, eq=False)
class LinearAutoregression:
    """s_k = b + Σ_i A_i s_{k-i} by ridge regression, iterated.

    >>> rows = np.sin(0.3 * np.arange(200.0))[:, None]
    >>> found = LinearAutoregression.fit(rows[:150]).forecast(rows, [150], 30)
    >>> bool(np.abs(found.values[0] - rows[150:180]).max() < 1e-2)
    True
    """

    lags: int
    weights: Weights
    penalty: float
    rows: Floats

    @classmethod
    def fit(cls, rows: Floats) -> LinearAutoregression:
        """Fitted to rows (T, d) of comparable columns; the penalty has the least leave-one-out
        error.
        """
        lags = max(min(LAGS, COEFFICIENTS // rows.shape[1], len(rows) // 4), 1)
        width, outputs = lags * rows.shape[1], rows.shape[1]
        sums, sample, block = (
            Sums.empty(width, outputs),
            Sample.empty(width, outputs),
            block_rows(width),
        )
        for first in range(lags, len(rows), block):
            piece = rows[first - lags : first + block]
            past, present = _past(piece, lags), piece[lags:]
            sums, sample = sums.take(past, present), sample.taking(past, present)
        penalty, _, weights = choose_penalty(sums.moments, sample)
        return cls(lags, weights, penalty, rows)

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """All origins at once; each run continues on its own forecasts."""
        places = checked_origins(origins, self.lags, len(series))
        past = np.array([series[origin - self.lags : origin] for origin in places])
        limit = HUGE * float(np.abs(self.rows).max())
        found = np.empty((len(places), steps, series.shape[1]))
        for step in range(steps):
            found[:, step] = np.clip(self.weights(past.reshape(len(past), -1)), -limit, limit)
            past = np.concatenate([past[:, 1:], found[:, step : step + 1]], axis=1)
        return clip_divergent(found, self.rows)


def _past(rows: Floats, lags: int) -> Floats:
    """For each row from `lags` on the rows before it (T - lags, lags d), oldest first."""
    windows = sliding_window_view(rows[:-1], lags, axis=0)  # (T - lags, d, lags)
    return np.ascontiguousarray(windows.transpose(0, 2, 1)).reshape(len(rows) - lags, -1)


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


def bounds(rows: Floats, steps: int) -> tuple[Floats, Floats]:
    """The lowest and highest values (d,) that a forecast of `steps` rows after these may have.

    A forecast may leave the range of the rows (T, d) by twice as much as the later half of the rows
    left the range before it within as many steps, and a margin. A stationary series hardly leaves
    its past range. A series with a trend does so all the time, and its forecast may go on.
    """
    highest, lowest = np.maximum.accumulate(rows), np.minimum.accumulate(rows)
    half, reach = len(rows) // 2, min(steps, len(rows) // 4)
    least = MARGIN * (highest[-1] - lowest[-1])
    up = (highest[half + reach :] - highest[half : len(rows) - reach]).max(axis=0)
    down = (lowest[half : len(rows) - reach] - lowest[half + reach :]).max(axis=0)
    return lowest[-1] - TWICE * down - least, highest[-1] + TWICE * up + least


def clip_divergent(values: Floats, rows: Floats) -> Forecasts:
    """Forecasts (K, H, d) after these rows; the mean of the rows replaces one from the step on at
    which it leaves the bounds.
    """
    low, high = bounds(rows, values.shape[1])
    inside = ((values >= low) & (values <= high)).all(axis=2)
    left = np.logical_not(np.logical_and.accumulate(inside, axis=1))
    return Forecasts(np.where(left[:, :, None], rows.mean(axis=0), values), left[:, -1])
