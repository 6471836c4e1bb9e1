"""Open loops: a reservoir driven by a signal, and many networks that share W."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import copy_row, entry
from .activate import activate
from .codes import DEGENERATE, FINE, GUARD, OVERFLOW, Network, guarded
from .preactivation import add_input, preactivation
from .rare_steps import advance


def open_loop(network: Network, signal: Any, start: Any, states: Any) -> tuple[int, int]:
    """states[k] = f(W states[k-1] + W_in signal[k] + b).

    Returns the number of degenerate steps, and the step that overflowed or -1.
    """
    a, k, degenerate = guarded(start.shape, start.dtype), 0, 0

    def piece(network: Network, first: int, stop: int) -> Any:
        previous = states[first - 1] if first else start
        return steady_loop(network, signal[first:stop], previous, a, states[first:stop])

    while True:
        status, k = advance(network, piece, k, len(signal))
        if status != DEGENERATE:
            return degenerate, k if status == OVERFLOW else -1
        degenerate += 1
        k += 1


@entry
def steady_loop(network: Any, signal: Any, start: Any, a: Any, states: Any) -> tuple[int, int]:
    """`open_loop` up to the first step whose status is not FINE.

    Returns that status and step; `a` is overwritten.
    """
    recurrent, inputs, bias, act = network
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
    networks: Any, scales: Any, signals: Any, starts: Any, states: Any
) -> tuple[int, int, int]:
    """states[b, k] = f(scales[b] W states[b, k-1] + inputs[b] s_k + bias[b]) for all b at once.

    Each step is one product with W, which is dense. `networks` has inputs (B or 1, d, N) and bias
    (B or 1, N), and signals is (B or 1, T, d): a first axis of length one is shared by all b.
    Returns the number of degenerate steps, and the b and the step that overflowed or -1, -1.
    """
    recurrent, inputs, biases, act = networks
    count, steps, _ = states.shape
    current = starts.copy()
    a = np.empty(starts.size + 2 * GUARD, starts.dtype)[GUARD : GUARD + starts.size]
    a = a.reshape(starts.shape)
    degenerate = 0
    for k in range(steps):
        np.dot(current, recurrent.matrix.T, a)
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
