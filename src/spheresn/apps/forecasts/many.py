"""Forecasts of many series: a table in long form, by one model for all of them, or one of many
columns, each alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..._errors import BadInput, sentence
from ..._formatting import format_number
from ..._validation import at_least, whole
from ...forecasting.defaults import SERIES_DEFAULTS
from ..tables import TimeSeries
from ..tables.panel import Panel
from ..tables.table import LISTED_CATEGORIES
from .result import ForecastResult, Report, forecast
from .together import LEARNED_TWICE, can_be_together, forecast_together

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
    """Forecast the series of a table in long form: from some on by one model for all."""
    whole("--seed", seed, 0)
    labels, series = zip(*panel.series, strict=True)
    about: tuple[str, ...] = ()
    if can_be_together(series) and (season is None or season == "auto" or len(season) == 1):
        results, said = forecast_together(series, steps, season, seed, report)
        about = (said, *totals(results))
    else:
        results = forecast_each(series, labels, steps, season, seed, report)
    names = panel.names, tuple(labels), results, panel.target, panel.columns
    notes = (*panel.notes, *_own_notes(results, series, labels), *about)
    return ManyForecasts(panel.source, *names, notes)


def totals(results: Sequence[ForecastResult]) -> tuple[str, ...]:
    """What all series are together, if they have the same last times."""
    first = results[0]
    steps = first.steps
    if any(one.times[-1:] != first.times[-1:] or one.steps != steps for one in results):
        return ()
    before = sum(float(one.series.values[-steps:].sum()) for one in results)
    after = sum(float(one.values.sum()) for one in results)
    return (
        f"all series together: {format_number(before, 4)} in the last {steps} rows, "
        f"{format_number(after, 4)} in the next {steps}",
    )


def stages_of(panel: Panel) -> int:
    """How often the forecast of a panel reports, at most."""
    series = [one for _, one in panel.series]
    return LEARNED_TWICE if can_be_together(series) else len(series)


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
