"""`Reservoir.tangent_step`, compiled, with the tangents as rows (k, N)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from ._jit import CHOSEN, INLINED, compiled, copy_row, guarded_like, inlined
from .activate import add_product, blend, elementwise, project, stretch, sum_of_squares
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
    Stacked,
)
from .rows import columns_of, dot, length, project_out, put_columns, scale_to_one


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


def _stacked(
    act: Any, squares: Any, state: Any, block: Any, carried: Any, work: Any
) -> int:  # pragma: no cover - compiled by numba
    """Layers change `state` one after the other, so that a step which one of them cannot take is
    undone. Only spheres with a leak use work.mixed, and beside them no step is RARE.
    """
    copy_row(state, work.mixed)
    status = both_parts(act.acts, act, 0, state, block, carried, work)
    if status == RARE:
        copy_row(work.mixed, state)
    return status


STEPS: dict[Any, Any] = {
    Spherical: _spherical,
    FastSpherical: _fast_spherical,
    Elementwise: _elementwise,
    Stacked: _stacked,
}


def both_parts(
    acts: Any, act: Any, first: int, state: Any, block: Any, carried: Any, work: Any
) -> int:
    """`activate_both` of the layers from `first` on, whose own activations are `acts`, up to one
    whose status is not FINE. Inside compiled loops only.
    """
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


@inlined
def both_part(own: Any, act: Any, p: int, state: Any, block: Any, carried: Any, work: Any) -> Any:
    """`activate_both` of layer p, whose signal may be the new state of earlier ones."""
    low, high = act.edges[p], act.edges[p + 1]
    first, last = act.sources[p, 0], act.sources[p, 1]
    a, moved = work.a[low:high], columns_of(carried, low, high)
    if last > first:
        add_product(act.feeds[p], state[first:last], a)
        add_feed(act.feeds[p], columns_of(carried, first, last), moved)
    part = Workspace(a, work.value[low:high], work.slope[low:high], work.mixed[low:high])
    before = columns_of(block, low, high)
    status = activate_both(own, sum_of_squares(a), state[low:high], before, moved, part)
    put_columns(moved, carried, low, high)
    return status


@compiled
def add_feed(feed: Any, tangents: Any, out: Any) -> None:
    """out[j] += M tangents[j]; several rows are one matrix product."""
    if len(out) == 1:
        add_product(feed, tangents[0], out[0])
        return
    pushed = np.dot(tangents, feed.T)
    for j in range(len(out)):
        for i in range(len(out[j])):
            out[j, i] += pushed[j, i]


def _equal_parts(
    acts: Any, act: Any, first: int, state: Any, block: Any, carried: Any, work: Any
) -> int:  # pragma: no cover - compiled by numba
    for p in range(len(acts)):
        status = both_part(acts[p], act, first + p, state, block, carried, work)
        if status != FINE:
            return int(status)
    return FINE


def _first_part(
    acts: Any, act: Any, first: int, state: Any, block: Any, carried: Any, work: Any
) -> int:  # pragma: no cover - compiled by numba
    status = both_part(acts[0], act, first, state, block, carried, work)
    if status != FINE:
        return int(status)
    return both_parts(acts[1:], act, first + 1, state, block, carried, work)


@overload(both_parts, jit_options=CHOSEN)
def _choose_parts(
    acts: Any, act: Any, first: int, state: Any, block: Any, carried: Any, work: Any
) -> Any:
    return _equal_parts if isinstance(acts, types.UniTuple) else _first_part


@overload(activate_both, jit_options=INLINED)
def _choose(act: Any, squares: Any, state: Any, block: Any, carried: Any, work: Any) -> Any:
    return STEPS.get(getattr(act, "instance_class", None))
