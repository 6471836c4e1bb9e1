"""What the columns of a table are: the time of the rows, row numbers, parts of dates, or data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

import numpy as np
import pandas as pd

from ..._errors import BadInput
from .cells import Cells, cells_of
from .clock import (
    YEAR,
    Clock,
    Notation,
    clock_of,
    compact_in,
    dates_in,
    first_without_date,
    is_time_name,
    is_whole,
    years_in,
)

ROW_NAMES = {"row", "rows", "rownames", "row names", "row.names", "row_names", "rowname"}
ROW_NAMES |= {"index", "id", "no", "no.", "nr", "nr.", "#", "obs", "obs."}
UNNAMED = r"(unnamed: |column )\d+"  # how pandas and `read` call a column without a name
YEAR_NAMES = ("year", "years", "yr", "jahr")
RANGES = {  # of numbers that repeat a part of the date
    YEAR_NAMES: (1000, 3000),
    ("quarter", "qtr"): (1, 4),
    ("month", "mon", "mnth", "monat"): (1, 12),
    ("week", "weekofyear", "isoweek", "woche"): (1, 53),
    ("day", "dayofmonth", "tag"): (1, 31),
    ("weekday", "dayofweek", "dow", "wochentag"): (0, 7),
    ("dayofyear", "doy", "yday"): (1, 366),
    ("hour", "hr", "hourofday", "stunde"): (0, 24),
    ("minute", "second"): (0, 59),
}
RANGE = {name: span for names, span in RANGES.items() for name in names}
PARTS = ("year", "month", "day", "hour", "minute", "second")  # columns that make up a date


def find_clock(frame: pd.DataFrame, first_row: int) -> Clock | None:
    """The clock of the first column of dates; or else of columns that make up dates, of a column of
    dates such as 20240131, of years, or of the first column of increasing numbers whose name is a
    word for time. A single column is never a clock.
    """
    if frame.shape[1] < 2 or not len(frame):
        return None
    for name in frame.columns:
        found = dates_in(frame[name])
        if found is not None:
            return clock_of(name, found[0], first_row, found[1])
    assembled = _assembled(frame, first_row)
    if assembled is not None:
        return assembled
    named = [name for name in frame.columns if is_time_name(name)]
    numbers = {name: cells_of(frame[name]).numbers for name in named}
    for name, one in numbers.items():
        compact = compact_in(one)
        if compact is not None:
            return clock_of(name, compact[0], first_row, compact[1])
    _refuse_rows_without_date(frame[named], first_row)
    rising = {name: one for name, one in numbers.items() if _increases(one)}
    for name, years in rising.items():
        dates = years_in(years) if name.strip().lower() in YEAR_NAMES else None
        if dates is not None:
            return clock_of(name, dates, first_row, YEAR)
    return next((clock_of(name, pd.Index(one), first_row) for name, one in rising.items()), None)


def _refuse_rows_without_date(frame: pd.DataFrame, first_row: int) -> None:
    """Refuse a column of dates with other cells: a row of totals would be forecast as data."""
    for name in frame.columns:
        at = first_without_date(frame[name])
        if at is not None:
            where = f"{str(frame[name].iloc[at])[:40]!r} in row {first_row + at}"
            raise BadInput(
                f"time column {name!r} must have a date in every row, got {where}; correct or "
                "remove the row"
            )


def _increases(numbers: np.ndarray) -> bool:
    return bool(np.isfinite(numbers).all() and (np.diff(numbers) > 0.0).all())


def _assembled(frame: pd.DataFrame, first_row: int) -> Clock | None:
    """The clock of columns such as year, month and day, if these are most of even dates."""
    names = {name.strip().lower(): name for name in frame.columns}
    parts = {
        part: cells_of(frame[names[part]]).numbers for part in takewhile(names.__contains__, PARTS)
    }
    if len(parts) < 2:
        return None
    dates = pd.to_datetime(pd.DataFrame({"day": 1, **parts}), errors="coerce")
    if dates.isna().any() or not (dates.is_unique and dates.is_monotonic_increasing):
        return None
    notation = Notation("month", "-") if len(parts) == 2 else None
    clock = clock_of(" ".join(parts), pd.DatetimeIndex(dates), first_row, notation)
    return clock if clock.calendar.can_be_filled else None


def is_aside(name: str, cells: Cells, names: Iterable[str], clock: Clock | None) -> bool:
    """Whether a column is a part of dates, row numbers, or a second time beside the clock.

    names: of all columns.
    """
    numbers, word, known = cells.numbers, name.strip().lower(), list(names)
    if len(known) < 2 or not len(numbers) or not np.isfinite(numbers).all():
        return False
    span = RANGE.get(re.sub("[ _.]", "", word))
    if span is not None and is_whole(numbers, *span):
        return True
    if not _increases(numbers):
        return False
    if word in ROW_NAMES or (re.fullmatch(UNNAMED, word) and not _all_unnamed(known)):
        return is_whole(numbers, -np.inf, np.inf)
    return clock is not None and is_time_name(name)


def _all_unnamed(names: list[str]) -> bool:
    """Whether a file had no header, so that every column got such a name."""
    return all(re.fullmatch(UNNAMED, name.lower()) for name in names)
