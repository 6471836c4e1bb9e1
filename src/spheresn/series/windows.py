"""Rows of a series that are held out, and rows evenly spread over a stretch of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HELD_OUT = 0.25  # of a series, at its end, chooses its model


def first_held_out(rows: int) -> int:
    """The row from which on a series is held out: the last quarter.

    >>> first_held_out(200)
    150
    """
    return int(rows * (1.0 - HELD_OUT))


def evenly_spaced(first: int, last: int, count: int) -> NDArray[np.int64]:
    """`count` rows from `first` to `last`; a short stretch has some of them twice.

    >>> evenly_spaced(10, 20, 3).tolist()
    [10, 15, 20]
    """
    return np.linspace(first, last, count).astype(np.int64)
