"""Driving: every path equals the plain loop, pieces equal the whole, and nothing becomes NaN."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import spheresn as sn
from conftest import ACTIVATIONS, SPHERES, iterate, network
from spheresn._validation import floats
from spheresn.closed_loop import ClosedLoop
from spheresn.readout import Weights


@pytest.mark.parametrize("leak", [1.0, 0.3])
@pytest.mark.parametrize("topology", sn.topology.TOPOLOGIES)
@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_compiled_loops_equal_the_plain_loop(activation, topology, leak, rng):
    for units in (1, 2, 33, 100):
        reservoir = network(
            units, activation, rng, topology, n_inputs=2, bias_scaling=0.2, leak=leak
        )
        signal, start = rng.standard_normal((60, 2)), rng.standard_normal(units)
        assert np.allclose(
            sn.drive(reservoir, signal, start),
            iterate(reservoir, signal, start),
            rtol=0,
            atol=1e-12,
        )


@pytest.mark.parametrize("topology", sn.topology.TOPOLOGIES)
@pytest.mark.parametrize("inputs", [0, 1, 3])
def test_any_number_of_inputs(inputs, topology, rng):
    """Some loops add the first input in the same pass as W x; without inputs they add zero."""
    for units in (1, 7, 40):
        reservoir = network(units, sn.OnSphere(), rng, topology, n_inputs=inputs, bias_scaling=0.2)
        signal, start = rng.standard_normal((30, inputs)), rng.standard_normal(units)
        assert np.allclose(
            sn.drive(reservoir, signal, start),
            iterate(reservoir, signal, start),
            rtol=0,
            atol=1e-12,
        )


@pytest.mark.parametrize("units", [300, 301])
def test_rotation_equals_its_orthogonal_matrix_over_a_thousand_steps(units, rng):
    reservoir = network(units, sn.OnSphere(), rng, "rotation", spectral_radius=1.5)
    full = sn.Reservoir(reservoir.recurrent.toarray(), reservoir.inputs)
    signal = rng.standard_normal(1000)
    assert np.allclose(sn.drive(reservoir, signal), sn.drive(full, signal), rtol=0, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_csr_equals_dense(activation, rng):
    reservoir = network(200, activation, rng, "sparse")
    full = sn.Reservoir(reservoir.recurrent.toarray(), reservoir.inputs, activation)
    signal = rng.standard_normal(300)
    assert np.allclose(sn.drive(reservoir, signal), sn.drive(full, signal), rtol=0, atol=1e-12)


@pytest.mark.parametrize("topology", ["gaussian", "sparse", "ring", "rotation"])
@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_a_batch_equals_one_by_one(activation, topology, rng):
    reservoir = network(40, activation, rng, topology, n_inputs=3, bias_scaling=0.1, leak=0.6)
    signals, starts = rng.standard_normal((5, 70, 3)), rng.standard_normal((5, 40))
    together = sn.drive(reservoir, signals, starts)
    alone = [sn.drive(reservoir, s, x) for s, x in zip(signals, starts, strict=True)]
    assert np.allclose(together, alone, rtol=0, atol=1e-13)


def test_ragged_series_do_not_touch_each_other(rng):
    reservoir = network(30, sn.OnSphere(), rng)
    series = [rng.standard_normal(n) for n in (5, 40, 1)]
    for states, signal in zip(sn.drive(reservoir, series), series, strict=True):
        assert np.array_equal(states, sn.drive(reservoir, signal))
    start = sn.sphere.random_point(30, rng)
    assert np.array_equal(
        sn.drive(reservoir, series, start)[1], sn.drive(reservoir, series[1], start)
    )


@pytest.mark.parametrize("topology", ["gaussian", "sparse", "ring", "rotation"])
@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_chunks_equal_the_whole_to_the_last_bit(activation, topology, rng):
    reservoir = network(101, activation, rng, topology, n_inputs=2, bias_scaling=0.1, leak=0.7)
    signal, start = rng.standard_normal((200, 2)), rng.standard_normal(101)
    whole = sn.drive(reservoir, signal, start)
    for chunk in (1, 7, 64, 1000):
        pieces = list(sn.drive_chunks(reservoir, signal, chunk, start))
        assert max(len(piece) for piece in pieces) <= chunk
        assert np.array_equal(np.vstack(pieces), whole)
    arriving = (signal[i : i + 30] for i in range(0, 200, 30))
    assert np.array_equal(np.vstack(list(sn.drive_chunks(reservoir, arriving, start=start))), whole)
    assert np.array_equal(sn.drive(reservoir, signal[50:], whole[49]), whole[50:])


@pytest.mark.parametrize("topology", sn.topology.TOPOLOGIES)
@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_single_precision_is_kept_through_and_close(activation, topology, rng):
    seed = int(rng.integers(1000))
    double, single = (
        network(50, activation, seed, topology, dtype=kind) for kind in (np.float64, np.float32)
    )
    signal = rng.standard_normal(40)
    states = sn.drive(single, signal)
    assert states.dtype == np.float32 and single.dtype == np.float32
    assert np.allclose(states, sn.drive(double, signal), atol=2e-5)
    assert sn.drive(single, np.stack([signal, signal])[..., None]).dtype == np.float32


def test_an_activation_of_ones_own(rng):
    @dataclass(frozen=True)
    class Sine:
        sphere_radius = None

        def value(self, a):
            return np.sin(a)

        def pushforward(self, a, v):
            return (np.cos(a) * v.T).T

    reservoir, signal = network(20, Sine(), rng), rng.standard_normal((50, 1))
    assert np.array_equal(sn.drive(reservoir, signal), iterate(reservoir, signal, np.zeros(20)))
    assert sn.drive(reservoir, np.stack([signal, signal])).shape == (2, 50, 20)


@pytest.mark.parametrize("activation", SPHERES.values(), ids=SPHERES)
def test_a_zero_pre_activation_keeps_the_direction_and_is_counted(activation, rng):
    """u = -W x exactly: a = 0 has no direction."""
    start = np.array([0.6, 0.8]) * activation.radius
    reservoir = sn.Reservoir(np.eye(2), np.array([[0.6], [0.8]]) * activation.radius, activation)
    with pytest.warns(
        sn.DegenerateStep, match=r"^1 step\(s\) had a pre-activation of exactly zero"
    ):
        states = sn.drive(reservoir, np.array([-1.0, 0.5]), start)
    assert np.allclose(states[0], start, rtol=1e-15)
    assert np.allclose(reservoir.step(start, -np.ones(1)), start, rtol=1e-15)
    assert np.allclose(np.linalg.norm(states, axis=1), activation.radius)


def test_a_leak_that_cancels_the_state_keeps_the_direction():
    """Half of x and half of -x add up to nothing."""
    reservoir = sn.Reservoir(-np.eye(3), np.zeros(3), leak=0.5)
    start = np.array([0.0, 1.0, 0.0])
    with pytest.warns(sn.DegenerateStep, match="2 step"):
        assert np.array_equal(sn.drive(reservoir, np.zeros(2), start), [start, start])


def test_from_the_zero_state_silence_leads_to_a_fixed_point_of_the_sphere():
    reservoir = sn.random_reservoir(4, activation=sn.OnSphere(2.0), topology="ring", rng=0)
    with pytest.warns(sn.DegenerateStep, match="1 step"):
        states = sn.drive(reservoir, np.zeros(3))
    assert np.array_equal(states, np.ones((3, 4)))


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize(
    "activation", [sn.OnSphere(), sn.OnSphere(1e150), sn.OnSphere(1e-150, 0.5)]
)
def test_extreme_inputs_still_land_on_the_sphere(activation, scale, rng):
    reservoir = network(9, activation, rng, spectral_radius=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sn.DegenerateStep)
        states = sn.drive(reservoir, scale * np.array([1.0, -1.0, 0.5]), np.ones(9))
    assert np.allclose(np.linalg.norm(states / activation.radius, axis=1), 1.0, rtol=1e-12)


def test_a_linear_network_that_overflows_says_so(rng):
    reservoir = network(10, sn.Linear(), rng, spectral_radius=3.0)
    with pytest.raises(sn.StateOverflow, match=r"at step \d+; lower the spectral radius"):
        sn.drive(reservoir, np.ones(2000))
    with pytest.raises(sn.StateOverflow, match=r"of row 0; lower"):
        sn.drive(reservoir, np.ones((2, 2000, 1)))
    passing = sn.Reservoir(sn.topology.delay_line(3), np.full(3, 1e300), sn.Linear())
    with pytest.raises(sn.StateOverflow, match="at step 1;"):
        sn.drive(passing, np.array([1.0, 1e10, 0.0, 0.0, 0.0, 0.0]))


@pytest.mark.parametrize("activation", [sn.OnSphere(), sn.OnSphere(bend=0.5), sn.Tanh()])
def test_an_input_that_overflows_says_so(activation):
    reservoir = sn.random_reservoir(3, activation=activation, input_scaling=1e20, rng=0)
    with pytest.raises(sn.StateOverflow, match="scale of the input"):
        sn.drive(reservoir, np.array([0.1, 1e300]))


def test_no_input_and_no_rows_are_fine(rng):
    reservoir = sn.random_reservoir(6, n_inputs=0, rng=rng)
    start = sn.sphere.random_point(6, rng)
    assert np.allclose(
        sn.drive(reservoir, np.empty((3, 0)), start),
        iterate(reservoir, np.empty((3, 0)), start),
        atol=1e-14,
    )
    assert sn.drive(reservoir, np.empty((0, 0)), start).shape == (0, 6)


@pytest.mark.parametrize(
    ("signal", "sentence"),
    [
        (
            np.zeros((5, 2)),
            r"signal must have 1 column\(s\), got shape \(5, 2\); one row per time step",
        ),
        (
            np.array([0.0, np.nan]),
            r"signal must be finite, got nan at index \(1, 0\); fill or drop",
        ),
        (np.array([np.inf]), "signal must be finite, got inf"),
        (np.zeros((1, 1, 1, 1)), "signal must have 1 or 2 dimension"),
        ("noise", "signal must be an array of real numbers"),
        (np.array([1j]), "signal must be an array of real numbers"),
        ([np.zeros(3), np.zeros((3, 2))], r"signal\[1\] must have 1 column"),
    ],
)
def test_a_bad_signal_gets_a_sentence(signal, sentence):
    with pytest.raises(ValueError, match=sentence):
        sn.drive(sn.random_reservoir(4, rng=0), signal)


def test_a_bad_start_gets_a_sentence():
    reservoir = sn.random_reservoir(4, rng=0)
    with pytest.raises(
        ValueError, match=r"start must be a state of shape \(4,\), one per series, got \(3,\)"
    ):
        sn.drive(reservoir, np.zeros(5), np.zeros(3))
    with pytest.raises(ValueError, match="start must be finite"):
        sn.drive(reservoir, np.zeros(5), np.full(4, np.nan))
    with pytest.raises(ValueError, match="chunk must be a whole number of at least 1"):
        next(sn.drive_chunks(reservoir, np.zeros(5), 0))


def test_read_only_arrays_need_no_loop_of_their_own(monkeypatch, rng):
    """For read-only arrays numba would compile each loop again, which takes seconds.

    Data frames return such arrays.
    """
    given = {
        "recurrent": np.eye(4),
        "inputs": np.ones((4, 1)),
        "bias": np.ones(4),
        "signal": rng.standard_normal((5, 1)),
        "start": np.ones(4),
    }
    for values in given.values():
        values.flags.writeable = False
    signal, start = given.pop("signal"), given.pop("start")
    reservoir, seen, loop = sn.Reservoir(**given), [], sn.drive.__globals__["kernels"].open_loop

    def watched(network, rows, first, states):
        arrays = (network.recurrent.matrix, network.inputs, network.bias, rows, first)
        seen.extend(values.flags.writeable for values in arrays)
        return loop(network, rows, first, states)

    monkeypatch.setattr(sn.drive.__globals__["kernels"], "open_loop", watched)
    assert np.isfinite(sn.drive(reservoir, signal, start)).all() and seen == [True] * 5


def test_values_that_do_not_fit_into_single_precision_get_a_sentence():
    reservoir = sn.random_reservoir(3, rng=0, dtype=np.float32)
    with pytest.raises(
        ValueError,
        match=r"signal must fit into float32, got 1e\+300; scale it down, or use a wider type",
    ):
        sn.drive(reservoir, np.array([0.0, 1e300]))
    with pytest.raises(ValueError, match="signal must be an array of real numbers"):
        sn.drive(reservoir, [10**400])


@dataclass(frozen=True)
class Doubling:
    """A user's own activation that grows without bound."""

    sphere_radius: None = None

    def value(self, a):
        return 2.0 * a

    def pushforward(self, a, tangents):
        return 2.0 * tangents


