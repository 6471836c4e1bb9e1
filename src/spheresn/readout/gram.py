"""Everything that least squares needs to know of any number of states, in the memory of one N × N matrix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyrk

from .. import _checks
from .._checks import Floats

BLOCK = 1024  # rows; a block of 500 states stays in the outer cache between its two products


@dataclass(frozen=True, eq=False)
class Gram:
    """Scatter about the mean, S = Σ (x - x̄)(x - x̄)ᵀ, C = Σ (x - x̄)(y - ȳ)ᵀ, V = Σ (y - ȳ)², of `count` rows; always float64.

    Two of them add up to that of all rows together [CHA83], so a long series is taken in pieces and a fit spreads over machines.
    Centring piece by piece keeps the digits that Σ x xᵀ - n x̄ x̄ᵀ would cancel. Only the lower triangle of `scatter` is filled.
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
        scatter = np.zeros((states, states), order="F")
        return Gram(0, np.zeros(states), np.zeros(targets), scatter, np.zeros((states, targets)), np.zeros(targets))

    @staticmethod
    def of(states: Floats, targets: Floats) -> Gram:
        """Of states (T, N) and targets (T, m)."""
        _checks.same_length("targets", targets, "states", states)
        total = Gram.empty(states.shape[1], targets.shape[1])
        for first in range(0, len(states), BLOCK):
            total = total + _of_block(states[first : first + BLOCK], targets[first : first + BLOCK])
        return total

    @staticmethod
    def total(parts: Iterable[Gram]) -> Gram:
        """The sum in the order given, so that it does not depend on who computed the parts."""
        first, *rest = parts
        for part in rest:
            first = first + part
        return first

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

    @property
    def trace(self) -> float:
        """Σ |x - x̄|², the natural unit of a penalty."""
        return float(np.trace(self.scatter))


def _of_block(states: Floats, targets: Floats) -> Gram:
    x, y = (np.asarray(rows, dtype=np.float64) for rows in (states, targets))
    state_mean, target_mean = x.mean(axis=0), y.mean(axis=0)
    x, y = x - state_mean, y - target_mean
    return Gram(len(x), state_mean, target_mean, dsyrk(1.0, x.T, lower=1), x.T @ y, np.einsum("ij,ij->j", y, y))
