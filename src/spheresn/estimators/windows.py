"""Free runs over held-out rows, by which the network of a forecaster is chosen.

Of one recording, or of a few, the last quarter of each is held out. Of many, whole recordings are:
they are dealt into groups, and each group is forecast by what the others teach. So each run may be
as long as its recording, and all of them are learned from. Recordings that were made under the same
conditions are held out together: a network that should run under others has to be chosen by runs
under others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats
from ..closed_loop import ClosedLoop
from ..compose import Driven
from ..driving import drive
from ..selection.free_runs import HELD_OUT, HELD_SHARE, Score, evenly_spaced, first_held_out
from .learning import Learned, Stretch, TrainingData, whole


@dataclass(frozen=True)
class WindowDefaults:
    """The numbers of the windows, chosen on the development half of the league.

    windows, longest: free runs, and their steps at most. enough, shortest, most_windows: where runs
    last few steps, windows of `enough` times as many, at least `shortest`, tell more, up to so many
    windows. groups: of recordings that are held out as a whole, where there are at least as many.
    largest_share: of all rows that one of them may have. fewest_conditions: known values of
    parameters, from which on others can be told. condition_groups: of recordings by such values;
    with one value in each, more is known of the others. covered: windows are so long that they fit
    into recordings with this share of the held-out rows.
    """

    windows: int = 8
    longest: int = 1000
    enough: int = 4
    shortest: int = 50
    most_windows: int = 32
    groups: int = 4
    largest_share: float = 0.34
    fewest_conditions: int = 3
    condition_groups: int = 8
    covered: float = 0.75


WINDOW_DEFAULTS = WindowDefaults()


@dataclass(frozen=True, eq=False)
class Windows:
    """Free runs of `horizon` steps, each from the row `starts` of the recording `which`.

    held (R,): the row of each recording from which on it is held out; groups (R,): of the
    recordings that are held out together, all zero where each keeps its first rows.
    """

    data: tuple[TrainingData, ...]
    held: NDArray[np.int64]
    groups: NDArray[np.int64]
    which: NDArray[np.int64]
    starts: NDArray[np.int64]
    horizon: int
    use: WindowDefaults = WINDOW_DEFAULTS

    @staticmethod
    def of(data: Sequence[TrainingData], use: WindowDefaults = WINDOW_DEFAULTS) -> Windows:
        """The windows of recordings."""
        groups, lengths = _groups(data, use), [len(one.series) for one in data]
        rest = 1.0 - HELD_OUT if groups.any() else HELD_OUT
        first = [max(n // 4, 1) if groups.any() else first_held_out(n) for n in lengths]
        held = [int(one.outside_gaps(np.array([k]))[0]) for one, k in zip(data, first, strict=True)]
        none = np.zeros(0, np.int64)
        empty = Windows(tuple(data), np.array(held), groups, none, none, 1, use)
        longest = _covering(lengths, use.covered)
        if len(data) < use.windows:  # several begin in one recording, so that starts differ
            fitting = int(HELD_SHARE * rest * longest)
        else:
            fitting = int(rest * longest) - 1
        return empty._with(max(min(fitting, use.longest), 1), use.windows, np.array(first))

    def _with(self, horizon: int, count: int, first: NDArray[np.int64]) -> Windows:
        """About `count` windows of this length, at least one in each recording that is long enough;
        those of a recording are evenly spaced from its first row on.
        """
        ends = np.array([len(one.series) - 1 - horizon for one in self.data])
        fitting = np.flatnonzero(ends >= first)
        per = -(-count // len(fitting))
        starts = [
            self.data[i].outside_gaps(evenly_spaced(int(first[i]), int(ends[i]), per))
            for i in fitting
        ]
        which = np.repeat(fitting, per)
        return replace(self, which=which, starts=np.concatenate(starts), horizon=horizon)

    @property
    def crossed(self) -> bool:
        """Whether whole recordings are held out."""
        return bool(self.groups.any())

    @property
    def rows(self) -> int:
        """All rows of the recordings."""
        return sum(len(one.series) for one in self.data)

    def stages(self) -> list[list[Stretch]]:
        """The rows to learn from one after the other: those before the windows, then the others; or
        the groups.
        """
        stretches = whole(self.data)
        if self.crossed:
            return [
                [one for one in stretches if self.groups[one.recording] == group]
                for group in range(self.groups.max() + 1)
            ]
        stops = [int(held) - 1 for held in self.held]
        before = [one._replace(stop=stop) for one, stop in zip(stretches, stops, strict=True)]
        after = [one._replace(first=stop) for one, stop in zip(stretches, stops, strict=True)]
        return [before, after]

    def without_each(self, learned: Sequence[Learned]) -> list[Learned]:
        """From what the groups give, what all but each group give, and then what all give."""
        return [_sum([*learned[:k], *learned[k + 1 :]]) for k in range(len(learned))] + [
            _sum(learned)
        ]

    def fewer(self) -> Windows:
        """Every other window, at half its length."""
        horizon = (self.horizon + 1) // 2
        return replace(self, which=self.which[::2], starts=self.starts[::2], horizon=horizon)

    def about(self, steps: float) -> Windows:
        """More and shorter windows, with as many steps together, for runs that last so long."""
        horizon = int(np.clip(self.use.enough * steps, self.use.shortest, self.horizon))
        if horizon >= self.horizon:
            return self
        count = min(len(self.starts) * self.horizon // horizon, self.use.most_windows)
        return self._with(horizon, count, self.held)

    def states(self, reservoir: Driven) -> Floats:
        """The states before each start, driven by the true series."""
        found = np.empty((len(self.starts), reservoir.units), reservoir.dtype)
        for i in np.unique(self.which):
            mine = self.which == i
            found[mine] = drive(reservoir, self.data[i].inputs)[self.starts[mine] - 1]
        return found

    @property
    def judged(self) -> list[int]:
        """The groups that have windows."""
        return [int(group) for group in np.unique(self.groups[self.which])]

    def score(self, loop: ClosedLoop, states: Floats, lasts: Floats | None = None) -> Score:
        """The score of the free runs of a loop from these states, and from these values of the
        series (its own by default).

        For the e-folds, the error of a step is the largest up to it. Unlike a valid time, the score
        also distinguishes runs that stay valid to the end of their window. A run that diverges is
        worth nothing from there.
        """
        return self.score_of(dict.fromkeys(self.judged[:1], loop), states, lasts)

    def score_of(
        self, loops: Mapping[int, ClosedLoop], states: Floats, lasts: Floats | None = None
    ) -> Score:
        """The same with a loop for each group, or one for all."""
        if lasts is None:
            pairs = zip(self.which, self.starts, strict=True)
            lasts = np.stack([self.data[i].series[start] for i, start in pairs])
        errors = np.empty((len(self.starts), self.horizon))
        for group, loop in loops.items():
            of_group = self.groups[self.which] == group
            mine = np.flatnonzero(of_group | (len(loops) == 1))
            errors[mine] = self._errors(loop, mine, states[mine], lasts[mine])
        return Score.of(errors)

    def _errors(
        self, loop: ClosedLoop, mine: NDArray[np.int64], states: Floats, lasts: Floats
    ) -> Floats:
        """The error of each step of these runs (R, T), in deviations; large once it diverges.

        Cells that were not measured are not compared.
        """
        steps = np.arange(self.horizon)
        places = [(self.data[self.which[k]], self.starts[k] + steps) for k in mine]
        beside = np.stack([one.exogenous[rows] for one, rows in places])
        outputs, finite = loop.runs(self.horizon, states, lasts, beside)
        truth = np.stack([one.series[rows + 1] for one, rows in places])
        squares = np.square(np.clip(outputs - truth, -1e3, 1e3))
        if all(one.measured is None for one in self.data):
            errors = np.sqrt(squares.mean(axis=2))
        else:
            seen = np.stack([one.seen[rows + 1] for one, rows in places])
            total = np.where(seen, squares, 0.0).sum(axis=2)
            errors = np.sqrt(total / np.maximum(seen.sum(axis=2), 1))
        errors[steps >= finite[:, None]] = 1e3
        return np.asarray(errors)


def _groups(data: Sequence[TrainingData], use: WindowDefaults) -> NDArray[np.int64]:
    """The group of each recording: several, where whole recordings are held out, or one.

    Recordings whose exogenous columns have the same values throughout are in one group.
    """
    lengths, conditions = [len(one.series) for one in data], conditions_of(data)
    alike = {one: place for place, one in enumerate(sorted(set(conditions)))}
    if len(alike) >= use.fewest_conditions:
        return np.array([alike[one] % use.condition_groups for one in conditions])
    if len(data) < use.groups or max(lengths) > use.largest_share * sum(lengths):
        return np.zeros(len(data), np.int64)
    return np.arange(len(data)) % use.groups


def conditions_of(data: Sequence[TrainingData]) -> list[tuple[float, ...]]:
    """What each recording was made under: its values of the exogenous columns that are constant in
    every recording.
    """
    constant = np.all([(one.exogenous == one.exogenous[0]).all(axis=0) for one in data], axis=0)
    return [tuple(one.exogenous[0, constant].tolist()) for one in data]


def _covering(lengths: Sequence[int], share: float) -> int:
    """The largest length that so large a share of all rows is in stretches of."""
    falling = np.sort(lengths)[::-1]
    return int(falling[np.argmax(np.cumsum(falling) >= share * falling.sum())])


def _sum(learned: Sequence[Learned]) -> Learned:
    found = learned[0]
    for one in learned[1:]:
        found = found.joined(one)
    return found
