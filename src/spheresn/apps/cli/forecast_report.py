"""The files of a forecast, CSV, figure and HTML page; each is whole or absent.

The figure has the data, forecasts of the record, the forecast with its interval, and the errors by
horizon.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..._formatting import format_name, format_number
from ..._validation import Floats
from ..._version import __version__
from ...forecasting.combination import COMBINATION
from ...io import whole_file
from .._pages import Drawing, pages
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


def save_forecast(result: ForecastResult, folder: Path, command: str) -> list[Path]:
    """Write forecast.csv, forecast.png, forecast.svg and report.html."""
    with whole_file(folder / "forecast.csv") as draft:
        write_rows(draft, forecast_rows(result))
    picture = save_drawing(lambda: figure(result), folder, "forecast", caption(result))
    with whole_file(folder / "report.html") as draft:
        draft.write_text(page(result, picture, command), encoding="utf-8")
    return [folder / name for name in FILES]


def forecast_rows(result: ForecastResult) -> list[list[str]]:
    """A header and a row per step: the time, then value, lower and upper of each column."""
    names = result.series.names
    head = [
        result.series.time_name,
        *(f"{name}{part}" for name in names for part in ("", " lower", " upper")),
    ]
    columns = [
        part[:, i]
        for i in range(len(names))
        for part in (result.values, result.lower, result.upper)
    ]
    rows = [
        [moment, *(repr(float(column[k])) for column in columns)]
        for k, moment in enumerate(result.times)
    ]
    return [head, *rows]


def page(result: ForecastResult, picture: Drawing, command: str) -> str:
    """The page as HTML that fetches nothing: the verdict, the figure, the record, the next rows and
    how all that was found.
    """
    environment = pages(Path(__file__).parent)
    environment.filters.update(rounded=format_number)
    return environment.get_template("forecast.html").render(
        result=result,
        picture=picture,
        command=command,
        version=__version__,
        sentences=sentences(result),
        badge=badge(result),
        seasons=describe_seasons(result),
        combination=COMBINATION,
        record=record_rows(result),
        families=families(result),
        reach=reach(result),
        horizons=shown_horizons(reach(result)),
        by_horizon=errors_by_horizon(result),
        methods=[short_title(result, name) for name in compared(result)],
        by_column=errors_by_column(result),
        ahead=rows_ahead(result, NEXT_ROWS),
        drawn=DRAWN_COLUMNS,
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


def _draw_column(axes: Axes, result: ForecastResult, column: int) -> None:
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
    label = format_name(result.series.names[column], LONGEST_NAME) + (
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
    power = int(np.floor(np.log10(np.abs(values).max())))
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
