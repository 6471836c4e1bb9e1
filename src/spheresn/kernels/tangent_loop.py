"""Tangents along a signal: one vector with its sizes, or a block of rows without."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import sphere
from ._jit import copy_row, entry
from .activate import sum_of_squares
from .codes import FINE, OVERFLOW, RARE, swift
from .rows import multiply_both
from .tangent import tangent_step, work_space


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
    """sizes[k] = |J_k v|/|v| along the signal, v renewed to length one each step; state and tangent
    in place.

    Zero once the tangent has vanished. Returns the status and the step it belongs to. Rare steps as
    in `open_loop`.
    """
    quick, k = swift(act), 0
    block, room = tangent.reshape(1, -1), np.empty((5, len(state)), state.dtype)
    while True:
        status, steps = steady_vector_loop(
            recurrent, inputs, bias, quick, signal[k:], state, block, room, sizes[k:]
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
                room,
                sizes[k : k + 1],
            )
            if status == FINE and steps == 1:
                k += 1
                continue
        if status != FINE or k == len(signal):
            return status, k
        sizes[k] = sphere.norm(room[4])
        if not np.isfinite(sizes[k]):
            return OVERFLOW, k
        if sizes[k] == 0:
            sizes[k:], tangent[:] = 0, 0
            return FINE, k
        tangent[:] = sphere.unit(room[4])
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
    room: Any,
    sizes: Any,
) -> tuple[int, int]:
    """`tangent_vector_loop` up to a step whose status is not FINE, or that leaves a tangent of
    unsafe size in room[4].
    """
    a, value, slope, mixed, carried, tangent = (
        room[0],
        room[1],
        room[2],
        room[3],
        room[4:],
        block[0],
    )
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
    """state and the rows of block carried along the signal, in place. Returns the status and the
    step it belongs to.
    """
    a, value, slope, mixed = work_space(state)
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
