"""The `memory` dial: the drive at which the trace of an input fades by 1/e every `memory` steps,
found by measurement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq

from .._errors import BadInput
from .._validation import Floats
from ..analysis.lyapunov import tangent_growth
from ..reservoir import Reservoir

STRONGEST, WEAKEST, STRIDE = 30.0, 1e-4, 2.0
# Rows; a shorter signal is repeated to this length before an exponent is measured on it
SHORTEST = 200
TRANSIENT = 100
FEW, MIDDLE = 300, 1000  # rows on which a strength is searched for and first corrected
CORRECTIONS = 6

Curve = Callable[[float], float]  # logarithm of the strength -> exponent


class MemoryOutOfReach(BadInput):
    """No strength of the drive gives the asked memory on this signal."""


@dataclass(frozen=True, eq=False)
class Dialled:
    """A network with its drive set, the strength that was found, and the exponent measured
    there.
    """

    reservoir: Reservoir
    strength: float
    exponent: float


@dataclass(frozen=True)
class Point:
    """On a curve: the logarithm of a strength, the exponent there, and how fast it changes."""

    place: float
    exponent: float
    slope: float


def exponent(reservoir: Reservoir, signal: Floats) -> float:
    """The maximal Lyapunov exponent per step on the signal (T, d), after a short transient."""
    rows = signal if len(signal) >= SHORTEST else np.resize(signal, (SHORTEST, signal.shape[1]))
    return float(tangent_growth(reservoir, rows)[TRANSIENT:].mean())


def calibrate(at_strength: Callable[[float], Reservoir], signal: Floats, memory: float) -> Dialled:
    """The network whose exponent on the signal is -1/memory: found roughly on few rows, then
    corrected on more of them.
    """

    def curve_on(rows: int) -> Curve:
        return cache(
            lambda log_strength: exponent(at_strength(float(np.exp(log_strength))), signal[:rows])
        )

    near = _rough(curve_on, memory)
    if len(signal) > MIDDLE:
        near = _corrected(curve_on(MIDDLE), near, memory, 0.02)
    near = _corrected(curve_on(len(signal)), near, memory, 1e-3)
    return Dialled(at_strength(float(np.exp(near.place))), float(np.exp(near.place)), near.exponent)


def _rough(curve_on: Callable[[int], Curve], memory: float) -> Point:
    """A point near the goal; where few rows know of none, more rows decide whether there is one."""
    try:
        return _searched(curve_on(FEW), memory, 0.1)
    except MemoryOutOfReach:
        return _searched(curve_on(MIDDLE), memory, 0.1)


def _corrected(curve: Curve, near: Point, memory: float, tolerance: float) -> Point:
    """Where the curve meets the goal, to a relative `tolerance`, by secants from a point of a curve
    much like it.
    """
    goal, place, slope, value = -1.0 / memory, near.place, near.slope, curve(near.place)
    for _ in range(CORRECTIONS):
        if abs(value - goal) <= tolerance * abs(goal):
            return Point(place, value, slope)
        step = float(np.clip((goal - value) / slope, -1.0, 1.0))
        after = curve(place + step)
        # Elsewhere the exponent rises with the drive, and the secant would lead away
        if (after - value) * step < 0.0:
            slope = (after - value) / step
        place, value = place + step, after
    return _searched(curve, memory, 1e-4)


def _searched(curve: Curve, memory: float, tolerance: float) -> Point:
    """Downwards from strong drive, because a bent network driven weakly may be chaotic: its
    exponent is not monotone there.
    """
    goal, high = -1.0 / memory, float(np.log(STRONGEST))
    below = curve(high)
    if below > goal:
        raise MemoryOutOfReach(_sentence(memory, "at least", below))
    while high > np.log(WEAKEST):
        low = high - float(np.log(STRIDE))
        above = curve(low)
        if above >= goal:
            place = float(
                brentq(lambda x: curve(x) - goal, low, high, xtol=tolerance, rtol=tolerance)
            )
            return Point(place, curve(place), (below - above) / (high - low))
        high, below = low, above
    raise MemoryOutOfReach(_sentence(memory, "at most", below))


def _sentence(memory: float, side: str, reached: float) -> str:
    if reached >= 0.0:
        return (
            f"memory must be one this network can have, got {memory:g}; here its maximal exponent "
            "is not negative: try less bend"
        )
    if reached == -np.inf:
        return (
            f"memory must be left out for this network, got {memory:g}; every trace in it "
            "vanishes at once: try other links, or more units"
        )
    limit = -1.0 / reached
    return (
        f"memory must be {side} {limit:.3g} steps for this network on this signal, got "
        f"{memory:g}; choose such a memory, or another bend"
    )
