"""Missing values and times of a series: refused, interpolated or skipped, by one rule for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import BadInput
from .._validation import Floats
from .calendar import Calendar, Places

# linear: missing values and rows are interpolated; skip: rows count as evenly spaced where dates
# are missing
FILLS = ("linear", "skip")
LISTED_TIMES = 8  # times or rows in a sentence
NOTED_UNEVENNESS = 1e-3  # of a step: a clock that is less exact is mentioned


@dataclass(frozen=True)
class Wording:
    """The words for a caller's times in messages: who must have them, the name of one, what to do
    about missing and uneven ones, how one is written, and the number of the first row.
    """

    name: str
    label: str
    missing: str
    uneven: str
    write: Callable[[Any], str] = str
    first_row: int = 0


def settled(calendar: Calendar, fill: str | None, wording: Wording) -> tuple[Calendar, list[str]]:
    """The calendar whose times are those of the rows, and notes about it.

    `fill` decides what becomes of missing times: without it they are refused, "linear" and "keep"
    add them, unless they are more than half, and "skip" takes the rows as evenly spaced.
    """
    lack = calendar.lack(wording.write)
    if lack is None:
        return calendar, list(_about_jitter(calendar))
    if fill == "skip":
        return calendar, [_uneven(calendar, wording)]
    if fill in ("linear", "keep") and calendar.can_be_filled:
        notes = [_added(calendar, wording)] if fill == "linear" else []
        return calendar.completed(), notes
    advice = wording.missing if calendar.can_be_filled else wording.uneven
    raise BadInput(f"{wording.name} must have {lack}; {advice}")


def rows_in_words(places: Sequence[int], first_row: int = 0) -> str:
    """The numbers of rows.

    >>> rows_in_words([4]), rows_in_words(range(10), first_row=2)
    ('row 4', 'rows 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    shown = ", ".join(str(first_row + place) for place in places[:LISTED_TIMES])
    more = f" and {len(places) - LISTED_TIMES} more" if len(places) > LISTED_TIMES else ""
    return f"row{'s' if len(places) > 1 else ''} {shown}{more}"


def interpolated(values: Floats, places: Places) -> Floats:
    """Values (T,) at these places, on straight lines between those that are known.

    >>> interpolated(np.array([1.0, np.nan, 4.0]), np.array([0, 1, 3])).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    known: NDArray[np.bool_] = np.isfinite(values)
    if known.all() and places[-1] == len(values) - 1:
        return values
    return np.interp(np.arange(places[-1] + 1), places[known], values[known])


def _about_jitter(calendar: Calendar) -> Iterator[str]:
    jitter = calendar.jitter
    if len(calendar.times) > 1 and jitter > NOTED_UNEVENNESS * calendar.unit_step:
        unit = " s" if calendar.has_dates else ""
        yield (
            f"times are up to {jitter:.2g}{unit} off even ones, {calendar.spacing} apart, and "
            "count as these"
        )


def _uneven(calendar: Calendar, wording: Wording) -> str:
    return (
        f"uneven time: {len(calendar.breaks)} of {len(calendar.times) - 1} steps of "
        f"{wording.label!r} differ from {calendar.spacing}, at "
        f"{rows_in_words(calendar.breaks, wording.first_row)}; the rows are used as if they were "
        "evenly spaced"
    )


def _added(calendar: Calendar, wording: Wording) -> str:
    missing = calendar.missing
    shown = ", ".join(wording.write(time) for time in missing[:LISTED_TIMES])
    more = f" and {len(missing) - LISTED_TIMES} more" if len(missing) > LISTED_TIMES else ""
    return f"added and interpolated linearly: {wording.label} {shown}{more}"
