"""`Reservoir.tangent_step`, compiled, with the tangents as rows (k, N)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ._jit import INLINED, compiled, guarded_like, inlined
from .activate import blend, elementwise, project, stretch, sum_of_squares
from .codes import (
    DEGENERATE,
    FINE,
    LINEAR,
    OVERFLOW,
    RARE,
    TANH,
    Elementwise,
    FastSpherical,
    Spherical,
)
from .rows import dot, length, project_out, scale_to_one


class Workspace(NamedTuple):
    """Arrays (N,) for one step, which is free to overwrite them.

    a is the pre-activation, value is f(a), slope belongs to f', and mixed is the state after the
    leak, before it is projected.
    """

    a: Any
    value: Any
    slope: Any
    mixed: Any


@inlined
def new_workspace(state: Any) -> Any:
    """Arrays for steps from `state`."""
    return Workspace(
        guarded_like(state), guarded_like(state), guarded_like(state), guarded_like(state)
    )


@compiled
def bend_with_slope(a: Any, bend: Any, value: Any, slope: Any) -> Any:
    """value = z/|z| and slope_i = (1 + (bend â_i)²)^(-3/2), where |a| = 1 and â = √N a.

    z_i = â_i/√(1 + (bend â_i)²) as in `activate.bend`. Returns √N/|z|.
    """
    one, root = a.dtype.type(1), np.sqrt(a.dtype.type(len(a)))
    total = a.dtype.type(0)
    for i in range(len(a)):
        spread = root * a[i]
        t = one / np.sqrt(one + (bend * spread) * (bend * spread))
        value[i] = spread * t
        slope[i] = t * t * t
        total += value[i] * value[i]
    inverse = one / np.sqrt(total)
    for i in range(len(a)):
        value[i] *= inverse
    return root * inverse


@compiled
def push_bent(gain: Any, a: Any, value: Any, slope: Any, c: Any) -> None:
    """c = f'(a) c for the bent sphere."""
    along = dot(a, c)
    for i in range(len(c)):
        c[i] = slope[i] * (c[i] - along * a[i])
    project_out(value, c, gain)


def activate_both(act: Any, squares: Any, state: Any, block: Any, carried: Any, work: Any) -> int:
    """state = the next state, carried = the derivative of the step times the rows of `block`.

    Before, work.a = W state + W_in s + b, squares = |work.a|² and carried[j] = W block[j]. Other
    contributions to the derivative of a may be in `carried` as well. Inside compiled loops only.
    """
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


def _fast_spherical(
    act: Any, squares: Any, state: Any, block: Any, carried: Any, work: Any
) -> int:  # pragma: no cover - compiled by numba
    """Only the direction of a matters: a is scaled to length one, and the gain corrects for it."""
    a, value, slope, _ = work
    if not act.low < squares < act.high:
        return RARE
    size = np.sqrt(squares)
    inverse, gain = a.dtype.type(1) / size, act.radius / size
    if act.bend != 0:
        stretch(a, inverse)
        gain *= bend_with_slope(a, act.bend, value, slope)
        for j in range(len(carried)):
            push_bent(gain, a, value, slope, carried[j])
    else:
        for i in range(len(a)):
            value[i] = a[i] * inverse
        for j in range(len(carried)):
            project_out(value, carried[j], gain)
    for i in range(len(state)):
        state[i] = act.radius * value[i]
    return FINE


def _spherical(
    act: Any, squares: Any, state: Any, block: Any, carried: Any, work: Any
) -> int:  # pragma: no cover - compiled by numba
    """`_fast_spherical` with the leak and a second projection, for all sizes of a."""
    a, value, slope, mixed = work
    size = scale_to_one(a, squares, act.low, act.high, a)
    gain = act.radius / size
    if size == 0 or not np.isfinite(gain) or gain == 0:
        return DEGENERATE if size == 0 else OVERFLOW
    if act.bend != 0:
        gain *= bend_with_slope(a, act.bend, value, slope)
    else:
        for i in range(len(a)):
            value[i] = a[i]
    if act.leak == 1:
        for i in range(len(state)):
            state[i] = act.radius * value[i]
        span = act.radius
    else:
        for i in range(len(state)):
            mixed[i] = (a.dtype.type(1) - act.leak) * state[i] + act.leak * act.radius * value[i]
        squares = sum_of_squares(mixed)
        status = project(mixed, squares, act.radius, act.low, act.high, state)
        if status != FINE:
            return int(status)
        span = length(mixed, squares, act.low, act.high)
        for i in range(len(state)):
            mixed[i] /= span
    for j in range(len(carried)):
        if act.bend != 0:
            push_bent(gain, a, value, slope, carried[j])
        else:
            project_out(value, carried[j], gain)
        if act.leak != 1:
            blend(act.leak, block[j], carried[j])
            project_out(mixed, carried[j], act.radius / span)
    return FINE


def _elementwise(
    act: Any, squares: Any, state: Any, block: Any, carried: Any, work: Any
) -> int:  # pragma: no cover - compiled by numba
    a, value, slope, _ = work
    if elementwise(act.kind, a, squares, act.high, value) != FINE:
        return OVERFLOW
    if act.kind == TANH:
        for i in range(len(a)):
            slope[i] = a.dtype.type(1) - value[i] * value[i]
    if act.leak != 1:
        blend(act.leak, state, value)
    for i in range(len(state)):
        state[i] = value[i]
    if act.kind == LINEAR and act.leak == 1:
        return FINE
    for j in range(len(carried)):
        c = carried[j]
        if act.kind == TANH:
            for i in range(len(c)):
                c[i] *= slope[i]
        if act.leak != 1:
            blend(act.leak, block[j], c)
    return FINE


STEPS: dict[Any, Any] = {
    Spherical: _spherical,
    FastSpherical: _fast_spherical,
    Elementwise: _elementwise,
}


@overload(activate_both, jit_options=INLINED)
def _choose(act: Any, squares: Any, state: Any, block: Any, carried: Any, work: Any) -> Any:
    return STEPS.get(getattr(act, "instance_class", None))
