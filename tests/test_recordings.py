"""Several recordings: what counts as several, how they are held out, forecasts from elsewhere."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import spheresn as sn
from spheresn.assimilation.tracking import Recordings, Rows, Tracker, one_step_errors
from spheresn.estimators.features import FeatureMap
from spheresn.estimators.forecaster import LeftOut, ShortStart
from spheresn.estimators.learning import Stretch, TrainingData, learn, whole
from spheresn.estimators.windows import Windows, conditions_of
from spheresn.series.recordings import recordings_in, shares
from spheresn.series.scaling import Scaler

LORENZ = sn.datasets.lorenz(2400, tolerance=1e-12)
PARTS = [LORENZ[first : first + 300] for first in range(0, 1500, 300)]
DEVIATIONS = LORENZ.std(axis=0)


def forecaster(units=60, **options):
    return sn.ESNForecaster(units, random_state=0, verbose=False, **options)


@pytest.fixture(scope="module")
def fitted():
    return forecaster().fit(PARTS)


def data_of(lengths, beside=None, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    values = [None] * len(lengths) if beside is None else beside
    return [
        TrainingData.of(
            rng.standard_normal((length, columns)),
            np.zeros((length, 0)) if value is None else np.full((length, 1), value),
            rng,
        )
        for length, value in zip(lengths, values, strict=True)
    ]


def network(columns=2, units=20):
    reservoir = sn.random_reservoir(units, columns, topology="ring", input_scaling=0.3, rng=0)
    return FeatureMap(Scaler.identity(columns), reservoir, 5)


def test_numbers_and_rows_are_one_series_and_tables_are_recordings(rng):
    rows = rng.standard_normal((40, 3))
    for one in (rows, rows.tolist(), [1.0, 2.0, 3.0], list(rows), [], pd.DataFrame(rows)):
        assert recordings_in(one) is None
    for several in (
        [rows, rows[:9]],
        (rows,),
        [pd.DataFrame(rows), pd.DataFrame(rows[:20])],
        [pl.DataFrame(rows)],
        [rows[:9, 0], rows[:20, 0]],
        [pd.Series(rows[:9, 0]), pd.Series(rows[:, 0])],
    ):
        assert len(recordings_in(several)) == len(several)


def test_what_may_be_either_is_refused(rng):
    arrays = [rng.standard_normal(50) for _ in range(4)]
    with pytest.raises(ValueError, match="whether its 4 arrays are recordings or the rows"):
        forecaster().fit(arrays)
    with pytest.raises(ValueError, match="a list of both"):
        forecaster().fit([arrays[0], 3.0])


def test_one_recording_is_a_series_to_the_last_bit():
    alone, listed = forecaster().fit(PARTS[0]), forecaster().fit([PARTS[0]])
    assert alone.forecast(50).tobytes() == listed.forecast(50).tobytes()
    assert alone.candidates_ == listed.candidates_
    assert len(listed.smoothed_) == 1
    np.testing.assert_array_equal(listed.smoothed_[0], alone.smoothed_)


def test_recordings_are_learned_without_their_seams(rng):
    """The sums over recordings are those of each, which knows nothing of the others."""
    data, frame = data_of([90, 120, 60]), network()
    (together,) = learn(frame, data, [5, 5, 5], [whole(data)], noisy=False)
    parts = [learn(frame, [one], [5], [whole([one])], noisy=False)[0] for one in data]
    joined = parts[0].joined(parts[1]).joined(parts[2])
    assert together.rows.count == joined.rows.count == 89 + 119 + 59 - 15
    scatter = [one.rows.factor.T @ one.rows.factor for one in (together, joined)]
    np.testing.assert_allclose(*scatter, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(together.rows.state_mean, joined.rows.state_mean, rtol=1e-9)


def test_groups_apart_are_the_whole_together():
    data, frame = data_of([60] * 5), network()
    stages = [[Stretch(i, 0, 59)] for i in range(5)]
    apart = learn(frame, data, [5] * 5, stages, noisy=True, apart=True)
    found = Windows.of(data).without_each(apart)
    (last,) = learn(frame, data, [5] * 5, [whole(data)], noisy=True)
    assert [one.rows.count for one in found] == [4 * 54] * 5 + [5 * 54]
    rows, other = (one.moments(0.1) for one in (found[-1], last))
    np.testing.assert_allclose(
        rows.factor.T @ rows.factor, other.factor.T @ other.factor, rtol=0.2, atol=5.0
    )
    np.testing.assert_allclose(found[-1].rows.trace, last.rows.trace, rtol=1e-12)


def test_of_a_few_recordings_the_last_quarters_are_held_out_and_of_many_whole_ones():
    few = Windows.of(data_of([400, 400]))
    assert not few.crossed
    assert few.horizon == 64
    assert sorted(set(few.which.tolist())) == [0, 1]
    assert few.starts.min() == 300
    assert [one.stop for one in few.stages()[0]] == [299, 299]
    many = Windows.of(data_of([100] * 10))
    assert many.crossed
    assert many.horizon == 74
    assert many.which.tolist() == list(range(10))
    assert sorted(one.recording for stage in many.stages() for one in stage) == list(range(10))
    # One long recording beside short ones is no whole to hold out
    mixed = Windows.of(data_of([2000, 60, 60, 60, 60]))
    assert not mixed.crossed
    assert set(mixed.which.tolist()) == {0}


def test_a_run_is_never_learned_from_where_it_is_judged():
    data, frame = data_of([80] * 8), network()
    windows = Windows.of(data)
    learned = windows.without_each(
        learn(frame, data, [5] * 8, windows.stages(), noisy=False, apart=True)
    )
    for group in windows.judged:
        others = [one for one in range(8) if windows.groups[one] != group]
        (alone,) = learn(
            frame, data, [5] * 8, [[Stretch(one, 0, 79) for one in others]], noisy=False
        )
        assert learned[group].rows.count == alone.rows.count
        np.testing.assert_allclose(learned[group].rows.trace, alone.rows.trace, rtol=1e-12)


def test_recordings_of_one_condition_are_held_out_together():
    data = data_of([100] * 6, beside=[0.1, 0.2, 0.3, 0.1, 0.2, 0.3])
    assert conditions_of(data) == [(0.1,), (0.2,), (0.3,)] * 2
    groups = Windows.of(data).groups.tolist()
    assert groups[:3] == groups[3:]
    assert len(set(groups)) == 3
    assert not Windows.of(data[:2]).crossed


@pytest.mark.parametrize(
    ("lengths", "rows", "wanted"),
    [
        ([5000], 2000, [(0, 2000)]),
        ([30, 40], 100, [(0, 30), (1, 40)]),
        ([5000, 5000], 2000, [(0, 1000), (1, 1000)]),
        ([100] * 4, 200, [(1, 100), (3, 100)]),
        ([2500] * 6, 600, [(5, 600)]),
    ],
)
def test_shares_stand_for_all_recordings(lengths, rows, wanted):
    assert shares(lengths, rows) == wanted


def test_forecasts_begin_at_the_end_of_the_last_recording_or_of_any_rows(fitted):
    ahead = fitted.forecast(40)
    np.testing.assert_allclose(
        np.abs(ahead - LORENZ[1500:1540]).max(axis=0), 0.0, atol=0.01 * DEVIATIONS.max()
    )
    np.testing.assert_allclose(fitted.forecast(40, start=PARTS[-1]), ahead, atol=1e-6)
    before = fitted.state_.copy()
    starts = [LORENZ[1600:1700], LORENZ[1800:2000]]
    found = fitted.forecast(30, start=starts)
    np.testing.assert_array_equal(fitted.state_, before)
    for one, place in zip(found, (1700, 2000), strict=True):
        assert np.abs((one - LORENZ[place : place + 30]) / DEVIATIONS).max() < 0.02
    np.testing.assert_array_equal(found[1], fitted.forecast(30, start=starts[1]))
    np.testing.assert_allclose(
        fitted.sample_paths(5, 50, start=starts[0]).mean(axis=0), found[0][:5], rtol=0.05, atol=0.1
    )


def test_a_start_with_dates_gives_dates():
    names, index = ["x", "y", "z"], pd.date_range("2024-01-01", periods=120, freq="D")
    frames = [pd.DataFrame(part, columns=names) for part in PARTS]
    model = forecaster(memory=1.0, bend=1.0).fit(frames)
    start = pd.DataFrame(LORENZ[1600:1720], index, names)
    found = model.forecast(3, start=start)
    assert list(found.index) == list(pd.date_range("2024-04-30", periods=3, freq="D"))
    plain = model.forecast(3, start=start.reset_index(drop=True))
    np.testing.assert_array_equal(found.to_numpy(), plain.to_numpy())
    interval = model.forecast(3, level=0.9, start=start)
    assert list(interval.mean.index) == list(found.index)


@pytest.mark.filterwarnings("ignore::spheresn.estimators.forecaster.OutOfRange")
def test_a_short_start_says_what_it_costs():
    wave = sn.datasets.mso(900)
    model = forecaster(memory=30.0, bend=0.0).fit(wave)
    with pytest.warns(ShortStart, match=r"5 row\(s\), fewer than the memory .* 30: 85% of"):
        model.forecast(5, start=wave[:5])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ShortStart)
        model.forecast(5, start=wave[:100])


def test_recordings_that_are_too_short_are_left_out_and_named():
    with pytest.warns(LeftOut, match=r"fewer than 10 rows are left out: X\[1\], X\[3\]"):
        model = forecaster(memory=1.0, bend=1.0).fit(
            [PARTS[0], PARTS[1][:5], PARTS[1], PARTS[2][:2]]
        )
    whole_ones = forecaster(memory=1.0, bend=1.0).fit([PARTS[0], PARTS[1]])
    assert model.forecast(20).tobytes() == whole_ones.forecast(20).tobytes()
    with pytest.raises(ValueError, match="at least 10 rows, got at most 5"):
        forecaster().fit([PARTS[0][:5], PARTS[1][:4]])
    with pytest.warns(LeftOut, match=r"fewer than 302 rows are left out: X\[1\]"):
        forecaster(20, memory=1.0, bend=1.0, washout=300).fit([LORENZ[:400], PARTS[0]])


def test_recordings_that_do_not_fit_together_are_refused(fitted):
    before = fitted.forecast(5)
    beside = [np.zeros((300, 1))] * 2
    for wrong, options, sentence in (
        ([PARTS[0], PARTS[1][:, :2]], {}, r"recording X\[1\]: it must have 3 column"),
        ([PARTS[0], np.where(PARTS[1] > 20, np.inf, PARTS[1])], {}, r"recording X\[1\]: X must"),
        ([PARTS[0], PARTS[1]], {"exogenous": beside[:1]}, "one table for each of 2 recordings"),
        ([PARTS[0], PARTS[1]], {"exogenous": beside[0]}, "one table for each of 2 recordings"),
        ([PARTS[0], PARTS[1][:80]], {"exogenous": beside}, r"recording X\[1\]: exogenous must"),
    ):
        with pytest.raises(ValueError, match=sentence):
            fitted.fit(wrong, **options)
    assert fitted.forecast(5).tobytes() == before.tobytes()
    for start, options, sentence in (
        (PARTS[0][:, :2], {}, "features|column"),
        (np.full((50, 3), np.inf), {}, "finite|infinity"),
        (None, {"start_exogenous": beside[0]}, "must come with start"),
        (PARTS[0], {"start_exogenous": beside[0]}, "start_exogenous must have shape"),
        ([PARTS[0]], {"start_exogenous": beside}, "one table for each of 1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            fitted.forecast(5, start=start, **options)


def test_exogenous_columns_come_with_each_recording():
    """A map s' = .5 s + e is learned exactly from recordings with inputs of their own."""
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal((length, 1)) for length in (60, 80, 70, 90, 65)]
    series = []
    for drive in inputs:
        rows = np.zeros((len(drive), 1))
        for k in range(1, len(drive)):
            rows[k] = 0.5 * rows[k - 1] + drive[k]
        series.append(rows)
    model = forecaster(30, activation="linear", memory=1.0, noise=0.0, observation_noise=0).fit(
        series, exogenous=inputs
    )
    future = rng.standard_normal((2, 1))
    first = 0.5 * series[0][-1] + future[0]
    wanted = [first, 0.5 * first + future[1]]
    found = model.forecast(2, future, start=series[0], start_exogenous=inputs[0])
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    both = model.forecast(2, future, start=series[:2], start_exogenous=inputs[:2])
    np.testing.assert_array_equal(both[0], found)


