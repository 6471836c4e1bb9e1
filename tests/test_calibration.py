"""Calibration: the exponent measured on the training signal is -1/memory."""

import numpy as np
import pytest

import spheresn as sn
from spheresn.selection.calibration import MemoryOutOfReach, Point, calibrate, passed

CASES = [  # signal, units, activation, bend, memory, topology, leak
    ("white_noise", 100, "spherical", 0.0, 3.0, "ring", 1.0),
    ("white_noise", 300, "spherical", 0.0, 30.0, "ring", 1.0),
    ("white_noise", 100, "spherical", 0.5, 3.0, "ring", 1.0),
    ("lorenz", 100, "spherical", 1.0, 1.0, "ring", 1.0),
    ("lorenz", 300, "spherical", 0.5, 10.0, "ring", 1.0),
    ("mackey_glass", 100, "spherical", 0.25, 5.0, "rotation", 1.0),
    ("mackey_glass", 50, "spherical", 1.0, 0.7, "ring", 1.0),
    ("rossler", 100, "spherical", 2.0, 0.5, "ring", 1.0),
    ("henon", 100, "spherical", 0.5, 2.0, "sparse", 1.0),
    ("mso", 100, "spherical", 0.0, 100.0, "ring", 1.0),
    ("mso", 60, "tanh", None, 4.0, "ring", 1.0),
    ("lorenz", 100, "tanh", None, 1.0, "gaussian", 1.0),
    ("white_noise", 100, "linear", None, 20.0, "ring", 1.0),
    ("henon", 100, "linear", None, 5.0, "rotation", 1.0),
    ("lorenz", 60, "spherical", 0.5, 5.0, "ring", 0.5),
    ("mso", 60, "tanh", None, 8.0, "ring", 0.7),
]


