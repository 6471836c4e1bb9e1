"""Named columns of numbers with the time of their rows, and notes about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..._errors import BadInput
from ..._validation import Floats, one_of
from ...series.calendar import Places
from ...series.missing import FILLS, Wording, interpolated, rows_in_words, settled
from .cells import Cells, cells_of
from .clock import YEAR, Clock, is_time_name
from .columns import find_clock, is_aside


@dataclass(frozen=True, eq=False)
class TimeSeries:
    """Finite values (T, d) with the names of their columns, the clock of the rows if there is one,
    and notes about what was changed.
    """

    source: str
    names: tuple[str, ...]
    values: Floats
    clock: Clock | None
    notes: tuple[str, ...] = ()

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

    def pick(self, names: Sequence[str] = (), fill: str | None = None) -> TimeSeries:
        """The columns with these names, by default all columns of numbers. A missing value is an
        error, and so is a missing time. `fill` = "linear" interpolates them; "skip" takes the rows
        as evenly spaced, whatever their times.
        """
        chosen = [self._known(name) for name in dict.fromkeys(names)] or self.numeric
        if not len(self.frame):
            raise BadInput(
                f"FILE must have rows below its header, got none in {self.source!r}; check how it "
                "was written"
            )
        if not chosen:
            raise self._without_numbers()
        if fill is not None:
            one_of("--fill", fill, FILLS)
        notes = [*self.notes, *([] if names else self.left_out(chosen))]
        clock = None if self._time in chosen else self.clock
        places = np.arange(len(self.frame))
        if clock is not None:
            given = clock.calendar
            calendar, about = settled(given, fill, self._wording(clock))
            notes += about
            if calendar is not given and given.places is not None:
                clock, places = replace(clock, calendar=calendar), given.places
        columns = [self._without_holes(name, fill, places, notes) for name in chosen]
        return TimeSeries(self.source, tuple(chosen), np.column_stack(columns), clock, tuple(notes))

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

    def _known(self, name: str) -> str:
        if name not in self.cells:
            known = ", ".join(repr(one) for one in self.cells) or "none"
            reason = "the time of the rows" if name == self._time else repr(name)
            raise BadInput(f"--column must be one of {known}, got {reason}; choose one of these")
        return name

    def _without_holes(
        self, name: str, fill: str | None, places: Places, notes: list[str]
    ) -> Floats:
        cells = self.cells[name]
        if cells.wrong.any():
            at = int(np.argmax(cells.wrong))
            where = f"{str(self.frame[name].iloc[at])[:40]!r} in row {self.first_row + at}"
            raise BadInput(
                f"column {name!r} must hold finite numbers, got {where}; correct the "
                "cell, or choose other columns with --column"
            )
        holes = np.flatnonzero(np.isnan(cells.numbers))
        if len(holes) and fill != "linear":
            rows = self.rows(holes.tolist())
            raise BadInput(
                f"column {name!r} must have a number in every row, got none in {rows}; fill them "
                "in, or pass --fill linear"
            )
        if len(holes):
            notes.append(f"interpolated linearly: {name}, {self.rows(holes.tolist())}")
        return self._filled(name, cells.numbers, places)

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


def table_of(frame: pd.DataFrame, first_row: int, source: str) -> Table:
    """The table of a data frame, with its clock found and its cells parsed."""
    frame = frame.reset_index(drop=True)
    clock = find_clock(frame, first_row)
    cells = {name: cells_of(frame[name]) for name in frame.columns if not _is_date(name, clock)}
    others = {name: one for name, one in cells.items() if clock is None or name != clock.name}
    aside = [name for name, one in others.items() if is_aside(name, one, frame.columns, clock)]
    table = Table(source, frame, cells, clock, first_row, aside=tuple(aside))
    return replace(table, notes=tuple(_time_notes(table)))


def _is_date(name: str, clock: Clock | None) -> bool:
    """Whether a column holds the dates of the rows; years are also numbers."""
    if clock is None or name != clock.name or clock.notation == YEAR:
        return False
    return isinstance(clock.times, pd.DatetimeIndex)


def _time_notes(table: Table) -> Iterator[str]:
    if table.clock is not None or table.frame.shape[1] < 2 or not len(table.frame):
        return
    for name in filter(is_time_name, table.cells):
        if name in table.aside:
            continue
        if table.cells[name].mostly_numbers:
            yield f"{name!r} does not increase from row to row, so it is used as data, not as time"
        else:
            cell = str(table.frame[name].iloc[0])[:40]
            yield f"{name!r} holds no dates that are understood, but {cell!r}; write 2024-01-31"
