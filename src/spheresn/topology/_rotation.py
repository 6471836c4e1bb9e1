"""An orthogonal matrix in the basis where it is a set of plane rotations. O(N) per step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from .._validation import Floats


class RotationData(NamedTuple):
    """weight · cos and weight · sin of the angles, (2, N//2), and the factor of the lone last unit
    when N is odd.

    One array and not two: a loop counts who holds an array at every step, and at 100 units that
    shows.
    """

    turns: Floats
    lone: np.floating[Any]


@dataclass(frozen=True, eq=False)
class Rotation:
    """weight · Q with Q orthogonal: units i and i + N//2 turn together by angle_i; for odd N the
    last unit keeps its place.

    Any orthogonal matrix has this form up to a change of basis; a random W_in makes the basis
    immaterial while the activation commutes with rotations (bend = 0). The two halves, not
    neighbours, form the pairs, so that the loop runs over contiguous memory.

    >>> Rotation(2, np.array([np.pi / 2])).matvec(np.array([1.0, 0.0])).round(12)
    array([0., 1.])
    """

    size: int
    angles: Floats
    weight: float = 1.0
    dtype: np.dtype[Any] = np.dtype(np.float64)  # noqa: RUF009  a dtype is immutable

    def matvec(self, vectors: Floats) -> Floats:
        return self._turned(vectors, 1.0)

    def rmatvec(self, vectors: Floats) -> Floats:
        return self._turned(vectors, -1.0)

    def _turned(self, vectors: Floats, sense: float) -> Floats:
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
