"""Calibration of `memory`: the drive at which the trace of an input fades to 1/e in `memory` steps.

It is found by measuring the maximal Lyapunov exponent, which is then -1/memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

from .._errors import BadInput
from .._validation import Floats, at_least, real
from ..analysis.lyapunov import growth_of_rows
from ..compose import Driven
from ..driving import writable
from ..reservoir import Reservoir

# Strengths: a search goes from the strongest, where memory is shortest, down to the weakest, each
# weaker by this ratio
STRONGEST_DRIVE, WEAKEST_DRIVE, DRIVE_RATIO = 30.0, 1e-4, 2.0
LEAST_SIGNAL_ROWS = 200  # a shorter signal is repeated, so that rows are left after the transient
TRANSIENT_ROWS = 100  # left out, while the tangent still turns to its fastest direction
ZERO_EXPONENT = 1e-12  # an exponent this close to zero may be zero
ROUGH_ROWS, CORRECTION_ROWS = 300, 1000  # of the first search and of the first correction
MOST_SECANTS = 6  # where so many do not meet the goal, the curve is searched instead

Curve = Callable[[float], float]  # logarithm of the strength -> exponent


class MemoryOutOfReach(BadInput):
    """No strength of the drive gives the requested memory on this signal.

    strength: the one whose memory is nearest.
    """

    def __init__(self, sentence: str, strength: float = STRONGEST_DRIVE) -> None:
        super().__init__(sentence)
        self.strength = strength


@dataclass(frozen=True)
class Point:
    """A point of a curve: the logarithm of a strength, the exponent there, and the slope."""

    place: float
    exponent: float
    slope: float


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A network with its drive set, the strength of that drive, and the exponent measured.

    point: of the curve on which a calibration ended.
    """

    reservoir: Any  # a Reservoir; several as one where the user gave these
    strength: float
    exponent: float
    point: Point | None = None

    @property
    def memory(self) -> float:
        """The steps after which the trace of an input has faded to 1/e."""
        return -1.0 / self.exponent if self.exponent < 0.0 else np.inf


def exponent(reservoir: Driven, signal: Floats) -> float:
    """The maximal Lyapunov exponent per step on a checked signal (T, d), after a transient."""
    rows = (
        signal
        if len(signal) >= LEAST_SIGNAL_ROWS
        else np.resize(signal, (LEAST_SIGNAL_ROWS, signal.shape[1]))
    )
    growth = growth_of_rows(reservoir, writable(rows), None, np.random.default_rng(0))
    return float(growth[TRANSIENT_ROWS:].mean())


def calibrate(
    at_strength: Callable[[float], Reservoir],
    signal: Floats,
    memory: float,
    near: Point | None = None,
    tolerance: float = 1e-3,
) -> Calibrated:
    """The network whose exponent on the signal (T, d) is -1/memory, to a relative `tolerance`.

    at_strength: the networks by the strength of their drive; a stronger one shortens the memory. A
    first search on few rows finds the strength roughly, unless a point `near` it is known;
    corrections on more rows follow. A memory that no strength gives is a `MemoryOutOfReach`.

    >>> import spheresn as sn
    >>> base = sn.random_reservoir(50, activation=sn.OnSphere(), rng=np.random.default_rng(0))
    >>> signal = sn.datasets.white_noise(500, 0)
    >>> at_strength = lambda strength: base.rescaled(1.0, strength, strength)
    >>> found = calibrate(at_strength, signal, memory=10.0)
    >>> round(-1.0 / found.exponent, 1)
    10.0
    """
    memory = real("memory", memory, 0.0, above=True)
    at_least("signal", len(signal), 1, "to measure an exponent")

    def curve_on(rows: int) -> Curve:
        return cache(
            lambda log_strength: exponent(at_strength(float(np.exp(log_strength))), signal[:rows])
        )

    near = near or _approximate(curve_on, memory)
    if len(signal) > CORRECTION_ROWS:
        near = _correct(curve_on(CORRECTION_ROWS), near, memory, 0.02)
    near = _correct(curve_on(len(signal)), near, memory, tolerance)
    strength = float(np.exp(near.place))
    return Calibrated(at_strength(strength), strength, near.exponent, near)


