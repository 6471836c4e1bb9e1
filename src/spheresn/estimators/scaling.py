"""Standardising: columns to mean 0 and deviation 1, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._errors import BadInput
from .._validation import Floats


@dataclass(frozen=True, eq=False)
class Scaler:
    """Columns to mean 0 and deviation 1; a constant column keeps its scale."""

    mean: Floats
    scale: Floats

    @staticmethod
    def of(rows: Floats) -> Scaler:
        """From rows (T, d), scaled first so that squares neither over- nor underflow."""
        largest = np.abs(rows).max(axis=0)
        safe = np.where(largest > 0.0, largest, 1.0)
        mean = (rows / safe).mean(axis=0)
        deviation = (rows / safe).std(axis=0)
        varies = (deviation > 4.0 * np.finfo(float).eps) & (deviation * safe > 0.0)
        return Scaler(mean * safe, np.where(varies, deviation * safe, safe))

    @staticmethod
    def identity(columns: int) -> Scaler:
        """The scaler that changes nothing."""
        return Scaler(np.zeros(columns), np.ones(columns))

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
