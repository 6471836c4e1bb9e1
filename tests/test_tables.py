"""The user's own tables: every cell counts, time continues as it was, and errors name the row."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spheresn.apps.tables import Clock, FileError, read, read_table
from spheresn.apps.tables.cells import cells_of
from spheresn.apps.tables.clock import clock_of, dates_in


def written(folder: Path, text: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def picked(folder: Path, text: str, *names: str, fill: str | None = None):
    return read_table(written(folder, text)).pick(names, fill)


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.standard_normal((20, 2)), columns=["a", "b"])


def test_all_formats_say_the_same(tmp_path, frame):
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "t.txt", index=False, sep=";", decimal=",")
    np.save(tmp_path / "t.npy", frame.to_numpy())
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.tsv", "t.txt", "t.npy", "t.parquet"):
        series = read_table(tmp_path / name).pick()
        assert np.allclose(series.values, frame.to_numpy(), rtol=1e-15)
        assert series.names == (("column 1", "column 2") if name == "t.npy" else ("a", "b"))


def test_a_table_without_header_keeps_its_first_row(tmp_path):
    series = picked(tmp_path, "1,10\n2,20\n3,30\n")
    assert series.names == ("column 1", "column 2") and series.values.tolist() == [
        [1, 10],
        [2, 20],
        [3, 30],
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('x,"y, net"\n1,999\n2,"1,310"\n3,"12,000"\n', [999, 1310, 12000]),
        ('x,y\n1,"1,234.5"\n2,"-1,000,000"\n3,7\n', [1234.5, -1e6, 7]),
        ('x,y\n1,"1,5"\n2,"1,310"\n3,2\n', [1.5, 1.31, 2]),
        ("x;y\n1;1,310\n2;1,5\n3;2\n", [1.31, 1.5, 2]),
        ("x;y\n1;1,310\n2;12,000\n3;2,000\n", [1.31, 12, 2]),
        ("x;y\n1;1,310.5\n2;12,000\n3;2\n", [1310.5, 12000, 2]),
    ],
)
def test_commas_are_decimal_or_stand_between_thousands(tmp_path, text, values):
    """Three digits after every comma, where commas also separate cells, are thousands."""
    assert picked(tmp_path, text).values[:, 1].tolist() == values


@pytest.mark.parametrize(
    ("times", "ahead"),
    [
        (("2024-02-27", "2024-02-28", "2024-02-29"), ["2024-03-01", "2024-03-02"]),
        (("2024-02-26", "2024-02-28"), ["2024-03-01", "2024-03-03"]),
        (("2024-01-31", "2024-02-29", "2024-03-31"), ["2024-04-30", "2024-05-31"]),
        (("2024-11-01", "2024-12-01", "2025-01-01"), ["2025-02-01", "2025-03-01"]),
        (
            ("2024-01-01T22:00", "2024-01-01T23:00", "2024-01-02T00:00"),
            ["2024-01-02T01:00:00", "2024-01-02T02:00:00"],
        ),
        (
            ("2020-03-29 00:00:00+01:00", "2020-03-29 01:00:00+01:00", "2020-03-29 03:00:00+02:00"),
            ["2020-03-29T02:00:00+00:00", "2020-03-29T03:00:00+00:00"],
        ),
        (("29.12.2023", "30.12.2023", "31.12.2023"), ["2024-01-01", "2024-01-02"]),
        (("13/02/2020", "14/02/2020", "15/02/2020"), ["2020-02-16", "2020-02-17"]),
        (("Nov 2019", "Dec 2019", "Jan 2020"), ["2020-02-01", "2020-03-01"]),
        (("November 2019", "December 2019", "January 2020"), ["2020-02-01", "2020-03-01"]),
        (("Nov-19", "Dec-19", "Jan-20"), ["2020-02-01", "2020-03-01"]),
        (("1999", "2000", "2001"), ["2002", "2003"]),
        (("0", "0.1", "0.2"), ["0.3", "0.4"]),
    ],
)
def test_time_goes_on_as_it_came(tmp_path, times, ahead):
    series = picked(
        tmp_path, "time,x\n" + "".join(f"{time},{i * i}\n" for i, time in enumerate(times))
    )
    assert (
        series.names == ("x",)
        and series.clock is not None
        and series.clock.ahead(2) == ahead
        and not series.notes
    )


NOTATIONS = [
    (("1991 W51", "1991 W52", "1992 W01"), ["1992 W02", "1992 W03"], "1 week", "W"),
    (("2020-W52", "2020-W53", "2021-W01"), ["2021-W02", "2021-W03"], "1 week", "W"),
    (("1998 Q2", "1998 Q3", "1998 Q4"), ["1999 Q1", "1999 Q2"], "1 quarter", "Q"),
    (("1998Q2", "1998Q3", "1998Q4"), ["1999Q1", "1999Q2"], "1 quarter", "Q"),
    (("1960 Oct", "1960 Nov", "1960 dec"), ["1961 Jan", "1961 Feb"], "1 month", "M"),
    (("1960-10", "1960-11", "1960-12"), ["1961-01", "1961-02"], "1 month", "M"),
    (("1960M10", "1960M11", "1960M12"), ["1961M01", "1961M02"], "1 month", "M"),
    (("1960-10", "1961-01", "1961-04"), ["1961-07", "1961-10"], "1 quarter", "Q"),
    (("196010", "196011", "196012"), ["196101", "196102"], "1 month", "M"),
    (("20231230", "20231231", "20240101"), ["20240102", "20240103"], "1 day", "D"),
    (("20231101", "20231201", "20240101"), ["20240201", "20240301"], "1 month", "M"),
    (("1871", "1872", "1873"), ["1874", "1875"], "1 year", "Y"),
    (("2000", "2004", "2008"), ["2012", "2016"], "4 years", "Y"),
]


@pytest.mark.parametrize(("times", "ahead", "spacing", "unit"), NOTATIONS)
def test_weeks_quarters_months_and_years_are_dates(tmp_path, times, ahead, spacing, unit):
    """They go on in their own notation, and have a frequency that suggests seasons."""
    text = "year,x\n" + "".join(f"{time},{i * i}\n" for i, time in enumerate(times))
    clock = picked(tmp_path, text).clock
    assert clock.ahead(2) == ahead and clock.spacing == spacing and clock.even
    assert [one.title() for one in clock.written] == [one.title() for one in times]
    assert clock.calendar.step.rule_code.startswith(unit)
    assert (clock.axis_ahead(2) > clock.axis[-1]).all()


@pytest.mark.parametrize(
    ("times", "ahead", "row"),
    [
        (("2020 W01", "2020 W02", "2020 W04", "2020 W05"), "2020 W06", 4),
        (("1998 Q1", "1998 Q3", "1998 Q4", "1999 Q1"), "1999 Q2", 3),
        (("1998 Jan", "1998 Feb", "1998 Mar", "1998 May"), "1998 Jun", 5),
        (("1998-11-01", "1998-12-01", "1999-02-01", "1999-03-01"), "1999-04-01", 4),
        (("1998-01-31", "1998-03-31", "1998-04-30", "1998-05-31"), "1998-06-30", 3),
        (("199801", "199803", "199804", "199805"), "199806", 3),
        (("19980101", "19980301", "19980401", "19980501"), "19980601", 3),
    ],
)
def test_a_missing_week_quarter_or_month_is_reported_by_row(tmp_path, times, ahead, row):
    text = "date,x\n" + "".join(f"{time},1\n" for time in times)
    series = picked(tmp_path, text, fill="skip")
    assert (
        f"1 of 3 steps of 'date' differ from 1 {series.clock.spacing[2:]}, at row {row}"
        in (series.notes[0])
    )
    assert series.clock.ahead(1) == [ahead]


def test_times_of_many_digits_and_last_fridays_go_on():
    milliseconds = clock_of("timestamp", pd.Index(1609459261234.0 + np.arange(20)), 1)
    assert milliseconds.ahead(2) == ["1609459261254", "1609459261255"]
    fridays = pd.date_range("2018-12-15", periods=28, freq="LWOM-FRI")
    clock = clock_of("day", pd.DatetimeIndex(fridays[:26].to_numpy()), 1)
    assert clock.ahead(2) == ["2021-02-26", "2021-03-26"] and clock.even


@pytest.mark.parametrize(
    "times",
    [
        ("20240130", "20240131", "20240132"),
        ("202311", "202312", "202313"),
        ("9990101", "9990102", "9990103"),
        ("99990101", "99990102", "99990103"),
        ("202312", "20231231", "20240101"),
    ],
)
def test_numbers_with_the_digits_of_no_date_stay_numbers(tmp_path, times):
    text = "time,x\n" + "".join(f"{time},1\n" for time in times)
    assert not picked(tmp_path, text, fill="skip").clock.has_dates


@pytest.mark.parametrize("times", [("Jan-16", "Jan-17", "Jan-18"), ("Jan-16", "Feb-30", "Xyz-16")])
def test_short_months_that_may_be_days_are_no_dates_and_this_is_said(tmp_path, times):
    series = picked(tmp_path, "date,x\n" + "".join(f"{time},1\n" for time in times))
    assert series.clock is None
    assert "'date' holds no dates that are understood, but 'Jan-16'" in series.notes[0]


@pytest.mark.parametrize("cell", ["later", "", "Source: our shop"])
def test_a_row_without_a_date_among_dates_is_refused(tmp_path, cell):
    """Totals below a table would be its last value; these numbers are no sums."""
    text = f"date,x\n2020-01-01,1\n2020-02-01,2\n{cell},4\n"
    with pytest.raises(ValueError, match=f"must have a date in every row, got '{cell}' in row 4; "):
        picked(tmp_path, text)


@pytest.mark.parametrize("cell", ["2021-W53", "1998 Q5", "1998-13", "1998 Foo"])
def test_units_that_no_year_has_are_no_dates(tmp_path, cell):
    words = [cell, cell.replace("1998", "1999").replace("2021", "2022")]
    assert picked(tmp_path, f"when,x\n{words[0]},1\n{words[1]},2\n").clock is None


def test_a_week_among_other_words_makes_no_dates(tmp_path):
    assert picked(tmp_path, "when,x\n2020-W01,1\nsoon,2\n").clock is None


def test_dates_of_parquet_are_dates_and_must_go_on_within_the_calendar():
    dates, notation = dates_in(pd.Series(pd.date_range("9999-12-28", periods=3, unit="s")))
    assert notation is None and clock_of("date", dates, 1).ahead(1) == ["9999-12-31"]
    with pytest.raises(ValueError, match="must continue within the years that pandas can"):
        clock_of("date", dates, 1).ahead(2)


def test_rows_are_numbered_beside_a_column_that_is_called_row(tmp_path):
    assert picked(tmp_path, "row,x\n5,1\n3,2\n").time_name == "row number"


@pytest.mark.parametrize("years", [("1", "2", "3"), ("1999", "2000", "2002"), ("1999", "2000")])
def test_numbers_that_are_no_even_years_stay_numbers(tmp_path, years):
    text = "year,x\n" + "".join(f"{year},1\n" for year in years)
    assert not isinstance(picked(tmp_path, text, fill="skip").clock.times, pd.DatetimeIndex)


@pytest.mark.parametrize(
    ("head", "rows", "aside"),
    [
        (",date,x", ["0,2020-01-01,5", "1,2020-01-02,7", "2,2020-01-03,6"], "column 1"),
        ("Unnamed: 0,x", ["0,5", "1,7", "2,6"], "Unnamed: 0"),
        ("rownames,year,x", ["1,1871,5", "2,1872,7", "3,1873,6"], "rownames"),
        ("date,hour,x", ["2020-01-01,22,5", "2020-01-02,23,6", "2020-01-03,0,9"], "hour"),
        ("date,Day of week,x", ["2020-01-01,2,5", "2020-01-02,3,6"], "Day of week"),
        ("date,t,x", ["2020-01-01,0.5,5", "2020-01-02,0.6,6"], "t"),
        ("year,month,x", ["2020,11,5", "2020,12,6", "2021,1,9"], "year, month"),
        ("year,month,x", ["2020,11,5", "2020,12,6", "2020,12,9"], "year, month"),
        ("year,month,x", ["2020,11,5", "2020,13,6", "2021,1,9"], "year"),
    ],
)
def test_row_numbers_and_parts_of_dates_are_left_out_named_and_can_be_asked_for(
    tmp_path, head, rows, aside
):
    text = "\n".join([head, *rows])
    series = picked(tmp_path, text)
    assert series.names == (("month", "x") if aside == "year" else ("x",))
    note = f"left out, row numbers or parts of dates: {aside}; --column uses one as data"
    assert note in series.notes
    name = aside.split(", ")[0]
    assert picked(tmp_path, text, name, "x").names == (name, "x")


def test_columns_that_make_up_dates_are_the_time(tmp_path):
    head, rows = "year,month,x", ["2020,11,5", "2020,12,6", "2021,1,9"]
    series = picked(tmp_path, "\n".join([head, *rows]))
    assert series.clock.ahead(1) == ["2021-02"] and series.time_name == "year month"
    hours = ["2020,2,28,22,1", "2020,2,28,23,1", "2020,2,29,0,1"]
    series = picked(tmp_path, "\n".join(["year,month,day,hour,x", *hours]))
    assert series.clock.ahead(1) == ["2020-02-29T01:00:00"] and series.clock.spacing == "1 hour"
    gap = ["2020,11,5", "2020,12,6", "2021,3,9"]
    filled = picked(tmp_path, "\n".join([head, *gap]), fill="linear")
    assert filled.values[:, 0].tolist() == [5.0, 6.0, 7.0, 8.0, 9.0]
    rare = ["2020,11,5", "2020,12,6", "2024,3,9"]
    assert picked(tmp_path, "\n".join([head, *rare])).clock is None


def test_years_can_be_asked_for_and_parts_of_dates_serve_if_there_is_nothing_else(tmp_path):
    series = picked(tmp_path, "year,x\n1999,5\n2000,6\n2001,8\n", "year")
    assert series.values[:, 0].tolist() == [1999, 2000, 2001] and series.clock is None
    series = picked(tmp_path, "date,month\n2020-01-01,1\n2020-02-01,2\n")
    assert series.names == ("month",) and not series.notes
    with pytest.raises(ValueError, match="--column must be one of 'x', got the time of the rows"):
        picked(tmp_path, "date,x\n2020-01-01,1\n2020-02-01,2\n", "date")


def test_uneven_time_is_refused_or_skipped_and_reported_by_row(tmp_path):
    text = "date,x\n2020-01-01,1\n2020-01-02,2\n2020-01-05,3\n2020-01-06,3\n2020-01-07,3\n"
    with pytest.raises(ValueError, match="a row for every date, got none for 2020-01-03 and 1 mo"):
        picked(tmp_path, text)
    series = picked(tmp_path, text, fill="skip")
    assert "1 of 4 steps of 'date' differ from 1 day, at row 4" in series.notes[0]
    assert series.clock.ahead(1) == ["2020-01-08"]


@pytest.mark.parametrize(
    ("times", "added"),
    [
        (["2020-01-01", "2020-01-02", "2020-01-05", "2020-01-06"], "2020-01-03, 2020-01-04"),
        (["2020-01", "2020-02", "2020-04", "2020-05"], "2020-03"),
        (["2020-01-31", "2020-02-29", "2020-04-30", "2020-05-31"], "2020-03-31"),
        (["2020-W01", "2020-W02", "2020-W04", "2020-W05"], "2020-W03"),
        (["0.1", "0.2", "0.4", "0.5"], "0.3"),
    ],
)
def test_missing_times_are_added_on_request(times, added, tmp_path):
    """On a line, what is between two rows is known exactly."""
    gap = 1 + added.count(",") + 1
    values = [1, 2, 2 + gap, 3 + gap]
    rows = "\n".join(f"{time},{value}," for time, value in zip(times, values, strict=True))
    series = picked(tmp_path, "time,x,y\n" + rows.replace(",2,", ",,"), "x", fill="linear")
    assert series.values[:, 0].tolist() == list(range(1, 4 + gap))
    assert f"added and interpolated linearly: time {added}" in series.notes
    assert series.clock.even and len(series.clock.times) == 3 + gap


@pytest.mark.parametrize(
    "times",
    [
        ["2020-01-01", "2020-01-02", "2020-01-03 07:00", "2020-01-04", "2020-01-05"],
        ["2020-01-01", "2020-01-02", "2020-01-03", "2024-01-04", "2024-01-05"],
        ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04", "9999-12-31"],
        ["1", "2", "3.5", "4", "5"],
        ["-1e300", "0", "1", "2", "1e300"],
    ],
)
def test_times_between_others_and_long_gaps_are_not_completed(times, tmp_path):
    rows = "\n".join(f"{time},{k}" for k, time in enumerate(times))
    with pytest.raises(ValueError, match=r"must have (evenly|at least half)"):
        picked(tmp_path, "time,x\n" + rows, fill="linear")
    series = picked(tmp_path, "time,x\n" + rows, fill="skip")
    assert len(series.values) == 5 and "uneven time" in series.notes[0]


def test_business_days_may_miss_holidays(tmp_path):
    days = pd.bdate_range("2024-03-01", "2024-04-30").drop("2024-03-29").strftime("%Y-%m-%d")
    text = "date,x\n" + "\n".join(f"{day},{k}" for k, day in enumerate(days))
    series = picked(tmp_path, text, fill="skip")
    assert "1 of 41 steps of 'date' differ from 1 business day" in series.notes[0]
    assert series.clock.ahead(4) == ["2024-05-01", "2024-05-02", "2024-05-03", "2024-05-06"]
    assert len(picked(tmp_path, text, fill="linear").values) == 43


def test_an_increasing_column_is_data_unless_its_name_is_a_word_for_time(tmp_path):
    assert picked(tmp_path, "population,x\n1,5\n2,6\n3,9\n").names == ("population", "x")
    series = picked(tmp_path, "step,x\n22,5\n23,6\n0,9\n")
    assert series.names == ("step", "x") and "'step' does not increase" in series.notes[0]


def test_holes_are_named_as_a_spreadsheet_numbers_them_and_filled_on_request(tmp_path):
    text = "x,y\n1,1\n,2\nNA,3\n4,4\n\n6,6\n"
    with pytest.raises(
        ValueError,
        match=r"column 'x' must have a number in every row, got none in rows 3, 4, 6; .* "
        "--fill linear",
    ):
        picked(tmp_path, text)
    series = picked(tmp_path, text, fill="linear")
    assert series.values[:, 0].tolist() == series.values[:, 1].tolist() == [1, 2, 3, 4, 5, 6]
    assert any("rows 3, 4, 6" in note for note in series.notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x\n\n1\n2\n", "begin and end with a number"),
        ("x,y\n1,1\n2,oops\n3,3\n", "'y' must hold finite numbers, got 'oops' in row 3"),
        ("x\n1\n2\ninf\n", "got 'inf' in row 4"),
        ("x,x\n1,2\n", "'x' more than once"),
        ("date,y\n", "rows below its header, got none"),
        ("x,y\n5 km,b\n", "column of numbers, got '5 km' in row 2 of 'x'"),
        ("date,day\n2020-01-01,a\n", "column of numbers, got 'a' in row 2 of 'day'"),
        ("year,city\n2020,Rome\n2021,Oslo\n2022,Bonn\n", "numbers, got 'Rome' in row 2 of 'city'"),
        ("x\n1 2\n3 4\n", "column of numbers, got '1 2' in row 2 of 'x'"),
        ("\n\n\n", "FILE must"),
        (
            "date,x\n2020-01-01,1\n2020-01-03,1\n2020-01-02,1\n",
            "must increase from row to row, got 2020-01-02 00:00:00 in row 4; sort or correct",
        ),
        (
            "date,x\n2020-01-01,1\n2020-01-02,1\n2020-01-02,1\n",
            "got 2020-01-02 00:00:00 in row 4 as in row 3; keep one of them",
        ),
        ("x,y\n" + "1,2\n" * 30 + "1,2,3,4\n", "line 32"),
    ],
)
def test_what_is_wrong_in_a_table_is_one_sentence(tmp_path, text, words):
    with pytest.raises(ValueError, match=r"must .*, got .*; ") as caught:
        picked(tmp_path, text, fill="linear")
    assert words in str(caught.value)


def test_text_is_left_out_and_said_but_not_when_asked_for(tmp_path):
    series = picked(tmp_path, "x,city\n1,Rome\n2,Oslo\n")
    assert series.names == ("x",) and series.notes == ("left out, not numbers: city",)
    with pytest.raises(ValueError, match="got 'Rome' in row 2"):
        picked(tmp_path, "x,city\n1,Rome\n2,Oslo\n", "city")
    with pytest.raises(ValueError, match="--column must be one of 'x', 'city', got 'z'"):
        picked(tmp_path, "x,city\n1,Rome\n2,Oslo\n", "z")


class Bomb:
    def __reduce__(self):
        return Path.touch, (Path("exploded"),)


def test_damaged_and_dangerous_files_are_one_sentence(tmp_path, monkeypatch, frame):
    monkeypatch.chdir(tmp_path)
    np.save("objects.npy", np.array([Bomb()], dtype=object), allow_pickle=True)
    np.save("cube.npy", np.zeros((2, 2, 2)))
    np.save("words.npy", np.array(["a"]))
    Path("empty.csv").touch()
    Path("bytes.csv").write_bytes(b"\xff\xfe\x00")
    Path("short.npy").write_bytes(b"\x93NUMPY\x01")
    Path("t.xlsx").write_bytes(b"PK")
    names = [
        "objects.npy",
        "cube.npy",
        "words.npy",
        "empty.csv",
        "bytes.csv",
        "short.npy",
        "t.xlsx",
        "none.csv",
        ".",
    ]
    if pytest.importorskip("pyarrow"):
        frame.to_parquet("whole.parquet")
        Path("cut.parquet").write_bytes(Path("whole.parquet").read_bytes()[:400])
        names.append("cut.parquet")
    for name in names:
        with pytest.raises(ValueError, match=r"FILE must .*, got .*; "):
            read_table(Path(name))
    assert not Path("exploded").exists()


def test_writing_times_looks_at_the_whole_clock_once(monkeypatch):
    """Whether all times are days was asked of all rows anew for every row: the work grew with their
    square.
    """
    clock = clock_of("day", pd.date_range("2020-01-01", periods=50, freq="D"), 2)
    asked: list[object] = []
    monkeypatch.setattr(Clock, "_days", property(lambda self: asked.append(self) or True))
    assert clock.written[:2] == ["2020-01-01", "2020-01-02"] and len(asked) == 1
    assert clock.ahead(2) == ["2020-02-20", "2020-02-21"] and len(asked) == 2


def test_a_file_of_empty_lines_and_a_missing_reader_are_sentences(tmp_path, monkeypatch):
    with pytest.raises(FileError, match="must hold a table, got only empty lines"):
        read_table(written(tmp_path, "\n,\n\n"))

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ValueError,
        match=r"reading 'table\.parquet' must find the package pyarrow, got none; "
        r"pip install 'spheresn\[parquet\]'",
    ):
        read_table(written(tmp_path, "PAR1", "table.parquet"))


def test_cells_of_any_kind_are_judged_like_text():
    """Text at once and cells one by one give the same numbers and the same faults."""
    words = [" 1 ", "2.5", "", "x", "-"]
    for column in (
        pd.Series(words, dtype="string"),
        pd.Series(words, dtype=object),
        pd.Series([1, "2.5", None, "x", pd.NA], dtype=object),
    ):
        cells = cells_of(column)
        assert np.array_equal(cells.numbers, [1.0, 2.5, np.nan, np.nan, np.nan], equal_nan=True)
        assert cells.wrong.tolist() == [False, False, False, True, False]


def test_dates_are_no_numbers():
    cells = cells_of(pd.Series(pd.to_datetime(["2020-01-01", None])))
    assert np.isnan(cells.numbers).all() and cells.wrong.tolist() == [True, False]


def test_times_that_are_numbers_are_written_drawn_and_reported():
    clock = clock_of("t", pd.Index([0.0, 0.1, 0.2]), 2)
    assert clock.written == ["0", "0.1", "0.2"] and clock.spacing == "0.1"
    assert np.allclose(clock.axis_ahead(2), [0.3, 0.4], rtol=1e-12)


STEPS = {
    "90s": "90 s",
    "120s": "2 minutes",
    "1h": "1 hour",
    "36h": "36 hours",
    "D": "1 day",
    "48h": "2 days",
    "2W-MON": "2 weeks",
}
STEPS |= {
    "B": "1 business day",
    "MS": "1 month",
    "3ME": "1 quarter",
    "2MS": "2 months",
    "YS": "1 year",
    "WOM-3FRI": "the frequency WOM-3FRI",
}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_reported_in_its_largest_whole_unit(step):
    assert (
        clock_of("time", pd.date_range("2020-01-01", periods=8, freq=step), 2).spacing
        == STEPS[step]
    )


def test_a_file_that_cannot_be_read_to_its_end_is_one_sentence(tmp_path, monkeypatch):
    def fails(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setitem(read.READERS, ".csv", fails)
    with pytest.raises(
        FileError,
        match=r"FILE must be a whole CSV file, got .* \(Input/output error\); write it again",
    ):
        read_table(written(tmp_path, "x\n1\n"))


def test_a_column_that_was_asked_for_must_have_rows(tmp_path):
    with pytest.raises(
        ValueError, match=r"FILE must have rows below its header, got none in 'table\.csv'; check"
    ):
        picked(tmp_path, "x,y\n", "x")
