"""How far a free run may leave the range of the series that it was learned from."""

from __future__ import annotations

import numpy as np

from .._errors import BadInput
from .._validation import Floats
from ..kernels import BEYOND

RANGE_MARGIN = 0.1  # of the range of a series: a forecast farther outside has left it
LARGEST_FLOAT = float(np.finfo(float).max)
PAST_EXCESSES = 2.0  # times as far as the series itself left its past range


def bounds(rows: Floats, steps: int) -> tuple[Floats, Floats]:
    """The lowest and highest values (d,) that a forecast of `steps` rows after these may have.

    A forecast may leave the range of the rows (T, d) by twice as much as the later half of the rows
    left the range before it within as many steps, and a margin. A stationary series hardly leaves
    its past range. A series with a trend does so all the time, and its forecast may go on.
    """
    highest, lowest = np.maximum.accumulate(rows), np.minimum.accumulate(rows)
    half, reach = len(rows) // 2, min(steps, len(rows) // 4)
    with np.errstate(over="ignore"):
        least = RANGE_MARGIN * (highest[-1] - lowest[-1])
        up = (highest[half + reach :] - highest[half : len(rows) - reach]).max(axis=0)
        down = (lowest[half : len(rows) - reach] - lowest[half + reach :]).max(axis=0)
        low, high = (
            lowest[-1] - PAST_EXCESSES * down - least,
            highest[-1] + PAST_EXCESSES * up + least,
        )
    return np.maximum(low, -LARGEST_FLOAT), np.minimum(high, LARGEST_FLOAT)


def bounds_around(mean: Floats, rows: Floats, steps: int) -> tuple[Floats, Floats]:
    """`bounds`, whose distance from the mean (d,) must be a number, so that they can be scaled."""
    low, high = bounds(rows, steps)
    with np.errstate(over="ignore"):
        near = np.isfinite(high - mean).all() and np.isfinite(low - mean).all()
    if not near:
        raise BadInput(
            "the series must leave room for its forecasts within the range of floats, got values "
            f"from {rows.min():.3g} to {rows.max():.3g}; scale it down"
        )
    return low, high


def soft_clip(values: Floats, low: Floats, high: Floats) -> Floats:
    """The values, bent back smoothly beyond the bounds.

    Above, v becomes high + w tanh((v - high)/w), where w is a tenth of the distance of the bounds;
    below in the same way. The slope is 1 at the bounds, and 0 far outside.

    >>> soft_clip(np.array([0.5, 1.0, 1.05, 9.0]), np.zeros(1), np.ones(1)).round(3).tolist()
    [0.5, 1.0, 1.046, 1.1]
    """
    beyond = _beyond(values, low, high)
    if not beyond.any():
        return values
    width = BEYOND * (high - low)
    scaled = np.divide(beyond, width, out=np.sign(beyond), where=(width > 0.0) & (beyond != 0.0))
    return np.asarray(np.where(beyond != 0.0, values - beyond + width * np.tanh(scaled), values))


def soft_clip_slope(values: Floats, low: Floats, high: Floats) -> Floats:
    """The derivative of `soft_clip` at each value: 1 inside the bounds."""
    beyond = _beyond(values, low, high)
    width = BEYOND * (high - low)
    scaled = np.divide(beyond, width, out=np.sign(beyond), where=(width > 0.0) & (beyond != 0.0))
    return np.asarray(np.where(beyond != 0.0, np.cosh(np.clip(scaled, -300.0, 300.0)) ** -2, 1.0))


def _beyond(values: Floats, low: Floats, high: Floats) -> Floats:
    """How far the values are outside; 0 inside."""
    with np.errstate(invalid="ignore"):
        above, below = np.maximum(values - high, 0.0), np.minimum(values - low, 0.0)
    return np.asarray(above + below)
