"""Frequencies of dates in words, and as text in a file."""

from __future__ import annotations

import re
from typing import Any

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
