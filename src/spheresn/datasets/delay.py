"""Scalar delay equations x'(t) = rate(x(t), x(t − delay)) by the method of steps, fourth order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import _validation
from .._errors import StateOverflow
from .._validation import Floats

Rate = Callable[[float, float], float]
STEP_MEMORY = 12  # times the memory of a float that a step takes in the lists


def solve(
    rate: Rate, history: Callable[[float], float], delay: float, steps: int, per_delay: int
) -> tuple[Floats, Floats]:
    """Values and slopes of x' = rate(x, x(t − delay)) at t = 0, h, …, steps h, both (steps + 1,).

    h = delay / per_delay, and `history` gives x on [−delay, 0]. The method is the classical RK4.
    The kinks of a delay equation lie at multiples of the delay, so they are grid points and never
    inside a step. The delayed value at half a step comes from `history` for t ≤ 0, and later from
    the cubic Hermite polynomial through the past values and slopes, whose O(h⁴) error keeps the
    order at 4.

    >>> values, _ = solve(lambda x, past: -past, lambda t: 1.0, delay=1.0, steps=4, per_delay=2)
    >>> values.round(12).tolist()  # 1 − t, then 1 − t + (t − 1)²/2
    [1.0, 0.5, 0.0, -0.375, -0.5]
    """
    lag = _validation.fitting("per_delay", per_delay, 1, STEP_MEMORY)
    count = _validation.fitting("steps", steps, 0, STEP_MEMORY)
    h = _validation.real("delay", delay, 0, above=True) / lag
    # x[n] is x(n h − delay), so x[n + lag] is x(n h)
    x = [float(history((n - lag) * h)) for n in range(lag + 1)]
    # half[n] lies between x[n] and x[n + 1]
    half = [float(history((n + 0.5 - lag) * h)) for n in range(lag)]
    slopes: list[float] = []
    for n in range(count):
        slopes.append(rate(x[n + lag], x[n]))
        if n >= lag:
            half.append(
                0.5 * (x[n] + x[n + 1]) + 0.125 * h * (slopes[n - lag] - slopes[n - lag + 1])
            )
        x.append(_rk4(rate, x[n + lag], slopes[n], half[n], x[n + 1], h))
    slopes.append(rate(x[count + lag], x[count]))
    if not np.isfinite(slopes).all():
        raise StateOverflow(
            f"the solution must stay bounded, got {x[-1]} at the end; choose another rate or a "
            "larger per_delay"
        )
    return np.array(x[lag:]), np.array(slopes)


def _rk4(
    rate: Rate, x: float, k1: float, delayed_half: float, delayed_next: float, h: float
) -> float:
    k2 = rate(x + 0.5 * h * k1, delayed_half)
    k3 = rate(x + 0.5 * h * k2, delayed_half)
    k4 = rate(x + h * k3, delayed_next)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def hermite(values: Floats, slopes: Floats, h: float, times: Floats) -> Floats:
    """The cubic Hermite polynomials through `values` and `slopes` at 0, h, 2h, …, at `times`.

    The error is O(h⁴), and zero at grid points.

    >>> values, slopes = np.array([0.0, 1.0, 8.0]), np.array([0.0, 3.0, 12.0])  # of t³
    >>> hermite(values, slopes, 1.0, np.array([0.5, 1.5])).tolist()
    [0.125, 3.375]
    """
    cell = np.clip(np.floor(times / h).astype(int), 0, values.size - 2)
    p = times / h - cell
    left, right = values[cell], values[cell + 1]
    bow = (1 - p) * h * slopes[cell] - p * h * slopes[cell + 1] + (1 - 2 * p) * (left - right)
    curve: Floats = (1 - p) * left + p * right + p * (1 - p) * bow
    return curve
