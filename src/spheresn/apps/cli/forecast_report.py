"""The files of a forecast, CSV, figure and HTML page; each is whole or absent.

The figure has the data, forecasts of the record, the forecast with its interval, and the errors by
horizon.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ..._formatting import format_name, format_number
from ..._validation import Floats
from ..._version import __version__
from ...forecasting.combination import COMBINATION
from ...io import whole_file
from .._pages import Drawing, pages
from ..forecasts.many import ManyForecasts
from ..forecasts.overview import (
    GRADES,
    WORST,
    Entry,
    entries,
    pictures,
    tally,
    verdict,
    worst_first,
)
from ..forecasts.result import ForecastResult
from ..forecasts.summary import (
    badge,
    compared,
    describe_seasons,
    error_by_step,
    errors_by_column,
    errors_by_horizon,
    families,
    reach,
    record_rows,
    rows_ahead,
    sentences,
    short_title,
    shown_horizons,
)
from ..tables.columns import PARTS
from .output import save_drawing, write_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEXT_ROWS = 10  # of the forecast in the table; all of them are in the file
FILES = ("forecast.csv", "forecast.png", "forecast.svg", "report.html")
COLOURS = ("#0072B2", "#6b747c", "#009E73")  # the combination, the naive method, the best one
DRAWN_COLUMNS = 5  # columns at most
DRAWABLE_POWERS = 30  # powers of ten up to which matplotlib draws axes well
SMALL_ERROR = 0.02  # of the largest error: smaller ones are seen on a logarithmic axis only
LONGEST_NAME = 40  # characters of a column's name


def save_forecast(result: ForecastResult | ManyForecasts, folder: Path, command: str) -> list[Path]:
    """Write forecast.csv, forecast.png, forecast.svg and report.html."""
    rows = forecast_rows(result) if isinstance(result, ForecastResult) else many_rows(result)
    with whole_file(folder / "forecast.csv") as draft:
        write_rows(draft, rows)
    text = caption(result) if isinstance(result, ForecastResult) else caption_of_many(result)
    picture = save_drawing(
        lambda: figure(result) if isinstance(result, ForecastResult) else figure_of_many(result),
        folder,
        "forecast",
        text,
    )
    with whole_file(folder / "report.html") as draft:
        draft.write_text(page(result, picture, command), encoding="utf-8")
    return [folder / name for name in FILES]


def many_rows(many: ManyForecasts) -> list[list[str]]:
    """The table that came, for the rows that follow: in long form its columns of names, the time
    and the value with its interval; else as `forecast_rows`.
    """
    if not many.names:
        times = many.results[0].times
        columns = [part for one in many.results for _, *parts in one.everything for part in parts]
        head = [f"{name}{part}" for (name,) in many.labels for part in ("", " lower", " upper")]
        rows = [
            [moment, *(repr(float(column[k])) for column in columns)]
            for k, moment in enumerate(times)
        ]
        return [[many.time_name, *head], *rows]
    head = [*many.columns, f"{many.target} lower", f"{many.target} upper"]
    found = []
    for label, one in zip(many.labels, many.results, strict=True):
        ((_, value, lower, upper),) = one.everything
        for k, moment in enumerate(one.times):
            cells = dict(zip(many.names, label, strict=True))
            cells |= _time_cells(many, moment) | {many.target: repr(float(value[k]))}
            ends = [repr(float(part[k])) for part in (lower, upper)]
            found.append([*(cells[name] for name in many.columns), *ends])
    return [head, *found]


def _time_cells(many: ManyForecasts, moment: str) -> dict[str, str]:
    """A time as it stands in the table: in one column, or its parts in columns of their own, the
    year first.
    """
    if many.time_name in many.columns:
        return {many.time_name: moment}
    names = [name for name in many.columns if name not in (*many.names, many.target)]
    by_size = sorted(names, key=lambda name: PARTS.index(name.strip().lower()))
    parts = (str(int(part)) for part in re.split("[-T:]", moment))
    return dict(zip(by_size, parts, strict=False))


def forecast_rows(result: ForecastResult) -> list[list[str]]:
    """A header and a row per step: the time, then value, lower and upper of each column."""
    found = result.everything
    head = [
        result.series.time_name,
        *(f"{name}{part}" for name, *_ in found for part in ("", " lower", " upper")),
    ]
    columns = [part for _, *parts in found for part in parts]
    rows = [
        [moment, *(repr(float(column[k])) for column in columns)]
        for k, moment in enumerate(result.times)
    ]
    return [head, *rows]


def page(result: ForecastResult | ManyForecasts, picture: Drawing, command: str) -> str:
    """The page as HTML that fetches nothing: the verdict, the next rows beside a picture from which
    values can be read, the record, and how all that was found.
    """
    environment = pages(Path(__file__).parent)
    environment.filters.update(rounded=format_number)
    script = (Path(__file__).parent / "forecast.js").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    found = entries(result)
    data = json.dumps(pictures(found), ensure_ascii=True, allow_nan=False)
    shared = {
        "picture": picture,
        "command": command,
        "version": __version__,
        # Nothing in it can end the element around it
        "data": Markup(re.sub("[<>&]", lambda one: f"\\u{ord(one[0]):04x}", data)),
        "script": Markup(script),
        "script_hash": f"sha256-{digest}",
        "all_rows": _all_rows(found) if len(found) > WORST else [],
        "all_time": found[0].result.times[0],
        "drawn": DRAWN_COLUMNS,
        **(_next_of_many(found) if len(found) > DRAWN_COLUMNS else _next_rows(found[0].result)),
    }
    template = environment.get_template("forecast.html")
    if isinstance(result, ForecastResult):
        return template.render(shared | _about(result, found))
    counts = tally(found)
    return template.render(
        shared
        | {
            "result": None,
            "source": result.source,
            "subtitle": _subtitle_of_many(result),
            "badges": [
                (kind, f"{mark} {counts[grade]} {words}")
                for grade, (kind, mark, words) in GRADES.items()
            ],
            "lead": verdict(found),
            "notes": result.notes,
        }
    )


def _about(result: ForecastResult, found: list[Entry]) -> dict[str, Any]:
    """The texts of the page about one result and its record."""
    series = result.series
    names = ", ".join(format_name(name, LONGEST_NAME) for name in series.names[:DRAWN_COLUMNS])
    left = len(series.names) - DRAWN_COLUMNS
    spaced = f", {series.clock.spacing} apart by {series.clock.name}" if series.clock else ""
    many = len(found) > DRAWN_COLUMNS
    return {
        "result": result,
        "source": series.source,
        "subtitle": (
            f"{result.steps} step{'s' if result.steps != 1 else ''} ahead, from "
            f"{len(series.values)} rows of {names}{f' and {left} more' if left > 0 else ''}{spaced}"
            f"; {describe_seasons(result)}."
        ),
        "badges": [badge(result)],
        "lead": " ".join([*sentences(result), *([verdict(found)] if many else [])]),
        "notes": series.notes,
        "seasons": describe_seasons(result),
        "combination": COMBINATION,
        "record": record_rows(result),
        "families": families(result),
        "reach": reach(result),
        "horizons": shown_horizons(reach(result)),
        "by_horizon": errors_by_horizon(result),
        "methods": [short_title(result, name) for name in compared(result)],
        "by_column": errors_by_column(result),
    }


def _subtitle_of_many(many: ManyForecasts) -> str:
    kind = f"series of {many.target}" if many.names else "columns"
    rows = [len(one.series.values) for one in many.results]
    span = f"{min(rows)}" if min(rows) == max(rows) else f"{min(rows)} to {max(rows)}"
    steps = f"{many.steps} step{'s' if many.steps != 1 else ''}"
    return f"{len(rows)} {kind}, each of {span} rows; {steps} ahead."


def _next_rows(result: ForecastResult) -> dict[str, Any]:
    """The next values of few columns: a row for each step."""
    names = result.series.names
    left = result.steps - NEXT_ROWS
    return {
        "next_title": "The next values, with 90 % intervals",
        "next_head": [result.series.time_name, *names],
        "next_rows": [(None, time, cells) for time, cells in rows_ahead(result, NEXT_ROWS)],
        "next_more": f"{left} more in forecast.csv." if left > 0 else "",
        "choose": len(names) > 1,
    }


def _next_of_many(found: list[Entry]) -> dict[str, Any]:
    """The worst forecasts, and their next value: a row for each."""
    places = {id(one): place for place, one in enumerate(found)}
    worst = worst_first(found)[:WORST]
    return {
        "next_title": f"The {WORST} worst forecasts" if len(found) > WORST else "The forecasts",
        "choose": False,
        "next_head": ["name", "error", f"next: {found[0].result.times[0]}"],
        "next_rows": [
            (places[id(one)], one.label, [format_number(one.error, 3), one.next_value])
            for one in worst
        ],
        "next_more": (
            "Error: relative to the naive method, below 1 is better. "
            + ("All are below." if len(found) > WORST else "The worst stand first.")
        ),
    }


def _all_rows(found: list[Entry]) -> list[tuple[Any, ...]]:
    places = {id(one): place for place, one in enumerate(found)}
    return [
        (
            places[id(one)],
            one.label,
            *GRADES[one.grade][:2],
            format_number(one.error, 3),
            format_number(one.last_value),
            one.next_value,
        )
        for one in worst_first(found)
    ]


def figure_of_many(many: ManyForecasts) -> Figure:
    """One panel for each of the worst forecasts."""
    from matplotlib.figure import Figure  # here, since only this function needs it

    drawn = worst_first(entries(many))[:DRAWN_COLUMNS]
    drawing = Figure(figsize=(6.2, 2.2 * len(drawn) + 0.4), layout="constrained")
    axes = np.atleast_1d(drawing.subplots(len(drawn), 1))
    for panel, one in zip(axes, drawn, strict=True):
        _draw_column(panel, one.result, one.column, one.label)
    drawing.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=4,
        frameon=False,
        columnspacing=1.2,
        handlelength=1.4,
    )
    return drawing


def caption_of_many(many: ManyForecasts) -> str:
    """What that figure shows."""
    count = min(len(many.results), DRAWN_COLUMNS)
    return (
        f"The {count} worst of {len(many.results)} forecasts. Grey: the data. Orange: forecasts of "
        "the record; each one uses only the rows up to its dot. Blue: the forecast, with an "
        "interval that 90 % of the rows are expected to lie in."
    )


def figure(result: ForecastResult) -> Figure:
    """One panel per column, then the errors."""
    from matplotlib.figure import Figure  # here, since only this function needs it

    panels = min(len(result.series.names), DRAWN_COLUMNS)
    drawing = Figure(figsize=(6.2, 2.2 * panels + 2.8), layout="constrained")
    axes = drawing.subplots(panels + 1, 1, height_ratios=[1.0] * panels + [0.95])
    for column in range(panels):
        _draw_column(axes[column], result, column)
    drawing.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=4,
        frameon=False,
        columnspacing=1.2,
        handlelength=1.4,
    )
    _draw_errors(axes[-1], result)
    return drawing


def caption(result: ForecastResult) -> str:
    """What the figure shows."""
    drawn, columns = min(len(result.series.names), DRAWN_COLUMNS), len(result.series.names)
    some = f" The first {drawn} of {columns} columns are drawn." if columns > drawn else ""
    return (
        "Grey: the data. Orange: forecasts of the record; each one uses only the rows up to its "
        "dot. Blue: the forecast, with an interval that 90 % of the rows are expected to lie in."
        f"{some} Last panel: mean absolute errors in the record against the steps ahead."
    )


def _draw_column(axes: Axes, result: ForecastResult, column: int, name: str | None = None) -> None:
    power = power_of(result.series.values[:, column])
    values, forecast, lower, upper = (
        part[:, column] / 10.0**power
        for part in (result.series.values, result.values, result.lower, result.upper)
    )
    past, coming = result.axis
    recent = slice(result.first_shown, None)
    axes.plot(past[recent], values[recent], color="0.55", linewidth=1.1, label="data")
    _draw_record(axes, result, column, past, values)
    axes.fill_between(
        coming, lower, upper, color=COLOURS[0], alpha=0.18, linewidth=0, label="90 % interval"
    )
    axes.plot(coming, forecast, color=COLOURS[0], linewidth=1.4, label="forecast")
    label = format_name(name or result.series.names[column], LONGEST_NAME) + (
        f" / 1e{power}" if power else ""
    )
    axes.set_ylabel(label, parse_math=False)  # a dollar sign in a name is no formula
    axes.margins(x=0.01)
    axes.spines[["top", "right"]].set_visible(False)
    if isinstance(past, pd.DatetimeIndex):
        from matplotlib.dates import ConciseDateFormatter

        axes.xaxis.set_major_formatter(ConciseDateFormatter(axes.xaxis.get_major_locator()))  # type: ignore[no-untyped-call]


def power_of(values: Floats) -> int:
    """The power of ten to divide by, so that matplotlib can draw the numbers; 0 for ordinary
    numbers.

    >>> power_of(np.array([3e-300, 1e-301])), power_of(np.array([20.0, 1e5]))
    (-300, 0)
    """
    largest = float(np.abs(values).max())
    power = int(np.floor(np.log10(largest))) if largest else 0
    return power if abs(power) > DRAWABLE_POWERS else 0


def _draw_record(
    axes: Axes, result: ForecastResult, column: int, past: pd.Index, values: Floats
) -> None:
    """Draw the last forecasts of the record that do not overlap."""
    power = power_of(result.series.values[:, column])
    label = "forecasts of the record"
    for origin, run in result.past_runs:
        mark: dict[str, Any] = {"marker": "."} if len(run) == 1 else {}
        times, line = past[origin : origin + len(run)], run[:, column] / 10.0**power
        axes.plot(times, line, color="#E69F00", linewidth=1.2, label=label, **mark)
        axes.plot(past[origin - 1], values[origin - 1], ".", color="#B07700", markersize=6)
        label = ""


def _draw_errors(axes: Axes, result: ForecastResult) -> None:
    steps = np.arange(1, reach(result) + 1)
    marker: dict[str, Any] = {"marker": "."} if len(steps) < 15 else {}
    errors = {name: error_by_step(result, name) for name in compared(result)}
    for (name, error), colour in zip(errors.items(), COLOURS, strict=False):
        label = short_title(result, name)
        axes.plot(steps, error, color=colour, linewidth=1.3, label=label, **marker)
    axes.set(xlabel="steps ahead", ylabel="error in deviations")
    least, most = (pick([error.min() for error in errors.values()]) for pick in (min, max))
    if 0.0 < least < SMALL_ERROR * most:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0.0)
    axes.legend(frameon=False, fontsize=9, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    axes.spines[["top", "right"]].set_visible(False)
