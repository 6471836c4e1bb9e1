"""The figure of a forecast: the data, forecasts of the record, the forecast with its interval, and
the errors by horizon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..._validation import Floats
from ..forecasts.formatting import format_name
from ..forecasts.result import ForecastResult
from ..forecasts.summary import compared, error_by_step, reach, short_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#6b747c", "#009E73")  # the combination, the naive method, the best one
DRAWN_COLUMNS = 5  # columns at most
DRAWABLE_POWERS = 30  # powers of ten up to which matplotlib draws axes well
SMALL_ERROR = 0.02  # of the largest error: smaller ones are seen on a logarithmic axis only
LONGEST_NAME = 40  # characters of a column's name


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
