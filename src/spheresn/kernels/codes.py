"""Status codes, and the activation and the leak as numbers; nothing here needs numba.

The type of an activation selects the code, so that a loop compiles only what its network needs.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

TANH, LINEAR = range(2)
FINE, DEGENERATE, OVERFLOW, RARE = range(4)

# In standard deviations of the series: an output of this size has diverged, but can still be scaled
# back to the unit of the series.
DIVERGED = 1e100
BEYOND = 0.1  # of the distance of two bounds: no output that leaves them gets farther out
# Numbers on either side of an array that a loop writes to. Where such an array begins less than 256
# bytes behind one that the loop reads, the compiled code takes its sums in another order, so that
# the last bit would depend on where arrays of fewer than 32 units happen to lie in memory.
GUARD = 64


class Spherical(NamedTuple):
    """OnSphere, with the code for all cases.

    Squares between `low` and `high` neither overflow nor underflow.
    """

    radius: Any
    bend: Any
    leak: Any
    low: Any
    high: Any


class FastSpherical(NamedTuple):
    """OnSphere without leak and without the rare cases.

    The loop stops before a rare step, changes nothing, and returns RARE. The rare cases took three
    quarters of the time to compile the first loop, and hardly any run meets one.
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


def guarded(shape: tuple[int, ...], dtype: Any) -> Any:
    """An empty array that no other array comes near."""
    size = math.prod(shape)
    return np.empty(size + 2 * GUARD, dtype)[GUARD : GUARD + size].reshape(shape)


def fast_path(act: Any) -> Any:
    """The activation to start the loop with: FastSpherical where `act` allows it, else `act`."""
    plain = (
        isinstance(act, Spherical)
        and act.leak == 1
        and act.low < act.radius * act.radius < act.high
    )
    return FastSpherical(act.radius, act.bend, act.low, act.high) if plain else act
