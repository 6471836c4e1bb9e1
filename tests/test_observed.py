"""Series as people have them: pandas, polars, lists. What cannot be used gets one sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import spheresn as sn
from spheresn.series.form import SeriesForm
from spheresn.series.frequency import inferred_frequency
from spheresn.series.observed import observed

WAVE = np.sin(0.4 * np.arange(120.0))
FREQUENCIES = ["MS", "ME", "QS", "QE", "D", "B", "W", "h", "30min", "YS", "7D"]


def small(**options) -> sn.ESNForecaster:
    return sn.ESNForecaster(units=20, bend=0, memory=5, random_state=0, **options)


@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_the_dates_go_on(frequency):
    """The dates that follow are those of a longer index with the same frequency, whether or not the
    index says its frequency.
    """
    index = pd.date_range("2001-01-31", periods=130, freq=frequency)
    for known in (index[:120], pd.DatetimeIndex(index[:120].to_numpy())):
        found = small().fit(pd.Series(WAVE, known, name="sales")).forecast(10)
        assert found.name == "sales" and found.index.equals(index[120:])


def test_periods_go_on():
    index = pd.period_range("1990Q1", periods=130, freq="Q")
    frame = pd.DataFrame({"a": WAVE, "b": -WAVE}, index[:120])
    found = small().fit(frame).forecast(10)
    assert list(found.columns) == ["a", "b"] and found.index.equals(index[120:])


def test_time_zones_stay():
    index = pd.date_range("2020-01-01", periods=125, freq="h", tz="Europe/Berlin")
    found = small().fit(pd.Series(WAVE, index[:120])).forecast(5)
    assert found.index.equals(index[120:])


def test_names_of_rows_that_are_no_dates_are_counted():
    named = pd.Series(WAVE, [f"row {i}" for i in range(len(WAVE))])
    assert small().fit(named).forecast(2).index.tolist() == [120, 121]
    mixed = pd.Series(WAVE, ["2020-01-01", *range(1, len(WAVE))])
    assert small().fit(mixed).forecast(2).index.tolist() == [120, 121]


def test_polars_and_lists_give_polars_and_arrays():
    values = small().fit(WAVE).forecast(5)
    series = small().fit(pl.Series("x", WAVE)).forecast(5)
    frame = small().fit(pl.DataFrame({"x": WAVE})).forecast(5)
    assert isinstance(series, pl.Series) and series.name == "x"
    assert isinstance(frame, pl.DataFrame) and frame.columns == ["x"]
    listed = small().fit(WAVE.tolist()).forecast(5)
    assert isinstance(listed, np.ndarray)
    for found in (series.to_numpy(), frame["x"].to_numpy(), listed):
        assert np.array_equal(found, values)


DAYS_LATER = pd.date_range("2020-04-30", periods=3, freq="D")  # 120 days after the new year


def test_rows_that_come_later_move_the_dates():
    index = pd.date_range("2020-01-01", periods=140, freq="D")
    model = small().fit(pd.Series(WAVE, index[:120]))
    later = pd.Series(WAVE[:10], index[120:130])
    assert model.update(later).forecast(10).index.equals(index[130:])
    assert small().fit(pd.Series(WAVE)).update(WAVE[:7]).forecast(2).index.tolist() == [127, 128]


@pytest.mark.parametrize(
    "later", [DAYS_LATER[1:], DAYS_LATER[[0, 2]], DAYS_LATER - DAYS_LATER.freq]
)
def test_rows_that_do_not_come_next_are_refused(later):
    """A gap, or a row that came before, would move all dates of the forecast."""
    model = small().fit(pd.Series(WAVE, pd.date_range("2020-01-01", periods=120, freq="D")))
    before = model.forecast(5)
    with pytest.raises(sn.BadInput, match=r"X must have the date 2020-.* in row \d, got 2020-"):
        model.update(pd.Series(np.ones(len(later)), later))
    pd.testing.assert_series_equal(model.forecast(5), before)


@pytest.mark.parametrize(
    ("index", "coming"),
    [
        (pd.RangeIndex(0, 10, 3), [12, 15]),
        (pd.Index([2001, 2002, 2003]), [2004, 2005]),
        (pd.Index([1, 2, 4]), [3, 4]),
        (pd.Index(["a", "b"]), [2, 3]),
        (pd.Index([7]), [1, 2]),
    ],
)
def test_numbers_go_on(index, coming):
    form = observed(pd.Series(np.arange(float(len(index))), index)).form
    assert (
        form.coming(2).tolist() == SeriesForm.from_plain(form.plain()).coming(2).tolist() == coming
    )


def test_columns_of_the_same_name_are_columns():
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["x", "x"])
    assert observed(frame).values.tolist() == frame.to_numpy().tolist()


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2020-01-31", periods=120, freq="ME"),
        pd.period_range("2020-01", periods=120, freq="M"),
        pd.RangeIndex(5, 125),
        pd.Index(list("ab") * 60),
        # Clocks change on 2021-03-28
        pd.date_range(end="2021-03-26", periods=120, freq="D", tz="Europe/Berlin"),
        pd.date_range(end="2021-03-26", periods=120, freq="h", tz="+02:00"),
    ],
)
@pytest.mark.parametrize("name", ["x", 7])
def test_a_saved_model_knows_its_dates_and_names(index, name, tmp_path):
    model = small().fit(pd.DataFrame({name: WAVE}, index))
    sn.save(model, tmp_path / "m.spheresn")
    again = sn.load(tmp_path / "m.spheresn")
    pd.testing.assert_frame_equal(again.forecast(5), model.forecast(5))


def test_a_form_without_an_index_is_saved_too():
    form = observed(pl.Series("x", WAVE)).form
    assert SeriesForm.from_plain(form.plain()) == form or SeriesForm.from_plain(
        form.plain()
    ).names == ("x",)
    assert SeriesForm.from_plain(form.plain()).coming(2).tolist() == [120, 121]


@pytest.mark.parametrize(
    ("frequency", "zone"),
    [
        ("D", "Europe/Berlin"),
        ("W-WED", "America/New_York"),
        ("QE-NOV", None),
        ("QS-FEB", "Europe/Berlin"),
        ("YE-JUN", None),
        ("YS-APR", None),
    ],
)
def test_missing_rows_are_found_where_clocks_change_and_in_fiscal_years(frequency, zone):
    """What was left out comes back: the line through its neighbours, at its own date."""
    index = pd.date_range("2001-01-01", periods=80, freq=frequency, tz=zone)
    holes = pd.Series(np.arange(80.0), index).drop(index[[20, 21, 50]])
    found = observed(holes[:70], "linear")
    assert found.values.ravel() == pytest.approx(np.arange(73.0))
    assert (found.form.coming(7) == index[73:]).all()


def test_masked_values_are_missing_and_complex_ones_are_refused():
    """What lies below a mask may be anything, 1e20 in files of climate models."""
    masked = np.ma.masked_array(
        np.where(np.arange(9) == 4, 1e20, np.arange(9.0)), np.arange(9) == 4
    )
    assert observed(masked, "linear").values.ravel().tolist() == list(range(9))
    with pytest.raises(
        sn.BadInput, match="series must have a number in every row, got none in row 4"
    ):
        observed(masked)
    for use in (
        lambda: small(observation_noise=0).fit(masked),
        lambda: sn.ESNRegressor(5).fit(masked[:, None], np.arange(9.0)),
        lambda: sn.ESNRegressor(5).fit(np.ones((9, 1)), masked),
        lambda: sn.drive(sn.random_reservoir(5, rng=0), masked),
        lambda: sn.metrics.nrmse(masked, np.ones(9)),
    ):
        with pytest.raises(sn.BadInput, match="must have no masked values, got 1"):
            use()
    filled = np.ma.masked_array(np.where(np.arange(len(WAVE)) == 4, 1e20, WAVE))
    filled.mask = np.arange(len(WAVE)) == 4
    holes = np.where(filled.mask, np.nan, WAVE)
    assert np.array_equal(small().fit(filled).forecast(3), small().fit(holes).forecast(3))
    unmasked = np.ma.masked_array(WAVE, np.zeros(len(WAVE), bool))
    assert np.array_equal(small().fit(unmasked).forecast(3), small().fit(WAVE).forecast(3))
    with pytest.raises(sn.BadInput, match="must hold real numbers, got complex ones"):
        observed(WAVE + 1j)


def test_last_fridays_are_not_fourth_fridays():
    """pandas infers WOM-4FRI, by which the date after 2021-01-29 would be 2021-03-26."""
    fridays = pd.date_range("2018-12-15", periods=26, freq="LWOM-FRI")
    for index in (fridays, pd.DatetimeIndex(fridays.to_numpy())):
        assert (observed(pd.Series(WAVE[:26], index)).form.coming(1) == ["2021-02-26"]).all()
    mixed = pd.to_datetime(["2021-01-22", "2021-02-26", "2021-03-26", "2021-04-30"])
    assert inferred_frequency(mixed) is None  # the fourth and the last one of five


DAYS = pd.date_range("2020-01-06", periods=6, freq="D")  # from a Monday on
TEXT = pd.DataFrame({"x": ["1", "two"]})
REFUSED = [
    (pd.Series([1.0, np.nan, 3.0, 4.0]), "got none in row 1; pass fill='linear' to interpolate"),
    ([1.0, float("nan"), 2.0, 5.0], "got none in row 1; pass fill='linear' to interpolate"),
    ([1.0, float("inf"), 2.0], "must be finite, got infinity in row 1"),
    (TEXT, "column 'x' must hold numbers, got '1'; convert or drop it"),
    (pd.Series(range(6), DAYS.astype(str)), "must hold dates, got text such as '2020-01-06'; conv"),
    (pd.DataFrame({"day": DAYS, "x": range(6)}), "make them the index: frame.set_index('day')"),
    (pd.Series(range(6), DAYS[::-1]), "sort it: series.sort_index()"),
    (pd.Series(range(6), DAYS[[0, 1, 1, 2, 3, 4]]), "got 2020-01-07 00:00:00 twice"),
    (pd.Series(range(5), DAYS[[0, 1, 2, 4, 5]]), "got none for 2020-01-09; pass fill="),
    (
        pd.Series(
            range(4), pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-03-09"])
        ),
        "must have at least half of its dates, got 4 of 49 in steps of 1 business day; resample it",
    ),
    (
        pd.Series(
            range(3), pd.DatetimeIndex(["2020-01-01 00:00", "2020-01-03 07:00", "2020-01-04 00:00"])
        ),
        "must have evenly spaced dates, got steps from",
    ),
    (pd.Series(range(2), pd.to_datetime(["2020-01-01", pd.NaT])), "got NaT; drop such rows"),
    (pd.DataFrame(index=DAYS), "must have a column of numbers, got none"),
    (pd.Index([1.0, 2.0]), "must be a Series or a DataFrame, got Index"),
    (np.zeros((2, 2, 2)), "got 3 dimensions; pass such an array"),
    (pl.Series([None, 1.0, 2.0]), "got none in row 0; pass fill='linear'"),
    (
        np.array(["2020-01-01"], "datetime64[D]"),
        "must hold numbers, got dates; drop it, or make it the index",
    ),
    ([[1.0], [None]], "got none in row 1"),
]


@pytest.mark.parametrize(("series", "words"), REFUSED)
def test_what_cannot_be_used_gets_a_sentence(series, words):
    with pytest.raises(sn.BadInput) as refusal:
        observed(series)
    assert words in str(refusal.value)


def test_an_estimator_that_cannot_fill_does_not_advise_it():
    with pytest.raises(sn.BadInput, match="in row 3; interpolate first"):
        small(observation_noise=0).fit(pd.Series(np.where(np.arange(120) == 3, np.nan, WAVE)))


def test_holes_are_filled_on_a_line():
    found = observed(pd.Series([1.0, np.nan, 3.0, 9.0], DAYS[[0, 1, 2, 5]]), "linear")
    assert found.values.ravel().tolist() == [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]
    assert found.notes == (
        "added and interpolated linearly: date 2020-01-09, 2020-01-10",
        "interpolated linearly: row 1",
    )
    assert found.form.coming(1)[0] == pd.Timestamp("2020-01-12")
    months = pd.to_datetime(["2020-01-01", "2020-02-01", "2020-03-01", "2020-05-01"])
    assert len(observed(pd.Series([1.0, 2.0, 3.0, 5.0], months), "linear").values) == 5
    with pytest.raises(sn.BadInput, match="begin and end with numbers"):
        observed([float("nan"), 1.0, 2.0], "linear")
    with pytest.raises(sn.BadInput, match="fill must be one of"):
        observed([1.0], "cubic")


def test_updates_and_exogenous_columns_of_a_forecaster_are_those_of_their_dates_and_names():
    index = pd.date_range("2020-01-01", periods=320)
    wave = pd.Series(np.sin(0.3 * np.arange(320)), index)
    known = pd.DataFrame({"p": np.cos(np.arange(320)), "q": np.arange(320) % 5}, index)
    model = sn.ESNForecaster(20, memory=2, bend=0.5, random_state=0)
    model.fit(wave[:300], exogenous=known[:300])
    with pytest.raises(ValueError, match=r"X must have the date .* got 2020-10-29"):
        model.update(wave[302:310], exogenous=known[302:310])
    with pytest.raises(ValueError, match=r"columns of fit, \['p', 'q'\], got \['q', 'p'\]"):
        model.forecast(5, exogenous=known[["q", "p"]][300:305])
    for call in (
        lambda: model.fit(wave[:300], exogenous=known[1:301]),
        lambda: model.forecast(5, exogenous=known[301:306]),
        lambda: model.update(wave[300:310], exogenous=known[301:311]),
    ):
        with pytest.raises(sn.BadInput, match=r"exogenous must have the date .* in row 0, got"):
            call()
    model.update(wave[300:310], exogenous=known[300:310])
    assert model.forecast(2, exogenous=known[310:312]).index[0] == index[310]
