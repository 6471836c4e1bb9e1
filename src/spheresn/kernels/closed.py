"""The closed loop: a network that hears its own output, running free or being taught."""

from __future__ import annotations

from typing import Any

import numpy as np

from .activate import activate
from .excite import excite
from .names import OVERFLOW, copy_row, entry, inlined
from .rotate import absorb_fading, back_substitute

ENDLESS = 1e100  # deviations of the series: a run that gets here is as good as infinite, and can still be scaled back


@inlined
def read_out(
    carry: Any, intercept: Any, linear: Any, centre: Any, components: Any, quadratic: Any, scores: Any, state: Any, output: Any
) -> bool:
    """output = carry · output + b + Wᵀ (x, products of principal components)."""
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
        output[i] = carry * output[i] + total
        finite = finite and abs(output[i]) < ENDLESS
    return finite


@entry
def closed_loop(recurrent: Any, inputs: Any, bias: Any, act: Any, readout: Any, known: Any, last: Any, start: Any, outputs: Any) -> Any:
    """outputs[k]: hear the last output beside known[k], then read out. Returns the number of steps that stayed finite.

    `start` is the state before the value `last` is heard; `last` is changed.
    """
    carry, intercept, linear, centre, components, quadratic, scores = readout
    steps, m = outputs.shape
    state, after, a = start.copy(), np.empty_like(start), np.empty_like(start)
    heard = np.empty(m + known.shape[1], start.dtype)
    for k in range(steps):
        copy_row(last, heard[:m])
        copy_row(known[k], heard[m:])
        squares = excite(recurrent, state, inputs, bias, heard, a)
        if activate(act, a, squares, state, after) == OVERFLOW:
            return k
        state, after = after, state
        if not read_out(carry, intercept, linear, centre, components, quadratic, scores, state, last):
            return k
        copy_row(last, outputs[k])
    return steps


@entry
def taught_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, targets: Any, learning: Any, factors: Any, start: Any, outputs: Any
) -> tuple[int, Any]:
    """FORCE: the output is fed back while recursive least squares changes the readout.

    `learning` is (every, forgetting, penalty), `factors` the triangle and right side, changed in place.
    Returns the number of steps that stayed finite, and the last state.
    """
    every, forgetting, penalty = learning
    triangle, right = factors
    steps, m = outputs.shape
    d = signal.shape[1]
    state, after, a = start.copy(), np.empty_like(start), np.empty_like(start)
    heard, row, wanted = np.zeros(d + m, start.dtype), np.empty(len(triangle)), np.empty(m)
    weights = np.zeros_like(right)
    for k in range(steps):
        copy_row(signal[k], heard[:d])
        squares = excite(recurrent, state, inputs, bias, heard, a)
        if activate(act, a, squares, state, after) == OVERFLOW:
            return k, state
        state, after = after, state
        if k % every == 0:
            row[0] = 1.0
            copy_row(state, row[1:])
            copy_row(targets[k], wanted)
            absorb_fading(triangle, right, row, wanted, forgetting, penalty, k // every)
            back_substitute(triangle, right, weights)
        for i in range(m):
            total = weights[0, i]
            for j in range(len(state)):
                total += weights[1 + j, i] * state[j]
            outputs[k, i] = total
            heard[d + i] = total
    return steps, state
