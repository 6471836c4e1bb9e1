"""Choosing a network for forecasting by what it is for: free runs over held-out windows.

All candidates are tried with a small network first, the best of these at full size. The few best
settings are then learned again from all rows and tested again on the same windows, because the
readout of all rows is the one that forecasts: it may be unstable where that of three quarters was
not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from .._running import Progress
from .._validation import Floats
from ..closed_loop import ON_PHYSICS, ClosedLoop
from ..physics import Physics
from ..readout import Sample, Triangle, Weights, solve
from ..readout.loo import choose_penalty
from ..selection.calibration import Calibrated
from ..selection.engine import Choice, Entry, lower_of_two, ranked, ranked_trials, try_all
from ..selection.free_runs import Score
from ..selection.plan import FINAL_ROWS, SEARCH_ROWS, Candidate, Plan
from ..series.recordings import shares
from .features import FeatureMap
from .learning import Learned, Stretch, TrainingData, first_inputs, learn, whole
from .windows import WINDOW_DEFAULTS, WindowDefaults, Windows

# Two grids of noise, in deviations of the series, and of penalties, as shares of the trace. Without
# noise the penalties reach the rounding errors of the states; with noise, which is a penalty of its
# own on all directions that the input can reach, fewer are needed.
FINE_GRID = (
    *((0.0, 10.0**decade) for decade in (-30, -26, -22)),
    *((10.0**level, 10.0 ** (2 * level - 12)) for level in range(-11, -4)),
)
COARSE_GRID = (
    *((0.0, 10.0**decade) for decade in (-18, -14, -10, -6)),
    *((1e-4, 10.0**decade) for decade in (-22, -14)),
    *((1e-3, 10.0**decade) for decade in (-18, -10)),
    *((1e-2, 10.0**decade) for decade in (-14, -6)),
    *((1e-1, 10.0**decade) for decade in (-10, -3)),
    *((3e-1, 10.0**decade) for decade in (-4, -2)),
    (1.0, 1e-1),
)


@dataclass(frozen=True)
class ForecastDefaults:
    """The numbers of the search, chosen on the development half of the league.

    windows: those of the held-out rows. least_rows: a shorter series cannot spare any to choose
    by. most_rows: a longer series is represented by its last ones. finalists: candidates of the
    small network that are tried at full size. refits: settings that are learned again from all
    rows; most_refits: where long free runs leave the attractor. first_units: of the small network.
    grid, rough_grid: noises and penalties for precise networks and for others. first_grid: a few
    of `grid`, which suffice to tell candidates apart. precise: e-folds below one deviation while
    small networks stay below it; where there are fewer, the series is noisy or hard, and FINE_GRID
    cannot help. margin: noise leaves errors of about its own size, so it cannot win against a
    score that is higher by this. short_setting: noise and penalty for few rows. steady_grid:
    noises and penalties of the networks that are tried where none of the others stays.
    """

    windows: WindowDefaults = WINDOW_DEFAULTS
    least_rows: int = 40
    most_rows: int = 10_000
    finalists: int = 4
    refits: int = 6
    most_refits: int = 24
    first_units: int = 250
    first_grid: tuple[tuple[float, float], ...] = (
        *((0.0, 1e-28), (0.0, 1e-20), (0.0, 1e-12)),
        *((1e-7, 1e-26), (1e-5, 1e-22), (1e-2, 1e-12), (3e-1, 1e-3)),
    )
    grid: tuple[tuple[float, float], ...] = tuple(sorted({*FINE_GRID, *COARSE_GRID}))
    rough_grid: tuple[tuple[float, float], ...] = COARSE_GRID
    precise: float = 2.5
    margin: float = 3.0
    short_setting: tuple[float, float] = (1e-5, 1e-6)
    steady_grid: tuple[tuple[float, float], ...] = tuple(
        (noise, share) for noise in (1e-3, 1e-2, 3e-2, 1e-1) for share in (1e-14, 1e-8)
    )


FORECAST_DEFAULTS = ForecastDefaults()
Survives = Callable[[ClosedLoop], bool]


class Setting(NamedTuple):
    """How the readout of a network is learned and used.

    noise: in deviations of the series; share: the penalty as a share of the trace, None if the
    leave-one-out error or the user sets it; carry: whether the readout gives steps (1), values (0),
    or what the user's own model leaves over (ON_PHYSICS).
    """

    noise: float
    share: float | None
    carry: float


@dataclass(frozen=True, eq=False)
class Trial:
    """One network, what it learned, and how its settings scored.

    `learned` has, for each group of windows, what the rows before them or the other groups give,
    and last what all rows of the windows give.
    """

    candidate: Candidate
    calibrated: Calibrated
    feature_map: FeatureMap
    learned: list[Learned]
    scores: dict[Setting, Score]


class Solved(NamedTuple):
    """A readout in its closed loop, with its penalty."""

    loop: ClosedLoop
    penalty: float


@dataclass(frozen=True, eq=False)
class Finalist:
    """A network of full size, the best setting of its trial, and what solves its readout."""

    trial: Trial
    setting: Setting
    fixed: bool  # whether the user gave the penalty
    solved: Callable[[Setting], Solved]

    @property
    def moments(self) -> Triangle:
        """What all rows of the windows give."""
        return self.trial.learned[-1].moments(self.setting.noise)

    def loops(self, shares: Sequence[float]) -> Iterator[tuple[Setting, Solved, float]]:
        """The loop for each share of the trace, or for the user's penalty, and its degrees of
        freedom per column.
        """
        settings = [self.setting]
        if not self.fixed:
            settings = [self.setting._replace(share=share) for share in shares]
        found = [self.solved(setting) for setting in settings]
        free = self.moments.freedom([one.penalty for one in found])
        yield from zip(settings, found, free, strict=True)


@dataclass(frozen=True, eq=False)
class ForecastChoice:
    """The chosen network, its readout of all rows in a closed loop, and the best settings.

    finalists: all networks of full size that were tried. kept: the recordings that it was chosen
    by, and how many inputs of each. staying: from whether a loop survives to the choice of one that
    does, None if none does.
    """

    trial: Trial
    setting: Setting
    loop: ClosedLoop
    penalty: float
    score: float | None
    table: list[dict[str, float | None]]
    learned: Learned
    windows: Windows | None
    finalists: list[Finalist]
    kept: list[tuple[int, int]]
    staying: Callable[[Survives], ForecastChoice | None] = lambda survives: None

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the readout, of all columns together."""
        moments = self.learned.moments(self.setting.noise)
        return self.loop.outputs * moments.freedom([self.penalty])[0]

    def of(self, finalist: Finalist, setting: Setting, solved: Solved) -> ForecastChoice:
        """The same with another network and readout."""
        return replace(
            self,
            trial=finalist.trial,
            setting=setting,
            loop=solved.loop,
            penalty=solved.penalty,
            learned=finalist.trial.learned[-1],
        )


