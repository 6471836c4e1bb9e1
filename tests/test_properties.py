"""Driving, for any network and signal: every loop follows the equation.

Pieces, batches and the type of the signal make no difference.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import exact
import spheresn as sn
from hostile import CASES, TAME, Case, finite, hold
from spheresn import kernels
from spheresn.closed_loop import ClosedLoop
from spheresn.driving import network_of
from spheresn.readout import Weights

KINDS = ("f4", "f2", "i8", "i1", "u1", "?", ">f8", ">i4", "O")
LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "every other row": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "backwards": lambda rows: rows[::-1].copy()[::-1],
    "a list": lambda rows: rows.tolist(),
}


def follows(
    reservoir: sn.Reservoir, rows: np.ndarray, start: np.ndarray, states: np.ndarray
) -> bool:
    """Each state is the exact step from the last one up to rounding, and lies on the sphere."""
    finite(states)
    radius = reservoir.activation.sphere_radius
    for before, row, after in zip([start, *states][: len(rows)], rows, states, strict=True):
        step = exact.step(reservoir, before, row)
        assert radius is None or abs(exact.length(exact.wide(after)) / radius - 1) < 1e-12
        assert step.state is None or exact.length(after - step.state) <= step.off
    return True


def overflows(reservoir: sn.Reservoir, rows: np.ndarray, state: np.ndarray) -> bool:
    """Whether some intermediate sum is too large for a double; all steps before it must succeed."""
    for row in rows:
        if not exact.step(reservoir, state, row).in_range:
            return True
        state = sn.drive(reservoir, row[None], state)[0]
    return False


def driven(reservoir: sn.Reservoir, case: Case) -> bool:
    try:
        states = sn.drive(reservoir, case.signal(), case.start)
    except sn.StateOverflow:
        assert overflows(reservoir, case.signal(), case.start)
        return False
    return follows(reservoir, case.signal(), case.start, states)


def states_follow_the_equation(case: Case) -> bool:
    return driven(case.reservoir, case)


def dense_and_sparse_forms_of_w_follow_it_too(case: Case) -> bool:
    own, w = case.reservoir, case.reservoir.recurrent.toarray()
    return all(driven(replace(own, recurrent=form), case) for form in (w, sp.csr_array(w)))


def steps_one_by_one_follow_it(case: Case) -> bool:
    reservoir, state, states = case.reservoir, case.start, []
    for row in case.signal():
        try:
            state = reservoir.step(state, row)
        except sn.StateOverflow:
            assert not exact.step(reservoir, state, row).in_range
            break
        states.append(state)
    return follows(
        reservoir, case.signal()[: len(states)], case.start, np.reshape(states, (-1, case.units))
    )


def pieces_and_lists_equal_the_whole_to_the_last_bit(case: Case) -> bool:
    reservoir, signal, start = case.reservoir, case.signal(), case.start
    if overflows(reservoir, signal, start):
        return False
    whole = sn.drive(reservoir, signal, start)
    for chunk in (1, 3):
        assert np.array_equal(
            np.vstack([whole[:0], *sn.drive_chunks(reservoir, signal, chunk, start)]), whole
        )
    some, all_of_it = sn.drive(reservoir, [signal[:2], signal], start)
    assert np.array_equal(some, whole[:2]) and np.array_equal(all_of_it, whole)
    return True


def each_of_a_batch_follows_the_equation(case: Case) -> bool:
    # Only a dense W runs as one product per step
    case = replace(case, topology="gaussian") if case.seed % 2 else case
    signals = np.stack([case.signal(), case.signal(purpose=3), -case.signal()])
    starts = np.stack([case.start, np.zeros(case.units), -case.start])
    try:
        states = sn.drive(case.reservoir, signals, starts)
    except sn.StateOverflow:
        assert any(overflows(case.reservoir, *pair) for pair in zip(signals, starts, strict=True))
        return False
    return all(follows(case.reservoir, *one) for one in zip(signals, starts, states, strict=True))


def each_point_of_a_grid_follows_its_own_equation(case: Case) -> bool:
    own, radii, factors = case.reservoir, [0.0, 0.7, 30.0], [0.0, 0.1, 5.0]
    if case.topology == "delay_line":
        return False  # its spectral radius is zero whatever the factor
    points = [
        own.rescaled(radius / own.recurrent.spectral_radius(), factor)
        for radius in radii
        for factor in factors
    ]
    try:
        states = sn.drive_grid(own, case.signal(), radii, factors, case.start)
    except sn.StateOverflow:
        assert any(overflows(point, case.signal(), case.start) for point in points)
        return False
    flat = states.reshape(len(points), case.steps, case.units)
    return all(
        follows(point, case.signal(), case.start, one)
        for point, one in zip(points, flat, strict=True)
    )


def the_type_and_layout_of_a_signal_do_not_matter(case: Case) -> bool:
    reservoir, plain = case.reservoir, np.clip(case.signal(), -100, 100)
    small = np.abs(plain) < 1e-3
    for kind in KINDS:
        rows = np.where(small, 0.0, np.abs(plain) if kind == "u1" else plain).astype(kind)
        assert np.array_equal(sn.drive(reservoir, rows), sn.drive(reservoir, rows.astype(float)))
    fixed = plain.copy()
    fixed.flags.writeable = False
    forms = [fixed, *(turn(plain) for turn in LAYOUTS.values())] if case.steps else [fixed]
    assert all(
        np.array_equal(sn.drive(reservoir, form), sn.drive(reservoir, plain)) for form in forms
    )
    return True


def tangents_follow_the_derivative(case: Case) -> bool:
    reservoir, state, answered = case.reservoir, case.start, False
    network = network_of(reservoir)
    for row in case.signal():
        tangents = case.rng(4).standard_normal((2, case.units))
        step = exact.step(reservoir, state, row, tangents[0])
        if step.state is None or not step.in_range:
            break
        after, carried = reservoir.tangent_step(state, row, tangents.T)
        moved, block = state.copy(), tangents.copy()
        assert kernels.tangent_block_loop(network, row[None], moved, block)[0] == kernels.FINE
        for end, tangent in ((after, carried[:, 0]), (moved, block[0])):
            assert (
                exact.length(end - step.state) <= step.off
                and exact.length(tangent - step.tangent) <= step.tangent_off
            )
        state, answered = after, True
    return answered


def a_closed_loop_is_the_open_loop_fed_with_its_outputs(case: Case) -> bool:
    reservoir, rng = (
        replace(case.reservoir, inputs=case.rng(5).standard_normal((case.units, 1 + case.inputs))),
        case.rng(6),
    )
    if (
        case.activation.sphere_radius not in (None, 1.0)
        or getattr(case.activation, "bend", 0.0) > 1.0
    ):
        # The forecaster's networks have radius one; stronger bends double rounding errors each step
        return False
    loop = ClosedLoop(
        reservoir, Weights(0.1 * rng.standard_normal((case.units, 1)), np.ones(1)), carry=0.5
    )
    exogenous, start, last = (
        rng.standard_normal((case.steps, case.inputs)),
        rng.standard_normal(case.units),
        np.ones(1),
    )
    outputs, steps = loop.run(case.steps, start, last, exogenous)
    fed_back = np.vstack([last[None], outputs[:-1]])
    states = sn.drive(reservoir, np.hstack([fed_back, exogenous]), start)
    assert steps == case.steps and np.allclose(
        outputs, 0.5 * fed_back + loop.weights(states), rtol=1e-9, atol=1e-9
    )
    return True


def single_precision_stays_on_its_sphere(case: Case) -> bool:
    """Rounding of N squares: N eps."""
    calm = replace(
        case,
        activation=sn.OnSphere(2.5, case.activation.bend)
        if case.activation.sphere_radius
        else case.activation,
    )
    reservoir = calm.network(dtype=np.float32)
    states = sn.drive(reservoir, np.clip(calm.signal(), -1e3, 1e3), calm.start)
    lengths = np.linalg.norm(states.astype(float), axis=1)
    radius = calm.activation.sphere_radius
    assert (
        radius is None
        or (np.abs(lengths / radius - 1) <= (case.units + 8) * np.finfo(np.float32).eps).all()
    )
    return finite(states)


LAWS = {
    law.__name__.replace("_", " "): (law, cases)
    for cases, laws in {
        CASES: (
            states_follow_the_equation, dense_and_sparse_forms_of_w_follow_it_too,
            steps_one_by_one_follow_it,
            pieces_and_lists_equal_the_whole_to_the_last_bit, each_of_a_batch_follows_the_equation,
            each_point_of_a_grid_follows_its_own_equation,
            the_type_and_layout_of_a_signal_do_not_matter, tangents_follow_the_derivative,
            single_precision_stays_on_its_sphere,
        ),
        TAME: (a_closed_loop_is_the_open_loop_fed_with_its_outputs,),
    }.items()
    for law in laws
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_it_holds(name):
    assert hold(*LAWS[name], examples=60) >= 40
