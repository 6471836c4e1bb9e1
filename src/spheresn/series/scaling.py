"""The scale of a series and its range: columns to mean 0 and deviation 1 and back, and how far a
free run may leave the range that it was learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._errors import BadInput
from .._validation import Floats
from ..kernels import BEYOND

SIMILAR_SIZES = 1.5  # ratio of deviations up to which series have the same size
# Of the largest value: less variation than this is rounding
DEVIATION_ROUNDING = 4.0 * np.finfo(float).eps
RANGE_MARGIN = 0.1  # of the range of a series: a forecast farther outside has left it
LARGEST_FLOAT = float(np.finfo(float).max)
PAST_EXCESSES = 2.0  # times as far as the series itself left its past range


@dataclass(frozen=True, eq=False)
class Scaler:
    """Columns to mean 0 and deviation 1; a constant column keeps its scale."""

    mean: Floats
    scale: Floats

    @staticmethod
    def of(rows: Floats) -> Scaler:
        """From rows (T, d), scaled first so that squares neither over- nor underflow."""
        safe, deviation = _deviation(rows)
        mean = (rows / safe).mean(axis=0)
        varies = (deviation > DEVIATION_ROUNDING) & (deviation * safe > 0.0)
        return Scaler(mean * safe, np.where(varies, deviation * safe, safe))

    @staticmethod
    def identity(columns: int) -> Scaler:
        """The scaler that changes nothing."""
        return Scaler(np.zeros(columns), np.ones(columns))

    def of_columns(self, columns: NDArray[np.int64]) -> Scaler:
        """The scaler of these columns of wider rows, in which those of this one repeat.

        >>> Scaler(np.array([1.0, 2.0]), np.ones(2)).of_columns(np.arange(5)).mean.tolist()
        [1.0, 2.0, 1.0, 2.0, 1.0]
        """
        which = columns % len(self.mean)
        return Scaler(self.mean[which], self.scale[which])

    def forward(self, rows: Floats) -> Floats:
        """In units of the deviation; NaN stays NaN."""
        with np.errstate(over="ignore"):
            scaled = np.asarray((rows - self.mean) / self.scale)
        if np.isinf(scaled).any():
            row, column = (int(i) for i in np.argwhere(np.isinf(scaled))[0])
            off = (
                f"got {rows[row, column]:.3g} in row {row} against a deviation of "
                f"{self.scale[column]:.3g}"
            )
            raise BadInput(
                f"a row must be within 1e308 deviations of the rows of fit, {off}; clip such "
                "values first"
            )
        return scaled

    def backward(self, rows: Floats) -> Floats:
        """In the units of the data; infinite where that leaves the range of numbers."""
        with np.errstate(over="ignore"):
            return np.asarray(rows * self.scale + self.mean)


def _deviation(rows: Floats) -> tuple[Floats, Floats]:
    """The largest size of each column, 1 for zeros, and the deviation in its units."""
    largest = np.abs(rows).max(axis=0)
    safe = np.where(largest > 0.0, largest, 1.0)
    return safe, (rows / safe).std(axis=0)


def in_own_deviations(rows: Floats) -> Floats:
    """The series (T, d) without its mean and divided by its deviation.

    >>> in_own_deviations(np.array([[1.0], [3.0]])).ravel()
    array([-1.,  1.])
    """
    mean = np.asarray((rows / len(rows)).sum(axis=0))
    return Scaler(mean, Scaler.of(rows).scale).forward(rows)


def differ_in_size(series: Sequence[Floats]) -> bool:
    """Whether in some column the deviations of the series differ by more than SIMILAR_SIZES."""
    sizes = np.array([safe * deviation for safe, deviation in map(_deviation, series)])
    return bool((sizes.max(axis=0) > SIMILAR_SIZES * sizes.min(axis=0)).any())


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
