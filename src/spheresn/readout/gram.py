"""Everything that least squares needs to know of any number of states, in the memory of one N × N
matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dgemm, dsyrk

from .. import _validation, kernels
from .._validation import BadInput, Floats


def block_rows(states: int) -> int:
    """Rows to take at a time: a block of a megabyte stays in the inner caches from one pass over it
    to the next.
    """
    return min(max(2**17 // states, 128), 1024)


@dataclass(frozen=True, eq=False)
class Gram:
    """Scatter about the mean, S = Σ (x - x̄)(x - x̄)ᵀ, C = Σ (x - x̄)(y - ȳ)ᵀ, V = Σ (y - ȳ)², of
    `count` rows; always float64.

    Two of them add up to that of all rows together [CHA83], so a long series is taken in pieces and
    a fit spreads over machines. Centring piece by piece keeps the digits that Σ x xᵀ - n x̄ x̄ᵀ
    would cancel. Only the lower triangle of `scatter` is filled.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> whole, parts = Gram.of(x, 3 * x), Gram.of(x[:1], 3 * x[:1]) + Gram.of(x[1:], 3 * x[1:])
    >>> [(gram.count, gram.scatter.round(12).tolist(), gram.cross.round(12).tolist()) for gram in (whole, parts)]
    [(3, [[2.0]], [[6.0]]), (3, [[2.0]], [[6.0]])]
    """

    count: int
    state_mean: Floats
    target_mean: Floats
    scatter: Floats
    cross: Floats
    target_scatter: Floats

    @staticmethod
    def empty(states: int, targets: int) -> Gram:
        """Of no rows."""
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
        """Of states (T, N) and targets (T, m)."""
        return Sums.empty(states.shape[1], targets.shape[1]).take(states, targets).gram

    def __add__(self, other: Gram) -> Gram:
        """Of the rows of both."""
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

    def every(self, stride: int) -> Gram:
        """Of every `stride`-th state alone."""
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
        """Σ |x - x̄|², the natural unit of a penalty."""
        return float(np.trace(self.scatter))


class Sums:
    """A Gram matrix that grows in place, block by block, so that no second N × N matrix is
    needed.
    """

    def __init__(self, gram: Gram) -> None:
        self.gram = gram
        # Centred; fresh memory for each block would cost as much as the centring
        self._rows: list[Floats] = []

    @staticmethod
    def empty(states: int, targets: int) -> Sums:
        """Of no rows."""
        return Sums(Gram.empty(states, targets))

    def copy(self) -> Sums:
        """One that can go on by itself."""
        return Sums(
            Gram(
                self.gram.count,
                *(
                    value.copy(order="K")
                    for name, value in vars(self.gram).items()
                    if name != "count"
                ),
            )
        )

    def take(self, states: Floats, targets: Floats) -> Sums:
        """Take in states (T, N) and targets (T, m); this changes the arrays of `gram`."""
        _validation.same_length("targets", targets, "states", states)
        states, targets = (np.require(part, requirements=["C", "W"]) for part in (states, targets))
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, len(states), block := block_rows(states.shape[1])):
                self._take_block(states[first : first + block], targets[first : first + block])
            self._judge(states, targets)
        return self

    def _judge(self, states: Floats, targets: Floats) -> None:
        """No square may have left the range of numbers; no product has where the squares have not
        (|C_ij|² <= S_ii V_j).
        """
        squares = self.gram.scatter.diagonal(), self.gram.target_scatter
        if not np.isfinite(squares[0].sum() + squares[1].sum()) and not all(
            np.isfinite(part).all() for part in squares
        ):
            largest = max(float(np.abs(part).max(initial=0.0)) for part in (states, targets))
            raise BadInput(
                "states and targets must have squares that fit into a float, got values up to "
                f"{largest:.3g}; scale them down"
            )

    def _take_block(self, states: Floats, targets: Floats) -> None:
        """Centred rows, and one row more that stands for the distance of the block's mean from that
        of the rows before it.
        """
        old, rows = self.gram, len(states)
        count = old.count + rows
        weight, share = np.sqrt(old.count * rows / count), rows / count
        x, y = self._room(states, targets)
        kernels.centre_rows(states, old.state_mean, weight, share, x)
        kernels.centre_rows(targets, old.target_mean, weight, share, y)
        scatter = dsyrk(1.0, x.T, beta=1.0, c=old.scatter, lower=1, overwrite_c=1)
        cross = dgemm(1.0, x.T, y.T, beta=1.0, c=old.cross, trans_b=1, overwrite_c=1)
        target_scatter = old.target_scatter + np.einsum("ij,ij->j", y, y)
        self.gram = Gram(count, old.state_mean, old.target_mean, scatter, cross, target_scatter)

    def _room(self, *parts: Floats) -> list[Floats]:
        if not self._rows or len(self._rows[0]) <= len(parts[0]):
            self._rows = [np.empty((len(part) + 1, part.shape[1])) for part in parts]
        return [rows[: len(part) + 1] for rows, part in zip(self._rows, parts, strict=True)]
