"""How good intervals and samples are."""

from __future__ import annotations

from typing import Any

import numpy as np
from league.systems import Floats

from .rivals import filled
from .rows import Rows
from .shares import JUDGED, LEADS

LEVEL, PATHS, EVERY = 0.9, 100, 2  # of the intervals; every second origin has one
STEPS_AHEAD, TIMES_AHEAD = (1, 10, 50), (1.0, 3.0, 10.0)  # rows; Lyapunov times: `LEADS`


def covered(truth: Floats, lower: Floats, upper: Floats) -> Floats:
    """Whether each value lies in its interval; False where that has no ends."""
    return (lower <= truth) & (truth <= upper)


def crps(sample: Floats, truth: Floats) -> Floats:
    """The continuous ranked probability score of samples (n, ...) for true values (...).

    E|X - y| - E|X - X'| / 2, the second mean over all pairs of different members, so that a small
    sample is judged as a large one from the same distribution would be.
    """
    ordered, count = np.sort(sample, axis=0), len(sample)
    weights = (2.0 * np.arange(1, count + 1) - count - 1).reshape(-1, *[1] * truth.ndim)
    apart = (weights * ordered).sum(axis=0) / (count * (count - 1))
    return np.asarray(np.abs(sample - truth).mean(axis=0) - apart)


def leads(per_row: float, steps: int) -> dict[str, int]:
    """Name -> rows ahead at which intervals are judged."""
    rows = [*STEPS_AHEAD, *(max(1, round(time / per_row)) for time in TIMES_AHEAD)]
    return {lead: ahead for lead, ahead in zip(LEADS, rows, strict=True) if ahead <= steps}


class Intervals:
    """Coverage and CRPS at some leads, beside those of the climate, which are the training rows,
    and of an interval of fixed width: the forecast and the errors that were made from origins of
    the other half of them.
    """

    def __init__(self, rows: Rows, ahead: dict[str, int]) -> None:
        self.rows, self.ahead = rows, ahead
        self.longest = max(ahead.values())
        known = rows.seen[: rows.train]
        places = np.linspace(0, len(known) - 1, 1000).astype(int)
        self.climate = filled(known)[places]
        self.points: dict[int, Floats] = {}
        self.taken: list[tuple[int, Floats, Floats, Floats]] = []

    def at(self, forecast: Floats) -> Floats:
        """The rows of the leads, along the last axis but one."""
        return forecast[..., [ahead - 1 for ahead in self.ahead.values()], :]

    def truth(self, origin: int) -> Floats:
        return self.at(self.rows.clean[origin:])

    def point(self, origin: int, forecast: Floats) -> None:
        self.points[origin] = self.at(forecast)

    def take(self, origin: int, fitted: Any) -> None:
        lower, upper = fitted.interval(self.longest, LEVEL)
        paths = fitted.paths(self.longest, PATHS)
        self.taken.append((origin, self.at(lower), self.at(upper), self.at(paths)))

    def found(self) -> dict[str, dict[str, float]]:
        """Lead -> rows ahead, share covered, CRPS of ours, of the climate, of the fixed interval,
        in deviations of the clean rows, averaged over origins and columns.
        """
        origins = list(self.points)
        errors = {one: self.truth(one) - self.points[one] for one in origins}
        halves = origins[: len(origins) // 2], origins[len(origins) // 2 :]
        totals = []
        for origin, lower, upper, paths in self.taken:
            truth, unit = self.truth(origin), self.rows.deviation
            others = halves[origin in halves[0]]
            fixed = self.points[origin] + np.array([errors[one] for one in others])
            climate = np.broadcast_to(self.climate[:, None], (len(self.climate), *truth.shape))
            low, high = np.quantile(fixed, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], axis=0)
            totals.append(
                [
                    covered(truth, lower, upper).mean(axis=1),
                    (crps(paths, truth) / unit).mean(axis=1),
                    (crps(climate, truth) / unit).mean(axis=1),
                    (crps(fixed, truth) / unit).mean(axis=1),
                    covered(truth, low, high).mean(axis=1),
                ]
            )
        means = np.mean(totals, axis=0).T
        return {
            lead: {"rows": ahead} | dict(zip(JUDGED, map(float, line), strict=True))
            for (lead, ahead), line in zip(self.ahead.items(), means, strict=True)
        }
