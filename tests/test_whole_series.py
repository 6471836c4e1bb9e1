"""Whole series as they come: holes, padding, times of their own, frames; weights and probabilities;
numbers that belong to whole series.
"""

import numpy as np
import pytest

import spheresn as sn
from spheresn.estimators import ESNSeriesRegressor
from spheresn.estimators.labelled import fit_sharpness, probabilities
from spheresn.io import ModelFileError
from spheresn.series.sampling import Sampled, usual_step
from test_classifier import waves
from test_persistence import rewritten

SMALL = {"units": 60, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return waves(np.random.default_rng(1), count=24)


@pytest.fixture(scope="module")
def fitted(data):
    return sn.ESNClassifier(**SMALL).fit(data[0][:12], data[1][:12])


def outputs(model, series):
    return model.decision_function(series)


# Holes


def test_series_with_holes_keep_their_class(data, rng):
    """A tenth of all cells, at random, in training and after it."""
    holed = [np.where(rng.random(rows.shape) < 0.1, np.nan, rows) for rows in data[0]]
    model = sn.ESNClassifier(**SMALL).fit(holed[:12], data[1][:12])
    assert model.score(holed[12:], data[1][12:]) == 1.0
    assert np.isfinite(outputs(model, holed)).all()


def test_a_hole_in_a_straight_line_changes_nothing():
    """A curve without overshoot through points of a line is that line."""
    lines = [(slope * np.arange(32.0))[:, None] for slope in (1.0, 2.0, 4.0, 8.0)]
    model = sn.ESNClassifier(**SMALL).fit(lines, [0, 1, 0, 1])
    holed = [rows.copy() for rows in lines]
    for rows in holed:
        rows[10:13] = np.nan
    assert np.allclose(outputs(model, holed), outputs(model, lines), atol=1e-6)


def test_padding_is_no_part_of_a_series(data, fitted):
    """Short series in one array, NaN behind and before them: the same to the last bit."""
    longest = max(map(len, data[0]))
    behind, before = np.full((2, 24, 2, longest + 5), np.nan)
    for i, rows in enumerate(data[0]):
        behind[i, :, : len(rows)] = rows.T
        before[i, :, -len(rows) :] = rows.T
    expected = outputs(fitted, data[0])
    assert np.array_equal(outputs(fitted, behind), expected)
    assert np.array_equal(outputs(fitted, before), expected)
    again = sn.ESNClassifier(**SMALL).fit(behind[:12], data[1][:12])
    assert np.array_equal(outputs(again, data[0]), expected)


def test_a_column_without_numbers_is_at_its_mean_in_fit(data, fitted):
    mean = np.vstack(data[0][:12]).mean(axis=0)
    lost = [np.column_stack([rows[:, 0], np.full(len(rows), np.nan)]) for rows in data[0]]
    still = [np.column_stack([rows[:, 0], np.full(len(rows), mean[1])]) for rows in data[0]]
    assert np.allclose(outputs(fitted, lost), outputs(fitted, still), atol=1e-6)
    some = [*data[0][:6], *lost[6:12]]
    model = sn.ESNClassifier(**SMALL).fit(some, data[1][:12])
    known = np.vstack(data[0][:6])[:, 1].mean()
    assert np.isclose(model.ensemble_.mean[1], known)


def test_what_is_masked_is_missing(data, fitted):
    holed = [np.where(rows > 0.9, np.nan, rows) for rows in data[0]]
    masked = [np.ma.masked_where(rows > 0.9, rows) for rows in data[0]]
    assert np.array_equal(outputs(fitted, masked), outputs(fitted, holed))
    turned = sn.ESNClassifier(time_axis=1, **SMALL).fit([one.T for one in holed], data[1])
    cube = sn.ESNClassifier(time_axis=1, **SMALL).fit([one.T for one in masked], data[1])
    assert np.array_equal(
        outputs(turned, [one.T for one in holed]), outputs(cube, [one.T for one in masked])
    )


def test_batches_fill_from_the_first(data):
    lost = [np.column_stack([rows[:, 0], np.full(len(rows), np.nan)]) for rows in data[0]]
    model = sn.ESNClassifier(**SMALL).partial_fit(data[0][:12], data[1][:12])
    model.partial_fit(lost[12:], data[1][12:])
    assert np.isfinite(model.predict_proba(lost)).all()


# Times


def framed(rows, times):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(rows, index=times, columns=["a", "b"])


def test_even_dates_change_nothing(data, fitted):
    pandas = pytest.importorskip("pandas")
    frames = [framed(rows, pandas.date_range("2024", periods=len(rows))) for rows in data[0]]
    model = sn.ESNClassifier(**SMALL).fit(frames[:12], data[1][:12])
    assert model.sampling_step_ == 86400.0 and fitted.sampling_step_ == 0.0
    assert np.array_equal(outputs(model, frames), outputs(fitted, data[0]))


def test_series_at_other_rates_are_brought_to_one():
    """Straight lines, every third of which is sampled four times as often."""
    pandas = pytest.importorskip("pandas")
    slopes = np.tile([1.0, 3.0], 6)
    plain = [np.outer(np.arange(40.0), [slope, -slope]) for slope in slopes]
    often = [np.outer(np.arange(0, 39.1, 0.25), [slope, -slope]) for slope in slopes]
    frames = [
        framed(often[i], pandas.date_range("2024", periods=157, freq="15min"))
        if i % 3 == 0
        else framed(plain[i], pandas.date_range("2023-05-06", periods=40, freq="h"))
        for i in range(12)
    ]
    labels = slopes > 2.0
    model = sn.ESNClassifier(**SMALL).fit(frames, labels)
    expected = sn.ESNClassifier(**SMALL).fit(plain, labels)
    assert model.sampling_step_ == 3600.0
    assert np.allclose(outputs(model, frames), outputs(expected, plain), atol=1e-6)


def test_missing_dates_are_guessed_and_uneven_times_made_even():
    line = np.outer(np.arange(30.0), [1.0, 2.0])
    kept = np.delete(np.arange(30), [7, 8, 20])
    uneven = np.sort(np.random.default_rng(0).uniform(0.0, 29.0, 40))
    uneven[[0, -1]] = 0.0, 29.0
    pandas = pytest.importorskip("pandas")
    from spheresn.series.observed import times_of

    dates = pandas.date_range("2024", periods=30)[kept]
    with_gaps = Sampled(line[kept], times_of(dates, "X[0]"))
    guessed = with_gaps.at(86400.0)
    assert np.isnan(guessed[[7, 8, 20]]).all() and np.array_equal(guessed[kept], line[kept])
    at_random = Sampled(np.outer(uneven, [1.0, 2.0]), times_of(pandas.Index(uneven), "X[1]"))
    assert np.allclose(at_random.at(1.0), line)
    assert usual_step([with_gaps, at_random, Sampled(line)]) == pytest.approx(
        min(86400.0, at_random.step)
    )
    assert Sampled(line).step == 0.0 and usual_step([Sampled(line)]) == 0.0
    assert Sampled(line[:1], times_of(dates[:1], "X[2]")).at(5.0).tolist() == [[0.0, 0.0]]


def test_a_column_of_uneven_times_without_numbers_stays_missing():
    pandas = pytest.importorskip("pandas")
    from spheresn.series.observed import times_of

    rows = np.column_stack([[0.0, 1.0, 4.0], np.full(3, np.nan), [np.nan, 1.0, 4.0]])
    found = Sampled(rows, times_of(pandas.Index([0.0, 1.0, 4.5]), "X")).at(2.0)
    assert np.isnan(found[:, 1]).all() and np.isnan(found[0, 2])
    assert np.allclose(found[1:, 2], found[1:, 0]) and len(found) == 3


# Frames


def test_lists_of_frames_of_both_libraries_are_the_arrays(data, fitted):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for kind in (pandas.DataFrame, polars.DataFrame):
        frames = [kind({"a": rows[:, 0], "b": rows[:, 1]}) for rows in data[0]]
        model = sn.ESNClassifier(**SMALL).fit(frames[:12], data[1][:12])
        assert np.array_equal(outputs(model, frames), outputs(fitted, data[0]))
        assert list(model.feature_names_in_) == ["a", "b"]
        with pytest.raises(sn.BadInput, match=r"X\[0\] must have the columns \['a', 'b'\], got"):
            model.predict([frames[0][["b", "a"]]])


def test_a_case_index_may_have_dates_and_holes(data, fitted):
    pandas = pytest.importorskip("pandas")
    frames = {
        i: framed(rows, pandas.date_range("2024", periods=len(rows)))
        for i, rows in enumerate(data[0])
    }
    table = pandas.concat(frames)
    assert np.array_equal(outputs(fitted, table), outputs(fitted, data[0]))


REFUSED = {
    "nothing": (np.full((9, 2), np.nan), r"X\[1\] must have a number somewhere, got only missing"),
    "infinity": (np.full((9, 2), np.inf), r"X\[1\] must be finite, got infinity in row 0"),
    "columns": (np.zeros((9, 3)), r"X\[1\] must have 2 column\(s\), got 3; all series"),
    "text": (np.full((9, 2), "a"), r"X\[1\] must be an array of real numbers"),
    "no rows": (np.zeros((0, 2)), r"X\[1\] must have at least 1 rows to be a series, got 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_series_is_refused(data, fitted, name):
    series, sentence = REFUSED[name]
    with pytest.raises(sn.BadInput, match=sentence):
        fitted.predict([data[0][0], series])
    with pytest.raises(sn.BadInput, match=sentence):
        sn.ESNClassifier(**SMALL).fit([data[0][0], series], [0, 1])


def test_a_column_that_no_series_has_is_refused():
    series = [np.column_stack([np.arange(9.0), np.full(9, np.nan)]) for _ in range(2)]
    with pytest.raises(sn.BadInput, match="column 1 of X must have a number in some series"):
        sn.ESNClassifier(**SMALL).fit(series, [0, 1])


def test_steps_so_small_that_no_memory_holds_their_rows_are_refused():
    pandas = pytest.importorskip("pandas")
    wave = np.zeros((9, 2))
    fine = framed(wave, pandas.Index(np.arange(9) * 1e-15 + 0.0))
    coarse = framed(wave, pandas.Index(np.arange(9) * 1.5))
    with pytest.raises(sn.BadInput, match="rows must be a whole number of at most"):
        sn.ESNClassifier(**SMALL).fit([fine, fine, coarse], [0, 1, 0])


# Weights and probabilities


def test_a_weight_counts_like_so_many_cases(data, fitted):
    labels = np.where(np.arange(24) % 5 == 0, "fast", "slow")  # some right, some wrong
    weights = np.arange(24) % 4
    repeated = np.repeat(np.arange(24), weights)
    expected = fitted.score([data[0][i] for i in repeated], labels[repeated])
    assert 0.0 < expected < 1.0
    assert np.isclose(fitted.score(data[0], labels, sample_weight=weights), expected)
    assert np.isclose(fitted.score(data[0], labels, sample_weight=5e307 * weights), expected)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.ones(3), "sample_weight must have as many rows as X, 24, got 3"),
        (-np.ones(24), "sample_weight must be at least 0, and not 0 for all series, got -1"),
        (np.zeros(24), "sample_weight must be at least 0, and not 0 for all series, got 0"),
        (np.full(24, np.nan), "sample_weight must be finite"),
    ],
)
def test_weights_that_weigh_nothing_are_refused(data, fitted, weights, sentence):
    with pytest.raises(sn.BadInput, match=sentence):
        fitted.score(*data, sample_weight=weights)


