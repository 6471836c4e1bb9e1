"""The activation and the leak as numbers. Their type chooses the code, so that a loop compiles what
its network needs and nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

TANH, LINEAR = range(2)
FINE, DEGENERATE, OVERFLOW, RARE = range(4)
# Deviations of the series. A run that gets here is as good as infinite, and can still be scaled
# back.
ENDLESS = 1e100


class Spherical(NamedTuple):
    """OnSphere. Squares are safe between `low` and `high`; a loop compiled for this type knows what
    to do beyond them as well.
    """

    radius: Any
    bend: Any
    leak: Any
    low: Any
    high: Any


class Swift(NamedTuple):
    """OnSphere without leak and without the rare cases: the loop stops in front of such a step with
    RARE, having changed nothing.

    The rare cases took three quarters of the time to compile a first loop, and next to nobody ever
    meets one.
    """

    radius: Any
    bend: Any
    low: Any
    high: Any


class Elementwise(NamedTuple):
    """Tanh or Linear."""

    kind: int
    leak: Any
    low: Any
    high: Any


def swift(act: Any) -> Any:
    """The code of the loop to begin with."""
    plain = (
        isinstance(act, Spherical)
        and act.leak == 1
        and act.low < act.radius * act.radius < act.high
    )
    return Swift(act.radius, act.bend, act.low, act.high) if plain else act
