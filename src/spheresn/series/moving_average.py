"""The moving average over one season, and what lies beside it."""

from __future__ import annotations

import numpy as np

from .._validation import Floats


def beside_moving_average(values: Floats, season: int) -> tuple[int, Floats]:
    """Values (T,) less their centred moving average over one season, from the first row that has
    one; that row, and the rest (T - season + 1,), or one less if the season is even.

    >>> first, rest = beside_moving_average(np.array([0.0, 3.0, 0.0, 0.0, 3.0]), 3)
    >>> first, rest.tolist()
    (1, [2.0, -1.0, -1.0])
    """
    window = np.ones(season) if season % 2 else np.r_[0.5, np.ones(season - 1), 0.5]
    trend = np.convolve(values, window / season, "valid")
    first = (len(window) - 1) // 2
    return first, values[first : first + len(trend)] - trend
