"""Laws of the spherical network, each a theorem of docs/theory.md."""

import numpy as np
import pytest

import spheresn as sn
from conftest import ACTIVATIONS, SPHERES, network

BENDS = [0.0, 0.5, 1.0]


def test_without_input_only_the_last_projection_matters(rng):
    """x_n = Wⁿ x_0/|Wⁿ x_0| [VAL19, eqn:evolution_IC]."""
    w, start = rng.standard_normal((20, 20)), sn.sphere.random_point(20, rng)
    states = sn.drive(sn.Reservoir(recurrent=w, inputs=np.ones(20)), np.zeros(30), start)
    for n in (1, 10, 30):
        assert np.allclose(
            states[n - 1], sn.sphere.project(np.linalg.matrix_power(w, n) @ start), atol=1e-12
        )


def test_without_input_the_matrix_may_change_from_step_to_step(rng):
    """x_n = W_n ... W_1 x_0 / |...| [VAL19, eqn:evolution_general]."""
    matrices, state = rng.standard_normal((15, 8, 8)), sn.sphere.random_point(8, rng)
    product = state
    for w in matrices:
        state = sn.Reservoir(recurrent=w, inputs=np.ones(8)).step(state, np.zeros(1))
        product = w @ product
    assert np.allclose(state, product / np.linalg.norm(product), atol=1e-13)


@pytest.mark.parametrize("radius", [1.0, 2.5])
def test_the_state_expands_into_past_inputs(radius, rng):
    """x_n = M(n,0) x_0 + Σ M(n,k) u_k with M(n,k) = r^{n-k+1} W^{n-k}/Π_{l=k..n} N_l, and M(n,0) =
    rⁿ Wⁿ/Π_{l=1..n} N_l.

    The printed M lacks the powers of r [VAL19, eqn:memory_matrix].
    """
    reservoir = network(10, sn.OnSphere(radius), rng, spectral_radius=1.4)
    signal, start = rng.standard_normal((12, 1)), sn.sphere.random_point(10, rng, radius)
    states = sn.drive(reservoir, signal, start)
    before = np.vstack([start, states[:-1]])
    norms = [
        np.linalg.norm(reservoir.pre_activation(x, s)) for x, s in zip(before, signal, strict=True)
    ]
    w, n = reservoir.recurrent.toarray(), 12
    total = radius**n * np.linalg.matrix_power(w, n) @ start / np.prod(norms)
    for k in range(1, n + 1):
        m = radius ** (n - k + 1) * np.linalg.matrix_power(w, n - k) / np.prod(norms[k - 1 :])
        total = total + m @ reservoir.inputs @ signal[k - 1]
    assert np.allclose(total, states[-1], atol=1e-13 * radius)


@pytest.mark.parametrize("bend", BENDS)
@pytest.mark.parametrize("leak", [1.0, 0.4])
def test_only_the_ratio_of_scaling_to_spectral_radius_matters(bend, leak, rng):
    reservoir = network(40, sn.OnSphere(bend=bend), rng, bias_scaling=0.3, leak=leak)
    signal = rng.standard_normal((300, 1))
    for factor in (0.01, 3.0, 1e6):
        scaled = reservoir.rescaled(factor, factor, factor)
        assert np.allclose(
            sn.drive(scaled, signal), sn.drive(reservoir, signal), rtol=0, atol=1e-14
        )


@pytest.mark.parametrize("bend", BENDS)
def test_a_radius_is_an_input_scaling(bend, rng):
    """(ρ, scaling, r) gives r times the states of (ρ, scaling/r, 1)."""
    unit = network(40, sn.OnSphere(1.0, bend), rng, bias_scaling=0.3)
    for radius in (0.5, 3.0):
        wide = sn.Reservoir(
            unit.recurrent, unit.inputs * radius, sn.OnSphere(radius, bend), unit.bias * radius
        )
        signal = rng.standard_normal((300, 1))
        assert np.allclose(
            sn.drive(wide, signal) / radius, sn.drive(unit, signal), rtol=0, atol=1e-14
        )


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_without_bias_the_network_is_odd(activation, rng):
    reservoir, signal = network(30, activation, rng), rng.standard_normal((100, 1))
    start = sn.sphere.random_point(30, rng)
    assert np.array_equal(sn.drive(reservoir, -signal, -start), -sn.drive(reservoir, signal, start))


def test_a_negative_matrix_alternates(rng):
    """-W with (-1)^k u_k gives (-1)^k x_k."""
    reservoir, signal = network(30, sn.OnSphere(), rng), rng.standard_normal((50, 1))
    signs = (-1.0) ** np.arange(50)[:, None]
    assert np.allclose(
        sn.drive(reservoir.rescaled(-1.0), -signs * signal),
        -signs * sn.drive(reservoir, signal),
        atol=1e-13,
    )


def test_the_only_nonlinearity_is_one_scalar_per_step(rng):
    """y_n = x_n Π N_k obeys y_n = W y_{n-1} + |y_{n-1}| u_n (r = 1)."""
    reservoir, signal = network(12, sn.OnSphere(), rng), rng.standard_normal((15, 1))
    y = start = sn.sphere.random_point(12, rng)
    for s in signal:
        y = reservoir.recurrent.matvec(y) + np.linalg.norm(y) * (reservoir.inputs @ s)
    assert np.allclose(y / np.linalg.norm(y), sn.drive(reservoir, signal, start)[-1], atol=1e-13)


@pytest.mark.parametrize("activation", SPHERES.values(), ids=SPHERES)
@pytest.mark.parametrize("leak", [1.0, 0.2])
def test_states_stay_on_the_sphere(activation, leak, rng):
    states = sn.drive(network(25, activation, rng, leak=leak), rng.standard_normal((500, 1)))
    assert np.allclose(np.linalg.norm(states, axis=1), activation.radius, rtol=1e-13)


def test_a_linear_network_is_a_convolution(rng):
    """x_n = Σ_j W^j w s_{n-j}."""
    reservoir, signal = network(15, sn.Linear(), rng), rng.standard_normal(40)
    response = [reservoir.inputs[:, 0]]
    for _ in range(39):
        response.append(reservoir.recurrent.matvec(response[-1]))
    assert np.allclose(
        sn.drive(reservoir, signal)[-1], signal[::-1] @ np.array(response), atol=1e-13
    )


def test_a_delay_line_holds_the_last_inputs(rng):
    reservoir = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[:, 0], sn.Linear())
    signal = rng.standard_normal(20)
    assert np.array_equal(sn.drive(reservoir, signal)[-1], signal[:-6:-1])
