"""Memory: sensitivity, recall, capacity, the state as a sum, and the paper's scalar laws."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import spheresn as sn
from conftest import ACTIVATIONS, network
from spheresn.analysis import (
    MeaninglessPrediction,
    memory_capacity,
    memory_curve,
    memory_loss,
    memory_matrix,
    memory_profile,
    memory_rate,
    memory_terms,
    norm_factors,
    predicted_memory,
)


@dataclass(frozen=True)
class Cubic:
    """An activation of the user's own, for which there is no compiled loop."""

    sphere_radius = None

    def value(self, a):
        return a - a**3 / 10

    def pushforward(self, a, v):
        return ((1 - 3 * a**2 / 10) * v.T).T


def line(length: int) -> sn.Reservoir:
    return sn.Reservoir(sn.topology.delay_line(length), np.eye(length)[:, 0], sn.Linear())


@pytest.mark.parametrize("leak", [1.0, 0.4])
@pytest.mark.parametrize("topology", ["gaussian", "ring", "sparse", "rotation"])
@pytest.mark.parametrize("activation", [*ACTIVATIONS.values(), Cubic()], ids=[*ACTIVATIONS, "own"])
def test_sensitivity_equals_finite_differences(activation, topology, leak, rng):
    """|dx_n/ds_k| by moving one input by ±1e-6."""
    reservoir = network(12, activation, rng, topology, n_inputs=2, bias_scaling=0.3, leak=leak)
    signal, start = (
        rng.standard_normal((9, 2)) / 2,
        reservoir.step(rng.standard_normal(12) / 4, np.ones(2)),
    )
    got = memory_profile(reservoir, signal, 4, times=3, start=start).sensitivities
    for i, n in enumerate((6, 7, 8)):
        for delay in range(5):
            columns = []
            for j in range(2):
                bump = np.zeros_like(signal)
                bump[n - delay, j] = 1e-6
                columns.append(
                    (
                        sn.drive(reservoir, signal + bump, start)[n]
                        - sn.drive(reservoir, signal - bump, start)[n]
                    )
                    / 2e-6
                )
            assert np.isclose(got[i, delay], np.linalg.norm(columns), rtol=1e-6, atol=1e-9)


def test_a_linear_profile_is_the_norm_of_powers(rng):
    """|W^k w|, whatever the signal."""
    reservoir, vector = network(30, sn.Linear(), rng), None
    profile = memory_profile(reservoir, rng.standard_normal(300), 50, times=5)
    for k in range(51):
        vector = reservoir.inputs[:, 0] if k == 0 else reservoir.recurrent.matvec(vector)
        assert np.allclose(profile.sensitivities[:, k], np.linalg.norm(vector), rtol=1e-12)


def test_the_profile_of_the_sphere_is_a_product_of_jacobians(rng):
    """J_n ... J_{k+1} (r/N_k) P_k w with J = (r/|a|)(I - ââᵀ) W."""
    reservoir = network(8, sn.OnSphere(2.0), rng, spectral_radius=1.2)
    signal, start = rng.standard_normal((20, 1)), sn.sphere.random_point(8, rng, 2.0)
    before = np.vstack([start, sn.drive(reservoir, signal, start)[:-1]])
    maps = []
    for x, s in zip(before, signal, strict=True):
        a = reservoir.pre_activation(x, s)
        maps.append(2.0 / np.linalg.norm(a) * (np.eye(8) - np.outer(a, a) / (a @ a)))
    expected = []
    for delay in range(20):
        product = maps[19 - delay] @ reservoir.inputs
        for k in range(20 - delay, 20):
            product = maps[k] @ reservoir.recurrent.toarray() @ product
        expected.append(np.linalg.norm(product))
    assert np.allclose(
        memory_profile(reservoir, signal, 19, start=start).sensitivity, expected, rtol=1e-10
    )


def test_sensitivity_decays_at_the_lyapunov_exponent(rng):
    reservoir, signal = (
        network(40, sn.OnSphere(), rng, spectral_radius=1.0, input_scaling=0.5),
        rng.standard_normal(1500),
    )
    profile = memory_profile(reservoir, signal, 300, times=20)
    rate = np.log(profile.sensitivity[300] / profile.sensitivity[100]) / 200
    assert np.isclose(rate, sn.analysis.max_lyapunov(reservoir, signal).exponent, rtol=0.15)


