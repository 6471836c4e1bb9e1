"""The leave-one-out error in closed form, and the penalty that minimises it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from .._validation import Floats
from .gram import Gram, product
from .ridge import Eigen, Moments, Root, Weights, factor
from .triangle import Triangle

# Penalties are 10^decade times the trace: from interpolation (`Moments.least_decade`) to almost the
# mean
FIRST_DECADE, LAST_DECADE = -8, 0
SCANNED_DECADES = 4  # steps in which all decades are compared; minima are wider
RESOLVED_DECADE = -12  # below it, rounding errors of a Gram matrix begin to show
LEAST_SAMPLE_ROWS = 256  # rows; the error is computed on at most twice as many
MOST_SAMPLE_ROWS = 2 * LEAST_SAMPLE_ROWS
LOST_VARIANCE = 1e-12  # a share of the variance: in a Gram, less than this may be rounding
# States; for more, the search starts from the best penalty of a subset of the states
LEAST_STATES_FOR_SUBSET = 250
# States; for fewer, singular values once cost less than a factor for each penalty
MOST_STATES_BY_EIGEN = 150


@dataclass(frozen=True, eq=False)
class Sample:
    """At most 2 · LEAST_SAMPLE_ROWS evenly spaced rows of a series.

    These are the rows whose index is a multiple of `stride`, which doubles as rows are added. They
    do not depend on how the series was divided into pieces.

    >>> rows = np.arange(1000.0)[:, None]
    >>> sample = Sample.empty(1, 1).taking(rows, rows)
    >>> sample.seen, sample.stride, len(sample.states)
    (1000, 2, 500)
    """

    states: Floats
    targets: Floats
    seen: int = 0
    stride: int = 1

    @staticmethod
    def empty(states: int, targets: int) -> Sample:
        """The sample of no rows."""
        return Sample(np.zeros((0, states)), np.zeros((0, targets)))

    def taking(self, states: Floats, targets: Floats) -> Sample:
        """The sample with the next rows of the series."""
        stride = self.stride
        # Thinned before they are joined: large arrays that are dropped at once take time
        while (
            self._count(stride) + len(range(-self.seen % stride, len(states), stride))
            > MOST_SAMPLE_ROWS
        ):
            stride *= 2
        mine, rows = _thinned(self, stride), slice(-self.seen % stride, None, stride)
        return mine._with(states[rows], targets[rows], len(states))

    def every(self, stride: int) -> Sample:
        """The same rows of every `stride`-th state only."""
        return Sample(self.states[:, ::stride], self.targets, self.seen, self.stride)

    def joined(self, other: Sample) -> Sample:
        """The sample of this and another series, both at the wider of the two strides."""
        stride = max(self.stride, other.stride)
        mine, its = (_thinned(sample, stride) for sample in (self, other))
        return mine._with(its.states, its.targets, its.seen)

    def _count(self, stride: int) -> int:
        """The number of rows at a wider stride."""
        return -(-len(self.states) * self.stride // stride)

    def _with(self, states: Floats, targets: Floats, seen: int) -> Sample:
        x, y = np.vstack([self.states, states]), np.vstack([self.targets, targets])
        kept = Sample(x, y, self.seen + seen, self.stride)
        while len(kept.states) > MOST_SAMPLE_ROWS:
            kept = _thinned(kept, 2 * kept.stride)
        return kept


def _thinned(sample: Sample, stride: int) -> Sample:
    step = stride // sample.stride
    if step == 1:
        return sample
    return Sample(sample.states[::step].copy(), sample.targets[::step].copy(), sample.seen, stride)


def leave_one_out(root: Root, states: Floats, targets: Floats) -> Floats:
    """The errors (T, m) of predicting each row from a fit to all other rows: e_i/(1 - h_i) [GOL79].

    h_i = 1/n + |R (x_i - x̄)|² is the leverage of row i, where RᵀR = (S + penalty)⁻¹. The formula is
    exact, for all rows of the fit or for some. A row that the others do not determine (h_i = 1) has
    an infinite error. In the example the states are zero, so each row is predicted by the mean of
    the others: 0 by (3 + 6)/2.

    >>> from spheresn.readout import Gram
    >>> x, y = np.zeros((3, 1)), np.array([[0.0], [3.0], [6.0]])
    >>> leave_one_out(factor(Gram.of(x, y), 1.0), x, y)
    array([[-4.5],
           [ 0. ],
           [ 4.5]])
    """
    return _left_out(root, (states - root.moments.state_mean).T, targets)


def _left_out(root: Root, centred: Floats, targets: Floats) -> Floats:
    """`leave_one_out` of states (N, T) about their mean."""
    moments, columns = root.moments, root.half(centred)
    residuals = targets - moments.target_mean - product(columns.T, root.targets)
    remaining = 1.0 - 1.0 / moments.count - np.einsum("ij,ij->j", columns, columns)
    return _divided(residuals, remaining)


def _divided(residuals: Floats, remaining: Floats) -> Floats:
    """e_i/(1 - h_i); a row that the others do not determine has an infinite error."""
    share = remaining[:, None]
    return np.asarray(
        np.divide(residuals, share, out=np.full_like(residuals, np.inf), where=share > 1e-10)
    )


def choose_penalty(moments: Moments, sample: Sample) -> tuple[float, float, Weights]:
    """The penalty with the least leave-one-out error, that error, and the readout.

    The error is relative to the variance of the targets. The search descends over the decades, in
    steps of three and then of one. This takes five to seven Cholesky factors; the eigenvalues,
    which would serve all decades, cost as much as thirty. With more than
    LEAST_STATES_FOR_SUBSET states, every n-th state gives the decade to start from. The error may
    have several minima: in one random case of a hundred the search ends in a local one, up to 5 %
    above the least error.
    """
    stride = -(-len(moments.state_mean) // LEAST_STATES_FOR_SUBSET)
    if stride == 1:
        return search_decades(moments, sample, FIRST_DECADE, (3, 1))
    few = moments.every(stride)
    start = decade_of(few, choose_penalty(few, sample.every(stride))[0])
    return search_decades(moments, sample, start, (1,))


def screen_penalty(
    gram: Gram, start: int, stride: int, least: int = Gram.least_decade
) -> tuple[int, float]:
    """The best decade in steps of `stride` from `start`, and its error by `cross_validate`.

    No decade below `least` is tried. Larger penalties are tried if no smaller one is better.
    """
    unit, memory = _unit(gram), np.empty_like(gram.scatter)  # new memory each time takes long
    error = cache(lambda decade: cross_validate(gram, unit * 10.0**decade, memory))
    best = start
    for step in (-stride, stride):
        while least <= best + step <= LAST_DECADE and error(best + step) < error(best):
            best += step
        if best != start:
            break
    return best, error(best)


def cross_validate(gram: Gram, penalty: float, memory: Floats | None = None) -> float:
    """The error by generalised cross-validation, relative to the variance of the targets [GOL79].

    It is the root of n |e|²/(n - h)², where e are the residuals of all n rows and h is the sum of
    their leverages: the leave-one-out error if all leverages are equal. It takes less time than
    `leave_one_out`, because it needs no rows; errors below 1e-6 are lost in rounding. `memory`
    (N, N) is overwritten. In the example the states are zero: the mean of the other two of three
    rows errs by 3/2 of the deviation.

    >>> from spheresn.readout import Gram
    >>> gram = Gram.of(np.zeros((3, 1)), np.array([[0.0], [3.0], [6.0]]))
    >>> round(cross_validate(gram, 1.0), 12)
    1.5
    """
    shifted = np.empty_like(gram.scatter) if memory is None else memory
    np.copyto(shifted, gram.scatter)
    shifted.reshape(-1, order="F")[:: len(shifted) + 1] += penalty
    lower, failed = dpotrf(shifted, lower=1, overwrite_a=1)
    if failed:
        return np.inf
    inverse = dtrtri(lower, lower=1, overwrite_c=1)[0]
    half = product(inverse, gram.cross)
    weights = product(inverse.T, half)
    explained = np.square(half).sum(axis=0) + penalty * np.square(weights).sum(axis=0)
    total = np.where(gram.target_scatter > 0.0, gram.target_scatter, 1.0)
    share = np.maximum(1.0 - explained / total, LOST_VARIANCE)
    freedom = 1.0 + len(shifted) - penalty * float(np.square(inverse).sum())
    remaining = 1.0 - freedom / gram.count
    return float(np.sqrt(share.mean())) / remaining if remaining > 1e-6 else np.inf


def decade_of(moments: Moments, penalty: float) -> int:
    """The power of ten of a penalty in units of the trace."""
    return round(float(np.log10(penalty / _unit(moments))))


def search_decades(
    moments: Moments, sample: Sample, start: int, strides: tuple[int, ...]
) -> tuple[float, float, Weights]:
    """`choose_penalty` from a decade to start from, in these strides."""
    tried = Penalties(moments, sample)
    best = tried.descend(start, strides)
    # An error above 1 is worse than the mean, which the largest penalty nearly gives: the descent
    # has ended in a local minimum, so all decades are compared
    return tried.solution(tried.best_of_every(1) if tried.error(best) > 1.0 else best)


def choose_precisely(triangle: Triangle, sample: Sample) -> tuple[float, float, Weights]:
    """`choose_penalty` down to the smallest penalties that a triangle resolves.

    All of them are compared, because the error may have several minima: where the target needs
    directions in which the states hardly vary, a descent from large penalties ends at the mean. Of
    a large network this is done with a subset of the states.
    """
    tried, strides = Penalties(triangle, sample), (2, 1)
    stride = -(-len(triangle.state_mean) // LEAST_STATES_FOR_SUBSET)
    if stride == 1:
        return tried.solution(tried.descend(tried.best_of_every(SCANNED_DECADES), strides))
    few = Penalties(triangle.every(stride), sample.every(stride))
    return tried.solution(tried.descend(few.best_of_every(SCANNED_DECADES), strides))


class Penalties:
    """Leave-one-out errors and readouts by the decade of the penalty, in units of the trace; each
    is computed once, when it is asked for.
    """

    def __init__(self, moments: Moments, sample: Sample) -> None:
        self.moments, self.sample, self._unit = moments, sample, _unit(moments)
        scatter = moments.target_scatter
        self._variance = np.where(scatter > 0.0, scatter / moments.count, 1.0)
        self._centred = (sample.states - moments.state_mean).T
        self._eigen: Eigen | None = None
        if isinstance(moments, Triangle) and len(moments.state_mean) <= MOST_STATES_BY_EIGEN:
            self._eigen = Eigen.of(moments)
            self._centred = product(self._eigen.vectors.T, self._centred)
            self._squares = np.square(self._centred)
        self._found: dict[float, tuple[float, Callable[[], Weights]]] = {}

    def error(self, decade: float) -> float:
        """The error, relative to the deviation of the targets."""
        return self._at(decade)[0]

    def solution(self, decade: float) -> tuple[float, float, Weights]:
        """The penalty, its error and the readout."""
        error, weights = self._at(decade)
        return self._unit * 10.0**decade, error, weights()

    def descend(self, start: int, strides: tuple[int, ...]) -> int:
        """A decade that no neighbour improves on, for each stride in turn."""
        return _descend(self.error, start, self.moments.least_decade, strides)

    def best_of_every(self, stride: int) -> int:
        """The best decade of all in steps of `stride`; of equal ones, the larger."""
        return min(range(LAST_DECADE, self.moments.least_decade - 1, -stride), key=self.error)

    def resolved(self) -> float:
        """The least error so far with a penalty that a Gram matrix can resolve."""
        errors = [error for decade, (error, _) in self._found.items() if decade >= RESOLVED_DECADE]
        return min(errors, default=np.inf)

    def decade_of(self, penalty: float) -> float:
        """The decade, which need not be whole, of a penalty."""
        return float(np.log10(penalty / self._unit)) if penalty > 0.0 else -np.inf

    def _at(self, decade: float) -> tuple[float, Callable[[], Weights]]:
        if decade not in self._found:
            left_out, weights = self._solved(self._unit * 10.0**decade)
            mean = np.square(left_out).mean(axis=0)
            self._found[decade] = float(np.sqrt((mean / self._variance).mean())), weights
        return self._found[decade]

    def _solved(self, penalty: float) -> tuple[Floats, Callable[[], Weights]]:
        """The errors of the rows, each left out, and how to get the readout."""
        if self._eigen is None:
            root = factor(self.moments, penalty)
            weights = root.solve()  # a root for each penalty would take much memory
            return _left_out(root, self._centred, self.sample.targets), lambda: weights
        gains = self._eigen.gains(penalty)
        shifted = self.sample.targets - self.moments.target_mean
        outputs = product(self._centred.T, gains[:, None] * self._eigen.coefficients)
        remaining = 1.0 - 1.0 / self.moments.count - gains @ self._squares
        return _divided(shifted - outputs, remaining), partial(self._eigen.solve, penalty)


def _unit(moments: Moments) -> float:
    """The trace; of states that do not vary, a number so large that no inverse overflows."""
    return float(max(moments.trace, np.finfo(float).tiny / np.finfo(float).eps ** 2))


def _descend(
    error: Callable[[int], float], start: int, least: int, strides: tuple[int, ...]
) -> int:
    """A decade that no neighbour improves on, for each stride in turn; ties: the larger penalty."""
    best = start
    for stride in strides:
        before = None
        while best != before:
            near = [
                one for one in (best + stride, best, best - stride) if least <= one <= LAST_DECADE
            ]
            before, best = best, min(near, key=error)
    return best
