"""A forecast that people can use: what it shows of itself, its quantiles and paths, counts, going
on after new rows, and files.
"""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import nbinom, norm, poisson

import spheresn as sn
from hostile_files import tensor_file
from spheresn._errors import ModelFileError
from spheresn._formatting import format_interval, format_number
from spheresn.estimators.outcomes import (
    CountOutcomes,
    Dependence,
    Forecast,
    Paths,
    StudentOutcomes,
)
from spheresn.forecasting import Mean, Naive, SeriesForecaster, backtest
from spheresn.forecasting.intervals import count_moments, dependence_of
from spheresn.series.form import SeriesForm

MONTHS = pd.date_range("2016-01-01", periods=96, freq="MS")


def wave(rows: int = 96, noise: float = 5.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    k = np.arange(rows)
    return 100 + k + 15 * np.sin(np.pi * k / 6) + noise * rng.standard_normal(rows)


@pytest.fixture(scope="module")
def fitted() -> SeriesForecaster:
    series = pd.Series(wave(), MONTHS, name="sales")
    return SeriesForecaster(horizon=12, verbose=False).fit(series)


@pytest.fixture(scope="module")
def two() -> SeriesForecaster:
    rows = np.column_stack([wave(60), np.random.default_rng(1).poisson(0.4, 60)])
    return SeriesForecaster(None, horizon=6, verbose=False).fit(rows)


def made(mean: np.ndarray, outcomes: object = None, **form: object) -> Forecast:
    columns = mean.shape[1]
    shape = SeriesForm("numpy", tuple(range(columns)), columns == 1, None, 10)
    shape = SeriesForm(**{**vars(shape), **form})
    spread = StudentOutcomes(mean, np.ones_like(mean), np.full(columns, 1e9))
    return Forecast(0.9, shape.coming(len(mean)), shape, mean, mean, outcomes or spread)


@pytest.mark.parametrize(
    ("triple", "words"),
    [
        ((129_973.2, 129_651.0, 131_152.0), "130,000 (129,700 to 131,200)"),
        ((5.8531234, 5.85291, 5.85334), "5.85312 (5.85291 to 5.85334)"),
        ((4.692e-232, -0.5, 0.5), "0 (-0.5 to 0.5)"),
        ((0.5e-9, 0.2e-9, 0.9e-9), "5.0e-10 (2.0e-10 to 9.0e-10)"),
        ((0.0, -2e-9, 2e-9), "0 (-2.0e-09 to 2.0e-09)"),
        ((1.5e20, 1e20, 2e20), "1.5e+20 (1.0e+20 to 2.0e+20)"),
        ((7.0, 7.0, 7.0), "7 (7 to 7)"),
        ((1.0, 1.0 - 1e-14, 1.0 + 1e-14), "1 (1 to 1)"),
        ((-1234.0, -1300.0, -1150.0), "-1,230 (-1,300 to -1,150)"),
        ((1.0, -np.inf, np.inf), "1 (-infinite to infinite)"),
    ],
)
def test_intervals_have_the_digits_that_their_width_justifies(triple, words):
    assert format_interval(*triple) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (-0.00001234, "-1.234e-05"), (2e16, "2e+16"), (999.96, "1,000"), (0.5, "0.5")],
)
def test_numbers_are_written_plainly_where_that_is_short(value, words):
    assert format_number(value) == words


def test_a_forecast_shows_its_first_steps(fitted):
    """Not all of its arrays: few lines, in a notebook a table."""
    text = repr(fitted.forecast(12, level=80))
    lines = text.splitlines()
    assert lines[0] == "Forecast of 12 steps, 2024-01-01 to 2024-12-01, with 80 % intervals"
    assert len(lines) == 8 and lines[-1] == "and 7 more steps; to_frame() has all"
    assert lines[1].split() == ["sales"] and lines[2].startswith("2024-01-01  1")
    page = fitted.forecast(2)._repr_html_()
    assert page.count("<tr>") == 3 and "<th>sales</th>" in page and "more" not in page