@pytest.mark.parametrize("length", [1, 7, 30])
def test_a_delay_line_has_capacity_equal_to_its_length(length):
    one, two = (sn.datasets.white_noise(2000, rng=seed) for seed in (1, 2))
    assert np.isclose(
        memory_capacity(line(length), one, two, max_delay=length - 1).total, length, rtol=1e-10
    )
    further = memory_capacity(line(length), one, two, max_delay=2 * length + 5).per_delay[length:]
    assert further.max() < 5 / 1900 and np.median(further) == 0.0


def test_a_linear_ring_has_capacity_near_its_size(rng):
    reservoir = sn.random_reservoir(
        50, topology="ring", activation=sn.Linear(), spectral_radius=0.95, rng=rng
    )
    result = memory_capacity(
        reservoir,
        rng.uniform(-1, 1, 6000),
        rng.uniform(-1, 1, 6000),
        150,
        washout=300,
        penalty=1e-12,
    )
    assert 49 < result.total < 50.5


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_no_capacity_exceeds_the_number_of_units(activation, rng):
    """[JAE02]; on an independent run, so up to its sampling error."""
    result = memory_capacity(
        network(20, activation, rng), rng.uniform(-1, 1, 4000), rng.uniform(-1, 1, 4000), 60
    )
    assert 1.0 < result.total < 20.5 and (result.per_delay <= 1.0).all()


@pytest.mark.parametrize("penalty", [0.0, 1e-3, 10.0])
def test_all_delays_at_once_equal_one_ridge_regression_each(penalty, rng):
    reservoir, signal = (
        network(15, sn.OnSphere(), rng, bias_scaling=0.5),
        rng.standard_normal((400, 2)),
    )
    reservoir = sn.Reservoir(reservoir.recurrent, rng.standard_normal((15, 2)), sn.OnSphere())
    states = sn.drive(reservoir, signal)
    curve = memory_curve(states, signal, [3, 0, 11], washout=20, train=200, penalty=penalty)
    for i, delay in enumerate((3, 0, 11)):
        target = np.roll(signal, delay, axis=0)
        ridge = Ridge(alpha=penalty, solver="svd").fit(states[20:220], target[20:220])
        assert np.isclose(
            curve.train[i],
            sn.metrics.accuracy(target[20:220], ridge.predict(states[20:220])),
            atol=1e-9,
        )
        assert np.isclose(
            curve.test[i], sn.metrics.accuracy(target[220:], ridge.predict(states[220:])), atol=1e-9
        )


def test_a_delay_line_recalls_what_it_holds_and_nothing_more(rng):
    signal = rng.uniform(-1, 1, 1500)
    curve = memory_curve(sn.drive(line(10), signal), signal, range(20))
    assert np.allclose(curve.test[:10], 1.0, atol=1e-8) and curve.test[10:].max() < 0.01


def test_idle_units_do_not_break_the_readout(rng):
    """Constant and duplicated columns make the Gram matrix singular; the fit leaves them out."""
    signal = rng.uniform(-1, 1, 600)
    states = sn.drive(line(4), signal)
    padded = np.column_stack([states, states, np.ones(600), np.zeros(600)])
    for penalty in (0.0, 1e-8):
        assert np.allclose(
            memory_curve(padded, signal, range(4), penalty=penalty).test, 1.0, atol=1e-7
        )


@pytest.mark.parametrize("radius", [1.0, 2.5])
def test_the_state_is_the_sum_of_its_terms(radius, rng):
    """x_n = M(n,0) x_0 + Σ M(n,k) u_k.

    The printed M has no powers of r and fails for r ≠ 1 [VAL19, eqn:memory_matrix].
    """
    reservoir = network(10, sn.OnSphere(radius), rng, spectral_radius=1.4, bias_scaling=0.3)
    signal, start = rng.standard_normal((12, 1)), sn.sphere.random_point(10, rng, radius)
    last, factors = sn.drive(reservoir, signal, start)[-1], norm_factors(reservoir, signal, start)
    assert np.allclose(memory_terms(reservoir, signal, start).sum(axis=0), last, atol=1e-12)
    drives = signal @ reservoir.inputs.T + reservoir.bias
    total = memory_matrix(reservoir, factors, 0) @ start + sum(
        memory_matrix(reservoir, factors, k + 1) @ u for k, u in enumerate(drives)
    )
    assert np.allclose(total, last, atol=1e-12)
    power = np.linalg.matrix_power(reservoir.recurrent.toarray(), 12 - 5)
    assert np.allclose(
        memory_matrix(reservoir, factors, 5),
        radius ** (12 - 5 + 1) * power / np.prod(factors[4:]),
        rtol=1e-10,
    )


