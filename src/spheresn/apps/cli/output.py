"""What commands print and write: tables for people, JSON and CSV for programs, figures, and a bar
while people wait.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ..._errors import printable
from ..._formatting import format_name, format_number, noise_sentence
from ...forecasting.combination import COMBINATION
from .._pages import STYLE, Drawing, quiet, save_figure
from ..forecasts.many import ManyForecasts
from ..forecasts.overview import GRADES, WORST, entries, verdict, worst_first
from ..forecasts.result import ForecastResult
from ..forecasts.summary import describe_seasons, fitted, record_rows, rows_ahead, sentences

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .analyse import Analysis

PAGE_WIDTH = 100  # columns of text where stdout is no terminal
# Of a table in a terminal; the files and the page have all
SHOWN_COLUMNS, SHOWN_ROWS, SHOWN_METHODS = 3, 5, 5


@contextmanager
def show_stages(stages: int) -> Iterator[Callable[[str], None]]:
    """A function to call with the name of each stage that begins: a bar on stderr, on a terminal
    only.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda stage: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading", total=stages + 1)
        yield lambda stage: bars.update(task, description=f"{stage:<20}", advance=1)


def write_rows(path: Path, rows: list[list[str]]) -> None:
    """Write rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def save_drawing(draw: Callable[[], Figure], folder: Path, stem: str, caption: str) -> Drawing:
    """Draw a figure and save it as PNG and SVG."""
    import matplotlib

    with quiet(), matplotlib.rc_context(STYLE):
        return Drawing(stem, caption, save_figure(draw(), folder, stem))


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object to stdout, and nothing else."""
    print(json.dumps(content, indent=2, allow_nan=False))


def print_rows(rows: list[list[str]]) -> None:
    """Print CSV to stdout: unchanged for programs, with control characters escaped on a
    terminal.
    """
    safe = [[printable(cell) for cell in row] for row in rows] if sys.stdout.isatty() else rows
    csv.writer(sys.stdout, lineterminator="\n").writerows(safe)


def print_notes(notes: Sequence[str]) -> None:
    """Print notes to stderr, because stdout is for the data."""
    for line in format_notes(notes):
        print(line, file=sys.stderr)


