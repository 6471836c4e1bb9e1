"""Even steps of times that are measured: clocks are not exact, and printed times are rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats

JITTER = 0.1  # of a step: times that are no farther from even ones are even
LATE = 3601.0  # seconds: a clock may be an hour off in summer, but not more
LEAST_TIMES = 6  # times from which on chance hardly puts all of them so near to even ones
PRINTED_STEP = 1e-6  # of a step, by which printed times differ
MOST_TIMES = 10**6  # even times that are looked at; more if there are half as many rows
ROUND = ("D", "h", "min", "s", "ms", "us", "ns")

Places = NDArray[np.int64]


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