def test_an_activation_of_ones_own_overflows_at_the_step_that_it_must():
    """After k steps from 1 the state is 2^k, and 2^1024 is no double.

    The first step to overflow is therefore step 1023, counted from 0.
    """
    reservoir = sn.Reservoir(np.eye(1), np.zeros((1, 1)), Doubling())
    assert sn.drive(reservoir, np.zeros(1023), [1.0])[-1, 0] == 2.0**1023
    with np.errstate(over="ignore"), pytest.raises(sn.StateOverflow, match="at step 1023"):
        sn.drive(reservoir, np.zeros(1100), [1.0])


def test_an_activation_of_ones_own_runs_free():
    """x' = 2 (x + s), s' = s + x', from x = 0 and s = 1."""
    loop = ClosedLoop(
        sn.Reservoir(np.eye(1), np.ones((1, 1)), Doubling()), Weights(np.ones((1, 1)), np.zeros(1))
    )
    outputs, finite = loop.run(3, np.zeros(1), np.ones(1), np.zeros((3, 0)))
    assert outputs.ravel().tolist() == [3.0, 13.0, 59.0] and finite == 3


def test_only_what_was_finite_counts_as_lost_in_a_narrower_type():
    given = [np.inf, -np.inf, 1.0]
    assert floats("signal", given, (1,), np.float32).tolist() == given
    with pytest.raises(ValueError, match=r"signal must fit into float32, got 1e\+39"):
        floats("signal", [np.inf, 1e39], (1,), np.float32)
