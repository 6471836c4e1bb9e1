"""A full matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from .._validation import Floats
from ._spectrum import spectral_radius


class DenseData(NamedTuple):
    """W, row by row."""

    matrix: Floats


@dataclass(frozen=True, eq=False)
class Dense:
    """W as an array (N, N).

    >>> Dense(np.array([[0.0, 2.0], [1.0, 0.0]])).matvec(np.array([1.0, 3.0]))
    array([6., 1.])
    """

    matrix: Floats

    @property
    def size(self) -> int:
        return len(self.matrix)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.matrix.dtype

    def matvec(self, vectors: Floats) -> Floats:
        return np.asarray(self.matrix @ vectors)

    def rmatvec(self, vectors: Floats) -> Floats:
        return np.asarray(self.matrix.T @ vectors)

    def spectral_radius(self) -> float:
        return spectral_radius(self.matrix)

    def scaled(self, factor: float) -> Dense:
        return Dense(self.matrix * self.dtype.type(factor))

    def astype(self, dtype: DTypeLike) -> Dense:
        return Dense(np.ascontiguousarray(self.matrix, dtype=dtype))

    def toarray(self) -> Floats:
        return self.matrix.copy()

    def kernel_data(self) -> DenseData:
        return DenseData(self.matrix)
