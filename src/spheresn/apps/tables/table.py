"""Named columns of numbers with the time of their rows, and notes about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..._errors import BadInput
from ..._validation import Floats, one_of
from .cells import Cells, cells_of
from .clock import Clock, clock_of, dates_in, is_time_name

LISTED = 8  # row numbers in a sentence


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
    spreadsheet.
    """

    source: str
    frame: pd.DataFrame
    cells: dict[str, Cells]
    clock: Clock | None
    first_row: int
    notes: tuple[str, ...] = ()

    def pick(self, names: Sequence[str] = (), fill: str | None = None) -> TimeSeries:
        """The columns with these names, by default all columns of numbers. A missing value is an
        error, unless `fill` is "linear": then it is interpolated.
        """
        chosen = [self._known(name) for name in dict.fromkeys(names)] or self.numeric
        if not chosen:
            raise BadInput(
                f"FILE must have a column of numbers, got none in {self.source!r}; name the "
                "columns in the first line"
            )
        if not len(self.frame):
            raise BadInput(
                f"FILE must have rows below its header, got none in {self.source!r}; check how it "
                "was written"
            )
        left = [] if names else [name for name in self.cells if name not in chosen]
        notes = [f"left out, not numbers: {', '.join(left)}"] if left else []
        columns = [self._without_holes(name, fill, notes) for name in chosen]
        return TimeSeries(
            self.source, tuple(chosen), np.column_stack(columns), self.clock, (*self.notes, *notes)
        )

    @property
    def numeric(self) -> list[str]:
        """The names of the columns of numbers, without the time."""
        return [name for name, cells in self.cells.items() if cells.mostly_numbers]

    def _known(self, name: str) -> str:
        if name not in self.cells:
            known = ", ".join(repr(one) for one in self.cells) or "none"
            reason = (
                "the time of the rows" if self.clock and name == self.clock.name else repr(name)
            )
            raise BadInput(f"--column must be one of {known}, got {reason}; choose one of these")
        return name

    def _without_holes(self, name: str, fill: str | None, notes: list[str]) -> Floats:
        cells = self.cells[name]
        if cells.wrong.any():
            at = int(np.argmax(cells.wrong))
            where = f"{str(self.frame[name].iloc[at])[:40]!r} in row {self.first_row + at}"
            raise BadInput(
                f"column {name!r} must hold finite numbers, got {where}; correct the "
                "cell, or choose other columns with --column"
            )
        holes = np.flatnonzero(np.isnan(cells.numbers))
        if not len(holes):
            return cells.numbers
        if fill is None:
            rows = self.rows(holes.tolist())
            raise BadInput(
                f"column {name!r} must have a number in every row, got none in {rows}; fill them "
                "in, or pass --fill linear"
            )
        one_of("--fill", fill, ("linear",))
        notes.append(f"interpolated linearly: {name}, {self.rows(holes.tolist())}")
        return self._filled(name, cells.numbers)

    def _filled(self, name: str, numbers: Floats) -> Floats:
        known = np.flatnonzero(np.isfinite(numbers))
        if not len(known) or known[0] > 0 or known[-1] < len(numbers) - 1:
            raise BadInput(
                f"column {name!r} must begin and end with a number to be interpolated, got none "
                "there; shorten the table"
            )
        return np.asarray(np.interp(np.arange(len(numbers)), known, numbers[known]))

    def rows(self, places: Sequence[int]) -> str:
        """Row numbers as a spreadsheet shows them."""
        shown = ", ".join(str(self.first_row + place) for place in places[:LISTED])
        return (
            f"row{'s' if len(places) > 1 else ''} "
            f"{shown}{f' and {len(places) - LISTED} more' if len(places) > LISTED else ''}"
        )


def table_of(frame: pd.DataFrame, first_row: int, source: str) -> Table:
    """The table of a data frame, with its clock found and its cells parsed."""
    frame = frame.reset_index(drop=True)
    clock = _clock(frame, first_row)
    cells = {
        name: cells_of(frame[name]) for name in frame.columns if clock is None or name != clock.name
    }
    table = Table(source, frame, cells, clock, first_row)
    return replace(table, notes=tuple(_time_notes(table)))


def _time_notes(table: Table) -> Iterator[str]:
    clock = table.clock
    if clock is None:
        for name in filter(is_time_name, table.cells if table.frame.shape[1] > 1 else ()):
            yield f"{name!r} does not increase from row to row, so it is used as data, not as time"
    elif clock.breaks:
        yield (
            f"uneven time: {len(clock.breaks)} of {len(clock.times) - 1} steps of {clock.name!r} "
            f"differ from {clock.spacing}, at {table.rows(clock.breaks)}; the rows are used as if "
            "they were equally spaced"
        )


def _clock(frame: pd.DataFrame, first_row: int) -> Clock | None:
    """The clock of the first column of dates, or else of the first column of increasing numbers
    whose name is a word for time. A single column is never a clock.
    """
    if frame.shape[1] < 2 or not len(frame):
        return None
    for name in frame.columns:
        dates = dates_in(frame[name])
        if dates is not None:
            return clock_of(name, dates, first_row)
    for name in filter(is_time_name, frame.columns):
        cells = cells_of(frame[name])
        if not cells.wrong.any() and (np.diff(cells.numbers) > 0).all():
            return clock_of(name, pd.Index(cells.numbers), first_row)
    return None
