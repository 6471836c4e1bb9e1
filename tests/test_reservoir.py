"""Building reservoirs: random streams, precision, and error messages."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import spheresn as sn
from spheresn.kernels.tanh import vector_tanh


def test_more_inputs_and_another_bias_leave_the_links_as_they_are():
    one = sn.random_reservoir(20, 1, rng=3)
    more = sn.random_reservoir(20, 4, bias_scaling=0.5, rng=3)
    assert np.array_equal(one.recurrent.toarray(), more.recurrent.toarray())
    assert np.array_equal(one.inputs[:, 0], more.inputs[:, 0])


def test_weights_have_the_stated_moments():
    """W_in and b are uniform in [-c, c]: their variance is c²/3 within five standard errors."""
    reservoir = sn.random_reservoir(
        10000, 3, topology="ring", input_scaling=0.2, bias_scaling=0.5, rng=0
    )
    for values, scale in ((reservoir.inputs, 0.2), (reservoir.bias, 0.5)):
        assert np.abs(values).max() <= scale
        assert values.var() == pytest.approx(
            scale**2 / 3, abs=5 * scale**2 * np.sqrt(4 / 45 / values.size)
        )


def test_a_generator_moves_on_and_a_seed_does_not():
    rng = np.random.default_rng(0)
    first, second = (sn.random_reservoir(5, rng=rng).inputs for _ in range(2))
    assert not np.array_equal(first, second)
    assert np.array_equal(sn.random_reservoir(5, rng=0).inputs, first)


PROGRAM = """
import numpy as np, spheresn as sn
for topology in sn.topology.TOPOLOGIES:
    for activation in (sn.OnSphere(), sn.OnSphere(bend=.5), sn.Tanh(), sn.Linear()):
        reservoir = sn.random_reservoir(
            70, activation=activation, topology=topology, bias_scaling=.1, rng=7
        )
        print(sn.drive(reservoir, np.sin(np.arange(50.)))[-1].tobytes().hex())
