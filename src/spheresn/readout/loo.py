"""The leave-one-out error in closed form, and the penalty that minimises it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from .._validation import Floats
from .gram import product
from .ridge import Moments, Root, Weights, factor

# Penalties are 10^decade times the trace: from interpolation (`Moments.least_decade`) to almost the
# mean
START, MOST = -8, 0
SAMPLE = 256  # rows; the error is computed on at most twice as many
LARGE = 250  # states; for more, the search starts from the best penalty of a subset of the states


@dataclass(frozen=True, eq=False)
class Sample:
    """At most 2 · SAMPLE evenly spaced rows of a series.

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
        rows = slice(-self.seen % self.stride, None, self.stride)
        return self._with(states[rows], targets[rows], len(states))

    def every(self, stride: int) -> Sample:
        """The same rows of every `stride`-th state only."""
        return Sample(self.states[:, ::stride], self.targets, self.seen, self.stride)

    def joined(self, other: Sample) -> Sample:
        """The sample of this and another series, both at the wider of the two strides."""
        stride = max(self.stride, other.stride)
        mine, its = (_thinned(sample, stride) for sample in (self, other))
        return mine._with(its.states, its.targets, its.seen)

    def _with(self, states: Floats, targets: Floats, seen: int) -> Sample:
        x, y = np.vstack([self.states, states]), np.vstack([self.targets, targets])
        kept = Sample(x, y, self.seen + seen, self.stride)
        while len(kept.states) > 2 * SAMPLE:
            kept = _thinned(kept, 2 * kept.stride)
        return kept


def _thinned(sample: Sample, stride: int) -> Sample:
    step = stride // sample.stride
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
    moments = root.moments
    columns = root.half((states - moments.state_mean).T)
    residuals = targets - moments.target_mean - product(columns.T, root.targets)
    remaining = (1.0 - 1.0 / moments.count - np.einsum("ij,ij->j", columns, columns))[:, None]
    return np.asarray(
        np.divide(
            residuals, remaining, out=np.full_like(residuals, np.inf), where=remaining > 1e-10
        )
    )


def choose_penalty(moments: Moments, sample: Sample) -> tuple[float, float, Weights]:
    """The penalty with the least leave-one-out error, that error, and the readout.

    The error is relative to the variance of the targets. The search descends over the decades, in
    steps of three and then of one. This takes five to seven Cholesky factors; the eigenvalues,
    which would serve all decades, cost as much as thirty. With more than LARGE states, every n-th
    state gives the decade to start from. The error may have several minima: in one random case of a
    hundred the search ends in a local one, up to 5 % above the least error.
    """
    stride = -(-len(moments.state_mean) // LARGE)
    if stride == 1:
        return _search_decades(moments, sample, START, (3, 1))
    share = choose_penalty(moments.every(stride), sample.every(stride))[0] / _unit(
        moments.every(stride)
    )
    return _search_decades(moments, sample, round(np.log10(share)), (1,))


def _search_decades(
    moments: Moments, sample: Sample, start: int, strides: tuple[int, ...]
) -> tuple[float, float, Weights]:
    variance = np.where(moments.target_scatter > 0.0, moments.target_scatter / moments.count, 1.0)

    @cache
    def evaluate(decade: int) -> tuple[float, Weights]:
        root = factor(moments, _unit(moments) * 10.0**decade)
        squares = np.square(leave_one_out(root, sample.states, sample.targets)).mean(axis=0)
        return float(np.sqrt((squares / variance).mean())), root.solve()

    best = _descend(lambda decade: evaluate(decade)[0], start, moments.least_decade, strides)
    # An error above 1 is worse than the mean, which the largest penalty nearly gives: the descent
    # has ended in a local minimum, so all decades are compared
    if evaluate(best)[0] > 1.0:
        best = min(
            range(MOST, moments.least_decade - 1, -1), key=lambda decade: evaluate(decade)[0]
        )
    return _unit(moments) * 10.0**best, *evaluate(best)


def _unit(moments: Moments) -> float:
    return float(max(moments.trace, np.finfo(float).tiny))


def _descend(
    error: Callable[[int], float], start: int, least: int, strides: tuple[int, ...]
) -> int:
    """A decade that no neighbour improves on, for each stride in turn; ties: the larger penalty."""
    best = start
    for stride in strides:
        before = None
        while best != before:
            near = [one for one in (best + stride, best, best - stride) if least <= one <= MOST]
            before, best = best, min(near, key=error)
    return best
