"""What the analyses of a driven system share: input rows, a start, and carried tangents."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation, kernels, sphere
from .._errors import BadInput, NoDirection, StateOverflow
from .._validation import Floats
from ..activations import Linear
from ..compose import Composition, Driven, reservoirs_of
from ..driving import network_of, rows_of, starts_of, writable
from ..reservoir import Reservoir, check_system
from ..system import FreeRunning, System

Signal = ArrayLike | int
FREE_STEPS = 10_500  # of a forecaster that runs free: on Lorenz an error of 4 % of the exponent
Carry = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]


def input_rows(system: System, signal: Any) -> Floats:
    """The signal as (T, d); a whole number T means T steps without input."""
    check_system(system)
    if isinstance(signal, numbers.Integral) and not isinstance(signal, bool):
        width = getattr(system, "n_inputs", 0)
        steps = _validation.fitting("signal", signal, 1, width)
        return np.zeros((steps, width), getattr(system, "dtype", np.float64))
    if isinstance(system, Driven):
        return writable(rows_of(system, signal))
    return _validation.table("signal", signal)


def start_state(system: System, start: ArrayLike | None, rng: np.random.Generator) -> Floats:
    """The given start, or else a random point: on the sphere, or of length one.

    Linear networks start at zero. Their derivative is the same everywhere, and at zero an unstable
    one does not overflow without input. Each layer of a composition has a point of its own.
    """
    if isinstance(system, Driven):
        if start is not None:
            return np.array(starts_of(system, start, 1)[0])
        return np.concatenate([_random_start(one, rng) for one in reservoirs_of(system)])
    if start is None:
        raise BadInput(
            "start must be given for a system that is not a Reservoir, got None; pass a state of "
            "shape (N,)"
        )
    return _validation.array("start", start, 1).copy()


def _random_start(reservoir: Reservoir, rng: np.random.Generator) -> Floats:
    if isinstance(reservoir.activation, Linear):
        return np.zeros(reservoir.units, reservoir.dtype)
    radius = reservoir.activation.sphere_radius or 1.0
    return sphere.random_point(reservoir.units, rng, radius).astype(reservoir.dtype)


def on_sphere(system: System) -> bool:
    """Whether there are directions in which a state cannot move."""
    if isinstance(system, Composition):
        return any(radius is not None for radius in system.radii)
    return isinstance(system, Reservoir) and system.activation.sphere_radius is not None


def tangent(system: System, state: Floats, columns: Floats) -> Floats:
    """The part of the columns (N, k) along which a state can move: at right angles to it on a
    sphere, and to the share of each spherical layer of a composition.
    """
    if isinstance(system, Reservoir):
        has_direction = system.activation.sphere_radius is not None and state.any()
        return np.asarray(sphere.tangent(state, columns)) if has_direction else columns
    if not isinstance(system, Composition):
        return columns
    found = columns.copy()
    for one in system.layers:
        found[one.place] = tangent(one.reservoir, state[one.place], columns[one.place])
    return found


def opened(
    system: System | FreeRunning, signal: Signal | None, start: ArrayLike | None
) -> tuple[System, Signal, ArrayLike | None]:
    """A system, its signal and its start; a forecaster is its closed loop where it is.

    The signal of a forecaster may be None; it has the exogenous columns in their own units.
    """
    if isinstance(system, FreeRunning) and not isinstance(system, type):
        if start is None:
            start = np.concatenate([np.ravel(system.state_), system.last_])
        return system.closed_loop_, _free_signal(system, signal), start
    check_system(system)
    assert isinstance(system, System)
    if signal is None:
        raise BadInput(
            "signal must be given for a system that is not a fitted forecaster, got None; pass "
            "rows (T, d), or a number of steps"
        )
    return system, signal, start


def _free_signal(model: FreeRunning, signal: Signal | None) -> Signal:
    """A number of steps; exogenous rows in units of their deviations."""
    steps = FREE_STEPS if signal is None else signal
    scaler = getattr(model, "exogenous_scaler_", None)
    columns = 0 if scaler is None else len(scaler.mean)
    if isinstance(steps, numbers.Integral):
        if columns:
            raise BadInput(
                f"signal must have the {columns} exogenous columns of the forecaster, got "
                f"{steps!r}; pass rows (T, {columns}) of them"
            )
        return int(steps)
    if scaler is None or not columns:
        raise BadInput(
            "signal must be a number of steps for a forecaster without exogenous columns, got "
            f"{type(signal).__name__}; pass such a number"
        )
    return np.asarray(scaler.forward(_validation.table("signal", steps, columns)))


def after_transient(rows: Floats, transient: int) -> int:
    """The checked transient, which must leave at least two steps for the average."""
    skipped = _validation.whole("transient", transient, 0)
    _validation.at_least(
        "signal", len(rows), skipped + 2, f"when the first {skipped} are the transient"
    )
    return skipped


def direction_count(system: System, count: int | None) -> int:
    """The checked number of exponents; by default one for each direction."""
    if system.tangent_dim < 1:
        raise BadInput(
            "system must have at least one direction to move in, got none; a sphere needs at "
            "least two units"
        )
    size = system.tangent_dim if count is None else _validation.whole("count", count, 1)
    if size > system.tangent_dim:
        raise BadInput(
            f"count must be at most the {system.tangent_dim} directions of the system, got "
            f"{count}; lower it"
        )
    return size


def carrier(system: System) -> Carry:
    """The function (state, rows, tangents (k, N)) -> state and tangents after these rows.

    It does not change its arguments.
    """
    network = network_of(system) if isinstance(system, Driven) else None
    if network is None:
        return lambda state, rows, tangents: _carry_by_steps(system, state, rows, tangents)

    def carry(state: Floats, rows: Floats, tangents: Floats) -> tuple[Floats, Floats]:
        state, tangents = state.copy(), np.array(tangents, order="C")
        check_status(*kernels.tangent_block_loop(network, rows, state, tangents))
        return state, tangents

    return carry


def _carry_by_steps(
    system: System, state: Floats, rows: Floats, tangents: Floats
) -> tuple[Floats, Floats]:
    columns = tangents.T
    for row in rows:
        state, columns = system.tangent_step(state, row, columns)
    if not np.isfinite(state).all():
        check_status(kernels.OVERFLOW, len(rows) - 1)
    return state, np.asarray(columns.T)


def check_status(status: int, step: int) -> None:
    """Raise an error if a compiled loop ended at a step that has no derivative."""
    if status == kernels.DEGENERATE:
        raise NoDirection(
            f"the pre-activation at step {step} is exactly zero, so the step has no direction and "
            "no derivative; add a bias, drop leading zeros of the signal, or start elsewhere"
        )
    if status == kernels.OVERFLOW:
        raise StateOverflow(
            "the state or its tangents left the range of their floating point type at step "
            f"{step}; lower the spectral radius (below 1 for a linear network) or the scale of the "
            "input"
        )