def print_parts(*parts: str | Table) -> None:
    """Print lines and tables to stdout; brackets in them are no markup."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(
            highlight=False, markup=False, emoji=False, width=PAGE_WIDTH, file=sys.stdout
        )
    for part in parts:
        console.print(printable(part) if isinstance(part, str) else part, soft_wrap=False)


def format_notes(notes: Sequence[str]) -> list[str]:
    """One line per note."""
    return [f"note: {format_name(note, 400)}" for note in notes]


def format_fit(values: dict[str, float]) -> str:
    """The fitted parameters on one line."""
    parts = (f"{name} {format_number(value)}" for name, value in values.items())
    return f"network: {', '.join(parts)}"


def table(
    head: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], words: bool = False
) -> Table:
    """A table with names on the left and numbers aligned on the right; with `words`, all cells are
    aligned on the left. Cells are printed literally.
    """
    made = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(head):
        made.add_column(
            Text(format_name(name, 24)),
            justify="right" if place and not words else "left",
            overflow="fold",
        )
    for name, cells in rows:
        made.add_row(Text(format_name(name, 60)), *(Text(cell) for cell in cells))
    return made


def report_fit(content: dict[str, Any], path: Path) -> None:
    """Print what was fitted to which columns, and where the model is."""
    columns = format_name(", ".join(content["columns"]), 60)
    target = f" -> {format_name(content['target'])}" if content["target"] else ""
    lines = [
        f"{content['kind']} of {columns}{target}, {content['rows']} rows",
        *format_notes(content["notes"]),
    ]
    if content["error"] is not None:
        lines.append(
            f"leave-one-out error {format_number(content['error'])} standard deviations of the "
            "target (1: no better than the mean)"
        )
    noise = content["observation_noise"] or {}
    if noisy := noise_sentence([one["relative"] for one in noise.values()] or [0.0]):
        lines.append(noisy)
    ends = [format_fit(content["fitted"]), str(path)]
    if content["climate"] is not None:
        ends.insert(1, content["climate"]["words"])
    print_parts(*lines, *_candidates(content["candidates"]), *ends)


def _candidates(rows: list[dict[str, Any]]) -> list[str | Table]:
    """The best settings of a forecaster with their scores, and what a score is."""
    if not rows or "noise" not in rows[0]:  # those of a regressor have other scores
        return []
    head = ["memory", "bend", "bias_ratio", "noise", "penalty", "learns", "score", "with all rows"]
    body = [
        (
            f"{row['memory']:.2g}",
            [
                *(f"{row[name]:g}" for name in ("bend", "bias_ratio", "noise")),
                "loo" if row["penalty"] is None else f"{row['penalty']:.0e}",
                "steps" if row["carry"] else "values",
                *("-" if row[name] is None else f"{row[name]:.2f}" for name in ("score", "refit")),
            ],
        )
        for row in rows
    ]
    return [
        "best settings, by their runs over held-out windows; score: e-folds that the error stays "
        "below one standard deviation; penalty: share of the variance of the "
        "states (loo: by the leave-one-out error)",
        table(head, body),
    ]


def report_analysis(found: Analysis, files: Sequence[Path]) -> None:
    """Print the measures as a table, then the reason of the verdict and the fitted parameters."""
    largest, error = float(found.exponents.exponents[0]), float(found.exponents.standard_errors[0])
    fades = (
        "per step; negative: the past fades"
        if largest < 0.0
        else "per step; not negative: the past does not fade"
    )
    relative = found.profile.sensitivity / found.profile.sensitivity[0]
    influence = ", ".join(format_number(float(relative[j]), 2) for j in (1, 5, 20))
    washout = format_number(np.ceil(found.echo.washout))
    delays = f"sum of R² over delays 0 to {len(found.recall.per_delay) - 1}"
    rows = [
        ("largest exponent", [f"{format_number(largest, 3)} ± {format_number(error, 1)}", fades]),
        ("echo state", [found.echo.verdict, f"washout {washout} steps"]),
        ("influence of an input", [influence, "after 1, 5, 20 steps, relative to step 0"]),
        ("recall of your data", [format_number(found.recall.total, 3), delays]),
    ]
    if found.capacity is not None:
        degrees = ", ".join(
            f"degree {i}: {format_number(float(c), 3)}"
            for i, c in enumerate(found.capacity.by_degree, 1)
        )
        bound = f"{degrees}; at most {found.capacity.rank}"
        rows.append(("capacity, white noise", [format_number(found.capacity.total, 3), bound]))
    print_parts(
        f"{format_name(found.series.source)}: network driven by {found.rows} rows of "
        f"{format_name(', '.join(found.series.names), 60)}",
        *format_notes(found.series.notes),
        "",
        table(["measure", "value", ""], rows, words=True),
        "",
        format_name(found.echo.reason, 400),
        format_fit(fitted(found.model)),
        *(str(path) for path in files),
    )


def report_many(many: ManyForecasts, files: Sequence[Path]) -> None:
    """Print how many forecasts are good, the worst ones, and the files."""
    found = entries(many)
    kind = f"series of {format_name(many.target)}" if many.names else "columns"
    head = ["worst first", "error", f"next: {found[0].result.times[0]}"]
    worst = worst_first(found)[:WORST]
    rows = [
        (f"{GRADES[one.grade][1]} {one.label}", [format_number(one.error, 3), one.next_value])
        for one in worst
    ]
    print_parts(
        f"{format_name(many.source)}: {len(found)} {kind}; {many.steps} "
        f"step{'s' if many.steps != 1 else ''} ahead",
        *format_notes(many.notes),
        "",
        verdict(found),
        "",
        table(head, rows),
        *([f"and {len(found) - len(worst)} more in report.html"] if len(found) > WORST else []),
        "",
        *(str(path) for path in files),
    )


def report_forecast(result: ForecastResult, files: Sequence[Path]) -> None:
    """Print the verdict, the next rows, the record and the files."""
    series, names = result.series, result.series.names[:SHOWN_COLUMNS]
    more = (
        f" (the first {SHOWN_COLUMNS} of {len(series.names)} columns)"
        if len(series.names) > SHOWN_COLUMNS
        else ""
    )
    ahead = [(time, cells[:SHOWN_COLUMNS]) for time, cells in rows_ahead(result, SHOWN_ROWS)]
    print_parts(
        f"{format_name(series.source)}: {len(series.values)} rows of "
        f"{format_name(', '.join(series.names), 60)}, {describe_seasons(result)}; "
        f"{result.steps} step{'s' if result.steps != 1 else ''} ahead",
        *format_notes(series.notes),
        "",
        *sentences(result),
        "",
        *_worst_columns(result),
        f"Next rows, with 90 % intervals{more}",
        table([series.time_name, *names], ahead),
        "",
        f"Record: error relative to the {result.naive} method, and weight in the forecast",
        table(["method", "error", "weight"], _record(result)),
        "",
        *(str(path) for path in files),
    )


def _worst_columns(result: ForecastResult) -> list[str | Table]:
    """How good the forecasts of many columns are, and which are worst."""
    found = entries(result)
    if len(found) <= SHOWN_COLUMNS:
        return []
    worst = worst_first(found)[:SHOWN_ROWS]
    rows = [(one.label, [format_number(one.error, 3), one.next_value]) for one in worst]
    return [verdict(found), table(["worst first", "error", f"next: {result.times[0]}"], rows), ""]


def _record(result: ForecastResult) -> list[tuple[str, list[str]]]:
    """The best methods, and in any case the combination and the naive method."""
    rows = record_rows(result)
    kept = {name for name, _, _ in rows[: SHOWN_METHODS + 1]} | {COMBINATION, result.naive}
    shown = [
        (name, [format_number(error, 3), "" if weight is None else f"{100 * weight:.0f} %"])
        for name, error, weight in rows
        if name in kept
    ]
    return [*shown, (f"and {len(rows) - len(shown)} more", ["", ""])]
