"""The time of each row: dates or increasing numbers, and how they continue."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..._errors import BadInput
from ..._validation import Floats
from ...series.calendar import Calendar, calendar_of
from .cells import cells_of, words_of

NAMES = {
    "time",
    "t",
    "date",
    "datetime",
    "timestamp",
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "hour",
    "minute",
    "second",
    "seconds",
}
NAMES |= {"ds", "step", "index", "zeit", "datum", "fecha", "tiempo", "jahr", "temps"}
WORDS = ("time", "date")  # in a longer name, such as "Date (UTC)"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
NOTATIONS = {  # year, separator, part of the year
    "week": r"(\d{4})([ -]?)W(\d{1,2})",
    "quarter": r"(\d{4})([ -]?)Q([1-4])",
    "month": r"(\d{4})([/-]|-?M)(\d{1,2})",
    "named month": rf"(\d{{4}})([ -]?)({'|'.join(MONTHS)})",
}
COMPACT_DATES = {8: ("%Y%m%d", "day"), 6: ("%Y%m", "month")}  # dates of so many digits
SHAPE = rf"\d\D+\d|^(?:{'|'.join(MONTHS)})[a-z]*[ .-]*\d{{4}}$"  # of a date in words and digits
SHORT_MONTH = rf"(?:{'|'.join(MONTHS)})[ -]\d{{2}}"  # as spreadsheets write January 2016: Jan-16
# A day and a month in numbers, with the same or another sign between them; a year; a time
NUMBERED = r"^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})((?:[ T]+\d{1,2}:.*)?)$"
FIRST_SHORT_YEAR = "69"  # 68 is 2068 and 69 is 1969, as in POSIX
DATE_ORDERS = {"day-first": True, "month-first": False}
# German, French, Spanish and Italian, and what is spelled as in English
FOREIGN_MONTHS = (
    "januar jän jänner janvier janv ene enero gennaio gen",
    "februar février févr fév febrero febbraio",
    "märz mär mrz mars marzo",
    "april avril avr abr abril aprile",
    "mai mayo mag maggio",
    "juni juin junio giugno giu",
    "juli juillet juil julio luglio lug",
    "august août aoû ago agosto",
    "september septembre septiembre settembre set",
    "oktober okt octobre octubre ottobre ott",
    "november novembre noviembre",
    "dezember dez décembre déc dic diciembre dicembre",
)
ENGLISH = {
    word: MONTHS[place] for place, line in enumerate(FOREIGN_MONTHS) for word in line.split()
}
DAY_WITH_POINT = r"^(\d{1,2})\.(?= ?[^\W\d])"
FOREIGN = rf"(?i)(?<![^\W\d_])(?:{'|'.join(sorted(ENGLISH, key=len, reverse=True))})\b\.?"
YEARS_IN_NANOSECONDS = (1700, 2200)  # nanoseconds, in which pandas counts, reach from 1678 to 2261


@dataclass(frozen=True)
class Notation:
    """How a day, a week, a quarter, a month or a year is written.

    >>> date = pd.Timestamp("2020-05-04")
    >>> Notation("week", "-").write(date), Notation("quarter", " ").write(date)
    ('2020-W19', '2020 Q2')
    >>> Notation("month", "M").write(date), Notation("named month", " ").write(date)
    ('2020M05', '2020 May')
    >>> Notation("day").write(date)
    '20200504'
    """

    unit: str
    separator: str = ""

    def write(self, date: Any) -> str:
        """The unit that begins at a date."""
        year, part = date.year, f"{date.month:02d}"
        if self.unit == "year":
            return f"{year}"
        if self.unit == "week":
            year, week, _ = date.isocalendar()
            part = f"W{week:02d}"
        elif self.unit == "quarter":
            part = f"Q{date.quarter}"
        elif self.unit == "named month":
            part = MONTHS[date.month - 1]
        elif self.unit == "day":
            part += f"{date.day:02d}"
        return f"{year}{self.separator}{part}"


YEAR = Notation("year")


@dataclass(frozen=True, eq=False)
class Clock:
    """The calendar of the rows of a table under the name of its column, and how times are written:
    dates in their notation, by default that of ISO 8601.
    """

    name: str
    calendar: Calendar
    notation: Notation | None = None

    @property
    def times(self) -> pd.Index:
        """The times of the rows."""
        return self.calendar.times

    @property
    def even(self) -> bool:
        """Whether no time is missing."""
        return self.calendar.even

    @property
    def spacing(self) -> str:
        """The step in words."""
        return self.calendar.spacing

    def ahead(self, steps: int) -> list[str]:
        """The next times as text."""
        return self.write(self.calendar.coming(steps))

    @property
    def written(self) -> list[str]:
        """The times of the rows as text."""
        return self.write(self.times)

    def write(self, times: pd.Index) -> list[str]:
        """Times as text."""
        if not isinstance(times, pd.DatetimeIndex):
            return [_number(float(time)) for time in times]
        if self.notation is not None:
            return [self.notation.write(time) for time in times]
        days = self._days
        return [
            str(time.date().isoformat() if days and time == time.normalize() else time.isoformat())
            for time in times
        ]

    @property
    def axis(self) -> pd.Index:
        """The times for a plot: without time zones, which matplotlib does not know by name."""
        return _plotted(self.times)

    @property
    def has_dates(self) -> bool:
        """Whether the times are dates, and not numbers."""
        return isinstance(self.times, pd.DatetimeIndex)

    def axis_ahead(self, steps: int) -> pd.Index:
        """The next times for a plot."""
        return _plotted(self.calendar.coming(steps))

    @property
    def _days(self) -> bool:
        return isinstance(self.times, pd.DatetimeIndex) and bool(
            (self.times == self.times.normalize()).all()
        )


def _plotted(times: pd.Index) -> pd.Index:
    return times.tz_localize(None) if isinstance(times, pd.DatetimeIndex) else times


def _number(value: float) -> str:
    """Whole numbers in full: milliseconds since 1970 have thirteen digits.

    >>> _number(1609459261234.0), _number(0.1 * 3)
    ('1609459261234', '0.3')
    """
    return f"{value:.0f}" if value.is_integer() and abs(value) < 2.0**53 else f"{value:.12g}"


def is_time_name(name: str) -> bool:
    """Whether a column of numbers with this name holds times.

    >>> is_time_name("Time [s]"), is_time_name("t"), is_time_name("update")
    (True, True, False)
    """
    word = name.strip().lower()
    return word in NAMES or any(
        word == one or word.startswith((f"{one} ", f"{one}_", f"{one}[", f"{one}("))
        for one in (*WORDS, "t")
    )


def dates_in(
    column: pd.Series, order: str | None = None
) -> tuple[pd.DatetimeIndex, Notation | None] | None:
    """The dates in a column and how they are written, or None if some cell is no date.

    order: "day-first" or "month-first" for dates such as 1/2/2020; without it, all cells decide
    together, and the column is refused if they allow both. Weeks, quarters and months are the dates
    on which they begin.
    """
    if column.dtype.kind == "M":
        return pd.DatetimeIndex(column), None
    if column.dtype.kind in "biuf" or len(column) == 0:
        return None
    words = in_english(words_of(column))
    for unit in NOTATIONS:
        noted = _noted(words, unit)
        if noted is not None:
            return noted
    if not words.str.contains(SHAPE, regex=True, flags=re.IGNORECASE).all():
        return _short_months(words)
    if not cells_of(column).wrong.any():  # numbers such as 2.5 are not dates
        return None
    if words.str.fullmatch(NUMBERED).all():
        found = _ordered(str(column.name), words, order)
        return None if found is None else (found, None)
    readings = [one for one in (_dates(words, options) for options in READINGS) if one is not None]
    # Where the clocks change, the offset from UTC does too
    best = max(readings, key=_evenness) if readings else _dates(words, IN_UTC)
    return None if best is None else (best, None)


def _ordered(name: str, words: pd.Series, order: str | None) -> pd.DatetimeIndex | None:
    """Dates such as 1/2/2020, with the day or the month first in all of them. A point is written
    after the day only; else a number above 12 decides, and then whether the times are even.
    """
    readings = {}
    for one, day_first in DATE_ORDERS.items():
        written = words.str.replace(NUMBERED, partial(_as_iso, day_first), regex=True)
        clocks = written.str.contains(r"[ap]m$", case=False, regex=True).any()
        dates = _dates(written, {"format": "mixed" if clocks else "ISO8601"})
        if dates is not None:
            readings[one] = dates
    if order is not None:
        return readings.get(order)
    if words.str.contains(r"^\d+\.", regex=True).all():
        return readings.get("day-first")
    for judge in (_goes_on, _is_even):
        if len(readings) > 1 and any(map(judge, readings.values())):
            readings = {one: dates for one, dates in readings.items() if judge(dates)}
    if len(readings) > 1:
        shown = " or ".join(
            f"{' to '.join(f'{date.day} {date:%B %Y}' for date in (dates[0], dates[-1]))} ({one})"
            for one, dates in readings.items()
        )
        raise BadInput(
            f"dates of {name!r} must leave no doubt what is the day, got {words.iloc[0]} to "
            f"{words.iloc[-1]}, which may be {shown}; choose with --dates, or write 2024-01-31"
        )
    return next(iter(readings.values()), None)


def _as_iso(day_first: bool, found: re.Match[str]) -> str:
    """A date as ISO 8601 writes it."""
    day, month = (found[1], found[2]) if day_first else (found[2], found[1])
    century = "" if len(found[3]) == 4 else "19" if found[3] >= FIRST_SHORT_YEAR else "20"
    hour, colon, rest = found[4].strip(" T").partition(":")
    time = f" {hour:0>2}{colon}{rest}" if colon else ""
    return f"{century}{found[3]}-{month:0>2}-{day:0>2}{time}"


def _goes_on(dates: pd.DatetimeIndex) -> bool:
    """Whether dates rise or fall, some of them perhaps several times, as of several series."""
    return bool(dates.is_monotonic_increasing or dates.is_monotonic_decreasing)


def _is_even(dates: pd.DatetimeIndex) -> bool:
    every = dates.unique().sort_values()
    return len(every) > 2 and calendar_of(every).even


def in_english(words: pd.Series) -> pd.Series:
    """The words with the names of months in English, so that they are read: 3. März 2024.

    >>> list(in_english(pd.Series(["Mai 2024", "3. Okt. 2024"])))
    ['May 2024', '3 Oct 2024']
    """
    if not words.str.contains(FOREIGN, regex=True).any():
        return words
    words = words.str.replace(DAY_WITH_POINT, r"\1", regex=True)
    return words.str.replace(
        FOREIGN, lambda found: ENGLISH[found[0].lower().rstrip(".")], regex=True
    )


def _short_months(words: pd.Series) -> tuple[pd.DatetimeIndex, None] | None:
    """Dates such as Jan-16, if they follow each other by months: Jan-16, Jan-17 may be days."""
    if not words.str.fullmatch(SHORT_MONTH, flags=re.IGNORECASE).all():
        return None
    dates = _dates(words.str.replace(" ", "-"), {"format": "%b-%y"})
    steps = None if dates is None else np.diff(dates.to_period("M").astype("int64"))
    return (dates, None) if steps is not None and (steps == 1).all() else None


def with_date(column: pd.Series) -> NDArray[np.bool_]:
    """Which cells look like a date.

    >>> with_date(pd.Series(["2020-01-01", "5 May 2020", "Total"])).tolist()
    [True, True, False]
    """
    words = in_english(words_of(column))
    return np.asarray(words.str.contains(SHAPE, regex=True, flags=re.IGNORECASE), np.bool_)


def first_without_date(column: pd.Series) -> int | None:
    """The place of the first cell without a date, in a column where most have one; else None.

    >>> first_without_date(pd.Series(["2020-01-01", "2020-02-01", "Total"]))
    2
    """
    shaped = with_date(column)
    if shaped.all() or 2 * shaped.sum() < len(shaped) or dates_in(column[shaped]) is None:
        return None
    return int(np.argmin(shaped))


def _noted(words: pd.Series, unit: str) -> tuple[pd.DatetimeIndex, Notation] | None:
    """Dates that are all written in one notation."""
    pattern = f"^{NOTATIONS[unit]}$"
    first = re.match(pattern, words.iloc[0], re.IGNORECASE)
    if first is None:
        return None
    parts = words.str.extract(pattern, flags=re.IGNORECASE)
    if parts.isna().any(axis=None):
        return None
    try:
        dates = [
            _begins(unit, int(year), part)
            for year, part in zip(parts[0], parts[2].str.title(), strict=True)
        ]
    except ValueError:  # month 13, or week 53 of a year that has 52
        return None
    return pd.DatetimeIndex(dates), Notation(unit, first[2].upper())


def _begins(unit: str, year: int, part: str) -> date:
    if unit == "week":
        return date.fromisocalendar(year, int(part), 1)
    if unit == "named month":
        return date(year, MONTHS.index(part) + 1, 1)
    return date(year, int(part) if unit == "month" else 3 * int(part) - 2, 1)


def years_in(numbers: Floats) -> pd.DatetimeIndex | None:
    """The dates on which evenly spaced years begin; None if the numbers are no such years."""
    steps = np.diff(numbers)
    if len(steps) < 2 or not (steps == steps[0]).all() or not steps[0] >= 1.0:
        return None
    if not is_whole(numbers, *YEARS_IN_NANOSECONDS):
        return None
    return pd.DatetimeIndex([date(int(year), 1, 1) for year in numbers])


def compact_in(numbers: Floats) -> tuple[pd.DatetimeIndex, Notation] | None:
    """Days or months that are written as numbers; None if the numbers are no such dates.

    >>> dates, notation = compact_in(np.array([20231231.0, 20240101.0]))
    >>> list(dates.day), notation.unit
    ([31, 1], 'day')
    """
    if not len(numbers) or not is_whole(
        numbers, YEARS_IN_NANOSECONDS[0] * 100, YEARS_IN_NANOSECONDS[1] * 10_000
    ):
        return None
    words = pd.Series(numbers.astype(np.int64).astype(str))
    form, unit = COMPACT_DATES.get(len(words[0]), ("", ""))
    if not form or (words.str.len() != len(words[0])).any():
        return None
    dates = _dates(words, {"format": form})
    if dates is None or not is_whole(np.asarray(dates.year, float), *YEARS_IN_NANOSECONDS):
        return None
    return dates, Notation(unit)


def is_whole(numbers: Floats, least: float, most: float) -> bool:
    """Whether all are whole numbers in a range.

    >>> is_whole(np.array([1.0, 12.0]), 1, 12), is_whole(np.array([0.5]), 0, 1)
    (True, False)
    """
    return bool(((numbers >= least) & (numbers <= most) & (numbers == np.floor(numbers))).all())


SEVERAL = "keep one of them, or name the column that tells several series apart with --id"
READINGS: tuple[dict[str, object], ...] = (
    {"format": "ISO8601"},
    {"dayfirst": True},
    {"dayfirst": False},
)
IN_UTC: dict[str, object] = {"format": "ISO8601", "utc": True}


def _dates(words: pd.Series, options: dict[str, object]) -> pd.DatetimeIndex | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pd.DatetimeIndex(pd.to_datetime(words, errors="raise", **options))
        except (ValueError, TypeError, OverflowError):
            return None


def _evenness(times: pd.DatetimeIndex) -> tuple[bool, bool]:
    rises = bool(times.is_monotonic_increasing)
    return rises, rises and times.is_unique and calendar_of(times).even


def clock_of(name: str, times: pd.Index, first_row: int, notation: Notation | None = None) -> Clock:
    """The clock of increasing times; a `BadInput` names the first row that does not increase."""
    values = times.to_numpy()
    missing = pd.isna(values)
    increases = values[1:] > values[:-1]
    if missing.any() or not increases.all():
        at = int(np.argmax(missing)) if missing.any() else int(np.argmin(increases)) + 1
        row, twice = first_row + at, at > 0 and values[at] == values[at - 1]
        raise BadInput(
            f"time column {name!r} must increase from row to row, got {times[at]} in row {row}"
            + (f" as in row {row - 1}; {SEVERAL}" if twice else "; sort or correct the rows")
        )
    return Clock(name, calendar_of(times), notation)
