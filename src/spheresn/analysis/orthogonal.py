"""What is proved for W = ρQ with Q orthogonal: bounds of the exponent, and forgetting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import lambertw

from .. import _validation, sphere
from .._errors import BadInput
from ..driving import drive
from ..reservoir import Reservoir
from ._common import Signal, after_transient, input_rows, start_state
from .decomposition import plain_radius, positive
from .isotropic import length_law


@dataclass(frozen=True)
class ExponentBounds:
    """lower <= λ_1 <= upper, from the norm factors and the angles along one trajectory.

    >>> ExponentBounds(lower=-0.2, upper=-0.1)
    ExponentBounds(lower=-0.2, upper=-0.1)
    """

    lower: float
    upper: float


def exponent_bounds(
    reservoir: Reservoir,
    signal: Signal,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> ExponentBounds:
    """Bounds of the maximal exponent for W = ρQ, Q orthogonal, and any input (theory, Theorem 3).

    upper = log r ρ - ⟨log N_k⟩, the paper's memory law with a geometric mean [VAL19, eqn:impact];
    lower = upper + ⟨log|cos φ_k|⟩/(N - 1), φ_k the angle between W x_{k-1} and x_k. For N = 2 the
    exponent is the lower bound.

    >>> import spheresn as sn
    >>> from spheresn.analysis import max_lyapunov
    >>> reservoir = sn.random_reservoir(50, topology="rotation", spectral_radius=15.0, rng=0)
    >>> signal = sn.datasets.white_noise(2000, rng=0)
    >>> bounds = exponent_bounds(reservoir, signal)
    >>> bounds.lower < max_lyapunov(reservoir, signal).exponent < bounds.upper
    True
    """
    radius = plain_radius(reservoir)
    if reservoir.units < 2:
        raise BadInput(
            "reservoir must have at least 2 units, got 1; the sphere of one unit is two points"
        )
    scale = radius * _multiple(reservoir)
    rows = input_rows(reservoir, signal)
    skipped = after_transient(rows, transient)
    first = start_state(reservoir, start, _validation.generator(rng))
    states = drive(reservoir, rows, first)
    before = np.vstack([first[None], states[:-1]])[skipped:]
    turned = reservoir.recurrent.matvec(before.T).T
    drives = rows[skipped:] @ reservoir.inputs.T + reservoir.bias
    norms = positive(sphere.norms((turned + drives).astype(np.float64)))
    upper = float(np.log(scale) - np.log(norms).mean())
    cosines = np.abs(np.einsum("ki,ki->k", turned, states[skipped:])) / (scale * radius)
    with np.errstate(divide="ignore"):
        logs = np.log(np.minimum(cosines, 1.0))
    return ExponentBounds(upper + float(logs.mean()) / (reservoir.units - 1), upper)


def forgetting_rate(
    lengths: ArrayLike, scale: float = 1.0, weights: ArrayLike | None = None
) -> float:
    """-E log| |u|/(r ρ) - 1 |: if negative, all trajectories meet almost surely (Theorem 4).

    For W = ρQ, Q orthogonal, and independent inputs of one law (or stationary ergodic ones): the
    diameter of the set of all possible states shrinks at least at this rate, whatever the
    directions of the inputs. If it is not negative, nothing is said. A proof needs the law of the
    lengths, as values with `weights`; for samples of it the rate is an estimate, with a standard
    error of the deviation of log| |u|/(r ρ) - 1 | over √m. The arguments are those of
    `isotropic_exponents`.

    >>> round(forgetting_rate(np.e + 1.0), 12)
    -1.0
    """
    ratios, shares = length_law(lengths, scale, weights)
    used = shares > 0
    with np.errstate(divide="ignore"):
        return float(0.0 - shares[used] @ np.log(np.abs(ratios[used] - 1.0)))


def uniform_noise_threshold() -> float:
    """The size |w| s_max/(r ρ) of uniform noise above which all trajectories meet: 4.591...

    For u_k = w s_k with s_k uniform in [-s_max, s_max], the rate of `forgetting_rate` is negative
    above 1 + t, where t log t = t + 1, so 1/t = W(1/e) with Lambert's function W.

    >>> round(uniform_noise_threshold(), 6)
    4.591121
    """
    return float(1.0 + 1.0 / lambertw(np.exp(-1.0)).real)


def _multiple(reservoir: Reservoir) -> float:
    """ρ, for W = ρQ with Q orthogonal."""
    matrix = reservoir.recurrent.toarray().astype(np.float64)
    rho = float(np.linalg.norm(matrix) / np.sqrt(len(matrix)))
    close = 1e-6 if reservoir.dtype == np.float32 else 1e-10
    if rho == 0.0 or np.abs(matrix.T @ matrix / rho**2 - np.eye(len(matrix))).max() > close:
        raise BadInput(
            "reservoir must have W = ρQ with Q orthogonal, got another W; use the topology "
            "'rotation' or 'ring', or `lyapunov_spectrum`"
        )
    return rho
