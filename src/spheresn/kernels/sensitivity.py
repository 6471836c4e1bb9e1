"""How much each past input moves the present state: the columns of all delays carried in one
pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import copy_row, entry
from .activate import sum_of_squares
from .codes import FINE
from .rows import length, multiply_both
from .tangent import tangent_step, work_space


@entry
def sensitivity_loop(
    recurrent: Any, inputs: Any, bias: Any, act: Any, signal: Any, state: Any, sizes: Any
) -> tuple[int, int]:
    """sizes[i, j] = |dx_n/ds_{n-j}| for the last len(sizes) steps n. Returns the status and the
    step it belongs to.

    A ring of max_delay + 1 slots holds d rows per delay: at each step all move on, and the newest
    input replaces the oldest.
    """
    times, slots = sizes.shape
    width = len(inputs)
    a, value, slope, mixed = work_space(state)
    old = np.zeros((slots * width, len(state)), state.dtype)
    new = np.empty_like(old)
    for k in range(len(signal)):
        multiply_both(recurrent, state, old, a, new)
        newest = (k % slots) * width
        old[newest : newest + width] = 0
        for i in range(width):
            copy_row(inputs[i], new[newest + i])
        status = tangent_step(inputs, bias, act, signal[k], state, old, new, a, value, slope, mixed)
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
