"""Choosing a network for forecasting by what it is for: free runs over held-out windows.

All candidates are tried with a small network first, the best of these at full size. The few best
settings are then learned again from all rows and tested again on the same windows, because what is
forecast with is the readout of all rows: it may be unstable where that of three quarters was not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from .._processes import environment
from .._progress import Progress
from .._validation import Floats
from ..driving import drive
from ..readout import Sample, Triangle, Weights, solve
from ..readout.loo import choose_penalty
from ..reservoir import Reservoir
from ..series.windows import HELD_OUT, evenly_spaced, first_held_out
from .calibration import Calibrated
from .candidates import FINAL_ROWS, SEARCH_ROWS, Candidate, Plan
from .closed_loop import ClosedLoop
from .features import Frame
from .learning import Learned, TrainingData, learn

HORIZON, LONGEST, WINDOWS = 0.64, 1000, 8
# Deviations of the series: no error of a forecast counts as smaller, or as larger
PRECISION, WORST = 1e-15, 10.0
ENOUGH, SHORTEST, MANY = 4, 50, 32  # times the steps that runs last; steps; windows
FEWEST = 40  # rows; a shorter series cannot spare any to choose by
MOST = 10_000  # rows; a longer series is represented by its last ones
FINALISTS = 4  # candidates of the small network that are tried at full size
REFITS = 6  # settings that are learned again from all rows

# Noise in deviations of the series, with penalties as shares of the trace. Without noise the
# penalties reach the rounding errors of the states; with noise, which is a penalty of its own on
# all directions that the input can reach, fewer are needed.
FINE = (
    *((0.0, 10.0**decade) for decade in (-30, -26, -22)),
    *((10.0**level, 10.0 ** (2 * level - 12)) for level in range(-11, -4)),
)
COARSE = (
    *((0.0, 10.0**decade) for decade in (-18, -14, -10, -6)),
    *((1e-4, 10.0**decade) for decade in (-22, -14)),
    *((1e-3, 10.0**decade) for decade in (-18, -10)),
    *((1e-2, 10.0**decade) for decade in (-14, -6)),
    *((1e-1, 10.0**decade) for decade in (-10, -3)),
    *((3e-1, 10.0**decade) for decade in (-4, -2)),
    (1.0, 1e-1),
)
GRID = tuple(sorted({*FINE, *COARSE}))
FIRST_UNITS = 250
FIRST_GRID = (
    *((0.0, 1e-28), (0.0, 1e-20), (0.0, 1e-12)),
    *((1e-7, 1e-26), (1e-5, 1e-22), (1e-2, 1e-12), (3e-1, 1e-3)),
)
# E-folds below one deviation while small networks stay below it. Where there are fewer, the series
# is noisy or hard, and FINE cannot help
PRECISE = 2.5
# Noise leaves errors of about its own size, so it cannot win against a score that is higher by this
MARGIN = 3.0
SHORT_GRID = ((1e-5, 1e-6),)


class Score(NamedTuple):
    """How good free runs are; compared by their parts, in this order.

    folds: by how many e-folds the error stays below one deviation, averaged over the steps; error:
    minus the mean error; steps: how long the error stays below one deviation.
    """

    folds: float
    error: float
    steps: float

    @staticmethod
    def of(runs: Floats) -> Score:
        """From the errors (R, T) of each step of several runs, in deviations."""
        errors = np.clip(np.maximum.accumulate(runs, axis=1), PRECISION, 1.0)
        return Score(
            -float(np.log(errors).mean()),
            -float(np.minimum(runs, WORST).mean()),
            float((errors < 1.0).sum(axis=1).mean()),
        )


class Setting(NamedTuple):
    """How the readout of a network is learned and used.

    noise: in deviations of the series; share: the penalty as a share of the trace, None if the
    leave-one-out error or the user sets it; carry: whether the readout gives steps (1) or values.
    """

    noise: float
    share: float | None
    carry: float


@dataclass(frozen=True, eq=False)
class Windows:
    """Free runs that begin at `starts`, evenly spaced over the held-out end of a series."""

    data: TrainingData
    starts: NDArray[np.int64]
    horizon: int

    @staticmethod
    def of(data: TrainingData) -> Windows:
        """The windows in the last quarter."""
        total = len(data.series)
        horizon = max(min(int(HORIZON * HELD_OUT * total), LONGEST), 1)
        starts = evenly_spaced(first_held_out(total), total - 1 - horizon, WINDOWS)
        return Windows(data, starts, horizon)

    @property
    def training_rows(self) -> int:
        """The rows of input before the first window."""
        return int(self.starts[0]) - 1

    def fewer(self) -> Windows:
        """Every other window, at half its length."""
        return replace(self, starts=self.starts[::2], horizon=(self.horizon + 1) // 2)

    def about(self, steps: float) -> Windows:
        """More and shorter windows, with as many steps together, for runs that last so long."""
        horizon = int(np.clip(ENOUGH * steps, SHORTEST, self.horizon))
        if horizon >= self.horizon:
            return self
        count = min(len(self.starts) * self.horizon // horizon, MANY)
        last = len(self.data.series) - 1 - horizon
        return replace(
            self, starts=evenly_spaced(int(self.starts[0]), last, count), horizon=horizon
        )

    def states(self, reservoir: Reservoir) -> Floats:
        """The states before each start, driven by the true series."""
        return np.asarray(drive(reservoir, self.data.inputs)[self.starts - 1])

    def score(self, loop: ClosedLoop, states: Floats) -> Score:
        """Of the free runs of a loop from these states.

        For the e-folds, the error of a step is the largest up to it. Unlike a valid time, the score
        also tells runs apart that stay valid to the end of their window. A run that diverges is
        worth nothing from there.
        """
        return Score.of(self._errors(loop, states))

    def _errors(self, loop: ClosedLoop, states: Floats) -> Floats:
        """The error of each step of each run (R, T), in deviations; large once it diverges."""
        series, steps = self.data.series, np.arange(self.horizon)
        rows = self.starts[:, None] + steps
        outputs, finite = loop.runs(
            self.horizon, states, series[self.starts], self.data.exogenous[rows]
        )
        squares = np.square(np.clip(outputs - series[rows + 1], -1e3, 1e3))
        errors = np.sqrt(squares.mean(axis=2))
        errors[steps >= finite[:, None]] = 1e3
        return np.asarray(errors)


@dataclass(frozen=True, eq=False)
class Trial:
    """One network, what it learned, and how its settings scored.

    `learned` has what the rows before the windows give, and what all rows of the windows give.
    """

    candidate: Candidate
    calibrated: Calibrated
    frame: Frame
    learned: list[Learned]
    scores: dict[Setting, Score]

    @property
    def best(self) -> Score:
        """The best score of its settings."""
        return max(self.scores.values())


@dataclass(frozen=True, eq=False)
class Fitted:
    """The chosen network, its readout of all rows in a closed loop, and the best settings."""

    trial: Trial
    setting: Setting
    loop: ClosedLoop
    penalty: float
    score: float | None
    table: list[dict[str, float | None]]


@dataclass(frozen=True, eq=False)
class Search:
    """The search for one series.

    frame_of adds washout and features to a network; limits keep free runs near the series;
    washout_of says how many of so many rows are
    left out. noise and penalty: a number, or "auto"; the penalty "loo" is that with the least
    leave-one-out error.
    """

    plan: Plan
    data: TrainingData
    frame_of: Callable[[Calibrated], Frame]
    limits: tuple[Floats, Floats]
    washout_of: Callable[[Frame, int], int]
    noise: float | str
    penalty: float | str
    n_jobs: int | None
    progress: Progress

    def best(self, found: list[Candidate]) -> Fitted:
        """The setting whose runs are best, learned from all rows."""
        if len(self.data.series) < FEWEST:
            return self._unsearched(found[len(found) // 2])
        data = self.data.last(MOST) if len(self.data.inputs) > MOST else self.data
        windows, grid = Windows.of(data), GRID
        if len(found) > FINALISTS:
            # A few rows do not tell large networks apart, and would keep people waiting
            units = min(self.plan.units, FIRST_UNITS, max(len(data.series), FEWEST))
            small = replace(self, plan=self.plan.with_units(units))
            trials = small._trials(found, windows.fewer(), FIRST_GRID, final=False)
            trials.sort(key=lambda trial: trial.best, reverse=True)
            found = [trial.candidate for trial in trials[:FINALISTS]] or found[:1]
            if trials:
                best = trials[0].best
                precise = best.folds * windows.fewer().horizon > PRECISE * best.steps
                windows, grid = windows.about(best.steps), GRID if precise else COARSE
        trials = self._trials(found, windows, grid, final=True)
        if not trials:
            self.plan.final(self.data.inputs, found[0])  # raises, and says what can be reached
        return self._refitted(trials, windows)

    def _unsearched(self, candidate: Candidate) -> Fitted:
        """For few rows: a candidate in the middle, with a strong penalty."""
        setting = self._settings(SHORT_GRID)[0]
        calibrated = self.plan.final(self.data.inputs, candidate)
        frame = self.frame_of(calibrated)
        learned = self._learn(frame, self.data, [len(self.data.inputs)])
        weights, penalty = self._solve_learned(learned[0], setting)
        trial = Trial(candidate, calibrated, frame, learned, {})
        return Fitted(trial, setting, self._closed(frame, weights, setting), penalty, None, [])

    def _trials(
        self,
        found: list[Candidate],
        windows: Windows,
        grid: Sequence[tuple[float, float]],
        final: bool,
    ) -> list[Trial]:
        """One for each candidate whose memory can be reached; the final ones keep what all rows
        have taught, because one of them is fitted.
        """
        settings = self._settings(grid)
        self.progress.expect(len(found))
        with environment():
            tried = Parallel(self.n_jobs, return_as="generator")(
                delayed(self._trial)(candidate, windows, settings, final) for candidate in found
            )
        trials = []
        for trial in tried:
            self.progress.advance()
            if trial is not None:
                trials.append(trial)
        return trials

    def _trial(
        self, candidate: Candidate, windows: Windows, settings: list[Setting], final: bool
    ) -> Trial | None:
        rows = FINAL_ROWS if final else SEARCH_ROWS
        calibrated = self.plan.search(self.data.inputs, candidate, rows)
        if calibrated is None:
            return None
        frame = self.frame_of(calibrated)
        stops = [windows.training_rows, len(windows.data.inputs)]
        learned = self._learn(frame, windows.data, stops if final else stops[:1])
        states = windows.states(frame.reservoir)
        scores: dict[Setting, Score] = {}
        for noise, same in groupby(settings, key=lambda one: one.noise):
            if scores and noise and max(scores.values()).folds > MARGIN - np.log(noise):
                break
            moments = learned[0].moments(noise)
            for share, both in groupby(same, key=lambda one: one.share):
                weights, _ = self._solve(moments, learned[0].sample, share)
                for setting in both:
                    loop = self._closed(frame, weights, setting)
                    scores[setting] = windows.score(loop, states)
        return Trial(candidate, calibrated, frame, learned, scores)

    def _refitted(self, trials: list[Trial], windows: Windows) -> Fitted:
        """The setting with the best score, the lower of two.

        The readout learned before the windows gives the first, that of all rows the second.
        Settings are learned again in the order of their first score, until no other can be better.
        """
        ranked = [
            (score, number, setting)
            for number, trial in enumerate(trials)
            for setting, score in trial.scores.items()
        ]
        ranked.sort(key=lambda one: one[0], reverse=True)
        table: list[dict[str, float | None]] = []
        best = Score(-np.inf, 0.0, 0.0)
        of_all_rows = cache(lambda number: self._of_all_rows(trials[number]))
        for score, number, setting in ranked[:REFITS]:
            trial, again = trials[number], None
            if score > best:
                weights, penalty = self._solve_learned(of_all_rows(number), setting)
                loop = self._closed(trial.frame, weights, setting)
                again = windows.score(loop, windows.states(trial.frame.reservoir))
                if min(score, again) > best:
                    best, chosen = min(score, again), (trial, setting, loop, penalty)
            refit = None if again is None else again.folds
            table.append(_row(trial.candidate, setting, score.folds, refit))
        return Fitted(*chosen, best.folds, table)

    def _of_all_rows(self, trial: Trial) -> Learned:
        if len(self.data.inputs) <= MOST:
            return trial.learned[-1]
        return self._learn(trial.frame, self.data, [len(self.data.inputs)])[0]

    def _closed(self, frame: Frame, weights: Weights, setting: Setting) -> ClosedLoop:
        """Closed over the half of the readout that gives steps (carry 1) or values (carry 0)."""
        columns = len(weights.intercept) // 2
        half = slice(0, columns) if setting.carry else slice(columns, None)
        return ClosedLoop(
            frame.reservoir, weights.outputs(half), setting.carry, frame.quadratic, *self.limits
        )

    def _settings(self, grid: Sequence[tuple[float, float]]) -> list[Setting]:
        """Those of a grid of noises and penalties, with what the user fixed."""
        pairs: list[tuple[float, float | None]] = [
            (
                noise if self.noise == "auto" else float(self.noise),
                share if self.penalty == "auto" else None,
            )
            for noise, share in grid
        ]
        return [Setting(*pair, carry) for pair in dict.fromkeys(pairs) for carry in (1.0, 0.0)]

    def _learn(self, frame: Frame, data: TrainingData, stops: list[int]) -> list[Learned]:
        return learn(frame, data, self.washout_of(frame, stops[0]), stops, self.noise != 0.0)

    def _solve_learned(self, learned: Learned, setting: Setting) -> tuple[Weights, float]:
        return self._solve(learned.moments(setting.noise), learned.sample, setting.share)

    def _solve(
        self, moments: Triangle, sample: Sample, share: float | None
    ) -> tuple[Weights, float]:
        """The readout and its penalty."""
        if self.penalty == "loo":
            penalty, _, weights = choose_penalty(moments, sample)
            return weights, penalty
        penalty = float(self.penalty) if share is None else share * moments.trace
        return solve(moments, penalty), penalty


def _row(
    candidate: Candidate, setting: Setting, score: float, refit: float | None
) -> dict[str, float | None]:
    return {
        "memory": candidate.memory,
        "bend": candidate.bend,
        "bias_ratio": candidate.bias_ratio,
        "noise": setting.noise,
        "penalty": setting.share,
        "carry": setting.carry,
        "score": score,
        "refit": refit,
    }
