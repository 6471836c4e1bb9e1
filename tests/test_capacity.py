"""Capacity: which functions of past inputs a linear readout can compute, by degree and delay."""

import numpy as np
import pytest
from scipy.integrate import quad

import spheresn as sn
from conftest import ACTIVATIONS, network
from spheresn.analysis import (
    information_processing_capacity,
    linear_bound,
    memory_capacity,
    memory_curve,
    memory_nonlinearity,
)
from spheresn.analysis.capacity import TARGETS_AT_ONCE, _explained, _polynomials, _target


def noise(steps: int, seed: int = 0) -> np.ndarray:
    return sn.datasets.white_noise(steps, rng=seed)


def ring(activation, seed: int = 0, **kwargs) -> sn.Reservoir:
    options = {"topology": "ring", "spectral_radius": 0.9, "input_scaling": 0.5, **kwargs}
    return sn.random_reservoir(30, activation=activation, rng=seed, **options)


def test_the_targets_are_orthonormal():
    """⟨z z'⟩ = δ over independent uniform inputs, up to sampling."""
    s = noise(200_000)[:, 0]
    targets = [
        _target(_polynomials(s, 3), delays, 3)
        for delays in [(0,), (1,), (0, 0), (0, 1), (1, 1), (0, 0, 0), (0, 0, 1), (0, 1, 2)]
    ]
    assert np.allclose(np.cov(targets), np.eye(8), atol=0.02) and np.allclose(
        np.mean(targets, axis=1), 0, atol=0.02
    )


def test_a_constant_target_is_named_wherever_it_stands():
    """A signal of two values: its square is constant."""
    polynomials = _polynomials(np.sign(noise(50)[:, 0]), 2)
    tried = [(1,)] * TARGETS_AT_ONCE + [(2,), (3, 3), (4, 4)]
    with pytest.raises(ValueError, match=r"target of delays \(3, 3\) is constant"):
        _explained(np.eye(45)[:, :2], polynomials, tried, 5)


def test_a_linear_network_has_degree_one_only():
    signal = noise(10_000)
    result = information_processing_capacity(
        sn.drive(ring(sn.Linear()), signal), signal, (80, 15, 6)
    )
    assert result.by_degree[0] > 28 and np.array_equal(result.by_degree[1:], [0, 0])


@pytest.mark.parametrize(
    "activation", [sn.OnSphere(), sn.OnSphere(bend=0.5), sn.Tanh()], ids=["sphere", "bent", "tanh"]
)
def test_a_network_without_bias_has_no_even_degree(activation):
    """It is odd: x(-u) = -x(u). A bias brings the even degrees."""
    signal = noise(10_000)
    odd = information_processing_capacity(sn.drive(ring(activation), signal), signal, (40, 12, 6))
    assert odd.by_degree[1] == 0 and odd.by_degree[2] > 0.3
    biased = information_processing_capacity(
        sn.drive(ring(activation, bias_scaling=0.5), signal), signal, (40, 12)
    )
    assert biased.by_degree[1] > 0.3


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_the_total_is_at_most_the_rank(activation):
    signal = noise(10_000)
    result = information_processing_capacity(
        sn.drive(ring(activation, bias_scaling=0.2), signal), signal, (60, 15, 6)
    )
    assert result.rank <= 30 and 5 < result.total < 30.01
    assert np.isclose(result.total, result.by_degree.sum()) and np.isclose(
        result.total, result.capacities.sum()
    )


def test_products_are_found_where_they_are():
    """States s_k, s_{k-1} s_{k-3} and P_2(s_{k-2}) have just these three capacities, each 1."""
    s = noise(5000)[:, 0]
    shifted = [np.roll(s, j) for j in range(4)]
    states = np.stack(
        [s, shifted[1] * shifted[3], 3 * shifted[2] ** 2 - 1], axis=1
    ) @ np.random.default_rng(1).standard_normal((3, 3))
    result = information_processing_capacity(states, s, (10, 6, 4))
    assert set(result.delays) == {(0,), (1, 3), (2, 2)} and np.allclose(
        result.capacities, 1.0, atol=1e-10
    )


def test_unrelated_states_have_no_capacity():
    """Chance exceeds the threshold in none of 20 trials with 300 targets each."""
    for seed in range(20):
        states = np.random.default_rng(100 + seed).standard_normal((1500, 20)).cumsum(axis=0)
        assert information_processing_capacity(states, noise(1500, seed), (30, 12, 5)).total == 0.0


