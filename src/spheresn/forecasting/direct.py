"""Direct forecasts: each horizon has a readout of its own, and all have the same inputs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from .._validation import Floats
from ..readout import Eigen, Gram, Weights, solve
from ..series.scaling import Scaler, bounds, soft_clip
from .lagged import seen_lags
from .methods import Forecasts, checked_origins

LEFT_OUT_BLOCKS = 5  # of rows; each is left out once, with the rows whose targets reach into it
DIRECT_SHARES = 10.0 ** np.arange(-7.0, 1.0)  # penalties, of the trace
LEAST_ROWS_TO_LEARN = 20  # rows to learn from


@dataclass(frozen=True)
class DirectAutoregression:
    """The change from the last value, or from the last season, `steps` ahead and at every step on
    the way, by ridge regression on past values.

    The targets of neighbouring rows overlap, so errors of rows left out one by one would be
    optimistic: whole blocks are left out instead, and the rows beside them.

    >>> rows = np.sin(0.3 * np.arange(200.0))[:, None]
    >>> found = DirectAutoregression(steps=30).fit(rows[:150]).forecast(rows, [150], 30)
    >>> bool(np.abs(found.values[0] - rows[150:180]).max() < 1e-2)
    True
    """

    steps: int
    season: int = 1
    seasons: tuple[int, ...] = ()

    def fit(self, rows: Floats) -> FittedDirect:
        """The readouts, fitted to rows (T, d); few rows give the last value or the last season."""
        scaler = Scaler.of(rows)
        signal = scaler.forward(rows)
        lags = seen_lags(len(rows), signal.shape[1], self.seasons)
        while (
            len(lags) > 1
            and len(rows) - max(lags[-1], self.season) - self.steps < LEAST_ROWS_TO_LEARN
        ):
            lags = lags[: len(lags) // 2]
        first = max(lags[-1], self.season)
        places = np.arange(first, len(rows) - self.steps + 1)
        if len(places) < LEAST_ROWS_TO_LEARN:
            return FittedDirect(self, scaler, lags, None, rows)
        features = self.features(signal, lags, places)
        targets = np.array([signal[place : place + self.steps] for place in places])
        targets = (targets - self.anchors(signal, places)).reshape(len(places), -1)
        share = _choose_share(features, targets, self.steps)
        moments = Gram.of(features, targets)
        return FittedDirect(self, scaler, lags, solve(moments, share * moments.trace), rows)

    def features(self, signal: Floats, lags: list[int], places: np.ndarray) -> Floats:
        """Past values relative to the last one, or to their mean (K, lags d)."""
        past = signal[places[:, None] - np.array(lags)[None]]
        centre = past[:, :1] if self.season == 1 else past.mean(axis=1, keepdims=True)
        return np.asarray((past - centre).reshape(len(places), -1))

    def anchors(self, signal: Floats, places: np.ndarray) -> Floats:
        """The last value or season (K, steps, d), from which the readouts predict changes."""
        back = places[:, None] - self.season + np.arange(self.steps)[None] % self.season
        return signal[back]


@dataclass(frozen=True, eq=False)
class FittedDirect:
    """Readouts for all horizons, as a `Method`."""

    recipe: DirectAutoregression
    scaler: Scaler
    lags: list[int]
    readout: Weights | None
    rows: Floats

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """Forecasts for all horizons at once; for no more than those of the fit."""
        places = checked_origins(origins, max(self.lags[-1], self.recipe.season), len(series))
        signal = self.scaler.forward(series)
        ahead = self.recipe.anchors(signal, places)
        if self.readout is not None:
            features = self.recipe.features(signal, self.lags, places)
            ahead = ahead + self.readout(features).reshape(ahead.shape)
        low, high = bounds(self.rows, steps)
        found = soft_clip(self.scaler.backward(ahead[:, :steps]), low, high)
        return Forecasts(found, np.zeros(len(places), np.bool_))


def _choose_share(features: Floats, targets: Floats, gap: int) -> float:
    """The share with the least error on blocks of rows that were left out."""
    errors = np.zeros(len(DIRECT_SHARES))
    edges = np.linspace(0, len(features), LEFT_OUT_BLOCKS + 1).astype(int)
    for first, stop in pairwise(edges.tolist()):
        kept = np.r_[0 : max(first - gap, 0), min(stop + gap, len(features)) : len(features)]
        if len(kept) < LEAST_ROWS_TO_LEARN // 2:
            kept = np.r_[0:first, stop : len(features)]
        moments = Gram.of(features[kept], targets[kept])
        readouts = Eigen.of(moments).solve_each((DIRECT_SHARES * moments.trace).tolist())
        for place, readout in enumerate(readouts):
            errors[place] += np.square(targets[first:stop] - readout(features[first:stop])).sum()
    return float(DIRECT_SHARES[errors.argmin()])
