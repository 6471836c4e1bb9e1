"""A model of the user's own beside a network: exact where it is right, harmless where it is not."""

import numpy as np
import pytest

import spheresn as sn
from spheresn.closed_loop import ON_PHYSICS, ClosedLoop, beside_with_physics
from spheresn.physics import Physics
from spheresn.readout import Weights
from spheresn.series.scaling import Scaler

HENON = sn.datasets.henon(400)


def henon(row, _):
    """The map itself, of one row or of several."""
    x, y = row[..., 0], row[..., 1]
    return np.stack([1.0 - 1.4 * x * x + y, 0.3 * x], axis=-1)


def forecaster(units=30, **options):
    fixed = {"memory": 1.0, "bend": 1.0, "observation_noise": 0}
    return sn.ESNForecaster(units, random_state=0, verbose=False, **fixed | options)


@pytest.fixture(scope="module")
def fitted():
    return forecaster(physics=henon).fit(HENON[:150])


def test_equations_that_are_right_leave_nothing_to_learn(fitted):
    assert fitted.closed_loop_.carry == ON_PHYSICS
    assert fitted.physics_share_ > 0.9
    row, wanted = HENON[299], []
    for _ in range(20):
        row = henon(row, None)
        wanted.append(row)
    np.testing.assert_allclose(fitted.forecast(20, start=HENON[200:300]), wanted, atol=1e-6)
    np.testing.assert_allclose(fitted.predict(HENON[:50]), henon(HENON[:50], None), atol=1e-6)


def test_a_function_of_one_row_gives_the_same_as_one_of_several(fitted):
    def of_one(row, _):
        return np.array([1.0 - 1.4 * row[0] ** 2 + row[1], 0.3 * row[0]])

    one = forecaster(physics=of_one).fit(HENON[:150])
    assert fitted.closed_loop_.physics.at_once
    np.testing.assert_allclose(one.forecast(10), fitted.forecast(10), atol=1e-6)


def test_white_noise_for_equations_is_not_taken():
    rng = np.random.default_rng(0)
    misled = forecaster(physics=lambda row, _: rng.standard_normal(2)).fit(HENON[:300])
    alone = forecaster().fit(HENON[:300])
    assert misled.physics_share_ == 0.0
    assert misled.forecast(30).tobytes() == alone.forecast(30).tobytes()


def test_the_tangents_of_a_loop_with_physics_are_those_of_its_steps(rng):
    scale = Scaler(np.array([0.1, 0.2]), np.array([0.7, 0.3]))
    reservoir = sn.random_reservoir(8, 5, topology="ring", input_scaling=0.3, rng=0)
    weights = Weights(0.1 * rng.standard_normal((8, 2)), np.zeros(2))
    for carry in (1.0, 0.0, ON_PHYSICS):
        physics = Physics(henon, scale, Scaler.identity(1), at_once=True)
        loop = ClosedLoop(reservoir, weights, carry, physics=physics)
        assert loop.exogenous == 1
        x = sn.drive(reservoir, rng.standard_normal((30, 5)))[-1]
        state, e = np.concatenate([x, [0.2, -0.1]]), np.array([0.3])
        moved = np.zeros((10, 2))
        moved[8:] = np.eye(2)
        value, carried = loop.tangent_step(state, e, moved)
        np.testing.assert_allclose(value, loop.step(state, e), rtol=1e-12)
        for j in range(2):
            ends = [loop.step(state + sign * 1e-6 * moved[:, j], e) for sign in (1.0, -1.0)]
            np.testing.assert_allclose(carried[:, j], (ends[0] - ends[1]) / 2e-6, atol=1e-7)
        both = np.vstack([state[8:], state[8:]])
        outputs, finite = loop.runs(1, np.vstack([x, x]), both, np.full((2, 1, 1), 0.3))
        np.testing.assert_allclose(outputs[0, 0], loop.step(state, e)[8:], rtol=1e-12)
        assert finite.tolist() == [1, 1]


def test_what_stands_beside_rows_comes_from_the_rows_before_them(fitted):
    rows = fitted.scaler_.forward(HENON[:5])
    told = beside_with_physics(fitted.closed_loop_, rows, np.zeros((5, 0)))
    np.testing.assert_allclose(told[1:], rows[1:], atol=1e-12)
    np.testing.assert_array_equal(told[0], rows[0])
    later = beside_with_physics(fitted.closed_loop_, rows[1:], np.zeros((4, 0)), rows[0])
    np.testing.assert_array_equal(later, told[1:])


def test_updates_paths_and_partial_fits_go_on_with_physics(fitted):
    model = forecaster(physics=henon).fit(HENON[:150])
    model.update(HENON[150:160])
    np.testing.assert_allclose(model.forecast(3), HENON[160:163], atol=1e-6)
    np.testing.assert_allclose(model.sample_paths(3, 4).mean(axis=0), HENON[160:163], atol=1e-5)
    model.partial_fit(HENON[160:300])
    np.testing.assert_allclose(model.forecast(3), HENON[300:303], atol=1e-6)
    surprises = list(model.watch(HENON[300:330], learned=10))
    np.testing.assert_allclose([one.forecast for one in surprises], HENON[300:330], atol=1e-6)


def test_the_exponent_of_a_model_with_physics_is_that_of_the_map(fitted):
    found = sn.analysis.max_lyapunov(fitted, 3000)
    assert abs(float(found.exponent) - 0.419) < 0.03


def test_a_saved_model_says_that_it_needs_its_physics(fitted, tmp_path):
    sn.save(fitted, tmp_path / "m.spheresn")
    with pytest.raises(ValueError, match=r"needs its physics.*load\(path, physics=f\)"):
        sn.load(tmp_path / "m.spheresn")
    loaded = sn.load(tmp_path / "m.spheresn", physics=henon)
    assert loaded.forecast(20).tobytes() == fitted.forecast(20).tobytes()
    assert loaded.physics_share_ == fitted.physics_share_


def raises(row, _):
    raise ZeroDivisionError("no such row")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (3.0, "physics must be a function"),
        (lambda row, _: row[:1], "physics must return rows of shape"),
        (lambda row, _: np.nan * row, "physics must return finite numbers"),
        (raises, r"physics must return the next row .* ZeroDivisionError \(no such row\)"),
    ],
    ids=["number", "shape", "nan", "raises"],
)
def test_what_is_no_model_gets_a_sentence_and_the_old_one_is_kept(wrong, sentence):
    model = forecaster(10).fit(HENON[:80])
    before = model.forecast(5).tobytes()
    model.set_params(physics=wrong)
    with pytest.raises(ValueError, match=sentence):
        model.fit(HENON[:80])
    assert model.forecast(5).tobytes() == before


def test_a_model_with_physics_is_not_exported_or_filtered(fitted, tmp_path):
    with pytest.raises(ValueError, match="must stand alone to be exported"):
        sn.export(fitted, tmp_path / "m.c")
    with pytest.raises(ValueError, match="has no filter"):
        fitted.smooth(HENON[:50])
