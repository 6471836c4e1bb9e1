"""One calendar: Python and the command line go on with the same dates, and miss the same ones.

Before, each had rules of its own. What either of them did is beside the cases in which they
disagreed or were both wrong.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import spheresn as sn
from spheresn.apps.forecasts.result import forecast
from spheresn.apps.tables import read_table
from spheresn.forecasting import SeriesForecaster
from spheresn.series.calendar import calendar_of
from spheresn.series.form import SeriesForm
from spheresn.series.frequency import from_text, to_text
from spheresn.series.observed import Observed, observed
from spheresn_explorer.own import command_of, is_even
from spheresn_explorer.signals import series_from


def days(*places: int, start: str = "2024-01-01") -> list[str]:
    """Days after a Monday."""
    return [str(np.datetime64(start) + place) for place in places]


def minutes(*times: str) -> list[str]:
    return [f"2024-01-01T00:{time}" for time in times]


WORK = [day for day in days(*range(2, 26)) if pd.Timestamp(day).weekday() < 5]
# dates, the two that follow
EVEN = {
    # Python refused; the table went on with 05-16, 06-16
    "the 15th": (["2024-01-15", "2024-02-15", "2024-03-15"], ["2024-04-15", "2024-05-15"]),
    # Both took these for steps of 31 days and went on with 10-16
    "the 15th of months of 31 days": (
        ["2023-07-15", "2023-08-15", "2023-09-15"],
        ["2023-10-15", "2023-11-15"],
    ),
    # Python refused; the table went on with 30 days
    "the 30th": (
        ["2023-12-30", "2024-01-30", "2024-02-29", "2024-03-30"],
        ["2024-04-30", "2024-05-30"],
    ),
    "month ends": (["2023-12-31", "2024-01-31", "2024-02-29"], ["2024-03-31", "2024-04-30"]),
    # Python refused two dates
    "two month ends": (["2024-01-31", "2024-02-29"], ["2024-03-31", "2024-04-30"]),
    "firsts of months": (["2023-11-01", "2023-12-01", "2024-01-01"], ["2024-02-01", "2024-03-01"]),
    "every other month": (["2024-01-01", "2024-03-01", "2024-05-01"], ["2024-07-01", "2024-09-01"]),
    "quarters": (["2023-07-01", "2023-10-01", "2024-01-01"], ["2024-04-01", "2024-07-01"]),
    # Python refused; the table went on with 91 or 92 days
    "quarters on the 20th": (
        ["2023-05-20", "2023-08-20", "2023-11-20", "2024-02-20"],
        ["2024-05-20", "2024-08-20"],
    ),
    # Both took these for 365 days and went on with 2024-07-03
    "a day of the year": (
        ["2021-07-04", "2022-07-04", "2023-07-04"],
        ["2024-07-04", "2025-07-04"],
    ),
    "leap days": (
        ["2020-02-29", "2021-02-28", "2022-02-28", "2023-02-28"],
        ["2024-02-29", "2025-02-28"],
    ),
    "years": (["2021-01-01", "2022-01-01", "2023-01-01"], ["2024-01-01", "2025-01-01"]),
    "fiscal years": (["2021-06-30", "2022-06-30", "2023-06-30"], ["2024-06-30", "2025-06-30"]),
    "weeks": (days(0, 7, 14), days(21, 28)),
    "two weeks": (days(0, 14, 28), days(42, 56)),
    "four weeks": (days(2, 30, 58), days(86, 114)),
    "days": (days(0, 1, 2, 3, 4), days(5, 6)),
    "business days": (days(0, 1, 2, 3, 4, 7), days(8, 9)),
    "ten days": (days(0, 10, 20, 30), days(40, 50)),
    "third Fridays": (
        ["2023-12-15", "2024-01-19", "2024-02-16", "2024-03-15"],
        ["2024-04-19", "2024-05-17"],
    ),
    "last Fridays": (
        ["2024-01-26", "2024-02-23", "2024-03-29", "2024-04-26"],
        ["2024-05-31", "2024-06-28"],
    ),
    "hours": (
        ["2024-01-31T22:00", "2024-01-31T23:00", "2024-02-01T00:00"],
        ["2024-02-01T01:00", "2024-02-01T02:00"],
    ),
    "months at noon": (
        ["2024-01-10T12:00", "2024-02-10T12:00", "2024-03-10T12:00"],
        ["2024-04-10T12:00", "2024-05-10T12:00"],
    ),
    # Python refused; the table went on from the last time, and noted uneven steps
    "minutes of a clock that is late": (
        minutes("00:01", "01:00", "02:02", "03:01", "03:58", "05:00"),
        minutes("06:00", "07:00"),
    ),
}

# dates, what is missing, what follows
MISSING = {
    # Python gave up; the table added steps of 31 days
    "the 15th": (
        ["2024-01-15", "2024-02-15", "2024-04-15", "2024-05-15"],
        ["2024-03-15"],
        "2024-06-15",
    ),
    "month ends": (
        ["2023-12-31", "2024-01-31", "2024-03-31", "2024-04-30"],
        ["2024-02-29"],
        "2024-05-31",
    ),
    "quarters": (
        ["2022-10-01", "2023-01-01", "2023-07-01", "2023-10-01"],
        ["2023-04-01"],
        "2024-01-01",
    ),
    "weeks": (days(0, 7, 21, 28), days(14), days(35)[0]),
    # Python took these for business days, the table for days: no weekend says which
    "days without a Wednesday": (days(0, 1, 3, 4), days(2), days(5)[0]),
    "business days without a Wednesday": (days(0, 1, 3, 4, 7, 8), days(2), days(9)[0]),
    "business days without New Year": (
        [
            day
            for day in days(*range(2, 26))
            if pd.Timestamp(day).weekday() < 5 and day[-5:] != "01-15"
        ],
        ["2024-01-15"],
        "2024-01-29",
    ),
    "days": (days(0, 1, 4, 5, 6), days(2, 3), days(7)[0]),
    "hours": (
        ["2024-01-01T00:00", "2024-01-01T01:00", "2024-01-01T03:00"],
        ["2024-01-01T02:00"],
        "2024-01-01T04:00",
    ),
    # Both refused or added nothing
    "third Fridays": (
        ["2024-01-19", "2024-02-16", "2024-04-19", "2024-05-17"],
        ["2024-03-15"],
        "2024-06-21",
    ),
    "last business days": (
        ["2024-01-31", "2024-02-29", "2024-04-30", "2024-05-31", "2024-06-28"],
        ["2024-03-29"],
        "2024-07-31",
    ),
    "minutes of a clock that is late": (
        minutes("00:01", "01:00", "02:02", "05:01", "06:00", "07:02"),
        minutes("03:00", "04:00"),
        minutes("08:00")[0],
    ),
}

UNEVEN = {
    "no rule": days(0, 1, 5, 17, 18, 40),
    "readings about the first of months": [
        "2024-01-02", "2024-02-01", "2024-03-03", "2024-04-01", "2024-05-02",
    ],
    "a time between others": [
        "2024-01-01T00:00", "2024-01-02T00:00", "2024-01-03T07:00", "2024-01-04T00:00",
    ],
    "most are missing": days(0, 1, 2, 40, 41),
}  # fmt: skip


def table(folder: Path, dates: list[str], fill: str | None = None) -> Observed:
    """What the command line makes of dates in a file: values, and dates that follow."""
    path = folder / "t.csv"
    rows = "".join(f"{one},{row}\n" for row, one in enumerate(dates))
    path.write_text("date,x\n" + rows)
    return read_table(path).pick(fill=fill)


def python(dates: list[str], fill: str | None = None) -> Observed:
    """What Python makes of the same dates in an index."""
    index = pd.DatetimeIndex(pd.to_datetime(dates, format="ISO8601"))
    return observed(pd.Series(np.arange(float(len(dates))), index), fill)


def same(found: pd.Index, expected: list[str]) -> None:
    assert list(found) == [pd.Timestamp(one) for one in expected]


def test_three_dates_are_enough_for_a_rule_about_weekdays():
    """Third Fridays."""
    found = calendar_of(pd.DatetimeIndex(["2024-02-16", "2024-03-15", "2024-04-19"]))
    assert found.even
    same(found.coming(3), ["2024-05-17", "2024-06-21", "2024-07-19"])


@pytest.mark.parametrize("case", EVEN)
def test_even_dates_go_on_alike(tmp_path, case):
    dates, coming = EVEN[case]
    same(python(dates).form.coming(2), coming)
    series = table(tmp_path, dates)
    same(pd.to_datetime(series.ahead(2), format="ISO8601"), coming)
    same(series.clock.axis_ahead(2), coming)


@pytest.mark.parametrize("case", MISSING)
def test_missing_dates_are_refused_added_or_skipped_alike(tmp_path, case):
    dates, missing, after = MISSING[case]
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    for refused in (lambda: python(dates), lambda: table(tmp_path, dates)):
        with pytest.raises(sn.BadInput, match="must have a row for every date, got none for") as no:
            refused()
        said = re.search(r"got none for (\S+(?: \d\S+)?)( and \d more)?;", str(no.value))
        assert said is not None and pd.Timestamp(said[1]) == pd.Timestamp(missing[0])
        assert (said[2] or "") == more
    ours, file = python(dates, "linear"), table(tmp_path, dates, "linear")
    same(
        ours.form.index[~ours.form.index.isin(ours.form.index[:0])],
        list(map(str, file.clock.times)),
    )
    assert np.array_equal(ours.values, file.values) and ours.notes and file.notes
    assert len(ours.values) == len(dates) + len(missing)
    assert {pd.Timestamp(one) for one in missing} <= set(ours.form.index)
    for fill in ("linear", "skip"):
        same(python(dates, fill).form.coming(1), [after])
        same(pd.to_datetime(table(tmp_path, dates, fill).ahead(1), format="ISO8601"), [after])
    kept = python(dates, "skip")
    assert len(kept.values) == len(dates) and not kept.form.calendar.even
    assert kept.notes[0].startswith("uneven time: 1 of")
    assert np.array_equal(table(tmp_path, dates, "skip").values, kept.values)


@pytest.mark.parametrize("case", UNEVEN)
@pytest.mark.parametrize("fill", [None, "linear"])
def test_uneven_dates_are_refused_alike_and_may_be_skipped(tmp_path, case, fill):
    dates = UNEVEN[case]
    for refused in (lambda: python(dates, fill), lambda: table(tmp_path, dates, fill)):
        with pytest.raises(sn.BadInput, match=r"(evenly spaced|at least half of its) dates, got"):
            refused()
    ours, file = python(dates, "skip"), table(tmp_path, dates, "skip")
    assert np.array_equal(ours.values, file.values) and len(ours.values) == len(dates)
    same(ours.form.coming(2), pd.to_datetime(file.ahead(2), format="ISO8601"))


def test_forecasts_of_python_and_of_the_command_line_have_the_same_dates(tmp_path):
    dates = pd.date_range("2020-01-15", periods=64, freq=pd.DateOffset(months=1, day=15))
    values = 10.0 + np.sin(np.arange(64.0) * np.pi / 6.0) + 0.01 * np.arange(64.0) ** 1.5
    text = [
        f"{date:%Y-%m-%d},{value!r}" for date, value in zip(dates, values.tolist(), strict=True)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["date,x", *text]))
    result = forecast(read_table(tmp_path / "t.csv").pick(), 4)
    ours = SeriesForecaster(horizon=4, verbose=False).fit(pd.Series(values, dates.to_numpy()))
    assert ours.seasons_ == result.model.seasons_ == (12,)
    assert result.times == ["2025-05-15", "2025-06-15", "2025-07-15", "2025-08-15"]
    same(ours.forecast().index, result.times)
    assert np.array_equal(ours.forecast().mean, result.values[:, 0])
    network = sn.ESNForecaster(units=20, bend=0, memory=5, random_state=0).fit(
        pd.Series(values, dates.to_numpy())
    )
    same(network.forecast(4).index, result.times)
    sn.save(network, tmp_path / "m.spheresn")
    same(sn.load(tmp_path / "m.spheresn").forecast(4).index, result.times)


def test_columns_of_years_and_months_are_dates_even_if_some_are_missing(tmp_path):
    """A missing month made the rows lose their dates, in silence."""
    rows = [(2023, 11), (2023, 12), (2024, 2), (2024, 3)]
    path = tmp_path / "t.csv"
    path.write_text("year,month,x\n" + "".join(f"{a},{b},{7 * a + b}\n" for a, b in rows))
    with pytest.raises(sn.BadInput, match="got none for 2024-01; --fill linear"):
        read_table(path).pick()
    assert read_table(path).pick(fill="linear").ahead(1) == ["2024-04"]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kolkata"])
@pytest.mark.parametrize("frequency", ["D", "h", "MS", "7D"])
def test_dates_go_on_where_clocks_change(zone, frequency):
    """By the clock on the wall for days and months, by time itself for hours."""
    index = pd.date_range("2024-01-01", periods=12, freq=frequency, tz=zone)
    if frequency != "MS":
        index = pd.date_range("2024-03-29", periods=80, freq=frequency, tz=zone)
    known = pd.DatetimeIndex(index[:-3].to_numpy())
    found = calendar_of(known.delete(4))
    assert list(found.missing) == [known[4]] and list(found.coming(3)) == list(index[-3:])


def test_times_that_are_rounded_stay_on_their_clock():
    """Thirds of a second in thousandths, over an hour: a step of 333 ms would be 3 s behind."""
    thirds = np.arange(9000.0) / 3.0
    dates = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.round(1e3 * thirds), unit="ms")
    found = calendar_of(dates[:-10].delete(77))
    assert len(found.missing) == 1
    assert np.abs((found.coming(10) - dates[-10:]).total_seconds()).max() < 0.002


def test_days_that_were_stored_in_utc_are_even():
    """Midnights of Berlin are at 23:00 or 22:00 of UTC."""
    index = pd.date_range("2024-03-25", periods=14, freq="D", tz="Europe/Berlin").tz_convert("UTC")
    calendar = calendar_of(pd.DatetimeIndex(index.to_numpy()))
    assert calendar.even and calendar.spacing == "1 day"


def test_periods_may_be_missing_and_evenly_spaced_numbers_go_on(tmp_path):
    quarters = pd.PeriodIndex(["2023Q1", "2023Q2", "2023Q4"], freq="Q")
    with pytest.raises(sn.BadInput, match="got none for 2023Q3; "):
        observed(pd.Series(np.arange(3.0), quarters))
    for fill in ("linear", "skip"):
        found = observed(pd.Series(np.arange(3.0), quarters), fill)
        assert list(found.form.coming(1)) == [pd.Period("2024Q1")]
        again = SeriesForm.from_plain(found.form.plain())
        assert list(again.coming(1)) == [pd.Period("2024Q1")]
    # Python counted rows, 3 and 4
    seconds = observed(pd.Series(np.arange(3.0), [0.0, 0.1, 0.2])).form
    path = tmp_path / "t.csv"
    path.write_text("t,x\n0,5\n0.1,6\n0.2,8\n")
    assert read_table(path).pick().ahead(2) == ["0.3", "0.4"]
    for form in (seconds, SeriesForm.from_plain(seconds.plain())):
        assert np.allclose(form.coming(2), [0.3, 0.4], rtol=1e-14)
        assert np.allclose(form.after(1).coming(1), [0.4], rtol=1e-14)


@pytest.mark.parametrize(
    "frequency",
    [pd.DateOffset(months=3, day=20), pd.offsets.BDay(), pd.offsets.QuarterEnd(startingMonth=2)],
)
def test_a_frequency_that_was_written_is_the_same(frequency):
    assert from_text(to_text(frequency)) == frequency


def test_long_gaps_of_a_clock_do_not_take_memory():
    """A date typed wrong is 8,000 years away."""
    dates = pd.DatetimeIndex([*days(0, 1, 2, 3), "9999-12-31"]).as_unit("s")
    assert not calendar_of(dates).can_be_filled
    seconds = pd.to_datetime(["2024-01-01T00:00:00", "2024-01-01T00:00:01", "2224-01-01T00:00:01"])
    assert calendar_of(seconds).every is None


FREQUENCIES = ("D", "B", "W-WED", "h", "90min", "MS", "ME", "BME", "QS-FEB", "YE-JUN", "WOM-3FRI")
ODD = [pd.DateOffset(months=1, day=day) for day in (2, 15, 30)] + [pd.offsets.LastWeekOfMonth()]


@pytest.mark.parametrize("frequency", [*FREQUENCIES, *ODD])
def test_what_is_left_out_is_found_again(frequency):
    """Of dates at any frequency, some rows in the middle are missing; the calendar is the same."""
    rng = np.random.default_rng(0)
    for start in pd.to_datetime("2001-01-01") + pd.to_timedelta(
        rng.integers(0, 7000, 20), unit="D"
    ):
        dates = pd.date_range(start, periods=60, freq=frequency)[1:]
        gone = np.sort(rng.choice(np.arange(1, 50), 5, replace=False))
        calendar = calendar_of(pd.DatetimeIndex(np.delete(dates[:51].to_numpy(), gone)))
        assert list(calendar.missing) == list(dates[gone])
        assert list(calendar.coming(8)) == list(dates[51:])


def test_the_explorer_takes_a_file_with_a_missing_date_and_says_so_in_its_command():
    """Its page has no option to fill; the command beside the forecast makes the same one."""
    rows = "".join(f"{day},{place % 7}\n" for place, day in enumerate(days(*range(30), 31, 32, 33)))
    series = series_from("t.csv", f"date,x\n{rows}".encode())
    assert not is_even(series) and len(series.values) == 33
    assert (
        command_of("t.csv", 5, is_even(series)) == "spheresn forecast t.csv --steps 5 --fill skip"
    )
    assert command_of("t.csv", 0, is_even(None)) == "spheresn forecast t.csv"
