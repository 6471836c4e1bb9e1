"""Free runs that run away: recognised by what the series itself has done, and ended in its mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats

TWICE = 2.0  # times as far as the series ever left its own past
LEAST = 0.1  # of its range, in any case


def bounds(rows: Floats, steps: int) -> tuple[Floats, Floats]:
    """How far a forecast of `steps` rows may leave the range of the rows (T, d): twice as far as
    they did themselves within as many.

    A stationary series hardly leaves its past range; one with a trend does all the time, and may go
    on. Judged by the later half.
    """
    highest, lowest = np.maximum.accumulate(rows), np.minimum.accumulate(rows)
    half, reach = len(rows) // 2, min(steps, len(rows) // 4)
    least = LEAST * (highest[-1] - lowest[-1])
    up = (highest[half + reach :] - highest[half : len(rows) - reach]).max(axis=0)
    down = (lowest[half : len(rows) - reach] - lowest[half + reach :]).max(axis=0)
    return lowest[-1] - TWICE * down - least, highest[-1] + TWICE * up + least


@dataclass(frozen=True, eq=False)
class Runs:
    """Forecasts (K, H, d), and which of them (K,) ran away and were ended in the mean."""

    values: Floats
    away: NDArray[np.bool_]


def tamed(runs: Floats, rows: Floats) -> Runs:
    """Runs (K, H, d) after these rows, each from where it leaves the bounds on replaced by the mean
    of the rows.
    """
    low, high = bounds(rows, runs.shape[1])
    inside = ((runs >= low) & (runs <= high)).all(axis=2)
    gone = np.logical_not(np.logical_and.accumulate(inside, axis=1))
    return Runs(np.where(gone[:, :, None], rows.mean(axis=0), runs), gone[:, -1])