def series(name, steps):
    return (
        sn.datasets.white_noise(steps, 0)
        if name == "white_noise"
        else getattr(sn.datasets, name)(steps)
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_the_exponent_on_the_training_signal_is_minus_one_over_memory(case):
    """Measured afresh, from another start and with another tangent; what is left is the error of
    the measurement.
    """
    name, units, activation, bend, memory, topology, leak = case
    signal = series(name, 3000)
    options = {"activation": activation, "memory": memory, "topology": topology, "leak": leak} | (
        {} if bend is None else {"bend": bend}
    )
    model = sn.ESNRegressor(units=units, penalty=1e-6, random_state=1, **options).fit(
        signal, signal
    )
    assert model.lyapunov_ == pytest.approx(-1.0 / memory, rel=2e-3)
    standard = (signal - signal.mean(axis=0)) / signal.std(axis=0)
    again = sn.analysis.max_lyapunov(model.reservoir_, standard, transient=200, rng=5)
    assert again.exponent == pytest.approx(
        -1.0 / memory, abs=0.02 / memory + 4 * again.standard_error
    )


@pytest.mark.parametrize(
    ("memory", "rows", "words"),
    [
        (0.0, 300, "memory must be finite and greater than 0, got 0"),
        (-3.0, 300, "memory must be finite and greater than 0, got -3"),
        ("long", 300, "memory must be a real number, got 'long'"),
        (3.0, 0, "signal must have at least 1 rows"),
    ],
)
def test_a_calibration_without_a_memory_or_a_signal_says_so(memory, rows, words):
    base = sn.random_reservoir(20, activation=sn.OnSphere(), rng=np.random.default_rng(0))
    with pytest.raises(sn.BadInput, match=words):
        calibrate(lambda strength: base.rescaled(1.0, strength), np.ones((rows, 1)), memory)


def test_a_memory_out_of_reach_says_what_can_be_reached():
    signal = sn.datasets.white_noise(1000, 0)
    with pytest.raises(
        MemoryOutOfReach,
        match=r"memory must be at least 0\.\d+ steps for this network .* got 0.01; choose",
    ):
        sn.ESNRegressor(
            units=50, topology="ring", bend=0.0, memory=0.01, bias_ratio=3.0, random_state=0
        ).fit(signal, signal)
    with pytest.raises(MemoryOutOfReach, match=r"memory must be at most \S+ steps .* got 1e\+12"):
        sn.ESNRegressor(
            units=50, topology="ring", bend=0.0, memory=1e12, bias_ratio=3.0, random_state=0
        ).fit(signal, signal)


def test_more_memory_recalls_farther_back():
    """White noise of 50 steps ago: there with memory 30 on the plain sphere, lost to rounding
    (e^-50) with memory 1.
    """
    signal = sn.datasets.white_noise(4000, 0)
    target = np.roll(signal, 50)
    accuracies = []
    for memory in (1.0, 30.0):
        model = sn.ESNRegressor(units=200, bend=0.0, memory=memory, random_state=0).fit(
            signal[:3000], target[:3000]
        )
        accuracies.append(
            sn.metrics.accuracy(target[3000:], model.predict(signal[3000:], start=model.state_))
        )
    assert accuracies[0] < 0.05 and accuracies[1] > 0.7


@pytest.mark.parametrize("own", [0.5, 2.0])
def test_a_given_matrix_gets_the_spectral_radius_that_is_asked_for(own, rng):
    """Before, it was multiplied by that number: by .9 from 2 to 1.8."""
    w = own * np.linalg.qr(rng.standard_normal((20, 20)))[0]  # all |λ| are its own radius
    x = rng.standard_normal((200, 1))
    options = {"topology": w, "bend": 0.5, "input_scaling": 0.5, "random_state": 0}
    model = sn.ESNRegressor(20, spectral_radius=0.9, **options).fit(x, x)
    assert model.reservoir_.recurrent.spectral_radius() == pytest.approx(0.9, rel=1e-12)
    assert np.allclose(model.reservoir_.recurrent.matvec(np.eye(20)), 0.9 / own * w, atol=1e-12)
    left = sn.ESNRegressor(20, **options).fit(x, x)
    assert np.array_equal(left.reservoir_.recurrent.matvec(np.eye(20)), w)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"memory": 3, "spectral_radius": 0.9},
            "memory must be left out when spectral_radius or input_scaling is given",
        ),
        ({"memory": 0}, "memory must be finite and greater than 0"),
        ({"memory": "long"}, "memory must be a real number"),
        ({"bend": -1}, r"bend must be in \[0"),
        ({"activation": "relu"}, "activation must be one of auto, spherical, tanh, linear"),
        ({"units": 0}, "units must be a whole number of at least 1"),
        ({"penalty": -1.0}, "penalty must be finite and at least 0"),
        ({"penalty": "gcv"}, "penalty must be a real number"),
        ({"features": "cubic"}, "features must be one of linear, quadratic"),
        ({"washout": -1}, "washout must be a whole number of at least 0"),
        ({"washout": 100}, "longer than the washout"),
        ({"topology": "torus"}, "topology must be one of"),
        ({"bias_ratio": -1.0}, "bias_ratio must be finite and at least 0"),
    ],
)
def test_bad_parameters_get_a_sentence_in_fit(options, sentence):
    x = sn.datasets.white_noise(100, 0)
    with pytest.raises(ValueError, match=sentence):
        sn.ESNRegressor(
            **{
                "units": 10,
                "bend": 0.5,
                **({} if "spectral_radius" in options else {"memory": 2}),
                **options,
            }
        ).fit(x, x)


def weakly_coupled(strength):
    """A linear network that forgets by the factor 1/strength in each step."""
    return sn.Reservoir([[1.0 / strength]], inputs=[1.0], activation=sn.Linear())


def test_one_walk_passes_all_memories_of_a_linear_network():
    """Its exponent is -log(strength), which interpolation meets exactly. A memory shorter than
    1/log(30) steps is out of reach: the walk begins at a strength of 30.
    """
    near = passed(weakly_coupled, np.ones((300, 1)), {0.5, 2.0, 100.0, 0.1})
    for memory in (0.5, 2.0, 100.0):
        assert near[memory].place == pytest.approx(1.0 / memory)
        assert near[memory].slope == pytest.approx(-1.0)
    assert np.exp(near[0.1].place) == pytest.approx(30.0)


def test_a_walk_that_never_passes_a_memory_ends_at_the_weakest_drive():
    def deaf(strength):
        return sn.Reservoir([[0.5]], inputs=[strength], activation=sn.Linear())

    near = passed(deaf, np.ones((300, 1)), {100.0})[100.0]
    assert np.exp(near.place) < 2e-4 and near.exponent == pytest.approx(np.log(0.5))


def test_a_calibration_may_begin_anywhere_near():
    """Where the exponent is -log(strength), a memory of 2 steps needs a strength of e^(1/2)."""
    for place in (0.1, 0.5, 1.5):
        near = Point(place, np.nan, -0.7)
        found = calibrate(weakly_coupled, np.ones((1500, 1)), 2.0, near)
        assert found.strength == pytest.approx(np.exp(0.5), rel=1e-3)
        assert found.point.place == pytest.approx(0.5, abs=1e-3)
