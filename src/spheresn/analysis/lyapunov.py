"""Lyapunov exponents of any system with a derivative: the mean logarithmic growth of tangents.

Driven by a signal they are the conditional exponents; for a closed loop (a forecaster fed by its
own output) they are the exponents of its attractor. Same functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation, kernels, sphere
from .._threads import one_for_small
from .._validation import BadInput, Floats
from ..driving import loop_arguments
from ..reservoir import Reservoir
from ..system import System
from ._growth import block_errors, grow, running_mean
from ._setting import Carry, Signal, after_transient, carrier, input_rows, judge, start_state


@dataclass(frozen=True, eq=False)
class LyapunovSpectrum:
    """Exponents per step, largest first (k,), natural logarithm; -inf where a direction vanishes
    within rounding.

    standard_errors (k,): from the means of blocks, so that correlation in time counts; 0 beside
    -inf. history (H, k): the running mean after steps[h] steps.

    >>> import spheresn as sn
    >>> found = lyapunov_spectrum(sn.Reservoir(recurrent=np.diag([0.5, 0.25]), inputs=[1.0, 1.0], activation=sn.Linear()), 600)
    >>> np.exp(found.exponents).round(6), found.standard_errors.round(6), int(found.steps[-1])
    (array([0.5 , 0.25]), array([0., 0.]), 100)
    """

    exponents: Floats
    standard_errors: Floats
    history: Floats
    steps: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MaxLyapunov:
    """The maximal exponent per step, its standard error from block means, and the running mean
    after each step (T,).

    >>> import spheresn as sn
    >>> found = max_lyapunov(sn.Reservoir(recurrent=[[0.25]], inputs=[1.0], activation=sn.Linear()), 600)
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
    """The `count` largest Lyapunov exponents, or all: N, on the sphere N - 1 (there is no radial
    direction).

    λ_i = lim 1/n Σ_k log R_ii^(k), where Q^(k) R^(k) = J_k Q^(k-1): tangents carried by the exact
    derivative and made orthonormal again by QR, every few steps as long as no direction is lost
    [BEN80]. No Jacobian is formed. signal: (T, d), transient included; a whole number T for T steps
    without input. start: a random point by default (required unless `system` is a Reservoir). rng
    draws it and the first tangents; the exponents do not depend on them.

    >>> import spheresn as sn
    >>> turning = sn.Reservoir(recurrent=[[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]], inputs=np.zeros(3))
    >>> lyapunov_spectrum(turning, 2000).exponents.round(6) + 0.0
    array([ 0.      , -0.693147])
    """
    rows, generator = input_rows(system, signal), _validation.generator(rng)
    skipped = after_transient(rows, transient)
    size = system.tangent_dim if count is None else _validation.whole("count", count, 1)
    if size > system.tangent_dim:
        raise BadInput(
            f"count must be at most the {system.tangent_dim} directions of the system, got "
            f"{count}; lower it"
        )
    state = start_state(system, start, generator)
    carry = _kept_tangent(system)
    with one_for_small(len(state)):
        state, tangents, _ = grow(
            carry, state, _first_tangents(system, state, size, generator), rows[:skipped]
        )
        _, _, (spans, growth) = grow(carry, state, tangents, rows[skipped:])
    # Directions lost in the transient
    growth = np.pad(growth, ((0, 0), (0, size - growth.shape[1])), constant_values=-np.inf)
    mean, errors = block_errors(spans, growth)
    return LyapunovSpectrum(mean, errors, running_mean(spans, growth), spans.cumsum())


def max_lyapunov(
    system: System,
    signal: Signal,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> MaxLyapunov:
    """The maximal Lyapunov exponent from one tangent vector: λ = lim 1/n Σ_k log |J_k v_k|, v_k
    renewed to length one [BEN80].

    For a large dense W it costs hardly more than `drive`: one pass through W serves the state and
    the tangent. Arguments as in `lyapunov_spectrum`. A tangent that vanishes exactly (a delay line,
    W = 0) gives -inf with standard error 0.

    >>> import spheresn as sn
    >>> halving = sn.Reservoir(recurrent=[[0.5]], inputs=[1.0], activation=sn.Linear())
    >>> round(max_lyapunov(halving, np.ones(600)).exponent, 6)
    -0.693147
    """
    rows = input_rows(system, signal)
    skipped = after_transient(rows, transient)
    growth = tangent_growth(system, rows, start, rng)[skipped:, None]
    spans = np.ones(len(growth), np.int64)
    mean, errors = block_errors(spans, growth)
    return MaxLyapunov(
        float(mean[0]), float(errors[0]), running_mean(spans, growth)[:, 0], spans.cumsum()
    )


def tangent_growth(
    system: System,
    signal: Signal,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> Floats:
    """log |J_k v_k| of one tangent vector for each step (T,), the first ones still turning towards
    the fastest direction.
    """
    rows, generator = input_rows(system, signal), _validation.generator(rng)
    state = start_state(system, start, generator)
    return _vector_growth(system, state, _first_tangents(system, state, 1, generator), rows)


def _first_tangents(system: System, state: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Random orthonormal rows (count, N), on the sphere orthogonal to the state."""
    if system.tangent_dim < 1:
        raise BadInput(
            "system must have at least one direction to move in, got none; a sphere needs at "
            "least two units"
        )
    columns = rng.standard_normal((len(state), count)).astype(state.dtype)
    if _on_sphere(system) and state.any():
        columns = sphere.tangent(state, columns)
    return np.ascontiguousarray(np.linalg.qr(columns)[0].T)


def _kept_tangent(system: System) -> Carry:
    """Carrying that removes what rounding adds along the state, where the state lives on a
    sphere.
    """
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
    arguments = loop_arguments(system) if isinstance(system, Reservoir) else None
    if arguments is None:
        return grow(carrier(system), state, tangents, rows, longest=1)[2][1][:, 0]
    matrix, inputs, bias, act = arguments
    sizes = np.empty(len(rows))
    judge(*kernels.tangent_vector_loop(matrix, inputs, bias, act, rows, state, tangents[0], sizes))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sizes))
