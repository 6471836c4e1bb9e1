"""Chaotic systems: lorenz, rossler (flows), mackey_glass (a delay equation), henon (a map).

The flows are integrated with error control, so dt is only the sampling interval. Rounding errors
grow as fast as nearby trajectories separate (Lorenz: tenfold every 2.5 time units). Two machines
therefore agree for some tens of time units, and only in the statistics after that.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from .. import _validation
from .._errors import StateOverflow
from .._validation import Floats
from . import delay as delay_equation

Random = np.random.Generator | int | None
POINT_MEMORY = 14  # times the memory of a float that a point takes in a list


def lorenz(
    steps: int,
    dt: float = 0.02,
    *,
    rng: Random = None,
    transient: float = 20.0,
    sigma: float = 10.0,
    rho: float = 28.0,
    beta: float = 8 / 3,
    tolerance: float = 1e-10,
) -> Floats:
    """The Lorenz system x' = σ(y − x), y' = x(ρ − z) − y, z' = xy − βz, shape (steps, 3) [LOR63].

    It is sampled every dt and starts `transient` time units before the first row, at (0, 1, 0) as
    in Lorenz's paper, or within ±½ of it if `rng` is given. `tolerance` bounds the error of each
    step of the integration; forecasts beyond 20 Lyapunov times need 1e-13.

    >>> lorenz(5, rho=0.5, transient=100).round(9).any()  # the origin attracts everything
    np.False_
    """
    s, r, b = (
        _validation.real("sigma", sigma),
        _validation.real("rho", rho),
        _validation.real("beta", beta),
    )
    return _flow(
        lambda t, p: _lorenz(p, s, r, b),
        _start((0.0, 1.0, 0.0), rng),
        _times(steps, dt, transient),
        tolerance,
    )


def _lorenz(point: Floats, sigma: float, rho: float, beta: float) -> list[float]:
    x, y, z = point.tolist()
    return [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]


def rossler(
    steps: int,
    dt: float = 0.2,
    *,
    rng: Random = None,
    transient: float = 100.0,
    a: float = 0.2,
    b: float = 0.2,
    c: float = 5.7,
    tolerance: float = 1e-10,
) -> Floats:
    """The Rössler system x' = −y − z, y' = x + ay, z' = b + z(x − c), shape (steps, 3) [ROS76].

    It is sampled every dt and starts `transient` time units before the first row, at (0, −5, 0), or
    within ±½ of it if `rng` is given. `tolerance` as in `lorenz`.

    >>> rossler(2, dt=np.pi, transient=0, a=0, b=0).round(9).tolist()  # half a turn of the circle
    [[0.0, -5.0, 0.0], [0.0, 5.0, 0.0]]
    """
    a, b, c = _validation.real("a", a), _validation.real("b", b), _validation.real("c", c)
    return _flow(
        lambda t, p: _rossler(p, a, b, c),
        _start((0.0, -5.0, 0.0), rng),
        _times(steps, dt, transient),
        tolerance,
    )


def _rossler(point: Floats, a: float, b: float, c: float) -> list[float]:
    x, y, z = point.tolist()
    return [-y - z, x + a * y, b + z * (x - c)]


def mackey_glass(
    steps: int,
    dt: float = 1.0,
    *,
    delay: float = 17.0,
    rng: Random = None,
    substeps: int | None = None,
    transient: float = 1000.0,
    exponent: float = 10.0,
) -> Floats:
    """The Mackey-Glass equation x'(t) = .2 x_τ/(1 + x_τⁿ) − .1 x(t), shape (steps, 1) [MG77].

    x_τ = x(t − delay). It is sampled every dt. The history is constant, 1.2 or uniform in [1.1,
    1.3) if `rng` is given, and ends `transient` time units before the first row. The integration is
    of fourth order in its step h: the longest h that divides the delay and exceeds neither
    dt/substeps nor 1 (without `substeps`: not .1). Where dt is no multiple of h, the rows are
    interpolated by cubic Hermite polynomials, also of fourth order.

    >>> series = mackey_glass(2000)
    >>> bool(0.4 < series.min() < series.max() < 1.4)
    True
    """
    # The paper prints the exponent n = 1 [VAL19], whose series converges to the fixed point x = 1;
    # the chaotic series has n = 10.
    n = _validation.real("exponent", exponent, 0, 100)
    lag = _validation.real("delay", delay, 0, above=True)
    times = _times(steps, dt, transient)
    parts = (
        max(1, math.ceil(10 * dt))
        if substeps is None
        else _validation.whole("substeps", substeps, 1)
    )
    # Rounded, because 170.00000000000003 should count as 170
    per_delay = math.ceil(round(lag * max(parts / dt, 1.0), 9))
    h = lag / per_delay
    level = 1.2 if rng is None else _validation.generator(rng).uniform(1.1, 1.3)
    values, slopes = delay_equation.solve(
        lambda x, past: 0.2 * past / (1.0 + past**n) - 0.1 * x,
        lambda t: level,
        lag,
        math.ceil(times[-1] / h) + 1,
        per_delay,
    )
    return delay_equation.hermite(values, slopes, h, times)[:, None]


def henon(
    steps: int, *, rng: Random = None, a: float = 1.4, b: float = 0.3, transient: int = 1000
) -> Floats:
    """The Hénon map xₖ₊₁ = 1 − a xₖ² + yₖ, yₖ₊₁ = b xₖ, shape (steps, 2) [HEN76].

    It starts `transient` steps before the first row, at (0, 0), or within ±½ of it in x and ±.05 in
    y if `rng` is given.

    >>> henon(3, transient=0, a=1, b=0.5).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 0.5]]
    """
    a, b = _validation.real("a", a), _validation.real("b", b)
    skip = _validation.fitting("transient", transient, 0, POINT_MEMORY)
    count = _validation.fitting("steps", steps, 1, POINT_MEMORY)
    x, y = (
        (0.0, 0.0)
        if rng is None
        else _validation.generator(rng).uniform((-0.5, -0.05), (0.5, 0.05)).tolist()
    )
    orbit = [(x, y)]
    for _ in range(skip + count - 1):
        x, y = 1.0 - a * x * x + y, b * x
        orbit.append((x, y))
    return _bounded(np.array(orbit[skip:]))


def _start(standard: tuple[float, float, float], rng: Random) -> Floats:
    return np.array(standard) + (
        0.0 if rng is None else _validation.generator(rng).uniform(-0.5, 0.5, 3)
    )


def _times(steps: int, dt: float, transient: float, width: int = 3) -> Floats:
    count = _validation.fitting("steps", steps, 1, 2 * width)
    step = _validation.real("dt", dt, 0, above=True)
    return _validation.real("transient", transient, 0) + step * np.arange(count)


def _flow(
    field: Callable[[float, Floats], list[float] | Floats],
    start: Floats,
    times: Floats,
    tolerance: float = 1e-10,
) -> Floats:
    """The trajectory from `start` at t = 0, interpolated at `times`.

    The steps of the integration do not depend on `times`.
    """
    # scipy raises a smaller tolerance to this one, with a warning
    limit = _validation.real("tolerance", tolerance, 100 * np.finfo(float).eps, 1e-3)
    if times[-1] == 0:
        return start[None, :]
    path = solve_ivp(
        field,
        (0.0, times[-1]),
        start,
        method="DOP853",
        t_eval=times,
        rtol=limit,
        atol=limit,
        events=_inside,
    )
    return _bounded(path.y.T if path.status == 0 else np.full((1, start.size), np.inf))


def _inside(t: float, point: Floats) -> float:
    """Positive within 1e5 of the origin; a trajectory that gets farther has escaped.

    Without this bound the steps would shrink, and the integration would not end.
    """
    return 1e5 - float(np.abs(point).max())


_inside.terminal = True  # type: ignore[attr-defined]


def _bounded(rows: Floats) -> Floats:
    if not np.isfinite(rows).all():
        raise StateOverflow(
            "the trajectory must stay bounded, got an escape to infinity; choose other parameters "
            "or another rng"
        )
    return np.ascontiguousarray(rows)
