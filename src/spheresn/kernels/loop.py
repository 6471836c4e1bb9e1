"""The open loop: a reservoir driven by a signal, one state per row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import entry
from .activate import activate
from .codes import DEGENERATE, FINE, OVERFLOW, RARE, swift
from .preactivation import preactivation


def open_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, start: Any, states: Any
) -> tuple[int, int]:
    """states[k] = f(W states[k-1] + W_in signal[k] + b); returns how many steps were degenerate and
    the step that overflowed, or -1.

    `inputs` is W_in transposed (d, N). A rare step is taken by itself, in a loop that is compiled
    when the first of them comes.
    """
    quick, previous, a = swift(act), start, np.empty_like(start)
    k = degenerate = 0
    while True:
        status, steps = steady_loop(
            recurrent, inputs, bias, quick, signal[k:], previous, a, states[k:]
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
    """`open_loop` up to the first step whose status is not FINE. Returns that status and step; `a`
    is room to work in.
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
