"""Lyapunov exponents against closed forms, for reservoirs and for other maps."""

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackNoConvergence
from threadpoolctl import threadpool_info, threadpool_limits

import spheresn as sn
from conftest import ACTIVATIONS, SPHERES, network
from plain import CHAOTIC_2, CHAOTIC_4, Henon
from spheresn import kernels
from spheresn._running import limit_threads
from spheresn.analysis import (
    autonomous_exponents,
    local,
    local_exponents,
    lyapunov_spectrum,
    max_lyapunov,
)
from spheresn.analysis._common import carrier
from spheresn.analysis._growth import block_errors


class ClosedLoop:
    """A reservoir fed with its own readout, x' = F(x, W_out x).

    Its derivative is that of a network with W + W_in W_out.
    """

    def __init__(self, reservoir, readout):
        self.reservoir, self.readout, self.tangent_dim = reservoir, readout, reservoir.tangent_dim

    def step(self, state, inputs):
        return self.reservoir.step(state, self.readout @ state)

    def tangent_step(self, state, inputs, tangents):
        a = self.reservoir.pre_activation(state, self.readout @ state)
        moved = self.reservoir.recurrent.matvec(tangents) + self.reservoir.inputs @ (
            self.readout @ tangents
        )
        return self.step(state, inputs), self.reservoir.activation.pushforward(a, moved)


def with_leading_eigenvalue(kind: str, units: int = 100) -> np.ndarray:
    for seed in range(50):
        w = np.random.default_rng(seed).standard_normal((units, units))
        values = np.linalg.eigvals(w)
        if np.iscomplex(values[np.abs(values).argmax()]) == (kind == "complex"):
            return w
    raise AssertionError(kind)


