"""Closed loops: a network fed by its own output, running freely or trained by FORCE."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from ._jit import INLINED, copy_row, entry, guarded_like, inlined
from .activate import activate
from .codes import BEYOND, DIVERGED, FINE, OVERFLOW, Network, advance, guarded
from .least_squares import absorb_fading, back_substitute
from .preactivation import preactivation


@inlined
def bend_back(value: float, low: float, high: float) -> float:
    """`series.scaling.soft_clip` of one number."""
    width = BEYOND * (high - low)
    if value > high:
        return high + width * np.tanh((value - high) / width) if width > 0.0 else high
    if value < low:
        return low + width * np.tanh((value - low) / width) if width > 0.0 else low
    return value


def read_out(readout: Any, state: Any, output: Any) -> bool:
    """output = carry · output + b + Wᵀ (x, products of principal components), kept near the bounds
    as by `soft_clip`.

    Inside compiled loops only. Returns whether the output is below DIVERGED.
    """
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


def _linear(readout: Any, state: Any, output: Any) -> bool:  # pragma: no cover - compiled by numba
    carry, low, high, intercept, linear = readout
    finite = True
    for i in range(len(output)):
        total = intercept[i]
        for j in range(len(state)):
            total += linear[i, j] * state[j]
        output[i] = bend_back(carry * output[i] + total, low[i], high[i])
        finite = finite and abs(output[i]) < DIVERGED
    return finite


def _quadratic(
    readout: Any, state: Any, output: Any
) -> bool:  # pragma: no cover - compiled by numba
    carry, low, high, intercept, linear, centre, components, quadratic, scores = readout
    finite = True
    for c in range(len(scores)):
        total = 0.0
        for j in range(len(state)):
            total += components[c, j] * (state[j] - centre[j])
        scores[c] = total
    for i in range(len(output)):
        total = intercept[i]
        for j in range(len(state)):
            total += linear[i, j] * state[j]
        n = 0
        for c in range(len(scores)):
            for d in range(c, len(scores)):
                total += quadratic[i, n] * scores[c] * scores[d]
                n += 1
        output[i] = bend_back(carry * output[i] + total, low[i], high[i])
        finite = finite and abs(output[i]) < DIVERGED
    return finite


@overload(read_out, jit_options=INLINED)
def _choose(readout: Any, state: Any, output: Any) -> Any:
    return _linear if len(readout) == 5 else _quadratic


def closed_loop(
    network: Network, readout: Any, exogenous: Any, last: Any, start: Any, shocks: Any, outputs: Any
) -> int:
    """outputs[k] = the readout of the state after the input (outputs[k-1], exogenous[k]), plus
    shocks[k], unless there are none (0, m).

    `last` is the output before the first step and changes in place; `start` is the state before it
    enters the network. Returns the number of steps that stayed finite.
    """
    state, workspace = start.copy(), guarded((2, len(start)), start.dtype)
    row = np.empty(outputs.shape[1] + exogenous.shape[1], start.dtype)

    def piece(network: Network, first: int, stop: int) -> Any:
        known, pushed, found = exogenous[first:stop], shocks[first:stop], outputs[first:stop]
        return steady_closed_loop(
            network, readout, known, last, row, state, workspace, pushed, found
        )

    return advance(network, piece, 0, len(outputs))[1]


@entry
def steady_closed_loop(
    network: Any,
    readout: Any,
    exogenous: Any,
    last: Any,
    input_row: Any,
    start: Any,
    workspace: Any,
    shocks: Any,
    outputs: Any,
) -> tuple[int, int]:
    """`closed_loop` up to the first step that is RARE or not finite.

    Returns the status and that step; `start` becomes the state there.
    """
    recurrent, inputs, bias, act = network
    steps, m = outputs.shape
    state, after, a = start, workspace[0], workspace[1]
    reached, k = FINE, 0
    while k < steps:
        copy_row(last, input_row[:m])
        copy_row(exogenous[k], input_row[m:])
        squares = preactivation(recurrent, state, inputs, bias, input_row, a)
        reached = activate(act, a, squares, state, after)
        if reached >= OVERFLOW:
            break
        reached = FINE
        state, after = after, state
        if not read_out(readout, state, last):
            return OVERFLOW, k
        if len(shocks):
            for i in range(m):
                last[i] += shocks[k, i]
        copy_row(last, outputs[k])
        k += 1
    if k % 2 == 1:
        copy_row(state, start)
    return reached, k


@entry
def force_loop(
    network: Any,
    signal: Any,
    targets: Any,
    learning: Any,
    factors: Any,
    start: Any,
    outputs: Any,
) -> tuple[int, Any]:
    """FORCE: the output is fed back while recursive least squares changes the readout.

    `learning` is (every, forgetting, penalty). `factors` are the triangle and the right side, which
    change in place. Returns the number of steps that stayed finite, and the last state.
    """
    every, forgetting, penalty = learning
    triangle, right = factors
    recurrent, inputs, bias, act = network
    steps, m = outputs.shape
    d = signal.shape[1]
    state, after, a = start.copy(), guarded_like(start), guarded_like(start)
    input_row, row, target_row = np.zeros(d + m, start.dtype), np.empty(len(triangle)), np.empty(m)
    weights = np.zeros_like(right)
    for k in range(steps):
        copy_row(signal[k], input_row[:d])
        squares = preactivation(recurrent, state, inputs, bias, input_row, a)
        if activate(act, a, squares, state, after) == OVERFLOW:
            return k, state
        state, after = after, state
        if k % every == 0:
            row[0] = 1.0
            copy_row(state, row[1:])
            copy_row(targets[k], target_row)
            absorb_fading(triangle, right, row, target_row, forgetting, penalty, k // every)
            back_substitute(triangle, right, weights)
        for i in range(m):
            total = weights[0, i]
            for j in range(len(state)):
                total += weights[1 + j, i] * state[j]
            outputs[k, i] = total
            input_row[d + i] = total
    return steps, state