def test_names_of_columns_cannot_break_out_of_the_table():
    form = {"library": "pandas", "names": ("<b>", "x"), "index": pd.RangeIndex(10), "rows": 10}
    page = made(np.ones((1, 2)), **form)._repr_html_()
    assert "&lt;b&gt;" in page and "<b>" not in page


def test_many_columns_and_times_of_any_kind_are_shown_shortly():
    forecast = made(np.arange(12.0).reshape(2, 6))
    assert repr(forecast).splitlines()[0] == (
        "Forecast of 2 steps, row 10 to row 11, with 90 % intervals"
    )
    assert repr(forecast).endswith("and 2 more columns; to_frame() has all")
    assert "Forecast of 1 step, row 10, with" in repr(made(np.ones((1, 1))))
    one = made(np.ones((1, 1)))
    times = replace(one, index=pd.Index([0.5]))
    assert "Forecast of 1 step, 0.5, with" in repr(times)


def test_quantiles_of_several_shares(fitted, two):
    shares = [0.1, 0.5, 0.9]
    forecast = fitted.forecast(3)
    frame = forecast.quantile(shares)
    assert frame.columns.tolist() == shares and frame.index.equals(forecast.index)
    for share in shares:
        assert np.array_equal(frame[share], forecast.quantile(share))
    rows = two.forecast(4).quantile(shares)
    assert rows.shape == (3, 4, 2) and np.array_equal(rows[1], two.forecast(4).quantile(0.5))
    flat = SeriesForecaster(None, verbose=False).fit(wave(40)).forecast(3)
    assert flat.quantile(shares).shape == (3, 3)
    with pytest.raises(sn.BadInput, match="share must be a number or several, got none"):
        forecast.quantile([])


def test_levels_may_be_shares_or_per_cent_and_several(fitted):
    """Intervals of a higher level enclose those of a lower one."""
    forecast = fitted.forecast(4, level=[80, 0.95])
    assert forecast.level == 0.8 and forecast.levels == (0.8, 0.95)
    frame = forecast.to_frame()
    assert frame.columns.tolist() == ["mean", "lower 80", "upper 80", "lower 95", "upper 95"]
    assert (frame["lower 95"] < frame["lower 80"]).all()
    assert np.array_equal(frame["upper 80"], fitted.forecast(4, level=0.8).upper)
    for bad in ([], 100, 1.5, True, "high", [0.5, 1]):
        with pytest.raises(sn.BadInput, match="level must be"):
            fitted.forecast(4, level=bad)


def test_paths_have_the_quantiles_of_the_forecast(two):
    """At each step and column, as far as 4,000 samples tell: three binomial deviations. Counts are
    whole. The same seed gives the same paths.
    """
    forecast = two.forecast(5)
    paths = forecast.sample_paths(4_000)
    assert paths.shape == (4_000, 5, 2) and (paths[:, :, 1] == np.floor(paths[:, :, 1])).all()
    for share in (0.1, 0.5, 0.9):
        below = (paths[:, :, 0] <= forecast.quantile(share)[:, 0]).mean(axis=0)
        assert (np.abs(below - share) < 3 * np.sqrt(share * (1 - share) / 4_000)).all()
    assert np.array_equal(paths, forecast.sample_paths(4_000))
    assert not np.array_equal(paths[:5], forecast.sample_paths(5, random_state=1))
    with pytest.raises(sn.BadInput, match="n must be a whole number of at least 1"):
        forecast.sample_paths(0)


def test_paths_of_a_walk_depend_on_each_other_and_those_of_noise_do_not():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((400, 10, 2))
    walk = np.cumsum(noise, axis=1)
    assert dependence_of(noise).persistence < 0.1 < 0.7 < dependence_of(walk).persistence
    same = np.repeat(noise[:, :, :1], 2, axis=2)
    assert dependence_of(same).correlations[0, 1] == pytest.approx(0.9)
    assert dependence_of(noise[:, :1]).persistence == 0.0
    assert dependence_of(np.zeros((3, 2, 1))).correlations.tolist() == [[1.0]]
    shares = Dependence(0.8, np.array([[1.0, 0.5], [0.5, 1.0]])).shares(20_000, 3, rng)
    normal = norm.ppf(shares)
    assert np.corrcoef(normal[:, 0, 0], normal[:, 1, 0])[0, 1] == pytest.approx(0.8, abs=0.02)
    assert np.corrcoef(normal[:, 2, 0], normal[:, 2, 1])[0, 1] == pytest.approx(0.5, abs=0.03)


