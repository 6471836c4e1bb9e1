"""The sphere of radius r in R^N: projection and its derivative, tangents, distances, points."""

from __future__ import annotations

import numpy as np

from ._errors import NoDirection, StateOverflow
from ._validation import Floats

# Squares of numbers outside this range may overflow or underflow; such vectors are first divided by
# their largest entry.
SAFE_LOW, SAFE_HIGH = 1e-140, 1e140


def norm(vector: Floats) -> float:
    """|a|, without overflow or underflow of the squares.

    >>> round(norm(np.array([3e200, 4e200])) / 1e200, 9)
    5.0
    """
    largest = float(np.abs(vector).max(initial=0.0))
    if (
        largest == 0.0
        or not np.isfinite(largest)
        or (vector.dtype == np.float64 and SAFE_LOW < largest < SAFE_HIGH)
    ):
        return float(np.linalg.norm(vector)) if np.isfinite(largest) else np.inf
    return largest * float(np.linalg.norm(vector.astype(np.float64) / largest))


def norms(rows: Floats) -> Floats:
    """|a| of every row (T, N), without overflow or underflow of the squares.

    >>> norms(np.array([[3.0, 4.0], [3e200, 4e200]])) / [1.0, 1e200]
    array([5., 5.])
    """
    largest = np.abs(rows).max(axis=1, initial=0.0)
    scale = np.where((largest > SAFE_LOW) & (largest < SAFE_HIGH) | (largest == 0.0), 1.0, largest)
    return np.asarray(scale * np.linalg.norm(rows / scale[:, None], axis=1))


def unit(vector: Floats) -> Floats:
    """a/|a|; the zero vector has no direction and raises NoDirection.

    >>> unit(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """
    length = norm(vector)
    if length == 0.0:
        raise NoDirection(
            "a zero vector has no direction, so it cannot be projected onto the sphere; add a "
            "bias or start elsewhere"
        )
    if not np.isfinite(vector).all():
        raise StateOverflow(
            "a vector with an infinite entry cannot be projected onto the sphere; lower its scale"
        )
    kind = np.finfo(vector.dtype)
    # The length of a float32 vector may exceed the range of float32
    if not float(kind.tiny) <= length <= float(kind.max):
        return unit(vector / np.abs(vector).max())
    return np.asarray(vector / vector.dtype.type(length))


def project(vector: Floats, radius: float = 1.0) -> Floats:
    """r a/|a|, the nearest point of the sphere. [VAL19, eqn:new_activation]

    >>> project(np.array([3.0, 4.0]), radius=10.0)
    array([6., 8.])
    """
    return np.asarray(radius * unit(vector), dtype=vector.dtype)


def project_pushforward(vector: Floats, tangents: Floats, radius: float = 1.0) -> Floats:
    """Derivative of `project` at a: (r/|a|)(v - â(â·v)), for one v (N,) or columns (N, k).

    The printed Jacobian has an element-wise product in place of this matrix product [VAL19,
    eqn:jacobian]. In the example the part of v along a vanishes, and the rest is divided by |a|.

    >>> project_pushforward(np.array([0.0, 2.0]), np.array([1.0, 5.0]))
    array([0.5, 0. ])
    """
    along = tangent(vector, tangents)
    with np.errstate(over="ignore"):
        gain = np.float64(radius) / norm(vector)
    if not np.isfinite(gain):
        raise StateOverflow(
            f"the derivative of a projection, r/|a|, overflows at |a| = {norm(vector):.3g}; add a "
            "bias or start elsewhere"
        )
    return np.asarray(along * gain, dtype=vector.dtype)


def tangent(point: Floats, vectors: Floats) -> Floats:
    """The part of v (N,) or (N, k) orthogonal to the point: v - x̂(x̂·v).

    >>> tangent(np.array([0.0, 2.0]), np.array([1.0, 5.0]))
    array([1., 0.])
    """
    direction = unit(point)
    return np.asarray(
        vectors - np.multiply.outer(direction, direction @ vectors), dtype=point.dtype
    )


def geodesic_distance(one: Floats, other: Floats, radius: float = 1.0) -> float:
    """Length of the shortest arc between the directions of two points: r·2 atan2(|x̂-ŷ|, |x̂+ŷ|).

    Unlike arccos(x̂·ŷ) it keeps all digits for near and for nearly opposite points. The example is a
    quarter of a circle.

    >>> geodesic_distance(np.array([1.0, 0.0]), np.array([0.0, 3.0]), radius=2.0) / np.pi
    1.0
    """
    x, y = unit(one), unit(other)
    return float(radius * 2.0 * np.arctan2(np.linalg.norm(x - y), np.linalg.norm(x + y)))


def random_point(units: int, rng: np.random.Generator, radius: float = 1.0) -> Floats:
    """A point drawn uniformly from the sphere of `radius` in R^units.

    >>> round(norm(random_point(100, np.random.default_rng(0), radius=2.0)), 12)
    2.0
    """
    return project(rng.standard_normal(units), radius)
