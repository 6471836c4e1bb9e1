"""What commands say: aligned tables for people, JSON for programs, a bar on a terminal while they
work.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ..._errors import printable
from .analyse import Analysis
from .forecast import Outlook
from .numbers import rounded, shown
from .summary import errors_by_horizon, fitted, rows_ahead
from .verdict import sentences, shown_horizons

WIDTH = 100  # where the output is no terminal
SHOWN_COLUMNS, SHOWN_ROWS = 4, 5


@contextmanager
def progress(stages: int) -> Iterator[Callable[[str], None]]:
    """A function to be told what begins; it moves a bar if stderr is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda doing: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading", total=stages + 1)
        yield lambda doing: bars.update(task, description=f"{doing:<20}", advance=1)


def tell_json(content: dict[str, Any]) -> None:
    """One JSON object on stdout, and nothing else."""
    print(json.dumps(content, indent=2, allow_nan=False))


def tell(*parts: str | Table) -> None:
    """Text as it is, markup and all, and tables."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=WIDTH, file=sys.stdout)
    for part in parts:
        console.print(printable(part) if isinstance(part, str) else part, soft_wrap=False)


def table(
    head: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], words: bool = False
) -> Table:
    """Names left, numbers right, or all left if they are `words`; whatever they contain is printed
    literally.
    """
    made = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(head):
        made.add_column(
            Text(shown(name, 24)),
            justify="right" if place and not words else "left",
            overflow="fold",
        )
    for name, cells in rows:
        made.add_row(Text(shown(name)), *(Text(cell) for cell in cells))
    return made


def told_notes(notes: Sequence[str]) -> list[str]:
    """Each on a line of its own."""
    return [f"note: {shown(note, 400)}" for note in notes]


def tell_notes(notes: Sequence[str]) -> None:
    """On stderr, where stdout is for data."""
    for line in told_notes(notes):
        print(line, file=sys.stderr)


def print_rows(rows: list[list[str]]) -> None:
    """CSV on stdout: to the letter for programs, but nothing in it steers a terminal."""
    safe = [[printable(cell) for cell in row] for row in rows] if sys.stdout.isatty() else rows
    csv.writer(sys.stdout, lineterminator="\n").writerows(safe)


def tell_fit(told: dict[str, Any], path: Path) -> None:
    """What was fitted to what, and where it is."""
    target = f" -> {shown(told['target'])}" if told["target"] else ""
    lines = [
        f"{told['kind']} of {shown(', '.join(told['columns']), 60)}{target}, {told['rows']} rows",
        *told_notes(told["notes"]),
    ]
    if told["error"] is not None:
        lines.append(
            f"leave-one-out error {rounded(told['error'])} standard deviations of the target (1: "
            "no better than the mean)"
        )
    tell(*lines, told_fit(told["fitted"]), str(path))


def tell_analysis(found: Analysis, files: Sequence[Path]) -> None:
    """The answers first, then the numbers behind them."""
    largest, error = float(found.exponents.exponents[0]), float(found.exponents.standard_errors[0])
    fades = (
        "per step; negative: the past fades"
        if largest < 0.0
        else "per step; not negative: the past does not fade"
    )
    relative = found.profile.sensitivity / found.profile.sensitivity[0]
    rows = [
        ("largest exponent", [f"{rounded(largest, 3)} ± {rounded(error, 1)}", fades]),
        (
            "echo state",
            [found.echo.verdict, f"washout {rounded(np.ceil(found.echo.washout))} steps"],
        ),
        (
            "influence of an input",
            [
                ", ".join(rounded(float(relative[j]), 2) for j in (1, 5, 20)),
                "1, 5, 20 steps later, relative to at once",
            ],
        ),
        (
            "recall of your data",
            [
                rounded(found.recall.total, 3),
                f"sum of R² over delays 0 to {len(found.recall.per_delay) - 1}",
            ],
        ),
    ]
    if found.capacity is not None:
        degrees = ", ".join(
            f"degree {i}: {rounded(float(c), 3)}" for i, c in enumerate(found.capacity.by_degree, 1)
        )
        rows.append(
            (
                "capacity, white noise",
                [rounded(found.capacity.total, 3), f"{degrees}; at most {found.capacity.rank}"],
            )
        )
    tell(
        f"{shown(found.series.source)}: network driven by {found.rows} rows of "
        f"{shown(', '.join(found.series.names), 60)}",
        *told_notes(found.series.notes),
        "",
        table(["measure", "value", ""], rows, words=True),
        "",
        shown(found.echo.reason, 400),
        told_fit(fitted(found.model)),
        *(str(path) for path in files),
    )


def tell_forecast(outlook: Outlook, files: Sequence[Path]) -> None:
    """Verdict, errors, the next rows, what was fitted, where the rest is."""
    series, names = outlook.series, outlook.series.names[:SHOWN_COLUMNS]
    more = (
        f" (the first {SHOWN_COLUMNS} of {len(series.names)} columns)"
        if len(series.names) > SHOWN_COLUMNS
        else ""
    )
    head = [series.time_name, *names]
    ahead = [(time, cells[:SHOWN_COLUMNS]) for time, cells in rows_ahead(outlook, SHOWN_ROWS)]
    horizons = [*(f"{step} ahead" for step in shown_horizons(outlook.steps)), "all"]
    errors = [
        (name, [rounded(error, 3) for error in row]) for name, row in errors_by_horizon(outlook)
    ]
    tell(
        f"{shown(series.source)}: {len(series.values)} rows of "
        f"{shown(', '.join(series.names), 60)}; {outlook.steps} steps ahead",
        *told_notes(series.notes),
        "",
        *sentences(outlook.test, outlook.steps),
        "",
        "Error in the backtest, in standard deviations (1: no better than the mean)",
        table(["method", *horizons], errors),
        "",
        f"Next rows ± 90 % interval{more}",
        table(head, ahead),
        "",
        told_fit(fitted(outlook.model)),
        *(str(path) for path in files),
    )


def told_fit(values: dict[str, float]) -> str:
    """What was fitted, on one line."""
    return "network: " + ", ".join(f"{name} {rounded(value)}" for name, value in values.items())
