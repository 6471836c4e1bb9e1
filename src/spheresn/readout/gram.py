"""The sums that least squares needs, of any number of states, in the memory of one N × N matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg.blas import dgemm, dsyrk

from .. import _validation, kernels
from .._errors import BadInput
from .._validation import Floats


def block_rows(states: int) -> int:
    """The rows of one block: a megabyte, which stays in the inner caches between two passes."""
    return min(max(2**17 // states, 128), 1024)


def product(a: Floats, b: Floats) -> Floats:
    """a b, C-ordered and in float64, by scipy's BLAS, like the decompositions beside it.

    numpy has another BLAS with its own threads. If both are used in turn on two cores, the waiting
    threads of one slow down the other: a fit took twice as long with two threads as with one.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    # As they lie in memory, without a copy
    left, right = ((part.T, 0) if part.flags.c_contiguous else (part, 1) for part in (b, a))
    return np.asarray(dgemm(1.0, left[0], right[0], trans_a=left[1], trans_b=right[1]).T)


@dataclass(frozen=True, eq=False)
class Gram:
    """The scatter of `count` rows about their mean, in float64.

    S = Σ (x - x̄)(x - x̄)ᵀ (`scatter`; only its lower triangle is filled), C = Σ (x - x̄)(y - ȳ)ᵀ
    (`cross`), V = Σ (y - ȳ)² (`target_scatter`). The sum of two Gram objects is that of all rows
    together [CHA83], so a long series is processed in pieces, and a fit can use several machines.
    Centring each piece keeps the digits that cancel in Σ x xᵀ - n x̄ x̄ᵀ.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> whole = Gram.of(x, 3 * x)
    >>> parts = Gram.of(x[:1], 3 * x[:1]) + Gram.of(x[1:], 3 * x[1:])
    >>> [(g.count, np.round([g.scatter, g.cross], 12).ravel().tolist()) for g in (whole, parts)]
    [(3, [2.0, 6.0]), (3, [2.0, 6.0])]
    """

    # Penalties of 10^decade of the trace, below which rounding errors of S are larger
    least_decade: ClassVar[int] = -14

    count: int
    state_mean: Floats
    target_mean: Floats
    scatter: Floats
    cross: Floats
    target_scatter: Floats

    @staticmethod
    def empty(states: int, targets: int) -> Gram:
        """The Gram of no rows."""
        if states < 1 or targets < 1:
            raise BadInput(
                f"states and targets must have at least one column each, got {states} and "
                f"{targets}; say what to learn from what"
            )
        scatter, cross = (
            np.zeros((states, states), order="F"),
            np.zeros((states, targets), order="F"),
        )
        return Gram(0, np.zeros(states), np.zeros(targets), scatter, cross, np.zeros(targets))

    @staticmethod
    def of(states: Floats, targets: Floats) -> Gram:
        """The Gram of states (T, N) and targets (T, m)."""
        return Sums.empty(states.shape[1], targets.shape[1]).take(states, targets).moments

    def __add__(self, other: Gram) -> Gram:
        """The Gram of the rows of both."""
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        count = self.count + other.count
        gap_x, gap_y = other.state_mean - self.state_mean, other.target_mean - self.target_mean
        share, weight = other.count / count, self.count * other.count / count
        scatter = np.add(self.scatter, other.scatter, order="F")
        return Gram(
            count,
            self.state_mean + share * gap_x,
            self.target_mean + share * gap_y,
            dsyrk(weight, gap_x[:, None], beta=1.0, c=scatter, lower=1, overwrite_c=1),
            self.cross + other.cross + weight * np.outer(gap_x, gap_y),
            self.target_scatter + other.target_scatter + weight * gap_y**2,
        )

    def with_scatter(self, other: Gram, scale: float) -> Gram:
        """This Gram with scale² times the scatter of another, as `Triangle.with_scatter`."""
        weight = scale * scale
        return Gram(
            self.count,
            self.state_mean,
            self.target_mean,
            np.asfortranarray(self.scatter + weight * other.scatter),
            self.cross + weight * other.cross,
            self.target_scatter + weight * other.target_scatter,
        )

    def every(self, stride: int) -> Gram:
        """The Gram of every `stride`-th state only."""
        kept = slice(None, None, stride)
        scatter = np.asfortranarray(self.scatter[kept, kept])
        return Gram(
            self.count,
            self.state_mean[kept],
            self.target_mean,
            scatter,
            self.cross[kept],
            self.target_scatter,
        )

    @property
    def trace(self) -> float:
        """Σ |x - x̄|², the unit in which penalties are chosen."""
        return float(np.trace(self.scatter))


class Sums:
    """A Gram that grows in place, block by block, without a second N × N matrix."""

    def __init__(self, moments: Gram) -> None:
        self.moments = moments
        # The centred rows. They are reused: new memory for each block takes as long as the
        # centring.
        self._rows: list[Floats] = []

    @staticmethod
    def empty(states: int, targets: int) -> Sums:
        """The sums of no rows."""
        return Sums(Gram.empty(states, targets))

    def copy(self) -> Sums:
        """A copy that grows independently."""
        return Sums(
            Gram(
                self.moments.count,
                *(
                    value.copy(order="K")
                    for name, value in vars(self.moments).items()
                    if name != "count"
                ),
            )
        )

    def take(self, states: Floats, targets: Floats) -> Sums:
        """Add states (T, N) and targets (T, m); this changes the arrays of `moments`."""
        _validation.same_length("targets", targets, "states", states)
        states, targets = (np.require(part, requirements=["C", "W"]) for part in (states, targets))
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, len(states), block := block_rows(states.shape[1])):
                self._take_block(states[first : first + block], targets[first : first + block])
            self._check_finite(states, targets)
        return self

    def _check_finite(self, states: Floats, targets: Floats) -> None:
        """Require that no square has overflowed.

        Then no product has overflowed either, because |C_ij|² <= S_ii V_j.
        """
        squares = self.moments.scatter.diagonal(), self.moments.target_scatter
        if not np.isfinite(squares[0].sum() + squares[1].sum()) and not all(
            np.isfinite(part).all() for part in squares
        ):
            largest = max(float(np.abs(part).max(initial=0.0)) for part in (states, targets))
            raise BadInput(
                "states and targets must have squares that fit into a float, got values up to "
                f"{largest:.3g}; scale them down"
            )

    def _take_block(self, states: Floats, targets: Floats) -> None:
        """Add the centred rows, and one more row for the gap between the old mean and the new."""
        old, rows = self.moments, len(states)
        count = old.count + rows
        weight, share = np.sqrt(old.count * rows / count), rows / count
        x, y = self._workspace(states, targets)
        kernels.centre(states, old.state_mean, weight, share, x)
        kernels.centre(targets, old.target_mean, weight, share, y)
        scatter = dsyrk(1.0, x.T, beta=1.0, c=old.scatter, lower=1, overwrite_c=1)
        cross = dgemm(1.0, x.T, y.T, beta=1.0, c=old.cross, trans_b=1, overwrite_c=1)
        target_scatter = old.target_scatter + np.einsum("ij,ij->j", y, y)
        self.moments = Gram(count, old.state_mean, old.target_mean, scatter, cross, target_scatter)

    def _workspace(self, *parts: Floats) -> list[Floats]:
        if not self._rows or len(self._rows[0]) <= len(parts[0]):
            self._rows = [np.empty((len(part) + 1, part.shape[1])) for part in parts]
        return [rows[: len(part) + 1] for rows, part in zip(self._rows, parts, strict=True)]
