"""Proofs of the echo state property, and proofs of its absence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import sphere
from .._errors import StateOverflow
from .._numerics import power_of_two
from .._validation import Floats
from ..activations import Linear, OnSphere, Tanh
from ..reservoir import Reservoir
from ..topology import Rotation, Shift, spectral_radius
from ._secular import Decomposition, decompose, shortest

TIE = 1e-9  # of the tolerance: less does not count as longer than it
MOST_SQUARES = 60  # of a matrix: beyond 2⁵⁹ steps nothing is forgotten in practice
LARGEST_POWERS = 1000  # units: the powers of larger matrices take too long


@dataclass(frozen=True, eq=False)
class Proof:
    """A verdict with its reason; for a certificate also the log contraction per step.

    rate: its mean, for a linear network in the limit of many steps; contraction (T,): its running
    sum. washout: the number of steps, where it follows from more than these.
    """

    verdict: str
    reason: str
    rate: float | None = None
    contraction: Floats | None = None
    washout: float | None = None


def prove(reservoir: Reservoir, rows: Floats, tolerance: float) -> Proof | None:
    """A proof or a refutation for the built-in activations, or None."""
    with np.errstate(over="ignore", invalid="ignore"):
        drives = rows.astype(np.float64) @ reservoir.inputs.T.astype(np.float64) + reservoir.bias
    if not np.isfinite(drives).all():
        raise StateOverflow("the input left the range of its floating point type; lower its scale")
    if type(reservoir.activation) is OnSphere:
        return _on_sphere(reservoir, reservoir.activation, drives)
    if type(reservoir.activation) is Tanh:
        return _tanh(reservoir, drives)
    return _linear(reservoir, tolerance) if type(reservoir.activation) is Linear else None


def _on_sphere(reservoir: Reservoir, activation: OnSphere, drives: Floats) -> Proof | None:
    """Three proofs for the sphere.

    If the step is an odd map, antipodes stay apart; this holds with and without bend and leak. The
    other two proofs are for steps without leak. They use that bending is one to one on the sphere
    (along each ray of z the length of the unbent vector grows, so it is √N at one point only) and
    lengthens tangents at most by √(1 + bend² N).
    """
    if not drives.any():
        return Proof(
            "refuted",
            "without input and bias the map is odd, so a state and its antipode stay 2r apart for "
            "ever",
        )
    if reservoir.leak < 1.0:
        return None
    parts, radius = decompose(reservoir), float(activation.radius)
    if parts.invertible and _reach(parts, drives) < radius:
        reason = (
            f"|W⁻¹u_k| <= {_reach(parts, drives):.4g} < r = {radius:.4g} for all k: every step "
            "maps the sphere onto itself one to one"
        )
        return Proof("refuted", reason)
    gain = radius * parts.largest * np.sqrt(1.0 + activation.bend**2 * reservoir.units)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(gain) - np.log(shortest(parts, drives, radius))
    if not logs.mean() < 0.0:
        return None
    return Proof(
        "certified",
        f"mean log r σ_max/m_k = {logs.mean():.4g} < 0 along the signal",
        float(logs.mean()),
        logs.cumsum(),
    )


def _reach(parts: Decomposition, drives: Floats) -> float:
    """max_k |W⁻¹ u_k|."""
    unit = power_of_two(drives)
    return unit * float(sphere.norms(drives / unit @ parts.left / parts.singular_values).max())


def _tanh(reservoir: Reservoir, drives: Floats) -> Proof | None:
    """tanh lengthens no vector: a step multiplies distances by at most 1 - leak + leak σ_max."""
    largest = float(np.linalg.norm(reservoir.recurrent.toarray().astype(np.float64), 2))
    factor = 1.0 - reservoir.leak + reservoir.leak * largest
    if largest < 1.0:
        log = float(np.log(factor)) if factor > 0.0 else -np.inf
        return Proof(
            "certified",
            f"every step contracts by {factor:.4g} = 1 - leak + leak σ_max",
            log,
            log * np.arange(1.0, len(drives) + 1),
        )
    if not drives.any() and _effective_radius(reservoir) > 1.0:
        return Proof(
            "refuted",
            "without input and bias zero is a fixed point, and unstable: the linear part has "
            "spectral radius above 1",
        )
    return None


def _linear(reservoir: Reservoir, tolerance: float) -> Proof | None:
    """Differences obey d_k = A d_{k-1}, A = (1 - leak) I + leak W, whatever the input.

    A spectral radius below 1 makes them vanish in the end, though they may grow before. The
    powers of A give the time that it takes: |d_k| <= |Aᵏ| |d_0|, attained for some start.
    """
    radius = _effective_radius(reservoir)
    if radius >= 1.0:
        return Proof(
            "refuted",
            f"differences are multiplied by a matrix of spectral radius {radius:.4g} >= 1 and "
            "need not vanish",
        )
    washout = _structured_washout(reservoir, tolerance)
    if washout is None and reservoir.units > LARGEST_POWERS:
        washout = np.inf
    elif washout is None:
        washout = _first_short_power(_step_matrix(reservoir), tolerance)
    if washout is None:
        return None
    log = float(np.log(radius)) if radius > 0.0 else -np.inf
    reason = f"differences are multiplied by a matrix of spectral radius {radius:.4g} < 1"
    if np.isinf(washout):
        reason += f"; its powers were not computed, as it has more than {LARGEST_POWERS} units"
    return Proof("certified", reason, log, washout=washout)


def _structured_washout(reservoir: Reservoir, tolerance: float) -> float | None:
    """The washout of a ring, a delay line or rotations, W = weight · Q, without forming powers.

    |A| <= 1 - leak + leak |weight|. Without leak a delay line has Wᴺ = 0, and |Wᵏ| = |weight|ᵏ
    before.
    """
    recurrent = reservoir.recurrent
    if not isinstance(recurrent, Shift | Rotation):
        return None
    length = 1.0 - reservoir.leak + reservoir.leak * abs(recurrent.weight)
    last = reservoir.units if reservoir.leak == 1.0 and recurrent.spectral_radius() == 0.0 else None
    if length >= 1.0:
        return last
    with np.errstate(divide="ignore"):
        steps = max(int(np.ceil((np.log(tolerance) + TIE) / np.log(length))), 1)
    return steps if last is None else min(steps, last)


def _first_short_power(matrix: Floats, tolerance: float) -> int | None:
    """A k with |Aᵏ| <= tolerance < |Aᵏ⁻¹|; None if rounding keeps the powers from vanishing.

    Squares A² A⁴ A⁸ ... end the search from above, and halving the interval finds k.
    """
    powers = [matrix]
    with np.errstate(over="ignore", invalid="ignore"):
        while not _is_short(powers[-1], tolerance):
            if len(powers) == MOST_SQUARES or not np.isfinite(powers[-1]).all():
                return None
            powers.append(powers[-1] @ powers[-1])
    steps, product = 0, np.eye(len(matrix))
    for m in range(len(powers) - 2, -1, -1):
        longer = product @ powers[m]
        if not _is_short(longer, tolerance):
            steps, product = steps + 2**m, longer
    return steps + 1


def _is_short(matrix: Floats, tolerance: float) -> bool:
    """|A| <= tolerance. Most matrices are judged by bounds, which cost less than the length."""
    limit, bound = tolerance * (1.0 + TIE), float(np.linalg.norm(matrix))
    if bound <= limit or not bound / np.sqrt(len(matrix)) <= limit:
        return bound <= limit
    return bool(np.linalg.norm(matrix, 2) <= limit)


def _step_matrix(reservoir: Reservoir) -> Floats:
    matrix: Floats = reservoir.recurrent.toarray().astype(np.float64)
    if reservoir.leak == 1.0:
        return matrix
    return np.asarray(reservoir.leak * matrix + (1.0 - reservoir.leak) * np.eye(reservoir.units))


def _effective_radius(reservoir: Reservoir) -> float:
    if reservoir.leak == 1.0:
        return float(reservoir.recurrent.spectral_radius())
    return spectral_radius(_step_matrix(reservoir))