def test_as_many_labels_as_series(data, fitted):
    with pytest.raises(sn.BadInput, match="y must have as many rows as X, 24, got 5"):
        fitted.score(data[0], data[1][:5])


def test_sharpening_never_costs_brier_score_on_the_rows_left_out(rng):
    """Outputs that say much, little, nothing and the contrary."""
    for strength in (5.0, 1.0, 0.1, 0.0, -1.0):
        truth = np.eye(3)[rng.integers(0, 3, 200)]
        scores = strength * truth + rng.standard_normal((200, 3))
        sharpness = fit_sharpness(scores, truth)
        plain, sharpened = (
            np.square(probabilities(scores, one) - truth).sum() for one in (1.0, sharpness)
        )
        assert sharpened <= plain


def test_probabilities_come_as_often_as_they_say(rng):
    """Two classes of noise whose means overlap: exchangeable cases, many of them uncertain."""
    labels = rng.integers(0, 2, 500)
    series = [rng.standard_normal((30, 1)) + 0.35 * label for label in labels]
    model = sn.ESNClassifier(units=40, random_state=0).fit(series[:250], labels[:250])
    found = sn.metrics.reliability(
        model.predict_proba(series[250:]), labels[250:], model.classes_, bins=5
    )
    inside = (found.lower <= found.predicted) & (found.predicted <= found.upper)
    assert inside.sum() >= 4 and found.predicted[0] < 0.75


