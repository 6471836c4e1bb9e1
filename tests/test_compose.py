"""Several reservoirs as one: side by side (`parallel`) and one driving the next (`chain`)."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import spheresn as sn
from conftest import iterate, network
from spheresn import analysis
from spheresn.analysis._common import carrier
from spheresn.closed_loop import ClosedLoop
from spheresn.compose import reservoirs_of
from spheresn.driving import LAYER_ROWS
from spheresn.io import ModelFileError
from spheresn.readout import Weights, force

SIGNAL = sn.datasets.white_noise(3 * LAYER_ROWS + 17, rng=0)


def sphere(units=6, n_inputs=1, rng=0, **options) -> sn.Reservoir:
    return network(units, sn.OnSphere(**options), rng, n_inputs=n_inputs, bias_scaling=0.2)


def squashed(units=5, n_inputs=1, rng=1, **options) -> sn.Reservoir:
    return network(units, sn.Tanh(), rng, n_inputs=n_inputs, bias_scaling=0.2, **options)


def linear(units=4, n_inputs=1, rng=2, **options) -> sn.Reservoir:
    return network(units, sn.Linear(), rng, n_inputs=n_inputs, **options)


def examples() -> dict[str, sn.System]:
    """Both kinds, and one in the other; all of the same types, so that loops compile once."""
    return {
        "parallel": sn.parallel(sphere(radius=2.0), squashed()),
        "chain": sn.chain(sphere(radius=2.0), squashed(n_inputs=6)),
        "nested": sn.parallel(sn.chain(sphere(), squashed(n_inputs=6)), sphere(7, rng=3)),
        "deep": sn.chain(sn.parallel(sphere(), squashed()), sphere(7, n_inputs=11, rng=3)),
    }


NAMES = list(examples())


@pytest.fixture(params=NAMES)
def several(request):
    return examples()[request.param]


class Plain:
    """A system that the compiled loops know nothing of."""

    def __init__(self, system):
        self.system, self.tangent_dim = system, system.tangent_dim

    def step(self, state, inputs):
        return self.system.step(state, inputs)

    def tangent_step(self, state, inputs, tangents):
        return self.system.tangent_step(state, inputs, tangents)


def start_of(several) -> np.ndarray:
    return several.project(np.random.default_rng(5).standard_normal(several.units))


@pytest.mark.parametrize("compose", [sn.parallel, sn.chain])
def test_one_part_is_that_part_to_the_last_bit(compose):
    one, start = sphere(20), np.linspace(-1.0, 1.0, 20)
    same = compose(one)
    series, batch = [SIGNAL[:30], SIGNAL[:50]], SIGNAL[:60].reshape(2, 30, 1)
    assert np.array_equal(sn.drive(same, SIGNAL, start), sn.drive(one, SIGNAL, start))
    assert np.array_equal(sn.drive(same, batch), sn.drive(one, batch))
    for first, second in zip(sn.drive(same, series), sn.drive(one, series), strict=True):
        assert np.array_equal(first, second)
    assert np.array_equal(same.step(start, SIGNAL[0]), one.step(start, SIGNAL[0]))
    found, wanted = (analysis.lyapunov_spectrum(each, SIGNAL, 3, 50) for each in (same, one))
    assert np.array_equal(found.history, wanted.history)
    found, wanted = (analysis.max_lyapunov(each, SIGNAL, 50) for each in (same, one))
    assert np.array_equal(found.history, wanted.history)
    found, wanted = (analysis.memory_profile(each, SIGNAL, 5) for each in (same, one))
    assert np.array_equal(found.sensitivity, wanted.sensitivity)
    target = np.roll(SIGNAL[:, 0], 2)
    found, wanted = (sn.ESNRegressor(reservoir=each).fit(SIGNAL, target) for each in (same, one))
    assert np.array_equal(found.predict(SIGNAL), wanted.predict(SIGNAL))


def test_a_chain_is_driven_as_by_hand():
    first, second, third = sphere(), squashed(9, n_inputs=6), linear(n_inputs=9)
    one = sn.drive(first, SIGNAL)
    two = sn.drive(second, one)
    by_hand = np.hstack([one, two, sn.drive(third, two)])
    deep = sn.chain(first, second, third)
    assert np.array_equal(sn.drive(deep, SIGNAL), by_hand)
    assert np.array_equal(sn.drive(sn.chain(first, sn.chain(second, third)), SIGNAL), by_hand)
    assert np.array_equal(np.vstack(list(sn.drive_chunks(deep, SIGNAL, chunk=300))), by_hand)


def test_parallel_parts_have_the_states_that_they_have_alone():
    parts = (sphere(), squashed(), linear())
    by_hand = np.hstack([sn.drive(part, SIGNAL) for part in parts])
    assert np.array_equal(sn.drive(sn.parallel(*parts), SIGNAL), by_hand)
    nested = sn.parallel(sn.parallel(*parts[:2]), parts[2])
    assert np.array_equal(sn.drive(nested, SIGNAL), by_hand)


def test_a_part_reads_the_states_of_all_that_is_before_it():
    pair, last = sn.parallel(sphere(), squashed()), linear(n_inputs=11)
    before = sn.drive(pair, SIGNAL)
    assert np.array_equal(sn.drive(sn.chain(pair, last), SIGNAL)[:, 11:], sn.drive(last, before))
    inner, wide = sn.chain(sphere(), squashed(n_inputs=6)), linear(n_inputs=11)
    before = sn.drive(inner, SIGNAL)
    assert np.array_equal(sn.drive(sn.chain(inner, wide), SIGNAL)[:, 11:], sn.drive(wide, before))
    first, both = sphere(), sn.parallel(squashed(n_inputs=6), linear(n_inputs=6))
    found = sn.drive(sn.chain(first, both), SIGNAL)
    assert np.array_equal(found[:, 6:], sn.drive(both, sn.drive(first, SIGNAL)))


def test_batches_lists_and_starts_go_through_all_layers(several):
    starts = np.array([start_of(several), -start_of(several)])
    series = np.stack([SIGNAL[:90], SIGNAL[90:180]])
    one_by_one = np.array([sn.drive(several, s, x) for s, x in zip(series, starts, strict=True)])
    np.testing.assert_allclose(sn.drive(several, series, starts), one_by_one, atol=1e-12)
    found = sn.drive(several, list(series), starts)
    assert all(np.array_equal(a, b) for a, b in zip(found, one_by_one, strict=True))


def test_driving_takes_the_steps(several):
    start = start_of(several)
    by_steps = iterate(several, SIGNAL[:80], start)
    np.testing.assert_allclose(sn.drive(several, SIGNAL[:80], start), by_steps, atol=1e-12)


def test_states_stay_on_the_spheres_of_their_layers(several):
    states = sn.drive(several, SIGNAL)
    for one, radius in zip(several.layers, several.radii, strict=True):
        if radius is not None:
            lengths = np.linalg.norm(states[:, one.place], axis=1)
            np.testing.assert_allclose(lengths, radius, rtol=1e-12)
    np.testing.assert_allclose(several.project(3.0 * states[-1])[:6], states[-1, :6], atol=1e-12)
    spheres = sum(radius is not None for radius in several.radii)
    assert several.tangent_dim == several.units - spheres


def test_the_tangent_is_the_derivative(several):
    rng = np.random.default_rng(7)
    state, tangents = start_of(several), rng.standard_normal((several.units, 3))
    inputs, moved, small = SIGNAL[3], rng.standard_normal((1, 3)), 1e-6
    after, carried = several.tangent_step(state, inputs, tangents, moved)
    np.testing.assert_array_equal(after, several.step(state, inputs))
    for k in range(3):
        ahead, behind = (
            several.step(state + sign * tangents[:, k], inputs + sign * moved[:, k])
            for sign in (small, -small)
        )
        np.testing.assert_allclose(carried[:, k], (ahead - behind) / (2 * small), atol=1e-8)
    one = several.tangent_step(state, inputs, tangents[:, 0], moved[:, 0])[1]
    np.testing.assert_allclose(one, carried[:, 0], atol=1e-14)


@pytest.mark.parametrize("count", [1, 3])
def test_compiled_tangents_are_those_of_the_steps(several, count):
    start, rows = start_of(several), SIGNAL[:40]
    tangents = np.random.default_rng(8).standard_normal((count, several.units))
    found, wanted = (carrier(one)(start, rows, tangents) for one in (several, Plain(several)))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-15)


def test_exponents_of_linear_layers_are_those_of_their_matrices():
    """Block-triangular: the eigenvalues of a chain are those of its layers together."""
    one, two = (np.diag(sizes) for sizes in ([0.9, 0.5], [0.7, 0.3]))
    first = sn.Reservoir(one, [1.0, -1.0], sn.Linear())
    second = sn.Reservoir(two, [[1.0, 2.0], [0.5, -3.0]], sn.Linear())
    beside = sn.Reservoir(two, [1.0, 1.0], sn.Linear())
    wanted = np.log([0.9, 0.7, 0.5, 0.3])
    for several in (sn.chain(first, second), sn.parallel(first, beside)):
        found = analysis.lyapunov_spectrum(several, SIGNAL, transient=200)
        np.testing.assert_allclose(found.exponents, wanted, atol=1e-9)
        assert analysis.max_lyapunov(several, SIGNAL, 200).exponent == pytest.approx(np.log(0.9))


def test_exponents_of_a_chain_are_those_of_its_layers():
    """Along the states that drive them: the theorem, for a sphere that drives tanh units.

    The sum holds step by step, up to what the first and the last frame add.
    """
    first, second = sphere(5, rng=4), squashed(3, n_inputs=5, rng=6)
    signal = sn.datasets.white_noise(6000, rng=1)
    apart = [
        analysis.lyapunov_spectrum(first, signal),
        analysis.lyapunov_spectrum(second, sn.drive(first, signal)),
    ]
    union = np.sort(np.concatenate([one.exponents for one in apart]))[::-1]
    together = analysis.lyapunov_spectrum(sn.chain(first, second), signal)
    errors = np.concatenate([one.standard_errors for one in apart]).max()
    np.testing.assert_allclose(together.exponents, union, atol=4 * errors)
    assert together.exponents.sum() == pytest.approx(union.sum(), abs=0.003)
    largest = analysis.max_lyapunov(sn.chain(first, second), signal).exponent
    assert largest == pytest.approx(union[0], abs=4 * errors)


def test_exponents_of_parallel_parts_are_those_of_the_parts():
    parts = sphere(5, rng=4), squashed(3, rng=6)
    signal = sn.datasets.white_noise(6000, rng=1)
    apart = [analysis.lyapunov_spectrum(part, signal) for part in parts]
    union = np.sort(np.concatenate([one.exponents for one in apart]))[::-1]
    together = analysis.lyapunov_spectrum(sn.parallel(*parts), signal)
    np.testing.assert_allclose(together.exponents, union, atol=0.003)


def test_a_linear_chain_is_one_linear_network():
    """x² = W² x²' + V (W¹ x¹' + w s + b¹) + b²: its matrix is [[W¹, 0], [V W¹, W²]]."""
    rng = np.random.default_rng(3)
    one, two, feed = (0.3 * rng.standard_normal((3, 3)) for _ in range(3))
    drive, biases = rng.standard_normal(3), rng.standard_normal((2, 3))
    deep = sn.chain(
        sn.Reservoir(one, drive, sn.Linear(), biases[0]),
        sn.Reservoir(two, feed, sn.Linear(), biases[1]),
    )
    whole = sn.Reservoir(
        np.block([[one, np.zeros((3, 3))], [feed @ one, two]]),
        np.concatenate([drive, feed @ drive]),
        sn.Linear(),
        np.concatenate([biases[0], feed @ biases[0] + biases[1]]),
    )
    np.testing.assert_allclose(sn.drive(deep, SIGNAL), sn.drive(whole, SIGNAL), atol=1e-12)
    found, wanted = (analysis.memory_profile(each, SIGNAL, 8) for each in (deep, whole))
    np.testing.assert_allclose(found.sensitivity, wanted.sensitivity, atol=1e-12)
    found, wanted = (
        analysis.memory_capacity(each, SIGNAL, SIGNAL[::-1]).total for each in (deep, whole)
    )
    assert found == pytest.approx(wanted, abs=1e-6)


def test_delay_lines_in_a_chain_are_one_long_delay_line():
    line = sn.topology.delay_line(3)
    first = sn.Reservoir(line, np.eye(3)[0], sn.Linear())
    # Its first unit has what the last one of the first line had a step ago
    second = sn.Reservoir(line, np.outer(np.eye(3)[0], first.recurrent.toarray()[-1]), sn.Linear())
    deep = sn.chain(first, second)
    states = sn.drive(deep, SIGNAL)
    for delay in range(2):
        np.testing.assert_array_equal(states[10:, delay], SIGNAL[10 - delay : -delay or None, 0])
    assert analysis.lyapunov_spectrum(deep, SIGNAL, transient=10).exponents.max() == -np.inf


def test_memory_by_layer_of_delay_lines():
    """Delays 0-2 are in the first line, 2-4 in the second; 2 is in both, and so in none alone."""
    line = sn.topology.delay_line(3)
    first = sn.Reservoir(line, [1.0, 0.0, 0.0], sn.Linear())
    second = sn.Reservoir(line, np.outer([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]), sn.Linear())
    found = analysis.memory_by_layer(sn.chain(first, second), SIGNAL, range(6))
    has = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 0]])
    np.testing.assert_allclose(found.together, [1, 1, 1, 1, 1, 0], atol=1e-2)
    np.testing.assert_allclose(found.alone, has, atol=1e-2)
    np.testing.assert_allclose(found.without, has[::-1], atol=1e-2)
    np.testing.assert_allclose(found.own, [[1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0]], atol=1e-2)
    curve = analysis.memory_curve(sn.drive(sn.chain(first, second), SIGNAL), SIGNAL, range(6))
    np.testing.assert_array_equal(found.together, curve.test)
    with pytest.raises(sn.BadInput, match="network must be made by parallel or chain, got Res"):
        analysis.memory_by_layer(first, SIGNAL, [0])


def test_a_composition_has_echo_states_if_its_layers_have():
    weak, weaker = (squashed(6, rng=8).rescaled(factor) for factor in (0.4, 0.2))
    both = analysis.echo_state(sn.parallel(weak, weaker), SIGNAL)
    slow, fast = (analysis.echo_state(one, SIGNAL) for one in (weak, weaker))
    assert both.verdict == slow.verdict == fast.verdict == "certified"
    assert both.rate == max(slow.rate, fast.rate) and both.washout == max(
        slow.washout, fast.washout
    )
    np.testing.assert_array_equal(both.contraction, np.maximum(slow.contraction, fast.contraction))
    states = sn.drive(sn.parallel(weak, weaker), np.stack([SIGNAL] * 2), np.eye(12)[[0, 7]])
    apart = np.linalg.norm(states[0] - states[1], axis=1) / np.sqrt(2.0)
    assert (apart[:40] <= np.exp(both.contraction[:40]) + 1e-15).all()

    after = linear(5, n_inputs=6, spectral_radius=0.7)
    deep = analysis.echo_state(sn.chain(weak, after), SIGNAL)
    assert deep.verdict == "certified" and deep.rate == pytest.approx(np.log(0.7))
    states = sn.drive(sn.chain(weak, after), np.stack([SIGNAL] * 2), 9.0 * np.eye(11)[[0, 7]])
    np.testing.assert_allclose(states[0, -1], states[1, -1], atol=1e-12)


def test_a_layer_without_echo_states_refutes_the_whole():
    growing = linear(5, n_inputs=6, spectral_radius=1.1)
    for several in (sn.chain(squashed(6), growing), sn.parallel(linear(spectral_radius=1.2))):
        found = analysis.echo_state(several, SIGNAL[:600])
        assert found.verdict == "refuted" and found.reason.startswith("layer ")
    assert analysis.echo_state(sn.parallel(squashed(), sphere()), 600).verdict == "refuted"


def test_echo_states_of_a_sphere_within_a_chain_are_tested(several):
    found = analysis.echo_state(several, SIGNAL)
    assert found.verdict == "empirical"  # tanh with a large matrix has no proof
    assert found.distances[-1] < 1e-9 and found.exponent.exponent < 0.0


def test_a_closed_loop_over_several_runs_as_its_steps(several):
    rng = np.random.default_rng(9)
    weights = Weights(0.2 * rng.standard_normal((several.units, 1)), np.array([0.1]))
    loop = ClosedLoop(several, weights, carry=0.5)
    state, last = start_of(several), np.array([0.3])
    outputs, finite = loop.run(30, state, last, np.empty((30, 0)))
    both, found = np.concatenate([state, last]), []
    for _ in range(30):
        both = loop.step(both, np.empty(0))
        found.append(both[-1:])
    assert finite == 30
    np.testing.assert_allclose(outputs, found, atol=1e-11)


def test_rare_steps_of_one_layer_are_undone_and_taken_again():
    """A pre-activation whose square underflows needs other code; the layer before it has moved
    already.
    """
    tiny = sn.Reservoir(1e-170 * np.eye(5), np.zeros((5, 6)), sn.OnSphere())
    deep = sn.chain(sphere(), tiny)
    start, tangents = start_of(deep), np.random.default_rng(8).standard_normal((3, 11))
    found, wanted = (carrier(one)(start, SIGNAL[:9], tangents) for one in (deep, Plain(deep)))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-15)
    # The layer stands still: its matrix keeps every direction
    np.testing.assert_allclose(found[0][6:], start[6:], atol=1e-15)
    by_steps = iterate(deep, SIGNAL[:60], start)
    np.testing.assert_allclose(sn.drive(deep, SIGNAL[:60], start), by_steps, atol=1e-13)


def test_degenerate_steps_of_all_layers_are_counted():
    still = [sn.Reservoir(0.5 * np.eye(3), np.zeros(3)) for _ in range(2)]
    with pytest.warns(sn.DegenerateStep, match=r"^2 step\(s\)"):  # the first: zero has no direction
        sn.drive(sn.parallel(*still), np.zeros((400, 1)))


def test_an_overflow_says_at_which_step():
    growing = sn.chain(squashed(3), sn.Reservoir(10.0 * np.eye(2), np.ones((2, 3)), sn.Linear()))
    with pytest.raises(sn.StateOverflow, match=r"at step 3\d\d;"):
        sn.drive(growing, SIGNAL)


def test_an_own_topology_in_a_layer_goes_by_steps():
    class Halving:
        size, dtype = 4, np.dtype(float)

        def matvec(self, x):
            return 0.5 * x

        rmatvec = matvec

        def spectral_radius(self):
            return 0.5

        def scaled(self, factor):
            raise NotImplementedError

        def toarray(self):
            return 0.5 * np.eye(4)

        def astype(self, dtype):
            return self

    own = sn.Reservoir(Halving(), np.arange(4.0), sn.Tanh())
    same = sn.Reservoir(0.5 * np.eye(4), np.arange(4.0), sn.Tanh())
    found, wanted = (sn.parallel(one, sphere()) for one in (own, same))
    np.testing.assert_allclose(sn.drive(found, SIGNAL), sn.drive(wanted, SIGNAL), atol=1e-12)
    found, wanted = (analysis.lyapunov_spectrum(one, SIGNAL, 2, 50) for one in (found, wanted))
    np.testing.assert_allclose(found.exponents, wanted.exponents, atol=1e-9)


def test_single_precision_stays_single():
    one, two = (
        sn.random_reservoir(5, rng=seed, dtype=np.float32, n_inputs=width)
        for seed, width in ((0, 1), (1, 5))
    )
    states = sn.drive(sn.chain(one, two), SIGNAL)
    assert states.dtype == sn.parallel(one).dtype == np.float32
    assert np.array_equal(states[:, 5:], sn.drive(two, sn.drive(one, SIGNAL)))
    with pytest.raises(sn.BadInput, match="reservoir must have numbers of type float64"):
        sn.ESNRegressor(reservoir=one).fit(SIGNAL, SIGNAL[:, 0])


def test_a_regressor_reads_several_kinds_of_units():
    """u_{k-3} + u_k²: a delay line knows the one, tanh units the other; together they know all.

    The line alone explains the share of u_{k-3} in the variance, 1/3 of 1/3 + 4/45 = 15/19.
    """
    line = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[0], sn.Linear())
    bent = squashed(60, spectral_radius=1e-3, rng=11)
    target = np.roll(SIGNAL[:, 0], 3) + SIGNAL[:, 0] ** 2
    train, test = slice(10, 600), slice(600, None)
    scores = {}
    for name, net in (("line", line), ("bent", bent), ("both", sn.parallel(line, bent))):
        model = sn.ESNRegressor(reservoir=net).fit(SIGNAL[train], target[train])
        scores[name] = model.score(SIGNAL[test], target[test])
    assert scores["line"] == pytest.approx(15 / 19, abs=0.06)
    assert scores["bent"] < 0.6 and scores["both"] > 0.99


def test_estimators_take_a_network_as_it_is(tmp_path):
    wave = sn.datasets.mso(700)
    several = sn.parallel(
        network(40, sn.OnSphere(), 0, "ring", bias_scaling=1.0, input_scaling=0.05),
        network(30, sn.Linear(), 1, "ring", spectral_radius=0.97),
    )
    labels = np.where(np.roll(wave[:, 0], 1) > 0.0, "up", "down")
    models = {
        "regressor": sn.ESNRegressor(reservoir=several).fit(wave, np.roll(wave, 2)),
        "forecaster": sn.ESNForecaster(reservoir=several, verbose=False, random_state=0).fit(wave),
        "classifier": sn.ESNClassifier(reservoir=several).fit(wave, labels),
    }
    for name, model in models.items():
        path = tmp_path / name
        sn.save(model, path)
        again, answer = sn.load(path), _answer(model, wave)
        assert model.reservoir_ is several and np.isnan(model.bend_)
        assert model.memory_ == pytest.approx(-1.0 / np.log(0.97), rel=0.05)
        assert np.array_equal(_answer(again, wave), answer)
        assert [one.units for one in reservoirs_of(again.reservoir_)] == [40, 30]
        assert again.reservoir is again.reservoir_  # it can be fitted again
        assert np.array_equal(_answer(pickle.loads(pickle.dumps(model)), wave), answer)
    loop = models["forecaster"].closed_loop_
    assert loop.tangent_dim == 39 + 30 + 1
    assert np.abs(models["forecaster"].forecast(50) - sn.datasets.mso(750)[700:]).max() < 0.05


def _answer(model, wave) -> np.ndarray:
    return model.forecast(20) if isinstance(model, sn.ESNForecaster) else model.predict(wave[:50])


def test_estimators_with_a_network_are_those_of_scikit_learn():
    several = sn.parallel(linear(), linear(5, rng=3))
    model = sn.ESNRegressor(reservoir=several)
    again = clone(model).fit(SIGNAL, SIGNAL[:, 0])
    model.fit(SIGNAL, SIGNAL[:, 0])
    assert np.array_equal(model.predict(SIGNAL), again.predict(SIGNAL))
    assert len(model.get_feature_names_out()) == model.transform(SIGNAL).shape[1] == 9
    assert "parallel(4 linear, 5 linear)" in repr(model)
    stream = sn.ESNRegressor(reservoir=several)
    for first in range(0, len(SIGNAL), 100):
        stream.partial_fit(SIGNAL[first : first + 100], SIGNAL[first : first + 100, 0])
    np.testing.assert_allclose(stream.predict(SIGNAL), model.predict(SIGNAL), atol=1e-9)


def test_force_trains_several_as_one():
    wave = np.sin(0.3 * np.arange(900.0))[:, None]
    several = sn.parallel(squashed(40, spectral_radius=0.9), squashed(30, rng=5))
    trained = force(several, wave, penalty=0.01)
    assert np.abs(trained.outputs[-100:] - wave[-100:]).max() < 0.05


@pytest.mark.parametrize(
    ("attempt", "sentence"),
    [
        (lambda a, b: sn.parallel(), "parts must be one reservoir or more, got none"),
        (lambda a, b: sn.chain(), "parts must be one reservoir or more, got none"),
        (lambda a, b: sn.parallel([a, b]), r"got a list of them; .* as in parallel\(\*parts\)"),
        (lambda a, b: sn.parallel(a, 3), "each part must be a Reservoir, or several as one, got"),
        (lambda a, b: sn.chain(a, sn.ESNRegressor()), "got ESNRegressor; fit it and pass its"),
        (lambda a, b: sn.parallel(a, a), "parts must differ, got the same reservoir twice"),
        (lambda a, b: sn.parallel(sn.chain(a), b, a), "parts must differ"),
        (lambda a, b: sn.parallel(a, squashed(n_inputs=2)), "same number of inputs, got 1, 2"),
        (lambda a, b: sn.chain(a, b), "part 1 must have as many inputs as part 0 has units, 6,"),
        (
            lambda a, b: sn.parallel(a, sn.random_reservoir(3, rng=0, dtype=np.float32)),
            "parts must have numbers of one type",
        ),
        (lambda a, b: sn.drive(sn.parallel(a, b), np.ones((5, 2))), "signal must have 1 column"),
        (lambda a, b: sn.drive(sn.parallel(a, b), SIGNAL, np.ones(6)), r"of shape \(11,\)"),
        (lambda a, b: sn.drive_grid(sn.parallel(a, b), SIGNAL, 1, 1), r"pass its .layers\[0\]"),
        (lambda a, b: analysis.memory_rate(sn.chain(a), SIGNAL), "must be a Reservoir, got Comp"),
        (
            lambda a, b: sn.ESNRegressor(7, reservoir=sn.parallel(a, b)).fit(SIGNAL, SIGNAL[:, 0]),
            "units must be left out when reservoir is given, got 7",
        ),
        (
            lambda a, b: sn.ESNRegressor(reservoir=a, bend=1.0).fit(SIGNAL, SIGNAL[:, 0]),
            "bend must be left out when reservoir is given, got 1.0",
        ),
        (
            lambda a, b: sn.ESNRegressor(reservoir=a, topology=np.eye(6)).fit(SIGNAL, SIGNAL[:, 0]),
            "topology must be left out when reservoir is given",
        ),
        (
            lambda a, b: sn.ESNForecaster(reservoir=a, verbose=False).fit(np.hstack([SIGNAL] * 2)),
            "reservoir must have as many inputs as there are columns, 2, got 1",
        ),
        (
            lambda a, b: sn.ESNClassifier(reservoir=a).fit([SIGNAL[:50]] * 4, [0, 1] * 2),
            "reservoir must be left out for whole series",
        ),
        (
            lambda a, b: sn.ESNRegressor(reservoir="mine").fit(SIGNAL, SIGNAL[:, 0]),
            "reservoir must be a Reservoir, or several as one, got str",
        ),
    ],
)
def test_what_does_not_fit_gets_a_sentence(attempt, sentence):
    with pytest.raises(sn.BadInput, match=sentence):
        attempt(sphere(), squashed())


def test_the_same_weights_may_stand_in_two_layers():
    """A chain drives them with other signals, so their states differ."""
    tied = squashed(5, n_inputs=5)
    deep, signal = sn.chain(tied, tied), np.hstack([SIGNAL] * 5)
    states = sn.drive(deep, signal)
    assert np.array_equal(states[:, 5:], sn.drive(tied, states[:, :5]))


def test_what_one_network_is_needed_for_refuses_several(tmp_path):
    several = sn.parallel(sphere(), squashed())
    model = sn.ESNRegressor(reservoir=several).fit(SIGNAL, SIGNAL[:, 0])
    with pytest.raises(sn.BadInput, match="model must have one reservoir to be exported, got par"):
        sn.export(model, tmp_path / "model")


def test_an_own_activation_is_not_saved(tmp_path):
    class Cubed:
        sphere_radius = None

        def value(self, a):
            return np.tanh(a**3)

        def pushforward(self, a, tangents):
            slope = (1.0 - np.tanh(a**3) ** 2) * 3.0 * a**2
            return slope[:, None] * tangents if tangents.ndim == 2 else slope * tangents

    own = sn.Reservoir(0.5 * np.eye(3), [1.0, 2.0, 3.0], Cubed(), [0.1, 0.2, 0.3])
    model = sn.ESNRegressor(reservoir=own).fit(SIGNAL, SIGNAL[:, 0])
    with pytest.raises(sn.BadInput, match="model must have an activation of spheresn to be saved"):
        sn.save(model, tmp_path / "model")


@pytest.mark.parametrize("kind", ["parallel", "chain", "Tanh", "nonsense"])
def test_a_file_whose_parts_do_not_fit_is_refused(tmp_path, monkeypatch, kind):
    several = sn.chain(sphere(), squashed(n_inputs=6))
    model = sn.ESNRegressor(reservoir=several).fit(SIGNAL, SIGNAL[:, 0])
    import spheresn._plain as plain

    parts = plain._composition_parts

    def broken(composition):
        values, tensors = parts(composition)
        return {**values, "kind": kind}, tensors

    monkeypatch.setattr(plain, "_composition_parts", broken)
    sn.save(model, tmp_path / "model")
    if kind == "chain":
        assert np.array_equal(sn.load(tmp_path / "model").predict(SIGNAL), model.predict(SIGNAL))
    else:
        with pytest.raises(ModelFileError):
            sn.load(tmp_path / "model")


def test_nothing_warns_where_nothing_is_wrong(several):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        analysis.echo_state(several, SIGNAL)