def test_degree_one_is_the_memory_capacity():
    reservoir = ring(sn.OnSphere(), input_scaling=0.2)
    one, two = noise(10_000), noise(10_000, 1)
    ipc = information_processing_capacity(sn.drive(reservoir, one), one, 60)
    assert np.isclose(ipc.total, memory_capacity(reservoir, one, two, 60).total, rtol=0.05)


def test_bounds_of_the_signal_do_not_matter():
    s = noise(3000)
    states = sn.drive(ring(sn.Tanh()), s)
    one = information_processing_capacity(states, s, (20, 5))
    two = information_processing_capacity(states, 3 * s + 7, (20, 5), bounds=(4.0, 10.0))
    assert one.delays == two.delays and np.allclose(one.capacities, two.capacities, atol=1e-9)


def test_the_linear_bound_is_a_correlation():
    """1 - √(1 - R²) with R² = ⟨u sin νu⟩²/(⟨u²⟩⟨sin² νu⟩), by quadrature."""
    for nu in (0.005, 0.029, 0.031, 0.5, 2.5, 4.0):
        mixed = quad(lambda u, nu: u * np.sin(nu * u), 0, 1, args=(nu,), epsabs=0, epsrel=1e-13)[0]
        square = quad(lambda u, nu: np.sin(nu * u) ** 2, 0, 1, args=(nu,), epsabs=0, epsrel=1e-13)[
            0
        ]
        expected = 1 - np.sqrt(max(1 - 3 * mixed**2 / square, 0))
        assert np.isclose(linear_bound(nu), expected, atol=1e-5 if nu > 0.1 else 2e-6)
    assert linear_bound(0.0) == 1.0
    assert np.allclose(
        linear_bound([1, 2, 2.5, 3, 4, 5]), [0.954, 0.791, 0.642, 0.439, 0.047, 0.026], atol=6e-4
    )


def test_linear_networks_reach_the_bound_and_do_not_pass_it():
    signal, frequencies = noise(20_000), [0.1, 1.0, 2.5, 4.0]
    line = sn.Reservoir(sn.topology.delay_line(30), np.eye(30)[:, 0], sn.Linear())
    result = memory_nonlinearity(sn.drive(line, signal), signal, [0, 5, 20], frequencies)
    assert np.allclose(result.test, np.tile(linear_bound(frequencies), (3, 1)), atol=0.01)
    leaking = memory_nonlinearity(
        sn.drive(ring(sn.Linear()), signal), signal, [0, 5, 20], frequencies
    )
    assert (leaking.test < linear_bound(frequencies) + 0.01).all()


def test_small_frequencies_are_plain_recall(rng):
    """sin(ν u) -> ν u."""
    signal = noise(2000)
    states = sn.drive(network(30, sn.OnSphere(), rng), signal)
    task = memory_nonlinearity(states, signal, [0, 3, 9], 1e-4, penalty=1e-12)
    assert np.allclose(
        task.test[:, 0], memory_curve(states, signal, [0, 3, 9], penalty=1e-12).test, atol=1e-6
    )


def test_wrong_arguments_say_what_to_do(rng):
    signal = noise(300)
    states = sn.drive(network(10, sn.OnSphere(), rng), signal)
    for call, message in (
        (
            lambda: information_processing_capacity(states, 2 * signal),
            "signal must be uniform in bounds",
        ),
        (
            lambda: information_processing_capacity(states, signal[:-1]),
            "must have the shape of signal",
        ),
        (
            lambda: information_processing_capacity(states, np.hstack([signal, signal])),
            "signal must have 1 column",
        ),
        (
            lambda: information_processing_capacity(states, signal, 290),
            "states must have at least 310 rows",
        ),
        (
            lambda: information_processing_capacity(states, signal, []),
            "max_delay must have at least 1",
        ),
        (lambda: information_processing_capacity(np.ones((300, 3)), signal), "states must vary"),
        (
            lambda: information_processing_capacity(states, signal, significance=0.0),
            "significance must be in",
        ),
        (
            lambda: memory_nonlinearity(states, signal, [1], [0.0]),
            "frequencies must differ from zero",
        ),
        (
            lambda: memory_nonlinearity(states, signal, [1.5], [1.0]),
            "delays must be a whole number",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call()
