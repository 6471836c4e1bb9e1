"""The filter of a network that forecasts its own inputs: the series behind noisy rows.

The network is its own model of the series: ŝ_{k+1} = f(s_k, s_{k-1}, ...), with a known derivative.
The last p values z = (s_k, ..., s_{k-p+1}) are uncertain; their mean and covariance P are kept. A
row y = s + noise of variance R corrects them, and with them the state of the network:

    predict:  ŝ = f(z),  P ← F P Fᵀ + Q,  F = (∂f/∂z above, the other values move back by one)
    correct:  e = y - ŝ,  c = P₀₀ + R,  z ← z + P₀ e/c,  P ← P - P₀ P₀ᵀ/c

The columns of a row correct one after the other. A missing value corrects nothing, so that gaps
need no rule of their own. A value that leaves z has been corrected by p - 1 rows after it: it is
the smoothed one. The rows are as likely as their innovations e, each normal with variance c.

The network is driven by the corrected values again, so that its state is always one that it can
have. (Moving the state by its derivative is not enough: that leaves the states on which the readout
was learned, and a precise readout forecasts nonsense beside them.)

Q is the variance of the error of a step. If it is too small, an extended Kalman filter trusts
itself and loses the series. So Q is chosen by the likelihood, and where the innovations become
larger than they should be, the variance of the forecast is raised to match them. A single wild row
is an outlier, and corrects no more than a row at four deviations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from .. import kernels
from .._validation import Floats
from ..closed_loop import ClosedLoop
from ..driving import drive, network_of
from ..kernels.codes import OUTLIER, Passed, Track
from ..series.recordings import joined, shares

# Values that are kept: with fewer rows than LEAST_LAGS the filter loses flows with 30 rows per
# period, and more than MOST_LAGS did not smooth better. KEPT_VALUES of all columns together bound
# the time of a step.
KEPT_VALUES, LEAST_LAGS, MOST_LAGS = 36, 6, 24
# Ratios of the deviations of model error and noise that are tried. Larger ones are likelier while
# the model is that of least squares, but what learns from innovations there stays there.
DRIFT_RATIOS = (0.125, 0.06, 0.03)
JUDGED_ROWS = 2000  # the last rows, by which the ratio is chosen
REST = np.empty((0, 0))  # an array of a pass that is not written


@dataclass(frozen=True, eq=False)
class Tracker:
    """The filter of one closed loop, in the units of its inputs.

    noise, drift (m,): the variances R of the noise of each column, and Q of the error of the loop
    in one step.
    """

    loop: ClosedLoop
    noise: Floats
    drift: Floats

    def scaled(self, factor: Floats) -> Tracker:
        """The same with variances times `factor` (m,)."""
        return replace(self, noise=factor * self.noise, drift=factor * self.drift)

    @property
    def lags(self) -> int:
        """p, the number of values of each column that are kept."""
        return int(np.clip(KEPT_VALUES // self.loop.outputs, LEAST_LAGS, MOST_LAGS))

    def begin(self, rows: Floats, beside: Floats) -> Track:
        """The track after these rows (at least p) without the model; none of them is missing."""
        m, p = self.loop.outputs, self.lags
        reservoir = self.loop.reservoir
        inputs = np.hstack([rows[:-1], beside[1:]])
        driven = drive(reservoir, inputs)
        base = driven[-p] if len(driven) >= p else np.zeros(reservoir.units)
        slopes = np.zeros((p * m + m, reservoir.units), driven.dtype)
        slopes[: p * m] = self._slopes(np.array(base), inputs[1 - p :]).T
        return Track(
            driven[-1].copy(),
            np.array(base),
            np.ascontiguousarray(rows[-p:][::-1]).ravel(),
            np.ascontiguousarray(beside[-p:][::-1]),
            np.diag(np.tile(self.noise, p)),
            slopes,
            np.ones(1),
        )

    def _slopes(self, state: Floats, inputs: Floats) -> Floats:
        """The derivative (N, pm) of the state after these inputs by the last p values, newest
        first. The newest has not entered yet.
        """
        m, p = self.loop.outputs, self.lags
        carried = np.zeros((len(state), p * m))
        for back, row in zip(range(p - 1, 0, -1), inputs, strict=True):
            entering = np.zeros((len(row), p * m))
            entering[:m, back * m : (back + 1) * m] = np.eye(m)
            state, carried = self.loop.reservoir.tangent_step(state, row, carried, entering)
        return carried

    def follow(
        self, track: Track, rows: Floats, beside: Floats, *, learning: bool = False
    ) -> tuple[Track, Passed]:
        """What is known after these rows (T, m), in which NaN is missing, and of each of them.

        beside (T, e): the exogenous columns at the time of each row. learning: whether what
        `learn_from_innovations` needs is kept too.
        """
        after = Track(*(part.copy() for part in track))
        passed = self._empty(len(rows), learning)
        passed.smoothed[0], passed.smoothed_deviations[0] = self._values(after)[-1]
        network = network_of(self.loop.reservoir)
        assert network is not None  # `can_track` was asked before
        kernels.track_loop(
            network,
            self.loop.readout_data(),
            np.ascontiguousarray(rows),
            np.ascontiguousarray(beside),
            self.noise,
            self.drift,
            after,
            passed,
        )
        for back, (value, deviation) in enumerate(self._values(after)):
            passed.smoothed[-1 - back], passed.smoothed_deviations[-1 - back] = value, deviation
        return after, passed

    def sample(self, track: Track, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """States (count, N) and newest values (count, m) drawn from the estimate."""
        m, p = self.loop.outputs, self.lags
        sizes, axes = eigh(track.covariance)
        factor = axes * np.sqrt(np.maximum(sizes, 0.0))
        drawn = track.recent + rng.standard_normal((count, len(sizes))) @ factor.T
        values = drawn.reshape(count, p, m)[:, ::-1]
        beside = np.broadcast_to(track.beside[::-1][1:], (count, p - 1, track.beside.shape[1]))
        inputs = np.concatenate([values[:, :-1], beside], axis=2)
        starts = np.broadcast_to(track.base, (count, len(track.base)))
        return drive(self.loop.reservoir, inputs, starts)[:, -1], values[:, -1]

    def check(self, track: Track) -> None:
        """Raise ValueError if arrays of a file are not those of such a track."""
        m, p, units = self.loop.outputs, self.lags, self.loop.reservoir.units
        exogenous = self.loop.reservoir.n_inputs - m
        shapes = [(units,), (units,), (p * m,), (p, exogenous), (p * m, p * m), (p * m + m, units)]
        if [part.shape for part in track] != [*shapes, (1,)]:
            raise ValueError("the state of the filter does not fit the network")

    def _values(self, track: Track) -> list[tuple[Floats, Floats]]:
        """The last p values and their deviations, the newest first."""
        shape = self.lags, self.loop.outputs
        deviations = np.sqrt(np.maximum(np.diagonal(track.covariance), 0.0))
        return list(zip(track.recent.reshape(shape), deviations.reshape(shape), strict=True))

    def _empty(self, rows: int, learning: bool) -> Passed:
        m, p, units = self.loop.outputs, self.lags, self.loop.reservoir.units
        slopes = (rows, m, p * m)
        return Passed(
            filtered=np.empty((rows, m)),
            deviations=np.empty((rows, m)),
            expected=np.empty((rows, m)),
            smoothed=np.empty((p + rows, m)),
            smoothed_deviations=np.empty((p + rows, m)),
            innovations=np.full((rows, m), np.nan),
            variances=np.full((rows, m), np.nan),
            gains=np.zeros(slopes) if learning else np.empty((0, m, 0)),
            forward=np.zeros(slopes) if learning else np.empty((0, m, 0)),
            states=np.zeros((rows, units), self.loop.reservoir.dtype) if learning else REST,
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """How well a tracker expects rows.

    log_likelihood: the mean over the rows of log p of a row, up to a constant. scale (m,): the mean
    of e²/c of each column, by which its variances would fit better; best: the log-likelihood then.
    Outliers count as at their limit.
    """

    log_likelihood: float
    scale: Floats
    best: float

    @staticmethod
    def of(passes: Sequence[Passed], skip: int) -> Evidence:
        """From passes over rows, without the first `skip` of each."""
        e = joined([one.innovations[skip:] for one in passes])
        c = joined([one.variances[skip:] for one in passes])
        seen = np.isfinite(e)
        finite = all(np.isfinite(one.filtered).all() for one in passes)
        if not finite or not seen.any(axis=0).all():
            return Evidence(-np.inf, np.ones(e.shape[1]), -np.inf)
        squares = np.where(seen, np.minimum(e * e / c, OUTLIER), 0.0)
        scale = squares.sum(axis=0) / seen.sum(axis=0)
        spread = np.log(c, where=seen, out=np.zeros_like(c))
        best = spread.sum() + (seen.sum(axis=0) * (np.log(scale) + 1.0)).sum()
        return Evidence(
            -0.5 * float((spread + squares).sum()) / len(e), scale, -0.5 * float(best) / len(e)
        )


def can_track(loop: ClosedLoop) -> bool:
    """Whether the network has compiled loops; one of the user's own topology has none."""
    return network_of(loop.reservoir) is not None


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows (T, m) of a series, NaN where one is missing; `filled`, the same with guesses there;
    `beside` (T, e), the exogenous columns. The first `skip` have an unknown past.
    """

    rows: Floats
    filled: Floats
    beside: Floats
    skip: int

    def last(self, count: int) -> Rows:
        """The last rows."""
        parts = (self.rows[-count:], self.filled[-count:], self.beside[-count:])
        return replace(self, rows=parts[0], filled=parts[1], beside=parts[2])

    def part(self, first: int, stop: int | None = None) -> tuple[Floats, Floats]:
        """Rows and exogenous columns from `first` up to `stop`, or to the end."""
        return self.rows[first:stop], self.beside[first:stop]

    def passed(self, tracker: Tracker, *, learning: bool = False) -> tuple[Track, Passed]:
        """What a tracker makes of the rows after those where it begins."""
        first = self.first(tracker)
        return tracker.follow(self.begin(tracker), *self.part(first), learning=learning)

    def first(self, tracker: Tracker) -> int:
        """The row that a tracker forecasts first: those before it drive the network.

        The network must have forgotten its start: the filter corrects what it takes for the past.
        """
        return min(max(tracker.lags, self.skip), max(tracker.lags, len(self.rows) // 4))

    def begin(self, tracker: Tracker) -> Track:
        """What a tracker knows before its first row."""
        first = self.first(tracker)
        return tracker.begin(self.filled[:first], self.beside[:first])

    def smoothed_by(self, tracker: Tracker) -> tuple[Track | None, Floats]:
        """What a tracker knows after the rows, and all rows as it smoothed them; the first ones,
        which it did not see, as they are. None and all rows as they are where there are too few.
        """
        if len(self.rows) <= self.first(tracker):
            return None, self.filled
        track, passed = self.passed(tracker)
        return track, np.vstack([self.filled[: -len(passed.smoothed)], passed.smoothed])


@dataclass(frozen=True, eq=False)
class Recordings:
    """The rows of recordings, each with its own start. One that is too short for a tracker is
    left out.
    """

    parts: tuple[Rows, ...]

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(len(one.rows) for one in self.parts)

    @property
    def known(self) -> int:
        """The rows whose past is known."""
        return sum(max(len(one.rows) - one.skip, 0) for one in self.parts)

    def last(self, count: int) -> Recordings:
        """The last rows of recordings that stand for all."""
        found = shares([len(one.rows) for one in self.parts], count)
        return Recordings(tuple(self.parts[place].last(rows) for place, rows in found))

    def judged(self, tracker: Tracker) -> list[Rows]:
        """The recordings with more rows than a tracker needs to begin and to settle."""
        return [one for one in self.parts if len(one.rows) > one.first(tracker) + tracker.lags]

    def passes(self, tracker: Tracker, *, learning: bool = False) -> list[Passed]:
        """What a tracker makes of each of them."""
        return [one.passed(tracker, learning=learning)[1] for one in self.judged(tracker)]

    def evidence(self, tracker: Tracker) -> Evidence:
        """How well a tracker expects them."""
        return Evidence.of(self.passes(tracker), tracker.lags)

    def fitted(self, tracker: Tracker, *, fixed: bool) -> tuple[Tracker, float]:
        """The tracker with variances of the size that fits its innovations, and the mean
        log-likelihood of a row then. fixed: the noise is known, and so nothing is fitted.
        """
        found = self.evidence(tracker)
        if fixed:
            return tracker, found.log_likelihood
        return tracker.scaled(found.scale), found.best


def likeliest(
    loop: ClosedLoop, series: Recordings, noise: Floats | None, ratios: Sequence[float]
) -> tuple[Tracker, float]:
    """The tracker whose variances make the rows most likely, and their log-likelihood.

    noise (m,): the variances of the noise where they are known. ratios: of the deviations of model
    error and noise, the same for all columns; the size of both follows from the innovations.
    """
    judged = series.last(max(JUDGED_ROWS, 2 * max(one.skip for one in series.parts)))
    size = one_step_errors(loop, judged) if noise is None else noise
    found = []
    for ratio in ratios:
        tracker = Tracker(loop, size, ratio * ratio * size)
        found.append(judged.fitted(tracker, fixed=noise is not None))
    return max(found, key=lambda one: one[1])


def one_step_errors(loop: ClosedLoop, series: Recordings) -> Floats:
    """The mean squared errors (m,) of the loop, driven by the rows as they are."""
    errors = joined([_errors_of(loop, one) for one in series.parts])
    return np.asarray(np.maximum(np.nanmean(errors, axis=0), np.finfo(float).tiny))


def _errors_of(loop: ClosedLoop, series: Rows) -> Floats:
    """The squared error of each step after the first ones."""
    before = np.hstack([series.filled[:-1], series.beside[1:]])
    features = loop.features(drive(loop.reservoir, before))
    expected = loop.carry * series.filled[:-1] + loop.weights(features)
    return np.asarray(np.square(series.rows[1:] - expected)[series.skip :])