def calibrate_nearest(
    at_strength: Callable[[float], Reservoir],
    signal: Floats,
    memory: float,
    near: Point | None = None,
    tolerance: float = 1e-3,
) -> Calibrated:
    """`calibrate`, or the network with the nearest memory where this one is out of reach."""
    try:
        return calibrate(at_strength, signal, memory, near, tolerance)
    except MemoryOutOfReach as error:
        reservoir = at_strength(error.strength)
        return Calibrated(reservoir, error.strength, exponent(reservoir, signal))


def passed(
    at_strength: Callable[[float], Reservoir], signal: Floats, memories: Collection[float]
) -> dict[float, Point]:
    """Roughly where a network has these memories, by one walk from strong drive to weak.

    It interpolates between steps of DRIVE_RATIO on few rows. A memory that the walk does not pass
    gets the end of the walk.
    """
    step, goals = float(np.log(DRIVE_RATIO)), {memory: -1.0 / memory for memory in sorted(memories)}
    found: dict[float, Point] = {}
    high, below, above, slope = float(np.log(STRONGEST_DRIVE)) + step, -np.inf, -np.inf, -1.0
    while len(found) < len(goals) and high - step > np.log(WEAKEST_DRIVE):
        above = exponent(at_strength(float(np.exp(high - step))), signal[:ROUGH_ROWS])
        if above > below > -np.inf:
            slope = (below - above) / step
        for memory, goal in goals.items():
            if memory not in found and above >= goal:
                place = high - step if below == -np.inf else high + (goal - below) / slope
                found[memory] = Point(place, goal, slope)
        high, below = high - step, above
    return {memory: found.get(memory, Point(high, above, slope)) for memory in goals}


def _approximate(curve_on: Callable[[int], Curve], memory: float) -> Point:
    """A point near the goal; if a search on few rows finds none, more rows decide."""
    try:
        return _search(curve_on(ROUGH_ROWS), memory, 0.1)
    except MemoryOutOfReach:
        return _search(curve_on(CORRECTION_ROWS), memory, 0.1)


def _correct(curve: Curve, near: Point, memory: float, tolerance: float) -> Point:
    """Where the curve meets the goal, to a relative `tolerance`.

    Secants begin at a point of a similar curve, one measured on fewer rows.
    """
    goal, place, slope, value = -1.0 / memory, near.place, near.slope, curve(near.place)
    for _ in range(MOST_SECANTS):
        if abs(value - goal) <= tolerance * abs(goal):
            return Point(place, value, slope)
        step = float(np.clip((goal - value) / slope, -1.0, 1.0))
        after = curve(place + step)
        # Where the exponent rises with the drive, the secant would lead away from the goal
        if (after - value) * step < 0.0:
            slope = (after - value) / step
        place, value = place + step, after
    return _search(curve, memory, 1e-4)


def _search(curve: Curve, memory: float, tolerance: float) -> Point:
    """Where the curve meets the goal, searched for from strong drive downwards.

    A bent network that is driven weakly may be chaotic, and its exponent is not monotone there.
    """
    goal, high = -1.0 / memory, float(np.log(STRONGEST_DRIVE))
    below = curve(high)
    if below > goal:
        raise MemoryOutOfReach(_sentence(memory, "at least", below), STRONGEST_DRIVE)
    while high > np.log(WEAKEST_DRIVE):
        low = high - float(np.log(DRIVE_RATIO))
        above = curve(low)
        if above >= goal:
            place = float(
                brentq(lambda x: curve(x) - goal, low, high, xtol=tolerance, rtol=tolerance)
            )
            return Point(place, curve(place), (below - above) / (high - low))
        high, below = low, above
    raise MemoryOutOfReach(_sentence(memory, "at most", below), float(np.exp(high)))


def _sentence(memory: float, side: str, reached: float) -> str:
    if reached >= -ZERO_EXPONENT:
        return (
            f"memory must be one that this network can have, got {memory:g}; its maximal exponent "
            "is not negative on this signal: try less bend"
        )
    if reached == -np.inf:
        return (
            f"memory must be left out for this network, got {memory:g}; every trace vanishes in it "
            "at once: try another topology, or more units"
        )
    limit = -1.0 / reached
    return (
        f"memory must be {side} {limit:.3g} steps for this network on this signal, got "
        f"{memory:g}; choose such a memory, or another bend"
    )
