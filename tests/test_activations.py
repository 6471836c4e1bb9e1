"""Activations and the steps built from them: values, derivatives, degenerate cases."""

import numpy as np
import pytest

import spheresn as sn
from conftest import ACTIVATIONS, SPHERES, network


def test_no_bend_is_the_papers_model_to_the_last_bit(rng):
    a = rng.standard_normal(50)
    assert np.array_equal(sn.OnSphere().value(a), a / np.linalg.norm(a))
    assert np.array_equal(sn.OnSphere(2.5).value(a), 2.5 * (a / np.linalg.norm(a)))
    signal = rng.standard_normal((40, 1))
    networks = [
        network(50, sn.OnSphere(1.0, bend), np.random.default_rng(1)) for bend in (0.0, 1e-12)
    ]
    plain, barely = (sn.drive(reservoir, signal) for reservoir in networks)
    assert np.allclose(plain, barely, atol=1e-13)


def test_bending_is_two_projections_with_a_circle_for_every_unit_between(rng):
    a, bend, radius = rng.standard_normal(30), 0.7, 3.0
    spread = np.sqrt(30) * a / np.linalg.norm(a)
    z = spread / np.sqrt(1 + (bend * spread) ** 2)
    assert np.allclose(
        sn.OnSphere(radius, bend).value(a), radius * z / np.linalg.norm(z), rtol=1e-14
    )


def test_an_endless_bend_leaves_only_the_signs(rng):
    a = rng.standard_normal(16)
    assert np.allclose(sn.OnSphere(1.0, 1e6).value(a), np.sign(a) / 4.0, atol=1e-9)


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_pushforward_equals_central_differences(activation, rng):
    a, tangents, h = rng.standard_normal(11), rng.standard_normal((11, 4)), 1e-6
    numeric = [
        (activation.value(a + h * v) - activation.value(a - h * v)) / (2 * h) for v in tangents.T
    ]
    assert np.allclose(activation.pushforward(a, tangents), np.transpose(numeric), atol=1e-8)
    assert np.allclose(activation.pushforward(a, tangents[:, 0]), numeric[0], atol=1e-8)


@pytest.mark.parametrize("leak", [1.0, 0.3])
@pytest.mark.parametrize("topology", sn.topology.TOPOLOGIES)
@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_tangent_step_equals_central_differences_of_step(activation, topology, leak, rng):
    reservoir = network(7, activation, rng, topology, n_inputs=2, bias_scaling=0.3, leak=leak)
    state = sn.sphere.random_point(7, rng, activation.sphere_radius or 1.0)
    row, tangents, h = rng.standard_normal(2), rng.standard_normal((7, 3)), 1e-6
    after, carried = reservoir.tangent_step(state, row, tangents)
    numeric = [
        (reservoir.step(state + h * v, row) - reservoir.step(state - h * v, row)) / (2 * h)
        for v in tangents.T
    ]
    assert np.array_equal(after, reservoir.step(state, row))
    assert np.allclose(carried, np.transpose(numeric), atol=1e-8)


@pytest.mark.parametrize("activation", SPHERES.values(), ids=SPHERES)
def test_the_derivative_is_tangent_to_the_sphere(activation, rng):
    """x·dx = 0: the state cannot leave the sphere. The printed Jacobian violates this [VAL19]."""
    reservoir = network(15, activation, rng, leak=0.5)
    after, carried = reservoir.tangent_step(
        sn.sphere.random_point(15, rng), np.ones(1), rng.standard_normal((15, 5))
    )
    assert np.allclose(after @ carried, 0.0, atol=1e-13)
    assert reservoir.tangent_dim == 14


def test_a_reservoir_is_a_system(rng):
    assert isinstance(network(4, sn.Tanh(), rng), sn.System)


@pytest.mark.parametrize("radius", [0.0, -1.0, np.nan, np.inf, "one"])
def test_a_sphere_needs_a_radius(radius):
    with pytest.raises(ValueError, match="radius must be"):
        sn.OnSphere(radius=radius)


def test_a_bend_cannot_be_negative():
    with pytest.raises(ValueError, match=r"bend must be in \[0, "):
        sn.OnSphere(bend=-0.1)
