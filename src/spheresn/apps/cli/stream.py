"""`spheresn watch`: rows from a file or a pipe, without end, in memory that is bounded."""

from __future__ import annotations

import csv
import json
import os
import stat
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ..._errors import BadInput, printable
from ..._validation import at_least, one_of
from ...estimators import ESNForecaster
from ...estimators.surprise import Surprise
from ...series.gaps import guessed
from ..tables.cells import EMPTY

READ_AT_ONCE = 2**16  # bytes, as many as a pipe of Linux holds
LONGEST_LINE = 2**16  # bytes; a longer one is no row
LARGEST_VALUE = 1e100  # whose square is a number
TIMES = {"time", "date", "datetime", "timestamp", "index"}  # names of columns that are no data
LEAST_TRAINING = 40  # rows
SHOWN = 80  # characters of a bad line
NONE = float("nan")


@dataclass(frozen=True)
class Line:
    """A line of the stream: its number from 1, its values, and the time it names.

    bad: why it is no row; its values are then missing.
    """

    number: int
    values: list[float]
    time: str | None = None
    bad: str | None = None


@contextmanager
def opened(file: str) -> Iterator[int]:
    """The descriptor of a file, or of standard input."""
    if file == "-":
        yield sys.stdin.fileno()
        return
    try:
        handle = os.open(file, os.O_RDONLY)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(
            f"FILE must be a file of rows, got {printable(file)!r} ({reason}); check the name"
        ) from None
    try:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise BadInput(f"FILE must be a file of rows, got the directory {printable(file)!r}")
        yield handle
    finally:
        os.close(handle)


def pieces_of_text(handle: int) -> Iterator[list[str | None]]:
    """The lines that have come, as soon as some have; None for a line that is too long."""
    rest, skipping = b"", False
    while True:
        block = os.read(handle, READ_AT_ONCE)
        *lines, rest = (rest + block).split(b"\n") if block else (rest, b"")
        found: list[str | None] = []
        for line in lines:
            if skipping or len(line) > LONGEST_LINE:
                found.append(None)
            elif block or line:  # at the end there may be nothing after the last line
                found.append(line.decode("utf-8", "replace").strip())
            skipping = False
        if len(rest) > LONGEST_LINE:
            rest, skipping = b"", True
        if found:
            yield found
        if not block:
            return


@dataclass
class Reader:
    """From text to rows: CSV with commas, semicolons, tabs or blanks, or JSON.

    The first line may name the columns. Those of the first row that are numbers are used, except
    times, or those that are asked for.
    """

    wanted: Sequence[str] = ()
    expected: int = 0  # columns, where a model says so
    names: list[str] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    _delimiter: str | None = None
    _time: int | None = None
    _number: int = 0
    _count: int = 0

    def read(self, lines: Sequence[str | None]) -> Iterator[Line]:
        """The rows among these lines. A line that is no row counts as one whose values are missing,
        after the first row.
        """
        for text in lines:
            self._number += 1
            if text == "" or (text is not None and text.startswith("#")):
                continue
            try:
                line = self._parsed(text)
            except BadInput:
                raise
            except ValueError as error:
                line = Line(self._number, [NONE] * self.width, bad=str(error))
            if line is not None:
                yield line

    @property
    def width(self) -> int:
        """The number of columns; before the first row, as many as are expected."""
        return len(self.columns) or len(self.keys) or self.expected

    def _parsed(self, text: str | None) -> Line | None:
        if text is None:
            raise ValueError(f"longer than {LONGEST_LINE} bytes")
        if text[0] in "[{":
            return self._from_json(text)
        cells = self._cells(text)
        if not self.columns:
            if not self.names and not any(_is_number(cell) for cell in cells):
                self.names = cells
                return None
            self._choose(cells)
        if len(cells) != self._count:
            cell = "cell" if len(cells) == 1 else "cells"
            raise ValueError(f"{len(cells)} {cell}, not {self._count}: {_short(text)}")
        values = [_value(cells[column]) for column in self.columns]
        return Line(self._number, values, None if self._time is None else cells[self._time])

    def _cells(self, text: str) -> list[str]:
        if self._delimiter is None:
            self._delimiter = next((one for one in "\t;," if one in text), " ")
        if self._delimiter == " ":
            return text.split()
        return [cell.strip() for cell in next(csv.reader([text], delimiter=self._delimiter))]

    def _choose(self, cells: list[str]) -> None:
        """The columns of the first row."""
        self._count = len(cells)
        names = self.names if len(self.names) == len(cells) else []
        if self.wanted:
            for name in self.wanted:
                one_of("--column", name, names)
            self.columns = [names.index(name) for name in self.wanted]
        else:
            times = [k for k, name in enumerate(names) if name.lower() in TIMES]
            self.columns = [
                k for k, cell in enumerate(cells) if _is_number(cell) and k not in times
            ]
        if not self.columns:
            raise ValueError(f"no numbers: {_short(','.join(cells))}")
        others = [k for k in range(len(cells)) if k not in self.columns]
        self._time = others[0] if others else None
        self.names = [names[k] if names else str(k + 1) for k in self.columns]

    def _from_json(self, text: str) -> Line:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"no JSON: {_short(text)}") from None
        if isinstance(found, list):
            found = {str(k + 1): value for k, value in enumerate(found)}
        if not self.keys:
            numbers = [
                key
                for key, value in found.items()
                if _is_number(value) and key.lower() not in TIMES
            ]
            for name in self.wanted:
                one_of("--column", name, found)
            self.keys = self.names = list(self.wanted) or numbers
            if not self.keys:
                raise ValueError(f"no numbers: {_short(text)}")
        values = [_value(found.get(key)) for key in self.keys]
        time = next((str(value) for key, value in found.items() if key.lower() in TIMES), None)
        return Line(self._number, values, time)


