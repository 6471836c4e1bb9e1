"""Many networks that share W, as one matrix product per step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import copy_row, entry
from .activate import activate
from .codes import DEGENERATE, OVERFLOW
from .preactivation import add_input


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

    inputs (B or 1, d, N), biases (B or 1, N), signals (B or 1, T, d): a first axis of one is shared
    by all. Returns the number of degenerate steps, and the row and step that overflowed, or -1, -1.
    """
    count, steps, _ = states.shape
    current, a = starts.copy(), np.empty_like(starts)
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
