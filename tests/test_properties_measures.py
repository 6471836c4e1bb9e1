"""Measures and their plots, for any network and signal: numbers, or an error with a message.

Measures without a unit do not depend on the unit of the signal.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from matplotlib.figure import Figure

import spheresn as sn
from hostile import CASES, TAME, Case, finite, hold, refusals_allowed
from spheresn import analysis, plotting

# Infinite by their definition: a vanished direction grows by -inf, one block has no spread, a
# washout that never ends.
EXTENDED = {
    "exponents",
    "exponent",
    "history",
    "rate",
    "contraction",
    "standard_errors",
    "standard_error",
    "washout",
    "needed",
}


def sound(result: Any) -> bool:
    """No NaN in any field, and infinities only where they mean something."""
    for field in fields(result):
        value = getattr(result, field.name)
        if isinstance(value, (float, np.ndarray)):
            assert not np.isnan(value).any() if field.name in EXTENDED else finite(value), (
                field.name
            )
    return True


def exponents(case: Case) -> bool:
    reservoir, signal = case.reservoir, case.signal(10)
    with refusals_allowed():
        return sound(analysis.lyapunov_spectrum(reservoir, signal, transient=3)) and sound(
            analysis.max_lyapunov(reservoir, signal, 3)
        )
    return False


def local_and_autonomous_exponents(case: Case) -> bool:
    with refusals_allowed():
        kind = "printed" if case.activation.sphere_radius and case.seed % 2 else "exact"
        sound(analysis.local_exponents(case.reservoir, case.signal(4), kind, transient=1))
        assert not np.isnan(analysis.autonomous_exponents(case.reservoir.recurrent)).any()
        return True
    return False


def echo_states(case: Case) -> bool:
    with refusals_allowed():
        sound(analysis.echo_state(case.reservoir, case.signal(5), transient=2))
        return case.activation.sphere_radius is None or sound(
            analysis.pre_activation_outside_sphere(case.reservoir, case.signal())
        )
    return False


def sensitivities_and_norms(case: Case) -> bool:
    with refusals_allowed():
        sound(analysis.memory_profile(case.reservoir, case.signal(8), 5, times=2))
        return finite(analysis.norm_factors(case.reservoir, case.signal(1), case.start))
    return False


def rates_and_terms(case: Case) -> bool:
    plain = replace(case, activation=sn.OnSphere(case.activation.sphere_radius or 1.0), leak=1.0)
    with refusals_allowed():
        terms = analysis.memory_terms(plain.reservoir, plain.signal(1), plain.start)
        return finite(terms) and sound(
            analysis.memory_rate(plain.reservoir, plain.signal(9), transient=2)
        )
    return False


def recall(case: Case) -> bool:
    signal = case.signal(30)
    with refusals_allowed():
        states = sn.drive(case.reservoir, signal)
        sound(analysis.memory_curve(states, signal, [0, 3]))
        return sound(analysis.memory_nonlinearity(states, signal[:, 0], [0, 2], [0.1, 3.0]))
    return False


def capacities(case: Case) -> bool:
    signal, size = (
        case.signal(90),
        case.signal(90).max(initial=0.0) - case.signal(90).min(initial=0.0),
    )
    with refusals_allowed():
        sound(
            analysis.information_processing_capacity(
                sn.drive(case.reservoir, signal),
                signal[:, 0],
                (4, 2),
                washout=5,
                bounds=(-size, size),
            )
        )
        return sound(analysis.memory_capacity(case.reservoir, signal, signal[::-1], 5, washout=10))
    return False


def errors_have_no_unit(case: Case) -> bool:
    """nrmse, accuracy and valid time of c y and c ŷ are those of y and ŷ, to the last bit for a
    power of two.
    """
    target, guess = (
        case.rng(purpose).standard_normal((case.steps + 2, case.inputs)) for purpose in (7, 8)
    )
    for factor in (2.0**-1000, 2.0**1000):
        assert sn.metrics.nrmse(factor * target, factor * guess) == sn.metrics.nrmse(target, guess)
        assert sn.metrics.valid_time(factor * target, factor * guess) == sn.metrics.valid_time(
            target, guess
        )
    return (
        finite(sn.metrics.accuracy(case.signal(2), np.ones((case.steps + 2, case.inputs))))
        if np.ptp(case.signal(2))
        else True
    )


def the_sphere_has_no_unit(case: Case) -> bool:
    """W fixed; r, W_in and b times c: states and sensitivities are c times as large, exponents and
    verdicts the same.
    """
    plain = replace(case, activation=sn.OnSphere(1.0, case.seed % 3 / 2), units=case.units + 1)
    own, signal = plain.reservoir, plain.signal(4)
    for factor in (2.0**-500, 2.0**500):
        other = replace(
            own,
            activation=replace(own.activation, radius=factor),
            inputs=factor * own.inputs,
            bias=factor * own.bias,
        )
        start = plain.start / np.linalg.norm(plain.start)
        one, two = (
            analysis.max_lyapunov(net, signal, 1, at)
            for net, at in ((own, start), (other, factor * start))
        )
        assert np.isclose(one.exponent, two.exponent, rtol=1e-6, atol=1e-9)
        one, two = (
            analysis.memory_profile(net, signal, 2, 1, at)
            for net, at in ((own, start), (other, factor * start))
        )
        assert np.allclose(one.sensitivity, two.sensitivity / factor, rtol=1e-6, atol=1e-12)
        one, two = (analysis.echo_state(net, signal, transient=1, rng=0) for net in (own, other))
        assert one.verdict == two.verdict and (
            one.distances is None or np.allclose(one.distances, two.distances / factor, atol=1e-6)
        )
    return True


def pictures(case: Case) -> bool:
    figure, reservoir, signal = Figure(figsize=(2, 2)), case.reservoir, case.signal(12)
    with refusals_allowed():
        spectrum = analysis.lyapunov_spectrum(reservoir, signal, transient=3)
        plotting.plot_spectrum(figure.add_subplot(), spectrum)
        plotting.plot_convergence(figure.add_subplot(), spectrum)
        plotting.plot_convergence(figure.add_subplot(), analysis.max_lyapunov(reservoir, signal, 3))
        plotting.plot_echo_state(
            figure.add_subplot(), analysis.echo_state(reservoir, signal, transient=2)
        )
        plotting.plot_memory_profile(
            figure.add_subplot(), analysis.memory_profile(reservoir, signal, 5)
        )
        figure.draw_without_rendering()
        return True
    return False


NUMBERS = (
    exponents, local_and_autonomous_exponents, echo_states, sensitivities_and_norms,
    rates_and_terms, recall, capacities, errors_have_no_unit, pictures,
)  # fmt: skip
LAWS: dict[str, tuple[Any, st.SearchStrategy[Case]]] = {
    **{law.__name__.replace("_", " "): (law, CASES) for law in NUMBERS},
    "the sphere has no unit": (the_sphere_has_no_unit, TAME),
}


@pytest.mark.parametrize("name", LAWS)
def test_it_holds(name):
    assert hold(*LAWS[name], examples=3 if name == "pictures" else 30) >= 3
