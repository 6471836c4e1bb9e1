"""Free runs over held-out rows, by which forecasters of series and of fields are chosen: the rows
that are held out, where runs begin, and their score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats

HELD_OUT = 0.25  # of a series, at its end, chooses its model
HELD_SHARE = 0.64  # of the held-out rows: a run is so long, so that starts differ by the rest
# Deviations of the series. Below the first an error is that of the arithmetic, and beyond the
# second one run that escapes would outweigh all others.
LEAST_ERROR, LARGEST_ERROR = 1e-15, 10.0


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


class Score(NamedTuple):
    """How good free runs are; compared by their parts, in this order.

    folds: by how many e-folds the error stays below one deviation, averaged over the steps; error:
    minus the mean error; steps: how long the error stays below one deviation.
    """

    folds: float
    error: float
    steps: float

    @staticmethod
    def of(runs: Floats) -> Score:
        """From the errors (R, T) of each step of several runs, in deviations."""
        errors = np.clip(np.maximum.accumulate(runs, axis=1), LEAST_ERROR, 1.0)
        return Score(
            -float(np.log(errors).mean()),
            -float(np.minimum(runs, LARGEST_ERROR).mean()),
            float((errors < 1.0).sum(axis=1).mean()),
        )
