"""One network for many patches of a field: all of them driven in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import entry
from .activate import activate
from .codes import FINE, OVERFLOW, Network, guarded
from .preactivation import preactivation
from .rare_steps import advance


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
