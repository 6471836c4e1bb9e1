"""Open loops: a reservoir driven by a signal, and many networks that share W."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import copy_row, entry
from .activate import activate
from .codes import DEGENERATE, FINE, GUARD, OVERFLOW, RARE, fast_path, guarded
from .preactivation import add_input, preactivation


def open_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, start: Any, states: Any
) -> tuple[int, int]:
    """states[k] = f(W states[k-1] + W_in signal[k] + b).

    Returns the number of degenerate steps, and the step that overflowed or -1. `inputs` is W_in
    transposed (d, N). A rare step runs in a loop of its own, which is compiled when the first rare
    step occurs.
    """
    fast, previous, a = fast_path(act), start, guarded(start.shape, start.dtype)
    k = degenerate = 0
    while True:
        status, steps = steady_loop(
            recurrent, inputs, bias, fast, signal[k:], previous, a, states[k:]
        )
        k += steps
        if status == FINE:
            break
        if status == RARE:
            previous = states[k - 1] if k else start
            status, _ = steady_loop(
                recurrent, inputs, bias, act, signal[k : k + 1], previous, a, states[k : k + 1]
            )
        if status == OVERFLOW:
            break
        degenerate += status == DEGENERATE
        previous = states[k]
        k += 1
    return degenerate, k if status == OVERFLOW else -1


@entry
def steady_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, start: Any, a: Any, states: Any
) -> tuple[int, int]:
    """`open_loop` up to the first step whose status is not FINE.

    Returns that status and step; `a` is overwritten.
    """
    previous = start
    for k in range(len(signal)):
        squares = preactivation(recurrent, previous, inputs, bias, signal[k], a)
        state = states[k]
        status = activate(act, a, squares, previous, state)
        if status != FINE:
            return status, k
        previous = state
    return FINE, len(signal)


@entry
def batch_loop(
    matrix: Any,
    scales: Any,
    inputs: Any,
    biases: Any,
    act: Any,
    signals: Any,
    starts: Any,
    states: Any,
) -> tuple[int, int, int]:
    """states[b, k] = f(scales[b] W states[b, k-1] + inputs[b] s_k + biases[b]) for all b at once.

    Each step is one matrix product. inputs (B or 1, d, N), biases (B or 1, N), signals (B or 1, T,
    d): a first axis of length one is shared by all b. Returns the number of degenerate steps, and
    the b and the step that overflowed or -1, -1.
    """
    count, steps, _ = states.shape
    current = starts.copy()
    a = np.empty(starts.size + 2 * GUARD, starts.dtype)[GUARD : GUARD + starts.size]
    a = a.reshape(starts.shape)
    degenerate = 0
    for k in range(steps):
        np.dot(current, matrix.T, a)
        for b in range(count):
            row = a[b]
            for i in range(len(row)):
                row[i] *= scales[b]
            squares = add_input(
                inputs[b % len(inputs)], biases[b % len(biases)], signals[b % len(signals), k], row
            )
            status = activate(act, row, squares, current[b], states[b, k])
            if status == OVERFLOW:
                return degenerate, b, k
            degenerate += status == DEGENERATE
            copy_row(states[b, k], current[b])
    return degenerate, -1, -1
