"""Loops that carry tangents along a signal: one vector, a block of rows, or all past inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import sphere
from ._jit import copy_row, entry
from .activate import sum_of_squares
from .codes import FINE, OVERFLOW, UNSAFE, Network, advance, guarded
from .preactivation import add_input
from .rows import length, multiply_both
from .tangent import Workspace, activate_both, new_workspace


def tangent_vector_loop(
    network: Network, signal: Any, state: Any, tangent: Any, sizes: Any
) -> tuple[int, int]:
    """sizes[k] = |J_k v|/|v| along the signal, with v scaled to length one after each step.

    The sizes are zero once the tangent has vanished. State and tangent change in place. Returns a
    status and its step.
    """
    k, block, workspace = 0, tangent.reshape(1, -1), guarded((5, len(state)), state.dtype)

    def piece(network: Network, first: int, stop: int) -> Any:
        rows, found = signal[first:stop], sizes[first:stop]
        return steady_vector_loop(network, rows, state, block, workspace, found)

    while True:
        status, k = advance(network, piece, k, len(signal))
        if status != UNSAFE:
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
    network: Any, signal: Any, state: Any, block: Any, workspace: Any, sizes: Any
) -> tuple[int, int]:
    """`tangent_vector_loop` up to the first step whose status is not FINE.

    UNSAFE: workspace[4] is a tangent whose square may overflow or underflow.
    """
    recurrent, inputs, bias, act = network
    work = Workspace(workspace[0], workspace[1], workspace[2], workspace[3])
    carried, tangent = workspace[4:], block[0]
    for k in range(len(signal)):
        multiply_both(recurrent, state, block, work.a, carried)
        squares = add_input(inputs, bias, signal[k], work.a)
        status = activate_both(act, squares, state, block, carried, work)
        if status != FINE:
            return status, k
        moved = carried[0]
        squares = sum_of_squares(moved)
        if not act.low < squares < act.high:
            return UNSAFE, k
        sizes[k] = np.sqrt(squares)
        inverse = state.dtype.type(1) / np.sqrt(squares)
        for i in range(len(tangent)):
            tangent[i] = moved[i] * inverse
    return FINE, len(signal)


@entry
def tangent_block_loop(network: Any, signal: Any, state: Any, block: Any) -> tuple[int, int]:
    """Carry state and the rows of block along the signal, in place; returns status and step."""
    recurrent, inputs, bias, act = network
    work = new_workspace(state)
    old, new = block, np.empty_like(block)
    for k in range(len(signal)):
        multiply_both(recurrent, state, old, work.a, new)
        squares = add_input(inputs, bias, signal[k], work.a)
        status = activate_both(act, squares, state, old, new, work)
        if status != FINE:
            return status, k
        old, new = new, old
    if len(signal) % 2 == 1:
        for i in range(len(block)):
            copy_row(old[i], block[i])
    return FINE, len(signal)


@entry
def sensitivity_loop(network: Any, signal: Any, state: Any, sizes: Any) -> tuple[int, int]:
    """sizes[i, j] = |dx_n/ds_{n-j}| for the last len(sizes) steps n; returns a status and its step.

    A circular buffer of max_delay + 1 slots holds d tangents per delay. Each step carries all of
    them, and the newest input replaces the oldest.
    """
    recurrent, inputs, bias, act = network
    times, slots = sizes.shape
    width = len(inputs)
    work = new_workspace(state)
    old = np.zeros((slots * width, len(state)), state.dtype)
    new = np.empty_like(old)
    for k in range(len(signal)):
        multiply_both(recurrent, state, old, work.a, new)
        newest = (k % slots) * width
        old[newest : newest + width] = 0
        for i in range(width):
            copy_row(inputs[i], new[newest + i])
        squares = add_input(inputs, bias, signal[k], work.a)
        status = activate_both(act, squares, state, old, new, work)
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