"""


def test_the_same_seed_gives_the_same_numbers_in_a_new_process():
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout and len(runs[0].stdout.split()) == 24


def test_arrays_sparse_matrices_and_topologies_are_all_given_alike(rng):
    w, signal = np.roll(np.eye(6), 1, axis=0) * 0.5, rng.standard_normal(30)
    forms = (w, w.tolist(), sp.csr_matrix(w), sp.coo_array(w), sn.topology.ring(6, 0.5))
    states = [sn.drive(sn.Reservoir(form, np.ones(6)), signal) for form in forms]
    assert all(np.allclose(other, states[0], atol=1e-15) for other in states)
    given = sn.random_reservoir(6, topology=w, spectral_radius=2.0, rng=rng)
    assert np.allclose(given.recurrent.toarray(), 4.0 * w) and given.units == 6


def test_the_kernels_tanh_is_tanh():
    """It is odd, NaN at NaN, and correct to 4 units in the last place, also for subnormals."""
    x = np.concatenate(
        [
            np.linspace(-45, 45, 90001),
            np.geomspace(5e-324, 1e308, 5000),
            -np.geomspace(1e-20, 1, 5000),
        ]
    )
    exact, ours = np.tanh(x), np.array([vector_tanh(value) for value in x])
    assert (np.abs(ours - exact) <= 4 * np.spacing(np.abs(exact))).all()
    assert [vector_tanh(value) for value in (np.inf, -np.inf, 0.0)] == [1.0, -1.0, 0.0]
    assert np.signbit(vector_tanh(-0.0)) and np.isnan(vector_tanh(np.nan))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"units": 0}, "units must be a whole number of at least 1, got 0"),
        ({"units": 2.5}, "units must be a whole number of at least 1, got 2.5"),
        ({"n_inputs": -1}, "n_inputs must be a whole number of at least 0"),
        (
            {"topology": "torus"},
            "topology must be one of gaussian, uniform, sparse, rotation, ring, delay_line, got "
            "'torus'",
        ),
        ({"topology": np.eye(3)}, "units must be the size of the given W, 3, got 10"),
        ({"spectral_radius": -1.0}, "spectral_radius must be finite and at least 0"),
        ({"spectral_radius": np.nan}, "spectral_radius must be finite"),
        ({"input_scaling": np.inf}, "input_scaling must be a finite number"),
        ({"bias_scaling": "big"}, "bias_scaling must be a real number"),
        ({"leak": 0.0}, r"leak must be in \(0, 1\], got 0.0"),
        ({"leak": 1.5}, r"leak must be in \(0, 1\]"),
        (
            {"density": 0.5, "topology": "rotation"},
            "density must be left out for the rotation topology",
        ),
        (
            {"rng": None},
            "rng must be a numpy Generator or a seed, got None; pass np.random.default_rng",
        ),
        ({"dtype": np.float16}, "dtype must be float32 or float64"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        sn.random_reservoir(**{"units": 10, "rng": 0, **arguments})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"inputs": np.ones((2, 1))}, "inputs must have one row per unit, 3, got shape"),
        ({"inputs": np.full(3, np.nan)}, "inputs must be finite"),
        ({"bias": np.ones(2)}, "bias must have one value per unit, 3, got 2"),
        ({"bias": [0.0, np.inf, 0.0]}, "bias must be finite"),
        ({"recurrent": np.ones((3, 4))}, "recurrent must be a square matrix"),
    ],
)
def test_bad_matrices_get_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        sn.Reservoir(**{"recurrent": np.eye(3), "inputs": np.ones(3), **arguments})


def test_the_derivative_of_a_step_without_direction_is_an_error():
    reservoir = sn.Reservoir(np.eye(2), np.ones(2))
    with pytest.raises(sn.NoDirection, match="no direction"):
        reservoir.tangent_step(np.array([1.0, 1.0]), -np.ones(1), np.eye(2))


def test_a_step_that_overflows_says_so():
    reservoir = sn.Reservoir(np.eye(2), np.full(2, 1e200))
    for move in (reservoir.step, lambda state, row: reservoir.tangent_step(state, row, np.eye(2))):
        with pytest.raises(
            sn.StateOverflow,
            match="the pre-activation left the range of its floating point type; lower",
        ):
            move(np.ones(2), np.array([1e200]))
    with pytest.raises(sn.StateOverflow, match="infinite entry"):
        sn.sphere.unit(np.array([1.0, np.inf]))


def test_a_radius_or_factor_beyond_the_numbers_gets_a_sentence():
    with pytest.raises(
        ValueError, match="radius must be between 1e-30 and 1e\\+30 in float32, got 1e-150; choose"
    ):
        sn.random_reservoir(3, activation=sn.OnSphere(1e-150), rng=0, dtype=np.float32)
    with pytest.raises(
        ValueError, match="W must stay finite when it is rescaled, got a factor of inf; choose"
    ):
        sn.random_reservoir(2, topology=1e-320 * np.eye(2), spectral_radius=1.0, rng=0)
    with pytest.raises(ValueError, match="input_scaling must be a finite number, got 1000"):
        sn.random_reservoir(2, input_scaling=10**400, rng=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factors", [(1.0, 3.0, 0.25), (0.5, -2.0, 1.0)])
def test_a_rescaled_network_is_one_built_of_the_scaled_parts(dtype, factors):
    one = sn.random_reservoir(7, 2, topology="gaussian", bias_scaling=0.3, rng=0, dtype=dtype)
    w, inputs, bias = (dtype(factor) for factor in factors)
    built = sn.Reservoir(
        one.recurrent.toarray() * w, one.inputs * inputs, one.activation, one.bias * bias
    )
    scaled = one.rescaled(*factors)
    assert scaled.dtype == built.dtype and scaled.inputs.dtype == built.inputs.dtype
    signal = np.cos(np.arange(40.0)).reshape(20, 2)
    assert np.array_equal(sn.drive(scaled, signal), sn.drive(built, signal))


@pytest.mark.parametrize("factor", [1e308, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("part", ["inputs", "bias"])
def test_weights_must_stay_finite_when_they_are_rescaled(part, factor):
    reservoir = sn.Reservoir(np.eye(2), [3.0, 4.0], bias=[3.0, 4.0])
    with pytest.raises(sn.BadInput, match=f"{part} must be finite, got -?(inf|nan) at index"):
        reservoir.rescaled(**{part: factor})


def test_an_activation_by_its_name_is_refused_with_the_object_to_pass():
    with pytest.raises(ValueError, match=r"OnSphere\(\), Tanh\(\) or Linear\(\), got 'tanh'; "):
        sn.random_reservoir(5, activation="tanh", rng=0)
