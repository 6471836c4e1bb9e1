"""Seasons: those that dates suggest and data confirm, or that the data show by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

from .._errors import BadInput
from .._validation import Floats, whole
from ..series.calendar import Calendar
from ..series.frequency import months_on_day
from ..series.statistics import autocorrelations, beside_moving_average
from .defaults import SERIES_DEFAULTS

# Rows of a season by the code of pandas: of weeks and days too, in rows
SEASONS_BY_FREQUENCY = {"M": (12,), "Q": (4,), "W": (52,), "B": (5,), "D": (7, 365), "Y": ()}
DAY, WEEK = 86_400.0, 7


def changes_of(values: Floats) -> Floats:
    """The changes (T - 1,) from row to row; those of a straight line are all the same, and rounding
    errors have no season.

    >>> changes_of(np.arange(4) / 3).tolist()
    [0.0, 0.0, 0.0]
    """
    changes = np.diff(values)
    varies = np.ptp(changes) > SERIES_DEFAULTS.rounding * np.abs(values).max()
    return np.asarray(changes if varies else np.zeros_like(changes))


def is_confirmed(
    values: Floats, season: int, deviations: float = SERIES_DEFAULTS.confidence
) -> bool:
    """Whether values (T,) a season apart are correlated, beyond what chance would give.

    From the values, their moving average over one season is removed, which takes away trends and
    slow wandering. The autocorrelation of the rest at this lag must be significant, given those up
    to half a season (Bartlett's formula), much as in the test of the M4 competition [MAK20].

    >>> months = np.tile(np.arange(12.0), 8)
    >>> is_confirmed(months, 12), is_confirmed(months, 7)
    (True, False)
    """
    if season < 2 or len(values) < 2 * season + 2:
        return False
    _, rest = beside_moving_average(values, season)
    if np.abs(rest).max() <= SERIES_DEFAULTS.rounding * np.abs(values).max():
        return False
    found = autocorrelations(rest, min(season, len(rest) - 1))
    spread = np.sqrt((1.0 + 2.0 * np.square(found[1 : season // 2]).sum()) / len(rest))
    return bool(len(found) > season and found[season] > deviations * spread)


def seasons_of(values: Floats, suggested: Sequence[int] | None) -> tuple[int, ...]:
    """The seasons of values (T, d): those suggested that a column confirms; without suggestions
    (None) the strongest one in the data, if there is any.

    >>> wave = np.sin(2 * np.pi * np.arange(200.0) / 17)[:, None]
    >>> seasons_of(wave, None), seasons_of(wave, (12, 17))
    ((17,), (17,))
    """
    if suggested is not None:
        return tuple(
            season
            for season in suggested
            if any(is_confirmed(column, season) for column in values.T)
        )
    found = [season for column in values.T if (season := strongest_season(column)) is not None]
    return tuple(sorted(set(found[:1])))


def strongest_season(values: Floats) -> int | None:
    """The lag at which the autocorrelation of the changes has its highest peak, or None."""
    most = len(values) // SERIES_DEFAULTS.repeats
    if most < 3:
        return None
    found = autocorrelations(changes_of(values), most)
    inner = found[2:-1]
    peaks = np.flatnonzero((inner > found[1:-2]) & (inner >= found[3:])) + 2
    # As many lags are tried, each must be less likely to come by chance
    needed = float(norm.ppf(1.0 - norm.sf(SERIES_DEFAULTS.confidence) / most))
    likely = [
        peak
        for peak in peaks.tolist()
        if found[peak] > SERIES_DEFAULTS.strong and is_confirmed(values, peak, needed)
    ]
    if not likely:
        return None
    best = max(found[peak] for peak in likely)
    # Of a season and its multiples, which are as high, the season itself
    return next(peak for peak in likely if found[peak] >= 0.9 * best)


def suggested_by(calendar: Calendar | None) -> tuple[int, ...] | None:
    """The usual seasons of the frequency of dates; None without dates, or if some are skipped."""
    if calendar is None or not calendar.has_dates or not calendar.even:
        return None
    monthly = months_on_day(calendar.step)
    if monthly is not None:
        return {1: SEASONS_BY_FREQUENCY["M"], 3: SEASONS_BY_FREQUENCY["Q"]}.get(monthly[0], ())
    frequency = calendar.step.freqstr
    letters = frequency.lstrip("0123456789").split("-")[0]
    if letters == frequency.split("-")[0]:
        for code, seasons in SEASONS_BY_FREQUENCY.items():
            if letters in (code, f"{code}S", f"{code}E", f"B{code}S", f"B{code}E", f"{code}A"):
                return seasons
    step = _seconds(calendar.step)
    if step is None or step >= DAY:
        return SEASONS_BY_FREQUENCY["D"] if step == DAY else ()
    per_day = DAY / step
    if per_day != round(per_day):
        return ()
    return (int(per_day), int(per_day) * WEEK)


def _seconds(frequency: Any) -> float | None:
    try:
        return float(frequency.nanos) / 1e9
    except (AttributeError, ValueError):
        return None


def given_seasons(season: Any) -> tuple[int, ...]:
    """Seasons as the user gave them: a number, several, or None for no season.

    >>> given_seasons(12), given_seasons([24, 168]), given_seasons(None)
    ((12,), (24, 168), ())
    """
    if season is None:
        return ()
    several = season if isinstance(season, (tuple, list)) else [season]
    if isinstance(season, str):
        raise BadInput(
            f"season must be a number of rows, several of them, None or 'auto', got {season!r}; "
            "pass such a value"
        )
    return tuple(sorted({whole("season", one, 1) for one in several} - {1}))
