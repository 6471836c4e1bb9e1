"""Readouts for every step ahead, by least squares or by least absolute deviations, from sums.

Sums of parts are added: a readout of many blocks is that of all their rows. Least absolute
deviations are least squares with weights 1/|error| of the round before [SCH73].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._validation import Floats
from .defaults import PANEL_DEFAULTS


@dataclass(frozen=True, eq=False)
class Features:
    """Inputs of readouts: shared (N, p) by all steps, and those of each step (H, N, q)."""

    shared: Floats
    beside: Floats

    def at(self, step: int) -> Floats:
        """The inputs (N, p + q) of one step."""
        return np.hstack([self.shared, self.beside[step]]) if self.beside.size else self.shared

    def applied(self, weights: Floats) -> Floats:
        """The forecasts (N, H) by weights (H, p + q)."""
        if not self.beside.size:
            return np.asarray(self.shared @ weights.T)
        return np.stack([self.at(step) @ one for step, one in enumerate(weights)], axis=1)


@dataclass(frozen=True, eq=False)
class StepSums:
    """Σ w x x' (H, p, p) and Σ w x y (H, p) for every step ahead.

    >>> part = Features(np.array([[1.0]]), np.zeros((1, 1, 0)))
    >>> one = StepSums.of(part, np.array([[2.0]]), np.array([[1.0]]))
    >>> (one + one).cross.tolist()
    [[4.0]]
    """

    square: Floats
    cross: Floats

    @staticmethod
    def of(features: Features, target: Floats, weight: Floats) -> StepSums:
        """Of features and targets (N, H) with weights (N, H); where a target is NaN it is zero."""
        known = np.where(np.isnan(target), 0.0, target)
        roots = np.sqrt(np.where(np.isnan(target), 0.0, weight))
        squares, crosses = [], []
        for step in range(target.shape[1]):
            weighted = features.at(step) * roots[:, step, None]
            squares.append(weighted.T @ weighted)  # symmetric: half of the products are made
            crosses.append(weighted.T @ (roots[:, step] * known[:, step]))
        return StepSums(np.array(squares), np.array(crosses))

    @staticmethod
    def weighted(features: Features, target: Floats, weights: Floats | None) -> StepSums:
        """Plain sums without weights (H, p) of a readout; else those whose squares are the absolute
        errors of that readout.
        """
        if weights is None:
            return StepSums.of(features, target, np.ones_like(target))
        return StepSums.of(features, target, nearness(target - features.applied(weights)))

    def __add__(self, other: StepSums) -> StepSums:
        return StepSums(self.square + other.square, self.cross + other.cross)

    def solve(self, share: float) -> Floats:
        """The weights (H, p) with a penalty that is a share of the mean square of a feature; the
        first feature is the constant, which is not penalised.
        """
        count = self.square.shape[1]
        trace = np.trace(self.square, axis1=1, axis2=2) / count
        tiny = np.finfo(float).eps * trace + np.finfo(float).tiny
        penalty = np.zeros_like(self.square)
        places = np.arange(1, count)
        penalty[:, places, places] = (share * trace + tiny)[:, None]
        penalty[:, 0, 0] = tiny
        return np.asarray(np.linalg.solve(self.square + penalty, self.cross[..., None])[..., 0])


def nearness(errors: Floats) -> Floats:
    """1/|error|, bounded, so that weighted squares are absolute errors; NaN stays NaN.

    >>> nearness(np.array([[2.0]])).tolist()
    [[0.5]]
    """
    return np.asarray(1.0 / np.maximum(np.abs(errors), PANEL_DEFAULTS.smallest_error))


Summed = Callable[[Floats | None], StepSums]


def least_deviations(summed: Summed, share: float, rounds: int) -> Floats:
    """The weights (H, p) of least absolute deviations, from those of least squares on.

    summed: gives the sums of all rows, weighted by the errors of the weights that it gets.
    """
    weights = summed(None).solve(share)
    for _ in range(rounds):
        weights = summed(weights).solve(share)
    return weights
