"""The `memory` dial: the drive at which the trace of an input fades by 1/e every `memory` steps, found by measurement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from .._checks import Floats
from ..analysis import max_lyapunov
from ..reservoir import Reservoir

STRONGEST, WEAKEST, STRIDE = 30.0, 1e-4, 1.5
SHORTEST = 200  # rows; a shorter signal is repeated to this length before an exponent is measured on it
TRANSIENT = 100


class MemoryOutOfReach(ValueError):
    """No strength of the drive gives the asked memory on this signal."""


@dataclass(frozen=True, eq=False)
class Dialled:
    """A network with its drive set, the strength that was found, and the exponent measured there."""

    reservoir: Reservoir
    strength: float
    exponent: float


def exponent(reservoir: Reservoir, signal: Floats) -> float:
    """The maximal Lyapunov exponent per step on the signal (T, d), after a short transient."""
    rows = signal if len(signal) >= SHORTEST else np.resize(signal, (SHORTEST, signal.shape[1]))
    return max_lyapunov(reservoir, rows, transient=TRANSIENT).exponent


def calibrate(at_strength: Callable[[float], Reservoir], signal: Floats, memory: float, near: float | None = None) -> Dialled:
    """The network whose exponent on the signal is -1/memory, searched downwards from strong drive.

    Downwards, because a bent network driven weakly may be chaotic, so that its exponent is not monotone there.
    `near` is a strength known to be close, from a shorter piece of the signal.
    """
    goal = -1.0 / memory

    def miss(log_strength: float) -> float:
        return exponent(at_strength(float(np.exp(log_strength))), signal) - goal

    low, high = _bracket(miss, memory, goal, near)
    found = float(np.exp(brentq(miss, low, high, xtol=1e-4, rtol=1e-4)))
    reservoir = at_strength(found)
    return Dialled(reservoir, found, exponent(reservoir, signal))


def _bracket(miss: Callable[[float], float], memory: float, goal: float, near: float | None) -> tuple[float, float]:
    """Logarithms of two strengths a stride apart, the weaker above the goal and the stronger below."""
    stride = np.log(STRIDE)
    high = np.log(STRONGEST if near is None else near * STRIDE)
    first = miss(high)
    if first > 0.0 and near is None:
        raise MemoryOutOfReach(_sentence(memory, "at least", first + goal))
    while high > np.log(WEAKEST):
        value = miss(high - stride)
        if value >= 0.0 and first <= 0.0:
            return high - stride, high
        high, first = high - stride, value
    raise MemoryOutOfReach(_sentence(memory, "at most", first + goal))


def _sentence(memory: float, side: str, reached: float) -> str:
    if reached >= 0.0:
        return f"memory must be one this network can have, got {memory:g}; here its maximal exponent is not negative: try less bend"
    limit = -1.0 / reached
    return f"memory must be {side} {limit:.3g} steps for this network on this signal, got {memory:g}; choose such a memory, or another bend"
