"""Choosing a network for regression by the errors of rows left out.

All candidates are compared on few rows and with approximate memories, the best of them on all rows.
A network of at most `units` units stands in for a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._validation import Floats
from ..driving import drive_into
from ..readout import Gram, Sample
from ..readout.gram import Sums
from ..readout.loo import FIRST_DECADE, screen_penalty, search_decades
from ..selection.calibration import Point
from ..selection.engine import ranked_trials, try_all
from ..selection.plan import Candidate, Plan
from ..series.scaling import Scaler
from .features import FeatureMap


@dataclass(frozen=True)
class RegressionDefaults:
    """The numbers of the search.

    rows: by which a network is chosen; a stream waits for them, a fit looks at no more. series: by
    which it is chosen where each of them is long. units: a smaller network stands in for a large
    one. window, screen_rows, rows_per_unit: all candidates are compared on windows of the series
    with so many rows together. worse: times the least error on these rows; candidates below it are
    compared on all rows. screen_decade: few rows of a smooth series seem to bear smaller penalties
    than all rows do. few_units, fewest, finalists: how many are compared on all rows; for a small
    network they cost more than its fit. precise: smaller errors are those of rows left out, and
    more candidates are compared by them, because sums, and few rows, say little about them.
    """

    rows: int = 5000
    series: int = 20
    units: int = 300
    window: int = 500
    screen_rows: int = 500
    rows_per_unit: int = 5
    worse: float = 2.0
    screen_decade: int = -11
    few_units: int = 200
    fewest: int = 2
    finalists: int = 4
    precise: float = 0.01


REGRESSION_DEFAULTS = RegressionDefaults()


@dataclass(frozen=True, eq=False)
class RegressionTrial:
    """A candidate, a point near its calibration, and minus its error by the penalty's decade."""

    candidate: Candidate
    point: Point | None
    scores: dict[int, float]


@dataclass(frozen=True, eq=False)
class RegressionSearch:
    """The search for some series and their targets.

    washout_of: rows left out for an exponent and so many rows; accumulate: the sums of all series
    for a feature map, with or without a sample of rows that can be left out.
    """

    plan: Plan
    scaler: Scaler
    series: Sequence[Floats]
    targets: Sequence[Floats]
    washout_of: Callable[[float, int], int]
    accumulate: Callable[[FeatureMap, bool], tuple[Gram, Sample]]

    def best(self, found: list[Candidate]) -> tuple[Candidate, Point | None]:
        """The candidate with the least error, and a point near its calibration."""
        small = replace(
            self, plan=self.plan.with_units(min(self.plan.units, REGRESSION_DEFAULTS.units))
        )
        signal = self.scaler.forward(np.vstack(self.series))
        screened = small._screened(small.plan.approximate(signal, found))
        least = -max(score for one in screened for score in one.scores.values())
        precise = least < REGRESSION_DEFAULTS.precise
        few = small.plan.units < REGRESSION_DEFAULTS.few_units and not precise
        trials: list[RegressionTrial] = []
        for one in screened:
            (score,) = one.scores.values()
            enough = len(trials) == (
                REGRESSION_DEFAULTS.fewest if few else REGRESSION_DEFAULTS.finalists
            )
            if enough or (len(trials) > 1 and -score > REGRESSION_DEFAULTS.worse * least):
                break
            trials += try_all(lambda one: small._trial(signal, one, precise), [one])
        if not trials:  # there is only one memory, out of reach: the caller says so
            return found[0], None
        best = ranked_trials(trials)[0]
        return best.candidate, best.point

    def _trial(
        self, signal: Floats, screened: RegressionTrial, precise: bool
    ) -> RegressionTrial | None:
        """The candidate, compared on all rows; None where its memory is out of reach."""
        candidate, (decade,) = screened.candidate, screened.scores
        calibrated = self.plan.search(signal, candidate, near=screened.point)
        if calibrated is None:
            return None
        washout = self.washout_of(calibrated.exponent, len(signal))
        gram, sample = self.accumulate(
            FeatureMap(self.scaler, calibrated.reservoir, washout), precise
        )
        if precise:
            error = search_decades(gram, sample, decade, (1,))[1]
        else:
            error = screen_penalty(gram, decade, 1)[1]
        return RegressionTrial(candidate, calibrated.point, {decade: -error})

    def _screened(self, points: dict[Candidate, Point]) -> list[RegressionTrial]:
        """The candidates with the decades of their penalties and their errors on few rows.

        They come in the order of their errors. But few rows speak against long memories, so the
        best candidate is followed by the one with the next longer memory.
        """
        rows = max(
            REGRESSION_DEFAULTS.screen_rows, REGRESSION_DEFAULTS.rows_per_unit * self.plan.units
        )
        windows = [self.scaler.forward(one) for one in _windows(self.series, rows)]
        wanted = _windows(self.targets, rows)
        states = np.empty((max(len(x) for x in windows), self.plan.units))
        networks = self.plan.networks(points, windows[0].shape[1])

        def screen(candidate: Candidate) -> RegressionTrial:
            washout = self.washout_of(points[candidate].exponent, rows)
            sums = Sums.empty(self.plan.units, wanted[0].shape[1])
            for x, y in zip(windows, wanted, strict=True):
                skip = min(washout, len(x) // 4)
                driven = drive_into(networks[candidate], x, states[: len(x)])
                sums.take(driven[skip:], y[skip:])
            decade, error = screen_penalty(
                sums.moments, FIRST_DECADE, 3, REGRESSION_DEFAULTS.screen_decade
            )
            return RegressionTrial(candidate, points[candidate], {decade: -error})

        best, *others = ranked_trials(try_all(screen, list(networks)))
        longer = [
            one.candidate.memory for one in others if one.candidate.memory > best.candidate.memory
        ]
        second = replace(best.candidate, memory=min(longer, default=best.candidate.memory))
        return [best, *sorted(others, key=lambda one: one.candidate != second)]


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
