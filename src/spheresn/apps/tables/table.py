"""Named columns of numbers with the time of their rows, and notes about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..._errors import BadInput
from ..._validation import Floats, one_of
from ...series.calendar import Calendar, Places, calendar_of, whole_calendar
from ...series.missing import FILLS, Wording, interpolated, rows_in_words, settled
from .cells import Cells, all_cells, words_of
from .clock import DATE_ORDERS, YEAR, Clock, clock_of, is_time_name
from .columns import assembled_times, find_times, is_aside, without_totals
from .sheet import Sheet

MOST_CATEGORIES = 100  # words of a column: each becomes a column of its own
LISTED_CATEGORIES = 5  # in a note


@dataclass(frozen=True, eq=False)
class TimeSeries:
    """Finite values (T, d) with the names of their columns, the clock of the rows if there is one,
    and notes about what was changed. known (T + H, e): columns that are given for the next rows
    too.
    """

    source: str
    names: tuple[str, ...]
    values: Floats
    clock: Clock | None
    notes: tuple[str, ...] = ()
    known: Floats | None = None
    known_names: tuple[str, ...] = ()

    @property
    def rows_to_forecast(self) -> int | None:
        """How many rows after the last value have known columns; None without such columns."""
        return None if self.known is None else len(self.known) - len(self.values)

    def ahead(self, steps: int) -> list[str]:
        """The times of the next rows; without a clock their numbers, counted from 1 at the first
        row of the data.
        """
        rows = len(self.values)
        return (
            self.clock.ahead(steps)
            if self.clock
            else [str(rows + step) for step in range(1, steps + 1)]
        )

    @property
    def time_name(self) -> str:
        """The heading of the times, which differs from every column name."""
        if self.clock is not None:
            return self.clock.name
        return "row" if "row" not in self.names else "row number"

    @property
    def frame(self) -> pd.DataFrame:
        """A data frame, from which estimators learn the names of the columns."""
        return pd.DataFrame(self.values, columns=list(self.names))


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, missing values included; `first_row` is the number of the first row in a
    spreadsheet; `aside` are row numbers and parts of dates, used as data only if asked for.
    """

    source: str
    frame: pd.DataFrame
    cells: dict[str, Cells]
    clock: Clock | None
    first_row: int
    notes: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()

    def pick(
        self, names: Sequence[str] = (), fill: str | None = None, known: Sequence[str] = ()
    ) -> TimeSeries:
        """The columns with these names, by default all columns of numbers. A missing value is an
        error, and so is a missing time. `fill` = "linear" interpolates them; "skip" takes the rows
        as evenly spaced, whatever their times. known: columns beside them, also for the rows at the
        end that have no values: those are to be forecast.
        """
        beside = [self._known("--known", name) for name in dict.fromkeys(known)]
        chosen = [self._known("--column", name) for name in dict.fromkeys(names)]
        chosen = [name for name in chosen or self.numeric if name not in beside]
        if not len(self.frame):
            raise BadInput(
                f"FILE must have rows below its header, got none in {self.source!r}; check how it "
                "was written"
            )
        if not chosen:
            raise self._without_numbers()
        if fill is not None:
            one_of("--fill", fill, FILLS)
        notes = [*self.notes, *([] if names else self.left_out([*chosen, *beside]))]
        notes += [
            f"{name}: {self.cells[name].written}"
            for name in (*chosen, *beside)
            if self.cells[name].written
        ]
        clock = None if self._time in chosen else self.clock
        places = np.arange(len(self.frame))
        if clock is not None:
            given = clock.calendar
            calendar, about = settled(given, fill, self._wording(clock))
            notes += about
            if calendar is not given and given.places is not None:
                clock, places = replace(clock, calendar=calendar), given.places
        rows = self._rows_before_the_future(chosen) if beside else len(self.frame)
        columns = [self._without_holes(name, fill, places[:rows], notes) for name in chosen]
        values = np.column_stack(columns)
        series = TimeSeries(self.source, tuple(chosen), values, clock, tuple(notes))
        if not beside:
            return series
        more = tuple(self._about_known(chosen, beside, len(self.frame) - rows))
        beside_names, table = self._encoded(beside, fill, places, rows)
        if clock is not None:
            clock = replace(clock, calendar=_first(clock.calendar, len(values)))
        return replace(
            series, clock=clock, notes=(*notes, *more), known=table, known_names=beside_names
        )

    def _rows_before_the_future(self, chosen: Sequence[str]) -> int:
        """How many rows there are up to the last one with a value."""
        last = {}
        for name in chosen:
            filled = ~np.isnan(self.cells[name].numbers) | self.cells[name].wrong
            last[name] = int(np.flatnonzero(filled)[-1]) if filled.any() else -1
        latest = max(last, key=lambda name: last[name])
        if last[latest] in (-1, len(self.frame) - 1):
            got = "no value" if last[latest] < 0 else f"a value of {latest!r} in the last row"
            raise BadInput(
                f"--known must come with rows to forecast, got {got}; append rows that have the "
                "known columns only, or choose other columns with --column"
            )
        return last[latest] + 1

    def _about_known(
        self, chosen: Sequence[str], beside: Sequence[str], rows: int
    ) -> Iterator[str]:
        """Notes about columns that are known ahead."""
        names = ", ".join(beside)
        yield f"known ahead: {names}, for the {rows} rows without {', '.join(chosen)}"
        for name in beside:
            if not self.cells[name].mostly_numbers:
                words = words_of(self.frame[name])
                new = sorted(set(words[-rows:]) - set(words[:-rows]))
                if new:
                    yield (
                        f"{name}: {', '.join(map(repr, new[:LISTED_CATEGORIES]))} comes only in "
                        "the rows to forecast, so nothing was learned about it"
                    )

    def _encoded(
        self, names: Sequence[str], fill: str | None, places: Places, rows: int
    ) -> tuple[tuple[str, ...], Floats]:
        """Columns as numbers, at all places: a text column has one for each of its words, which is
        1 where that word stands.
        """
        found: dict[str, Floats] = {}
        at = np.searchsorted(places, np.arange(places[-1] + 1), side="right") - 1
        for name in names:
            if self.cells[name].mostly_numbers or not self.cells[name].wrong.any():
                found[name] = self._without_holes(name, fill, places, [])
                continue
            words = words_of(self.frame[name]).to_numpy(dtype=object)
            categories = sorted(set(words))
            if len(categories) > MOST_CATEGORIES:
                raise BadInput(
                    f"--known must name columns of numbers or of at most {MOST_CATEGORIES} words, "
                    f"got {len(categories)} in {name!r}; use fewer words"
                )
            for word in categories[1 if len(categories) == 2 else 0 :]:
                found[f"{name}={word}"] = (words == word)[at].astype(np.float64)
        return tuple(found), np.column_stack(list(found.values()))

    def _without_numbers(self) -> BadInput:
        """The error for a table without numbers, which quotes its first cell."""
        name = next(name for name in self.cells if name != self._time)
        got = f"{str(self.frame[name].iloc[0])[:40]!r} in row {self.first_row} of {name!r}"
        return BadInput(
            f"FILE must have a column of numbers, got {got} in {self.source!r}; separate columns "
            "by commas and write numbers as 1234.5, without units"
        )

    def _wording(self, clock: Clock) -> Wording:
        skip = "--fill skip counts the rows as evenly spaced"
        return Wording(
            f"time column {clock.name!r}",
            clock.name,
            f"--fill linear interpolates, {skip}",
            f"correct the times, or {skip}",
            lambda time: clock.write(pd.Index([time]))[0],
            self.first_row,
        )

    def left_out(self, chosen: Sequence[str]) -> list[str]:
        """Notes about the columns that are not chosen, apart from the time."""
        left = [name for name in self.cells if name not in chosen and name != self._time]
        aside = [name for name in left if name in self.aside]
        words = [name for name in left if not self.cells[name].mostly_numbers]
        notes = [f"left out, not numbers: {', '.join(words)}"] if words else []
        if aside:
            notes.append(
                f"left out, row numbers or parts of dates: {', '.join(aside)}; --column uses one "
                "as data"
            )
        return notes

    @property
    def numeric(self) -> list[str]:
        """The names of the columns of numbers, without the time, row numbers and parts of dates;
        with the latter if there is nothing else.
        """
        numbers = [
            name
            for name, cells in self.cells.items()
            if cells.mostly_numbers and name != self._time
        ]
        return [name for name in numbers if name not in self.aside] or numbers

    @property
    def _time(self) -> str | None:
        return None if self.clock is None else self.clock.name

    def _known(self, option: str, name: str) -> str:
        if name not in self.cells:
            known = ", ".join(repr(one) for one in self.cells) or "none"
            reason = "the time of the rows" if name == self._time else repr(name)
            raise BadInput(f"{option} must be one of {known}, got {reason}; choose one of these")
        return name

    def _without_holes(
        self, name: str, fill: str | None, places: Places, notes: list[str]
    ) -> Floats:
        """The numbers of a column at these places, which are those of the first rows."""
        cells = self.cells[name]
        numbers, wrong = cells.numbers[: len(places)], cells.wrong[: len(places)]
        if wrong.any():
            at = int(np.argmax(wrong))
            where = f"{str(self.frame[name].iloc[at])[:40]!r} in row {self.first_row + at}"
            raise BadInput(
                f"column {name!r} must hold finite numbers, got {where}; correct the "
                "cell, or choose other columns with --column"
            )
        holes = np.flatnonzero(np.isnan(numbers))
        if len(holes) and 0 < holes[0] == len(numbers) - len(holes):
            raise BadInput(
                f"column {name!r} must end with a number, got none in {self.rows(holes.tolist())}; "
                "remove these rows, or name the columns that are known there with --known to "
                "forecast them"
            )
        if len(holes) and fill != "linear":
            rows = self.rows(holes.tolist())
            raise BadInput(
                f"column {name!r} must have a number in every row, got none in {rows}; fill them "
                "in, or pass --fill linear"
            )
        if len(holes):
            notes.append(f"interpolated linearly: {name}, {self.rows(holes.tolist())}")
        return self._filled(name, numbers, places)

    def _filled(self, name: str, numbers: Floats, places: Places) -> Floats:
        if np.isnan(numbers[[0, -1]]).any():
            raise BadInput(
                f"column {name!r} must begin and end with a number to be interpolated, got none "
                "there; shorten the table"
            )
        return interpolated(numbers, places)

    def rows(self, places: Sequence[int]) -> str:
        """Row numbers as a spreadsheet shows them."""
        return rows_in_words(places, self.first_row)