def test_paths_of_an_ensemble_are_some_of_it():
    rows = np.arange(12.0).reshape(6, 2, 1)
    forecast = made(rows.mean(axis=0), Paths(rows))
    assert len(np.unique(forecast.sample_paths(6)[:, 0, 0])) == 6
    assert set(forecast.sample_paths(50).ravel()) <= set(rows.ravel())
    spread = made(np.zeros((3, 1))).sample_paths(2_000)
    assert abs(spread.std() - 1.0) < 0.05


def test_counts_have_the_quantiles_of_their_distribution():
    """Poisson's where the variance is the mean, else negative binomial with both moments."""
    means, variances = np.full((2, 3), 0.3), np.array([[0.3, 0.9, 1.0]] * 2)
    others = StudentOutcomes(means, np.ones((2, 3)), np.full(3, 5.0))
    outcomes = CountOutcomes(np.array([True, True, False]), means, variances, others)
    for share in (0.05, 0.5, 0.95, 0.999):
        found = outcomes.quantile(share)
        assert (found[:, 0] == poisson.ppf(share, 0.3)).all()
        size = 0.3**2 / 0.6
        assert nbinom.mean(size, 1 / 3) == pytest.approx(0.3)
        assert nbinom.var(size, 1 / 3) == pytest.approx(0.9)
        assert (found[:, 1] == nbinom.ppf(share, size, 1 / 3)).all()
        assert np.array_equal(found[:, 2], others.quantile(share)[:, 2])
    assert outcomes.sample(7, np.random.default_rng(0)).shape == (7, 2, 3)


@pytest.mark.parametrize("rate", [0.06, 0.3, 2.0])
def test_intervals_of_counts_cover_and_end_at_counts(rate):
    """Independent Poisson counts: 90 % intervals from one end of whole numbers to another, which
    cover at least 85 % of what comes, and beyond the smallest rates more than one number.
    """
    rng, hits, widest = np.random.default_rng(3), [], 0.0
    for _ in range(8):
        rows = rng.poisson(rate, 150).astype(float)
        rows[:3] = [0, 1, 2]
        forecast = SeriesForecaster(None, horizon=4, verbose=False).fit(rows).forecast()
        lower, upper = forecast.lower, forecast.upper
        assert (lower == np.floor(lower)).all() and (upper == np.floor(upper)).all()
        came = rng.poisson(rate, (200, 4))
        hits.append(((came >= lower) & (came <= upper)).mean())
        widest = max(widest, float(upper.max()))
    assert np.mean(hits) > 0.85 and widest >= 1.0


def test_what_was_never_counted_lately_is_not_impossible():
    """After a long silence the mean is one event more than were seen, in one row more."""
    errors = np.zeros((4, 2, 1))
    recent = np.zeros((99, 1))
    means, variances = count_moments(errors, recent, np.zeros((2, 1)), np.zeros((2, 1)))
    assert means.tolist() == [[0.01]] * 2 and np.array_equal(variances, means)


def test_whole_numbers_that_are_no_counts_keep_students_distribution():
    """A level that moves by one in a hundred is no number of chance events."""
    rng = np.random.default_rng(0)
    level = np.round(500 + np.cumsum(rng.standard_normal(80)))
    huge = 1e17 * rng.random(40)
    for rows in (level, huge, np.round(20 + rng.standard_normal(60))):
        model = SeriesForecaster(None, horizon=3, verbose=False).fit(rows)
        assert isinstance(model.forecast()._outcomes, StudentOutcomes)


def test_predict_is_the_mean(fitted):
    assert fitted.predict(5).equals(fitted.forecast(5).mean)


