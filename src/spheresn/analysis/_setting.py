"""What every analysis of a driven system begins with: rows of input, a start, and a way to carry
tangents along.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation, kernels, sphere
from .._validation import BadInput, Floats, NoDirection, StateOverflow
from ..activations import Linear
from ..driving import loop_arguments, rows_of, starts_of, writable
from ..reservoir import Reservoir
from ..system import System

Signal = ArrayLike | int
Carry = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]


def input_rows(system: System, signal: Any) -> Floats:
    """The signal as (T, d); a whole number T stands for T steps without input."""
    if isinstance(signal, numbers.Integral) and not isinstance(signal, bool):
        steps = _validation.whole("signal", signal, 1)
        return np.zeros(
            (steps, getattr(system, "n_inputs", 0)), getattr(system, "dtype", np.float64)
        )
    if isinstance(system, Reservoir):
        return writable(rows_of(system, signal))
    return _validation.table("signal", signal)


def start_state(system: System, start: ArrayLike | None, rng: np.random.Generator) -> Floats:
    """The given start; else a random point: on the sphere, or of length one. Linear networks begin
    at zero, which they may: their derivative is the same everywhere, and without input a growing
    one does not overflow there.
    """
    if isinstance(system, Reservoir):
        if start is not None:
            return np.array(starts_of(system, start, 1)[0])
        if isinstance(system.activation, Linear):
            return np.zeros(system.units, system.dtype)
        radius = system.activation.sphere_radius or 1.0
        return sphere.random_point(system.units, rng, radius).astype(system.dtype)
    if start is None:
        raise BadInput(
            "start must be given for a system that is not a Reservoir, got None; pass a state of "
            "shape (N,)"
        )
    return _validation.array("start", start, 1).copy()


def after_transient(rows: Floats, transient: int) -> int:
    """The checked transient, which must leave at least two steps to average over."""
    skipped = _validation.whole("transient", transient, 0)
    _validation.at_least(
        "signal", len(rows), skipped + 2, f"when the first {skipped} are the transient"
    )
    return skipped


def carrier(system: System) -> Carry:
    """(state, rows, tangents (k, N)) -> the state and the tangents after these rows; the arguments
    are left alone.
    """
    arguments = loop_arguments(system) if isinstance(system, Reservoir) else None
    if arguments is None:
        return lambda state, rows, tangents: _carry_by_steps(system, state, rows, tangents)
    matrix, inputs, bias, act = arguments

    def carry(state: Floats, rows: Floats, tangents: Floats) -> tuple[Floats, Floats]:
        state, tangents = state.copy(), np.array(tangents, order="C")
        judge(*kernels.tangent_block_loop(matrix, inputs, bias, act, rows, state, tangents))
        return state, tangents

    return carry


def _carry_by_steps(
    system: System, state: Floats, rows: Floats, tangents: Floats
) -> tuple[Floats, Floats]:
    columns = tangents.T
    for row in rows:
        state, columns = system.tangent_step(state, row, columns)
    if not np.isfinite(state).all():
        judge(kernels.OVERFLOW, len(rows) - 1)
    return state, np.asarray(columns.T)


def judge(status: int, step: int) -> None:
    """An error with a name for a step without a derivative."""
    if status == kernels.DEGENERATE:
        raise NoDirection(
            f"the pre-activation at step {step} is exactly zero, so the step has no direction and "
            "no derivative; "
            "add a bias, drop leading zeros of the signal, or start elsewhere"
        )
    if status == kernels.OVERFLOW:
        raise StateOverflow(
            "the state or its tangents left the range of their floating point type at step "
            f"{step}; "
            "lower the spectral radius (below 1 for a linear network) or the scale of the input"
        )
