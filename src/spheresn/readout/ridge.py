"""Ridge regression from a Gram: min Σ |y - b - Wᵀx|² + penalty |W|².

The intercept b is not penalised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import cho_solve, eigh
from scipy.linalg.blas import dgemm, dtrsm
from scipy.linalg.lapack import dpotrf

from .. import _validation
from .._errors import StateOverflow
from .._validation import Floats
from .gram import Gram, product

# As a share of the trace. Below it the rounding errors of S are as large as the penalty, and a
# Cholesky factor may not exist.
SAFE_PENALTY = 5e-15


@dataclass(frozen=True, eq=False)
class Weights:
    """A readout y = b + Wᵀ x: `matrix` W (N, m), `intercept` b (m,).

    >>> Weights(np.array([[3.0]]), np.array([1.0]))(np.array([[0.0], [4.0]]))
    array([[ 1.],
           [13.]])
    """

    matrix: Floats
    intercept: Floats

    def outputs(self, which: slice) -> Weights:
        """The readout of some of the outputs."""
        return Weights(np.ascontiguousarray(self.matrix[:, which]), self.intercept[which])

    def __call__(self, states: Floats) -> Floats:
        """Outputs (T, m) of states (T, N)."""
        with np.errstate(over="ignore", invalid="ignore"):
            outputs = product(states, self.matrix)
            outputs += self.intercept
        if not np.isfinite(outputs).all():
            raise StateOverflow(
                "the output left the range of its floating point type; lower the scale of the "
                "input or of the targets"
            )
        return outputs

    def times(self, factor: float) -> Weights:
        """The readout of outputs in another unit."""
        with np.errstate(over="ignore"):
            matrix, intercept = (
                _validation.finite("the readout's weights", factor * part)
                for part in (self.matrix, self.intercept)
            )
        return Weights(matrix, intercept)


@dataclass(frozen=True, eq=False)
class Eigen:
    """S = V Λ Vᵀ, computed once; the readout for any penalty then costs one product.

    penalty 0 is the minimum-norm solution: directions whose variance is a rounding error of S have
    no weight.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> eigen = Eigen.of(Gram.of(x, 3 * x + 1))  # S = 2, C = 6
    >>> [round(float(eigen.solve(penalty).matrix[0, 0]), 6) for penalty in (0.0, 1.0, 2.0)]
    [3.0, 2.0, 1.5]
    """

    gram: Gram
    values: Floats
    vectors: Floats
    coefficients: Floats

    @classmethod
    def of(cls, gram: Gram) -> Self:
        """The decomposition of S and the coordinates Vᵀ C of the targets in it."""
        values, vectors = eigh(gram.scatter, lower=True, driver="evd")
        return cls(gram, np.clip(values, 0.0, None), vectors, product(vectors.T, gram.cross))

    def gains(self, penalty: float) -> Floats:
        """1/(λ_i + penalty); zero where λ_i is a rounding error."""
        floor = len(self.values) * np.finfo(float).eps * self.values.max(initial=0.0)
        real = self.values > floor if penalty == 0.0 else self.values + penalty > 0.0
        return np.asarray(
            np.divide(1.0, self.values + penalty, out=np.zeros_like(self.values), where=real)
        )

    def solve(self, penalty: float) -> Weights:
        """The readout for one penalty."""
        return self.solve_each([penalty])[0]

    def solve_each(self, penalties: Sequence[float]) -> list[Weights]:
        """The readouts for several penalties, in one product."""
        gains = np.array([self.gains(penalty) for penalty in penalties])
        outputs = self.coefficients.shape[1]
        columns = (
            (gains.reshape(-1, 1, len(self.values)) * self.coefficients.T)
            .reshape(-1, len(self.values))
            .T
        )
        matrices = dgemm(1.0, self.vectors, columns)
        return [
            _with_intercept(self.gram, matrices[:, outputs * i : outputs * (i + 1)])
            for i in range(len(gains))
        ]


@dataclass(frozen=True, eq=False)
class Shifted:
    """S + penalty by eigenvalues: (S + penalty)⁻¹ = RᵀR with R = (Λ + penalty)^-½ Vᵀ."""

    eigen: Eigen
    penalty: float

    @property
    def gram(self) -> Gram:
        """The Gram that was decomposed."""
        return self.eigen.gram

    def half(self, columns: Floats) -> Floats:
        """R times columns (N, k)."""
        return np.asarray(
            np.sqrt(self.eigen.gains(self.penalty))[:, None]
            * product(self.eigen.vectors.T, columns)
        )

    def solve(self) -> Weights:
        """The readout."""
        return self.eigen.solve(self.penalty)


@dataclass(frozen=True, eq=False)
class Cholesky:
    """S + penalty = L Lᵀ by Cholesky: (S + penalty)⁻¹ = RᵀR with R = L⁻¹.

    For one penalty it costs a tenth of the eigenvalues.
    """

    gram: Gram
    lower: Floats

    def half(self, columns: Floats) -> Floats:
        """R times columns (N, k)."""
        return np.asarray(dtrsm(1.0, self.lower, columns, lower=1))

    def solve(self) -> Weights:
        """The readout."""
        return _with_intercept(
            self.gram, cho_solve((self.lower, True), self.gram.cross, check_finite=False)
        )


def factor(gram: Gram, penalty: float) -> Cholesky | Shifted:
    """The Cholesky factor of S + penalty; by eigenvalues if that is singular up to rounding.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> root = factor(Gram.of(x, 3 * x + 1), penalty=2.0)  # S + penalty = 4, so R = 1/2
    >>> root.half(np.array([[1.0]])), root.solve().matrix
    (array([[0.5]]), array([[1.5]]))
    """
    if _validation.real("penalty", penalty, 0.0) > SAFE_PENALTY * gram.trace:
        shifted = gram.scatter.copy(order="F")
        shifted[np.diag_indices_from(shifted)] += penalty
        # scipy's `cholesky` would also clear the upper triangle, which takes time
        lower, failed = dpotrf(shifted, lower=1, clean=0, overwrite_a=1)
        if not failed:
            return Cholesky(gram, lower)
    return Shifted(Eigen.of(gram), penalty)


def solve(gram: Gram, penalty: float) -> Weights:
    """The ridge readout.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> solve(Gram.of(x, 3 * x + 1), penalty=0.0)(np.array([[4.0]])).round(12)
    array([[13.]])
    """
    return factor(gram, penalty).solve()


def _with_intercept(gram: Gram, matrix: Floats) -> Weights:
    return Weights(matrix, gram.target_mean - product(gram.state_mean[None], matrix)[0])