@pytest.mark.parametrize("leak", [1.0, 0.3])
@pytest.mark.parametrize("topology", sn.topology.TOPOLOGIES)
@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_compiled_tangents_equal_the_plain_derivative(activation, topology, leak, rng):
    for units, count in ((1, 1), (2, 1), (33, 5), (80, 2)):
        reservoir = network(
            units, activation, rng, topology, n_inputs=2, bias_scaling=0.2, leak=leak
        )
        signal, state, tangents = (
            rng.standard_normal((7, 2)),
            rng.standard_normal(units),
            rng.standard_normal((units, count)),
        )
        got_state, got = carrier(reservoir)(state, signal, tangents.T)
        for row in signal:
            state, tangents = reservoir.tangent_step(state, row, tangents)
        assert np.allclose(got_state, state, rtol=0, atol=1e-12)
        assert np.allclose(got.T, tangents, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_autonomous_exponents_are_ratios_of_eigenvalues(kind):
    """log|λ_i/λ_1|, i = 2..N: the maximal one is 0 for a leading pair, negative for a real λ_1."""
    w = with_leading_eigenvalue(kind)
    exact = autonomous_exponents(w)
    measured = lyapunov_spectrum(sn.Reservoir(w, np.zeros(100)), 8000, transient=1500).exponents
    assert np.abs(measured - exact).max() < 1e-3
    assert exact[0] == 0.0 if kind == "complex" else exact[0] < -1e-3


def test_autonomous_exponents_by_hand():
    assert np.allclose(
        autonomous_exponents(np.diag([1.0, -4.0, 2.0])), np.log([0.5, 0.25]), atol=1e-15
    )
    assert np.array_equal(autonomous_exponents(np.diag([3.0, 0.0])), [-np.inf])
    assert np.allclose(autonomous_exponents(sn.topology.ring(7, 2.0)), 0.0, atol=1e-14)
    with pytest.raises(sn.NoDirection, match="nilpotent"):
        autonomous_exponents(sn.topology.delay_line(4))


@pytest.mark.parametrize("radius", [0.5, 3.0])
@pytest.mark.parametrize("rho", [0.2, 20.0])
def test_autonomous_exponents_depend_on_neither_spectral_radius_nor_radius(rho, radius, rng):
    plain = network(20, sn.OnSphere(), rng)
    start = sn.sphere.random_point(20, rng)
    other = sn.Reservoir(plain.recurrent.scaled(rho), plain.inputs, sn.OnSphere(radius))
    one, two = (
        lyapunov_spectrum(r, 800, transient=100, start=s)
        for r, s in ((plain, start), (other, radius * start))
    )
    assert np.allclose(one.exponents, two.exponents, atol=1e-9)


@pytest.mark.parametrize("radius", [1.0, 1.7])
def test_the_sum_of_driven_exponents_is_a_determinant(radius, rng):
    """Σ λ_i = (N-1)(log r - ⟨log N_k⟩) + log|det W| + ⟨log|x̂_{k-1}ᵀ W⁻¹ a_k|⟩ - ⟨log N_k⟩.

    The identity is exact for any finite run.
    """
    reservoir = network(30, sn.OnSphere(radius), rng, spectral_radius=1.3)
    signal, start = rng.standard_normal((200, 1)), sn.sphere.random_point(30, rng, radius)
    before = np.vstack([start, sn.drive(reservoir, signal, start)[:-1]])
    a = np.array([reservoir.pre_activation(x, s) for x, s in zip(before, signal, strict=True)])
    log_norm = np.log(np.linalg.norm(a, axis=1)).mean()
    inverse = np.linalg.inv(w := reservoir.recurrent.toarray())
    mixed = np.log(np.abs(np.einsum("ki,ij,kj->k", before / radius, inverse, a))).mean()
    expected = 29 * (np.log(radius) - log_norm) + np.linalg.slogdet(w)[1] + mixed - log_norm
    assert np.isclose(
        lyapunov_spectrum(reservoir, signal, transient=0, start=start).exponents.sum(),
        expected,
        atol=1e-8,
    )


def test_linear_exponents_are_logarithms_of_eigenvalues(rng):
    basis = rng.standard_normal((6, 6)) + 3 * np.eye(6)
    values = np.array([0.9, 0.7, 0.5, 0.3, 0.2, 0.05])
    reservoir = sn.Reservoir(
        basis @ np.diag(values) @ np.linalg.inv(basis), np.ones(6), sn.Linear()
    )
    spectrum = lyapunov_spectrum(reservoir, rng.standard_normal(2000), transient=300)
    assert np.allclose(spectrum.exponents, np.log(values), atol=1e-6)
    assert (spectrum.standard_errors < 1e-6).all()


def test_a_leak_moves_the_eigenvalues_of_a_linear_network(rng):
    """x' = ((1 - leak) I + leak W) x + ..."""
    reservoir = sn.Reservoir(np.diag([0.9, -0.5]), np.ones(2), sn.Linear(), leak=0.4)
    expected = np.log([0.6 + 0.4 * 0.9, 0.6 - 0.4 * 0.5])
    assert np.allclose(
        lyapunov_spectrum(reservoir, rng.standard_normal(900)).exponents, expected, atol=1e-8
    )


@pytest.mark.parametrize("factor", [0.9, 1.0, 1.1])
def test_contracting_neutral_and_growing(factor, rng):
    angle = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    reservoir = sn.Reservoir(factor * angle, np.ones(2), sn.Linear())
    one = max_lyapunov(reservoir, rng.standard_normal(1500))
    assert np.isclose(one.exponent, np.log(factor), atol=1e-13) and one.standard_error < 1e-14
    assert np.allclose(
        lyapunov_spectrum(reservoir, rng.standard_normal(1500)).exponents,
        np.log(factor),
        atol=1e-13,
    )


def test_henon():
    """Σ λ_i = log .3, the determinant of every Jacobian; the maximal one is about .419."""
    spectrum = lyapunov_spectrum(Henon(), 20_000, start=[0.1, 0.1])
    assert np.isclose(spectrum.exponents.sum(), np.log(0.3), atol=1e-9)
    assert abs(spectrum.exponents[0] - 0.419) < 3 * spectrum.standard_errors[0] + 0.003
    one = max_lyapunov(Henon(), 20_000, start=[0.1, 0.1])
    assert abs(one.exponent - spectrum.exponents[0]) < 1e-3


@pytest.mark.parametrize(
    ("w", "expected"),
    [(CHAOTIC_2, 0.53), (CHAOTIC_4, 0.11)],
    ids=["N = 2", "N = 4, eqn:condition holds"],
)
def test_chaos_on_the_sphere(w, expected):
    """Constant input and a special W give chaos.

    This refutes "the maximum Lyapunov exponent is always null" [VAL19].
    """
    units = len(w)
    first = np.eye(units)[0] * (11.0 if units == 4 else 1.0)
    reservoir = sn.Reservoir(w, first)
    for seed in range(3):
        result = max_lyapunov(reservoir, np.ones(100_000), rng=seed)
        assert abs(result.exponent - expected) < 0.02
        assert result.exponent > 10 * result.standard_error


def test_the_paper_s_condition_holds_in_the_chaotic_example():
    """σ_min(W) = 12.057 >= 1 + |u|/r = 12 [VAL19, eqn:condition]."""
    assert np.linalg.svd(CHAOTIC_4, compute_uv=False)[-1] >= 1 + 11.0


def test_typical_driven_networks_contract_at_the_mean_field_rate(rng):
    """MLE ≈ -½⟨log(1 + |u_k|²/(r ρ)²)⟩ for strong input and large N."""
    reservoir = sn.random_reservoir(300, spectral_radius=1.0, input_scaling=0.5, rng=rng)
    signal = sn.datasets.white_noise(1500, rng=rng) * 1.0
    u = np.linalg.norm(reservoir.inputs, axis=0) * np.abs(np.asarray(signal).reshape(-1, 1))
    result = max_lyapunov(reservoir, signal)
    assert np.isclose(result.exponent, -0.5 * np.log1p(u**2).mean(), rtol=0.1)


@pytest.mark.parametrize("activation", [*SPHERES.values(), sn.Tanh()], ids=[*SPHERES, "tanh"])
@pytest.mark.parametrize("leak", [1.0, 0.5])
def test_the_exponent_is_the_growth_of_a_small_difference(activation, leak, rng):
    """Two trajectories 1e-7 apart, brought back to that distance after every step."""
    reservoir = network(5, activation, rng, bias_scaling=0.3, spectral_radius=1.0, leak=leak)
    signal, state = (
        rng.standard_normal((2000, 1)),
        reservoir.step(rng.standard_normal(5), np.ones(1)),
    )
    expected = max_lyapunov(reservoir, signal, transient=1000, start=state).exponent
    offset, logs = sn.sphere.tangent(state, rng.standard_normal(5)), []
    for row in signal:
        near = reservoir.step(state + 1e-7 * sn.sphere.unit(offset), row)
        state = reservoir.step(state, row)
        offset = near - state
        logs.append(np.log(np.linalg.norm(offset) / 1e-7))
    assert np.isclose(np.mean(logs[1000:]), expected, atol=1e-4)


def test_the_bent_sphere_is_chaotic_at_weak_drive_and_contracts_at_strong_drive():
    for scaling, sign in ((0.02, 1), (3.0, -1)):
        reservoir = sn.random_reservoir(
            200, activation=sn.OnSphere(bend=1.0), spectral_radius=1.0, input_scaling=scaling, rng=3
        )
        result = max_lyapunov(reservoir, sn.datasets.white_noise(4000, rng=1))
        assert sign * result.exponent > 10 * result.standard_error


@pytest.mark.parametrize(
    "activation", [sn.OnSphere(), sn.OnSphere(bend=0.7), sn.Tanh()], ids=["sphere", "bent", "tanh"]
)
def test_a_closed_loop_is_a_network_with_its_readout_in_w(activation, rng):
    reservoir, readout = (
        network(12, activation, rng, n_inputs=2, bias_scaling=0.5),
        0.3 * rng.standard_normal((2, 12)),
    )
    absorbed = sn.Reservoir(
        reservoir.recurrent.toarray() + reservoir.inputs @ readout,
        np.zeros((12, 0)),
        activation,
        reservoir.bias,
    )
    start = reservoir.step(rng.standard_normal(12), np.zeros(2))
    looped = lyapunov_spectrum(ClosedLoop(reservoir, readout), 400, transient=50, start=start)
    assert np.allclose(
        looped.exponents,
        lyapunov_spectrum(absorbed, 400, transient=50, start=start).exponents,
        atol=5e-3,
    )
    assert np.isclose(
        looped.exponents.sum(),
        lyapunov_spectrum(absorbed, 400, transient=50, start=start).exponents.sum(),
        atol=1e-6,
    )


def test_count_leading_exponents_are_the_first_of_all(rng):
    reservoir, signal = network(25, sn.OnSphere(bend=0.3), rng), rng.standard_normal(900)
    everything = lyapunov_spectrum(reservoir, signal)
    assert everything.exponents.shape == (24,)
    assert np.allclose(
        lyapunov_spectrum(reservoir, signal, count=3).exponents, everything.exponents[:3], atol=1e-3
    )
    assert np.isclose(max_lyapunov(reservoir, signal).exponent, everything.exponents[0], atol=1e-3)


def test_the_history_ends_at_the_result_and_the_errors_are_honest(rng):
    """The spread over independent signals agrees with the standard error within a factor of two."""
    reservoir = network(20, sn.OnSphere(), rng)
    results = [max_lyapunov(reservoir, rng.standard_normal(3000), transient=100) for _ in range(30)]
    assert all(np.isclose(r.history[-1], r.exponent) and r.steps[-1] == 2900 for r in results)
    spread, claimed = (
        np.std([r.exponent for r in results], ddof=1),
        np.mean([r.standard_error for r in results]),
    )
    assert claimed / 2 < spread < claimed * 2


def test_a_tangent_that_vanishes_has_exponent_minus_infinity(rng):
    line = sn.Reservoir(sn.topology.delay_line(5), np.ones(5), sn.Linear())
    nothing = sn.Reservoir(np.zeros((3, 3)), np.ones(3), sn.Linear())
    for reservoir in (line, nothing):
        assert max_lyapunov(reservoir, rng.standard_normal(600)).exponent == -np.inf
        spectrum = lyapunov_spectrum(reservoir, rng.standard_normal(600))
        assert (spectrum.exponents == -np.inf).all() and (spectrum.standard_errors == 0).all()
    flat = sn.Reservoir(np.diag([2.0, 1.0, 0.0]), np.zeros(3))
    assert np.allclose(lyapunov_spectrum(flat, 2000).exponents, [np.log(0.5), -np.inf], atol=1e-9)


def test_a_step_without_direction_has_a_name(rng):
    reservoir = sn.Reservoir(np.eye(3), np.ones(3))
    for measure in (max_lyapunov, lyapunov_spectrum):
        with pytest.raises(sn.NoDirection, match="step 0 is exactly zero"):
            measure(reservoir, np.zeros(10), transient=0, start=np.zeros(3))
        with pytest.raises(sn.StateOverflow, match="spectral radius"):
            measure(sn.Reservoir(3 * np.eye(2), np.ones(2), sn.Linear()), np.ones(5000))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("bend", [0.0, 0.5])
def test_extreme_scales_do_not_matter_on_the_sphere(scale, bend, rng):
    plain = network(10, sn.OnSphere(bend=bend), rng, bias_scaling=0.2)
    signal, start = rng.standard_normal(300), sn.sphere.random_point(10, rng)
    expected = lyapunov_spectrum(plain, signal, transient=50, start=start).exponents
    got = lyapunov_spectrum(
        plain.rescaled(scale, scale, scale), signal, transient=50, start=start
    ).exponents
    assert np.allclose(got, expected, atol=1e-8)


def test_the_compiled_loop_reports_where_it_stopped(rng):
    reservoir = sn.Reservoir(np.zeros((2, 2)), np.ones(2))
    signal = np.array([[1.0], [1.0], [0.0]])
    with pytest.raises(sn.NoDirection, match="step 2"):
        carrier(reservoir)(np.array([1.0, 0.0]), signal, rng.standard_normal((1, 2)))
    assert kernels.FINE == 0


@pytest.mark.parametrize("jacobian", ["exact", "printed"])
def test_local_exponents_are_mean_log_spectral_radii(jacobian, rng):
    reservoir = network(14, sn.OnSphere(), rng, spectral_radius=1.2)
    signal, start = rng.standard_normal((30, 1)), sn.sphere.random_point(14, rng)
    before = np.vstack([start, sn.drive(reservoir, signal, start)[:-1]])
    w, logs = reservoir.recurrent.toarray(), []
    for x, s in zip(before, signal, strict=True):
        a = reservoir.pre_activation(x, s)
        size, unit = np.linalg.norm(a), a / np.linalg.norm(a)
        printed = w / size * (1 - np.outer(unit, unit))
        exact = (np.eye(14) - np.outer(unit, unit)) @ w / size
        values = np.abs(np.linalg.eigvals(printed if jacobian == "printed" else exact))
        logs.append(np.log(np.sort(values)[::-1][:3]))
    result = local_exponents(reservoir, signal, jacobian, count=3, transient=0, start=start)
    assert np.allclose(result.exponents, np.mean(logs, axis=0), atol=1e-9)
    thinned = local_exponents(reservoir, signal, jacobian, transient=0, every=10, start=start)
    assert np.isclose(thinned.exponents[0], np.mean([log[0] for log in logs[::10]]), atol=1e-9)


@pytest.mark.parametrize("jacobian", ["exact", "printed"])
def test_local_exponents_of_many_units_need_no_dense_eigenvalues(jacobian, rng, monkeypatch):
    reservoir = network(260, sn.OnSphere(), rng, spectral_radius=2.0)
    signal = rng.standard_normal(12)
    fast = local_exponents(reservoir, signal, jacobian, transient=8)
    monkeypatch.setattr("spheresn.analysis.local.DENSE_JACOBIAN", 1000)
    assert np.allclose(
        fast.exponents,
        local_exponents(reservoir, signal, jacobian, transient=8).exponents,
        atol=1e-8,
    )


def test_the_printed_jacobian_forgets_the_radius(rng):
    """Its value changes by -log r; the Lyapunov exponent depends on r only through the input."""
    one, three = (network(20, sn.OnSphere(r), np.random.default_rng(5)) for r in (1.0, 3.0))
    start = sn.sphere.random_point(20, rng)
    values = [
        local_exponents(n, 60, "printed", transient=20, start=s).exponents[0]
        for n, s in ((one, start), (three, 3 * start))
    ]
    assert np.isclose(values[1] - values[0], -np.log(3.0), atol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"signal": np.ones((600, 2))}, "signal must have 1 column"),
        ({"signal": np.ones(400)}, "signal must have at least 502 rows"),
        ({"signal": [np.nan] * 600}, "signal must be finite"),
        ({"signal": 0}, "signal must be a whole number"),
        ({"count": 10}, "count must be at most the 9 directions"),
        ({"count": 0}, "count must be a whole number"),
        ({"transient": -1}, "transient must be a whole number"),
        ({"start": np.ones(3)}, "start must be a state of shape"),
        ({"rng": "seed"}, "rng must be a numpy Generator"),
    ],
)
def test_wrong_arguments_say_what_to_do(change, message, rng):
    with pytest.raises(ValueError, match=message):
        lyapunov_spectrum(network(10, sn.OnSphere(), rng), **{"signal": np.ones(600), **change})


