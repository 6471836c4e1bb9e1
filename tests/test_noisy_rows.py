"""A forecaster of noisy rows and of rows with gaps: noise, filter, intervals, what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import spheresn as sn

ROWS, UNITS, NOISE = 1500, 60, 0.05
CLEAN = sn.datasets.lorenz(ROWS + 300, dt=0.02)
DEVIATIONS = CLEAN[:ROWS].std(axis=0)
SEEN = CLEAN + NOISE * DEVIATIONS * np.random.default_rng(0).standard_normal(CLEAN.shape)


def forecaster(**options):
    return sn.ESNForecaster(UNITS, random_state=0, verbose=False, **options)


@pytest.fixture(scope="module")
def noisy():
    return forecaster().fit(SEEN[:ROWS])


@pytest.fixture(scope="module")
def clean():
    return forecaster().fit(CLEAN[:ROWS])


def holes(rows, share, seed=1):
    """Rows of which a share of the cells is missing."""
    gone = np.random.default_rng(seed).random(rows.shape) < share
    return np.where(gone, np.nan, rows), gone


def rms(errors):
    return float(np.sqrt(np.mean(np.square(errors))))


def test_the_noise_is_found_in_the_units_of_each_column(noisy):
    np.testing.assert_allclose(noisy.observation_noise_ / DEVIATIONS, NOISE, rtol=0.15)
    again = forecaster().fit(1e3 * SEEN[:ROWS] - 7.0)
    np.testing.assert_allclose(again.observation_noise_, 1e3 * noisy.observation_noise_, rtol=1e-3)


def test_smoothed_rows_are_nearer_to_the_truth_than_filtered_ones_and_these_than_the_rows(noisy):
    part = slice(300, ROWS)
    smooth = rms((noisy.smoothed_ - CLEAN[:ROWS])[part] / DEVIATIONS)
    filtered = rms((noisy.filter(SEEN[:ROWS]) - CLEAN[:ROWS])[part] / DEVIATIONS)
    assert smooth < filtered < 0.7 * NOISE
    rows, deviations = noisy.smooth(SEEN[:ROWS], return_std=True)
    assert rms((rows - CLEAN[:ROWS])[part] / DEVIATIONS) < filtered
    errors = ((rows - CLEAN[:ROWS]) / deviations)[part]
    assert 0.5 < rms(errors) < 2.0  # the deviations are those of the errors


def test_a_forecast_begins_at_the_filtered_state_also_after_an_update(noisy):
    model = forecaster().fit(SEEN[: ROWS - 1])
    begun = model.state_.copy()
    model.update(SEEN[ROWS - 1 : ROWS])
    assert not np.array_equal(model.state_, begun)
    far = rms(model.last_ - model.scaler_.forward(CLEAN[ROWS - 1]))
    assert far < rms(model.scaler_.forward(SEEN[ROWS - 1]) - model.scaler_.forward(CLEAN[ROWS - 1]))
    rows = noisy.filter(SEEN[:ROWS])
    np.testing.assert_allclose(noisy.scaler_.backward(noisy.last_), rows[-1], rtol=1e-9)


def test_clean_rows_are_trusted_to_the_last_bit(clean):
    trusting = forecaster(observation_noise=0).fit(CLEAN[:ROWS])
    assert not clean.observation_noise_.any()
    assert clean.forecast(200).tobytes() == trusting.forecast(200).tobytes()
    np.testing.assert_allclose(clean.smoothed_, CLEAN[:ROWS], rtol=1e-12)


def test_noise_that_is_given_is_taken():
    given = forecaster(observation_noise=2.0 * NOISE * DEVIATIONS).fit(SEEN[:ROWS])
    np.testing.assert_allclose(given.observation_noise_, 2.0 * NOISE * DEVIATIONS, rtol=1e-9)
    one = forecaster(observation_noise=0.5).fit(SEEN[:ROWS])
    np.testing.assert_allclose(one.observation_noise_, 0.5, rtol=1e-9)


def test_missing_cells_are_filled_better_than_by_lines():
    rows, gone = holes(CLEAN[:ROWS], 0.1)
    rows[700:715] = np.nan
    model = forecaster().fit(rows)
    assert np.isfinite(model.smoothed_).all()
    truth = CLEAN[700:715]
    ends = CLEAN[[699, 715]]
    lines = np.linspace(ends[0], ends[1], 17)[1:-1]
    assert rms((model.smoothed_[700:715] - truth) / DEVIATIONS) < 0.3 * rms(
        (lines - truth) / DEVIATIONS
    )
    later = model.smooth(rows)
    np.testing.assert_array_equal(np.isfinite(later), True)
    single = gone.copy()
    single[:400] = False
    single[690:730] = False
    assert rms(((later - CLEAN[:ROWS]) / DEVIATIONS)[single]) < 0.02


def test_gaps_at_both_ends_and_masked_or_absent_cells_are_missing_too():
    rows = SEEN[:600].copy()
    rows[:5], rows[-7:, 1] = np.nan, np.nan
    model = forecaster(memory=1.0, bend=1.0).fit(rows)
    assert np.isfinite(model.forecast(50)).all()
    gone = np.isnan(rows)
    masked = np.ma.array(np.where(gone, 1e6, rows), mask=gone)
    other = forecaster(memory=1.0, bend=1.0).fit(masked)
    assert other.forecast(50).tobytes() == model.forecast(50).tobytes()
    index = pd.date_range("2020-01-01", periods=600, freq="h")
    frame = pd.DataFrame(rows, index, ["x", "y", "z"])
    frame.iloc[100:103] = np.nan
    frame = frame.iloc[:400]
    whole = forecaster(memory=1.0, bend=1.0).fit(frame)
    absent = forecaster(memory=1.0, bend=1.0).fit(frame.drop(index[100:103]))
    pd.testing.assert_frame_equal(whole.forecast(20), absent.forecast(20))
    assert list(whole.smooth(frame).columns) == ["x", "y", "z"]


@pytest.mark.parametrize(("said", "best"), [([1.0, 0.5], 0), ([1.0, 2.0, 1.5], 1), ([1, 2, 3], 2)])
def test_of_the_rounds_that_fill_gaps_the_likeliest_is_kept(monkeypatch, said, best):
    follow, rounds = sn.ESNForecaster._follow, []

    def followed(self, *given):
        likelihood = float(said[len(rounds)])
        rounds.append(replace(follow(self, *given), log_likelihood=likelihood, trusted=False))
        return rounds[-1]

    monkeypatch.setattr(sn.ESNForecaster, "_follow", followed)
    monkeypatch.setattr(sn.ESNForecaster, "_adopt", lambda self, *kept: adopted.extend(kept))
    adopted: list[object] = []
    rows = np.sin(0.4 * np.arange(200.0)) + 0.1 * np.cos(np.arange(200.0))
    rows[50:60] = np.nan
    sn.ESNForecaster(
        15, memory=3.0, bend=0.5, penalty=1e-3, noise=0.0, observation_noise=0.1, random_state=0,
        verbose=False, long_runs=False,
    ).fit(rows)  # fmt: skip
    assert len(rounds) == len(said)
    assert adopted[1] is rounds[best] and adopted[0] is rounds[best].choice


def test_updates_with_gaps_go_on_and_those_of_a_trusting_model_too(noisy, clean):
    for fitted, source in ((noisy, SEEN), (clean, CLEAN)):
        rows = source[ROWS : ROWS + 40].copy()
        rows[10:14], rows[-1, 0] = np.nan, np.nan
        model = sn.ESNForecaster(**fitted.get_params())
        model.__dict__.update(fitted.__dict__)
        model.update(rows)
        found = model.forecast(5)
        wanted = CLEAN[ROWS + 40 : ROWS + 45]
        assert rms((found - wanted) / DEVIATIONS) < 0.1


def test_the_forecast_of_each_next_row_takes_what_is_missing_as_filtered(noisy):
    rows = SEEN[:ROWS].copy()
    rows[800, 1] = np.nan
    filled = rows.copy()
    filled[800, 1] = noisy.filter(rows)[800, 1]
    np.testing.assert_allclose(noisy.predict(rows), noisy.predict(filled), rtol=1e-12)


def test_intervals_cover_what_comes_and_grow(noisy):
    forecast = noisy.forecast(250, level=0.9)
    width = np.asarray(forecast.upper) - np.asarray(forecast.lower)
    assert (width > 0.0).all()
    assert width[-50:].mean() > 5.0 * width[:5].mean()
    # In the end nothing is known but the climate
    spread = np.quantile(CLEAN[:ROWS], 0.95, axis=0) - np.quantile(CLEAN[:ROWS], 0.05, axis=0)
    np.testing.assert_allclose(width[-50:].mean(axis=0) / spread, 1.0, atol=0.45)
    model, inside = forecaster().fit(SEEN[:ROWS]), []
    for start in range(ROWS, ROWS + 240, 12):
        coming = model.forecast(10, level=0.9)
        truth = CLEAN[start : start + 10]
        inside.append((truth >= coming.lower) & (truth <= coming.upper))
        model.update(SEEN[start : start + 12])
    assert 0.7 < np.mean(inside) <= 1.0
    frame = forecast.to_frame()
    assert len(frame) == 250
    assert np.isfinite(frame.to_numpy()).all()


def test_paths_are_the_same_at_each_call_and_their_mean_is_that_of_the_forecast(noisy):
    paths = noisy.sample_paths(30, 200)
    assert paths.shape == (200, 30, 3)
    np.testing.assert_array_equal(paths[:7], noisy.sample_paths(30, 200)[:7])
    np.testing.assert_allclose(noisy.forecast(30, level=0.9).mean, paths.mean(axis=0))


@pytest.mark.parametrize("gappy", [False, True])
def test_a_saved_model_goes_on_as_the_one_that_was_saved(noisy, clean, gappy, tmp_path):
    for fitted, source in ((noisy, SEEN), (clean, CLEAN)):
        sn.save(fitted, tmp_path / "m.spheresn")
        loaded = sn.load(tmp_path / "m.spheresn")
        rows = source[ROWS : ROWS + 20].copy()
        if gappy:
            rows[4:6] = np.nan
        models = []
        for one in (fitted, loaded):
            model = sn.ESNForecaster(**fitted.get_params())
            model.__dict__.update(one.__dict__)
            models.append(model.update(rows))
        for answer in (lambda m: m.forecast(20), lambda m: m.sample_paths(5, 3)):
            assert answer(models[0]).tobytes() == answer(models[1]).tobytes()


def test_what_is_too_little_or_contradicts_is_refused():
    rows, _ = holes(SEEN[:300], 0.95)
    with pytest.raises(ValueError, match="must be measured in at least 8%"):
        forecaster().fit(rows)
    rows, _ = holes(SEEN[:300], 0.1)
    with pytest.raises(ValueError, match="NaN"):
        forecaster(observation_noise=0).fit(rows)
    with pytest.raises(ValueError, match="observation_noise"):
        forecaster(observation_noise=-1.0).fit(SEEN[:300])
    with pytest.raises(ValueError, match="observation_noise"):
        forecaster(observation_noise=[1.0, 2.0]).fit(SEEN[:300])
    with pytest.raises(ValueError, match="observation_noise"):
        forecaster(observation_noise="some").fit(SEEN[:300])
    with pytest.raises(ValueError, match="to be filtered"):
        forecaster(memory=1.0, bend=1.0).fit(SEEN[:300]).smooth(SEEN[:4])


def test_wide_tables_and_few_rows_are_trusted():
    wide = np.tile(SEEN[:200], (1, 5))[:, :13]
    model = forecaster(memory=1.0, bend=1.0).fit(wide)
    assert not model.observation_noise_.any()
    with pytest.raises(ValueError, match="without a filter"):
        model.update(np.full((1, 13), np.nan))
    few = forecaster(memory=1.0, bend=1.0).fit(SEEN[:60])
    assert not few.observation_noise_.any()
    gaps = wide.copy()
    gaps[50:52] = np.nan
    assert np.isfinite(forecaster(memory=1.0, bend=1.0).fit(gaps).forecast(10)).all()


def test_noise_in_one_column_only_is_found_there():
    rows = CLEAN[:ROWS].copy()
    rows[:, 1] = SEEN[:ROWS, 1]
    found = forecaster().fit(rows).observation_noise_ / DEVIATIONS
    np.testing.assert_allclose(found[1], NOISE, rtol=0.2)
    assert found[[0, 2]].max() < 0.3 * NOISE


def test_outliers_hardly_move_what_is_found():
    rows = SEEN[:ROWS].copy()
    wild = np.random.default_rng(5).choice(ROWS, ROWS // 100, replace=False)
    rows[wild] += (
        5.0 * DEVIATIONS * np.sign(np.random.default_rng(6).standard_normal((len(wild), 3)))
    )
    model = forecaster().fit(rows)
    calm = np.setdiff1d(np.arange(300, ROWS), wild)
    assert rms(((model.smoothed_ - CLEAN[:ROWS]) / DEVIATIONS)[calm]) < NOISE


def test_a_penalty_of_the_users_own_is_kept():
    model = forecaster(memory=1.0, bend=1.0, penalty=1e-4, noise=1e-3).fit(SEEN[:ROWS])
    assert model.penalty_ == 1e-4
    assert model.noise_ == 1e-3
    assert np.isfinite(model.forecast(20)).all()