def test_norm_factors_are_lengths_of_pre_activations(rng):
    reservoir, signal, start = (
        network(9, sn.OnSphere(), rng),
        rng.standard_normal((6, 1)),
        rng.standard_normal(9),
    )
    before = np.vstack([start, sn.drive(reservoir, signal, start)[:-1]])
    expected = [
        np.linalg.norm(reservoir.pre_activation(x, s)) for x, s in zip(before, signal, strict=True)
    ]
    assert np.allclose(norm_factors(reservoir, signal, start), expected, rtol=1e-13)


def test_the_scalar_laws():
    delays = np.arange(6)
    assert np.allclose(predicted_memory("spherical", delays, alpha=3.0), 0.75**delays)
    assert np.allclose(predicted_memory("spherical", delays, alpha=np.inf), 1.0)
    assert np.allclose(predicted_memory("linear", delays, spectral_radius=0.95), 0.95**delays)
    tanh = predicted_memory("tanh", delays, spectral_radius=0.95)
    assert np.isclose(tanh[0], np.tanh(1)) and np.isclose(
        tanh[2], np.tanh(0.95 * np.tanh(0.95 * np.tanh(1)))
    )


def test_the_tanh_law_at_and_above_one():
    """ρ = 1 decays as √(3/2n); ρ > 1 converges to the fixed point of tanh(ρ s).

    The law is an amplitude, not a memory.
    """
    assert np.isclose(
        predicted_memory("tanh", 20_000, spectral_radius=1.0)[0], np.sqrt(3 / 40_000), rtol=1e-3
    )
    for rho, limit in ((1.2, 0.6586), (2.0, 0.9575)):
        assert np.isclose(predicted_memory("tanh", 500, spectral_radius=rho)[0], limit, atol=1e-4)


def test_memory_losses():
    """(ρ^τ - 1) ρ^age <= 0 and (1 - ρ^δ) ρ^age >= 0.

    The loss against an infinitely old input is the whole memory.
    """
    base = 0.75
    assert np.isclose(memory_loss("spherical", 4, 3, alpha=3.0)[0], base**7 - base**4)
    assert np.isclose(
        memory_loss("linear", 4, 3, "inputs", spectral_radius=0.9)[0], (1 - 0.9**3) * 0.9**4
    )
    assert np.isclose(
        memory_loss("spherical", 4, 10_000, "inputs", alpha=3.0)[0],
        predicted_memory("spherical", 4, alpha=3.0)[0],
    )
    ages = np.arange(10)
    for kind in (
        {"kind": "spherical", "alpha": 5.0},
        {"kind": "linear", "spectral_radius": 1.0},
        {"kind": "tanh", "spectral_radius": 0.9},
    ):
        assert (memory_loss(age=ages, lag=2, **kind) <= 0).all() and (
            memory_loss(age=ages, lag=2, between="inputs", **kind) >= 0
        ).all()


def test_alpha_is_measured_and_flagged(rng):
    """W = diag(10, 0), u = (-5, 0): N = 5 < ρ, so α = -2, and the law gives 2^j.

    The fixed point is superstable all the same.
    """
    reservoir = sn.Reservoir(np.diag([10.0, 0.0]), [-5.0, 0.0])
    rate = memory_rate(reservoir, np.ones(600), start=[1.0, 0.0])
    assert (
        np.isclose(rate.alpha, -2.0)
        and np.isclose(rate.geometric_alpha, -2.0)
        and not rate.meaningful
    )
    with pytest.warns(MeaninglessPrediction, match="not positive"):
        assert np.isclose(predicted_memory("spherical", 3, alpha=rate.alpha)[0], 8.0)
    with pytest.warns(MeaninglessPrediction):
        assert np.isnan(predicted_memory("spherical", 3, alpha=-0.5)[0])
    assert memory_profile(reservoir, np.ones(30), 5, start=[1.0, 0.0]).sensitivity.max() == 0.0


