"""Ridge regression: min Σ |y - b - Wᵀx|² + penalty |W|², where the intercept b is not penalised.

Two kinds of moments give it. A `Gram` costs half as much, and its precision suffices for noisy
targets and large penalties. A `Triangle` keeps the directions in which the states vary by less than
1e-8 of the largest; a network that runs free needs them (docs/research/precision.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import cho_solve, eigh, svd
from scipy.linalg.blas import dgemm, dtrsm
from scipy.linalg.lapack import dpotrf, dtpmqrt, dtpqrt, dtrtrs

from .. import _validation
from .._errors import StateOverflow
from .._running import limit_threads
from .._validation import Floats
from .gram import Gram, product
from .triangle import REDUCED_COLUMNS, Triangle

Moments = Gram | Triangle

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

    penalty 0 is the minimum-norm solution: directions whose variance is a rounding error (at most
    `floor`) have no weight. For a Triangle, V and √Λ are the singular vectors and values of R_xx.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> eigen = Eigen.of(Gram.of(x, 3 * x + 1))  # S = 2, C = 6
    >>> [round(float(eigen.solve(penalty).matrix[0, 0]), 6) for penalty in (0.0, 1.0, 2.0)]
    [3.0, 2.0, 1.5]
    """

    moments: Moments
    values: Floats
    vectors: Floats
    coefficients: Floats
    floor: float

    @classmethod
    def of(cls, moments: Moments) -> Self:
        """The decomposition of S and the coordinates Vᵀ C of the targets in it."""
        rounding = len(moments.state_mean) * np.finfo(float).eps
        if isinstance(moments, Gram):
            values, vectors = eigh(moments.scatter, lower=True, driver="evd")
            values, coefficients = np.clip(values, 0.0, None), product(vectors.T, moments.cross)
        else:
            left, roots, right = svd(moments.states)
            left, roots, right = left[:, ::-1], roots[::-1], right[::-1]  # ascending
            values, vectors, rounding = np.square(roots), right.T, rounding**2
            coefficients = roots[:, None] * product(left.T, moments.targets)
        floor = rounding * float(values.max(initial=0.0))
        return cls(moments, values, vectors, coefficients, floor)

    def gains(self, penalty: float) -> Floats:
        """1/(λ_i + penalty); zero where λ_i is a rounding error."""
        real = self.values > self.floor if penalty == 0.0 else self.values + penalty > 0.0
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
            _with_intercept(self.moments, matrices[:, outputs * i : outputs * (i + 1)])
            for i in range(len(gains))
        ]


@dataclass(frozen=True, eq=False)
class Shifted:
    """S + penalty by eigenvalues: (S + penalty)⁻¹ = RᵀR with R = (Λ + penalty)^-½ Vᵀ."""

    eigen: Eigen
    penalty: float

    @property
    def moments(self) -> Moments:
        """What was decomposed."""
        return self.eigen.moments

    @property
    def targets(self) -> Floats:
        """R C."""
        gains = np.sqrt(self.eigen.gains(self.penalty))
        return np.asarray(gains[:, None] * self.eigen.coefficients)

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

    moments: Gram
    lower: Floats

    @property
    def targets(self) -> Floats:
        """R C."""
        return self.half(self.moments.cross)

    def half(self, columns: Floats) -> Floats:
        """R times columns (N, k)."""
        return np.asarray(dtrsm(1.0, self.lower, columns, lower=1))

    def solve(self) -> Weights:
        """The readout."""
        return _with_intercept(
            self.moments, cho_solve((self.lower, True), self.moments.cross, check_finite=False)
        )


@dataclass(frozen=True, eq=False)
class Augmented:
    """S + penalty = UᵀU, with U from the triangle of the states and √penalty times the identity.

    (S + penalty)⁻¹ = RᵀR with R = U⁻ᵀ. The sums of squares in S + penalty are never formed.
    """

    moments: Triangle
    upper: Floats
    targets: Floats  # R C

    def half(self, columns: Floats) -> Floats:
        """R times columns (N, k)."""
        return np.asarray(dtrtrs(self.upper, np.asfortranarray(columns), trans=1)[0])

    def solve(self) -> Weights:
        """The readout."""
        return _with_intercept(self.moments, np.asarray(dtrtrs(self.upper, self.targets)[0]))


Root = Cholesky | Shifted | Augmented


def factor(moments: Moments, penalty: float) -> Root:
    """A square root of (S + penalty)⁻¹; by eigenvalues if S + penalty is singular up to rounding.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> root = factor(Gram.of(x, 3 * x + 1), penalty=2.0)  # S + penalty = 4, so R = 1/2
    >>> root.half(np.array([[1.0]])), root.solve().matrix
    (array([[0.5]]), array([[1.5]]))
    """
    _validation.real("penalty", penalty, 0.0)
    if isinstance(moments, Triangle):
        if penalty > np.finfo(float).tiny:
            return _augmented(moments, np.sqrt(penalty))
    elif root := _cholesky(moments, penalty):
        return root
    return Shifted(Eigen.of(moments), penalty)


def _cholesky(moments: Gram, penalty: float, *, overwrite: bool = False) -> Cholesky | None:
    """The root by Cholesky, in place of S if wanted; None if S + penalty may be singular."""
    if penalty <= SAFE_PENALTY * moments.trace:
        return None
    shifted = moments.scatter if overwrite else moments.scatter.copy(order="F")
    shifted[np.diag_indices_from(shifted)] += penalty
    # scipy's `cholesky` would also clear the upper triangle, which takes time
    lower, failed = dpotrf(shifted, lower=1, clean=0, overwrite_a=1)
    return None if failed else Cholesky(moments, lower)


def _augmented(moments: Triangle, root: float) -> Augmented:
    """The factor of the states and root times the identity, by a QR decomposition."""
    n = len(moments.state_mean)
    identity = np.asfortranarray(root * np.eye(n))
    right = np.asfortranarray(moments.targets)
    with limit_threads(0):
        upper, vectors, block, _ = dtpqrt(
            n, min(REDUCED_COLUMNS, n), np.asfortranarray(moments.states), identity, overwrite_b=1
        )
        targets = dtpmqrt(n, vectors, block, right, np.zeros_like(right, order="F"), trans="T")[0]
    return Augmented(moments, upper, targets)


def solve(moments: Moments, penalty: float) -> Weights:
    """The ridge readout.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> solve(Gram.of(x, 3 * x + 1), penalty=0.0)(np.array([[4.0]])).round(12)
    array([[13.]])
    """
    return factor(moments, penalty).solve()


def solve_within(moments: Gram, penalty: float) -> Weights | None:
    """`solve` in the memory of S, which is lost; None if S + penalty has no Cholesky factor.

    The memory of another N × N matrix would cost a twentieth of a fit.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> weights = solve_within(Gram.of(x, 3 * x + 1), penalty=2.0)
    >>> weights.matrix, solve_within(Gram.of(x, 3 * x + 1), penalty=0.0)
    (array([[1.5]]), None)
    """
    root = _cholesky(moments, _validation.real("penalty", penalty, 0.0), overwrite=True)
    return root.solve() if root else None


def _with_intercept(moments: Moments, matrix: Floats) -> Weights:
    return Weights(matrix, moments.target_mean - product(moments.state_mean[None], matrix)[0])
