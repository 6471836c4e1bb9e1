"""A user's own topology: the plain step accepts it and agrees with the compiled loops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

import spheresn as sn
from conftest import ACTIVATIONS, network
from spheresn import analysis, readout, topology
from spheresn.analysis.lyapunov import tangent_growth

UNITS = 20


@dataclass(frozen=True)
class OwnRing:
    """`topology.ring`, written by a user who knows only the protocol."""

    size: int
    weight: float = 1.0
    dtype: Any = np.dtype(np.float64)  # noqa: RUF009  immutable

    def matvec(self, vectors):
        return self.dtype.type(self.weight) * np.roll(vectors, 1, axis=0)

    def rmatvec(self, vectors):
        return self.dtype.type(self.weight) * np.roll(vectors, -1, axis=0)

    def spectral_radius(self):
        return abs(self.weight)

    def scaled(self, factor):
        return replace(self, weight=self.weight * factor)

    def astype(self, dtype):
        return replace(self, dtype=np.dtype(dtype))

    def toarray(self):
        return self.matvec(np.eye(self.size, dtype=self.dtype))


def twins(activation: Any, **options: Any) -> list[sn.Reservoir]:
    """The same network, once on our ring and once on the user's."""
    return [
        network(UNITS, activation, np.random.default_rng(3), links, bias_scaling=0.4, **options)
        for links in (topology.ring(UNITS), OwnRing(UNITS))
    ]


@pytest.fixture
def signal(rng) -> np.ndarray:
    return rng.uniform(-1.0, 1.0, 200)


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
@pytest.mark.parametrize("leak", [1.0, 0.4])
def test_states_and_measures_are_those_of_the_compiled_ring(activation, leak, signal):
    ours, own = twins(activation, leak=leak)
    assert np.allclose(sn.drive(own, signal), sn.drive(ours, signal), atol=1e-12)
    assert np.allclose(
        sn.drive(own, signal.reshape(2, 100, 1)),
        sn.drive(ours, signal.reshape(2, 100, 1)),
        atol=1e-12,
    )
    exponents = [
        analysis.lyapunov_spectrum(one, signal, transient=50, rng=1).exponents
        for one in (ours, own)
    ]
    assert np.allclose(*exponents, atol=1e-9)
    largest = [
        analysis.max_lyapunov(one, signal, transient=50, rng=1).exponent for one in (ours, own)
    ]
    assert np.allclose(*largest, atol=1e-9)
    profiles = [analysis.memory_profile(one, signal, 5).sensitivity for one in (ours, own)]
    assert np.allclose(*profiles, rtol=1e-9)
    verdicts = [analysis.echo_state(one, np.tile(signal, 3), rng=1).verdict for one in (ours, own)]
    assert verdicts[0] == verdicts[1]


@pytest.mark.parametrize("activation", [sn.OnSphere(), sn.OnSphere(bend=0.5)], ids=str)
def test_steps_whose_squares_overflow_are_those_of_the_plain_step(activation, signal):
    """The compiled loop leaves such a step to a loop of its own and goes on behind it."""
    signal[[60, 61, 150]] = 1e200
    ours, own = twins(activation)
    growth = [tangent_growth(one, signal.reshape(-1, 1)) for one in (ours, own)]
    assert np.allclose(*growth, rtol=1e-9, atol=1e-9) and growth[0][60] < -400.0


@pytest.mark.parametrize("weight", [1e-145, 1.0, 1e145])
def test_a_turning_network_keeps_all_distances_however_weak_its_links(weight):
    """Without input a ring turns the sphere: an isometry. The squares of 1e-145 underflow."""
    for links in (topology.ring(UNITS, weight), OwnRing(UNITS, weight)):
        growth = tangent_growth(sn.Reservoir(links, np.zeros(UNITS)), np.zeros((50, 1)))
        assert np.allclose(growth, 0.0, atol=1e-12)


def test_a_tangent_that_leaves_the_numbers_is_an_error():
    """At rest the state stays at zero, while its derivative is beyond all numbers."""
    reservoir = sn.Reservoir(np.full((2, 2), 1.5e308), [0.0, 0.0], activation=sn.Linear())
    with pytest.raises(sn.StateOverflow):
        tangent_growth(reservoir, np.zeros((5, 1)))


def test_a_grid_and_single_precision(signal):
    ours, own = twins(sn.OnSphere(bend=0.5))
    assert np.allclose(
        *(sn.drive_grid(one, signal, [0.5, 1.0], [0.1, 1.0]) for one in (ours, own)), atol=1e-12
    )
    small = [
        network(UNITS, sn.Tanh(), np.random.default_rng(0), w, dtype=np.float32)
        for w in (topology.ring(UNITS), OwnRing(UNITS))
    ]
    states = [sn.drive(one, signal) for one in small]
    assert states[1].dtype == np.float32 and np.allclose(*states, atol=1e-5)


