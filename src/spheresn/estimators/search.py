"""Choosing a network for forecasting by what it is for: free runs over windows that it was not
taught on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._validation import Floats
from ..driving import drive
from ..reservoir import Reservoir
from .closed_loop import ClosedLoop

PENALTY_SHARES = (1e-14, 1e-10, 1e-6)  # of the trace of the scatter
HELD_OUT, HORIZON, LONGEST, WINDOWS = 0.25, 0.64, 1000, 8
THRESHOLD = 0.4  # deviations of the series: where a forecast stops being valid
FEWEST = 40  # rows; a shorter series cannot spare any to choose by
MOST = 10_000  # rows; of a longer series the last ones serve


@dataclass(frozen=True, eq=False)
class Lesson:
    """What a network hears and what it is to answer: rows[k] = (s_k, known_{k+1}) -> s_{k+1}; all
    standardised.

    `taught` are the rows with noise added to s_k, and `answers` (T - 1, 2d) the steps s_{k+1} - s_k
    as seen from there and the values s_{k+1} themselves. Which of the two is the better thing to
    learn depends on the series: steps on flows, values on regular waves, where summing steps
    drifts.
    """

    series: Floats
    rows: Floats
    taught: Floats
    answers: Floats

    @staticmethod
    def of(series: Floats, known: Floats, noise: float, rng: np.random.Generator) -> Lesson:
        """From the standardised series (T, d) and what is known beforehand (T, e)."""
        heard = series[:-1] + noise * rng.standard_normal(series[:-1].shape)
        rows, taught = (np.hstack([values, known[1:]]) for values in (series[:-1], heard))
        return Lesson(series, rows, taught, np.hstack([series[1:] - heard, series[1:]]))

    @property
    def known(self) -> Floats:
        """What is known beforehand of the time of each answer (T - 1, e)."""
        return self.rows[:, self.series.shape[1] :]

    def first(self, rows: int) -> Lesson:
        """The beginning of it."""
        return Lesson(
            self.series[: rows + 1], self.rows[:rows], self.taught[:rows], self.answers[:rows]
        )

    def last(self, rows: int) -> Lesson:
        """The end of it."""
        return Lesson(
            self.series[-rows - 1 :], self.rows[-rows:], self.taught[-rows:], self.answers[-rows:]
        )


@dataclass(frozen=True, eq=False)
class Windows:
    """Free runs that begin at `starts`, evenly spread over the held-out end of a lesson."""

    lesson: Lesson
    starts: Floats
    horizon: int

    @staticmethod
    def of(lesson: Lesson) -> tuple[Lesson, Windows]:
        """The part to teach on, and the windows in the rest."""
        total = len(lesson.series)
        taught = int(total * (1.0 - HELD_OUT))
        horizon = max(min(int(HORIZON * HELD_OUT * total), LONGEST), 1)
        starts = np.linspace(taught, total - 1 - horizon, WINDOWS).astype(int)
        return lesson.first(taught - 1), Windows(lesson, starts, horizon)

    def states(self, reservoir: Reservoir) -> Floats:
        """The state before each start is heard, driven by the series as it is."""
        return np.asarray(drive(reservoir, self.lesson.rows)[self.starts - 1])

    def score(self, loop: ClosedLoop, states: Floats) -> tuple[float, float]:
        """Mean of log(1 + valid steps); where that ties, the mean error counts."""
        runs = [self._run(loop, x, t) for x, t in zip(states, self.starts, strict=True)]
        return float(np.mean([np.log1p(valid) for valid, _ in runs])), -float(
            np.mean([error for _, error in runs])
        )

    def _run(self, loop: ClosedLoop, state: Floats, start: int) -> tuple[int, float]:
        """How many steps of one free run are valid, and its mean error, at most one deviation a
        step.
        """
        series, ahead = self.lesson.series, slice(start, start + self.horizon)
        outputs, finite = loop.run(
            self.horizon, state, series[start], np.ascontiguousarray(self.lesson.known[ahead])
        )
        squares = np.square(
            np.clip(outputs - series[start + 1 : start + 1 + self.horizon], -1e3, 1e3)
        )
        errors = np.minimum(np.sqrt(squares.mean(axis=1)), 1.0)
        wrong = errors > THRESHOLD
        return min(int(np.argmax(wrong)) if wrong.any() else self.horizon, finite), float(
            errors.mean()
        )
