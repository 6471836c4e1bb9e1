"""A chain of units: every unit hands its value to the next; closed it is a ring, open a delay
line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from .._validation import Floats


class ShiftData(NamedTuple):
    """The weight of every link, and of the link from the last unit to the first (0 for a delay
    line).
    """

    weight: np.floating[Any]
    closing: np.floating[Any]


@dataclass(frozen=True)
class Shift:
    """W e_i = weight · e_{i+1}; `closed` links the last unit to the first. O(N) per step.

    >>> Shift(3, weight=2.0).matvec(np.array([1.0, 2.0, 3.0])), Shift(3, closed=False).matvec(np.array([1.0, 2.0, 3.0]))
    (array([6., 2., 4.]), array([0., 1., 2.]))
    """

    size: int
    weight: float = 1.0
    closed: bool = True
    dtype: np.dtype[Any] = np.dtype(np.float64)  # noqa: RUF009  a dtype is immutable

    def matvec(self, vectors: Floats) -> Floats:
        return self._shifted(vectors, 1)

    def rmatvec(self, vectors: Floats) -> Floats:
        return self._shifted(vectors, -1)

    def _shifted(self, vectors: Floats, by: int) -> Floats:
        moved: Floats = np.roll(vectors, by, axis=0) * self.dtype.type(self.weight)
        if not self.closed:
            moved[0 if by > 0 else -1] = 0.0
        return moved

    def spectral_radius(self) -> float:
        """|weight|, all eigenvalues being weight · exp(2πi k/N); 0 for a delay line, which is
        nilpotent.
        """
        return abs(self.weight) if self.closed else 0.0

    def scaled(self, factor: float) -> Shift:
        return Shift(self.size, self.weight * factor, self.closed, self.dtype)

    def astype(self, dtype: DTypeLike) -> Shift:
        return Shift(self.size, self.weight, self.closed, np.dtype(dtype))

    def toarray(self) -> Floats:
        return self.matvec(np.eye(self.size, dtype=self.dtype))

    def kernel_data(self) -> ShiftData:
        return ShiftData(
            self.dtype.type(self.weight), self.dtype.type(self.weight if self.closed else 0.0)
        )
