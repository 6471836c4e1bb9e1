"""The time of each row: dates or growing numbers, and how they go on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..._errors import BadInput
from .cells import cells_of, words_of

NAMES = {
    "time",
    "t",
    "date",
    "datetime",
    "timestamp",
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "hour",
    "minute",
    "second",
    "seconds",
}
NAMES |= {"ds", "step", "index", "unnamed: 0", "zeit", "datum", "fecha", "tiempo", "jahr", "temps"}
WORDS = ("time", "date")  # in a longer name, such as "Date (UTC)"
CALENDAR = {
    "D": "day",
    "B": "business day",
    "W": "week",
    "MS": "month",
    "ME": "month",
    "QS": "quarter",
    "QE": "quarter",
}
CALENDAR |= {"YS": "year", "YE": "year"}
SAME = 1e-6  # of a step: rounding of printed times


@dataclass(frozen=True, eq=False)
class Clock:
    """Times (T,), dates or numbers, and the step by which they go on; `breaks` are the places whose
    step is another one.
    """

    name: str
    times: pd.Index
    step: object
    breaks: tuple[int, ...]

    def ahead(self, steps: int) -> list[str]:
        """The next times, written like the others."""
        if isinstance(self.times, pd.DatetimeIndex):
            return _all_written(self._coming(steps), self._days)
        last, step = float(self.times[-1]), float(str(self.step))
        return [_number(last + step * k) for k in range(1, steps + 1)]

    def _coming(self, steps: int) -> pd.DatetimeIndex:
        try:
            coming = pd.date_range(self.times[-1], periods=steps + 1, freq=self.step)[1:]
            return coming.as_unit("ns")  # else a year of five digits, which nobody can read back
        except (ValueError, OverflowError):
            told = f"{self.times[-1]} and {steps} steps of {self.spacing}"
            raise BadInput(
                f"time column {self.name!r} must go on within the years that can be counted, got "
                f"{told}; mend it"
            ) from None

    @property
    def written(self) -> list[str]:
        """The times of the rows."""
        if isinstance(self.times, pd.DatetimeIndex):
            return _all_written(self.times, self._days)
        return [_number(float(time)) for time in self.times]

    @property
    def axis(self) -> pd.Index:
        """Times that can be drawn: matplotlib knows no time zones by name."""
        return (
            self.times.tz_localize(None) if isinstance(self.times, pd.DatetimeIndex) else self.times
        )

    def axis_ahead(self, steps: int) -> pd.Index:
        """`ahead` as numbers or dates to draw."""
        coming = self.ahead(steps)
        if isinstance(self.times, pd.DatetimeIndex):
            return pd.DatetimeIndex([pd.Timestamp(time).tz_localize(None) for time in coming])
        return pd.Index([float(time) for time in coming])

    @property
    def spacing(self) -> str:
        """The step in words."""
        if isinstance(self.step, pd.Timedelta):
            return _span(self.step)
        if isinstance(self.step, pd.offsets.Tick):
            return _span(pd.Timedelta(self.step))
        if isinstance(self.step, float):
            return _number(self.step)
        offset: Any = self.step
        unit = CALENDAR.get(offset.rule_code.split("-")[0])
        return f"the frequency {offset.freqstr}" if unit is None else _counted(offset.n, unit)

    @property
    def _days(self) -> bool:
        return isinstance(self.times, pd.DatetimeIndex) and bool(
            (self.times == self.times.normalize()).all()
        )


def _all_written(times: pd.DatetimeIndex, days: bool) -> list[str]:
    return [
        str(time.date().isoformat() if days and time == time.normalize() else time.isoformat())
        for time in times
    ]


def _span(step: pd.Timedelta) -> str:
    for unit, size in (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)):
        count = step.total_seconds() / size
        if count >= 1 and count == round(count):
            return _counted(count, unit)
    return f"{step.total_seconds():g} s"


def _counted(count: float, unit: str) -> str:
    return f"{count:.0f} {unit}{'s' if count != 1 else ''}"


def _number(value: float) -> str:
    return f"{value:.12g}"


def is_telling(name: str) -> bool:
    """Whether a column of numbers under this name is meant as time.

    >>> is_telling("Time [s]"), is_telling("t"), is_telling("temperature"), is_telling("update")
    (True, True, False, False)
    """
    word = name.strip().lower()
    return word in NAMES or any(
        word == one or word.startswith((f"{one} ", f"{one}_", f"{one}[", f"{one}("))
        for one in (*WORDS, "t")
    )


def dates_in(column: pd.Series) -> pd.DatetimeIndex | None:
    """A column as dates, if every cell of it is one; of day-first and month-first the reading that
    grows evenly.
    """
    if column.dtype.kind == "M":
        return pd.DatetimeIndex(column)
    if column.dtype.kind in "biuf" or len(column) == 0:
        return None
    words = words_of(column)
    if not words.str.contains(r"\d\D+\d", regex=True).all():
        return None
    if not cells_of(column).wrong.any():  # numbers such as 2.5 are no dates
        return None
    readings = [one for one in (_dates(words, options) for options in READINGS) if one is not None]
    return max(readings, key=_evenness, default=None)


READINGS: tuple[dict[str, object], ...] = (
    {"format": "ISO8601"},
    {"dayfirst": True},
    {"dayfirst": False},
)


def _dates(words: pd.Series, options: dict[str, object]) -> pd.DatetimeIndex | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pd.DatetimeIndex(pd.to_datetime(words, errors="raise", **options))
        except (ValueError, TypeError, OverflowError):
            return None


def _evenness(times: pd.DatetimeIndex) -> tuple[bool, bool]:
    return bool(times.is_monotonic_increasing), _frequency(times) is not None


def _frequency(times: pd.DatetimeIndex) -> object | None:
    """The even step of dates, by the calendar where that fits: days, business days, months."""
    if len(times) < 3 or not times.is_unique:
        return None
    with warnings.catch_warnings():
        # Pandas announces that it will return an offset here; both are understood
        warnings.simplefilter("ignore")
        found = pd.infer_freq(times)
    return None if found is None else pd.tseries.frequencies.to_offset(found)


def clock_of(name: str, times: pd.Index, first_row: int) -> Clock:
    """The clock of growing times; those that do not grow are refused with the row."""
    values = times.to_numpy()
    missing = pd.isna(values)
    grows = values[1:] > values[:-1]
    if missing.any() or not grows.all():
        at = int(np.argmax(missing)) if missing.any() else int(np.argmin(grows)) + 1
        raise BadInput(
            f"time column {name!r} must grow from row to row, got {times[at]} in row "
            f"{first_row + at}; sort or mend the rows"
        )
    if isinstance(times, pd.DatetimeIndex):
        frequency = _frequency(times)
        if frequency is not None:
            return Clock(name, times, frequency, ())
        steps = (
            np.diff(times.tz_localize(None).to_numpy()).astype("timedelta64[ns]").astype(np.int64)
        )
        common = int(np.median(steps)) if len(steps) else 86_400_000_000_000
        return Clock(
            name, times, pd.Timedelta(common, "ns"), _breaks(steps.astype(float), float(common))
        )
    steps = np.diff(values.astype(float))
    usual = float(np.median(steps)) if len(steps) else 1.0
    return Clock(name, times, usual, _breaks(steps, usual))


def _breaks(steps: np.ndarray[tuple[int], np.dtype[np.float64]], usual: float) -> tuple[int, ...]:
    return tuple((np.flatnonzero(np.abs(steps - usual) > SAME * usual) + 1).tolist())