def test_an_update_learns_from_all_rows_and_searches_nothing(monkeypatch):
    """A linear recurrence goes on exactly from the new end; weights and record stay."""
    k = np.arange(130.0)
    series = pd.Series(np.sin(0.3 * k), pd.date_range("2024-01-01", periods=130), name="x")
    model = SeriesForecaster(verbose=False).fit(series[:100])
    before, record = dict(model.weights_), model.record_
    monkeypatch.setattr("spheresn.forecasting.series.combine", None)
    assert model.update(series[100:]) is model
    assert model.weights_ == before and model.record_ is record
    found = model.forecast(5)
    assert np.abs(found.mean - np.sin(0.3 * np.arange(130.0, 135.0))).max() < 1e-3
    assert found.index[0] == series.index[-1] + pd.Timedelta(days=1)
    again = model.fitted_values()
    assert len(again) == 30 and np.abs(model.residuals()).max() < 1e-3
    found.plot()


def test_one_row_and_its_exogenous_columns_go_on():
    rng = np.random.default_rng(0)
    known = rng.standard_normal((61, 1))
    rows = 3.0 * known[:, 0] + 0.01 * rng.standard_normal(61)
    model = SeriesForecaster(None, horizon=1, verbose=False).fit(rows[:59], exogenous=known[:59])
    model.update(float(rows[59]), exogenous=known[59:60])
    assert abs(model.predict(1, exogenous=known[60:])[0] - rows[60]) < 0.5
    with pytest.raises(sn.BadInput, match=r"exogenous must have shape \(1, 1\), got none"):
        model.update(0.5)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (lambda: np.ones((3, 2)), r"rows must have 1 column\(s\), got 2"),
        (lambda: pd.Series([1.0], MONTHS[-1:], name="sales"), "rows must go on with 2024-01-01"),
        (
            lambda: pd.Series([1.0], pd.to_datetime(["2024-01-01"]), name="other"),
            "rows must have the columns of fit, .*'sales'.*, got .*'other'",
        ),
        (lambda: [np.nan], "rows must have a number in every row"),
    ],
)
def test_rows_that_do_not_follow_are_refused_and_change_nothing(rows, words):
    model = SeriesForecaster(horizon=3, verbose=False).fit(pd.Series(wave(), MONTHS, name="sales"))
    before = model.predict()
    with pytest.raises(sn.BadInput, match=words):
        model.update(rows())
    assert model.predict().equals(before)


def test_an_array_may_follow_a_series_of_pandas(fitted):
    model = SeriesForecaster(horizon=3, verbose=False).fit(pd.Series(wave(), MONTHS, name="sales"))
    assert model.update([200.0, 201.0]).forecast(1).index[0] == pd.Timestamp("2024-03-01")


def test_fitted_values_are_one_step_forecasts_of_known_rows(fitted, two):
    """Rows minus residuals, NaN only at the beginning, and close to the rows."""
    values, left = fitted.fitted_values(), fitted.residuals()
    known = ~values.isna()
    assert known[known.idxmax() :].all() and not known.iloc[0]
    assert np.allclose(values[known] + left[known], wave()[known])
    assert left[known].std() < 10.0
    assert two.fitted_values().shape == (60, 2)


def test_the_fitted_values_of_a_large_network_come_from_its_first_half():
    rows = sn.datasets.lorenz(500)[:, 0]
    model = SeriesForecaster(None, horizon=5, verbose=False).fit(rows)
    assert list(model.weights_) == ["echo state network"]
    left = model.residuals()
    assert np.isnan(left[:250]).all() and np.abs(left[250:]).max() < 0.1 * rows.std()
    model.update(sn.datasets.lorenz(520)[500:, 0])
    assert np.abs(model.predict(3) - sn.datasets.lorenz(523)[520:, 0]).max() < 0.1 * rows.std()


