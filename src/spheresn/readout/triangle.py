"""Rows reduced to a triangle by orthogonal transformations: least squares with full precision.

The Gram matrix squares the condition of the states: directions in which they vary by less than 1e-8
of the largest are lost in its rounding errors. An orthogonal factorisation keeps directions down to
1e-16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from scipy.linalg import svd
from scipy.linalg.lapack import dtpqrt

from .. import _validation, kernels
from .._errors import BadInput
from .._running import limit_threads
from .._validation import Floats

REDUCED_ROWS = 1024  # rows that are reduced at once
# Columns that LAPACK reduces at once; two threads are slower than one at any size tried
REDUCED_COLUMNS = 32


@dataclass(frozen=True, eq=False)
class Triangle:
    """The scatter of `count` rows about their mean as an upper triangle R (`factor`), in float64.

    RᵀR = Σ (z - z̄)(z - z̄)ᵀ for the rows z = (x, y) of states and targets. The sum of two triangles
    is that of all rows together, as for `Gram`, up to the signs of its rows.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> whole = Triangle.of(x, 3 * x)
    >>> parts = Triangle.of(x[:1], 3 * x[:1]) + Triangle.of(x[1:], 3 * x[1:])
    >>> [(t.count, np.abs(t.factor[0]).round(12).tolist()) for t in (whole, parts)]
    [(3, [1.414213562373, 4.242640687119]), (3, [1.414213562373, 4.242640687119])]
    """

    # Penalties of 10^decade of the trace, below which rounding errors of the states are larger
    least_decade: ClassVar[int] = -30

    count: float
    state_mean: Floats
    target_mean: Floats
    factor: Floats

    @staticmethod
    def of(states: Floats, targets: Floats) -> Triangle:
        """The triangle of states (T, N) and targets (T, m)."""
        grown = GrowingTriangle.empty(states.shape[1], targets.shape[1])
        return grown.take(states, targets).moments

    @staticmethod
    def weighted(states: Floats, targets: Floats, weights: Floats) -> Triangle:
        """The triangle of rows that count as `weights` (T,) rows each.

        >>> x = np.array([[0.0], [1.0]])
        >>> twice = Triangle.weighted(x, 3 * x, np.array([1.0, 2.0]))
        >>> three = Triangle.of(x[[0, 1, 1]], 3 * x[[0, 1, 1]])
        >>> bool(np.allclose(np.abs(twice.factor), np.abs(three.factor)))
        True
        """
        rows, total = np.hstack([states, targets]), float(weights.sum())
        mean = weights @ rows / total
        width, n = rows.shape[1], states.shape[1]
        centred = np.sqrt(weights)[:, None] * (rows - mean)
        factor = stacked(np.zeros((width, width), order="F"), centred, 0)
        return Triangle(total, mean[:n], mean[n:], factor)

    def faded(self, weight: float) -> Triangle:
        """The triangle of rows that count as `weight` rows each."""
        return replace(self, count=weight * self.count, factor=np.sqrt(weight) * self.factor)

    def explained(self, outputs: int) -> Triangle:
        """The triangle of the same states with so many targets, all zero."""
        n = len(self.state_mean)
        factor = np.zeros((n + outputs, n + outputs), order="F")
        factor[:n, :n] = self.factor[:n, :n]
        return Triangle(self.count, self.state_mean, np.zeros(outputs), factor)

    def __add__(self, other: Triangle) -> Triangle:
        """The triangle of the rows of both."""
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        count = self.count + other.count
        gap_x, gap_y = other.state_mean - self.state_mean, other.target_mean - self.target_mean
        share, weight = other.count / count, np.sqrt(self.count * other.count / count)
        gap = weight * np.concatenate([gap_x, gap_y])[None]
        both = stacked(self.factor, other.factor)
        return Triangle(
            count,
            self.state_mean + share * gap_x,
            self.target_mean + share * gap_y,
            stacked(both, gap, 0),
        )

    def with_scatter(self, other: Triangle, scale: float) -> Triangle:
        """This triangle with scale² times the scatter of another; count and means stay.

        With the response of the states to noise as `other`, it is what noisy rows would give, on
        average over all noise.
        """
        if scale == 0.0:
            return self
        factor = stacked(self.factor, scale * other.factor)
        return Triangle(self.count, self.state_mean, self.target_mean, factor)

    def every(self, stride: int) -> Triangle:
        """The triangle of every `stride`-th state only."""
        states = len(self.state_mean)
        kept = [*range(0, states, stride), *range(states, len(self.factor))]
        factor = stacked(np.zeros((len(kept), len(kept)), order="F"), self.factor[:, kept], 0)
        return Triangle(self.count, self.state_mean[::stride], self.target_mean, factor)

    @property
    def states(self) -> Floats:
        """R_xx (N, N): R_xxᵀ R_xx = S."""
        n = len(self.state_mean)
        return self.factor[:n, :n]

    @property
    def targets(self) -> Floats:
        """R_xy (N, m): R_xxᵀ R_xy = C."""
        n = len(self.state_mean)
        return self.factor[:n, n:]

    @property
    def target_scatter(self) -> Floats:
        """Σ (y - ȳ)²."""
        columns = self.factor[:, len(self.state_mean) :]
        return np.asarray(np.einsum("ij,ij->j", columns, columns))

    def freedom(self, penalties: Sequence[float]) -> list[float]:
        """The degrees of freedom that a readout with each penalty has: trace (S + penalty)⁻¹ S.

        >>> x = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        >>> [round(one, 12) for one in Triangle.of(x, x).freedom([0.0, 2.0])]  # S = 2 I
        [2.0, 1.0]
        """
        scatter = np.square(svd(self.states, compute_uv=False, check_finite=False))
        return [float((scatter / (scatter + penalty)).sum()) for penalty in penalties]

    @property
    def trace(self) -> float:
        """Σ |x - x̄|², the unit in which penalties are chosen."""
        return float(np.square(self.states).sum())


def stacked(upper: Floats, lower: Floats, trapezoid: int | None = None) -> Floats:
    """The triangle of the rows of a triangle (n, n) and of others (k, n).

    The others are a triangle too, unless `trapezoid` says how many of their rows are.
    """
    rows = len(lower) if trapezoid is None else trapezoid
    panel = min(REDUCED_COLUMNS, len(upper))
    copied = np.array(lower, order="F")  # LAPACK overwrites it
    with limit_threads(0):
        return np.asarray(dtpqrt(rows, panel, upper, copied, overwrite_b=1)[0])


class GrowingTriangle:
    """A Triangle that grows block by block, in the memory of one triangle and one block."""

    def __init__(self, moments: Triangle) -> None:
        self._moments = moments
        width = len(moments.factor)
        self._rows = np.empty((REDUCED_ROWS, width))
        self._centred = np.empty((REDUCED_ROWS + 1, width))
        self._filled = 0

    @classmethod
    def empty(cls, states: int, targets: int) -> Self:
        """The triangle of no rows."""
        if states < 1 or targets < 1:
            raise BadInput(
                f"states and targets must have at least one column each, got {states} and "
                f"{targets}; say what to learn from what"
            )
        width = states + targets
        return cls(
            Triangle(0, np.zeros(states), np.zeros(targets), np.zeros((width, width), order="F"))
        )

    @property
    def moments(self) -> Triangle:
        """The triangle of all rows so far."""
        self._absorb()
        return self._moments

    def copy(self) -> GrowingTriangle:
        """A copy that grows independently."""
        copied = GrowingTriangle(self._moments)
        copied._rows[: self._filled] = self._rows[: self._filled]
        copied._filled = self._filled
        return copied

    def take(self, states: Floats, targets: Floats) -> Self:
        """Add states (T, N) and targets (T, m)."""
        _validation.same_length("targets", targets, "states", states)
        first, n = 0, len(self._moments.state_mean)
        while first < len(states):
            taken = slice(first, first + REDUCED_ROWS - self._filled)
            count = len(states[taken])
            rows = self._rows[self._filled : self._filled + count]
            rows[:, :n], rows[:, n:] = states[taken], targets[taken]
            self._filled += count
            first += count
            if self._filled == REDUCED_ROWS:
                self._absorb()
        return self

    def _absorb(self) -> None:
        """Reduce the waiting rows, and one more for the gap between the old mean and theirs."""
        if not self._filled:
            return
        old, rows = self._moments, self._rows[: self._filled]
        count, n = old.count + len(rows), len(old.state_mean)
        weight, share = np.sqrt(old.count * len(rows) / count), len(rows) / count
        mean = np.concatenate([old.state_mean, old.target_mean])
        centred = self._centred[: len(rows) + 1]
        kernels.centre(rows, mean, weight, share, centred)
        with np.errstate(over="ignore", invalid="ignore"):
            flat = centred.reshape(-1)
            if not np.isfinite(flat @ flat):  # without memory for the squares
                largest = float(np.abs(rows).max(initial=0.0))
                raise BadInput(
                    "states and targets must have squares that fit into a float, got values up "
                    f"to {largest:.3g}; scale them down"
                )
        self._moments = Triangle(count, mean[:n], mean[n:], stacked(old.factor, centred, 0))
        self._filled = 0
