"""Forecasts of many series, one by one: a table in long form, or one of many columns.

A `PanelForecaster` that learns from all series together can take the place of `forecast_each`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..._errors import BadInput, sentence
from ..._validation import at_least
from ...forecasting.defaults import SERIES_DEFAULTS
from ..tables import TimeSeries
from ..tables.panel import Panel
from ..tables.table import LISTED_CATEGORIES
from .result import ForecastResult, Report, forecast

MOST_SERIES = 500  # one by one, at about half a second each
# Columns that are forecast together: a model has few coefficients, which they share
MOST_TOGETHER = 20


@dataclass(frozen=True, eq=False)
class ManyForecasts:
    """The forecasts of many series and their labels. names: of the columns that the labels came
    from; empty for a table whose columns are the series. columns: of the table in long form.
    """

    source: str
    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    results: tuple[ForecastResult, ...]
    target: str
    columns: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def steps(self) -> int:
        """The most steps that are forecast for a series."""
        return max(result.steps for result in self.results)

    @property
    def time_name(self) -> str:
        """The heading of the times."""
        return self.results[0].series.time_name


def forecast_panel(
    panel: Panel,
    steps: int | None = None,
    season: str | list[int] | None = "auto",
    seed: int = 0,
    report: Report = lambda stage: None,
) -> ManyForecasts:
    """Forecast each series of a table in long form."""
    labels, series = zip(*panel.series, strict=True)
    results = forecast_each(series, labels, steps, season, seed, report)
    names = panel.names, tuple(labels), results, panel.target, panel.columns
    return ManyForecasts(panel.source, *names, (*panel.notes, *_own_notes(results, series, labels)))


def forecast_columns(
    series: TimeSeries,
    steps: int | None = None,
    season: str | list[int] | None = "auto",
    seed: int = 0,
    report: Report = lambda stage: None,
) -> ManyForecasts:
    """Forecast each column of a table alone."""
    labels = [(name,) for name in series.names]
    parts = [
        replace(series, names=(name,), values=np.ascontiguousarray(values[:, None]), notes=())
        for name, values in zip(series.names, series.values.T, strict=True)
    ]
    results = forecast_each(parts, labels, steps, season, seed, report)
    notes = [
        *series.notes,
        f"each of the {len(parts)} columns is forecast alone, because more than {MOST_TOGETHER} "
        "would share too few coefficients",
        *_own_notes(results, parts, labels),
    ]
    return ManyForecasts(series.source, (), tuple(labels), results, "", (), tuple(notes))


def forecast_each(
    series: Sequence[TimeSeries],
    labels: Sequence[tuple[str, ...]],
    steps: int | None,
    season: str | list[int] | None,
    seed: int,
    report: Report,
) -> tuple[ForecastResult, ...]:
    """Forecast each series alone, all as many steps ahead."""
    if len(series) > MOST_SERIES:
        raise BadInput(
            f"FILE must have at most {MOST_SERIES} series, which are forecast one by one, got "
            f"{len(series)}; keep the ones that matter, or sum those that belong together"
        )
    found: list[ForecastResult] = []
    for place, (one, label) in enumerate(zip(series, labels, strict=True), 1):
        report(f"series {place} of {len(series)}")
        known = one.rows_to_forecast
        try:
            at_least("FILE", len(one.values), SERIES_DEFAULTS.least_rows, "for a forecast")
            found.append(forecast(one, steps if known is None else None, season, seed))
        except BadInput as error:
            shown = sentence(", ".join(label), 60)
            raise BadInput(f"in the series {shown!r}: {error}") from None
        if steps is None and known is None:
            steps = found[0].steps  # all rows of the answer reach equally far
    return tuple(found)


def _own_notes(
    results: Sequence[ForecastResult],
    series: Sequence[TimeSeries],
    labels: Sequence[tuple[str, ...]],
) -> list[str]:
    """What the forecasts add to the notes of their series: which are constant, and the other notes
    with the number of series that have them.
    """
    constant = [
        ", ".join(label) for label, one in zip(labels, results, strict=True) if one.constants
    ]
    counts: dict[str, int] = {}
    for result, one in zip(results, series, strict=True):
        for note in result.series.notes[len(one.notes) + len(result.constants) :]:
            counts[note] = counts.get(note, 0) + 1
    total, left = len(results), len(constant) - LISTED_CATEGORIES
    more = f" and {left} more" if left > 0 else ""
    listed = ", ".join(constant[:LISTED_CATEGORIES])
    return [
        *([f"constant, and forecast as such: {listed}{more}"] if constant else []),
        *(
            note if count == total else f"{note} ({count} of {total} series)"
            for note, count in counts.items()
        ),
    ]
