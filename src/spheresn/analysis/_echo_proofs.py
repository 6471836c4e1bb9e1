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
from ..topology import spectral_radius
from ._secular import Decomposition, decompose, shortest


@dataclass(frozen=True, eq=False)
class Proof:
    """A verdict with its reason; for a certificate also the log contraction per step.

    rate: its mean; contraction (T,): its running sum.
    """

    verdict: str
    reason: str
    rate: float | None = None
    contraction: Floats | None = None


def prove(reservoir: Reservoir, rows: Floats) -> Proof | None:
    """A proof or a refutation for the built-in activations, or None."""
    with np.errstate(over="ignore", invalid="ignore"):
        drives = rows.astype(np.float64) @ reservoir.inputs.T.astype(np.float64) + reservoir.bias
    if not np.isfinite(drives).all():
        raise StateOverflow("the input left the range of its floating point type; lower its scale")
    if type(reservoir.activation) is OnSphere:
        return _on_sphere(reservoir, reservoir.activation, drives)
    if type(reservoir.activation) is Tanh:
        return _tanh(reservoir, drives)
    return _linear(reservoir) if type(reservoir.activation) is Linear else None


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


def _linear(reservoir: Reservoir) -> Proof:
    """Differences obey d_k = A d_{k-1}, A = (1 - leak) I + leak W, whatever the input."""
    radius = _effective_radius(reservoir)
    if radius >= 1.0:
        return Proof(
            "refuted",
            f"differences are multiplied by a matrix of spectral radius {radius:.4g} >= 1 and "
            "need not vanish",
        )
    log = float(np.log(radius)) if radius > 0.0 else -np.inf
    return Proof(
        "certified",
        f"differences are multiplied by a matrix of spectral radius {radius:.4g} < 1",
        log,
    )


def _effective_radius(reservoir: Reservoir) -> float:
    if reservoir.leak == 1.0:
        return float(reservoir.recurrent.spectral_radius())
    matrix = reservoir.leak * reservoir.recurrent.toarray().astype(np.float64)
    return spectral_radius(matrix + (1.0 - reservoir.leak) * np.eye(reservoir.units))
