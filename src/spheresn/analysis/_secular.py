"""The shortest pre-activation on a sphere: the exact minimum of |W x + u| over |x| = r.

One singular value decomposition suffices for many u.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._numerics import power_of_two, powers_of_two
from .._validation import Floats
from ..reservoir import Reservoir

ROOT_STEPS = 100  # bisection alone needs about half as many for all 53 bits
ROOT_TOLERANCE = 1e-13  # relative, a little above rounding errors
INPUTS_AT_ONCE = 256  # inputs at a time
# Relative to 1. If W maps the sphere to vectors shorter than this, |W x + u| = |u|.
NEGLIGIBLE_LENGTH = 1e-100


@dataclass(frozen=True, eq=False)
class Decomposition:
    """U and Σ of W = U Σ Vᵀ: the lengths of W x + u do not depend on V."""

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

    With c = Uᵀu, m² is the maximum of the concave g(μ) = Σ c_i² μ/(σ_i² + μ) - μ r² over μ >=
    -σ_min². By weak duality every g(μ) is a lower bound of m², so the result is a proof even if μ
    has a rounding error. The stationary point solves the secular equation Σ σ_i² c_i²/(σ_i² + μ)² =
    r² [MOR83]. If that has no root above -σ_min² (the hard case: no c along the weakest direction),
    the maximum is at the edge.
    """
    own = power_of_two(parts.singular_values)
    values, reach = parts.singular_values / own, radius * own
    lengths = np.empty(len(vectors))
    for k in range(0, len(vectors), INPUTS_AT_ONCE):
        some = vectors[k : k + INPUTS_AT_ONCE]
        units = powers_of_two(np.maximum(np.abs(some).max(axis=1, initial=0.0), reach))
        lengths[k : k + INPUTS_AT_ONCE] = units * _shortest(
            values, some / units[:, None] @ parts.left, np.maximum(reach / units, NEGLIGIBLE_LENGTH)
        )
    return lengths


def _shortest(values: Floats, c: Floats, radius: Floats) -> Floats:
    """`shortest` for one radius per row, where all numbers are at most about one."""
    squares = values**2
    edge = -squares[-1]
    weights = squares * c**2
    total = np.sqrt(weights.sum(axis=1))
    low = np.maximum(edge, total / radius - squares[0])
    high = np.maximum(total / radius + edge, low)
    mu = high
    for _ in range(ROOT_STEPS):
        value, slope = _secular(weights, squares, mu)
        low, high = np.where(value > radius**2, mu, low), np.where(value > radius**2, high, mu)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Newton's method on 1/√value, which is nearly a straight line
            newton = mu + 2.0 * (np.sqrt(value) / radius - 1.0) * value / -slope
        moved = np.where((newton > low) & (newton < high), newton, 0.5 * (low + high))
        done = np.abs(moved - mu) <= ROOT_TOLERANCE * (np.abs(mu) + squares[0])
        mu = moved
        if done.all():
            break
    # `beside` is on the other side of the pole, in case μ is too near to it
    beside = mu + 2 * ROOT_TOLERANCE * (np.abs(mu) + squares[0])
    bounds = [_dual(squares, c, at, radius) for at in (mu, beside, high)]
    return np.asarray(np.sqrt(np.maximum(np.max(bounds, axis=0), 0.0)))


def _secular(weights: Floats, squares: Floats, mu: Floats) -> tuple[Floats, Floats]:
    """Σ w_i/(σ_i² + μ)² and its slope, with 0/0 = 0: a zero weight has no pole."""
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
