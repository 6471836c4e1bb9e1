"""Choosing networks and readouts for a field by free runs over held-out windows.

All settings are scored on a few windows first, the best of them on all windows. The settings of the
best network are then learned from all rows and scored again on the same windows, because that
readout is the one that forecasts: it may be unstable where the other was not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._running import Progress
from ..._validation import Floats
from ...selection.calibration import Calibrated
from ...selection.engine import Entry, lower_of_two, ranked, try_all
from ...selection.free_runs import HELD_OUT, HELD_SHARE, LARGEST_ERROR, Score, evenly_spaced
from ...selection.plan import FINAL_ROWS, Candidate, Plan
from .geometry import Patches
from .learning import InMemoryRows, Learner, response_stride, thinning
from .loop import FieldLoop, LocalNetworks
from .sources import Standardised
from .workers import Learning, Readouts, Workers, learn_readouts


@dataclass(frozen=True)
class FieldDefaults:
    """The numbers of the search.

    windows, longest: free runs, and their steps at most. held_rows: times that are held out at
    most. rows_per_unit, own_rows_per_unit: states per unit from which settings are learned in the
    search, with one readout for all patches and with one each. values: numbers of a field that the
    search holds, 1 GB. least_rows: a shorter field cannot spare any to choose by. finalists:
    settings that are scored on all windows. both_targets: settings of a network that are tried with
    the other target too.
    """

    windows: int = 16
    longest: int = 600
    held_rows: int = 3000
    rows_per_unit: int = 30
    own_rows_per_unit: int = 10
    values: int = 2**27
    least_rows: int = 40
    finalists: int = 6
    both_targets: int = 3


FIELD_DEFAULTS = FieldDefaults()

# A strong bias makes the networks weakly nonlinear, which a precise readout turns into precise
# forecasts; a weaker one suits small networks, noisy fields and Gram matrices. Fields that are seen
# in all their cells need little memory.
FIELD = {
    "spherical": [
        Candidate(memory, bend, bias_ratio=ratio)
        for memory, bend, ratio in (
            (1.0, 0.5, 6.0),
            (0.5, 1.0, 24.0),
            (0.5, 1.0, 100.0),
            (0.5, 0.5, 100.0),
        )
    ],
    "tanh": [Candidate(memory, bias_ratio=6.0) for memory in (0.5, 1.0, 2.0)],
    "linear": [Candidate(memory) for memory in (1.0, 3.0, 10.0)],
}
# In deviations of the field. Noise is what keeps a loop of patches stable; without it fast waves,
# which the field hardly has, grow within a few steps.
NOISES = (3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2, 1e-1)
# As a share of the trace, by whether the sums are precise: just above rounding errors. Larger ones
# were never better than noise.
TRACE_SHARES = {True: 1e-20, False: 1e-14}


class FieldSetting(NamedTuple):
    """How the readouts are learned and used: one for all patches (`shared`) or one each; with carry
    1 they give the step from one field to the next, with 0 the next field.
    """

    shared: bool
    learning: Learning
    carry: float


@dataclass(frozen=True, eq=False)
class FieldWindows:
    """Free runs that begin at `starts`, evenly spaced over the held-out end of a field."""

    fields: Floats  # the last rows, standardised
    starts: NDArray[np.int64]
    horizon: int
    seen: Any = ...  # the values that are there

    @staticmethod
    def of(fields: Floats, seen: Any = ...) -> FieldWindows:
        """The windows in the last quarter."""
        total = len(fields)
        held = min(int(HELD_OUT * total), FIELD_DEFAULTS.held_rows)
        horizon = max(min(int(HELD_SHARE * held), FIELD_DEFAULTS.longest), 1)
        starts = evenly_spaced(total - held, total - 1 - horizon, FIELD_DEFAULTS.windows)
        return FieldWindows(fields, starts, horizon, seen)

    def fewer(self) -> FieldWindows:
        """Every fourth window."""
        return replace(self, starts=self.starts[::4])

    @property
    def training_rows(self) -> int:
        """The steps before the first window."""
        return int(self.starts[0]) - 1

    def states(self, networks: LocalNetworks, spin_up: int) -> Floats:
        """The states (R, P, N) before each start, driven by the true field."""
        return np.stack([self._state(networks, int(t), spin_up) for t in self.starts])

    def _state(self, networks: LocalNetworks, start: int, spin_up: int) -> Floats:
        return observed(networks, None, self.fields[max(start - spin_up, 0) : start])

    def score(self, loop: FieldLoop, states: Floats) -> Score:
        """The score of the free runs of a loop from these states, as for a series."""
        errors = np.full((len(self.starts), self.horizon), LARGEST_ERROR)
        worst = np.zeros(len(self.starts))

        def lost(k: int, fields: Floats) -> bool:
            """Whether all runs have left the truth, so that nothing is left to score."""
            gap = np.clip(fields - self.fields[self.starts + 1 + k], -1e3, 1e3)
            errors[:, k] = np.sqrt(np.square(gap[:, self.seen]).mean(axis=1))
            np.maximum(worst, errors[:, k], out=worst)
            return bool((worst >= 1.0).all())

        loop.run_many(self.horizon, states, self.fields[self.starts], lost)
        return Score.of(errors)


def observed(networks: LocalNetworks, states: Floats | None, fields: Floats) -> Floats:
    """The states (P, N) after these fields (T, size), a few rows at a time."""
    patches = networks.patches
    states = networks.starts(patches.count) if states is None else states
    block = max(1024 // patches.count, 1)
    for first in range(0, len(fields), block):
        states = networks.drive(networks.inputs(fields[first : first + block]), states)[-1].copy()
    return states


@dataclass(frozen=True, eq=False)
class FieldTrial:
    """Networks, the loops of all settings of their readouts, and their scores on few windows."""

    candidate: Candidate
    calibrated: Calibrated
    networks: LocalNetworks
    spin_up: int
    scores: dict[FieldSetting, Score]
    loops: dict[FieldSetting, FieldLoop]


@dataclass(frozen=True, eq=False)
class FieldFinalist:
    """The best settings of a trial, and how they scored on all windows."""

    trial: FieldTrial
    scores: dict[FieldSetting, Score]


class FieldChoice(NamedTuple):
    """The chosen networks in a closed loop over the readouts of all rows."""

    candidate: Candidate
    calibrated: Calibrated
    learner: Learner
    setting: FieldSetting
    readouts: Readouts
    score: float | None
    table: list[dict[str, Any]]

    @property
    def loop(self) -> FieldLoop:
        """The closed loop."""
        return closed(self.learner.networks, self.readouts, self.setting.carry)


def closed(networks: LocalNetworks, readouts: Readouts, carry: float) -> FieldLoop:
    """The loop over the half of the readouts that gives steps (carry 1) or values (carry 0)."""
    return FieldLoop(networks, *readouts.half(carry), carry)


@dataclass(frozen=True, eq=False)
class FieldSearch:
    """The search for one field.

    `projection` (w, k) gives the columns of a window that a network takes: its principal components
    or the window itself. `settings` lists what may be chosen.
    """

    plan: Plan
    patches: Patches
    rows: Standardised
    position: Floats
    projection: Floats | None
    spin_up_of: Callable[[float], int]
    settings: Sequence[FieldSetting]
    precise: bool
    workers: Workers
    progress: Progress = field(default_factory=lambda: Progress(False))

    def best(self, found: Sequence[Candidate]) -> FieldChoice:
        """The setting whose runs are best, learned from all rows."""
        if len(found) == len(self.settings) == 1:
            return self._unsearched(found[0])
        windows = FieldWindows.of(self._recent(), self.patches.seen)
        trials = try_all(lambda candidate: self._trial(candidate, windows), found, self.progress)
        if not trials:
            self.plan.final(self._signal(), found[0])  # raises, and says what can be reached
        finalists = self._finalists(trials, windows)
        return self._learned_again(finalists, trials, windows)

    def _finalists(self, trials: list[FieldTrial], windows: FieldWindows) -> list[FieldFinalist]:
        """The best settings of all trials, scored on all windows."""
        found: dict[FieldTrial, FieldFinalist] = {}
        for _, trial, setting in ranked(trials)[: FIELD_DEFAULTS.finalists]:
            states = windows.states(trial.networks, trial.spin_up)
            finalist = found.setdefault(trial, FieldFinalist(trial, {}))
            finalist.scores[setting] = windows.score(trial.loops[setting], states)
        return [found[trial] for trial in trials if trial in found]

    def _unsearched(self, candidate: Candidate) -> FieldChoice:
        calibrated = self.plan.final(self._signal(), candidate)
        setting = self.settings[0]
        learner = self._learner(calibrated, setting.shared, len(self.rows) - 1)
        readouts = self.workers.readouts(learner, self.rows, setting.shared, [setting.learning])[0]
        return FieldChoice(candidate, calibrated, learner, setting, readouts, None, [])

    def _recent(self) -> Floats:
        """The rows of the search: enough to learn from, and those that are held out."""
        shares = {setting.shared for setting in self.settings}
        needed = (
            FIELD_DEFAULTS.rows_per_unit * self.plan.units // self.patches.teaching(True)
            if True in shares
            else 0,
            FIELD_DEFAULTS.own_rows_per_unit * self.plan.units if False in shares else 0,
        )
        total = len(self.rows)
        most = max(FIELD_DEFAULTS.values // self.patches.size, FIELD_DEFAULTS.least_rows)
        held = min(int(HELD_OUT * total), FIELD_DEFAULTS.held_rows)
        count = min(max(*needed, 3 * held) + held, total, most)
        return self.rows.read(total - count, total)

    def _signal(self) -> Floats:
        """The inputs of the network of the first patch: on them the memory is measured."""
        first = self.patches.group(np.array([0]))
        rows = self.rows.read(0, min(len(self.rows), FINAL_ROWS), first.columns)
        window = first.inputs(rows)[:, 0]
        kept = window if self.projection is None else window @ self.projection
        beside = np.broadcast_to(self.position[0], (len(kept), self.position.shape[1]))
        return np.ascontiguousarray(np.hstack([kept, beside]))

    def _learner(self, calibrated: Calibrated, shared: bool, steps: int) -> Learner:
        networks = self._networks(calibrated)
        states = steps * (self.patches.teaching(True) if shared else 1)
        thin = thinning(states, self.plan.units)
        noisy = any(setting.learning.noise for setting in self.settings)
        return Learner(
            networks,
            self.spin_up_of(calibrated.exponent),
            self.precise,
            response_stride(states // thin, self.plan.units) if noisy else 0,
            self.plan.seed,
            thin,
        )

    def _networks(self, calibrated: Calibrated) -> LocalNetworks:
        reservoir = calibrated.reservoir
        if self.projection is not None:
            columns = self.projection.shape[1]
            weights = reservoir.inputs[:, :columns] @ self.projection.T
            inputs = np.hstack([weights, reservoir.inputs[:, columns:]])
            reservoir = type(reservoir)(
                reservoir.recurrent, inputs, reservoir.activation, reservoir.bias, reservoir.leak
            )
        return LocalNetworks(self.patches, reservoir, self.position)

    def _trial(self, candidate: Candidate, windows: FieldWindows) -> FieldTrial | None:
        calibrated = self.plan.search(self._signal(), candidate, FINAL_ROWS)
        if calibrated is None:
            return None
        steps, few = windows.training_rows, windows.fewer()
        networks, spin_up = self._networks(calibrated), self.spin_up_of(calibrated.exponent)
        loops: dict[FieldSetting, FieldLoop] = {}
        for shared in dict.fromkeys(setting.shared for setting in self.settings):
            learner = self._learner(calibrated, shared, steps)
            same = [setting for setting in self.settings if setting.shared == shared]
            ways = list(dict.fromkeys(setting.learning for setting in same))
            found = learn_readouts(learner, InMemoryRows(windows.fields), shared, ways, steps)
            for one in same:
                loops[one] = closed(networks, found[ways.index(one.learning)], one.carry)
        states = few.states(networks, spin_up)
        usual = self.settings[0].carry
        rough = {one: few.score(loops[one], states) for one in loops if one.carry == usual}
        best = sorted(rough, key=lambda one: rough[one], reverse=True)
        both = {one._replace(carry=1.0 - usual) for one in best[: FIELD_DEFAULTS.both_targets]}
        rough |= {one: few.score(loops[one], states) for one in loops if one in both}
        return FieldTrial(candidate, calibrated, networks, spin_up, rough, loops)

    def _learned_again(
        self, finalists: list[FieldFinalist], trials: list[FieldTrial], windows: FieldWindows
    ) -> FieldChoice:
        """The best setting of the best network, scored by what was learned before the windows and
        by what is learned from all rows. The settings of a network are learned in one pass.
        """
        best = ranked(finalists)[0]
        trial, shared = best.trial.trial, best.setting.shared
        same = {one: score for one, score in best.trial.scores.items() if one.shared == shared}
        learner = self._learner(trial.calibrated, shared, len(self.rows) - 1)
        ways = list(dict.fromkeys(one.learning for one in same))
        found = self.workers.readouts(learner, self.rows, shared, ways)
        states = windows.states(trial.networks, trial.spin_up)

        def learn_again(entry: Entry[FieldFinalist]) -> tuple[Readouts, Score]:
            readouts = found[ways.index(entry.setting.learning)]
            loop = closed(trial.networks, readouts, entry.setting.carry)
            return readouts, windows.score(loop, states)

        entries = ranked([FieldFinalist(trial, same)])
        chosen = lower_of_two(entries, learn_again)
        again = {entry.setting: score for entry, score in zip(entries, chosen.again, strict=True)}
        final = {one.trial: one.scores for one in finalists}
        table = [
            _row(one, setting, final.get(one, {}), again if one is trial else {})
            for one in trials
            for setting in one.scores
        ]
        table.sort(key=lambda row: (row["windows"], row["score"]), reverse=True)
        return FieldChoice(
            trial.candidate,
            trial.calibrated,
            learner,
            chosen.entry.setting,
            chosen.learned,
            chosen.score.folds,
            table,
        )


def _row(
    trial: FieldTrial,
    setting: FieldSetting,
    final: dict[FieldSetting, Score],
    again: dict[FieldSetting, Score | None],
) -> dict[str, Any]:
    """What `candidates_` says of one setting."""
    second = again.get(setting)
    return {
        "memory": trial.candidate.memory,
        "bend": trial.candidate.bend,
        "bias_ratio": trial.candidate.bias_ratio,
        "shared": setting.shared,
        "noise": setting.learning.noise,
        "penalty": setting.learning.share,
        "carry": setting.carry,
        "windows": FIELD_DEFAULTS.windows
        if setting in final
        else len(range(0, FIELD_DEFAULTS.windows, 4)),
        "score": (final if setting in final else trial.scores)[setting].folds,
        "refit": None if second is None else second.folds,
    }
