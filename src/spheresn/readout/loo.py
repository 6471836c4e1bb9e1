"""Leave-one-out error in closed form, for choosing a penalty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from .._validation import Floats
from ._product import product
from .gram import Gram
from .ridge import Cholesky, Shifted, Weights, factor

# Decades of the share of the trace: from interpolation to almost the mean
LEAST, START, MOST = -14, -8, 0
SAMPLE = 256  # rows; at most twice as many judge a penalty
LARGE = 250  # states


@dataclass(frozen=True, eq=False)
class Sample:
    """At most 2 · SAMPLE rows, evenly spread: those whose number is a multiple of `stride`, which
    doubles as rows arrive.

    Which rows are kept does not depend on the pieces they arrive in.

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
        """Of no rows."""
        return Sample(np.zeros((0, states)), np.zeros((0, targets)))

    def taking(self, states: Floats, targets: Floats) -> Sample:
        """With the rows that come next."""
        rows = slice(-self.seen % self.stride, None, self.stride)
        return self._with(states[rows], targets[rows], len(states))

    def every(self, stride: int) -> Sample:
        """The same rows of every `stride`-th state alone."""
        return Sample(self.states[:, ::stride], self.targets, self.seen, self.stride)

    def joined(self, other: Sample) -> Sample:
        """With the sample of another series, both at the wider of the two strides."""
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


def leave_one_out(root: Cholesky | Shifted, states: Floats, targets: Floats) -> Floats:
    """The errors (T, m) of predicting each row from a fit to all the others: e_i/(1 - h_i) [GOL79].

    h_i = 1/n + |R (x_i - x̄)|² is the leverage of row i, where RᵀR = (S + penalty)⁻¹. Exact, for
    all rows of the fit or any of them. A row that the others say nothing about (h_i = 1) has an
    infinite error.

    Without any state to learn from, a row is predicted by the mean of the others: 0 by (3 + 6)/2.

    >>> x, y = np.zeros((3, 1)), np.array([[0.0], [3.0], [6.0]])
    >>> leave_one_out(factor(Gram.of(x, y), 1.0), x, y)
    array([[-4.5],
           [ 0. ],
           [ 4.5]])
    """
    gram = root.gram
    columns = root.half((states - gram.state_mean).T)
    residuals = targets - gram.target_mean - product(columns.T, root.half(gram.cross))
    room = (1.0 - 1.0 / gram.count - np.einsum("ij,ij->j", columns, columns))[:, None]
    return np.asarray(
        np.divide(residuals, room, out=np.full_like(residuals, np.inf), where=room > 1e-10)
    )


def choose_penalty(gram: Gram, sample: Sample) -> tuple[float, float, Weights]:
    """The penalty with the least leave-one-out error relative to the targets' variance, that error,
    and the readout.

    Walks over the decades of the trace's share, by threes and then by ones: five to seven Cholesky
    factors, where the eigenvalues that would give all decades cost as much as thirty. Of more than
    LARGE states every n-th says where to begin. The error has side valleys now and then: in one
    random case of a hundred the walk ends in one, up to 5 % above the least error.
    """
    stride = -(-len(gram.cross) // LARGE)
    if stride == 1:
        return _walked(gram, sample, START, (3, 1))
    share = choose_penalty(gram.every(stride), sample.every(stride))[0] / _unit(gram.every(stride))
    return _walked(gram, sample, round(np.log10(share)), (1,))


def _walked(
    gram: Gram, sample: Sample, start: int, strides: tuple[int, ...]
) -> tuple[float, float, Weights]:
    variance = np.where(gram.target_scatter > 0.0, gram.target_scatter / gram.count, 1.0)

    @cache
    def tried(decade: int) -> tuple[float, Weights]:
        root = factor(gram, _unit(gram) * 10.0**decade)
        squares = np.square(leave_one_out(root, sample.states, sample.targets)).mean(axis=0)
        return float(np.sqrt((squares / variance).mean())), root.solve()

    best = _descended(lambda decade: tried(decade)[0], start, strides)
    # Worse than the mean, which the largest penalty comes near: the walk was caught in a valley
    if tried(best)[0] > 1.0:
        best = min(range(MOST, LEAST - 1, -1), key=lambda decade: tried(decade)[0])
    return _unit(gram) * 10.0**best, *tried(best)


def _unit(gram: Gram) -> float:
    return float(max(gram.trace, np.finfo(float).tiny))


def _descended(error: Callable[[int], float], start: int, strides: tuple[int, ...]) -> int:
    """The decade from which no neighbour is better, far ones first; of equals the larger
    penalty.
    """
    best = start
    for stride in strides:
        before = None
        while best != before:
            near = [one for one in (best + stride, best, best - stride) if LEAST <= one <= MOST]
            before, best = best, min(near, key=error)
    return best
