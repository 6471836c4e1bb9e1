"""Choosing networks and readouts for a field by free runs over held-out windows.

All settings are scored on a few windows first, the best of them on all windows. The settings of the
best network are then learned from all rows and scored again on the same windows, because that
readout is the one that forecasts: it may be unstable where the other was not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._progress import Progress
from ..._validation import Floats
from ...series.windows import HELD_OUT, evenly_spaced
from ..calibration import Calibrated
from ..candidates import FINAL_ROWS, Candidate, Plan
from ..search import HORIZON, WORST, Score
from .geometry import Patches
from .learning import Held, Learner, response_stride, thinning
from .loop import FieldLoop, LocalNetworks
from .sources import Standardised
from .workers import Learning, Readouts, Workers, learn_readouts

WINDOWS = 16
LONGEST = 600  # steps of a free run
HELD_ROWS = 3000  # times that are held out at most
ROWS_PER_UNIT = 30  # states per unit from which settings are learned in the search
OWN_ROWS_PER_UNIT = 10  # the same where each patch has a readout of its own
SEARCH_VALUES = 2**27  # numbers of a field that the search holds: 1 GB
FEWEST = 40  # times; a shorter field cannot spare any to choose by
FINALISTS = 6  # settings that are scored on all windows
BOTH_TARGETS = 3  # settings of a network that are tried with the other target too

# A strong bias makes the networks weakly nonlinear, which a precise readout turns into precise
# forecasts; a weaker one suits small networks, noisy fields and Gram matrices. Fields that are seen
# in all their cells need little memory.
CANDIDATES = {
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
SHARES = {True: 1e-20, False: 1e-14}


class Setting(NamedTuple):
    """How the readouts are learned and used: one for all patches or one each, steps or values."""

    shared: bool
    learning: Learning
    carry: float


@dataclass(frozen=True, eq=False)
class FieldWindows:
    """Free runs that begin at `starts`, evenly spaced over the held-out end of a field."""

    fields: Floats  # the last rows, standardised
    starts: NDArray[np.int64]
    horizon: int

    @staticmethod
    def of(fields: Floats) -> FieldWindows:
        """The windows in the last quarter."""
        total = len(fields)
        held = min(int(HELD_OUT * total), HELD_ROWS)
        horizon = max(min(int(HORIZON * held), LONGEST), 1)
        starts = evenly_spaced(total - held, total - 1 - horizon, WINDOWS)
        return FieldWindows(fields, starts, horizon)

    def fewer(self) -> FieldWindows:
        """Every fourth window."""
        return FieldWindows(self.fields, self.starts[::4], self.horizon)

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
        """Of the free runs of a loop from these states; as for a series."""
        errors = np.full((len(self.starts), self.horizon), WORST)
        worst = np.zeros(len(self.starts))

        def lost(k: int, fields: Floats) -> bool:
            """Whether all runs have left the truth, so that nothing is left to score."""
            gap = np.clip(fields - self.fields[self.starts + 1 + k], -1e3, 1e3)
            errors[:, k] = np.sqrt(np.square(gap).mean(axis=1))
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
class Trial:
    """Networks, the loops of all settings of their readouts, and how these scored.

    `rough`: on a few windows; `scores`: of the best, on all.
    """

    candidate: Candidate
    calibrated: Calibrated
    networks: LocalNetworks
    spin_up: int
    rough: dict[Setting, Score]
    loops: dict[Setting, FieldLoop]
    scores: dict[Setting, Score] = field(default_factory=dict)


class Fitted(NamedTuple):
    """The chosen networks in a closed loop over the readouts of all rows."""

    candidate: Candidate
    calibrated: Calibrated
    learner: Learner
    setting: Setting
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

    `projection` (w, k) gives the columns of a window that a network hears: its principal components
    or the window itself. `settings` lists what may be chosen.
    """

    plan: Plan
    patches: Patches
    rows: Standardised
    position: Floats
    projection: Floats | None
    spin_up_of: Callable[[float], int]
    settings: Sequence[Setting]
    precise: bool
    workers: Workers
    progress: Progress = field(default_factory=lambda: Progress(False))

    def best(self, found: Sequence[Candidate]) -> Fitted:
        """The setting whose runs are best, learned from all rows."""
        if len(found) == len(self.settings) == 1:
            return self._unsearched(found[0])
        windows = FieldWindows.of(self._recent())
        self.progress.expect(len(found))
        trials = []
        for candidate in found:
            trial = self._trial(candidate, windows)
            self.progress.advance()
            if trial is not None:
                trials.append(trial)
        if not trials:
            self.plan.final(self._signal(), found[0])  # raises, and says what can be reached
        ranked = [(score, i, one) for i, t in enumerate(trials) for one, score in t.rough.items()]
        ranked.sort(key=lambda entry: entry[0], reverse=True)
        for _, number, setting in ranked[:FINALISTS]:
            trial = trials[number]
            states = windows.states(trial.networks, trial.spin_up)
            trial.scores[setting] = windows.score(trial.loops[setting], states)
        tried = [one for one in trials if one.scores]
        best = max(tried, key=lambda one: max(one.scores.values()))
        return self._refitted(best, trials, windows)

    def _unsearched(self, candidate: Candidate) -> Fitted:
        calibrated = self.plan.final(self._signal(), candidate)
        setting = self.settings[0]
        learner = self._learner(calibrated, setting.shared, len(self.rows) - 1)
        readouts = self.workers.readouts(learner, self.rows, setting.shared, [setting.learning])[0]
        return Fitted(candidate, calibrated, learner, setting, readouts, None, [])

    def _recent(self) -> Floats:
        """The rows of the search: enough to learn from, and those that are held out."""
        shares = {setting.shared for setting in self.settings}
        needed = (
            ROWS_PER_UNIT * self.plan.units // self.patches.count if True in shares else 0,
            OWN_ROWS_PER_UNIT * self.plan.units if False in shares else 0,
        )
        total, most = len(self.rows), max(SEARCH_VALUES // self.patches.size, FEWEST)
        held = min(int(HELD_OUT * total), HELD_ROWS)
        count = min(max(*needed, 3 * held) + held, total, most)
        return self.rows.read(total - count, total)

    def _signal(self) -> Floats:
        """What the network of the first patch hears: on it the memory is measured."""
        first = self.patches.group(np.array([0]))
        rows = self.rows.read(0, min(len(self.rows), FINAL_ROWS), first.columns)
        window = first.heard(rows)[:, 0]
        kept = window if self.projection is None else window @ self.projection
        beside = np.broadcast_to(self.position[0], (len(kept), self.position.shape[1]))
        return np.ascontiguousarray(np.hstack([kept, beside]))

    def _learner(self, calibrated: Calibrated, shared: bool, steps: int) -> Learner:
        networks = self._networks(calibrated)
        states = steps * (self.patches.count if shared else 1)
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
            heard = reservoir.inputs[:, :columns] @ self.projection.T
            inputs = np.hstack([heard, reservoir.inputs[:, columns:]])
            reservoir = type(reservoir)(
                reservoir.recurrent, inputs, reservoir.activation, reservoir.bias, reservoir.leak
            )
        return LocalNetworks(self.patches, reservoir, self.position)

    def _trial(self, candidate: Candidate, windows: FieldWindows) -> Trial | None:
        calibrated = self.plan.search(self._signal(), candidate, FINAL_ROWS)
        if calibrated is None:
            return None
        steps, few = windows.training_rows, windows.fewer()
        networks, spin_up = self._networks(calibrated), self.spin_up_of(calibrated.exponent)
        loops: dict[Setting, FieldLoop] = {}
        for shared in dict.fromkeys(setting.shared for setting in self.settings):
            learner = self._learner(calibrated, shared, steps)
            same = [setting for setting in self.settings if setting.shared == shared]
            ways = list(dict.fromkeys(setting.learning for setting in same))
            found = learn_readouts(learner, Held(windows.fields), shared, ways, steps)
            for one in same:
                loops[one] = closed(networks, found[ways.index(one.learning)], one.carry)
        states = few.states(networks, spin_up)
        usual = self.settings[0].carry
        rough = {one: few.score(loops[one], states) for one in loops if one.carry == usual}
        ranked = sorted(rough, key=lambda one: rough[one], reverse=True)
        both = {one._replace(carry=1.0 - usual) for one in ranked[:BOTH_TARGETS]}
        rough |= {one: few.score(loops[one], states) for one in loops if one in both}
        return Trial(candidate, calibrated, networks, spin_up, rough, loops)

    def _refitted(self, trial: Trial, trials: list[Trial], windows: FieldWindows) -> Fitted:
        """The setting of one trial with the best score, the lower of two.

        What was learned before the windows gives the first, what is learned from all rows the
        second. Settings of one trial are learned in one pass.
        """
        shared = max(trial.scores, key=lambda one: trial.scores[one]).shared
        same = [one for one in trial.scores if one.shared == shared]
        learner = self._learner(trial.calibrated, shared, len(self.rows) - 1)
        ways = list(dict.fromkeys(one.learning for one in same))
        found = self.workers.readouts(learner, self.rows, shared, ways)
        states = windows.states(trial.networks, trial.spin_up)
        readouts = {one: found[ways.index(one.learning)] for one in same}
        again = {
            one: windows.score(closed(trial.networks, readouts[one], one.carry), states)
            for one in same
        }
        lower = {one: min(trial.scores[one], again[one]) for one in same}
        chosen = max(same, key=lambda one: lower[one])
        table = [
            _row(one, setting, again if one is trial else {})
            for one in trials
            for setting in one.rough
        ]
        table.sort(key=lambda row: (row["windows"], row["score"]), reverse=True)
        return Fitted(
            trial.candidate,
            trial.calibrated,
            learner,
            chosen,
            readouts[chosen],
            lower[chosen].folds,
            table,
        )


def _row(trial: Trial, setting: Setting, again: dict[Setting, Score]) -> dict[str, Any]:
    """What `candidates_` says of one setting."""
    final = setting in trial.scores
    return {
        "memory": trial.candidate.memory,
        "bend": trial.candidate.bend,
        "bias_ratio": trial.candidate.bias_ratio,
        "shared": setting.shared,
        "noise": setting.learning.noise,
        "penalty": setting.learning.share,
        "carry": setting.carry,
        "windows": WINDOWS if final else len(range(0, WINDOWS, 4)),
        "score": (trial.scores if final else trial.rough)[setting].folds,
        "refit": again[setting].folds if setting in again else None,
    }
