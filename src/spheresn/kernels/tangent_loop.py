"""Tangents along a signal: one vector with its sizes, or a block of rows without."""

from __future__ import annotations

from typing import Any

import numpy as np

from .activate import sum_of_squares
from .names import FINE, OVERFLOW, copy_row, entry
from .rows import multiply_both, scale_to_one
from .tangent import tangent_step, work_space


@entry
def tangent_vector_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, state: Any, tangent: Any, sizes: Any
) -> tuple[int, int]:
    """sizes[k] = |J_k v|/|v| along the signal, v renewed to length one each step; state and tangent in place.

    Zero once the tangent has vanished. Returns the status and the step it belongs to.
    """
    low, high = act[4], act[5]
    a, value, slope, mixed = work_space(state)
    moved = np.empty_like(tangent)
    block, carried = tangent.reshape(1, -1), moved.reshape(1, -1)
    for k in range(len(signal)):
        multiply_both(recurrent, state, block, a, carried)
        status = tangent_step(inputs, bias, act, signal[k], state, block, carried, a, value, slope, mixed)
        if status != FINE:
            return status, k
        sizes[k] = scale_to_one(moved, sum_of_squares(moved), low, high, tangent)
        if not np.isfinite(sizes[k]):
            return OVERFLOW, k
        if sizes[k] == 0:
            sizes[k:] = 0
            tangent[:] = 0
            return FINE, k
    return FINE, len(signal)


@entry
def tangent_block_loop(recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, state: Any, block: Any) -> tuple[int, int]:
    """state and the rows of block carried along the signal, in place. Returns the status and the step it belongs to."""
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
