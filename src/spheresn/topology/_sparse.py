"""A sparse matrix, stored by rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._validation import Floats
from ._spectrum import spectral_radius


class CsrData(NamedTuple):
    """The non-zero values of W, the column of each, and where each row starts.

    Unsigned, so that no index needs a sign check; short where that suffices, since the loop waits
    for memory.
    """

    values: Floats
    columns: NDArray[np.unsignedinteger[Any]]
    starts: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Sparse:
    """W as a scipy CSR array.

    >>> from scipy.sparse import csr_array
    >>> Sparse(csr_array([[0.0, 2.0], [1.0, 0.0]])).matvec(np.array([1.0, 3.0]))
    array([6., 1.])
    """

    matrix: Any

    @property
    def size(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        kind: np.dtype[Any] = self.matrix.dtype
        return kind

    def matvec(self, vectors: Floats) -> Floats:
        return np.asarray(self.matrix @ vectors)

    def rmatvec(self, vectors: Floats) -> Floats:
        return np.asarray(self.matrix.T @ vectors)

    def spectral_radius(self) -> float:
        return spectral_radius(self.matrix)

    def scaled(self, factor: float) -> Sparse:
        return Sparse(self.matrix * self.dtype.type(factor))

    def astype(self, dtype: DTypeLike) -> Sparse:
        return Sparse(self.matrix.astype(dtype))

    def toarray(self) -> Floats:
        return np.asarray(self.matrix.toarray())

    def kernel_data(self) -> CsrData:
        short = np.uint16 if self.size <= 2**16 else np.uint32
        return CsrData(
            self.matrix.data,
            self.matrix.indices.astype(short),
            self.matrix.indptr.astype(np.uint64),
        )
