"""The estimate of a state: its mean, and a factor of its covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, svd

from .._validation import Floats


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean (n,) and a factor S (n, r) of the covariance S Sᵀ.

    A covariance in this form is symmetric and never negative, whatever is rounded, and a factor of
    few columns stands for a large covariance of low rank [VER97].

    >>> known = Estimate(np.zeros(2), np.diag([3.0, 4.0]))
    >>> known.covariance.tolist(), known.deviations.tolist()
    ([[9.0, 0.0], [0.0, 16.0]], [3.0, 4.0])
    """

    mean: Floats
    factor: Floats

    @property
    def covariance(self) -> Floats:
        """S Sᵀ (n, n)."""
        return np.asarray(self.factor @ self.factor.T)

    @property
    def deviations(self) -> Floats:
        """The deviation of each component (n,)."""
        return np.asarray(np.sqrt(np.square(self.factor).sum(axis=1)))

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """States (count, n) drawn from the normal distribution with this mean and covariance."""
        drawn = rng.standard_normal((count, self.factor.shape[1]))
        return np.asarray(self.mean + drawn @ self.factor.T)


def principal_axes(factor: Floats) -> Floats:
    """Axes V (c, c) with which S V has orthogonal columns, the longest first, and the same S Sᵀ.

    >>> np.abs(np.array([[3.0, 4.0]]) @ principal_axes(np.array([[3.0, 4.0]]))).round(12)
    array([[5., 0.]])
    """
    triangle = qr(factor, mode="r", check_finite=False)[0][: factor.shape[1]]
    return np.asarray(svd(triangle, check_finite=False)[2].T)
