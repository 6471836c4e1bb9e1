"""The score of free runs, by which forecasters of series and of fields are chosen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._validation import Floats

# Deviations of the series. Below the first an error is that of the arithmetic, and beyond the
# second one run that escapes would outweigh all others.
LEAST_ERROR, LARGEST_ERROR = 1e-15, 10.0
HELD_SHARE = 0.64  # of the held-out rows: a run is so long, so that starts differ by the rest


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
