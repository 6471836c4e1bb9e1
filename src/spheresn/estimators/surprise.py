"""How surprising the errors of forecasts are, and whether surprise stays: functions of errors.

Errors may have any distribution. If all their orders are equally probable, the probabilities p of
the errors are independent and uniform [VOV05], so a share `level` of them is below `level`. A bet
κ p^(κ-1) then has the mean 1. With a new stake of 1 at each row the gains are R_k = (1 + R_{k-1})
κ p_k^(κ-1). R_k - k is a martingale, so in the mean R reaches a bound c after c rows or more
[POL85]. So does the mean of several such R. A change is announced where this mean reaches
`patience`.

Successive errors are often alike, and then bets would count the same thing several times. So the
logarithm of a gain is divided by the time τ over which gains are alike. If they are not alike, this
only lowers the mean of a gain below 1; if they are equal for τ rows, together they gain as one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf, isnan, log
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from .._validation import Floats
from ..closed_loop import ClosedLoop
from ..driving import drive
from ..series.scaling import Scaler, soft_clip

LEARNED_ROWS = 500  # whose errors say how large errors usually are, and how long they stay alike
KEPT_ERRORS = 10_000  # newest usual errors, with which new ones are compared
SMALLEST_ERROR = 1e-12  # of standardised rows: smaller errors are rounding
LARGEST_SIZE = 1e150  # in usual errors: larger ones have no square
SUREST = 0.01  # the least probability that a bet uses: a change takes several rows
# κ of the bets: for gross changes, which a few rows show, to slight ones, which take hundreds
STAKES = np.array([0.05, 0.2, 0.5, 0.8])
LOG_STAKES = np.log(STAKES)
WATCHED_AT_ONCE = 512  # rows of a piece that the network is driven over together


class Judgement(NamedTuple):
    """The judgement of one error.

    size: in units of usual errors, over all columns. probability: of a size at least as large where
    nothing has changed, NaN until enough errors are known. width (d,): errors within it, in all
    columns, are no alarm; infinite at first. evidence: R, of a change. changed: whether surprise
    has stayed; since: the row where this change seems to have begun.
    """

    size: float
    probability: float
    width: Floats
    evidence: float
    changed: bool
    since: int | None


@dataclass(frozen=True, eq=False)
class Surprise:
    """A row beside the forecast of it.

    row: its number, from 0. value, forecast, lower, upper (d,): the interval holds all columns
    together with probability 1 - level; it is infinite until 1/level rows have been seen. alarm:
    whether the probability is at most `level`. The rest is as in a judgement of errors: size,
    probability, evidence, changed, since.
    """

    row: int
    value: Floats
    forecast: Floats
    lower: Floats
    upper: Floats
    size: float
    probability: float
    alarm: bool
    evidence: float
    changed: bool
    since: int | None


def judged(
    errors: Iterable[Floats],
    level: float,
    patience: float,
    learned: int = LEARNED_ROWS,
    rng: np.random.Generator | None = None,
) -> Iterator[Judgement]:
    """A judgement of each error (d,), NaN where a column is missing, in memory that is bounded.

    The first `learned` errors give the covariance C of errors; then |C^(-1/2) e|/√d is compared
    with those of up to KEPT_ERRORS errors before it: p = (#larger + u #equal)/(n + 1), u uniform.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    first: list[Floats] = []
    judge: _Judge | None = None
    for row, error in enumerate(errors):
        if judge is not None:
            yield judge.see(row, error, level)
            continue
        if np.isfinite(error).all():
            first.append(error)
        if len(first) == learned:
            judge = _Judge(np.array(first), patience, rng)
        yield Judgement(np.nan, np.nan, np.full(len(error), np.inf), 0.0, False, None)


class _Judge:
    """The usual errors, and the evidence that they have changed."""

    def __init__(self, errors: Floats, patience: float, rng: np.random.Generator) -> None:
        self._measure, self._rng = _Measure.of(errors), rng
        sizes = np.array([self._measure.size(error) for error in errors])
        streams = np.column_stack([sizes, errors])  # the size, and each column with its sign
        self._ranks = [_Ranks() for _ in streams.T]
        self._watch = _Watch(patience, streams.shape[1])
        # As if each had been compared with all the others
        p = 1.0 - (rankdata(streams, axis=0) - 0.5) / len(streams)
        self._seen = deque(p.tolist(), maxlen=KEPT_ERRORS)
        self._count, self._look = len(p), 2 * len(p)
        self._watch.slow_down(p)

    def see(self, row: int, error: Floats, level: float) -> Judgement:
        """The judgement of this error, after all before it."""
        size = self._measure.size(error)
        width = self._measure.width(self._ranks[0].quantile(level))
        values = [size, *error.tolist()]
        chances = self._rng.random(len(values)).tolist()
        p = [
            ranks.probability(value, chance)
            for ranks, value, chance in zip(self._ranks, values, chances, strict=True)
        ]
        watch = self._watch
        if not isnan(size):  # of a row without any number there is nothing to say
            watch.see(row, p)
            if not watch.changed:
                self._keep(values, p)
        return Judgement(size, p[0], width, watch.evidence, watch.changed, watch.since)

    def _keep(self, values: list[float], p: list[float]) -> None:
        """This error is usual. After twice as many rows, the times τ are found again."""
        for ranks, value in zip(self._ranks, values, strict=True):
            ranks.keep(value)
        self._seen.append(p)
        self._count += 1
        if self._count == self._look:
            self._look += min(self._look, KEPT_ERRORS)
            self._watch.slow_down(np.array(self._seen))


@dataclass(frozen=True, eq=False)
class _Measure:
    """The size of an error, from the second moments of usual ones."""

    deviation: Floats
    correlation: Floats
    root: Floats  # of the inverse of the correlation

    @staticmethod
    def of(errors: Floats) -> _Measure:
        """From errors (T, d) without gaps."""
        scale = np.maximum(np.sqrt((errors**2).mean(axis=0)), SMALLEST_ERROR)
        parts = errors / scale
        # As if one more error had come, with all columns by themselves: no direction is impossible
        share = 1.0 / (len(parts) + 1.0)
        correlation = (1.0 - share) * parts.T @ parts / len(parts) + share * np.eye(len(scale))
        return _Measure(scale, correlation, np.linalg.inv(np.linalg.cholesky(correlation)))

    def size(self, error: Floats) -> float:
        """|C^(-1/2) e|/√d over the columns that are known; NaN if none is."""
        parts = np.clip(error / self.deviation, -LARGEST_SIZE, LARGEST_SIZE)
        known = ~np.isnan(parts)
        if not known.any():
            return float(np.nan)
        spread: Floats = self.root @ parts
        if not known.all():
            parts = parts[known]
            among = self.correlation[np.ix_(known, known)]
            spread = np.linalg.solve(np.linalg.cholesky(among), parts)
        return float(np.sqrt(spread @ spread / len(parts)))

    def width(self, size: float) -> Floats:
        """The half edges of the box around all errors of at most this size."""
        return np.asarray(size * np.sqrt(len(self.deviation)) * self.deviation)


class _Ranks:
    """The newest usual sizes, in order."""

    def __init__(self) -> None:
        self._sorted: list[float] = []
        self._newest: deque[float] = deque()

    def probability(self, size: float, chance: float) -> float:
        """Of a size at least as large, uniform where their order is by chance; NaN of NaN."""
        if isnan(size):
            return size
        left, right = bisect_left(self._sorted, size), bisect_right(self._sorted, size)
        count = len(self._sorted)
        ties = right - left + 1  # itself too
        return (count - right + chance * ties) / (count + 1)

    def quantile(self, level: float) -> float:
        """The size that at most a share `level` of the others, with itself, exceeds."""
        above = int(level * (len(self._sorted) + 1))
        return self._sorted[-above] if above else inf

    def keep(self, size: float) -> None:
        """Compare with this one too, if it is known."""
        if isnan(size):
            return
        if len(self._newest) == KEPT_ERRORS:
            del self._sorted[bisect_left(self._sorted, self._newest.popleft())]
        self._newest.append(size)
        insort(self._sorted, size)


class _Watch:
    """Whether surprise stays, by bets on small and on large p of each stream.

    A change begins where the mean of all R reaches `patience`, and ends where it has fallen to its
    root.
    """

    evidence: float = 0.0
    changed: bool = False
    since: int | None = None

    def __init__(self, patience: float, streams: int) -> None:
        shape = (2 * streams, len(STAKES))  # on small p of all streams, then on large p
        # Half of all stakes on the size, the rest on the columns
        shares = np.r_[0.5, np.full(streams - 1, 0.5 / (streams - 1))]
        self._weight = np.repeat(np.tile(shares, 2)[:, None], len(STAKES), 1)
        self._weight /= self._weight.sum()
        self._patience, self._most = patience, patience / self._weight
        self._evidence, self._sum = np.zeros(shape), np.zeros(shape)
        self._since, self._times = np.zeros(shape, np.int64), np.ones((2 * streams, 1))

    def see(self, row: int, p: list[float]) -> None:
        """Bet on these probabilities; there is none on NaN."""
        logarithms = np.array([_logarithm(one) for one in p] + [_logarithm(1.0 - one) for one in p])
        gain = (LOG_STAKES + (STAKES - 1.0) * logarithms[:, None]) / self._times
        gain[np.isnan(logarithms)] = 0.0
        # The likeliest begin is where the sum of the logarithms was last at its lowest
        self._since[self._sum <= 0.0] = row
        self._sum = np.maximum(self._sum, 0.0) + gain
        self._evidence = np.minimum((1.0 + self._evidence) * np.exp(gain), self._most)
        parts = self._weight * self._evidence
        self.evidence = float(parts.sum())
        if not self.changed and self.evidence >= self._patience:
            self.changed, self.since = True, int(self._since.flat[parts.argmax()])
        elif self.changed and self.evidence < self._patience**0.5:
            self.changed, self.since = False, None

    def slow_down(self, p: Floats) -> None:
        """The time τ of each stream from its probabilities (T, streams); NaN is left out."""
        both = np.hstack([np.log(np.maximum(p, SUREST)), np.log(np.maximum(1.0 - p, SUREST))])
        self._times = np.array([alike_for(one[~np.isnan(one)]) for one in both.T])[:, None]


def alike_for(series: Floats) -> float:
    """The rows τ over which a series is alike: the sum of its autocorrelations over all lags up to
    the first that is not positive, on both sides [GEY92].

    >>> alike_for(np.repeat(np.random.default_rng(0).standard_normal(3000), 4)).__round__()
    4
    """
    count = len(series)
    if count < 2 or np.ptp(series) == 0.0:
        return 1.0
    spectrum = np.abs(np.fft.rfft(series - series.mean(), 2 * count)) ** 2
    covariance = np.fft.irfft(spectrum)[:count]
    positive = covariance / covariance[0] > 0.0
    stop = count if positive.all() else int(np.argmin(positive))
    return float(1.0 + 2.0 * covariance[1:stop].sum() / covariance[0])


def _logarithm(p: float) -> float:
    return log(max(p, SUREST))


def next_rows(
    loop: ClosedLoop, state: Floats, last: Floats, pieces: Iterable[tuple[Floats, Floats]]
) -> Iterator[tuple[Floats, Floats]]:
    """Standardised pieces (k, m) of a series, each as it is and as the loop forecasts it one step
    ahead, from the state before `last`; the pieces come with their exogenous columns (k, e).

    A cell that is NaN counts as its forecast.
    """
    for whole, beside_whole in pieces:
        for first in range(0, len(whole), WATCHED_AT_ONCE):
            rows = whole[first : first + WATCHED_AT_ONCE]
            beside = beside_whole[first : first + WATCHED_AT_ONCE]
            if np.isnan(rows).any():
                found = np.empty_like(rows)
                for k, row in enumerate(rows):
                    one, state, last = _ahead(loop, state, last, row[None], beside[k : k + 1])
                    found[k] = one[0]
                    last = np.where(np.isnan(row), found[k], row)
            else:
                found, state, last = _ahead(loop, state, last, rows, beside)
            yield rows, found


def _ahead(
    loop: ClosedLoop, state: Floats, last: Floats, rows: Floats, beside: Floats
) -> tuple[Floats, Floats, Floats]:
    """Forecasts of these rows, the state after the row before the last, and the last row."""
    before = np.vstack([last, rows[:-1]])
    states = drive(loop.reservoir, np.hstack([before, beside]), state)
    features = states if loop.quadratic is None else loop.quadratic(states)
    found = soft_clip(loop.carry * before + loop.weights(features), *loop.bounds)
    return found, states[-1].copy(), rows[-1].copy()


def surprises(
    pairs: Iterable[tuple[Floats, Floats]],
    scaler: Scaler,
    level: float,
    patience: float,
    learned: int,
) -> Iterator[Surprise]:
    """Each row beside the forecast of it, in the unit of the rows, from standardised pairs."""
    kept: deque[tuple[Floats, Floats]] = deque()  # of the rows that are being judged, one at most

    def errors() -> Iterator[Floats]:
        for rows, found in pairs:
            values, forecasts = scaler.backward(rows), scaler.backward(found)
            for k, error in enumerate(rows - found):
                kept.append((values[k], forecasts[k]))
                yield error

    for number, one in enumerate(judged(errors(), level, patience, learned)):
        value, forecast = kept.popleft()
        half = one.width * scaler.scale
        yield Surprise(
            number,
            value,
            forecast,
            forecast - half,
            forecast + half,
            one.size,
            one.probability,
            one.probability <= level,
            one.evidence,
            one.changed,
            one.since,
        )
