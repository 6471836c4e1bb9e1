"""Leave-one-out error in closed form, for choosing a penalty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._checks import Floats
from .gram import Gram
from .ridge import Eigen

# Shares of the trace of the scatter: from interpolation to almost the mean.
PENALTY_SHARES = 10.0 ** np.arange(-14.0, 1.0)
SAMPLE, BLOCK = 1024, 256  # rows; blocks keep the working memory small


@dataclass(frozen=True, eq=False)
class Sample:
    """At most 2 · SAMPLE rows, evenly spread: those whose number is a multiple of `stride`, which doubles as rows arrive.

    Which rows are kept does not depend on the pieces they arrive in.
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


def leave_one_out(eigen: Eigen, states: Floats, targets: Floats, penalties: Floats) -> Iterator[Floats]:
    """For each penalty the errors (T, m) of predicting each row from a fit to all the others: e_i/(1 - h_i) [GOL79].

    h_i = 1/n + z_iᵀ (Λ + penalty)⁻¹ z_i, z_i = Vᵀ(x_i - x̄), is the leverage of row i. Exact, for all rows of the fit or any of them.
    A row that the others say nothing about (h_i = 1) has an infinite error.
    """
    gram, z = eigen.gram, (states - eigen.gram.state_mean) @ eigen.vectors
    squares, centred = np.square(z), targets - gram.target_mean
    for penalty in penalties:
        gains = eigen.gains(penalty)
        residuals = centred - z @ (gains[:, None] * eigen.coefficients)
        room = (1.0 - 1.0 / gram.count - squares @ gains)[:, None]
        yield np.divide(residuals, room, out=np.full_like(residuals, np.inf), where=room > 1e-10)


def choose_penalty(gram: Gram, sample: Sample) -> tuple[float, Eigen, float]:
    """The penalty of the ladder with the least leave-one-out error relative to the targets' variance, its decomposition, and that error."""
    eigen = Eigen.of(gram)
    penalties = PENALTY_SHARES * max(gram.trace, np.finfo(float).tiny)
    variance = np.where(gram.target_scatter > 0.0, gram.target_scatter / gram.count, 1.0)
    squares = np.zeros((len(penalties), len(variance)))
    for first in range(0, len(sample.states), BLOCK):
        rows = slice(first, first + BLOCK)
        left_out = leave_one_out(eigen, sample.states[rows], sample.targets[rows], penalties)
        squares += [np.square(error).sum(axis=0) for error in left_out]
    errors = (squares / len(sample.states) / variance).mean(axis=1)
    best = int(np.argmin(errors))
    return float(penalties[best]), eigen, float(np.sqrt(errors[best]))
