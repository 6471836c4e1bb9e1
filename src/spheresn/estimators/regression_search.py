"""Choosing a network for regression by the errors of rows left out.

All candidates are compared with a small network on few rows, at strengths that are guessed from
their settings; the best of them with more units on all rows, their drive calibrated. Errors are
those of orthogonal readouts with the best of all penalties: a Gram matrix would hide what weakly
nonlinear networks know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._validation import Floats
from ..driving import drive_into
from ..readout import Sample, Triangle
from ..readout.loo import SCANNED_DECADES, Penalties
from ..readout.triangle import GrowingTriangle
from ..selection.calibration import Point
from ..selection.engine import ranked_trials, try_all
from ..selection.plan import Candidate, Kind, Plan
from ..series.scaling import Scaler
from .features import FeatureMap


@dataclass(frozen=True)
class RegressionDefaults:
    """The numbers of the search, chosen on the development half of benchmarks/targets.

    rows: by which a network is chosen; a stream waits for them, a fit looks at no more. series: by
    which it is chosen where each of them is long. screen_units, screen_rows, window: all candidates
    are compared with so small a network, on windows of the series with so many rows together.
    units, finalists: the best so many are compared with so many units on all rows. worse: no
    candidate is among them whose error is so many times the least. gains: an orthogonal readout
    must lower the error to this share of that which a Gram matrix can find, because it takes two to
    three times as long.
    """

    rows: int = 5000
    series: int = 20
    screen_units: int = 100
    screen_rows: int = 500
    window: int = 500
    units: int = 300
    finalists: int = 3
    worse: float = 2.0
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
    ) -> RegressionTrial:
        """By the best of all penalties, in large steps, or by a penalty per row."""
        tried = Penalties(*learned)
        if penalty is None:
            decade: float = tried.best_of_every(SCANNED_DECADES)
        else:
            decade = tried.decade_of(penalty * learned[0].count)
        error = tried.error(decade)
        precise = error < REGRESSION_DEFAULTS.gains * tried.resolved()
        return RegressionTrial(candidate, point, {decade: -error}, precise)

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
            {**one.candidate.settings, "error": one.error, "all_rows": complete}
            for complete, one in tried
        ]


@dataclass(frozen=True, eq=False)
class RegressionSearch:
    """The search for some series and their targets.

    washout_of: rows left out for an exponent and so many rows; accumulate: the triangle of all
    series for a feature map, and a sample of rows that can be left out; penalty: one that is given,
    per row.
    """

    plan: Plan
    scaler: Scaler
    series: Sequence[Floats]
    targets: Sequence[Floats]
    washout_of: Callable[[float, int], int]
    accumulate: Callable[[FeatureMap], tuple[Triangle, Sample]]
    penalty: float | None = None

    def best(self, found: list[Candidate]) -> RegressionChoice:
        """The candidate with the least error."""
        use, size = REGRESSION_DEFAULTS, self.plan.units
        screened = self._screened(found, min(size, use.screen_units))
        medium = replace(self, plan=self.plan.with_units(min(size, use.units)))
        signal = self.scaler.forward(np.vstack(self.series))
        finalists: list[RegressionTrial] = []
        for one in screened:
            if len(finalists) == use.finalists or one.error > use.worse * screened[0].error:
                break
            finalists += try_all(lambda one: medium._trial(signal, one), [one])
        if not finalists:  # there is only one memory, out of reach: the caller says so
            return RegressionChoice(found[0])
        best = ranked_trials(finalists)[0]
        return RegressionChoice(best.candidate, best.point, best.precise, screened, finalists)

    def _trial(self, signal: Floats, screened: RegressionTrial) -> RegressionTrial | None:
        """The candidate, compared on all rows; None where its memory is out of reach."""
        candidate = screened.candidate
        calibrated = self.plan.at(candidate.kind).search(signal, candidate, near=screened.point)
        if calibrated is None:
            return None
        washout = self.washout_of(calibrated.exponent, len(signal))
        learned = self.accumulate(FeatureMap(self.scaler, calibrated.reservoir, washout))
        return RegressionTrial.of(candidate, calibrated.point, learned, self.penalty)

    def _screened(self, found: Sequence[Candidate], units: int) -> list[RegressionTrial]:
        """The candidates in the order of their errors on few rows.

        But few rows speak against long memories, so the best candidate is followed by the one with
        the next longer memory.
        """
        use = REGRESSION_DEFAULTS
        windows = [self.scaler.forward(one) for one in _windows(self.series, use.screen_rows)]
        wanted = _windows(self.targets, use.screen_rows)
        states = np.empty((max(len(x) for x in windows), units))
        plans = plans_of(self.plan.with_units(units), found)

        def screen(candidate: Candidate) -> RegressionTrial | None:
            plan = plans[candidate.kind]
            point = plan.guess(candidate)
            if point is None:
                return None
            network = plan.at_strength(windows[0].shape[1], candidate)(np.exp(point.place))
            washout = self.washout_of(point.exponent, use.screen_rows)
            grown = GrowingTriangle.empty(units, wanted[0].shape[1])
            sample = Sample.empty(units, wanted[0].shape[1])
            for x, y in zip(windows, wanted, strict=True):
                skip = min(washout, len(x) // 4)
                driven = drive_into(network, x, states[: len(x)])[skip:]
                grown.take(driven, y[skip:])
                sample = sample.taking(driven, y[skip:])
            return RegressionTrial.of(candidate, point, (grown.moments, sample), self.penalty)

        trials = ranked_trials(try_all(screen, found))
        if not trials:
            return []
        best, *others = trials
        longer = [
            one.candidate.memory
            for one in others
            if replace(one.candidate, memory=best.candidate.memory) == best.candidate
            and one.candidate.memory > best.candidate.memory
        ]
        second = replace(best.candidate, memory=min(longer, default=best.candidate.memory))
        return [best, *sorted(others, key=lambda one: one.candidate != second)]


def plans_of(plan: Plan, found: Sequence[Candidate]) -> dict[Kind | None, Plan]:
    """A plan for each kind of network among candidates."""
    return {kind: plan.at(kind) for kind in dict.fromkeys(one.kind for one in found)}


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
