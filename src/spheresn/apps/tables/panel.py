"""Tables in long form: a row for each time and each of many series, whose names stand in columns
of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from ..._errors import BadInput, sentence
from ..._validation import one_of
from .cells import Cells, all_cells, words_of
from .clock import YEAR, clock_of, is_time_name, years_in
from .columns import (
    YEAR_NAMES,
    Times,
    assembled_times,
    find_times,
    is_aside,
    without_totals,
)
from .sheet import Sheet
from .table import LISTED_CATEGORIES, NO_HINTS, Hints, Table, TimeSeries

MOST_IDS, MOST_CANDIDATES = 3, 8  # columns that tell series apart together, and that are tried
# Rows that a series has on average where a column is taken for its name: a remark differs each time
LEAST_ROWS_EACH = 3
ID_NAMES = {
    *("id", "store", "shop", "item", "sku", "product", "customer", "site", "location", "station"),
    *("sensor", "unit", "region", "state", "county", "country", "dept", "department", "series"),
    *("code", "branch", "category", "brand", "family", "machine", "meter", "filiale", "artikel"),
}
ID_ENDINGS = ("_id", " id", "_nbr", "_no", "_nr", " nr", " no", "_code", "number", "nummer")
TARGET_NAMES = ("y", "sales", "value", "target", "demand", "quantity", "qty", "volume", "revenue")


@dataclass(frozen=True, eq=False)
class PanelHints(Hints):
    """The user's hints about a table in long form: also which columns name the series, and which
    one is forecast.
    """

    ids: tuple[str, ...] = ()
    target: str | None = None


@dataclass(frozen=True, eq=False)
class Panel:
    """Many series of one quantity. names: of the columns that distinguish them; series: the words
    there and the values; columns: of the table, in their order; notes: about all of them.
    """

    source: str
    names: tuple[str, ...]
    time_name: str
    target: str
    columns: tuple[str, ...]
    series: tuple[tuple[tuple[str, ...], TimeSeries], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LongTable:
    """A table in long form, recognised but not yet cut into series."""

    sheet: Sheet
    frame: pd.DataFrame
    cells: dict[str, Cells]
    times: Times
    ids: tuple[str, ...]
    target: str
    notes: tuple[str, ...]

    def pick(
        self, fill: str | None = None, known: Sequence[str] = (), least_rows: int = 1
    ) -> Panel:
        """The series, each as `Table.pick` gives it; those of fewer rows are left out, by name."""
        for name in known:
            one_of("--known", name, [one for one in self.frame if one not in self._taken])
        found, short, again = [], [], 0
        labels = self.frame[list(self.ids)].apply(words_of)
        places = labels.groupby(list(self.ids), sort=False, dropna=False).indices
        for key, rows in places.items():
            label = tuple(map(str, key)) if isinstance(key, tuple) else (str(key),)
            order = rows[np.argsort(self.times.times[rows], kind="stable")]
            again += bool((order != rows).any())
            try:
                series = self._table(order, known).pick([self.target], fill, known)
            except BadInput as error:
                shown = sentence(", ".join(label), 60)
                raise BadInput(f"in the series {shown!r}: {error}") from None
            if len(series.values) < least_rows:
                short.append(", ".join(label))
            else:
                found.append((label, series))
        notes = [*self.notes, *_shared_notes([series for _, series in found])]
        if again:
            notes.append(f"sorted by {self.times.name!r} in {again} of {len(places)} series")
        if short:
            listed = "; ".join(short[:LISTED_CATEGORIES])
            more = f" and {len(short) - LISTED_CATEGORIES} more" * (len(short) > LISTED_CATEGORIES)
            notes.append(f"left out, fewer than {least_rows} rows: {listed}{more}")
        if not found:
            raise BadInput(
                f"FILE must have a series of at least {least_rows} rows, got {len(places)} shorter "
                "ones; collect more rows"
            )
        columns = tuple(name for name in self.frame if name in self._taken)
        names = self.ids, self.times.name, self.target
        return Panel(self.sheet.source, *names, columns, tuple(found), tuple(notes))

    @property
    def _taken(self) -> tuple[str, ...]:
        return (*self.ids, *self.times.columns, self.target)

    def _table(self, rows: np.ndarray, known: Sequence[str]) -> Table:
        """The table of one series."""
        kept = [self.target, *known]
        cells = {
            name: replace(
                self.cells[name],
                numbers=self.cells[name].numbers[rows],
                wrong=self.cells[name].wrong[rows],
            )
            for name in kept
        }
        first = self.sheet.first_row + int(rows[0])
        clock = clock_of(self.times.name, self.times.times[rows], first, self.times.notation)
        frame = self.frame[kept].iloc[rows].reset_index(drop=True)
        return Table(self.sheet.source, frame, cells, clock, first)


def long_table(sheet: Sheet, hints: Hints = NO_HINTS) -> LongTable | None:
    """The table, if it is in long form: its times repeat, and other columns tell the rows of one
    time apart. None if each time comes once.
    """
    ids = getattr(hints, "ids", ())
    frame = sheet.frame.reset_index(drop=True)
    for option, names in (("--id", ids), ("--time", [hints.time] if hints.time else [])):
        for name in names:
            one_of(option, name, list(frame.columns))
    cells = all_cells(frame, sheet.quoted)
    rows, note = without_totals(frame, cells, sheet.first_row)
    if rows < len(frame):
        frame = frame.iloc[:rows]
        cells = all_cells(frame, sheet.quoted)
    times = _repeated_times(frame, cells, sheet.first_row, hints, bool(ids))
    if times is None:
        return None
    found = tuple(ids) or _ids(frame, cells, times)
    if not found:
        return None
    repeated = _repeats(frame, times, found)
    if repeated.any():
        at = int(np.argmax(repeated))
        shown = ", ".join(map(repr, words_of(frame[list(found)].iloc[at]).tolist()))
        raise BadInput(
            f"--id must tell the rows of one time apart, got {times.times[at]} twice for {shown}; "
            "name more columns, or sum these rows"
        )
    target = _target(frame, cells, times, found, getattr(hints, "target", None))
    count = len(frame[list(found)].drop_duplicates())
    notes = [*sheet.notes, *([note] if note else [])]
    notes.append(
        f"long form: {count} series of {target!r}, distinguished by "
        f"{' and '.join(map(repr, found))}, with the times in {times.name!r}"
    )
    return LongTable(sheet, frame, cells, times, found, target, tuple(notes))


def _repeated_times(
    frame: pd.DataFrame, cells: dict[str, Cells], first_row: int, hints: Hints, sure: bool
) -> Times | None:
    """The times, if they repeat or somebody is `sure` that the table is in long form."""
    if len(frame) < 2 or frame.shape[1] < 3:
        return None
    try:
        times = find_times(frame, cells, first_row, hints.time, hints.dates)
    except BadInput:  # each row has a date in a table in long form
        if not sure:
            return None
        raise
    if times is None and hints.time is None:
        times = assembled_times(frame, cells)
    if times is None:
        times = _numbered_times(frame, cells, hints)
    if times is None and sure:
        raise BadInput(
            "--time must name the column with the times of the rows, got none that is found; "
            "choose one"
        )
    return times if times is not None and (sure or not times.times.is_unique) else None


def _numbered_times(frame: pd.DataFrame, cells: dict[str, Cells], hints: Hints) -> Times | None:
    """Years or other numbers that increase within each series, and so not from row to row."""
    for name in frame if hints.time is None else [hints.time]:
        numbers = cells[name].numbers
        if not np.isfinite(numbers).all() or (hints.time is None and not is_time_name(name)):
            continue
        every = np.unique(numbers)
        if len(every) == len(numbers):
            continue
        years = years_in(every) if name.strip().lower() in YEAR_NAMES else None
        at = np.searchsorted(every, numbers)
        return Times(name, pd.Index(numbers)) if years is None else Times(name, years[at], YEAR)
    return None


def _ids(frame: pd.DataFrame, cells: dict[str, Cells], times: Times) -> tuple[str, ...]:
    """The fewest columns that tell the rows of one time apart: of words, or of whole numbers with
    the name of what is numbered.
    """
    candidates = sorted(_candidates(frame, cells, times), key=lambda pair: pair[0])
    names = [name for _, name in candidates[:MOST_CANDIDATES]]
    for count in range(1, MOST_IDS + 1):
        for chosen in combinations(names, count):
            groups = len(frame[list(chosen)].drop_duplicates())
            if groups * LEAST_ROWS_EACH <= len(frame) and not _repeats(frame, times, chosen).any():
                return chosen
    return ()


def _candidates(
    frame: pd.DataFrame, cells: dict[str, Cells], times: Times
) -> Iterator[tuple[int, str]]:
    """Columns that may hold names of series, the likeliest with the lowest number."""
    for name in frame:
        word, numbers = name.strip().lower(), cells[name].numbers
        named = word in ID_NAMES or word.endswith(ID_ENDINGS) or word == "unique_id"
        whole = np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all()
        is_text = cells[name].wrong.any() and not cells[name].mostly_numbers
        if name not in times.columns and (is_text or (named and whole)):
            yield (0 if named else 1), name


def _repeats(frame: pd.DataFrame, times: Times, ids: Sequence[str]) -> np.ndarray:
    keys = frame[list(ids)].astype(str).assign(**{"\0time": np.asarray(times.times)})
    return np.asarray(keys.duplicated())


def _target(
    frame: pd.DataFrame,
    cells: dict[str, Cells],
    times: Times,
    ids: Sequence[str],
    wanted: str | None,
) -> str:
    """The column that is forecast: the one that somebody wants, the only one of numbers, or the one
    with a usual name.
    """
    numeric: list[str] = [
        name
        for name in frame
        if cells[name].mostly_numbers
        and name not in (*ids, *times.columns)
        and not is_aside(name, cells[name], frame.columns, None)
    ]
    if wanted is not None:
        return one_of("--target", wanted, numeric)
    usual: list[str] = [
        name for one in TARGET_NAMES for name in numeric if name.strip().lower() == one
    ]
    if len(numeric) == 1 or usual:
        return (usual or numeric)[0]
    known = ", ".join(numeric) or "none"
    raise BadInput(
        f"--target must name the column that is forecast for each of the series, got {known}; "
        "choose one of these"
    )


def _shared_notes(series: Sequence[TimeSeries]) -> Iterator[str]:
    """The notes about single series, each once and with the number of series that have it."""
    counts: dict[str, int] = {}
    for one in series:
        for note in dict.fromkeys(one.notes):
            counts[note] = counts.get(note, 0) + 1
    shown = list(counts.items())[:LISTED_CATEGORIES]
    for note, count in shown:
        yield note if count == len(series) else f"{note} ({count} of {len(series)} series)"
    if len(counts) > len(shown):
        yield f"and {len(counts) - len(shown)} more notes about single series"
