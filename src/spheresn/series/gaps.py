"""Rows of which some cells are missing (NaN): guesses for them, and the gaps too long to guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from .._validation import Floats

# Rows: over so many a smooth curve is a fair guess of a series; a longer gap is not learned from,
# as long as half of the rows are left.
GUESSED_GAP = 3
LEAST_USED = 0.5


def guessed(rows: Floats) -> Floats:
    """The rows (T, d) with missing cells on a smooth curve without overshoot; at the ends the
    nearest value.

    >>> guessed(np.array([[np.nan], [1.0], [2.0], [np.nan], [4.0]])).ravel().tolist()
    [1.0, 1.0, 2.0, 3.0, 4.0]
    >>> guessed(np.array([[np.nan], [-2.0]])).ravel().tolist()
    [-2.0, -2.0]
    """
    if not np.isnan(rows).any():
        return rows
    times, found = np.arange(len(rows)), rows.copy()
    for column in found.T:
        known = np.flatnonzero(~np.isnan(column))
        if len(known) == len(column):
            continue
        if len(known) > 1:
            inside = np.clip(times, known[0], known[-1])
            column[:] = PchipInterpolator(known, column[known])(inside)
        else:
            column[:] = column[known[0]] if len(known) else 0.0
    return found


def learnable(rows: Floats) -> NDArray[np.bool_]:
    """The rows (T,) that are not in a long gap; all of them if less than half would be left.

    >>> holes = np.zeros((20, 1))
    >>> holes[[2, 7, 8, 9, 10]] = np.nan
    >>> np.flatnonzero(~learnable(holes)).tolist()
    [7, 8, 9, 10]
    """
    missing = np.isnan(rows).any(axis=1).astype(np.int8)
    edges = np.flatnonzero(np.diff(missing, prepend=0, append=0)).reshape(-1, 2)
    usable = np.ones(len(rows), dtype=bool)
    for first, stop in edges[np.diff(edges, axis=1)[:, 0] > GUESSED_GAP]:
        usable[first:stop] = False
    return usable if usable.mean() >= LEAST_USED else np.ones(len(rows), dtype=bool)
