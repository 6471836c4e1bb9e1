"""What is decided about a panel before anything is learned: season, horizon, inputs, logarithms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._validation import Floats
from .defaults import PANEL_DEFAULTS
from .windows import Block

YEAR_DAYS = 365.25  # of the waves by the day of the year
WAVES = 2  # of a year: more need more years than most panels have


@dataclass(frozen=True)
class Survey:
    """What a block is: lengths of its series and how many have each; the least value, whether all
    are whole numbers, and how many are zero.
    """

    lengths: tuple[tuple[int, int], ...]
    least: float
    whole: bool
    zeros: int
    rows: int

    @staticmethod
    def of(block: Block) -> Survey:
        """The survey of a block."""
        values = block.values
        return Survey(
            tuple(sorted(Counter(block.lengths.tolist()).items())),
            float(values.min()),
            bool((values == np.floor(values)).all()),
            int((values == 0.0).sum()),
            len(values),
        )

    def __add__(self, other: Survey) -> Survey:
        lengths = Counter(dict(self.lengths)) + Counter(dict(other.lengths))
        return Survey(
            tuple(sorted(lengths.items())),
            min(self.least, other.least),
            self.whole and other.whole,
            self.zeros + other.zeros,
            self.rows + other.rows,
        )

    @property
    def count(self) -> int:
        """How many series there are."""
        return sum(count for _, count in self.lengths)

    @property
    def usual(self) -> int:
        """The median length."""
        lengths, counts = np.array(self.lengths).T
        return int(lengths[np.searchsorted(np.cumsum(counts), 0.5 * counts.sum())])

    def of_at_least(self, rows: int) -> Survey:
        """The survey of the series with so many rows."""
        lengths = tuple(one for one in self.lengths if one[0] >= rows)
        return Survey(lengths, self.least, self.whole, self.zeros, self.rows)

    def windows(self, steps: int, least: int) -> int:
        """How many windows have `least` rows before their origin and all steps after it."""
        return sum(count * max(rows - steps - least + 1, 0) for rows, count in self.lengths)


@dataclass(frozen=True, eq=False)
class Plan:
    """How a panel is forecast. season: rows, 1 for none; steps ahead; length of the windows; least:
    rows before the origin of a window to learn from; origins: how many forecasts judge the members;
    positive: no value is below zero; counts: whole numbers with zeros among them; calendar (P, f):
    features of each place of the calendar; seed of the networks.
    """

    season: int
    steps: int
    length: int
    least: int
    origins: int
    positive: bool
    counts: bool
    calendar: Floats
    seed: int

    @property
    def windows(self) -> int:
        """How many windows a readout learns from, at most."""
        return min(PANEL_DEFAULTS.windows, PANEL_DEFAULTS.targets // self.steps)

    @property
    def held_out(self) -> int:
        """The rows at the end of every series on which the members are judged."""
        return self.steps + self.origins - 1


def plan_of(survey: Survey, season: int, steps: int, calendar: Floats, seed: int) -> Plan:
    """The plan for a panel with this season and horizon."""
    usual = survey.usual
    wanted = PANEL_DEFAULTS.seasons * season if season > 1 else PANEL_DEFAULTS.lags
    length = max(min(wanted, (usual - steps) // 2), season, 2)
    affordable = max(PANEL_DEFAULTS.judged // survey.count, 1)
    spare = max((usual - 2 * steps) // 3, 1)
    return Plan(
        season,
        steps,
        length,
        max(min(length, usual // 3), 2),
        min(PANEL_DEFAULTS.origins, affordable, steps, spare),
        survey.least >= 0.0,
        survey.least >= 0.0 and survey.whole and survey.zeros > 0,
        calendar,
        seed,
    )


def calendar_features(times: Any, season: int) -> Floats:
    """Features (P, f) of each place of a calendar: its place in the season, and for dates of days
    or less the time of the year and the days on which people are paid.

    >>> calendar_features(np.arange(3), 2).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    count = len(times)
    parts = []
    if season > 1:
        parts.append(np.eye(season)[np.arange(count) % season])
    dates = times.to_timestamp() if hasattr(times, "to_timestamp") else times
    if hasattr(dates, "day_of_year") and count > 1 and _days(dates) <= 1.5:
        angle = 2.0 * np.pi * np.asarray(dates.day_of_year, np.float64) / YEAR_DAYS
        waves = [wave(k * angle) for k in range(1, WAVES + 1) for wave in (np.sin, np.cos)]
        day = np.asarray(dates.day)
        spans = [day <= 3, (day > 3) & (day <= 7), (day >= 14) & (day <= 17), day >= 29]
        parts.append(np.stack([*waves, *(span.astype(np.float64) for span in spans)], axis=1))
    return np.hstack(parts) if parts else np.zeros((count, 0))


def _days(dates: Any) -> float:
    return float((dates[-1] - dates[0]).total_seconds()) / 86_400.0 / (len(dates) - 1)
