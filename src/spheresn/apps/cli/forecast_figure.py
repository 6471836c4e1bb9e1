"""The figure of a forecast: the data, the forecasts of the backtest, the forecast with its
interval, and the errors by horizon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..._validation import Floats
from .forecast import LINEAR, NETWORK, PERSISTENCE, Outlook
from .formatting import format_name
from .summary import TITLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {NETWORK: "#0072B2", PERSISTENCE: "#6b747c", LINEAR: "#D55E00"}
DRAWN = 5  # columns at most
BACK = 3  # the past is shown for so many horizons
FEWEST_SHOWN = 60  # rows of the past, if the horizon is short
ORDINARY = 30  # powers of ten up to which matplotlib draws axes well
NAME = 40  # characters of a column's name


def figure(outlook: Outlook) -> Figure:
    """One panel per column, then the errors."""
    from matplotlib.figure import Figure  # here, since only this function needs it

    panels = min(len(outlook.series.names), DRAWN)
    drawing = Figure(figsize=(6.2, 2.2 * panels + 2.8), layout="constrained")
    axes = drawing.subplots(panels + 1, 1, height_ratios=[1.0] * panels + [0.95])
    for column in range(panels):
        _draw_column(axes[column], outlook, column)
    drawing.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=4,
        frameon=False,
        columnspacing=1.2,
        handlelength=1.4,
    )
    _draw_errors(axes[-1], outlook)
    return drawing


def caption(outlook: Outlook) -> str:
    """What the figure shows."""
    drawn, columns = min(len(outlook.series.names), DRAWN), len(outlook.series.names)
    some = f" The first {drawn} of {columns} columns are drawn." if columns > drawn else ""
    return (
        "Grey: the data. Orange: forecasts of the backtest; each one uses only the rows up to its "
        "dot. Blue: the forecast, with the interval that contained 90 % of the errors in the "
        f"backtest at the same horizon.{some} Last panel: the error of the three methods against "
        "the steps ahead; a method with error 1 is as good as always predicting the mean."
    )


def _draw_column(axes: Axes, outlook: Outlook, column: int) -> None:
    power = power_of(outlook.series.values[:, column])
    values, forecast, lower, upper = (
        part[:, column] / 10.0**power
        for part in (outlook.series.values, outlook.values, outlook.lower, outlook.upper)
    )
    past, coming = _times(outlook)
    recent = slice(max(len(values) - max(BACK * outlook.steps, FEWEST_SHOWN), 0), None)
    axes.plot(past[recent], values[recent], color="0.55", linewidth=1.1, label="data")
    _draw_backtest(axes, outlook, column, past, values)
    axes.fill_between(
        coming, lower, upper, color=COLOURS[NETWORK], alpha=0.18, linewidth=0, label="90 % interval"
    )
    axes.plot(coming, forecast, color=COLOURS[NETWORK], linewidth=1.4, label="forecast")
    label = format_name(outlook.series.names[column], NAME) + (f" / 1e{power}" if power else "")
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
    return power if abs(power) > ORDINARY else 0


def _draw_backtest(
    axes: Axes, outlook: Outlook, column: int, past: pd.Index, values: Floats
) -> None:
    """Draw the last runs that do not overlap; a run is the data plus its errors."""
    test = outlook.test
    deviation = outlook.scale[column] / 10.0 ** power_of(outlook.series.values[:, column])
    earliest = len(past) - max(BACK * outlook.steps, FEWEST_SHOWN)
    last, label = len(past) + 1, "backtest forecast"
    for place in range(len(test.origins) - 1, -1, -1):
        origin = int(test.origins[place])
        if origin + outlook.steps < last and origin > earliest:
            run = slice(origin, origin + outlook.steps)
            drawn = values[run] + test.errors(NETWORK)[place, :, column] * deviation
            axes.plot(past[run], drawn, color="#E69F00", linewidth=1.2, label=label)
            axes.plot(past[origin - 1], values[origin - 1], ".", color="#B07700", markersize=6)
            last, label = origin, ""


def _times(outlook: Outlook) -> tuple[pd.Index, pd.Index]:
    clock, rows = outlook.series.clock, len(outlook.series.values)
    if clock is not None:
        return clock.axis, clock.axis_ahead(outlook.steps)
    return pd.Index(np.arange(1, rows + 1)), pd.Index(np.arange(rows + 1, rows + outlook.steps + 1))


def _draw_errors(axes: Axes, outlook: Outlook) -> None:
    steps = np.arange(1, outlook.steps + 1)
    marker: dict[str, Any] = {"marker": "."} if outlook.steps < 15 else {}
    for name, colour in COLOURS.items():
        axes.plot(
            steps,
            outlook.test.rmse_by_step(name),
            color=colour,
            linewidth=1.3,
            label=TITLES[name],
            **marker,
        )
    axes.axhline(1.0, color="0.7", linewidth=0.8, linestyle="--", zorder=0)
    axes.set(xlabel="steps ahead", ylabel="error in deviations", ylim=(0.0, None))
    axes.legend(frameon=False, fontsize=9, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    axes.spines[["top", "right"]].set_visible(False)
