"""Loops that carry tangents along a signal: one vector, a block of rows, or all past inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import sphere
from ._jit import copy_row, entry
from .activate import sum_of_squares
from .codes import FINE, OVERFLOW, RARE, fast_path, guarded
from .rows import length, multiply_both
from .tangent import new_workspace, tangent_step


def tangent_vector_loop(
    recurrent: Any,
    inputs: Any,
    bias: Any,
    act: Any,
    signal: Any,
    state: Any,
    tangent: Any,
    sizes: Any,
) -> tuple[int, int]:
    """sizes[k] = |J_k v|/|v| along the signal, with v scaled to length one after each step.

    The sizes are zero once the tangent has vanished. State and tangent change in place. Returns a
    status and its step. Rare steps run as in `open_loop`.
    """
    fast, k = fast_path(act), 0
    block, workspace = tangent.reshape(1, -1), guarded((5, len(state)), state.dtype)
    while True:
        status, steps = steady_vector_loop(
            recurrent, inputs, bias, fast, signal[k:], state, block, workspace, sizes[k:]
        )
        k += steps
        if status == RARE:
            status, steps = steady_vector_loop(
                recurrent,
                inputs,
                bias,
                act,
                signal[k : k + 1],
                state,
                block,
                workspace,
                sizes[k : k + 1],
            )
            if status == FINE and steps == 1:
                k += 1
                continue
        if status != FINE or k == len(signal):
            return status, k
        sizes[k] = sphere.norm(workspace[4])
        if not np.isfinite(sizes[k]):
            return OVERFLOW, k
        if sizes[k] == 0:
            sizes[k:], tangent[:] = 0, 0
            return FINE, k
        tangent[:] = sphere.unit(workspace[4])
        k += 1


@entry
def steady_vector_loop(
    recurrent: Any,
    inputs: Any,
    bias: Any,
    act: Any,
    signal: Any,
    state: Any,
    block: Any,
    workspace: Any,
    sizes: Any,
) -> tuple[int, int]:
    """`tangent_vector_loop` up to a step whose status is not FINE, or whose tangent is unsafe.

    workspace[4] then holds a tangent whose square may overflow or underflow.
    """
    a, value, slope, mixed = workspace[0], workspace[1], workspace[2], workspace[3]
    carried, tangent = workspace[4:], block[0]
    for k in range(len(signal)):
        multiply_both(recurrent, state, block, a, carried)
        status = tangent_step(
            inputs, bias, act, signal[k], state, block, carried, a, value, slope, mixed
        )
        if status != FINE:
            return status, k
        moved = carried[0]
        squares = sum_of_squares(moved)
        if not act.low < squares < act.high:
            return FINE, k
        sizes[k] = np.sqrt(squares)
        inverse = state.dtype.type(1) / np.sqrt(squares)
        for i in range(len(tangent)):
            tangent[i] = moved[i] * inverse
    return FINE, len(signal)


@entry
def tangent_block_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, state: Any, block: Any
) -> tuple[int, int]:
    """Carry state and the rows of block along the signal, in place; returns status and step."""
    a, value, slope, mixed = new_workspace(state)
    old, new = block, np.empty_like(block)
    for k in range(len(signal)):
        multiply_both(recurrent, state, old, a, new)
        status = tangent_step(inputs, bias, act, signal[k], state, old, new, a, value, slope, mixed)
        if status != FINE:
            return status, k
        old, new = new, old
    if len(signal) % 2 == 1:
        for i in range(len(block)):
            copy_row(old[i], block[i])
    return FINE, len(signal)


@entry
def sensitivity_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, state: Any, sizes: Any
) -> tuple[int, int]:
    """sizes[i, j] = |dx_n/ds_{n-j}| for the last len(sizes) steps n; returns a status and its step.

    A circular buffer of max_delay + 1 slots holds d tangents per delay. Each step carries all of
    them, and the newest input replaces the oldest.
    """
    times, slots = sizes.shape
    width = len(inputs)
    a, value, slope, mixed = new_workspace(state)
    old = np.zeros((slots * width, len(state)), state.dtype)
    new = np.empty_like(old)
    for k in range(len(signal)):
        multiply_both(recurrent, state, old, a, new)
        newest = (k % slots) * width
        old[newest : newest + width] = 0
        for i in range(width):
            copy_row(inputs[i], new[newest + i])
        status = tangent_step(inputs, bias, act, signal[k], state, old, new, a, value, slope, mixed)
        if status != FINE:
            return status, k
        old, new = new, old
        row = k - len(signal) + times
        if row >= 0:
            for j in range(slots):
                first = ((k - j) % slots) * width
                column = old[first : first + width].ravel()
                sizes[row, j] = length(column, sum_of_squares(column), act.low, act.high)
    return FINE, len(signal)
