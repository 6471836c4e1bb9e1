"""Tangents carried along a driven reservoir: the compiled twin of `Reservoir.tangent_step`, tangents as rows (k, N)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .activate import elementwise, project, sum_of_squares
from .excite import add_input
from .names import BENT, DEGENERATE, FINE, LINEAR, OVERFLOW, SPHERE, TANH, copy_row, inlined
from .rows import dot, length, scale_to_one, without


@inlined
def work_space(state: Any) -> Any:
    """Room for one step: pre-activation, value, slope, mixed."""
    return np.empty_like(state), np.empty_like(state), np.empty_like(state), np.empty_like(state)


@inlined
def linearise(act: Any, squares: Any, a: Any, value: Any, slope: Any) -> Any:
    """The value f(a) (of unit length on the sphere), and the slope of f: one gain for all units, or one per unit; squares = |a|².

    On the sphere only the direction of a matters, so a is first scaled to length one; the gain makes up for it.
    """
    kind, radius, bend, _, low, high = act
    gain = a.dtype.type(1)
    if kind < TANH:
        size = scale_to_one(a, squares, low, high, value if kind == SPHERE else a)
        gain = radius / size
        if size == 0 or not np.isfinite(gain) or gain == 0:
            return (DEGENERATE if size == 0 else OVERFLOW), gain
        if kind == BENT:
            gain *= bend_with_slope(a, bend, value, slope)
    elif elementwise(kind, a, squares, high, value) != FINE:
        return OVERFLOW, gain
    if kind == TANH:
        for i in range(len(a)):
            slope[i] = a.dtype.type(1) - value[i] * value[i]
    return FINE, gain


@inlined
def bend_with_slope(a: Any, bend: Any, value: Any, slope: Any) -> Any:
    """value = z/|z| and slope_i = (1 + (bend â_i)²)^(-3/2) for a of unit length, â = √N a; returns √N/|z|."""
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


@inlined
def push(kind: int, gain: Any, a: Any, value: Any, slope: Any, c: Any) -> None:
    """c = f'(a) c, the derivative of the activation at the point that `linearise` saw."""
    if kind == SPHERE:
        without(value, c, gain)
    elif kind == BENT:
        along = dot(a, c)
        for i in range(len(c)):
            c[i] = slope[i] * (c[i] - along * a[i])
        without(value, c, gain)
    elif kind == TANH:
        for i in range(len(c)):
            c[i] *= slope[i]


@inlined
def move(act: Any, value: Any, mixed: Any, state: Any) -> Any:
    """The next state, in place, with the leak; returns the status and the gain of the second projection."""
    kind, radius, _, leak, low, high = act
    one = state.dtype.type(1)
    size = radius if kind < TANH else one
    if leak == 1:
        for i in range(len(state)):
            state[i] = size * value[i]
        return FINE, one
    for i in range(len(state)):
        mixed[i] = (one - leak) * state[i] + leak * size * value[i]
    if kind >= TANH:
        copy_row(mixed, state)
        return FINE, one
    squares = sum_of_squares(mixed)
    status = project(mixed, squares, radius, low, high, state)
    span = length(mixed, squares, low, high)
    if status == FINE:
        for i in range(len(state)):
            mixed[i] /= span
    return status, radius / span


@inlined
def mix(act: Any, gain: Any, mixed: Any, v: Any, c: Any) -> None:
    """c = (1 - leak) v + leak c, on the sphere followed by the second projection."""
    leak = act[3]
    if leak == 1:
        return
    keep = v.dtype.type(1) - leak
    for i in range(len(c)):
        c[i] = keep * v[i] + leak * c[i]
    if act[0] < TANH:
        without(mixed, c, gain)


@inlined
def tangent_step(
    inputs: Any, bias: Any, act: Any, row: Any, state: Any, block: Any, carried: Any, a: Any, value: Any, slope: Any, mixed: Any
) -> int:
    """state and carried become the next state and the derivative of the step times the rows of `block`.

    `multiply_both` comes before: a holds W times the state and carried W times these rows, or what else moves a.
    """
    squares = add_input(inputs, bias, row, a)
    status, gain = linearise(act, squares, a, value, slope)
    if status != FINE:
        return int(status)
    status, outer = move(act, value, mixed, state)
    if status != FINE:
        return int(status)
    if act[0] != LINEAR or act[3] != 1:
        for j in range(len(carried)):
            push(act[0], gain, a, value, slope, carried[j])
            mix(act, outer, mixed, block[j], carried[j])
    return FINE
