"""Tangents along a signal: one vector with its growth, or a block of rows without."""

from __future__ import annotations

from typing import Any

import numpy as np

from .names import FINE, OVERFLOW, copy_row, entry
from .rows import multiply_both, scale_to_one
from .tangent import tangent_step, work_space


@entry
def tangent_vector_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, state: Any, tangent: Any, growth: Any
) -> tuple[int, int]:
    """growth[k] = log |J_k v|/|v| along the signal, v renewed to length one each step; state and tangent in place.

    -inf once the tangent has vanished. Returns the status and the step it belongs to.
    """
    low, high = act[4], act[5]
    work = work_space(state)
    block, carried = tangent.copy().reshape(1, -1), np.empty_like(tangent).reshape(1, -1)
    for k in range(len(signal)):
        multiply_both(recurrent, state, block, work[0], carried)
        status = tangent_step(inputs, bias, act, signal[k], state, block, carried, work)
        if status != FINE:
            return status, k
        size = scale_to_one(carried[0], low, high)
        if not np.isfinite(size):
            return OVERFLOW, k
        growth[k] = np.log(size)
        if size == 0:
            growth[k:] = -np.inf
            tangent[:] = 0
            return FINE, k
        block, carried = carried, block
    copy_row(block[0], tangent)
    return FINE, len(signal)


@entry
def tangent_block_loop(recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, state: Any, block: Any) -> tuple[int, int]:
    """state and the rows of block carried along the signal, in place. Returns the status and the step it belongs to."""
    work = work_space(state)
    old, new = block, np.empty_like(block)
    for k in range(len(signal)):
        multiply_both(recurrent, state, old, work[0], new)
        status = tangent_step(inputs, bias, act, signal[k], state, old, new, work)
        if status != FINE:
            return status, k
        old, new = new, old
    if len(signal) % 2 == 1:
        for i in range(len(block)):
            copy_row(old[i], block[i])
    return FINE, len(signal)