@dataclass(frozen=True)
class Hints:
    """The user's hints about the columns of a table: which one has the times, and whether dates
    such as 1/2/2020 are written "day-first" or "month-first".
    """

    time: str | None = None
    dates: str | None = None


NO_HINTS = Hints()


def table_of(sheet: Sheet, hints: Hints = NO_HINTS) -> Table:
    """The table of a sheet: its clock found, its cells parsed, totals below it left out, the oldest
    row first.
    """
    if hints.dates is not None:
        one_of("--dates", hints.dates, DATE_ORDERS)
    frame, first_row = sheet.frame.reset_index(drop=True), sheet.first_row
    if hints.time is not None:
        one_of("--time", hints.time, frame.columns)
    cells = all_cells(frame, sheet.quoted)
    rows, note = without_totals(frame, cells, first_row)
    notes = [*sheet.notes, *([note] if note else [])]
    if rows < len(frame):
        frame = frame.iloc[:rows]
        cells = all_cells(frame, sheet.quoted)
    times = find_times(frame, cells, first_row, hints.time, hints.dates)
    if hints.time is not None and times is None:
        raise BadInput(
            f"--time must be a column of dates or of increasing numbers, got {hints.time!r}; "
            "choose another one"
        )
    if times is not None and times.newest_first:
        notes.append(
            f"the newest row came first: sorted by {times.name!r}, rows are counted from the oldest"
        )
        frame = frame.iloc[::-1].reset_index(drop=True)
        cells = {
            name: Cells(one.numbers[::-1], one.wrong[::-1], one.written)
            for name, one in cells.items()
        }
        times = replace(times, times=times.times[::-1])
    clock = None if times is None else clock_of(times.name, times.times, first_row, times.notation)
    known = {name: one for name, one in cells.items() if not _is_date(name, clock)}
    others = {name: one for name, one in known.items() if clock is None or name != clock.name}
    aside = [name for name, one in others.items() if is_aside(name, one, frame.columns, clock)]
    table = Table(sheet.source, frame, known, clock, first_row, aside=tuple(aside))
    return replace(table, notes=(*notes, *_time_notes(table)))


def _first(calendar: Calendar, rows: int) -> Calendar:
    """The calendar of the first rows."""
    if calendar.even:
        return whole_calendar(calendar.every[:rows], calendar.step)
    return calendar_of(calendar.times[:rows])


def _is_date(name: str, clock: Clock | None) -> bool:
    """Whether a column holds the dates of the rows; years are also numbers."""
    if clock is None or name != clock.name or clock.notation == YEAR:
        return False
    return isinstance(clock.times, pd.DatetimeIndex)


def _time_notes(table: Table) -> Iterator[str]:
    if table.clock is not None or table.frame.shape[1] < 2 or not len(table.frame):
        return
    parts = assembled_times(table.frame, table.cells)
    if parts is not None:
        yield (
            f"{parts.name!r} does not go on from row to row, so it is not used; if the table has "
            "several series, --id names the column that tells them apart"
        )
    for name in filter(is_time_name, table.cells):
        if name in table.aside:
            continue
        if table.cells[name].mostly_numbers:
            yield f"{name!r} does not increase from row to row, so it is used as data, not as time"
        else:
            cell = str(table.frame[name].iloc[0])[:40]
            yield f"{name!r} holds no dates that are understood, but {cell!r}; write 2024-01-31"
