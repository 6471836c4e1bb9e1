"""The forecast of a file of the user's own, and what the page keeps of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from spheresn._errors import BadInput
from spheresn._formatting import format_name
from spheresn._validation import Floats
from spheresn.apps.forecasts.many import forecast_panel
from spheresn.apps.forecasts.result import ForecastResult, forecast, without_constant_columns
from spheresn.apps.forecasts.summary import badge, describe_seasons, rows_ahead, sentences
from spheresn.apps.tables import TimeSeries
from spheresn.apps.tables.panel import Panel
from spheresn.forecasting.combination import COMBINATION
from spheresn.forecasting.series import shares

from .compute import Report

SMALLEST = 0.005  # shares below it are not listed
LABEL_LENGTH = 40  # characters of a column's name
Times = Sequence[str | float]


@dataclass(frozen=True, eq=False)
class OwnForecast:
    """What the page shows of a forecast. The fitted model is not part of it: pages keep many.

    `past` (T, d), `values`, `lower` and `upper` (H, d) have the times `past_times` and `times`;
    `runs` are earlier forecasts with their times; `hover` has a text for each step and column.
    """

    names: tuple[str, ...]
    time_name: str
    past_times: Times
    past: Floats
    times: Times
    values: Floats
    lower: Floats
    upper: Floats
    runs: list[tuple[Times, Floats]]
    hover: list[list[str]]
    badge: tuple[str, str]
    judged: str
    seasons: str
    shares: dict[str, float]
    notes: list[str]


def own_forecast(file: TimeSeries | Panel, steps: int, report: Report) -> tuple[OwnForecast, ...]:
    """The forecast that `spheresn forecast` makes, or those of the series of a table in long form;
    0 steps leave their number to it.
    """
    try:
        if isinstance(file, TimeSeries):
            found = forecast(file, steps or None, report=report)
            return (shown(found, found.series.notes),)
        many = forecast_panel(file, steps or None, report=report)
        return tuple(shown(one, many.notes) for one in many.results)
    except BadInput as error:
        raise BadInput(for_page(str(error))) from None


def shown(outlook: ForecastResult, notes: Sequence[str]) -> OwnForecast:
    """What the page shows of a forecast."""
    past, coming = (plotted(index) for index in outlook.axis)
    first = outlook.first_shown
    error = outlook.relative_errors[COMBINATION]
    judged = (
        f"In {len(outlook.record.origins)} forecasts of rows that it had not seen, its error was "
        f"{error:.2g} times that of the {outlook.naive} method."
    )
    return OwnForecast(
        outlook.series.names,
        outlook.series.time_name,
        past[first:],
        outlook.series.values[first:].copy(),
        coming,
        outlook.values,
        outlook.lower,
        outlook.upper,
        [(past[origin : origin + len(run)], run) for origin, run in outlook.past_runs],
        [
            [f"{time}: {words}" for words in columns]
            for time, columns in rows_ahead(outlook, outlook.steps)
        ],
        badge(outlook),
        # After the sentence of `describe`, which says what the list of shares says
        " ".join([judged, *sentences(outlook)[1:], outlook.model.describe_noise()]).rstrip(),
        describe_seasons(outlook).capitalize(),
        {
            name: share
            for name, share in shares(outlook.model.weights_).items()
            if share >= SMALLEST
        },
        [for_page(note) for note in notes],
    )


def columns_of(series: TimeSeries) -> tuple[str, ...]:
    """The names of the columns that are forecast: those that vary, or all if none does."""
    return tuple(
        format_name(name, LABEL_LENGTH) for name in without_constant_columns(series)[0].names
    )


def plotted(times: pd.Index) -> list[str | float]:
    """Times as plotly reads them: dates as text, numbers as they are."""
    if isinstance(times, pd.DatetimeIndex):
        return [time.isoformat() for time in times]
    return [float(time) for time in times]


def for_page(sentence: str) -> str:
    """A sentence without the advice and the dashes of the command line, which a page has not.

    >>> for_page("column 'a' must vary, got none; correct it, or choose others with --column")
    "column 'a' must vary, got none; correct it"
    >>> for_page("--steps must be at most 20, the rows of FILE, got 30; ask for fewer")
    'steps must be at most 20, the rows of FILE, got 30; ask for fewer'
    """
    return re.sub(r"(; |, or )[^;,]*--\w+[^;,]*$", "", sentence.removeprefix("--"))


def is_even(file: TimeSeries | Panel | None) -> bool:
    """Whether no time of a file is missing."""
    if isinstance(file, Panel):
        return all(is_even(series) for _, series in file.series)
    return file is None or file.clock is None or file.clock.even


def command_of(title: str, steps: int, even: bool = True) -> str:
    """The command that makes the same forecast; `even`: whether no time is missing."""
    options = [*(["--steps", str(steps)] if steps else []), *([] if even else ["--fill", "skip"])]
    return shlex.join(["spheresn", "forecast", title, *options])
