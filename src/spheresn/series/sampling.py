"""Rows at the times at which they were taken, brought to even steps of a given size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _validation
from .._validation import Floats
from .calendar import Calendar, middle, seconds_of

SAME_STEP = 0.05  # of a step: months, and clocks, differ by so much and count as the same


@dataclass(frozen=True, eq=False)
class Sampled:
    """Rows (T, d), NaN where a number is missing, and their times, None if these are counted."""

    rows: Floats
    calendar: Calendar | None = None

    @property
    def step(self) -> float:
        """From row to row, in seconds or in the unit of the numbers; 0 where nothing says so.

        >>> import pandas as pd
        >>> from .calendar import calendar_of
        >>> Sampled(np.zeros((3, 1)), calendar_of(pd.Index([0.0, 0.5, 1.5]))).step
        0.5
        """
        if self.calendar is None or len(self.rows) < 2:
            return 0.0
        if self.calendar.places is not None:
            return self.calendar.unit_step
        return float(middle(np.diff(seconds_of(self.calendar.times))))

    def at(self, step: float) -> Floats:
        """The rows at even steps of this size, beginning with the first.

        Rows that have it stay as they are, and missing ones among them are NaN. Others are read
        from straight lines between the rows.

        >>> import pandas as pd
        >>> from .calendar import calendar_of
        >>> slow = Sampled(np.array([[0.0], [2.0], [6.0]]), calendar_of(pd.Index([0.0, 1.0, 2.0])))
        >>> slow.at(0.5).ravel().tolist()
        [0.0, 1.0, 2.0, 4.0, 6.0]
        """
        own = self.step
        if own == 0.0 or step == 0.0:
            return self.rows
        assert self.calendar is not None
        places = self.calendar.places
        if abs(own - step) <= SAME_STEP * step and self.calendar.can_be_filled:
            assert places is not None
            return self.rows if self.calendar.even else _spread(self.rows, places)
        times = seconds_of(self.calendar.times)
        times = (times - times[0]) / step
        # A last time that rounding puts below its place is still there
        count = _validation.fitting("rows", int(times[-1] + SAME_STEP) + 1, 1, self.rows.shape[1])
        even = np.minimum(np.arange(count), times[-1])
        return np.column_stack([_read(even, times, column) for column in self.rows.T])


def usual_step(series: Sequence[Sampled]) -> float:
    """The step that most series have, the median; 0 where no series has times."""
    steps = [one.step for one in series if one.step > 0.0]
    return float(middle(np.array(steps))) if steps else 0.0


def _spread(rows: Floats, places: Any) -> Floats:
    found = np.full((int(places[-1]) + 1, rows.shape[1]), np.nan)
    found[places] = rows
    return found


def _read(even: Floats, times: Floats, column: Floats) -> Floats:
    """The values of a column at even times; NaN before its first number and after its last."""
    known = np.isfinite(column)
    if not known.any():
        return np.full(len(even), np.nan)
    return np.asarray(np.interp(even, times[known], column[known], left=np.nan, right=np.nan))
