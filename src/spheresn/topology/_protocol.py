"""What a reservoir asks of its recurrent matrix W."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike

from .._validation import Floats


class Recurrent(Protocol):
    """A square matrix W that multiplies fast and knows its spectral radius.

    A class of your own with these members works wherever a topology does; the plain step multiplies
    by its `matvec`, while the topologies of this package have compiled loops besides.

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
