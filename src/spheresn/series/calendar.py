"""The calendar of a series: how its rows follow each other, what is missing, and what comes next.

This is decided here for Python and for the command line. Of the frequencies on which all dates lie,
a series has the one by which the fewest dates are missing. Times that were measured have even steps
too, though clocks are not exact and printed times are rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import BadInput
from .._validation import Floats
from .frequency import at_one_time, frequencies, in_words, span_in_words

LAST_YEAR = 9999  # a year of five digits could not be read back
MOST_FILLED = 2  # times as many rows as there are, where missing ones are added
JITTER = 0.1  # of a step: times that are no farther from even ones are even
LATE = 3601.0  # seconds: a clock may be an hour off in summer, but not more
LEAST_TIMES = 6  # times from which on chance hardly puts all of them so near to even ones
PRINTED_STEP = 1e-6  # of a step, by which printed times differ
MOST_TIMES = 10**6  # even times that are looked at; more if there are half as many rows
ROUND = ("D", "h", "min", "s", "ms", "us", "ns")

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Calendar:
    """The times of rows, and how they go on.

    times: dates or periods of pandas, or numbers as its index; step: the frequency of dates, or the
    difference of numbers; every: all times from the first to the last, and the places (T,) of the
    rows among them. Without these two, the times are no part of evenly spaced ones.
    """

    times: Any
    step: Any
    every: Any = None
    places: Places | None = None

    @property
    def even(self) -> bool:
        """Whether no time is missing between the first and the last."""
        return self.places is not None and len(self.every) == len(self.places)

    @property
    def can_be_filled(self) -> bool:
        """Whether the times are most of evenly spaced ones."""
        return self.places is not None and len(self.every) <= MOST_FILLED * len(self.places)

    @property
    def missing(self) -> Any:
        """The times between the first and the last for which there is no row."""
        return self.every.delete(self.places)

    @cached_property
    def breaks(self) -> tuple[int, ...]:
        """The rows that are reached by another step than the usual one."""
        if self.places is not None:
            return tuple((np.flatnonzero(np.diff(self.places) != 1) + 1).tolist())
        steps = np.diff(seconds_of(self.times))
        usual = middle(steps)
        return tuple((np.flatnonzero(np.abs(steps - usual) > PRINTED_STEP * usual) + 1).tolist())

    @property
    def jitter(self) -> float:
        """How far times are from their even places at most, in seconds or in their unit."""
        if self.places is None or self.has_periods:
            return 0.0
        beside = self.times - self.every[self.places]
        beside = beside.total_seconds() if self.has_dates else beside
        return float(np.abs(np.asarray(beside)).max())

    @property
    def unit_step(self) -> float:
        """From an even time to the next, in seconds or in the unit of the numbers."""
        times = seconds_of(self.every)
        return float(times[-1] - times[0]) / max(len(times) - 1, 1)

    @property
    def has_periods(self) -> bool:
        """Whether the rows are periods of time, and not points in time."""
        return hasattr(self.times, "to_timestamp")

    @property
    def has_dates(self) -> bool:
        """Whether the times are dates or periods, and not numbers."""
        return hasattr(self.times, "freq")

    @property
    def spacing(self) -> str:
        """The step in words."""
        return in_words(self.step) if self.has_dates else f"{self.step:.12g}"

    def lack(self, write: Any = str) -> str | None:
        """What the rows lack, as a part of a sentence; None if they are even."""
        if self.even:
            return None
        noun = "date" if self.has_dates else "time"
        if self.places is None:
            steps = np.diff(seconds_of(self.times))
            low, high = (self._span(float(end)) for end in (steps.min(), steps.max()))
            return f"evenly spaced {noun}s, got steps from {low} to {high}"
        if not self.can_be_filled:
            return (
                f"at least half of its {noun}s, got {len(self.places)} of {len(self.every)} in "
                f"steps of {self.spacing}"
            )
        missing = self.missing
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        return f"a row for every {noun}, got none for {write(missing[0])}{more}"

    def _span(self, step: float) -> str:
        return span_in_words(step) if self.has_dates else f"{step:.12g}"

    def coming(self, steps: int) -> Any:
        """The times of the next rows."""
        return times_after(self.times if self.every is None else self.every, self.step, steps)

    def completed(self) -> Calendar:
        """The calendar with its missing times."""
        return whole_calendar(self.every, self.step)


def whole_calendar(times: Any, step: Any) -> Calendar:
    """The calendar of times of which none is missing."""
    return Calendar(times, step, times, np.arange(len(times)))


def times_after(times: Any, step: Any, steps: int) -> Any:
    """The times that follow the last of these.

    >>> import pandas as pd
    >>> list(times_after(pd.to_datetime(["2024-01-31"]), pd.offsets.MonthEnd(), 2).day)
    [29, 31]
    """
    import pandas as pd

    if not hasattr(times, "freq"):
        return pd.Index(float(times[-1]) + step * np.arange(1, steps + 1))
    try:
        if isinstance(times, pd.PeriodIndex):
            return pd.period_range(times[-1] + 1, periods=steps, freq=step)
        coming = pd.date_range(times[-1], periods=steps + 1, freq=step)[1:]
        if len(coming) and coming[-1].year > LAST_YEAR:
            raise OverflowError
        return coming
    except (ValueError, OverflowError):
        raise BadInput(
            "dates must continue within the years that pandas can represent, got "
            f"{times[-1]} and {steps} steps of {in_words(step)}; correct the dates"
        ) from None


def calendar_of(times: Any) -> Calendar:
    """The calendar of increasing times: dates, periods, or numbers as an index of pandas.

    >>> import pandas as pd
    >>> calendar = calendar_of(pd.to_datetime(["2024-01-15", "2024-02-15", "2024-04-15"]))
    >>> list(calendar.missing.strftime("%Y-%m-%d")), calendar.spacing
    (['2024-03-15'], '1 month')
    >>> calendar_of(pd.Index([0.5, 1.0, 2.0])).missing.tolist()
    [1.5]
    """
    import pandas as pd

    if isinstance(times, pd.PeriodIndex):
        every = pd.period_range(times[0], times[-1], freq=times.freq)
        return Calendar(times, times.freq, every, every.get_indexer(times))
    if not isinstance(times, pd.DatetimeIndex):
        return _of_numbers(times)
    if len(times) < 2 or times.freq is not None:
        step = pd.offsets.Day() if times.freq is None else times.freq
        return whole_calendar(times, step)
    found = [one for step in frequencies(times) if (one := _at(times, step)) is not None]
    if not any(one.can_be_filled for one in found) and not at_one_time(times):
        found += [one for one in [_with_jitter(times)] if one is not None]
    best = min(found, key=lambda one: len(one.every), default=None)
    # Few dates of many are those of a series with long gaps only if most steps are the usual one
    if best is not None and (best.can_be_filled or 2 * len(best.breaks) < len(times)):
        return best
    usual = pd.Timedelta(middle(np.diff(times.asi8)), times.unit)
    return Calendar(times, pd.tseries.frequencies.to_offset(usual))


def _at(dates: Any, step: Any) -> Calendar | None:
    """The calendar of dates with this frequency; None if some dates do not lie on it."""
    import pandas as pd

    try:
        count = (dates[-1] - dates[0]) / (dates[0] + step - dates[0])
        if not count <= max(MOST_TIMES, 2 * len(dates)):
            return None
        every = pd.date_range(dates[0], dates[-1], freq=step)
    except (ValueError, OverflowError):  # beyond the years that pandas counts
        return None
    places = np.asarray(every.get_indexer(dates), np.int64)
    return None if (places < 0).any() else Calendar(dates, every.freq, every, places)


def _with_jitter(dates: Any) -> Calendar | None:
    """The calendar of a clock that is not exact, with the roundest step that fits."""
    import pandas as pd

    found = clock_with_jitter(dates)
    if found is None:
        return None
    first, step, places = found
    every = pd.date_range(first, periods=int(places[-1]) + 1, freq=step)
    return Calendar(dates, every.freq, every, places)


def _of_numbers(numbers: Any) -> Calendar:
    """The calendar of numbers, whose step is the usual one."""
    import pandas as pd

    values = np.asarray(numbers, np.float64)
    step = middle(np.diff(values)) if len(values) > 1 else 1.0
    for tolerance in (PRINTED_STEP * len(values), JITTER if len(values) >= LEAST_TIMES else 0.0):
        found = even_places(values, step, tolerance)
        if found is not None:
            places, shift = found
            first = values[0] + (shift if tolerance == JITTER else 0.0)
            every = pd.Index(first + step * np.arange(places[-1] + 1))
            return Calendar(numbers, step, every, places)
    return Calendar(numbers, step)


def clock_with_jitter(dates: Any) -> tuple[Any, Any, Places] | None:
    """The first date, the step and the places of dates on an even clock that is not exact; of the
    steps that fit, the roundest. None where dates are too far from it, or too few.
    """
    import pandas as pd

    if len(dates) < LEAST_TIMES:
        return None

    seconds = seconds_of(dates)
    steps = np.diff(seconds)
    count = np.round(steps / middle(steps)).sum()
    usual = pd.Timedelta(float(steps.sum() / count), "s")
    for unit in ROUND:
        step = usual.round(unit)
        if not step:
            continue
        found = even_places(seconds, step.total_seconds(), min(JITTER, LATE / step.total_seconds()))
        if found is None:
            continue
        places, shift = found
        exact = dates[0] + pd.Timedelta(shift, "s")
        first = next(
            one
            for finer in ROUND[ROUND.index(unit) :]
            if abs((one := exact.round(finer)) - exact) <= JITTER * step or finer == ROUND[-1]
        )
        return first, step, places
    return None


def even_places(times: Floats, step: float, tolerance: float) -> tuple[Places, float] | None:
    """The places of times on an even grid of this step, and how far after the first time the grid
    begins; None if a time is farther from its place than this part of the step.

    >>> even_places(np.array([0.0, 1.02, 3.0]), 1.0, 0.1)[0].tolist()
    [0, 1, 3]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exact = (times - times[0]) / step
        if not exact[-1] <= max(MOST_TIMES, 2 * len(times)):
            return None
    places = np.round(exact).astype(np.int64)
    beside = exact - places
    centre = float(np.median(beside))
    if np.abs(beside - centre).max() > tolerance or (np.diff(places) < 1).any():
        return None
    return places, centre * step


def middle(steps: NDArray[Any]) -> Any:
    """The median; of two in the middle the lower one, which is one of the steps."""
    return np.sort(steps)[(len(steps) - 1) // 2].item()


def seconds_of(times: Any) -> Floats:
    """Times as numbers: seconds after the first date, or the numbers themselves."""
    if hasattr(times, "to_timestamp"):
        times = times.to_timestamp()
    if hasattr(times, "freq"):
        return np.asarray((times - times[0]).total_seconds(), np.float64)
    return np.asarray(times, np.float64)
