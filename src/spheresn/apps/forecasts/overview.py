"""The first screen, whether one series is forecast or hundreds: how good each forecast is, the
worst ones, the next values, and the numbers for a picture of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..._formatting import format_interval, format_number
from ...forecasting.combination import COMBINATION
from .many import ManyForecasts
from .result import ForecastResult
from .summary import compare

NUMBER_DIGITS = 6  # of a value of the past, read off a picture
WORST = 10  # forecasts that are listed first where there are many
GRADES = {  # of an error relative to the naive method: class of the page, mark, words
    "better": ("holds", "✓", "better"),
    "equal": ("partly", "◐", "as good"),
    "worse": ("fails", "✗", "worse"),
}


@dataclass(frozen=True, eq=False)
class Entry:
    """The forecast of one column: its label, its result and its place there, and its error in the
    record relative to that of the naive method.
    """

    label: str
    result: ForecastResult
    column: int
    error: float

    @property
    def grade(self) -> str:
        """Whether the error is "better", "equal" or "worse" than that of the naive method."""
        return compare(self.error, 1.0)

    @property
    def alone(self) -> bool:
        """Whether the result is that of this column only."""
        return len(self.result.series.names) == 1

    @property
    def parts(self) -> list[tuple[float, float, float]]:
        """The forecast and the ends of its interval at each step."""
        result = self.result
        rows = (
            part[:, self.column].tolist() for part in (result.values, result.lower, result.upper)
        )
        return list(zip(*rows, strict=True))

    @property
    def next_value(self) -> str:
        """The first step with its interval."""
        return format_interval(*self.parts[0])

    @property
    def last_value(self) -> float:
        """The last row of the data."""
        return float(self.result.series.values[-1, self.column])


def entries(found: ForecastResult | ManyForecasts) -> list[Entry]:
    """All forecasts, in the order of the table."""
    if isinstance(found, ForecastResult):
        return [
            Entry(name, found, column, error)
            for column, (name, error) in enumerate(
                zip(found.series.names, column_errors(found), strict=True)
            )
        ]
    return [
        Entry(", ".join(label), result, 0, column_errors(result)[0])
        for label, result in zip(found.labels, found.results, strict=True)
    ]


def column_errors(result: ForecastResult) -> list[float]:
    """For each column the mean of |e| of the combination relative to that of the naive method."""
    ours, naive = (
        np.abs(result.record.errors(name)).mean(axis=(0, 1)) for name in (COMBINATION, result.naive)
    )
    pairs = zip(ours.tolist(), naive.tolist(), strict=True)
    return [one / two if two > 0.0 else (1.0 if one == 0.0 else np.inf) for one, two in pairs]


def tally(found: Sequence[Entry]) -> dict[str, int]:
    """How many forecasts have each grade."""
    return {grade: sum(one.grade == grade for one in found) for grade in GRADES}


def worst_first(found: Sequence[Entry]) -> list[Entry]:
    """The forecasts, those first that are worst compared with the naive method; constant ones have
    no error and stand last.
    """
    return sorted(found, key=lambda one: (bool(one.result.constants) and one.alone, -one.error))


def verdict(found: Sequence[Entry]) -> str:
    """How many forecasts are good, and how many are not."""
    counts = tally(found)
    parts = ", ".join(f"{counts[grade]} {words}" for grade, (_, _, words) in GRADES.items())
    return f"Of {len(found)} forecasts, by their errors beside those of the naive method: {parts}."


def pictures(found: Sequence[Entry]) -> dict[str, Any]:
    """The data that the page draws, as plain values: for each forecast its past and its future, as
    numbers and as text; times are listed once for all that share them.
    """
    clocks: list[dict[str, list[str]]] = []
    places: dict[int, int] = {}
    series = []
    for one in found:
        result = one.result
        if id(result) not in places:
            clock = {"past": past_times(result), "coming": result.times}
            if clock not in clocks[-1:]:
                clocks.append(clock)
            places[id(result)] = len(clocks) - 1
        past = result.series.values[result.first_shown :, one.column].tolist()
        series.append(
            {
                "name": one.label,
                "clock": places[id(result)],
                "past": [_short(value) for value in past],
                "ahead": [[_short(value) for value in row] for row in one.parts],
                "said": [format_interval(*row) for row in one.parts],
                "shown": [format_number(value, NUMBER_DIGITS) for value in past],
            }
        )
    return {"clocks": clocks, "series": series}


def _short(value: float) -> float:
    return float(f"{value:.{NUMBER_DIGITS}g}")


def past_times(result: ForecastResult) -> list[str]:
    """The times of the rows that a picture shows, as text."""
    first, rows = result.first_shown, len(result.series.values)
    clock = result.series.clock
    if clock is None:
        return [str(row) for row in range(first + 1, rows + 1)]
    return clock.write(pd.Index(clock.times[first:]))
