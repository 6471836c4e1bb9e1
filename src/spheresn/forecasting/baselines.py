"""What a network has to beat: the last value repeated, and a linear autoregression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from .._validation import Floats
from ..readout import Sample, Weights
from ..readout.gram import Sums, block_rows
from ..readout.loo import choose_penalty
from .runaway import Runs, tamed

LAGS, COEFFICIENTS = 50, 200  # the most of them: rows looked back on, and numbers per forecast
HUGE = 1e6  # deviations, where an unstable one stops growing


class Method(Protocol):
    """A way to forecast, taught on some rows."""

    def runs(self, series: Floats, origins: NDArray[np.int64], steps: int) -> Runs:
        """Forecasts (K, steps, d) of the rows from each origin on, by the rows before it."""
        ...


class Persistence:
    """Tomorrow as today."""

    def runs(self, series: Floats, origins: NDArray[np.int64], steps: int) -> Runs:
        """The row before the origin, repeated."""
        return Runs(
            np.repeat(series[origins - 1][:, None], steps, axis=1), np.zeros(len(origins), np.bool_)
        )


@dataclass(frozen=True, eq=False)
class Linear:
    """s_k = b + Σ_i A_i s_{k-i} by ridge regression, iterated."""

    lags: int
    weights: Weights
    penalty: float
    rows: Floats

    @staticmethod
    def of(rows: Floats) -> Linear:
        """From rows (T, d), the penalty with the least leave-one-out error."""
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
        penalty, _, weights = choose_penalty(sums.gram, sample)
        return Linear(lags, weights, penalty, rows)

    def runs(self, series: Floats, origins: NDArray[np.int64], steps: int) -> Runs:
        """All origins at once, each on its own forecasts."""
        past = np.array([series[origin - self.lags : origin] for origin in origins])
        found = np.empty((len(origins), steps, series.shape[1]))
        for step in range(steps):
            found[:, step] = np.clip(self.weights(past.reshape(len(past), -1)), -HUGE, HUGE)
            past = np.concatenate([past[:, 1:], found[:, step : step + 1]], axis=1)
        return tamed(found, self.rows)


def _past(rows: Floats, lags: int) -> Floats:
    """For each row from `lags` on the rows before it, oldest first, side by side (T - lags, lags
    d).
    """
    windows = sliding_window_view(rows[:-1], lags, axis=0)  # (T - lags, d, lags)
    return np.ascontiguousarray(windows.transpose(0, 2, 1)).reshape(len(rows) - lags, -1)
