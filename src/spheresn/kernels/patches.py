"""One network for many patches of a field: all of them driven in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import entry
from .activate import activate
from .codes import FINE, OVERFLOW, RARE, fast_path, guarded
from .preactivation import preactivation


def patch_loop(recurrent: Any, bias: Any, act: Any, start: Any, drive: Any) -> int:
    """drive[k, p] = f(W drive[k-1, p] + drive[k, p] + b): what was W_in s becomes the state.

    drive (T, P, N), start (P, N), all C-contiguous. Returns the number of states, counted over all
    patches of one step after the other, before one that overflowed: T P if none did. Rare steps run
    as in `open_loop`.
    """
    fast, a = fast_path(act), guarded(start.shape[1:], start.dtype)
    one, rows = np.ones(1, start.dtype), drive.reshape(-1, start.shape[1])
    r = 0
    while True:
        status, r = steady_patch_loop(recurrent, bias, fast, start, one, a, rows, r, len(rows))
        if status == RARE:
            status, r = steady_patch_loop(recurrent, bias, act, start, one, a, rows, r, r + 1)
        if status == OVERFLOW or r == len(rows):
            return r


@entry
def steady_patch_loop(
    recurrent: Any,
    bias: Any,
    act: Any,
    start: Any,
    one: Any,
    a: Any,
    rows: Any,
    first: int,
    stop: int,
) -> tuple[int, int]:
    """`patch_loop` from row `first` up to `stop`, or to one that is RARE or overflows."""
    count = len(start)
    for r in range(first, stop):
        previous = start[r] if r < count else rows[r - count]
        squares = preactivation(recurrent, previous, rows[r : r + 1], bias, one, a)
        status = activate(act, a, squares, previous, rows[r])
        if status >= OVERFLOW:
            return status, r
    return FINE, stop
