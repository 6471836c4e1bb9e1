"""Lyapunov exponents of any system with a derivative: the mean logarithmic growth of tangents.

The exponents of a driven system are its conditional exponents. Those of a closed loop (a forecaster
fed by its own output) are the exponents of its attractor. The functions are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation, kernels, sphere
from .._errors import NoDirection
from .._running import limit_threads
from .._validation import Floats
from ..driving import network_of
from ..reservoir import Reservoir
from ..system import System
from ..topology import as_recurrent
from ._common import (
    Carry,
    Signal,
    after_transient,
    carrier,
    check_status,
    direction_count,
    input_rows,
    start_state,
)
from ._growth import block_errors, grow, growth_after, running_mean


@dataclass(frozen=True, eq=False)
class LyapunovSpectrum:
    """The exponents per step, natural logarithm, in decreasing order (k,).

    An exponent is -inf if its direction vanishes up to rounding. standard_errors (k,): from block
    means, so that correlation in time is included; 0 where the exponent is -inf. history (H, k):
    the running mean after steps[h] steps.

    >>> import spheresn as sn
    >>> shrinking = sn.Reservoir(np.diag([0.5, 0.25]), inputs=[1.0, 1.0], activation=sn.Linear())
    >>> found = lyapunov_spectrum(shrinking, 600)
    >>> np.exp(found.exponents).round(6), found.standard_errors.round(6), int(found.steps[-1])
    (array([0.5 , 0.25]), array([0., 0.]), 100)
    """

    exponents: Floats
    standard_errors: Floats
    history: Floats
    steps: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MaxLyapunov:
    """The maximal exponent per step, its standard error from block means, and the running mean.

    >>> import spheresn as sn
    >>> quartering = sn.Reservoir(recurrent=[[0.25]], inputs=[1.0], activation=sn.Linear())
    >>> found = max_lyapunov(quartering, 600)
    >>> round(float(np.exp(found.exponent)), 6), round(found.standard_error, 6), len(found.history)
    (0.25, 0.0, 100)
    """

    exponent: float
    standard_error: float
    history: Floats
    steps: NDArray[np.int64]


def lyapunov_spectrum(
    system: System,
    signal: Signal,
    count: int | None = None,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> LyapunovSpectrum:
    """The `count` largest Lyapunov exponents; by default all, N or on the sphere N - 1.

    λ_i = lim 1/n Σ_k log R_ii^(k), where Q^(k) R^(k) = J_k Q^(k-1) [BEN80]. The exact derivative
    carries the tangents, and QR makes them orthonormal again, every few steps, before a direction
    is lost. No Jacobian is formed. signal: (T, d), transient included, or a whole number T for T
    steps without input. start: a random point by default; required unless `system` is a Reservoir.
    rng draws the start and the first tangents, on which the exponents do not depend.

    >>> import spheresn as sn
    >>> matrix = [[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> turning = sn.Reservoir(recurrent=matrix, inputs=np.zeros(3))
    >>> lyapunov_spectrum(turning, 2000).exponents.round(6) + 0.0
    array([ 0.      , -0.693147])
    """
    rows, generator = input_rows(system, signal), _validation.generator(rng)
    skipped = after_transient(rows, transient)
    size = direction_count(system, count)
    state = start_state(system, start, generator)
    tangents = _first_tangents(system, state, size, generator)
    with limit_threads(len(state)):
        spans, growth = growth_after(_tangent_carrier(system), state, tangents, rows, skipped)
    mean, errors = block_errors(spans, growth)
    return LyapunovSpectrum(mean, errors, running_mean(spans, growth), spans.cumsum())


def max_lyapunov(
    system: System,
    signal: Signal,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> MaxLyapunov:
    """The maximal Lyapunov exponent from one tangent vector, λ = lim 1/n Σ_k log |J_k v_k| [BEN80].

    Each v_k is scaled to length one. With a large dense W it costs hardly more than `drive`,
    because one pass through W multiplies the state and the tangent. The arguments are those of
    `lyapunov_spectrum`. A tangent that vanishes exactly (a delay line, W = 0) gives -inf with
    standard error 0.

    >>> import spheresn as sn
    >>> halving = sn.Reservoir(recurrent=[[0.5]], inputs=[1.0], activation=sn.Linear())
    >>> round(max_lyapunov(halving, np.ones(600)).exponent, 6)
    -0.693147
    """
    rows = input_rows(system, signal)
    skipped = after_transient(rows, transient)
    growth = growth_of_rows(system, rows, start, _validation.generator(rng))[skipped:, None]
    spans = np.ones(len(growth), np.int64)
    mean, errors = block_errors(spans, growth)
    return MaxLyapunov(
        float(mean[0]), float(errors[0]), running_mean(spans, growth)[:, 0], spans.cumsum()
    )


def autonomous_exponents(recurrent: Any) -> Floats:
    """The N - 1 Lyapunov exponents of x -> W x/|W x|: log|λ_i| - log|λ_1|, i = 2..N, decreasing.

    The map is the action of W on directions: a tangent is a vector modulo x, multiplied by Wⁿ and
    divided by |Wⁿ x|, which grows as |λ_1|ⁿ from every start outside of a proper subspace. From
    one inside of it exponents can be positive: that of W = diag(2, 1) at e_2 is log 2. If a single
    real eigenvalue leads strictly, the maximal exponent is log|λ_2/λ_1| < 0. Otherwise it is 0: for
    a complex pair, whose phase is never forgotten, and for λ beside -λ or again λ. It depends
    neither on the spectral radius nor on r. The paper derives "always zero" [VAL19, eqn:LLE]. W: an
    array (N, N), a sparse matrix or a topology, not nilpotent.

    >>> autonomous_exponents(np.diag([4.0, 2.0, -1.0])).round(4)
    array([-0.6931, -1.3863])
    """
    matrix = as_recurrent(recurrent)
    if matrix.spectral_radius() == 0.0:
        raise NoDirection(
            "a nilpotent W ends at zero, which has no direction and no exponents; use a W whose "
            "links form a cycle"
        )
    sizes = np.sort(np.abs(np.linalg.eigvals(matrix.toarray().astype(np.float64))))[::-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sizes[1:] / sizes[0]))


def tangent_growth(
    system: System,
    signal: Signal,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> Floats:
    """log |J_k v_k| of one tangent vector for each step (T,).

    During the first steps the vector still turns towards the fastest direction.
    """
    return growth_of_rows(system, input_rows(system, signal), start, _validation.generator(rng))


def growth_of_rows(
    system: System, rows: Floats, start: ArrayLike | None, rng: np.random.Generator
) -> Floats:
    """`tangent_growth` of rows (T, d) that are checked already."""
    direction_count(system, None)  # there must be one
    state = start_state(system, start, rng)
    return _vector_growth(system, state, _first_tangents(system, state, 1, rng), rows)


def _first_tangents(system: System, state: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Random orthonormal rows (count, N); on the sphere they are orthogonal to the state."""
    columns = rng.standard_normal((len(state), count)).astype(state.dtype)
    if _on_sphere(system) and state.any():
        columns = sphere.tangent(state, columns)
    return np.ascontiguousarray(np.linalg.qr(columns)[0].T)


def _tangent_carrier(system: System) -> Carry:
    """`carrier`; on a sphere it also removes the part along the state that rounding adds."""
    carry = carrier(system)
    if not _on_sphere(system):
        return carry

    def carry_tangent(state: Floats, rows: Floats, tangents: Floats) -> tuple[Floats, Floats]:
        state, tangents = carry(state, rows, tangents)
        return state, sphere.tangent(state, tangents.T).T

    return carry_tangent


def _on_sphere(system: System) -> bool:
    return isinstance(system, Reservoir) and system.activation.sphere_radius is not None


def _vector_growth(system: System, state: Floats, tangents: Floats, rows: Floats) -> Floats:
    network = network_of(system) if isinstance(system, Reservoir) else None
    if network is None:
        return grow(carrier(system), state, tangents, rows, longest=1)[2][1][:, 0]
    sizes = np.empty(len(rows))
    check_status(*kernels.tangent_vector_loop(network, rows, state, tangents[0], sizes))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sizes))