def test_more_wrong_arguments(rng):
    with pytest.raises(ValueError, match="start must be given"):
        max_lyapunov(Henon(), 1000)
    with pytest.raises(ValueError, match="at least two units"):
        max_lyapunov(sn.Reservoir([[1.0]], [1.0]), np.ones(600))
    with pytest.raises(ValueError, match="jacobian must be one of"):
        local_exponents(network(5, sn.OnSphere(), rng), 600, "wrong")
    with pytest.raises(ValueError, match="printed"):
        local_exponents(network(5, sn.Tanh(), rng), 600, "printed")


def test_small_matrices_use_one_thread_and_the_former_number_comes_back():
    def blas():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = blas()
        with limit_threads(1000):
            assert blas() == before
        with limit_threads(999):
            assert set(blas()) == {1}
        assert blas() == before


def test_growth_beyond_all_numbers_within_two_steps_is_measured_step_by_step():
    """The exponents of a linear network are the logarithms of its eigenvalues, however large."""
    sizes = np.array([1e200, 1e197, 1e195])
    resting = sn.Reservoir(np.diag(sizes), np.zeros(3), sn.Linear())
    found = lyapunov_spectrum(resting, np.zeros(60), transient=10, start=np.zeros(3))
    assert np.allclose(found.exponents, np.log(sizes), rtol=1e-12)
    assert max_lyapunov(
        resting, np.zeros(60), transient=10, start=np.zeros(3)
    ).exponent == pytest.approx(np.log(1e200), rel=1e-12)


