"""The shortest pre-activation on a sphere: min |W x + u| over |x| = r, exact, for many u from one
singular value decomposition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._scale import power_of_two
from .._validation import Floats
from ..reservoir import Reservoir

ITERATIONS = 100
TOLERANCE = 1e-13
CHUNK = 256  # inputs at a time
NOTHING = 1e-100  # beside 1: a sphere that W maps so near to zero leaves |u| as it is


@dataclass(frozen=True, eq=False)
class Decomposition:
    """W = U Σ Vᵀ: the part of it that lengths of W x + u depend on."""

    left: Floats
    singular_values: Floats

    @property
    def largest(self) -> float:
        return float(self.singular_values[0])

    @property
    def smallest(self) -> float:
        return float(self.singular_values[-1])

    @property
    def invertible(self) -> bool:
        return bool(self.smallest > len(self.left) * np.finfo(float).eps * self.largest)


def decompose(reservoir: Reservoir) -> Decomposition:
    """The singular value decomposition of W."""
    left, values, _ = np.linalg.svd(reservoir.recurrent.toarray().astype(np.float64))
    return Decomposition(left, values)


def shortest(parts: Decomposition, vectors: Floats, radius: float) -> Floats:
    """m_k = min over |x| = r of |W x + u_k|, for vectors u (T, N) -> (T,).

    With c = Uᵀu the minimum is the largest value of the concave g(μ) = Σ c_i² μ/(σ_i² + μ) - μ r²
    over μ >= -σ_min²: weak duality makes every g(μ) a lower bound of m², so a μ found to rounding
    is still a proof. The stationary point solves the secular equation Σ σ_i² c_i²/(σ_i² + μ)² = r²
    [MOR83]; when it has no root above -σ_min² (the hard case: no c along the weakest direction),
    the maximum is at the edge.
    """
    own = power_of_two(parts.singular_values)
    values, reach = parts.singular_values / own, radius * own
    lengths = np.empty(len(vectors))
    for k in range(0, len(vectors), CHUNK):
        some = vectors[k : k + CHUNK]
        units = np.array([power_of_two(np.append(row, reach)) for row in some])
        lengths[k : k + CHUNK] = units * _shortest(
            values, some / units[:, None] @ parts.left, np.maximum(reach / units, NOTHING)
        )
    return lengths


def _shortest(values: Floats, c: Floats, radius: Floats) -> Floats:
    """For one radius per row, everything at most about one."""
    squares = values**2
    edge = -squares[-1]
    weights = squares * c**2
    total = np.sqrt(weights.sum(axis=1))
    low = np.maximum(edge, total / radius - squares[0])
    high = np.maximum(total / radius + edge, low)
    mu = high
    for _ in range(ITERATIONS):
        value, slope = _secular(weights, squares, mu)
        low, high = np.where(value > radius**2, mu, low), np.where(value > radius**2, high, mu)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Newton on 1/√value, which is nearly straight
            newton = mu + 2.0 * (np.sqrt(value) / radius - 1.0) * value / -slope
        moved = np.where((newton > low) & (newton < high), newton, 0.5 * (low + high))
        done = np.abs(moved - mu) <= TOLERANCE * (np.abs(mu) + squares[0])
        mu = moved
        if done.all():
            break
    # On the far side of the pole, if μ has come too near
    beside = mu + 2 * TOLERANCE * (np.abs(mu) + squares[0])
    bounds = [_dual(squares, c, at, radius) for at in (mu, beside, high)]
    return np.asarray(np.sqrt(np.maximum(np.max(bounds, axis=0), 0.0)))


def _secular(weights: Floats, squares: Floats, mu: Floats) -> tuple[Floats, Floats]:
    """Σ w_i/(σ_i² + μ)² and its slope, with 0/0 = 0: no weight, no pole."""
    gap = squares + mu[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(weights > 0.0, weights / gap**2, 0.0)
        slopes = np.where(weights > 0.0, -2.0 * terms / gap, 0.0)
    return terms.sum(axis=1), slopes.sum(axis=1)


def _dual(squares: Floats, c: Floats, mu: Floats, radius: Floats) -> Floats:
    """g(μ), a lower bound of m² for every μ >= -σ_min²; c_i² where σ_i = μ = 0."""
    gap = squares + mu[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(c == 0.0, 0.0, c**2 * np.where(squares == 0.0, 1.0, mu[:, None] / gap))
    return np.asarray(share.sum(axis=1) - mu * radius**2)
