"""Named columns of numbers, their time, and what must be said about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..._errors import BadInput
from ..._validation import Floats, one_of
from .cells import Cells, cells_of
from .clock import Clock, clock_of, dates_in, is_telling

LISTED = 8  # row numbers in a sentence


@dataclass(frozen=True, eq=False)
class Series:
    """What a job works on: finite values (T, d) under their names, the time of the rows if there is
    one, and what was done to them.
    """

    source: str
    names: tuple[str, ...]
    values: Floats
    clock: Clock | None
    notes: tuple[str, ...] = ()

    def ahead(self, steps: int) -> list[str]:
        """The times of the next rows; without a clock their numbers, the first row of the data
        being 1.
        """
        rows = len(self.values)
        return (
            self.clock.ahead(steps)
            if self.clock
            else [str(rows + step) for step in range(1, steps + 1)]
        )

    @property
    def time_name(self) -> str:
        """The heading of the times; no column has the same."""
        if self.clock is not None:
            return self.clock.name
        return "row" if "row" not in self.names else "row number"

    @property
    def frame(self) -> pd.DataFrame:
        """With names, as the estimators remember them."""
        return pd.DataFrame(self.values, columns=list(self.names))


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers by name, holes included; `first_row` is the number that a spreadsheet
    gives to the first of them.
    """

    source: str
    frame: pd.DataFrame
    cells: dict[str, Cells]
    clock: Clock | None
    first_row: int
    notes: tuple[str, ...] = ()

    def pick(self, names: Sequence[str] = (), fill: str | None = None) -> Series:
        """The columns of these names, by default all of numbers; holes stop it, or are filled with
        straight lines ("linear").
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
        told = [f"left out, not numbers: {', '.join(left)}"] if left else []
        columns = [self._whole(name, fill, told) for name in chosen]
        return Series(
            self.source, tuple(chosen), np.column_stack(columns), self.clock, (*self.notes, *told)
        )

    @property
    def numeric(self) -> list[str]:
        """The names of the columns of numbers, time apart."""
        return [name for name, cells in self.cells.items() if cells.mostly_numbers]

    def _known(self, name: str) -> str:
        if name not in self.cells:
            known = ", ".join(repr(one) for one in self.cells) or "none"
            reason = (
                "the time of the rows" if self.clock and name == self.clock.name else repr(name)
            )
            raise BadInput(f"--column must be one of {known}, got {reason}; choose one of these")
        return name

    def _whole(self, name: str, fill: str | None, told: list[str]) -> Floats:
        cells = self.cells[name]
        if cells.wrong.any():
            at = int(np.argmax(cells.wrong))
            where = f"{str(self.frame[name].iloc[at])[:40]!r} in row {self.first_row + at}"
            raise BadInput(
                f"column {name!r} must hold finite numbers, got {where}; mend the cell, or choose "
                "others with --column"
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
        told.append(f"filled with straight lines: {name}, {self.rows(holes.tolist())}")
        return self._filled(name, cells.numbers)

    def _filled(self, name: str, numbers: Floats) -> Floats:
        known = np.flatnonzero(np.isfinite(numbers))
        if not len(known) or known[0] > 0 or known[-1] < len(numbers) - 1:
            raise BadInput(
                f"column {name!r} must begin and end with a number to be filled, got a hole "
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
    """The table of a data frame: time set apart, cells judged."""
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
        for name in filter(is_telling, table.cells if table.frame.shape[1] > 1 else ()):
            yield f"{name!r} does not grow from row to row, so it is taken for data, not for time"
    elif clock.breaks:
        count = (
            f"{len(clock.breaks)} of {len(clock.times) - 1} steps of {clock.name!r} differ from "
            f"{clock.spacing}"
        )
        yield f"uneven time: {count}, at {table.rows(clock.breaks)}; rows are taken as equally spaced"


def _clock(frame: pd.DataFrame, first_row: int) -> Clock | None:
    """The first column of dates, or the first of growing numbers under a telling name; not the only
    column there is.
    """
    if frame.shape[1] < 2 or not len(frame):
        return None
    for name in frame.columns:
        dates = dates_in(frame[name])
        if dates is not None:
            return clock_of(name, dates, first_row)
    for name in filter(is_telling, frame.columns):
        cells = cells_of(frame[name])
        if not cells.wrong.any() and (np.diff(cells.numbers) > 0).all():
            return clock_of(name, pd.Index(cells.numbers), first_row)
    return None
