"""Open loops: a reservoir driven by a signal, many networks that share W, one network for
the patches of a field, and how often each unit leads its group.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import copy_row, entry, inlined
from .activate import activate
from .codes import DEGENERATE, FINE, GUARD, OVERFLOW, Network, advance, guarded
from .preactivation import add_input, preactivation


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


def patch_loop(network: Network, start: Any, drive: Any) -> int:
    """drive[k, p] = f(W drive[k-1, p] + drive[k, p] + b): what was W_in s becomes the state.

    drive (T, P, N), start (P, N), all C-contiguous. Returns the number of states, counted over all
    patches of one step after the other, before one that overflowed: T P if none did.
    """
    one, a = np.ones(1, start.dtype), guarded(start.shape[1:], start.dtype)
    rows = drive.reshape(-1, start.shape[1])

    def piece(network: Network, first: int, stop: int) -> Any:
        return steady_patch_loop(network, start, one, a, rows, first, stop)

    return advance(network, piece, 0, len(rows))[1]


@entry
def steady_patch_loop(
    network: Any, start: Any, one: Any, a: Any, rows: Any, first: int, stop: int
) -> tuple[int, int]:
    """`patch_loop` from row `first` up to `stop`, or to one that is RARE or overflows.

    Returns a status and the number of rows.
    """
    recurrent, _, bias, act = network
    count = len(start)
    for r in range(first, stop):
        previous = start[r] if r < count else rows[r - count]
        squares = preactivation(recurrent, previous, rows[r : r + 1], bias, one, a)
        status = activate(act, a, squares, previous, rows[r])
        if status >= OVERFLOW:
            return status, r - first
    return FINE, stop - first


@inlined
def extremes(values: Any) -> Any:
    """The largest and the smallest value."""
    top = bottom = values[0]
    for i in range(1, len(values)):
        top = values[i] if values[i] > top else top
        bottom = values[i] if values[i] < bottom else bottom
    return top, bottom


@inlined
def count_leads(z: Any, edges: Any, counts: Any) -> None:
    """Add one to counts[0] of the unit with the largest z of each group, to counts[1] of the unit
    with the smallest.
    """
    one, zero = z.dtype.type(1), z.dtype.type(0)
    for g in range(len(edges) - 1):
        part = z[edges[g] : edges[g + 1]]
        above, below = counts[0, edges[g] : edges[g + 1]], counts[1, edges[g] : edges[g + 1]]
        top, bottom = extremes(part)
        for i in range(len(part)):
            above[i] += one if part[i] >= top else zero
            below[i] += one if part[i] <= bottom else zero


@entry
def lead_loop(
    network: Any,
    signal: Any,
    starts: Any,
    stride: int,
    skip: int,
    rest: Any,
    gains: Any,
    offsets: Any,
    edges: Any,
    work: Any,
    counts: Any,
) -> int:
    """counts[c, 0, i], counts[c, 1, i]: steps of case c at which unit i leads or trails its group.

    It leads if gains[i] state[i] - offsets[i] is the largest among the units edges[g] to
    edges[g + 1], and trails if it is the smallest. Case c has the rows starts[c] to starts[c + 1]
    of the signal. The state after a row depends on that row and on the state `stride` rows before,
    or on `rest` where there is none. The first `skip` rows of a case are not counted. Returns FINE,
    or the status of the first step that needs another loop; the counts are of no use then. `work`
    (4, N) is overwritten.
    """
    recurrent, inputs, bias, act = network
    for c in range(len(starts) - 1):
        for first in range(starts[c], min(starts[c] + stride, starts[c + 1])):
            previous, state, a, z = work[0], work[1], work[2], work[3]
            copy_row(rest, previous)
            for k in range(first, starts[c + 1], stride):
                squares = preactivation(recurrent, previous, inputs, bias, signal[k], a)
                status = activate(act, a, squares, previous, state)
                if status != FINE:
                    return status
                if k - starts[c] >= skip:
                    for i in range(len(z)):
                        z[i] = gains[i] * state[i] - offsets[i]
                    count_leads(z, edges, counts[c])
                previous, state = state, previous
    return FINE