def _is_number(cell: Any) -> bool:
    try:
        return not isinstance(cell, bool) and isfinite(float(cell))
    except (TypeError, ValueError, OverflowError):
        return False


def _value(cell: Any) -> float:
    """The number in a cell, NaN where it is empty."""
    if cell is None or (isinstance(cell, str) and cell.lower() in EMPTY):
        return NONE
    if not _is_number(cell) or abs(float(cell)) > LARGEST_VALUE:
        raise ValueError(f"no number: {_short(cell)}")
    return float(cell)


def _short(text: Any) -> str:
    return printable(str(text))[:SHOWN]


@dataclass
class Watching:
    """The counts so far, and the lines of the output."""

    everything: bool
    names: Sequence[str] = ()
    rows: int = 0
    alarms: int = 0
    changes: int = 0
    bad: int = 0
    _changed: bool = False

    def said_of(self, line: Line) -> Iterator[dict[str, Any]]:
        """The output for a line that is no row."""
        if line.bad is not None:
            self.bad += 1
            yield {"line": line.number, "bad": line.bad}

    def said(self, line: Line, found: Surprise) -> Iterator[dict[str, Any]]:
        """The output for a row, if it is worth a line."""
        self.rows += 1
        self.alarms += found.alarm
        begins, ends = found.changed and not self._changed, self._changed and not found.changed
        self._changed, self.changes = found.changed, self.changes + begins
        if not (self.everything or found.alarm or begins or ends):
            return
        content: dict[str, Any] = {"line": line.number}
        if line.time is not None:
            content["time"] = printable(line.time)
        for name in ("value", "forecast", "lower", "upper"):
            content[name] = dict(zip(self.names, map(_plain, getattr(found, name)), strict=True))
        content |= {"probability": _plain(found.probability), "alarm": found.alarm}
        content["changed"] = found.changed
        if begins:
            content["since"] = line.number - (found.row - (found.since or 0))
        yield content

    def summary(self) -> dict[str, Any]:
        """The last line."""
        return {name: getattr(self, name) for name in ("rows", "alarms", "changes", "bad")}


def _plain(number: float) -> float | None:
    return float(number) if isfinite(number) else None


def watch(
    file: str,
    model: ESNForecaster | None,
    columns: Sequence[str],
    training: int,
    units: int,
    seed: int,
    everything: bool,
    **options: Any,
) -> Iterator[dict[str, Any]]:
    """The output for a stream, line by line; its last line is the summary.

    Without a model, one is learned from the first rows.
    """
    if model is not None and len(model.exogenous_scaler_.mean):
        raise BadInput(
            "MODEL must have no exogenous columns to watch, got some; use it from Python"
        )
    given = [str(name) for name in getattr(model, "feature_names_in_", [])]
    reader = Reader(columns or given, 0 if model is None else model.n_features_in_)
    seen, rest = Watching(everything), list[Line]()
    with opened(file) as handle:
        lines = (list(reader.read(text)) for text in pieces_of_text(handle))
        if model is None:
            first, rest = _first(lines, training)
            for line in first:
                yield from seen.said_of(line)
            model = _learned(first, training, units, seed)
        waiting: deque[Line] = deque()
        rows = _rows(model, chain([rest], lines), waiting)
        for found in model.watch(rows, **options):
            line, seen.names = waiting.popleft(), reader.names
            yield from seen.said_of(line)
            yield from seen.said(line, found)
    yield seen.summary()


def _first(lines: Iterator[list[Line]], training: int) -> tuple[list[Line], list[Line]]:
    """The lines to learn from, and those of the same piece after them."""
    found: list[Line] = []
    for piece in lines:
        found += piece
        if len(found) >= training:
            break
    return found[:training], found[training:]


def _learned(first: list[Line], training: int, units: int, seed: int) -> ESNForecaster:
    width = max((len(line.values) for line in first), default=0)
    rows = np.array([line.values or [NONE] * width for line in first]).reshape(len(first), width)
    at_least("FILE", len(rows), training, "to learn from (--train)")
    if not width or (np.isfinite(rows).mean(axis=0) < 0.5).any():
        raise BadInput(
            f"FILE must have numbers in half of its first {training} rows, got fewer; correct "
            "its beginning, or choose columns"
        )
    model = ESNForecaster(units, observation_noise=0, random_state=seed, verbose=False)
    return model.fit(guessed(rows))


def _rows(
    model: ESNForecaster, pieces: Iterable[list[Line]], waiting: deque[Line]
) -> Iterator[Any]:
    """The rows of lines, as the model takes them; the lines wait until they are judged."""
    names = getattr(model, "feature_names_in_", None)
    for piece in pieces:
        if not piece:
            continue
        if len(piece[-1].values) != model.n_features_in_:
            raise BadInput(
                f"FILE must have {model.n_features_in_} column(s) of numbers, as the model, got "
                f"{len(piece[-1].values)}; choose them with --column"
            )
        waiting.extend(piece)
        rows = np.array([line.values for line in piece])
        yield rows if names is None else pd.DataFrame(rows, columns=names)