def test_reliability_of_probabilities_that_are_true(rng):
    """Labels drawn with the probabilities themselves: E[Brier] = E[Σ p(1 - p)]."""
    shares = rng.dirichlet(np.ones(3), 20_000)
    labels = (rng.random((20_000, 1)) > shares.cumsum(axis=1)).sum(axis=1)
    found = sn.metrics.reliability(shares, labels, [0, 1, 2])
    assert abs(found.brier - (shares * (1.0 - shares)).sum(axis=1).mean()) < 0.01
    assert found.gap < 0.02 and found.counts.tolist() == [2000] * 10
    assert ((found.lower < found.predicted) & (found.predicted < found.upper)).sum() >= 8


def test_reliability_of_certainty():
    sure = np.eye(2)[[0, 1, 1, 0]]
    right = sn.metrics.reliability(sure, ["a", "b", "b", "a"], ["a", "b"], bins=1)
    wrong = sn.metrics.reliability(sure, ["b", "a", "a", "b"], ["a", "b"], bins=1)
    assert (right.brier, right.gap, wrong.brier, wrong.gap) == (0.0, 0.0, 2.0, 1.0)
    # Wilson's interval of n of n is [n/(n + z²), 1]
    assert np.isclose(right.upper[0], 1.0) and np.isclose(right.lower[0], 4 / (4 + 1.959964**2))
    assert len(sn.metrics.reliability(sure[:1], ["a"], ["a", "b"]).counts) == 1
    with pytest.raises(sn.BadInput, match="classes must name the 2 columns of probabilities"):
        sn.metrics.reliability(sure, ["a", "b", "c", "a"], ["a", "b"])


