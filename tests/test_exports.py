"""Tables as people export them: each form of the same data gives the same numbers and dates, to the
last bit, and so the same forecast.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import workbooks
from spheresn._errors import BadInput
from spheresn.apps.cli import main
from spheresn.apps.forecasts.result import observations
from spheresn.apps.tables import TimeSeries, read_table
from spheresn.apps.tables.table import Hints

ROWS = 36
DATES = [date(2021 + k // 12, k % 12 + 1, 1) for k in range(ROWS)]
# Cents are written out, so that each form holds these very numbers
SALES = [
    round(float(130_000.5 + 9_000.25 * np.sin(np.pi * k / 6) + 37.17 * k * (-1) ** k), 2)
    for k in range(ROWS)
]
MARGIN = [round(float(1_500.75 * np.cos(k) - 20 * k), 2) for k in range(ROWS)]  # of both signs
MONTHS = [
    *("Januar", "Februar", "März", "April", "Mai", "Juni"),
    *("Juli", "August", "September", "Oktober", "November", "Dezember"),
]
SHORT = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
HEAD = ["date", "sales", "margin"]

Number = Callable[[float], str]
Day = Callable[[date], str]


def plain(value: float) -> str:
    return repr(value)


def american(value: float) -> str:
    return f"{value:,.2f}"


def german(value: float) -> str:
    return f"{value:,.2f}".translate({ord(","): ".", ord("."): ","})


def comma(value: float) -> str:
    return repr(value).replace(".", ",")


def french(value: float) -> str:
    return german(value).replace(".", "\u00a0")


def narrow(value: float) -> str:
    return german(value).replace(".", "\u202f")


def swiss(value: float) -> str:
    return american(value).replace(",", "’")


def minus_behind(value: float) -> str:
    return german(abs(value)) + ("-" if value < 0 else "")


def accounting(value: float) -> str:
    return f"({american(-value)})" if value < 0 else american(value)


def euros(value: float) -> str:
    return f"{german(value)} €"


def dollars(value: float) -> str:
    return f"-${american(-value)}" if value < 0 else f"${american(value)}"


def code_behind(value: float) -> str:
    return f"{american(value)} EUR"


def per_cent(value: float) -> str:
    """The number times hundred, written exactly."""
    digits = f"{round(value * 100):d}"
    return f"{digits}.00 %"


def iso(day: date) -> str:
    return day.isoformat()


def points(day: date) -> str:
    return f"{day:%d.%m.%Y}"


def day_first(day: date) -> str:
    return f"{day:%d/%m/%Y}"


def month_first(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"


def short_year(day: date) -> str:
    return f"{day:%d.%m.%y}"


def in_german(day: date) -> str:
    return f"{day.day}. {MONTHS[day.month - 1]} {day.year}"


def rows_of(number: Number = plain, day: Day = iso) -> list[list[str]]:
    return [
        [day(when), number(one), number(two)]
        for when, one, two in zip(DATES, SALES, MARGIN, strict=True)
    ]


def text(
    rows: list[list[str]],
    delimiter: str = ",",
    *,
    end: str = "\n",
    quoting: int = csv.QUOTE_MINIMAL,
    encoding: str = "utf-8",
) -> bytes:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    return file.getvalue().encode(encoding)


def frame() -> pd.DataFrame:
    return pd.DataFrame({"date": pd.to_datetime(DATES), "sales": SALES, "margin": MARGIN})


def from_pandas(**options: Any) -> bytes:
    encoding = options.pop("encoding", "utf-8")
    return frame().to_csv(**options).encode(encoding)


def by_pandas(method: str, ending: str, **options: Any) -> tuple[bytes, str]:
    file = io.BytesIO()
    getattr(frame(), method)(file, **options)
    return file.getvalue(), ending


def from_r(delimiter: str, number: Number = plain, *, named: bool = False) -> bytes:
    """As write.csv writes it, or with `named` as write.table, whose header is one name shorter."""
    head = [*([] if named else [""]), *HEAD]
    rows = [[f'"{k}"', f'"{row[0]}"', *row[1:]] for k, row in enumerate(rows_of(number), 1)]
    lines = [delimiter.join(f'"{name}"' for name in head), *map(delimiter.join, rows)]
    return ("\n".join(lines) + "\n").encode()


def aligned() -> bytes:
    """Columns of fixed width, as print(data.frame) and many programs of laboratories write."""
    rows = [HEAD, *rows_of()]
    return "\n".join("  ".join(f"{cell:>12}" for cell in row) for row in rows).encode()


def stored() -> list[list[Any]]:
    """The rows of a workbook."""
    return [list(row) for row in zip(DATES, SALES, MARGIN, strict=True)]


TITLE = ["Sales report", None, None], ["Our shop, all branches"], []
TOTAL = [sum(SALES), sum(MARGIN)]
# What SAP writes above and below a list
SAP_HEAD = [["Umsatzbericht"], ["Buchungskreis 1000"], []]


def parts_of_dates(month: Callable[[int], str]) -> bytes:
    rows = [
        [str(day.year), month(day.month), plain(one), plain(two)]
        for day, one, two in zip(DATES, SALES, MARGIN, strict=True)
    ]
    return text([["year", "month", "sales", "margin"], *rows])


FORMS: dict[str, tuple[bytes, str]] = {
    "pandas": (from_pandas(index=False), "csv"),
    "pandas with its index": (from_pandas(), "csv"),
    "pandas, German": (from_pandas(index=False, sep=";", decimal=","), "csv"),
    "pandas, with a mark": (from_pandas(index=False, encoding="utf-8-sig"), "csv"),
    "pandas, tabs": (from_pandas(index=False, sep="\t"), "tsv"),
    "pandas, Excel": by_pandas("to_excel", "xlsx", index=False),
    "pandas, Excel with its index": by_pandas("to_excel", "xlsx"),
    "pandas, Parquet": by_pandas("to_parquet", "parquet", index=False),
    "R, write.csv": (from_r(","), "csv"),
    "R, write.csv2": (from_r(";", comma), "csv"),
    "R, write.table": (from_r(" ", named=True), "txt"),
    "R, write.table with tabs": (from_r("\t", named=True), "txt"),
    "R, printed": (aligned(), "txt"),
    "Excel": (workbooks.excel([HEAD, *stored()]), "xlsx"),
    "Excel, with macros": (workbooks.excel([HEAD, *stored()]), "xlsm"),
    "Excel, below titles": (
        workbooks.excel(
            [*TITLE, HEAD, *stored()], '<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>'
        ),
        "xlsx",
    ),
    "Excel, in a corner": (
        workbooks.excel([[], [], *([None, None, *row] for row in (HEAD, *stored()))]),
        "xlsx",
    ),
    "Excel, with totals": (workbooks.excel([HEAD, *stored(), ["Total", *TOTAL]]), "xlsx"),
    "Excel, newest first": (workbooks.excel([HEAD, *stored()[::-1]]), "xlsx"),
    "Excel, numbers as text": (workbooks.excel([HEAD, *rows_of(german, points)]), "xlsx"),
    "Excel, US": (text([HEAD, *rows_of(american, month_first)], end="\r\n"), "csv"),
    "Excel, US, dollars": (text([HEAD, *rows_of(dollars, month_first)], end="\r\n"), "csv"),
    "Excel, US, accounting": (text([HEAD, *rows_of(accounting, month_first)], end="\r\n"), "csv"),
    "Excel, UK": (text([HEAD, *rows_of(american, day_first)], end="\r\n"), "csv"),
    "Excel, German": (text([HEAD, *rows_of(german, points)], ";", end="\r\n"), "csv"),
    "Excel, German, euros": (
        text([HEAD, *rows_of(euros, points)], ";", end="\r\n", encoding="cp1252"),
        "csv",
    ),
    "Excel, German, short years": (text([HEAD, *rows_of(german, short_year)], ";"), "csv"),
    "Excel, French": (
        text([HEAD, *rows_of(french, day_first)], ";", end="\r\n", encoding="cp1252"),
        "csv",
    ),
    "Excel, French, newer": (text([HEAD, *rows_of(narrow, day_first)], ";"), "csv"),
    "Excel, Swiss": (text([HEAD, *rows_of(swiss, points)], ";", end="\r\n"), "csv"),
    "Excel, Unicode text": (
        text([HEAD, *rows_of(american, month_first)], "\t", end="\r\n", encoding="utf-16"),
        "txt",
    ),
    "Excel, more rows filled": (
        text([[*row, "", ""] for row in [HEAD, *rows_of(), ["", "", ""], ["", "", ""]]]),
        "csv",
    ),
    "LibreOffice": (workbooks.ods([HEAD, *stored()]), "ods"),
    "LibreOffice, below titles": (workbooks.ods([*TITLE, HEAD, *stored()]), "ods"),
    "LibreOffice, numbers as text": (workbooks.ods([HEAD, *rows_of(german, points)]), "ods"),
    "LibreOffice, all quoted": (text([HEAD, *rows_of()], quoting=csv.QUOTE_ALL), "csv"),
    "LibreOffice, German": (text([HEAD, *rows_of(comma, points)], ";"), "csv"),
    "SAP, German": (
        text(
            [
                *SAP_HEAD,
                HEAD,
                *rows_of(minus_behind, points),
                ["Gesamtergebnis", *map(minus_behind, TOTAL)],
            ],
            ";",
            end="\r\n",
            encoding="cp1252",
        ),
        "csv",
    ),
    "SAP, tabs": (text([*SAP_HEAD, HEAD, *rows_of(minus_behind, points)], "\t"), "txt"),
    "SAP, currency codes": (text([HEAD, *rows_of(code_behind, iso)], ";"), "csv"),
    "SAP, between bars": (text([HEAD, *rows_of(german, points)], "|"), "txt"),
    "a remark below": (text([HEAD, *rows_of(), [], ["Source: our shop", "", ""]]), "csv"),
    "sums below": (text([HEAD, *rows_of(), ["", *map(plain, TOTAL)]]), "csv"),
    "newest first": (text([HEAD, *rows_of()[::-1]]), "csv"),
    "per cent": (text([HEAD, *rows_of(per_cent)]), "csv"),
    "days and months with blanks": (
        text([HEAD, *rows_of(plain, lambda day: f"{day.day} {SHORT[day.month - 1]} {day.year}")]),
        "csv",
    ),
    "German months": (
        text(
            [HEAD, *rows_of(comma, lambda day: f"{day.day}. {MONTHS[day.month - 1]} {day.year}")],
            ";",
        ),
        "csv",
    ),
    "compact days": (text([HEAD, *rows_of(plain, lambda day: f"{day:%Y%m%d}")]), "csv"),
    "compact months": (text([HEAD, *rows_of(plain, lambda day: f"{day:%Y%m}")]), "csv"),
    "months as in pandas": (text([HEAD, *rows_of(plain, lambda day: f"{day:%Y-%m}")]), "csv"),
    "short months": (
        text([HEAD, *rows_of(plain, lambda day: f"{SHORT[day.month - 1]}-{day:%y}")]),
        "csv",
    ),
    "times at midnight": (text([HEAD, *rows_of(plain, lambda day: f"{day} 00:00:00")]), "csv"),
    "US, times at midnight": (
        text([HEAD, *rows_of(american, lambda day: f"{month_first(day)} 12:00:00 AM")]),
        "csv",
    ),
    "year and month": (parts_of_dates(str), "csv"),
    "year beside Jan": (parts_of_dates(lambda month: SHORT[month - 1]), "csv"),
    "year beside Januar": (parts_of_dates(lambda month: MONTHS[month - 1]), "csv"),
}


def read(folder: Path, form: str) -> TimeSeries:
    content, ending = FORMS[form]
    path = folder / f"table.{ending}"
    path.write_bytes(content)
    return read_table(path).pick()


@pytest.fixture(scope="module")
def expected() -> pd.DataFrame:
    index = pd.date_range("2021-01-01", periods=ROWS, freq="MS")
    return pd.DataFrame({0: SALES, 1: MARGIN}, index)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_numbers_and_dates(tmp_path, expected, form):
    """To the last bit, so that a forecast, which is a function of these alone, is the same too."""
    series = read(tmp_path, form)
    assert (
        series.names == ("sales", "margin") and series.values.tolist() == expected.values.tolist()
    )
    given = observations(series)
    assert (given.index == expected.index).all() and given.index.freqstr == "MS"


def test_there_are_many_forms():
    assert len(FORMS) >= 40


@pytest.mark.parametrize("form", ["Excel", "Excel, German, euros", "LibreOffice", "SAP, German"])
def test_the_forecast_is_the_same_file(tmp_path, form):
    """The command line, from the bytes of the table to those of forecast.csv."""
    found = []
    for one in ("pandas", form):
        content, ending = FORMS[one]
        (tmp_path / f"table.{ending}").write_bytes(content)
        out = tmp_path / one
        asked = ["forecast", str(tmp_path / f"table.{ending}"), "--steps", "6", "--out", str(out)]
        assert main(asked) == 0
        found.append((out / "forecast.csv").read_bytes())
    assert found[0] == found[1] and found[0].count(b"\n") == 7


NOTES = {
    "Excel, below titles": "skipped above the table: Sales report; Our shop, all branches",
    "SAP, German": "the text is no UTF-8 and was read as cp1252, as Excel writes on Windows",
    "Excel, with totals": "left out below the table: row 38",
    "newest first": "the newest row came first: sorted by 'date', rows are counted from the oldest",
    "per cent": "sales: 12 % is read as 0.12",
    "SAP, currency codes": "margin: in EUR",
    "a remark below": "left out below the table: rows 38, 39",
}


@pytest.mark.parametrize("form", NOTES)
def test_what_was_done_to_a_table_is_said(tmp_path, form):
    if form == "SAP, German":
        content, ending = FORMS[form]
        FORMS[form] = content.replace(b"Umsatzbericht", "Umsätze".encode("cp1252")), ending
    assert NOTES[form] in read(tmp_path, form).notes


def made(folder: Path, rows: list[list[str]], delimiter: str = ",", name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text(rows, delimiter))
    return path


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["112,500.00 EUR", "98,250.00 EUR"], [112_500, 98_250]),
        (["$1,234", "$999"], [1_234, 999]),
        (["1 234,5", "12,25"], [1_234.5, 12.25]),
        (["112.500,00", "98.250,00"], [112_500, 98_250]),
        (["12 %", "3.5 %", "0"], [0.12, 0.035, 0]),
        (["(1,200)", "1,300", "(7)"], [-1_200, 1_300, -7]),
        (["1.200-", "1.300,5"], [-1_200, 1_300.5]),
        (["1,234,567", "1.5"], [1_234_567, 1.5]),
        (["112.500 €", "3.400 €"], [112_500, 3_400]),
        (["kr 5", "7 kr", "6"], [5, 7, 6]),
        (["−5", "+7"], [-5, 7]),
        (["1’234.5", "7"], [1_234.5, 7]),
        (["1,5e3", "2"], [1_500, 2]),
        ([".5", ",5"], [0.5, None]),
        (["5 USD", "5 EUR"], [5, None]),
        (["12 %", "5"], [0.12, None]),
        (["12e1 %", "5 %"], [None, 0.05]),
        (["(5", "5)", "7"], [None, None, 7]),
        (["+-5", "7"], [None, 7]),
        (["1,23,456", "7.5"], [None, 7.5]),
        (["1 2", "7"], [None, 7]),
        (["1" + " " * 5_000 + "x", "7"], [None, 7]),
    ],
)
def test_numbers_are_read_as_people_write_them(tmp_path, cells, numbers):
    path = made(
        tmp_path, [["n", "x"], *([str(k * k % 7), cell] for k, cell in enumerate(cells))], ";"
    )
    found = read_table(path).cells["x"]
    assert [None if np.isnan(one) else one for one in found.numbers] == numbers
    assert found.wrong.tolist() == [one is None for one in numbers]


def test_columns_share_their_decimal_sign(tmp_path):
    """112.500 beside 1,5 is in German, beside 1.5 in English; alone it has a decimal point."""
    for other, value in (("1,5", 112_500.0), ("1.5", 112.5), ("7", 112.5)):
        rows = [["a", "b"], [other, "112.500"], ["2", "98.250"]]
        assert read_table(made(tmp_path, rows, ";")).cells["b"].numbers[0] == value
    rows = [["a", "b", "c"], ["1,5", "1.5", "112.500"], ["2", "3", "98.250"]]
    assert read_table(made(tmp_path, rows, ";")).cells["c"].numbers[0] == 112.5
    rows = [["a", "b"], ["1.5", "112,500"], ["2", "98,250"]]
    assert read_table(made(tmp_path, rows, ";")).cells["b"].numbers[0] == 112_500.0


def test_a_column_that_may_be_read_in_two_ways_is_read_with_a_note(tmp_path):
    series = read_table(made(tmp_path, [["a", "b"], ["1", "1,310"], ["3", "2,000"]], ";")).pick()
    assert series.notes == ("b: 1,310 is read with a decimal comma",)


AMBIGUOUS = [["date", "x"], ["01/02/2024", "5"], ["01/03/2024", "6"], ["01/04/2024", "9"]]


def test_dates_that_may_be_read_in_two_ways_are_refused_with_both(tmp_path):
    path = made(tmp_path, AMBIGUOUS)
    with pytest.raises(
        BadInput,
        match=r"dates of 'date' must leave no doubt what is the day, got 01/02/2024 to 01/04/2024, "
        r"which may be 1 February 2024 to 1 April 2024 \(day-first\) or 2 January 2024 to "
        r"4 January 2024 \(month-first\); choose with --dates",
    ):
        read_table(path)
    for order, coming in (("day-first", "2024-05-01"), ("month-first", "2024-01-05")):
        assert read_table(path, hints=Hints(dates=order)).pick().ahead(1) == [coming]
    with pytest.raises(BadInput, match="--dates must be one of day-first, month-first"):
        read_table(path, hints=Hints(dates="up"))


@pytest.mark.parametrize(
    ("days", "coming"),
    [
        (["13/01/2024", "14/01/2024", "15/01/2024"], "2024-01-16"),
        (["1/13/2024", "1/14/2024", "1/15/2024"], "2024-01-16"),
        (["01.02.2024", "02.02.2024", "03.02.2024"], "2024-02-04"),
        (["12/1/99", "1/1/00", "2/1/00"], "2000-03-01"),
        (["15-1-2024 9:00", "15-1-2024 10:00", "15-1-2024 11:00"], "2024-01-15T12:00:00"),
        (["1/15/2024 11:00 PM", "1/16/2024 12:00 AM"], "2024-01-16T01:00:00"),
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_whole_column(tmp_path, days, coming):
    rows = [["date", "x"], *([day, str(k * k)] for k, day in enumerate(days))]
    assert read_table(made(tmp_path, rows)).pick().ahead(1) == [coming]


@pytest.mark.parametrize("days", [["13/13/2024", "14/1/2024"], ["13/1/2024", "1/14/2024"]])
def test_days_in_two_orders_are_no_dates(tmp_path, days):
    rows = [["date", "x"], *([day, str(k * k)] for k, day in enumerate(days))]
    assert read_table(made(tmp_path, rows)).clock is None


def test_sheets_are_chosen_by_name_and_number(tmp_path):
    path = tmp_path / "t.xlsx"
    sheets = {"empty": [], "first": [["x", "y"], [1, 2]], "second": [["a", "b"], [3, 4]]}
    path.write_bytes(workbooks.zipped(workbooks.excel_parts(sheets)))
    table = read_table(path)
    assert table.pick().names == ("x", "y")
    assert table.notes == ("read sheet 'first'; --sheet chooses another one: second",)
    for wanted in ("second", "3"):
        assert read_table(path, sheet=wanted).pick().values.tolist() == [[3, 4]]
    with pytest.raises(BadInput, match=r"--sheet must be one of 'empty', .* a number up to 3, got"):
        read_table(path, sheet="4")
    with pytest.raises(BadInput, match="--sheet must be left out for a file without sheets"):
        read_table(made(tmp_path, AMBIGUOUS), sheet="1")
    path.write_bytes(
        workbooks.zipped(workbooks.excel_parts({f"s{k}": [["x"], [k]] for k in range(12)}))
    )
    assert read_table(path).notes[0].endswith("s8 and 3 more")
    path.write_bytes(workbooks.excel([]))
    with pytest.raises(BadInput, match="got only empty sheets"):
        read_table(path)


def test_rows_are_numbered_as_the_workbook_shows_them(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_bytes(
        workbooks.excel([[], ["Report", None], ["x", "y"], [1, 2], [3, "oops"], [5, 6]])
    )
    with pytest.raises(BadInput, match="'y' must hold finite numbers, got 'oops' in row 5"):
        read_table(path).pick(["y"])


def test_cells_of_a_workbook_that_are_no_numbers(tmp_path):
    """Dates beside words, whole numbers beside words, and a column that is empty in between."""
    path = tmp_path / "t.xlsx"
    rows = [["date", "x", "mixed"], [DATES[0], 1, 5], [DATES[1], None, "a"], [DATES[2], 2.5, 7.5]]
    path.write_bytes(workbooks.excel(rows))
    table = read_table(path)
    assert table.frame["mixed"].tolist() == ["5", "a", "7.5"] and np.isnan(
        table.cells["x"].numbers[1]
    )
    path.write_bytes(workbooks.excel([*rows[:3], ["later", 2.5, 7.5]]))
    with pytest.raises(BadInput, match="must have a date in every row, got 'later' in row 4"):
        read_table(path)


def test_text_in_other_encodings_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    for content in (b"a\n1\n\x81\n", b"x\0\xff,1\n", b"\xff\xfe\x00", b"\x89PNG\r\n\x1a\n"):
        path.write_bytes(content)
        with pytest.raises(BadInput, match="must be text in UTF-8, UTF-16 or cp1252, got other"):
            read_table(path)


def test_titles_need_words_of_a_header_below_them(tmp_path):
    """A column without a name, a first row of numbers, a header of one name more: no titles."""
    assert read_table(made(tmp_path, [["", "x"], ["0", "5"], ["1", "7"]])).pick().names == ("x",)
    rows = [["a", "b"], ["x", "y"], ["p", "q"]]
    assert read_table(made(tmp_path, rows)).frame.columns.tolist() == ["a", "b"]
    long = [["T" * 90, "", ""], ["a", "b", "c"], ["1", "2", "3"], ["2", "2", "4"]]
    assert read_table(made(tmp_path, long)).notes[0] == f"skipped above the table: {'T' * 59}…"


def test_words_between_blanks_must_be_even(tmp_path):
    for lines in ("a b\n1 2\n3\n", "a\n1 2\n3 4\n", "one two three\n"):
        (tmp_path / "t.txt").write_text(lines)
        assert read_table(tmp_path / "t.txt").frame.shape[1] == 1


def test_totals_that_are_part_of_the_data_stay(tmp_path):
    """A row without a date that has other numbers is an error, and few rows are no sum."""
    rows = [["date", "x"], *([day.isoformat(), str(k)] for k, day in enumerate(DATES))]
    with pytest.raises(BadInput, match="must have a date in every row, got 'Source' in row 38"):
        read_table(made(tmp_path, [*rows, ["Source", "5"]]))
    many = [*rows, *[["Total", "5"]] * 6]
    with pytest.raises(BadInput, match="must have a date in every row, got 'Total' in row 38"):
        read_table(made(tmp_path, many))
    assert len(read_table(made(tmp_path, [["shop", "x"], ["a", "1"], ["Total", "1"]])).frame) == 2


def test_a_time_column_can_be_named(tmp_path):
    rows = [
        ["made", "shown", "n", "x"],
        *([f"2024-01-0{k}", f"2024-02-0{k}", str(k), "5"] for k in (1, 2)),
    ]
    path = made(tmp_path, rows)
    assert read_table(path).clock.name == "made"
    assert read_table(path, hints=Hints("shown")).pick(["x"]).ahead(1) == ["2024-02-03"]
    assert read_table(path, hints=Hints("n")).pick(["x"]).ahead(1) == ["3"]
    with pytest.raises(BadInput, match="--time must be a column of dates or of increasing numbers"):
        read_table(path, hints=Hints("x"))
    with pytest.raises(BadInput, match="--time must be one of made, shown, n, x, got 'z'"):
        read_table(path, hints=Hints("z"))


def test_years_and_months_in_disorder_are_no_times(tmp_path):
    rows = [["year", "month", "x"], ["2024", "1", "5"], ["2024", "3", "6"], ["2024", "2", "7"]]
    assert read_table(made(tmp_path, rows)).clock is None


def test_years_from_the_newest_on(tmp_path):
    rows = [["year", "x"], *([str(year), str(year % 7)] for year in range(2020, 2000, -1))]
    series = read_table(made(tmp_path, rows)).pick()
    assert series.ahead(1) == ["2021"] and series.values[-1, 0] == 2020 % 7