def test_growth_beyond_all_numbers_in_one_step_gets_a_sentence():
    class Steep:
        """x' = 0, with a derivative that overflows in one step."""

        tangent_dim = 2

        def step(self, state, inputs):
            return np.zeros(2)

        def tangent_step(self, state, inputs, tangents):
            with np.errstate(over="ignore"):
                return np.zeros(2), 1e200 * (1e200 * tangents)

    with pytest.raises(
        sn.StateOverflow,
        match="the tangents left the range of their floating point type in one step",
    ):
        lyapunov_spectrum(Steep(), np.zeros((20, 1)), transient=5, start=np.zeros(2))


def test_a_state_of_any_system_beyond_all_numbers_gets_a_sentence():
    class Growing:
        """x' = 1e200 x."""

        tangent_dim = 1

        def step(self, state, inputs):
            return 1e200 * state

        def tangent_step(self, state, inputs, tangents):
            with np.errstate(over="ignore"):
                return self.step(state, inputs), tangents

    with pytest.raises(sn.StateOverflow, match="the state or its tangents left the range"):
        lyapunov_spectrum(Growing(), np.zeros((20, 1)), transient=5, start=np.ones(1))


def test_one_block_has_no_spread_to_judge_by():
    mean, error = block_errors(np.array([4]), np.array([[-2.0, -np.inf]]))
    assert np.array_equal(mean, [-0.5, -np.inf]) and np.isinf(error[0])


@pytest.mark.parametrize("failure", ["no convergence", "wrong vectors"])
def test_where_arpack_fails_all_eigenvalues_are_computed(monkeypatch, rng, failure):
    matrix, guess = (
        rng.standard_normal((local.DENSE_JACOBIAN + 1,) * 2),
        rng.standard_normal(local.DENSE_JACOBIAN + 1),
    )

    def fails(operator, k, **options):
        if failure == "no convergence":
            raise ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))
        return np.ones(k), np.eye(len(guess))[:, :k].astype(complex)

    monkeypatch.setattr(local, "eigs", fails)
    sizes, start = local._leading(lambda v: matrix @ v, guess, 3)
    assert (
        np.allclose(sizes, np.sort(np.abs(np.linalg.eigvals(matrix)))[::-1][:3], rtol=1e-10)
        and start is guess
    )