FORMS = {
    "pandas": lambda: pd.Series(wave(), MONTHS, name="sales"),
    "polars": lambda: pl.Series("sales", wave()),
    "array": lambda: np.column_stack([wave(), wave()[::-1]]),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_saved_forecaster_forecasts_the_same_to_the_last_bit(tmp_path, form):
    model = SeriesForecaster([12], horizon=6, verbose=False, random_state=3).fit(FORMS[form]())
    model.save(tmp_path / "m.spheresn")
    again = SeriesForecaster.load(tmp_path / "m.spheresn")
    one, two = model.forecast(6, level=[80, 95]), again.forecast(6, level=[80, 95])
    assert np.array_equal(np.asarray(one.mean), np.asarray(two.mean))
    assert np.array_equal(np.asarray(one.upper), np.asarray(two.upper))
    assert type(one.mean) is type(two.mean) and again.get_params() == model.get_params()
    assert again.describe() == model.describe() and again.notes_ == model.notes_
    assert np.array_equal(one.sample_paths(3), two.sample_paths(3))
    more = np.asarray(again.update(np.asarray(one.mean)[:2]).predict(2))
    assert np.array_equal(more, np.asarray(model.update(np.asarray(one.mean)[:2]).predict(2)))


def test_a_saved_forecaster_keeps_its_network_and_exogenous_columns(tmp_path):
    model = SeriesForecaster(None, horizon=4, verbose=False).fit(sn.datasets.lorenz(500)[:, 0])
    assert list(model.weights_) == ["echo state network"]
    model.save(tmp_path / "n.spheresn")
    again = SeriesForecaster.load(tmp_path / "n.spheresn")
    assert np.array_equal(again.predict(), model.predict())
    beside = pd.DataFrame({"price": np.cos(np.arange(60.0))})
    model = SeriesForecaster(None, horizon=2, verbose=False).fit(wave(60), exogenous=beside)
    model.save(tmp_path / "e.spheresn")
    again = SeriesForecaster.load(tmp_path / "e.spheresn")
    coming = pd.DataFrame({"price": [0.5, 0.6]})
    assert np.array_equal(again.predict(2, coming), model.predict(2, coming))
    with pytest.raises(sn.BadInput, match="exogenous must have the columns of fit"):
        again.predict(2, coming.add_suffix("s"))


def changed(raw: bytes, lie) -> bytes:
    size = struct.unpack("<Q", raw[:8])[0]
    outer = json.loads(raw[8 : 8 + size])
    inner = json.loads(outer["__metadata__"]["spheresn"])
    lie(inner)
    outer["__metadata__"]["spheresn"] = json.dumps(inner)
    return tensor_file(json.dumps(outer).encode(), raw[8 + size :])


LIES = {
    "another kind": (lambda h: h.update(kind="ESNForecaster"), "a ESNForecaster of format 1"),
    "a later format": (lambda h: h.update(format=9), "of format 9"),
    "a method less": (lambda h: h["methods"].pop(), "forecasts has shape"),
    "a weight less": (lambda h: h["weighted"].pop(), "weights has shape"),
    "a weight of nothing": (lambda h: h["weighted"].__setitem__(0, "magic"), "methods are missing"),
    "a horizon of a year": (lambda h: h.update(horizon=365), "too few rows"),
    "a season of a year": (lambda h: h.update(seasons=[365]), "too few rows"),
    "other columns": (lambda h: h["form"].update(names=["a", "b"]), "the form is another"),
    "a list for a number": (lambda h: h.update(horizon=[1]), "horizon must be a whole number"),
    "a strange parameter": (lambda h: h["parameters"].update(season={"a": 1}), "a dict where"),
    "an unknown parameter": (lambda h: h["parameters"].update(magic=1), "Invalid parameter"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, fitted, lie):
    path = tmp_path / "m.spheresn"
    fitted.save(path)
    path.write_bytes(changed(path.read_bytes(), LIES[lie][0]))
    with pytest.raises(ModelFileError, match=LIES[lie][1]):
        SeriesForecaster.load(path)


def test_what_is_no_forecaster_is_refused(tmp_path, fitted):
    with pytest.raises(ModelFileError, match="which does not exist"):
        SeriesForecaster.load(tmp_path / "none")
    (tmp_path / "m").write_bytes(b"PK")
    with pytest.raises(ModelFileError, match="path must be a whole file written by SeriesForec"):
        SeriesForecaster.load(tmp_path / "m")
    fitted.save(tmp_path / "m")
    raw = (tmp_path / "m").read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    outer = json.loads(raw[8 : 8 + size])
    for name, value, words in (
        ("scale", -1.0, "scale is not above 0"),
        ("weights", 7.0, "weights are no shares"),
        ("truth", np.nan, "truth has numbers that are not finite"),
    ):
        first = outer[name]["data_offsets"][0] + 8 + size
        bad = raw[:first] + struct.pack("<d", value) + raw[first + 8 :]
        (tmp_path / "m").write_bytes(bad)
        with pytest.raises(ModelFileError, match=words):
            SeriesForecaster.load(tmp_path / "m")
    outer["values"]["dtype"] = "I64"
    (tmp_path / "m").write_bytes(tensor_file(json.dumps(outer).encode(), raw[8 + size :]))
    with pytest.raises(ModelFileError, match="values has another type"):
        SeriesForecaster.load(tmp_path / "m")


def test_why_a_forecast_is_what_it_is(fitted):
    """All methods count where all have the same error; else those are left out that were worse."""
    assert "other methods had larger ones." in fitted.describe()
    same = SeriesForecaster(None, verbose=False).fit(np.full(30, 5.0))
    assert same.describe().endswith(
        "All methods count, because their errors there are at most 1.3 times the least."
    )


def test_a_backtest_as_a_table_is_in_the_units_of_the_series(fitted):
    """A row for each forecast, step and column; what errors it has are those of `errors`."""
    test = fitted.backtest(3)
    frame = test.to_frame()
    assert frame.columns.tolist() == [
        "origin",
        "step",
        "time",
        "truth",
        "combination",
        "seasonal naive",
    ]
    truth = pd.Series(wave(), MONTHS)
    assert np.allclose(frame["truth"], truth[frame["time"]].to_numpy())
    errors = (frame["combination"] - frame["truth"]).to_numpy()
    assert np.allclose(errors, (test.errors("combination") * test.scaler.scale).ravel())
    assert (frame["origin"] <= frame["time"]).all()
    plain = backtest(np.column_stack([wave(), wave()]), 2, {"naive": Naive.fit}).to_frame()
    assert plain["column"].tolist()[:3] == [0, 1, 0] and "time" not in plain


def test_the_summary_of_a_backtest_counts_from_the_naive_method(fitted, two):
    table = fitted.record_.summary()
    assert table.loc["seasonal naive", "|e| / seasonal naive"] == 1.0
    assert table["mean |e|"].is_monotonic_increasing
    assert list(two.record_.summary().columns)[:2] == [("mean |e|", 0), ("mean |e|", 1)]
    alone = backtest(wave(), 2, {"mean": Mean.fit})
    assert list(alone.summary().columns) == ["mean |e|", "rmse", "bias"]
    assert "mean |e| deviations: mean" in repr(alone)
    exact = backtest(np.full(90, 2.0), 2, {"naive": Naive.fit})
    assert "|e| / naive" not in exact.summary()


def test_a_backtest_says_what_it_is_in_two_lines(fitted):
    said = repr(fitted.record_).splitlines()
    assert said[0].startswith("Backtest of 22 methods: ") and len(said) == 2
    assert "of seasonal naive: " in said[1] and said[1].endswith(" and 18 more")
    page = fitted.record_._repr_html_()
    assert page.startswith("<p>Backtest of 22 methods") and "<table" in page


def test_a_backtest_draws_forecasts_that_do_not_overlap(fitted):
    from matplotlib.figure import Figure

    test = fitted.backtest(6)
    axes = test.plot(Figure().add_subplot())
    data, *runs = axes.lines
    places = np.concatenate([run.get_xdata() for run in runs])
    assert len(places) == len(set(places)) and set(places) <= set(data.get_xdata())
    assert axes.get_legend_handles_labels()[1] == ["data", test.summary().index[0]]
    assert test.plot(name="seasonal naive").get_ylabel() == "sales"
    with pytest.raises(sn.BadInput, match="name must be one of"):
        test.plot(name="magic")
