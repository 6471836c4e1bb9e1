"""Roughly how strong the drive of a network is at a memory, from its settings alone.

Nothing is measured. A search compares its candidates at these strengths, and calibration starts
from them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import brentq

from .calibration import Point

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)  # means over a normal variable
STRONGEST_DEVIATION = 50.0  # of a pre-activation; tanh is a sign there
MOST_FADED = (
    60.0  # twice the e-folds that a trace may lose in a step; its square is beyond rounding
)
# Of a tanh network, 1 - radius²: at a radius above one, saturation holds the state
LEAST_LOSS = 0.05


def sphere_point(memory: float, ratio: float, leak: float, gain: float = 1.0) -> Point | None:
    """The strength s of a spherical network, and its exponent and slope there.

    A step adds to W x, of length `gain`, a drive of length s √(1 + ratio²) at about a right angle,
    and the projection shortens both alike: exponent = -½ log(1 + s² (1 + ratio²)/gain²). The bend
    is left out. None if a leak forbids so short a memory.

    >>> point = sphere_point(2.0, 0.0, 1.0)
    >>> round(float(np.exp(2.0 * point.place) - np.e), 12), point.exponent
    (-1.0, -0.5)
    """
    inner = _without_leak(memory, leak)
    if inner is None:
        return None
    drive = float(np.expm1(min(-2.0 * inner, MOST_FADED)))
    strength = gain * np.sqrt(drive / (1.0 + ratio * ratio))
    return Point(float(np.log(strength)), -1.0 / memory, -drive / (1.0 + drive))


def tanh_point(memory: float, ratio: float, leak: float, gain: float) -> Point | None:
    """The strength s of a tanh network of spectral radius ρ = gain e^(-1/memory), as above.

    Its drive must take away what the gain adds: the mean of log (1 - tanh² a) is -log gain, with a
    of variance s² (1 + ratio²)/(1 - ρ²).

    >>> weak = tanh_point(2.0, 0.0, 1.0, 1.0001)  # log (1 - tanh² a) is about -a²
    >>> variance = np.exp(2.0 * weak.place) / (1.0 - np.exp(-1.0) * 1.0001**2)
    >>> round(float(variance / np.log(1.0001)), 3)
    1.0
    """
    if _without_leak(memory, leak) is None:
        return None
    loss = max(1.0 - (gain * np.exp(-1.0 / memory)) ** 2, LEAST_LOSS)
    strength = _saturating(gain) * np.sqrt(loss / (1.0 + ratio * ratio))
    return Point(float(np.log(strength)), -1.0 / memory, -2.0 * float(np.log(gain)))


def linear_point(memory: float, leak: float) -> Point | None:
    """Of a linear network the strength divides the links: exponent = -log strength without leak."""
    inner = _without_leak(memory, leak)
    return None if inner is None else Point(-inner, -1.0 / memory, -1.0)


def _without_leak(memory: float, leak: float) -> float | None:
    """The exponent of the step without its leak: (1 - leak) + leak e^inner = e^(-1/memory)."""
    kept = (np.exp(-1.0 / memory) - (1.0 - leak)) / leak
    return float(np.log(kept)) if kept > 0.0 else None


@cache
def _saturating(gain: float) -> float:
    """The deviation of a normal variable a for which the mean of -log (1 - tanh² a) is log gain."""

    def excess(deviation: float) -> float:
        a = np.abs(deviation * NODES)
        log_cosh = a + np.log1p(np.exp(-2.0 * a)) - np.log(2.0)
        return float(2.0 * (WEIGHTS * log_cosh).sum() / WEIGHTS.sum() - np.log(gain))

    return float(brentq(excess, 0.0, STRONGEST_DEVIATION))