def test_the_two_alphas_differ_by_the_two_means(rng):
    reservoir = network(60, sn.OnSphere(2.0), rng, spectral_radius=1.0, input_scaling=1.0)
    signal, start = rng.uniform(-1.7, 1.7, 1500), sn.sphere.random_point(60, rng, 2.0)
    rate, factors = (
        memory_rate(reservoir, signal, start=start),
        norm_factors(reservoir, signal, start)[500:],
    )
    assert np.isclose(rate.alpha / (rate.alpha + 1), 2.0 / factors.mean())
    assert np.isclose(
        rate.geometric_alpha / (rate.geometric_alpha + 1),
        np.exp(np.log(2.0) - np.log(factors).mean()),
    )
    assert rate.meaningful and rate.geometric_alpha > rate.alpha


def test_the_prediction_is_accurate_for_an_orthogonal_matrix_and_not_for_a_gaussian_one(rng):
    """At lag 100 the prediction holds for orthogonal W; Gaussian W has a fraction of it."""
    ratios = {}
    for topology in ("rotation", "gaussian"):
        reservoir = sn.random_reservoir(
            300, topology=topology, spectral_radius=15.0, input_scaling=0.01, rng=1
        )
        profile = memory_profile(reservoir, rng.uniform(-1.7, 1.7, 1500), 100, times=5).sensitivity
        ratios[topology] = profile[100] / profile[0]
    assert ratios["rotation"] > 0.97 and ratios["gaussian"] < 0.5


def test_wrong_arguments_say_what_to_do(rng):
    reservoir, signal = network(10, sn.OnSphere(), rng), rng.standard_normal(50)
    states = sn.drive(reservoir, signal)
    for call, message in (
        (lambda: memory_curve(states[:-1], signal, [1]), "states must have as many rows as signal"),
        (lambda: memory_curve(states, signal, [-1]), "delays must be a whole number"),
        (lambda: memory_curve(states, signal, []), "delays must have at least 1"),
        (lambda: memory_curve(states, signal, [49]), "signal must have at least 53 rows"),
        (lambda: memory_curve(states, signal, [1], train=48), "signal must have at least"),
        (lambda: memory_curve(states, signal, [1], penalty=-1.0), "penalty must be"),
        (lambda: memory_curve(states, np.ones(50), [1]), "target must vary"),
        (lambda: memory_capacity(reservoir, signal, signal), "signal must have at least 102 rows"),
        (lambda: memory_capacity(reservoir, np.ones(200), signal, washout=10), "must vary"),
        (lambda: memory_profile(reservoir, signal, 60), "signal must have at least 61"),
        (lambda: memory_profile(reservoir, signal, -1), "max_delay must be a whole number"),
        (lambda: predicted_memory("cubic", [1]), "kind must be one of"),
        (lambda: predicted_memory("spherical", [1]), "alpha must be given"),
        (
            lambda: predicted_memory("tanh", [0.5], spectral_radius=1.0),
            "delays must be whole numbers",
        ),
        (
            lambda: memory_loss("linear", 1, 1, "years", spectral_radius=1.0),
            "between must be one of",
        ),
        (
            lambda: memory_terms(network(5, sn.OnSphere(bend=1.0), rng), signal, np.ones(5)),
            "bend 0",
        ),
        (lambda: memory_matrix(reservoir, [1.0], 2), "step must be at most"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(sn.NoDirection):
        memory_matrix(reservoir, [0.0], 1)


def test_a_constant_signal_has_no_memory_to_measure():
    """This holds even if the mean of its rows rounds to another number."""
    reservoir = sn.random_reservoir(5, rng=0)
    with pytest.raises(ValueError, match="signal must vary, got a constant column"):
        sn.analysis.memory_capacity(reservoir, np.full(200, 0.1), np.full(200, 0.1), 3)
    with pytest.raises(ValueError, match="signal must be uniform in bounds, got one whose target"):
        sn.analysis.information_processing_capacity(
            np.random.default_rng(0).normal(size=(200, 2)), np.zeros(200), (3,)
        )


def test_without_alpha_nothing_is_remembered():
    """α = 0 is the limit of an input that erases the state: (α/(α + 1))^j is 1, then 0."""
    with pytest.warns(MeaninglessPrediction):
        assert predicted_memory("spherical", [0, 1, 5], alpha=0.0).tolist() == [1.0, 0.0, 0.0]


def test_a_term_beyond_all_numbers_gets_a_sentence():
    """M(2,1) = W/(N_1 N_2) with both norms tiny."""
    with pytest.raises(
        sn.StateOverflow,
        match=r"a term left the range of numbers where \|a\| = 1e-200; "
        r"add a bias or start elsewhere",
    ):
        memory_matrix(sn.Reservoir(np.eye(2), np.ones(2)), [1e-200, 1e-200], 1)
