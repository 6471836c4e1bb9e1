"""The paper's "local Lyapunov exponent", for its figure.

It is the mean logarithm of the spectral radius of each step's Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

from .. import _validation, sphere
from .._errors import BadInput
from .._validation import Floats
from ..activations import OnSphere
from ..driving import drive
from ..reservoir import Reservoir, check_reservoir
from ._common import Signal, after_transient, input_rows, start_state
from ._growth import block_errors

# Units. Up to this size all eigenvalues are computed; above it, a checked Arnoldi iteration.
DENSE_JACOBIAN = 200
JACOBIAN_EIGENVALUES, JACOBIAN_BASIS = 8, 64  # of the iteration; see `topology/_spectrum.py`
JACOBIAN_TOLERANCE = 1e-10  # of a residual, per unit, relative to the largest eigenvalue

Product = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class LocalExponents:
    """⟨log|λ_i(J_k)|⟩ over the steps used, in decreasing order (k,), and its standard errors (k,).

    The standard errors come from block means.

    >>> import spheresn as sn
    >>> turn = sn.Reservoir(recurrent=[[0.0, -2.0], [2.0, 0.0]], inputs=[0.0, 0.0])
    >>> found = local_exponents(turn, 600, jacobian="printed")
    >>> found.exponents.shape, found.standard_errors.shape
    ((1,), (1,))
    """

    exponents: Floats
    standard_errors: Floats


def local_exponents(
    reservoir: Reservoir,
    signal: Signal,
    jacobian: str = "exact",
    count: int = 1,
    every: int = 1,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> LocalExponents:
    """Λ = 1/n Σ_k log ρ(J_k) [VAL19, eqn:LLE], which is NOT a Lyapunov exponent.

    The spectral radius of a product is not the product of the spectral radii, and Λ is neither an
    upper nor a lower bound of the true exponent. It is here to redraw the paper's figure; use
    `max_lyapunov` for everything else.

    jacobian: "exact", (r/|a|)(I - ââᵀ) W with bend and leak; or "printed", W_ij/|a| (1 - a_i
    a_j/|a|²) [VAL19, eqn:jacobian], which has an element-wise product and no r. count: the number
    of eigenvalues. every: use only every so many steps.

    >>> import spheresn as sn
    >>> falling = sn.Reservoir(recurrent=[[4.0, 0.0], [0.0, 2.0]], inputs=[0.0, 0.0])
    >>> local_exponents(falling, 600).exponents.round(4)
    array([-0.6931])
    """
    kind = _validation.one_of("jacobian", jacobian, ("exact", "printed"))
    check_reservoir(reservoir)
    if kind == "printed" and not isinstance(reservoir.activation, OnSphere):
        raise BadInput(
            f"jacobian must be exact for {reservoir.activation}, got 'printed'; the printed one "
            "is that of the sphere"
        )
    rows, number = input_rows(reservoir, signal), _validation.whole("count", count, 1)
    skipped, stride = after_transient(rows, transient), _validation.whole("every", every, 1)
    first = start_state(reservoir, start, _validation.generator(rng))
    states = np.vstack([first[None], drive(reservoir, rows, first)[:-1]])
    logs = np.array(
        list(
            _logs(
                reservoir,
                states[skipped::stride],
                rows[skipped::stride],
                kind,
                min(number, reservoir.units),
            )
        )
    )
    return LocalExponents(*block_errors(np.ones(len(logs), np.int64), logs))


def _logs(
    reservoir: Reservoir, states: Floats, rows: Floats, kind: str, count: int
) -> Iterator[Floats]:
    guess: Floats = np.random.default_rng(0).standard_normal(reservoir.units)
    for state, row in zip(states, rows, strict=True):
        multiply = (
            _printed(reservoir, state, row) if kind == "printed" else _exact(reservoir, state, row)
        )
        sizes, guess = _leading(multiply, guess, count)
        with np.errstate(divide="ignore"):
            yield np.log(sizes)


def _exact(reservoir: Reservoir, state: Floats, row: Floats) -> Product:
    return lambda v: reservoir.tangent_step(state, row, v)[1]


def _printed(reservoir: Reservoir, state: Floats, row: Floats) -> Product:
    """(W - D W D)/|a| with D = diag(a/|a|): the printed Jacobian, without forming the matrix."""
    a = reservoir.pre_activation(state, row)
    size, unit = sphere.norm(a), sphere.unit(a)
    w = reservoir.recurrent
    return lambda v: np.asarray((w.matvec(v) - (unit * w.matvec((unit * v.T).T).T).T) / size)


def _leading(multiply: Product, guess: Floats, count: int) -> tuple[Floats, Floats]:
    """|λ| of the `count` largest eigenvalues, and a start vector for the next, similar matrix."""
    size = len(guess)
    if size <= DENSE_JACOBIAN or count > JACOBIAN_EIGENVALUES - 2:
        return _all(multiply, size)[:count], guess
    operator = LinearOperator((size, size), matvec=multiply, dtype=np.float64)
    try:
        values, vectors = eigs(
            operator,
            k=JACOBIAN_EIGENVALUES,
            ncv=JACOBIAN_BASIS,
            v0=guess,
            tol=JACOBIAN_TOLERANCE / 100,
        )
    except ArpackError:
        return _all(multiply, size)[:count], guess
    sizes, leading = np.sort(np.abs(values))[::-1], vectors.real.sum(axis=1)
    wrong = np.linalg.norm(
        multiply(vectors.real) + 1j * multiply(vectors.imag) - vectors * values, axis=0
    )
    if wrong.max() > JACOBIAN_TOLERANCE * size * sizes[0]:
        return _all(multiply, size)[:count], guess
    return sizes[:count], leading


def _all(multiply: Product, size: int) -> Floats:
    return np.sort(np.abs(np.linalg.eigvals(multiply(np.eye(size)))))[::-1]
