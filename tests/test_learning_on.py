"""Forecasters that go on learning: weighted sums in closed form, systems that change, refusals."""

import numpy as np
import pytest

import spheresn as sn
from spheresn.estimators.features import FeatureMap
from spheresn.estimators.learning import Stretch, TrainingData, learn, learn_on
from spheresn.readout import Triangle, solve
from spheresn.series.scaling import Scaler


def forecaster(units=40, **options):
    return sn.ESNForecaster(units, random_state=0, verbose=False, **options)


def scatter(moments):
    return moments.factor.T @ moments.factor


def switched(slopes, rows, seed=0):
    """s' = c s + e with a slope c that changes from stretch to stretch; rows and inputs of each."""
    rng, found = np.random.default_rng(seed), []
    for slope in slopes:
        inputs, series = rng.standard_normal((rows, 1)), np.zeros((rows, 1))
        for k in range(1, rows):
            series[k] = slope * series[k - 1] + inputs[k]
        found.append((series, inputs))
    return found


@pytest.mark.parametrize("weights", [np.ones(9), 0.7 ** np.arange(9), np.arange(1.0, 10.0)])
def test_a_weighted_triangle_is_that_of_repeated_rows(rng, weights):
    """Σ w (z - z̄)(z - z̄)ᵀ about z̄ = Σ w z / Σ w."""
    x, y = rng.standard_normal((9, 3)), rng.standard_normal((9, 2))
    found, z = Triangle.weighted(x, y, weights), np.hstack([x, y])
    mean = weights @ z / weights.sum()
    wanted = (weights[:, None] * (z - mean)).T @ (z - mean)
    np.testing.assert_allclose(scatter(found), wanted, atol=1e-12)
    np.testing.assert_allclose(np.r_[found.state_mean, found.target_mean], mean, atol=1e-12)
    faded = found.faded(0.25)
    np.testing.assert_allclose(scatter(faded), 0.25 * wanted, atol=1e-12)
    assert faded.count == 0.25 * weights.sum()


@pytest.mark.parametrize("forgetting", [1.0, 0.97])
def test_learning_on_is_least_squares_with_weights_that_fade(rng, forgetting):
    data = [TrainingData.of(rng.standard_normal((60, 2)), np.zeros((60, 0)), rng) for _ in range(2)]
    reservoir = sn.random_reservoir(6, 2, topology="ring", input_scaling=0.5, rng=0)
    frame = FeatureMap(Scaler.identity(2), reservoir, 5)
    (before,) = learn(frame, data[:1], [5], [[Stretch(0, 0, 59)]], noisy=False)
    after = learn_on(before, frame, data[1], 5, forgetting, lambda piece: piece)
    weights = forgetting ** np.r_[np.full(54, 54.0), np.arange(53.0, -1.0, -1.0)]
    x = np.vstack([frame.states(one.inputs)[5:] for one in data])
    y = np.vstack([one.targets[5:] for one in data])
    design = np.sqrt(weights)[:, None] * np.hstack([np.ones((108, 1)), x])
    wanted = np.linalg.lstsq(design, np.sqrt(weights)[:, None] * y, rcond=None)[0]
    found = solve(after.rows, 0.0)
    np.testing.assert_allclose(np.vstack([found.intercept, found.matrix]), wanted, atol=1e-9)


def test_a_map_that_changes_is_followed_with_forgetting_and_averaged_without():
    (old, beside), (new, others) = switched((0.2, 0.8), 400)
    fixed = {"activation": "linear", "memory": 1.0, "noise": 0.0, "observation_noise": 0}
    errors = {}
    for forgetting in (1.0, 0.9):
        model = forecaster(20, **fixed).fit(old, exogenous=beside)
        model.partial_fit(new, exogenous=others, forgetting=forgetting)
        found = model.predict(new[:-1], others[1:])
        errors[forgetting] = float(np.sqrt(np.square(found - new[1:])[50:].mean()))
    assert errors[0.9] < 1e-6
    assert errors[1.0] > 0.05


@pytest.mark.filterwarnings("ignore::spheresn.estimators.forecaster.OutOfRange")
def test_recordings_that_come_later_make_forecasts_better():
    units = 100  # of 200, one recording alone is nearly enough
    rows = sn.datasets.lorenz(3300, tolerance=1e-12)
    parts = [rows[first : first + 100] for first in range(0, 2000, 100)]
    model, origins = forecaster(units).fit(parts[0]), range(2100, 2300, 20)
    starts = [rows[origin - 100 : origin] for origin in origins]

    def lasts():
        found = zip(model.forecast(1000, start=starts), origins, strict=True)
        return np.median([sn.metrics.valid_time(rows[at : at + 1000], one) for one, at in found])

    few = lasts()
    model.partial_fit(parts[1:])
    # Forecasts begin at the end of the last
    np.testing.assert_allclose(model.scaler_.backward(model.last_), rows[1999], rtol=1e-9)
    assert lasts() > 1.3 * few
    assert np.abs(model.forecast(10) - rows[2000:2010]).max() < 0.1


def test_a_model_of_noisy_rows_goes_on_learning_from_smoothed_ones():
    rows = sn.datasets.lorenz(2500)
    deviations = rows.std(axis=0)
    seen = rows + 0.05 * deviations * np.random.default_rng(0).standard_normal(rows.shape)
    model = forecaster(60).fit(seen[:1200])
    assert model.observation_noise_.all()
    before = model.closed_loop_.weights.matrix.copy()
    model.partial_fit(seen[1200:2400])
    change = np.linalg.norm(model.closed_loop_.weights.matrix - before) / np.linalg.norm(before)
    assert 0.0 < change < 1.0
    found = model.forecast(20)
    errors = (found - rows[2400:2420]) / deviations
    assert np.sqrt(np.mean(np.square(errors))) < 0.2
    gap = seen[2400:2450].copy()
    gap[20:23] = np.nan
    assert np.isfinite(model.partial_fit(gap).forecast(5)).all()


def test_without_a_fit_partial_fit_is_one():
    rows = sn.datasets.henon(200)
    fixed = {"memory": 1.0, "bend": 1.0}
    one, two = forecaster(**fixed).fit(rows), forecaster(**fixed).partial_fit(rows)
    assert one.forecast(10).tobytes() == two.forecast(10).tobytes()


def test_what_cannot_be_learned_is_refused_and_the_model_kept(tmp_path):
    rows = sn.datasets.henon(300)
    model = forecaster(memory=1.0, bend=1.0, observation_noise=0).fit(rows[:200])
    before = model.forecast(10).tobytes()
    for wrong, options, sentence in (
        (rows[:, :1], {}, "column|features"),
        (rows[200:], {"forgetting": 0.0}, "forgetting"),
        (rows[200:], {"forgetting": 1.5}, "forgetting"),
        (np.full((50, 2), np.nan), {}, "NaN"),
        (rows[200:], {"exogenous": np.zeros((100, 1))}, "exogenous"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.partial_fit(wrong, **options)
    assert model.forecast(10).tobytes() == before
    sn.save(model, tmp_path / "m.spheresn")
    with pytest.raises(ValueError, match="loaded from a file; fit it again"):
        sn.load(tmp_path / "m.spheresn").partial_fit(rows)