def test_the_noise_of_short_recordings_is_found_together():
    rng = np.random.default_rng(1)
    noisy = [
        LORENZ[first : first + 150] + 0.05 * DEVIATIONS * rng.standard_normal((150, 3))
        for first in range(0, 2400, 150)
    ]
    model = forecaster().fit(noisy)
    np.testing.assert_allclose(model.observation_noise_ / DEVIATIONS, 0.05, rtol=0.2)
    assert len(model.smoothed_) == 16
    errors = [
        (smooth - LORENZ[150 * i : 150 * i + 150])[40:] / DEVIATIONS
        for i, smooth in enumerate(model.smoothed_)
    ]
    assert np.sqrt(np.mean(np.square(errors))) < 0.6 * 0.05


def test_recordings_with_gaps_are_filled_each():
    parts = [one.copy() for one in PARTS]
    parts[1][100:108] = np.nan
    parts[3][-1, 0] = np.nan
    model = forecaster(memory=1.0, bend=1.0).fit(parts)
    gap = (model.smoothed_[1][100:108] - PARTS[1][100:108]) / DEVIATIONS
    assert np.abs(gap).max() < 0.1
    assert np.isfinite(model.forecast(20)).all()


def test_the_likelihood_of_recordings_is_the_sum_of_theirs():
    """The rows of two recordings are as likely as those of one times those of the other."""
    wave = forecaster(30, memory=2.0, bend=0.5).fit(LORENZ[:400])
    loop, noise = wave.closed_loop_, np.full(3, 0.01)
    tracker = Tracker(loop, noise, noise)
    scaled = wave.scaler_.forward(LORENZ)
    parts = [
        Rows(scaled[a:b], scaled[a:b], np.zeros((b - a, 0)), 10) for a, b in ((0, 200), (300, 420))
    ]
    alone = [Recordings((one,)) for one in parts]
    counts = [len(one.passes(tracker)[0].innovations) - tracker.lags for one in alone]
    each = [one.evidence(tracker).log_likelihood for one in alone]
    both = Recordings(tuple(parts)).evidence(tracker).log_likelihood
    np.testing.assert_allclose(both * sum(counts), np.dot(each, counts), rtol=1e-12)
    errors = [one_step_errors(loop, one) for one in alone]
    together = one_step_errors(loop, Recordings(tuple(parts)))
    np.testing.assert_allclose(together * (189 + 109), 189 * errors[0] + 109 * errors[1])


def test_a_model_of_recordings_is_saved_and_goes_on(fitted, tmp_path):
    sn.save(fitted, tmp_path / "m.spheresn")
    loaded = sn.load(tmp_path / "m.spheresn")
    assert loaded.forecast(20).tobytes() == fitted.forecast(20).tobytes()
    start = LORENZ[1600:1700]
    same = [one.forecast(20, start=start).tobytes() for one in (loaded, fitted)]
    assert same[0] == same[1]
