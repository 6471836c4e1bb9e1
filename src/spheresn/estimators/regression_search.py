"""Choosing a network for regression by the errors of rows left out.

All candidates are compared with a small network on few rows, at strengths that are guessed from
their settings; the best of them with more units on all rows, their drive calibrated. Errors are
those of orthogonal readouts with the best of all penalties: a Gram matrix would hide what weakly
nonlinear networks know.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._errors import DegenerateStep
from .._validation import Floats
from ..driving import drive_into
from ..readout import Sample, Triangle
from ..readout.loo import SCANNED_DECADES, Penalties
from ..readout.triangle import GrowingTriangle
from ..reservoir import Reservoir
from ..selection.calibration import ROUGH_ROWS, Point
from ..selection.engine import ranked_trials, try_all
from ..selection.plan import Candidate, Kind, Plan
from ..series.scaling import Scaler


@dataclass(frozen=True)
class RegressionDefaults:
    """The numbers of the search, chosen on the development half of benchmarks/targets.

    rows: by which a network is chosen; a stream waits for them, a fit looks at no more. series: by
    which it is chosen where each of them is long. screen_units, screen_rows, window: all candidates
    are compared with so small a network on so many rows, in windows of at most so many. units,
    rows_per_unit: the best of them are compared with so many units and on so many rows for each.
    finalists: how many, not all of one activation. few_units, few: a candidate of a smaller network
    costs as much as its fit, so only so many are compared, and once. unsolved: where each of these
    errs by more, all are compared, and the best ones again. gains: an orthogonal readout
    must lower the error to this share of that which a Gram matrix can find, because it takes two to
    three times as long. For a smaller network it is always taken: so few rows do not show the need.
    """

    rows: int = 5000
    series: int = 20
    screen_units: int = 100
    screen_rows: int = 500
    window: int = 500
    units: int = 300
    rows_per_unit: int = 6
    finalists: int = 3
    few_units: int = 200
    few: int = 6
    unsolved: float = 0.9
    gains: float = 0.97


REGRESSION_DEFAULTS = RegressionDefaults()


@dataclass(frozen=True, eq=False)
class RegressionTrial:
    """A candidate, a point near its calibration, and minus its error by the penalty's decade.

    precise: whether a Gram matrix could not have found that error.
    """

    candidate: Candidate
    point: Point | None
    scores: dict[float, float]
    precise: bool

    @staticmethod
    def of(
        candidate: Candidate,
        point: Point | None,
        learned: tuple[Triangle, Sample],
        penalty: float | None = None,
        near: RegressionTrial | None = None,
    ) -> RegressionTrial:
        """By the best of all penalties in large steps, `near` that of another trial where there is
        one; or by a penalty per row.
        """
        tried = Penalties(*learned)
        if penalty is not None:
            decade = tried.decade_of(penalty * learned[0].count)
        elif near is not None:
            decade = tried.descend(int(near.decade), (SCANNED_DECADES,))
        else:
            decade = tried.best_of_every(SCANNED_DECADES)
        error = tried.error(decade)
        precise = error < REGRESSION_DEFAULTS.gains * tried.resolved()
        return RegressionTrial(candidate, point, {decade: -error}, precise)

    @property
    def activation(self) -> str | None:
        """That of its kind."""
        return self.candidate.kind and self.candidate.kind.activation

    @property
    def decade(self) -> float:
        """The power of ten of the penalty in units of the trace."""
        return next(iter(self.scores))

    @property
    def error(self) -> float:
        """The error, relative to the deviation of the targets."""
        return -max(self.scores.values())


class RegressionChoice(NamedTuple):
    """A candidate, a point near its calibration, whether its readout must be orthogonal, and all
    that was tried: first on few rows, then on all.
    """

    candidate: Candidate
    point: Point | None = None
    precise: bool = False
    screened: Sequence[RegressionTrial] = ()
    finalists: Sequence[RegressionTrial] = ()

    @property
    def table(self) -> list[dict[str, Any]]:
        """The settings that were tried, those compared on all rows first, with their errors."""
        last = {one.candidate for one in self.finalists}
        tried = [(True, one) for one in ranked_trials(self.finalists)]
        tried += [(False, one) for one in self.screened if one.candidate not in last]
        return [
            {**one.candidate.settings, "error": one.error, "finalist": complete}
            for complete, one in tried
        ]


@dataclass(frozen=True, eq=False)
class RegressionSearch:
    """The search for some series and their targets.

    washout_of: rows left out for an exponent and so many rows; penalty: one that is given, per row.
    """

    plan: Plan
    scaler: Scaler
    series: Sequence[Floats]
    targets: Sequence[Floats]
    washout_of: Callable[[float, int], int]
    penalty: float | None = None

    def best(self, found: list[Candidate]) -> RegressionChoice:
        """The candidate with the least error."""
        with warnings.catch_warnings():  # of networks that are tried and left
            warnings.simplefilter("ignore", DegenerateStep)
            return self._best(found)

    def _best(self, found: list[Candidate]) -> RegressionChoice:
        use, size = REGRESSION_DEFAULTS, self.plan.units
        few = size < use.few_units
        count, most = (use.few, 1) if few else (len(found), use.finalists)
        small = self._stage(found, use.screen_units, use.screen_rows)
        tried = try_all(small.guessed, found[:count])
        if all(one.error > use.unsolved for one in tried):
            tried += try_all(small.guessed, found[count:])
            few, most = False, use.finalists
        screened = _ordered(tried)
        rows = use.rows_per_unit * min(size, use.units)
        large = self._stage([one.candidate for one in screened], use.units, rows)
        finalists: list[RegressionTrial] = []
        for one in _mixed(screened, most):
            if len(finalists) < most:
                finalists += try_all(large.reached if few else large.calibrated, [one])
        if not finalists:  # there is only one memory, out of reach: the caller says so
            return RegressionChoice(found[0])
        best = ranked_trials(finalists)[0]
        precise = best.precise or (few and self.penalty is None)
        return RegressionChoice(best.candidate, best.point, precise, screened, finalists)

    def _stage(self, found: Sequence[Candidate], units: int, rows: int) -> Stage:
        plan = self.plan.with_units(min(self.plan.units, units))
        return Stage(
            plan.at_each([one.kind for one in found]),
            [self.scaler.forward(one) for one in _windows(self.series, rows)],
            _windows(self.targets, rows),
            self.washout_of,
            self.penalty,
        )


@dataclass(frozen=True, eq=False)
class Stage:
    """Networks of some size, and windows of standardised rows with their targets, by which
    candidates are compared.
    """

    plans: dict[Kind | None, Plan]
    windows: list[Floats]
    wanted: list[Floats]
    washout_of: Callable[[float, int], int]
    penalty: float | None

    def guessed(self, candidate: Candidate) -> RegressionTrial | None:
        """A candidate at the strength that is guessed; None if a leak forbids its memory."""
        plan = self.plans[candidate.kind]
        point = plan.guess(candidate)
        if point is None:
            return None
        network = plan.at_strength(self.windows[0].shape[1], candidate)(np.exp(point.place))
        return self._trial(candidate, point, network, point.exponent)

    def calibrated(self, trial: RegressionTrial) -> RegressionTrial | None:
        """A candidate whose drive is calibrated; None if its memory is out of reach."""
        plan, candidate = self.plans[trial.candidate.kind], trial.candidate
        found = plan.search(np.vstack(self.windows), candidate, near=trial.point)
        if found is None:
            return None
        return self._trial(candidate, found.point, found.reservoir, found.exponent, trial)

    def reached(self, trial: RegressionTrial) -> RegressionTrial | None:
        """A candidate with the error that it had, roughly calibrated; None as above."""
        plan = self.plans[trial.candidate.kind]
        rows = np.vstack(self.windows)
        found = plan.search(rows, trial.candidate, ROUGH_ROWS, trial.point)
        return None if found is None else replace(trial, point=found.point)

    def _trial(
        self,
        candidate: Candidate,
        point: Point | None,
        network: Reservoir,
        exponent: float,
        near: RegressionTrial | None = None,
    ) -> RegressionTrial:
        units, outputs = network.units, self.wanted[0].shape[1]
        grown, sample = GrowingTriangle.empty(units, outputs), Sample.empty(units, outputs)
        washout = self.washout_of(exponent, sum(map(len, self.windows)))
        states = np.empty((max(map(len, self.windows)), units))
        for x, y in zip(self.windows, self.wanted, strict=True):
            skip = min(washout, len(x) // 4)
            driven = drive_into(network, x, states[: len(x)])[skip:]
            grown.take(driven, y[skip:])
            sample = sample.taking(driven, y[skip:])
        return RegressionTrial.of(candidate, point, (grown.moments, sample), self.penalty, near)


def _ordered(trials: Sequence[RegressionTrial]) -> list[RegressionTrial]:
    """Trials in the order of their errors.

    But few rows speak against long memories, so the best candidate is followed by the one that
    differs only in a longer memory.
    """
    ordered = ranked_trials(trials)
    alike = [
        one
        for one in ordered[1:]
        if one.candidate.memory > ordered[0].candidate.memory
        and replace(one.candidate, memory=ordered[0].candidate.memory) == ordered[0].candidate
    ]
    longer = min(alike, key=lambda one: one.candidate.memory, default=None)
    return sorted(ordered, key=lambda one: one is not ordered[0] and one is not longer)


def _mixed(ordered: list[RegressionTrial], count: int) -> list[RegressionTrial]:
    """Trials of which the first `count` are not all of one activation, if there is another one.

    What a small network says of the other activation may not hold for a large one.
    """
    first, rest = ordered[:count], ordered[count:]
    others = [one for one in rest if one.activation != ordered[0].activation]
    if count < 2 or not others or len({one.activation for one in first}) > 1:
        return ordered
    return [*first[:-1], others[0], first[-1], *(one for one in rest if one is not others[0])]


def selection(series: Sequence[Floats]) -> list[Floats]:
    """About as many rows of the series as a network is chosen by.

    Of many series, every n-th, so that no kind is missed that comes late; of few long ones, the
    first rows of each.
    """
    stride = -(-sum(len(rows) for rows in series) // REGRESSION_DEFAULTS.rows)
    if stride <= 1 or len(series) >= REGRESSION_DEFAULTS.series * stride:
        return list(series[::stride])
    kept = series[:: -(-len(series) // REGRESSION_DEFAULTS.series)]
    return [rows[: REGRESSION_DEFAULTS.rows // len(kept)] for rows in kept]


def _windows(series: Sequence[Floats], rows: int) -> list[Floats]:
    """About so many rows of the series, in windows that are spread over them."""
    stride = -(-sum(len(one) for one in series) // rows)
    windows = [
        part
        for one in series
        for part in np.array_split(one, -(-len(one) // REGRESSION_DEFAULTS.window))
    ]
    return windows[::stride]
