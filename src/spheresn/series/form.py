"""The form in which a series comes, and forecasts in the same form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._validation import Floats, one_of
from .calendar import Calendar, whole_calendar
from .frequency import from_text, to_text


@dataclass(frozen=True, eq=False)
class SeriesForm:
    """The form in which a series came, and how it continues.

    library: "pandas", "polars" or "numpy"; names of the columns; flat: whether one column came
    without a second axis; index: that of pandas; rows: how many there were; calendar: that of an
    index of dates or of evenly spaced numbers that are not whole.
    """

    library: str = "numpy"
    names: tuple[Any, ...] = ()
    flat: bool = True
    index: Any = None
    rows: int = 0
    calendar: Calendar | None = None

    @staticmethod
    def of_array(columns: int, flat: bool, rows: int = 0) -> SeriesForm:
        """The form of an array, whose columns are counted."""
        return SeriesForm("numpy", tuple(range(columns)), flat, None, rows)

    def coming(self, steps: int) -> Any:
        """The index of the next rows: dates, periods, or row numbers."""
        if self.index is None:
            return np.arange(self.rows, self.rows + steps)
        if self.calendar is not None:
            return self.calendar.coming(steps)
        import pandas as pd

        first, step = _numbering(self.index)
        return pd.RangeIndex(first, first + steps * step, step)

    def after(self, rows: int) -> SeriesForm:
        """The form of the series when so many more rows have come."""
        index = None if self.index is None else self.coming(rows)
        calendar = None if self.calendar is None else whole_calendar(index, self.calendar.step)
        return SeriesForm(self.library, self.names, self.flat, index, self.rows + rows, calendar)

    def shaped(self, rows: Floats, index: Any) -> Any:
        """Rows (H, d) in the form of the series."""
        if self.library == "pandas":
            import pandas as pd

            if self.flat:
                return pd.Series(rows[:, 0], index, name=self.names[0])
            return pd.DataFrame(rows, index, list(self.names))
        if self.library == "polars":
            import polars as pl

            if self.flat:
                return pl.Series(self.names[0], rows[:, 0])
            return pl.DataFrame(rows, schema=list(self.names))
        return rows[:, 0] if self.flat else rows

    def plain(self) -> dict[str, Any]:
        """All that later forecasts need, for a file."""
        found: dict[str, Any] = {
            "library": self.library,
            "names": [
                name if name is None or isinstance(name, (str, int)) else str(name)
                for name in self.names
            ],
            "flat": self.flat,
            "rows": self.rows,
        }
        if self.calendar is not None:
            found["index"] = _plain_calendar(self.calendar)
        elif self.index is not None:
            found["index"] = ["numbers", *(str(part) for part in _numbering(self.index))]
        return found

    @staticmethod
    def from_plain(found: dict[str, Any]) -> SeriesForm:
        """What `plain` gave."""
        index = calendar = None
        if "index" in found:
            import pandas as pd

            kind, last, code, *zone = (str(part) for part in found["index"])
            if kind == "numbers":
                step = int(code)
                index = pd.RangeIndex(int(last) - step, int(last), step)
            else:
                index, step = _last_of(kind, last, code, zone)
                calendar = whole_calendar(index, step)
        library = one_of("library", found["library"], ("numpy", "pandas", "polars"))
        flat, rows = bool(found["flat"]), int(found["rows"])
        return SeriesForm(library, tuple(found["names"]), flat, index, rows, calendar)


def _plain_calendar(calendar: Calendar) -> list[str]:
    """The kind of the times, the last one, the step, and the time zone if there is one."""
    times = calendar.times if calendar.every is None else calendar.every
    if calendar.has_periods:
        return ["periods", str(times[-1]), times.freqstr]
    if not calendar.has_dates:
        return ["times", repr(float(times[-1])), repr(float(calendar.step))]
    zone = [] if times.tz is None else [str(times.tz)]
    return ["dates", str(times[-1]), to_text(calendar.step), *zone]


def _last_of(kind: str, last: str, code: str, zone: list[str]) -> tuple[Any, Any]:
    """The last time, as an index, and the step."""
    import pandas as pd

    if kind == "periods":
        periods = pd.PeriodIndex([last], freq=code)
        return periods, periods.freq
    if kind == "times":
        return pd.Index([float(last)]), float(code)
    date = pd.DatetimeIndex([last])
    # The date knows the hours from UTC only, and these change with the season
    return (date.tz_convert(zone[0]) if zone else date), from_text(code)


def _numbering(index: Any) -> tuple[int, int]:
    """The next number of an index, and its step: evenly spaced whole numbers go on, and anything
    else is counted from 0.
    """
    import pandas as pd

    if isinstance(index, pd.RangeIndex) and len(index):
        return int(index[-1]) + index.step, int(index.step)
    if getattr(index.dtype, "kind", "O") in "iu" and len(index) > 1:
        steps = np.diff(index.to_numpy())
        if (steps == steps[0]).all() and steps[0] != 0:
            return int(index[-1]) + int(steps[0]), int(steps[0])
    return len(index), 1
