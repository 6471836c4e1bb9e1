"""Standardising: columns to mean 0 and deviation 1, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._errors import BadInput
from .._validation import Floats

SIMILAR_SIZES = 1.5  # ratio of deviations up to which series have the same size
# Of the largest value: less variation than this is rounding
DEVIATION_ROUNDING = 4.0 * np.finfo(float).eps


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
        """In units of the deviation."""
        with np.errstate(over="ignore"):
            scaled = np.asarray((rows - self.mean) / self.scale)
        if not np.isfinite(scaled).all():
            row, column = (int(i) for i in np.argwhere(~np.isfinite(scaled))[0])
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