@dataclass(frozen=True, eq=False)
class ForecastSearch:
    """The search for the recordings of a series.

    feature_map_of adds washout and features to a network; limits keep free runs near the series;
    washout_of says how many of so many rows are left out. noise and penalty: a number, or "auto";
    the penalty "loo" is that with the least leave-one-out error.
    """

    plan: Plan
    data: Sequence[TrainingData]
    feature_map_of: Callable[[Calibrated], FeatureMap]
    limits: tuple[Floats, Floats]
    washout_of: Callable[[FeatureMap, int], int]
    noise: float | str
    penalty: float | str
    n_jobs: int | None
    progress: Progress
    physics: Physics | None = None
    defaults: ForecastDefaults = field(default_factory=lambda: FORECAST_DEFAULTS)

    def best(self, found: list[Candidate], steady: Sequence[Candidate] = ()) -> ForecastChoice:
        """The setting whose runs are best, learned from all rows.

        steady: candidates that are tried only where no long run of the others stays.
        """
        use = self.defaults
        if sum(len(one.series) for one in self.data) < use.least_rows:
            return self._unsearched(found[len(found) // 2])
        data = [self.data[place].last(rows) for place, rows in self._kept]
        windows = Windows.of(data, use.windows)
        grid: Sequence[tuple[float, float]] = use.grid
        if len(found) > use.finalists:
            found, windows, grid = self._screened(found, windows)
        trials = self._trials(found, windows, grid, final=True)
        if not trials:
            self.plan.final(
                self._inputs(FINAL_ROWS), found[0]
            )  # raises, and says what can be reached
        return self._learned_again(trials, windows, steady)

    def _unsearched(self, candidate: Candidate) -> ForecastChoice:
        """For few rows: a candidate in the middle, with a strong penalty."""
        setting = self._settings([self.defaults.short_setting])[0]
        calibrated = self.plan.final(self._inputs(FINAL_ROWS), candidate)
        feature_map = self.feature_map_of(calibrated)
        learned = self._learn(feature_map, self.data, [whole(self.data)])
        weights, penalty = self._solve_learned(learned[0], setting)
        trial = Trial(candidate, calibrated, feature_map, learned, {})
        loop = self._closed(feature_map, weights, setting)
        finalist = self._finalist(trial, setting)
        nothing: list[dict[str, float | None]] = []
        return ForecastChoice(
            trial, setting, loop, penalty, None, nothing, learned[0], None, [finalist], self._kept
        )

    def _screened(
        self, found: list[Candidate], windows: Windows
    ) -> tuple[list[Candidate], Windows, Sequence[tuple[float, float]]]:
        """The best candidates of a small network, and what suits the length of their runs.

        From a few rows large networks cannot be compared, and trying them would take long.
        """
        use, few = self.defaults, windows.fewer()
        units = min(self.plan.units, use.first_units, max(windows.rows, use.least_rows))
        small = replace(self, plan=self.plan.with_units(units))
        trials = ranked_trials(small._trials(found, few, use.first_grid, final=False))
        if not trials:
            return found[:1], windows, use.grid
        best = max(trials[0].scores.values())
        precise = best.folds * few.horizon > use.precise * best.steps
        kept = [trial.candidate for trial in trials[: use.finalists]]
        return kept, windows.about(best.steps), use.grid if precise else use.rough_grid

    def _trials(
        self,
        found: list[Candidate],
        windows: Windows,
        grid: Sequence[tuple[float, float]],
        final: bool,
    ) -> list[Trial]:
        """A trial of each candidate whose memory can be reached. The final ones keep what was
        learned from all rows, because one of them is the model.
        """
        settings = self._settings(grid)
        return try_all(
            lambda candidate: self._trial(candidate, windows, settings, final),
            found,
            self.progress,
            self.n_jobs,
        )

    def _trial(
        self, candidate: Candidate, windows: Windows, settings: list[Setting], final: bool
    ) -> Trial | None:
        rows = FINAL_ROWS if final else SEARCH_ROWS
        calibrated = self.plan.search(self._inputs(rows), candidate, rows)
        if calibrated is None:
            return None
        feature_map = self.feature_map_of(calibrated)
        learned = self._learned(feature_map, windows, final)
        states = windows.states(feature_map.reservoir)
        scores: dict[Setting, Score] = {}
        for noise, same in groupby(settings, key=lambda one: one.noise):
            if (
                scores
                and noise
                and max(scores.values()).folds > self.defaults.margin - np.log(noise)
            ):
                break
            moments = {group: learned[group].moments(noise) for group in windows.judged}
            for share, both in groupby(same, key=lambda one: one.share):
                weights = {
                    group: self._solve(one, learned[group].sample, share)[0]
                    for group, one in moments.items()
                }
                for setting in both:
                    loops = {
                        group: self._closed(feature_map, one, setting)
                        for group, one in weights.items()
                    }
                    scores[setting] = windows.score_of(loops, states)
        return Trial(candidate, calibrated, feature_map, learned, scores)

    def _learned_again(
        self, trials: list[Trial], windows: Windows, steady: Sequence[Candidate] = ()
    ) -> ForecastChoice:
        """The best setting, scored by the readout learned before the windows and by that of all."""
        use, learn_again = self.defaults, cache(self._learns_again(windows))

        def entries() -> Iterator[Entry[Trial]]:
            yield from ranked(trials)[: use.most_refits]
            others = self._trials(list(steady), windows, use.steady_grid, final=True)
            yield from ranked(others)[: use.most_refits]

        def staying(survives: Survives) -> ForecastChoice | None:
            try:
                chosen = lower_of_two(
                    entries(), learn_again, lambda solved: survives(solved.loop), use.refits
                )
            finally:
                self.progress.close()
            return replace(choice, **self._chosen(chosen)) if chosen.survives else None

        first = ranked(trials)[: use.refits]
        chosen: Choice[Trial, Solved] = lower_of_two(first, learn_again)
        choice = ForecastChoice(
            **self._chosen(chosen),
            table=[_row(*both) for both in zip(first, chosen.again, strict=True)],
            windows=windows,
            finalists=[
                self._finalist(trial, max(trial.scores, key=trial.scores.__getitem__))
                for trial in trials
            ],
            kept=self._kept,
            staying=staying,
        )
        return choice

    def _learns_again(self, windows: Windows) -> Callable[[Entry[Trial]], tuple[Solved, Score]]:
        """What learns a setting from all rows, and scores it by the windows."""

        def learn_again(entry: Entry[Trial]) -> tuple[Solved, Score]:
            feature_map = entry.trial.feature_map
            weights, penalty = self._solve_learned(self._of_all_rows(entry.trial), entry.setting)
            loop = self._closed(feature_map, weights, entry.setting)
            return Solved(loop, penalty), windows.score(loop, windows.states(feature_map.reservoir))

        return learn_again

    def _chosen(self, chosen: Choice[Trial, Solved]) -> dict[str, Any]:
        """What a choice says of the network."""
        entry, solved = chosen.entry, chosen.learned
        return {
            "trial": entry.trial,
            "setting": entry.setting,
            "loop": solved.loop,
            "penalty": solved.penalty,
            "score": chosen.score.folds,
            "learned": self._of_all_rows(entry.trial),
        }

    def _finalist(self, trial: Trial, setting: Setting) -> Finalist:
        """A network that was tried. Its readout takes the rows as they are, unless the user wants
        noise: what noisy rows need is learned from innovations.
        """
        noise = 0.0 if self.noise == "auto" else float(self.noise)

        def solved(setting: Setting) -> Solved:
            weights, penalty = self._solve_learned(trial.learned[-1], setting)
            return Solved(self._closed(trial.feature_map, weights, setting), penalty)

        return Finalist(trial, setting._replace(noise=noise), self.penalty != "auto", solved)

    @cached_property
    def _of_all_rows(self) -> Callable[[Trial], Learned]:
        """What all rows give to the network of a trial."""
        return cache(self._learn_all)

    def __getstate__(self) -> dict[str, Any]:
        # A process that tries networks has a cache of its own, as this one cannot be sent there
        return {name: one for name, one in vars(self).items() if name != "_of_all_rows"}

    def _learn_all(self, trial: Trial) -> Learned:
        if sum(len(one.inputs) for one in self.data) <= self.defaults.most_rows:
            return trial.learned[-1]
        return self._learn(trial.feature_map, self.data, [whole(self.data)])[0]

    def _closed(self, feature_map: FeatureMap, weights: Weights, setting: Setting) -> ClosedLoop:
        return closed(feature_map, weights, setting.carry, self.limits, self.physics)

    def _settings(self, grid: Sequence[tuple[float, float]]) -> list[Setting]:
        """The settings of a grid of noises and penalties, with what the user fixed."""
        pairs: list[tuple[float, float | None]] = [
            (
                noise if self.noise == "auto" else float(self.noise),
                share if self.penalty == "auto" else None,
            )
            for noise, share in grid
        ]
        carries = (1.0, 0.0) if self.physics is None else (1.0, 0.0, ON_PHYSICS)
        return [Setting(*pair, carry) for pair in dict.fromkeys(pairs) for carry in carries]

    @property
    def _kept(self) -> list[tuple[int, int]]:
        """The recordings that stand for all, and how many inputs of each."""
        return shares([len(one.inputs) for one in self.data], self.defaults.most_rows)

    def _inputs(self, rows: int) -> Floats:
        """So many inputs, on which a network is calibrated."""
        return first_inputs(self.data, rows)

    def _learned(self, feature_map: FeatureMap, windows: Windows, final: bool) -> list[Learned]:
        """What is learned for each group of windows, and, of final networks, from all rows."""
        stages = windows.stages()
        if windows.crossed:
            return windows.without_each(self._learn(feature_map, windows.data, stages, apart=True))
        return self._learn(feature_map, windows.data, stages if final else stages[:1])

    def _learn(
        self,
        feature_map: FeatureMap,
        data: Sequence[TrainingData],
        stages: Sequence[Sequence[Stretch]],
        *,
        apart: bool = False,
    ) -> list[Learned]:
        stops = {one.recording: one.stop for stage in reversed(stages) for one in stage}
        washouts = [self.washout_of(feature_map, stops[place]) for place in range(len(data))]
        return learn(feature_map, data, washouts, stages, noisy=self.noise != 0.0, apart=apart)

    def _solve_learned(self, learned: Learned, setting: Setting) -> tuple[Weights, float]:
        return self._solve(learned.moments(setting.noise), learned.sample, setting.share)

    def _solve(
        self, moments: Triangle, sample: Sample, share: float | None
    ) -> tuple[Weights, float]:
        return solved_for(moments, sample, share, self.penalty)


def solved_for(
    moments: Triangle, sample: Sample, share: float | None, penalty: float | str
) -> tuple[Weights, float]:
    """The readout and its penalty: a share of the trace, or what the user gave."""
    if penalty == "loo":
        found, _, weights = choose_penalty(moments, sample)
        return weights, found
    given = float(penalty) if share is None else share * moments.trace
    return solve(moments, given), given


def half(columns: int, carry: float) -> slice:
    """The outputs of a readout that give steps (carry 1), values (0), or what the user's own model
    leaves over (ON_PHYSICS).
    """
    place = {1.0: 0, 0.0: 1, ON_PHYSICS: 2}[carry]
    return slice(place * columns, (place + 1) * columns)


def closed(
    feature_map: FeatureMap,
    weights: Weights,
    carry: float,
    limits: tuple[Floats, Floats],
    physics: Physics | None = None,
) -> ClosedLoop:
    """The loop over that part of the readout."""
    parts = 2 if physics is None else 3
    outputs = weights.outputs(half(len(weights.intercept) // parts, carry))
    network, products = feature_map.reservoir, feature_map.quadratic
    return ClosedLoop(network, outputs, carry, products, *limits, physics)


def _row(entry: Entry[Trial], again: Score | None) -> dict[str, float | None]:
    """What `candidates_` says of one setting."""
    candidate, setting = entry.trial.candidate, entry.setting
    return {
        "memory": candidate.memory,
        "bend": candidate.bend,
        "bias_ratio": candidate.bias_ratio,
        "noise": setting.noise,
        "penalty": setting.share,
        "carry": setting.carry,
        "score": entry.score.folds,
        "refit": None if again is None else again.folds,
    }