# Numbers of whole series


@pytest.fixture(scope="module")
def speeds():
    rng = np.random.default_rng(0)
    found = rng.uniform(0.2, 0.6, 60)
    steps = [np.arange(rng.integers(60, 90)) for _ in found]
    series = [
        (np.sin(speed * one + rng.uniform(0, 6)) + 0.1 * rng.standard_normal(len(one)))[:, None]
        for speed, one in zip(found, steps, strict=True)
    ]
    return series, found


def test_the_speed_of_a_wave_is_learned_from_whole_waves(speeds, tmp_path):
    series, found = speeds
    model = ESNSeriesRegressor(units=200, random_state=0).fit(series[:40], found[:40])
    assert model.score(series[40:], found[40:]) > 0.9
    assert model.predict(series[40:]).shape == (20,)
    sn.save(model, tmp_path / "model")
    again = sn.load(tmp_path / "model")
    assert np.array_equal(again.predict(series), model.predict(series))
    assert again.loo_error_ == model.loo_error_ and again.penalty_ == model.penalty_
    rewritten(tmp_path / "model", lambda o, i: i["values"].update(typical_length_=-1.0))
    with pytest.raises(ModelFileError, match="typical_length_ must be finite and at least 0"):
        sn.load(tmp_path / "model")


def test_units_of_the_numbers_do_not_matter_and_columns_stand_for_themselves(speeds):
    """Powers of two change no digit; with a given penalty each column is its own regression."""
    series, found = speeds[0][:20], speeds[1][:20]
    both = np.column_stack([found, found**2])
    model = ESNSeriesRegressor(penalty=1.0, **SMALL)
    one = model.fit(series, found).predict(series)
    assert np.array_equal(model.fit(series, 2.0**40 * found).predict(series), 2.0**40 * one)
    assert np.allclose(model.fit(series, both).predict(series)[:, 0], one)
    assert np.isfinite(model.fit(series, 1e300 * found).predict(series)).all()
    # The ridge regression is linear in the targets and knows their mean
    assert np.allclose(model.fit(series, 3.0 * found - 7.0).predict(series), 3.0 * one - 7.0)


def test_numbers_that_are_all_the_same_are_forecast(speeds):
    model = ESNSeriesRegressor(**SMALL).fit(speeds[0][:4], np.full(4, 3.0))
    assert np.allclose(model.predict(speeds[0]), 3.0)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (np.ones(3), "y must have as many rows as X, 4, got 3"),
        ([1.0, np.nan, 2.0, 3.0], "y must be finite, got nan"),
        (["a", "b", "c", "d"], "y must be an array of real numbers"),
    ],
)
def test_what_is_no_number_of_a_series_is_refused(speeds, y, sentence):
    with pytest.raises(sn.BadInput, match=sentence):
        ESNSeriesRegressor(**SMALL).fit(speeds[0][:4], y)


def test_a_series_alone_teaches_nothing(speeds):
    with pytest.raises(sn.BadInput, match="y must have at least 2 rows to learn from, got 1"):
        ESNSeriesRegressor(**SMALL).fit(speeds[0][:1], [1.0])
