"""Autoregression of a series on its past values, with or without small networks beside them.

`Autoregression` predicts one step and is iterated. A ridge penalty shrinks a forecast towards a
value that depends on the target: the values themselves (towards their mean), their differences (the
last value) or their seasonal differences (the last season). `DirectAutoregression` has a readout of
its own for each horizon, and all have the same inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from .._validation import Floats
from ..activations import OnSphere
from ..driving import drive
from ..readout import Eigen, Gram, Sample, Weights, solve
from ..readout.gram import Sums
from ..readout.loo import choose_penalty
from ..reservoir import Reservoir
from ..series.scaling import Scaler, bounds, soft_clip
from .methods import Forecasts, checked_origins

LAGS, COEFFICIENTS = 50, 200  # at most: past rows, and numbers per forecast
MEMORIES = (1.0, 3.0, 10.0, 30.0)  # steps, of the networks of one model
ROWS_PER_FEATURE = 2  # at least: few rows cannot determine the weights of many units
# Of the direct readouts
LEFT_OUT_BLOCKS = 5  # of rows; each is left out once, with the rows whose targets reach into it
DIRECT_SHARES = 10.0 ** np.arange(-7.0, 1.0)  # penalties, of the trace
LEAST_ROWS_TO_LEARN = 20  # rows to learn from


@dataclass(frozen=True)
class Autoregression:
    """The settings of an autoregression; `fit` learns its weights from rows.

    difference: 0, 1, or the rows of a season; seasons: rows of the seasons whose lags are inputs;
    units: of each network, 0 for a linear autoregression; exogenous (T + H, e): columns that are
    known at all rows, also at those to be forecast.

    >>> rows = np.sin(0.3 * np.arange(200.0))[:, None]
    >>> found = Autoregression().fit(rows[:150]).forecast(rows, [150], 30)
    >>> bool(np.abs(found.values[0] - rows[150:180]).max() < 1e-2)
    True
    """

    difference: int = 0
    seasons: tuple[int, ...] = ()
    units: int = 0
    memories: tuple[float, ...] = MEMORIES
    lags: int = LAGS
    seed: int = 0
    exogenous: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def fit(self, rows: Floats) -> FittedAutoregression:
        """The autoregression, fitted to rows (T, d) of comparable columns."""
        values = differenced(rows, self.difference)
        scaler = Scaler.of(values)
        signal = scaler.forward(values)
        lags = seen_lags(len(signal), signal.shape[1], self.seasons, self.lags)
        first = lags[-1]
        known = self.exogenous[self.difference : len(rows)]
        known_scaler = Scaler.of(known) if known.size else None
        beside = [lag_table(signal, lags)]
        if known_scaler is not None:
            beside.append(known_scaler.forward(known)[first:])
        models: list[tuple[Reservoir | None, Weights]] = []
        errors = []
        for network in self._networks(len(signal) - first, len(lags), signal.shape[1]):
            states = [] if network is None else [drive(network, signal[:-1])[first - 1 :]]
            weights, error = _learn(np.hstack([*beside, *states]), signal[first:])
            models.append((network, weights))
            errors.append(error)
        # In deviations of the rows, whatever is differenced
        error = float(np.mean(errors) * np.max(scaler.scale / Scaler.of(rows).scale))
        return FittedAutoregression(self, scaler, lags, models, known_scaler, values, error)

    def _networks(self, rows: int, lags: int, columns: int) -> list[Reservoir | None]:
        """The networks beside the past values; none where there are too few rows to fit them."""
        units = min(self.units, rows // ROWS_PER_FEATURE - lags * columns)
        if units < 2:
            return [None]
        return [
            small_network(units, columns, memory, self.seed + place)
            for place, memory in enumerate(self.memories)
        ]


@dataclass(frozen=True, eq=False)
class FittedAutoregression:
    """A fitted autoregression, as a `Method`."""

    recipe: Autoregression
    scaler: Scaler
    lags: list[int]
    models: list[tuple[Reservoir | None, Weights]]
    known_scaler: Scaler | None
    values: Floats
    error: float

    @property
    def earliest(self) -> int:
        """The first row that it can forecast."""
        return self.lags[-1] + self.recipe.difference + 1

    def given(self, exogenous: Floats) -> FittedAutoregression:
        """The same with other exogenous columns, which begin with those of the fit."""
        return replace(self, recipe=replace(self.recipe, exogenous=exogenous))

    def forecast(self, series: Floats, origins: ArrayLike, steps: int) -> Forecasts:
        """The mean of the free runs of all models, from all origins at once."""
        shift = self.recipe.difference
        places = checked_origins(origins, self.lags[-1] + shift, len(series))
        signal = self.scaler.forward(differenced(series, shift))
        low, high = bounds(self.values, steps)
        limits = self.scaler.forward(low), self.scaler.forward(high)
        known = self._known(places, steps)
        runs = [
            self._run(network, weights, signal, places - shift, steps, known, limits)
            for network, weights in self.models
        ]
        ahead = self.scaler.backward(np.mean(runs, axis=0))
        return Forecasts(summed(ahead, series, places, shift), np.zeros(len(places), np.bool_))

    def _known(self, places: np.ndarray, steps: int) -> Floats:
        if self.known_scaler is None:
            return np.zeros((len(places), steps, 0))
        table = self.known_scaler.forward(self.recipe.exogenous)
        return np.array([table[place : place + steps] for place in places])

    def _run(
        self,
        network: Reservoir | None,
        weights: Weights,
        signal: Floats,
        places: np.ndarray,
        steps: int,
        known: Floats,
        limits: tuple[Floats, Floats],
    ) -> Floats:
        """Free runs (K, steps, d) of one model; `places` are rows of the signal."""
        longest = self.lags[-1]
        track = np.empty((len(places), longest + steps, signal.shape[1]))
        track[:, :longest] = [signal[place - longest : place] for place in places]
        states = None
        if network is not None:
            states = drive(network, signal[: places[-1] - 1])[places - 2]
        back = np.array(self.lags)
        for step in range(steps):
            now = longest + step
            past = track[:, now - back].reshape(len(places), -1)
            parts = [past, known[:, step]]
            if network is not None:
                states = drive(network, track[:, now - 1 : now], start=states)[:, 0]
                parts.append(states)
            track[:, now] = soft_clip(weights(np.hstack(parts)), *limits)
        return track[:, longest:]


def small_network(
    units: int, inputs: int, memory: float, seed: int, bend: float = 0.5
) -> Reservoir:
    """A network on the sphere whose trace of an input fades to 1/e in about `memory` steps.

    With an orthogonal W and an input of square σ² at every step, a state of length one is divided
    by √(1 + σ²), so σ² = e^(2/memory) - 1: no calibration is needed. Half of σ² is the bias.
    """
    rng = np.random.default_rng([seed, units])
    strength = np.sqrt(np.expm1(2.0 / memory))
    weights = rng.uniform(-1.0, 1.0, (units, inputs)) * np.sqrt(3.0 / (2.0 * inputs * units))
    bias = rng.uniform(-1.0, 1.0, units) * np.sqrt(3.0 / (2.0 * units))
    turn = np.linalg.qr(rng.standard_normal((units, units)))[0]
    return Reservoir(turn, strength * weights, OnSphere(bend=bend), strength * bias)


def differenced(rows: Floats, shift: int) -> Floats:
    """s_k - s_{k-shift}, or the rows themselves."""
    return rows if shift == 0 else rows[shift:] - rows[:-shift]


def summed(ahead: Floats, series: Floats, places: np.ndarray, shift: int) -> Floats:
    """The forecasts (K, H, d) whose differences are `ahead`."""
    if shift == 0:
        return ahead
    before = np.array([series[place - shift : place] for place in places])
    found = np.concatenate([before, ahead], axis=1)
    for step in range(shift, found.shape[1]):
        found[:, step] += found[:, step - shift]
    return found[:, shift:]


def seen_lags(rows: int, columns: int, seasons: Sequence[int] = (), most: int = LAGS) -> list[int]:
    """The lags that are inputs, increasing: the last ones, and those about a season ago."""
    last = max(min(most, COEFFICIENTS // columns, rows // 4), 1)
    about = {
        lag
        for season in seasons
        for lag in (season - 1, season, season + 1, 2 * season)
        if last < lag <= rows // 3
    }
    return [*range(1, last + 1), *sorted(about)]


def lag_table(signal: Floats, lags: Sequence[int]) -> Floats:
    """The past values of each row from the longest lag on (T - longest, lags d)."""
    longest = lags[-1]
    rows = np.arange(longest, len(signal))[:, None] - np.array(lags)[None]
    return np.asarray(signal[rows].reshape(len(rows), -1))


def _learn(features: Floats, targets: Floats) -> tuple[Weights, float]:
    """The readout with the least leave-one-out error, and that error."""
    sums = Sums.empty(features.shape[1], targets.shape[1]).take(features, targets)
    sample = Sample.empty(features.shape[1], targets.shape[1]).taking(features, targets)
    _, error, weights = choose_penalty(sums.moments, sample)
    return weights, error


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

    @property
    def earliest(self) -> int:
        """The first row that it can forecast."""
        return max(self.lags[-1], self.recipe.season)

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
