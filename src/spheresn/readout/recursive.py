"""Recursive least squares with forgetting, in square-root form."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from .. import _validation, kernels
from .._validation import Floats
from .ridge import Weights


class RecursiveLeastSquares:
    """Weights that follow min Σ_k forgetting^{n-k} |y_k - b - Wᵀx_k|² + penalty |(b, W)|², one row
    after the other.

    Kept is the triangle R with RᵀR = Σ forgetting^{n-k} z zᵀ + penalty I, z = (1, x), updated by
    plane rotations [GOL13]: no matrix is inverted or subtracted from, so rounding errors do not
    grow however long it runs. Forgetting would let the penalty fade and R become singular where the
    signal is silent; one coordinate per row is given its penalty back, in turn.

    >>> rls = RecursiveLeastSquares(1, 1, penalty=1e-9)
    >>> rls.update(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [4.0], [7.0]]))
    >>> rls.weights(np.array([[4.0]])).round(6)
    array([[13.]])
    """

    def __init__(
        self, states: int, targets: int, penalty: float = 1e-6, forgetting: float = 1.0
    ) -> None:
        self.forgetting = _validation.real("forgetting", forgetting, 0.0, 1.0, above=True)
        self.penalty = _validation.real("penalty", penalty, 0.0, above=True)
        size = _validation.whole("states", states, 1) + 1
        self._triangle = np.sqrt(self.penalty) * np.eye(size)
        self._right = np.zeros((size, _validation.whole("targets", targets, 1)))
        self._seen = 0

    def update(self, states: Floats, targets: Floats) -> None:
        """Take in rows (T, N) with their targets (T, m)."""
        size, outputs = self._right.shape
        rows = _validation.table("states", states, size - 1)
        wanted = _validation.table("targets", targets, outputs)
        _validation.same_length("targets", wanted, "states", rows)
        kernels.absorb_rows(
            self._triangle, self._right, rows, wanted, self.forgetting, self.penalty, self._seen
        )
        self._seen += len(rows)

    @property
    def factors(self) -> tuple[Floats, Floats]:
        """R and Z, for the compiled loops, which change them in place."""
        return self._triangle, self._right

    @property
    def weights(self) -> Weights:
        """The readout as it is now."""
        solution: Any = solve_triangular(self._triangle, self._right)
        return Weights(solution[1:], solution[0])
