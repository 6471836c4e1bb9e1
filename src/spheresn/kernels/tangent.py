"""Tangents carried along a driven reservoir: the compiled twin of `Reservoir.tangent_step`, tangents as rows (k, N)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .activate import activate, add_input, project
from .names import BENT, DEGENERATE, FINE, LINEAR, OVERFLOW, SPHERE, TANH, compiled, copy_row
from .rows import dot, length, scale_to_one, without


@compiled
def work_space(state: Any) -> Any:
    """Room for one step: pre-activation, value, slope, mixed."""
    return np.empty_like(state), np.empty_like(state), np.empty_like(state), np.empty_like(state)


@compiled
def linearise(act: Any, state: Any, work: Any) -> Any:
    """The value f(a) (of unit length on the sphere), and the slope of f: one gain for all units, or one per unit.

    On the sphere only the direction of a matters, so a is first scaled to length one; the gain makes up for it.
    """
    kind, radius, bend, _, low, high = act
    a, value, slope, _ = work
    one = a.dtype.type(1)
    gain = one
    if kind < TANH:
        size = scale_to_one(a, low, high)
        gain = radius / size
        if size == 0 or not np.isfinite(gain) or gain == 0:
            return (DEGENERATE if size == 0 else OVERFLOW), gain
    if kind == SPHERE:
        copy_row(a, value)
    elif kind == BENT:
        gain *= bend_with_slope(a, bend, value, slope)
    elif activate(kind, one, bend, one, low, high, a, state, value) != FINE:
        return OVERFLOW, gain
    if kind == TANH:
        for i in range(len(a)):
            slope[i] = one - value[i] * value[i]
    return FINE, gain


@compiled
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


@compiled
def push(kind: int, gain: Any, work: Any, c: Any) -> None:
    """c = f'(a) c, the derivative of the activation at the point that `linearise` saw."""
    a, value, slope, _ = work
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


@compiled
def move(act: Any, work: Any, state: Any) -> Any:
    """The next state, in place, with the leak; returns the status and the gain of the second projection."""
    kind, radius, _, leak, low, high = act
    _, value, _, mixed = work
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
    status = project(mixed, radius, low, high, state)
    span = length(mixed, low, high)
    if status == FINE:
        for i in range(len(state)):
            mixed[i] /= span
    return status, radius / span


@compiled
def mix(act: Any, gain: Any, work: Any, v: Any, c: Any) -> None:
    """c = (1 - leak) v + leak c, on the sphere followed by the second projection."""
    leak = act[3]
    if leak == 1:
        return
    keep = v.dtype.type(1) - leak
    for i in range(len(c)):
        c[i] = keep * v[i] + leak * c[i]
    if act[0] < TANH:
        without(work[3], c, gain)


@compiled
def tangent_step(inputs: Any, bias: Any, act: Any, row: Any, state: Any, block: Any, carried: Any, work: Any) -> int:
    """state and carried become the next state and the derivative of the step times the rows of `block`.

    `multiply_both` comes before: work[0] holds W times the state and carried W times these rows, or what else moves a.
    """
    add_input(inputs, bias, row, work[0])
    status, gain = linearise(act, state, work)
    if status != FINE:
        return int(status)
    status, outer = move(act, work, state)
    if status != FINE:
        return int(status)
    if act[0] != LINEAR or act[3] != 1:
        for j in range(len(carried)):
            push(act[0], gain, work, carried[j])
            mix(act, outer, work, block[j], carried[j])
    return FINE
