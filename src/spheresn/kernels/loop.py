"""The open loop: a reservoir driven by a signal, one state per row."""

from __future__ import annotations

from typing import Any

import numpy as np

from .activate import activate
from .excite import excite
from .names import DEGENERATE, OVERFLOW, entry


@entry
def open_loop(recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, start: Any, states: Any) -> tuple[int, int]:
    """states[k] = f(W states[k-1] + W_in signal[k] + b); returns how many steps were degenerate and the step that overflowed, or -1.

    `inputs` is W_in transposed (d, N); `act` is (kind, radius, bend, leak, low, high).
    """
    previous = start
    degenerate = 0
    a = np.empty_like(start)
    for k in range(len(signal)):
        squares = excite(recurrent, previous, inputs, bias, signal[k], a)
        state = states[k]
        status = activate(act, a, squares, previous, state)
        if status == OVERFLOW:
            return degenerate, k
        degenerate += status == DEGENERATE
        previous = state
    return degenerate, -1
