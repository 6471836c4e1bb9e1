"""The recurrent matrices: the protocol, and one class for each way to store W."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._validation import Floats
from ._spectrum import spectral_radius


class Recurrent(Protocol):
    """A square matrix W that multiplies fast and knows its spectral radius.

    A class of your own with these members works wherever a topology does. The plain step then
    multiplies by its `matvec`; the topologies of this package also have compiled loops.

    >>> from spheresn import topology
    >>> ring = topology.ring(3, weight=0.5)
    >>> ring.size, ring.spectral_radius(), ring.matvec(np.array([1.0, 0.0, 0.0]))
    (3, 0.5, array([0. , 0.5, 0. ]))
    """

    @property
    def size(self) -> int:
        """The number of units N."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64."""

    def matvec(self, vectors: Floats) -> Floats:
        """W v, for v (N,) or (N, k)."""

    def rmatvec(self, vectors: Floats) -> Floats:
        """Wᵀ v, for v (N,) or (N, k)."""

    def spectral_radius(self) -> float:
        """max |λ_i(W)|, exact."""

    def scaled(self, factor: float) -> Self:
        """factor · W."""

    def astype(self, dtype: DTypeLike) -> Self:
        """W in another precision."""

    def toarray(self) -> Floats:
        """W as an array (N, N)."""


MEMBERS = ("size", "dtype", "matvec", "rmatvec", "spectral_radius", "scaled", "astype", "toarray")


class _Stored:
    """What a W has in common whose numbers are stored as a matrix of numpy or scipy."""

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


class DenseData(NamedTuple):
    """W, row by row."""

    matrix: Floats


@dataclass(frozen=True, eq=False)
class Dense(_Stored):
    """W as an array (N, N).

    >>> Dense(np.array([[0.0, 2.0], [1.0, 0.0]])).matvec(np.array([1.0, 3.0]))
    array([6., 1.])
    """

    matrix: Floats

    def scaled(self, factor: float) -> Dense:
        return Dense(self.matrix * self.dtype.type(factor))

    def astype(self, dtype: DTypeLike) -> Dense:
        return Dense(np.ascontiguousarray(self.matrix, dtype=dtype))

    def toarray(self) -> Floats:
        return self.matrix.copy()

    def kernel_data(self) -> DenseData:
        return DenseData(self.matrix)


class CsrData(NamedTuple):
    """The non-zero values of W, the column of each, and where each row starts.

    The indices are unsigned, so that the loop needs no sign check. The columns are 16 bits wide
    where that suffices, because the loop waits for memory.
    """

    values: Floats
    columns: NDArray[np.unsignedinteger[Any]]
    starts: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Sparse(_Stored):
    """W as a scipy CSR array.

    >>> from scipy.sparse import csr_array
    >>> Sparse(csr_array([[0.0, 2.0], [1.0, 0.0]])).matvec(np.array([1.0, 3.0]))
    array([6., 1.])
    """

    matrix: Any

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


class ShiftData(NamedTuple):
    """The weight of each link, and of the link from the last unit to the first (delay line: 0)."""

    weight: np.floating[Any]
    closing: np.floating[Any]


@dataclass(frozen=True)
class Shift:
    """A chain of units, W e_i = weight · e_{i+1}: a ring if `closed`, else a delay line.

    A product takes O(N) operations.

    >>> x = np.array([1.0, 2.0, 3.0])
    >>> Shift(3, weight=2.0).matvec(x), Shift(3, closed=False).matvec(x)
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
        """|weight|: the eigenvalues are weight · exp(2πi k/N). 0 for a delay line (nilpotent)."""
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


class RotationData(NamedTuple):
    """weight · cos and weight · sin of the angles (2, N//2); for odd N, the last unit's factor.

    They are one array, not two: a compiled loop counts the references to each array at every step,
    and at 100 units this takes measurable time.
    """

    turns: Floats
    lone: np.floating[Any]


@dataclass(frozen=True, eq=False)
class Rotation:
    """weight · Q with Q orthogonal: the plane of units i and i + N//2 is rotated by angle_i.

    For odd N the last unit is multiplied by `weight` alone. A product takes O(N) operations. Any
    orthogonal matrix has this form up to a change of basis. With a random W_in the basis does not
    matter, as long as the activation commutes with rotations (bend = 0). The pairs are made of the
    two halves, not of neighbours, so that the loop reads contiguous memory.

    >>> Rotation(2, np.array([np.pi / 2])).matvec(np.array([1.0, 0.0])).round(12)
    array([0., 1.])
    """

    size: int
    angles: Floats
    weight: float = 1.0
    dtype: np.dtype[Any] = np.dtype(np.float64)  # noqa: RUF009  a dtype is immutable

    def matvec(self, vectors: Floats) -> Floats:
        return self._rotated(vectors, 1.0)

    def rmatvec(self, vectors: Floats) -> Floats:
        return self._rotated(vectors, -1.0)

    def _rotated(self, vectors: Floats, sense: float) -> Floats:
        half = self.size // 2
        (cosines, sines), lone = self.kernel_data()
        first, second = vectors[:half].T, vectors[half : 2 * half].T
        sines = sense * sines
        parts = [
            (cosines * first - sines * second).T,
            (sines * first + cosines * second).T,
            lone * vectors[2 * half :],
        ]
        return np.concatenate(parts).astype(self.dtype, copy=False)

    def spectral_radius(self) -> float:
        """|weight|: every eigenvalue of an orthogonal matrix has modulus one."""
        return abs(self.weight)

    def scaled(self, factor: float) -> Rotation:
        return Rotation(self.size, self.angles, self.weight * factor, self.dtype)

    def astype(self, dtype: DTypeLike) -> Rotation:
        return Rotation(self.size, self.angles, self.weight, np.dtype(dtype))

    def toarray(self) -> Floats:
        return self.matvec(np.eye(self.size, dtype=self.dtype))

    def kernel_data(self) -> RotationData:
        turns = self.weight * np.array([np.cos(self.angles), np.sin(self.angles)])
        return RotationData(turns.astype(self.dtype), self.dtype.type(self.weight))
