"""What the columns of a table are: the time of the rows, row numbers, parts of dates, or data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import pandas as pd

from ..._errors import BadInput
from ...series.calendar import calendar_of
from ...series.missing import rows_in_words
from .cells import Cells, cells_of, words_of
from .clock import (
    MONTHS,
    YEAR,
    Clock,
    Notation,
    compact_in,
    dates_in,
    first_without_date,
    in_english,
    is_time_name,
    is_whole,
    with_date,
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
# A row that sums up others, in some languages
TOTALS = (
    r"(grand |overall |sub)?(total|sum|average|mean)s?\b.{0,30}|(gesamt|summe|zwischensumme|"
    r"durchschnitt|mittelwert|insgesamt|somme|moyenne|totale|suma|media|totaux)\w*\b.{0,30}|[σ∑]"
)
MOST_ROWS_BELOW = 5  # of totals and remarks: more are part of the data
PARTS = ("year", "month", "day", "hour", "minute", "second")  # columns that make up a date


@dataclass(frozen=True, eq=False)
class Times:
    """The times of the rows, as they stand in a table: perhaps in another order. parts: the
    columns that make them up, if these are several.
    """

    name: str
    times: pd.Index
    notation: Notation | None = None
    parts: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table in which they stand."""
        return self.parts or (self.name,)

    @property
    def newest_first(self) -> bool:
        """Whether each row is earlier than the one above."""
        values = self.times.to_numpy()
        return (
            len(values) > 1 and not pd.isna(values).any() and bool((values[1:] < values[:-1]).all())
        )


def find_times(
    frame: pd.DataFrame,
    cells: dict[str, Cells],
    first_row: int,
    name: str | None = None,
    order: str | None = None,
) -> Times | None:
    """The times in the first column of dates; or else in columns that make up dates, in a column of
    dates such as 20240131, of years, or in the first column of increasing numbers whose name is a
    word for time. A single column is never a clock. name: of the column that somebody asked for.
    """
    if frame.shape[1] < 2 or not len(frame):
        return None
    wanted = list(frame.columns) if name is None else [name]
    for one in wanted:
        found = dates_in(frame[one], order)
        if found is not None:
            return Times(one, *found)
    assembled = assembled_times(frame, cells) if name is None else None
    if assembled is not None and _follow(assembled.times):
        return assembled
    named = [one for one in wanted if name is not None or is_time_name(one)]
    numbers = {one: cells[one].numbers for one in named}
    for one, values in numbers.items():
        compact = compact_in(values)
        if compact is not None:
            return Times(one, *compact)
    _refuse_rows_without_date(frame[named], first_row)
    ordered = {one: values for one, values in numbers.items() if _goes_on(values)}
    for one, values in ordered.items():
        is_year = one.strip().lower() in YEAR_NAMES
        dates = years_in(values[:: 1 if _increases(values) else -1]) if is_year else None
        if dates is not None:
            return Times(one, dates if _increases(values) else dates[::-1], YEAR)
    return next((Times(one, pd.Index(values)) for one, values in ordered.items()), None)


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


def _goes_on(numbers: np.ndarray) -> bool:
    return _increases(numbers) or (len(numbers) > 1 and _increases(numbers[::-1]))


def _follow(dates: pd.Index) -> bool:
    """Whether each row is later than the one above, or each is earlier."""
    rises = dates.is_monotonic_increasing or dates.is_monotonic_decreasing
    return bool(rises and dates.is_unique)


def assembled_times(frame: pd.DataFrame, cells: dict[str, Cells]) -> Times | None:
    """The times in columns such as year, month and day, if these are most of even dates, in
    whatever order and however often. A month may have its name.
    """
    names = {name.strip().lower(): name for name in frame.columns}
    parts = {part: cells[names[part]].numbers for part in takewhile(names.__contains__, PARTS)}
    if len(parts) < 2:
        return None
    if np.isnan(parts["month"]).all():
        words = in_english(words_of(frame[names["month"]])).str[:3].str.title()
        parts["month"] = words.map({name: k for k, name in enumerate(MONTHS, 1)}).to_numpy(float)
    dates = pd.DatetimeIndex(pd.to_datetime(pd.DataFrame({"day": 1, **parts}), errors="coerce"))
    if dates.hasnans or not calendar_of(dates.unique().sort_values()).can_be_filled:
        return None
    notation = Notation("month", "-") if len(parts) == 2 else None
    return Times(" ".join(parts), dates, notation, tuple(names[part] for part in parts))


def without_totals(frame: pd.DataFrame, cells: dict[str, Cells], first_row: int) -> tuple[int, str]:
    """How many rows stand before rows of totals and remarks at the end, and a note about these.

    A row of totals says so, or it has no date and the sums of the rows above. A remark has no date
    and nothing else. Other rows without a date are left for an error.
    """
    rows = len(frame)
    dated = _dated(frame)
    words = [words_of(frame[name]) for name in frame if frame[name].dtype.kind not in "biufmM"]
    while rows > 2 and rows > len(frame) - MOST_ROWS_BELOW:
        at = rows - 1
        cell = [one.iloc[at] for one in words if one.iloc[at]]
        says = any(re.fullmatch(TOTALS, one, re.IGNORECASE) for one in cell)
        dateless = dated is not None and not dated[at]
        alone = len(cell) <= 1 and not any(np.isfinite(one.numbers[at]) for one in cells.values())
        if not (says or (dateless and (alone or _sums(cells, at)))):
            break
        rows -= 1
    left = range(first_row + rows, first_row + len(frame))
    return (
        rows,
        f"left out below the table: {rows_in_words(range(len(left)), left.start)}" if left else "",
    )


def _dated(frame: pd.DataFrame) -> np.ndarray | None:
    """Which rows have a date, by the first column in which most have one; None without such a
    column.
    """
    for name in frame:
        if frame[name].dtype.kind == "M":
            return np.asarray(frame[name].notna())
        if frame[name].dtype.kind in "biufm":
            continue
        shaped = with_date(frame[name])
        if 2 * shaped.sum() >= len(shaped) and cells_of(frame[name][shaped]).wrong.any():
            return shaped
    return None


def _sums(cells: dict[str, Cells], row: int) -> bool:
    """Whether the numbers of a row are the sums of those above."""
    pairs = [(one.numbers[row], np.nansum(one.numbers[:row])) for one in cells.values()]
    known = [(total, summed) for total, summed in pairs if np.isfinite(total)]
    return bool(known) and all(np.isclose(*pair, rtol=1e-9, atol=0.0) for pair in known)


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