def test_the_exponents_without_input_are_those_of_the_matrix():
    # Log |λ_i/λ_1|, and a ring's are equally large
    assert np.allclose(analysis.autonomous_exponents(OwnRing(5, 3.0)), np.zeros(4))


def test_estimators_fit_predict_and_run_free():
    series = sn.datasets.mso(700).reshape(-1, 1)
    given = {"bend": 0.25, "memory": 5, "bias_ratio": 3, "penalty": 1e-3, "random_state": 0}
    models = [
        sn.ESNForecaster(UNITS, topology=links, noise=0.0, **given).fit(series[:600])
        for links in (topology.ring(UNITS), OwnRing(UNITS))
    ]
    assert np.allclose(models[0].forecast(30), models[1].forecast(30), atol=1e-9)
    assert np.allclose(models[0].predict(series[600:]), models[1].predict(series[600:]), atol=1e-9)
    regressors = [
        sn.ESNRegressor(UNITS, topology=links, **given).fit(series[:-1], series[1:, 0])
        for links in (topology.ring(UNITS), OwnRing(UNITS))
    ]
    assert np.allclose(*(one.predict(series) for one in regressors), atol=1e-9)
    windows, labels = [series[i : i + 50] * (1 + i % 2) for i in range(0, 600, 50)], [0, 1] * 6
    classifier = sn.ESNClassifier(UNITS, topology=OwnRing(UNITS), **given).fit(windows, labels)
    assert classifier.predict(windows).tolist() == labels


@pytest.mark.parametrize(("gain", "bend"), [(2.0, 0.0), (1e200, 0.0), (1e160, 0.5)])
def test_a_free_run_that_grows_without_end_ends_where_the_compiled_one_does(gain, bend):
    from spheresn.closed_loop import ClosedLoop

    ours, own = twins(sn.OnSphere(bend=bend))
    weights = readout.Weights(np.zeros((UNITS, 1)), np.array([gain]))
    runs = [
        ClosedLoop(one, weights, carry=gain).run(
            500, np.zeros(UNITS), np.ones(1), np.zeros((500, 0))
        )
        for one in (ours, own)
    ]
    assert runs[0][1] == runs[1][1] < 500
    assert np.allclose(runs[0][0], runs[1][0], rtol=1e-12)


def test_a_network_that_overflows_ends_the_free_run():
    from spheresn.closed_loop import ClosedLoop

    for one in twins(sn.Linear(), input_scaling=1e300):
        loop = ClosedLoop(one, readout.Weights(np.full((UNITS, 1), 1e-320), np.zeros(1)), carry=1e9)
        outputs, finite = loop.run(9, np.zeros(UNITS), np.ones(1), np.zeros((9, 0)))
        assert finite == 1 and np.isfinite(outputs).all()


def test_force_teaches_it():
    wave = np.sin(0.3 * np.arange(300.0))[:, None]
    trained = [
        readout.force(one, wave, penalty=0.01, every=2, forgetting=0.999)
        for one in twins(sn.Tanh())
    ]
    assert np.allclose(trained[0].outputs, trained[1].outputs, atol=1e-8)
    assert np.allclose(trained[0].weights.matrix, trained[1].weights.matrix, atol=1e-8)


def test_a_step_without_direction_is_counted_there_too():
    reservoir = sn.Reservoir(OwnRing(2, 0.0), inputs=[1.0, 0.0])
    with pytest.warns(sn.DegenerateStep, match=r"^2 step"):
        states = sn.drive(reservoir, [1.0, 0.0, 0.0, -1.0])
    assert states.tolist() == [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]


def test_a_subclass_of_ours_keeps_its_own_product():
    class Twice(topology.Dense):
        def matvec(self, vectors):
            return 2.0 * super().matvec(vectors)

    reservoir = sn.Reservoir(Twice(np.array([[0.25]])), inputs=[1.0], activation=sn.Linear())
    assert sn.drive(reservoir, [1.0, 0.0, 0.0]).ravel().tolist() == [1.0, 0.5, 0.25]


def test_what_is_missing_is_named():
    with pytest.raises(
        ValueError,
        match=r"recurrent must be .* got a .*LinearOperator without size, spectral_radius, scaled",
    ):
        sn.Reservoir(aslinearoperator(np.eye(3)), inputs=np.ones(3))


def test_rescaling_beyond_the_numbers_and_saving_are_refused(tmp_path):
    with pytest.raises(ValueError, match="W must stay finite"):
        sn.Reservoir(OwnRing(3, 1e200), inputs=np.ones(3)).rescaled(recurrent=1e200)
    steps = np.arange(50.0).reshape(-1, 1) % 7
    model = sn.ESNRegressor(UNITS, topology=OwnRing(UNITS), bend=0, memory=3, random_state=0).fit(
        steps, steps[:, 0]
    )
    with pytest.raises(ValueError, match="got OwnRing; fit it with W as an array"):
        sn.save(model, tmp_path / "m.spheresn")
