"""The frequencies that dates may have, and these in words and as text in a file.

A frequency is an offset of pandas. That of months on a certain day, or on the last day of shorter
months, is `pandas.DateOffset(months=n, day=d)`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_DATES = 3  # dates from which a rule about weekdays can be seen
UNITS = {
    "D": "day",
    "B": "business day",
    "W": "week",
    "MS": "month",
    "ME": "month",
    "QS": "quarter",
    "QE": "quarter",
    "YS": "year",
    "YE": "year",
}
# Seconds of a unit, the largest first
SIZES = (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0))
ON_DAY = r"(\d+) months on day (\d+)"


def frequencies(dates: Any) -> Iterator[Any]:
    """Frequencies on which dates with gaps may lie, the preferred one first.

    dates: a DatetimeIndex of at least two dates in their order. A frequency fits if all dates are
    among its own; the caller sees to that.

    >>> import pandas as pd
    >>> months = pd.to_datetime(["2024-01-30", "2024-02-29", "2024-03-30"])
    >>> next(frequencies(months))
    <DateOffset: day=30, months=1>
    """
    inferred = inferred_frequency(dates)
    if inferred is not None and not _is_even(inferred):
        yield inferred
    same_time = at_one_time(dates)
    if same_time:
        yield from _of_months(dates)
    yield _step(dates, same_time)
    if same_time:
        yield from _of_weekdays(dates)


def inferred_frequency(dates: Any) -> Any:
    """The frequency that pandas sees in dates of which none is missing, or None."""
    import pandas as pd

    if len(dates) < LEAST_DATES:
        return None
    with warnings.catch_warnings():
        # A future pandas returns an offset here and warns about it; `to_offset` takes both
        warnings.simplefilter("ignore")
        found = pd.infer_freq(dates)
    if found is None:
        return None
    name = pd.tseries.frequencies.to_offset(found).freqstr
    for one in (name, name.replace("WOM-4", "LWOM-")):  # pandas takes last Fridays for fourth ones
        every = pd.date_range(dates[0], periods=len(dates), freq=one)
        if (every == dates).all():
            return every.freq
    return None


def _is_even(frequency: Any) -> bool:
    """Whether the steps are days, weeks or shorter: 31 days may also be a month."""
    import pandas as pd

    return isinstance(frequency, (pd.offsets.Tick, pd.offsets.Day, pd.offsets.Week))


def at_one_time(dates: Any) -> bool:
    """Whether all dates have the same time of day, by the clock on the wall."""
    wall = dates.tz_localize(None)
    times = wall - wall.normalize()
    return bool((times == times[0]).all())


def _usual(steps: NDArray[Any]) -> int:
    """The most common step; of several the least."""
    values, counts = np.unique(steps, return_counts=True)
    return int(values[np.argmax(counts)])


def _of_months(dates: Any) -> Iterator[Any]:
    """Every so many months: on a first, a last, a business or a certain day."""
    import pandas as pd

    steps = np.diff(np.asarray(12 * dates.year + dates.month, np.int64))
    if (steps < 1).any():
        return
    count, month = _usual(steps), int(dates[0].month)
    if dates.is_month_start.all():
        yield _begin(count, month)
    elif dates.is_month_end.all():
        yield _end(count, month)
    last = int(dates.day.max())
    if (dates.day == np.minimum(last, dates.days_in_month)).all():
        yield pd.DateOffset(months=count, day=last)
    if len(dates) >= LEAST_DATES:
        for rule in (pd.offsets.BMonthBegin(count), pd.offsets.BMonthEnd(count)):
            if all(rule.is_on_offset(date) for date in dates):
                yield rule


def _begin(count: int, month: int) -> Any:
    """Every so many months on the first."""
    import pandas as pd

    if count % 12 == 0:
        return pd.offsets.YearBegin(count // 12, month=month)
    if count % 3 == 0:
        return pd.offsets.QuarterBegin(count // 3, startingMonth=month)
    return pd.offsets.MonthBegin(count)


def _end(count: int, month: int) -> Any:
    """Every so many months on the last day."""
    import pandas as pd

    if count % 12 == 0:
        return pd.offsets.YearEnd(count // 12, month=month)
    if count % 3 == 0:
        return pd.offsets.QuarterEnd(count // 3, startingMonth=month)
    return pd.offsets.MonthEnd(count)


def _step(dates: Any, same_time: bool) -> Any:
    """The most common step: days of the calendar, which are not all 24 hours long where clocks
    change, weeks, or a span of time.
    """
    import pandas as pd

    if not same_time:
        step = _usual(np.diff(dates.asi8))
        return pd.tseries.frequencies.to_offset(pd.Timedelta(step, dates.unit))
    days = _usual(np.diff(days_of(dates)).astype(np.int64))
    if days % 7 == 0:
        return pd.offsets.Week(days // 7, weekday=int(dates[0].weekday()))
    return pd.offsets.Day(days)


def days_of(dates: Any) -> NDArray[np.datetime64]:
    """The days, by the clock on the wall."""
    return np.asarray(dates.tz_localize(None).to_numpy().astype("datetime64[D]"))


def _of_weekdays(dates: Any) -> Iterator[Any]:
    """Business days; and the first, second, ... or last of a weekday in every so many months."""
    import pandas as pd

    weekdays = np.asarray(dates.day_of_week)
    if len(dates) < LEAST_DATES:
        return
    if weekdays.max() < 5:
        days = days_of(dates)
        if _usual(np.busday_count(days[:-1], days[1:])) == 1:
            yield pd.offsets.BDay()
    steps = np.diff(np.asarray(12 * dates.year + dates.month, np.int64))
    if (weekdays != weekdays[0]).any() or (steps < 1).any():
        return
    count, weekday, weeks = _usual(steps), int(weekdays[0]), np.asarray((dates.day - 1) // 7)
    if (weeks == weeks[0]).all() and weeks[0] < 4:
        yield pd.offsets.WeekOfMonth(count, week=int(weeks[0]), weekday=weekday)
    if (dates.day + 7 > dates.days_in_month).all():
        yield pd.offsets.LastWeekOfMonth(count, weekday=weekday)


def months_on_day(frequency: Any) -> tuple[int, int] | None:
    """(months, day) of a frequency of months on a certain day, else None."""
    parts = getattr(frequency, "kwds", {})
    if set(parts) != {"months", "day"}:
        return None
    return int(parts["months"]) * int(frequency.n), int(parts["day"])


def in_words(frequency: Any) -> str:
    """The step in words.

    >>> import pandas as pd
    >>> [in_words(pd.tseries.frequencies.to_offset(code)) for code in ("90min", "2QS", "BME")]
    ['90 minutes', '2 quarters', 'the frequency BME']
    """
    import pandas as pd

    monthly = months_on_day(frequency)
    if monthly is not None:
        return _months_in_words(monthly[0])
    if isinstance(frequency, pd.offsets.Tick):
        return span_in_words(pd.Timedelta(frequency).total_seconds())
    unit = UNITS.get(frequency.rule_code.split("-")[0])
    if unit == "month":
        return _months_in_words(int(frequency.n))
    return (
        f"the frequency {frequency.freqstr}" if unit is None else _counted(int(frequency.n), unit)
    )


def _months_in_words(months: int) -> str:
    for unit, size in (("year", 12), ("quarter", 3)):
        if months % size == 0:
            return _counted(months // size, unit)
    return _counted(months, "month")


def span_in_words(seconds: float) -> str:
    """A span of time in its largest whole unit.

    >>> span_in_words(7200.0), span_in_words(0.5)
    ('2 hours', '0.5 s')
    """
    for unit, size in SIZES:
        count = seconds / size
        if count >= 1 and count == round(count):
            return _counted(int(count), unit)
    return f"{seconds:g} s"


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}{'s' if count != 1 else ''}"


def to_text(frequency: Any) -> str:
    """The frequency as text, for a file.

    >>> import pandas as pd
    >>> to_text(pd.offsets.BDay()), to_text(pd.DateOffset(months=1, day=15))
    ('B', '1 months on day 15')
    """
    monthly = months_on_day(frequency)
    return str(frequency.freqstr) if monthly is None else "{} months on day {}".format(*monthly)


def from_text(text: str) -> Any:
    """What `to_text` wrote.

    >>> to_text(from_text("12 months on day 4"))
    '12 months on day 4'
    """
    import pandas as pd

    found = re.fullmatch(ON_DAY, text)
    if found is None:
        return pd.tseries.frequencies.to_offset(text)
    return pd.DateOffset(months=int(found[1]), day=int(found[2]))
