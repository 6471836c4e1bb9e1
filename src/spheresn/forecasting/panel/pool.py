"""The pool: readouts of all series, their record on the panel, and the weighted median of members.

A member has the weight e^(-8 score). The score of a member for a series is the logarithm of its
error on the whole panel, out of time, and a quarter of how far the record of the series itself
differs from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._errors import BadInput
from ..._validation import Floats
from .defaults import PANEL_DEFAULTS, PENALTIES
from .members import Member, members_of, simple, simple_names
from .plan import Plan, Survey
from .readouts import Features, StepSums, least_deviations
from .windows import Block, Units, Windows, last_windows, sampled_windows
from .workers import Parts

Report = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Readouts:
    """Learned members: the weights (H, p) of each."""

    members: tuple[Member, ...]
    weights: tuple[Floats, ...]

    def forecasts(self, windows: Windows, plan: Plan) -> Floats:
        """What all members say (M, N, H), the simple ones last."""
        seen: dict[tuple[bool, bool], tuple[Features, Units]] = {}
        found = []
        for member, weights in zip(self.members, self.weights, strict=True):
            kind = member.logarithms, member.networks
            if kind not in seen:
                seen[kind] = member.seen(windows, plan)
            features, units = seen[kind]
            found.append(member.backward(features.applied(weights), units, windows.offset))
        return np.stack([*found, *simple(windows, plan).values()])


@dataclass(frozen=True, eq=False)
class Judged:
    """Errors of members on some series: the sum over series (M,) of the error relative to what is
    usual there, and how many series there were.
    """

    ratios: Floats
    count: int

    def __add__(self, other: Judged) -> Judged:
        return Judged(self.ratios + other.ratios, self.count + other.count)

    @property
    def scores(self) -> Floats:
        """The logarithm of the error of each member (M,)."""
        return np.asarray(np.log(self.ratios / self.count + PANEL_DEFAULTS.negligible))


@dataclass(frozen=True, eq=False)
class Learned:
    """What comes of a panel: the pool that forecasts, learned from all rows; the pool that was
    judged, learned from earlier ones; the windows that this was learned from and judged on; and the
    records of the series.
    """

    pool: Pool
    before: Pool
    trained: Parts
    judged: Parts
    own: Parts


@dataclass(frozen=True, eq=False)
class Pool:
    """A learned pool: its readouts, their scores (M,) on the panel, and its plan."""

    plan: Plan
    readouts: Readouts
    scores: Floats
    shares: tuple[float, ...]

    @property
    def names(self) -> list[str]:
        """The names of all members."""
        return [*(one.name for one in self.readouts.members), *simple_names(self.plan)]

    def weights(self, own: Floats) -> Floats:
        """The weights (M, n) for series with these records (M, n) of their own."""
        scores = self.scores[:, None] + PANEL_DEFAULTS.own * own
        above = scores - scores.min(axis=0)
        raw = np.where(above <= PANEL_DEFAULTS.cut, np.exp(-PANEL_DEFAULTS.sharpness * above), 0.0)
        return np.asarray(raw / raw.sum(axis=0))

    def forecast(self, windows: Windows, own: Floats) -> Floats:
        """The forecast (N, H) of windows of series with these records (M, N)."""
        found = self.readouts.forecasts(windows, self.plan)
        return combined(found, self.weights(own), self.plan)


def combined(forecasts: Floats, weights: Floats, plan: Plan) -> Floats:
    """One forecast (N, H) of many (M, N, H) by weights (M, N): their weighted median."""
    found = weighted_median(forecasts, weights)
    return np.asarray(np.maximum(found, 0.0) if plan.positive else found)


def weighted_median(values: Floats, weights: Floats) -> Floats:
    """The least value (N, H) up to which half of the weights (M, N) lie.

    >>> weighted_median(np.array([[[1.0]], [[5.0]], [[2.0]]]), np.array([[0.3], [0.3], [0.4]]))
    array([[2.]])
    """
    order = np.argsort(values, axis=0)
    heights = np.cumsum(np.take_along_axis(weights[:, :, None], order, axis=0), axis=0)
    middle = (heights >= 0.5 * heights[-1]).argmax(axis=0)[None]
    chosen = np.take_along_axis(order, middle, axis=0)
    return np.asarray(np.take_along_axis(values, chosen, axis=0)[0])


def training(block: Block, plan: Plan, share: float, held_out: int) -> Windows:
    """The windows of a block that readouts learn from."""
    part = block.shortened(held_out) if held_out else block
    return sampled_windows(part, plan.length, plan.steps, plan.season, share, plan.least)


def judging(block: Block, plan: Plan) -> list[Windows]:
    """The windows on which members are judged: those before the last origins of each series."""
    return [
        last_windows(block, plan.length, plan.steps, plan.season, plan.steps + back)
        for back in range(plan.origins)
    ]


def prepared(windows: Windows, member: Member, plan: Plan) -> tuple[Features, Floats]:
    """The features of windows and what is to be read out of them."""
    features, units = member.seen(windows, plan)
    return features, member.targets(windows, units)


def sums_of(part: tuple[Features, Floats], weights: Floats | None) -> StepSums:
    """The sums of a part, weighted by the errors of the weights."""
    return StepSums.weighted(*part, weights)


def errors_by_penalty(
    judged: list[Windows], member: Member, plan: Plan, readouts: Sequence[Floats]
) -> Floats:
    """The sum of |e| in units of the windows of several readouts."""
    found = np.zeros(len(readouts))
    reach = PANEL_DEFAULTS.reach
    for windows in judged:
        features, target = prepared(windows, member, plan)
        for place, weights in enumerate(readouts):
            read = np.clip(features.applied(weights), -reach, reach)
            found[place] += np.abs(read - target).sum()
    return found


def learn_readouts(
    trained: Parts, plan: Plan, shares: Sequence[float] | None, judged: Parts | None, report: Report
) -> tuple[Readouts, tuple[float, ...]]:
    """All readouts of a panel; their penalties are those given, or those with the least errors on
    the windows that are judged.
    """
    members = members_of(plan)
    weights, chosen = [], []
    parts: dict[tuple[bool, bool], Parts] = {}
    for place, member in enumerate(members):
        report(member.name)
        kind = member.logarithms, member.networks
        if kind not in parts:
            parts = {kind: trained.map(prepared, member, plan)}  # one kind is held at a time
        part = parts[kind]
        plain: StepSums = part.total(sums_of, None)
        if shares is None:
            assert judged is not None  # nothing else can choose
            several = [plain.solve(share) for share in PENALTIES]
            errors = judged.total(errors_by_penalty, member, plan, several)
            share = PENALTIES[int(np.argmin(errors))]
        else:
            share = shares[place]
        chosen.append(share)
        weights.append(_learned(part, plain, share, member))
    return Readouts(members, tuple(weights)), tuple(chosen)


def _learned(part: Parts, plain: StepSums, share: float, member: Member) -> Floats:
    def summed(weights: Floats | None) -> StepSums:
        return plain if weights is None else part.total(sums_of, weights)

    if not member.deviations:
        return plain.solve(share)
    return least_deviations(summed, share, PANEL_DEFAULTS.rounds)


def typical_changes(block: Block, plan: Plan) -> Floats:
    """The mean |change| (n,) over a season, and a share of the size, of the rows before those on
    which members are judged; a series in which nothing happened counts as one of its panel.
    """
    if not block.count:
        return np.zeros(0)
    part = block.shortened(plan.held_out)
    ends, season = part.starts, plan.season
    changes = np.zeros(len(part.values))
    changes[season:] = np.abs(part.values[season:] - part.values[:-season])
    place = np.arange(len(changes)) - np.repeat(ends[:-1], part.lengths)
    changes = np.where(place >= season, changes, 0.0)
    count = np.maximum(part.lengths - season, 1)
    size = np.add.reduceat(np.abs(part.values), ends[:-1]) / part.lengths
    found = np.add.reduceat(changes, ends[:-1]) / count + PANEL_DEFAULTS.least_spread * size
    usual = np.median(found[found > 0.0]) if (found > 0.0).any() else 1.0
    return np.asarray(np.where(found > 0.0, found, usual))


def own_errors(
    judged: list[Windows], block: Block, readouts: Readouts, plan: Plan
) -> tuple[Floats, Floats]:
    """The errors (M, n) of all members on each series, relative to what is usual there, and how
    far their logarithms differ from those of the panel's series.
    """
    every = [
        np.abs(readouts.forecasts(windows, plan) - windows.target).mean(axis=2)
        for windows in judged
    ]
    errors = np.mean(every, axis=0)
    usual = np.median(errors, axis=0) + PANEL_DEFAULTS.floor * typical_changes(block, plan)
    return errors / usual, np.asarray(np.log(errors / usual + PANEL_DEFAULTS.smallest_ratio))


def judged_of(record: tuple[Floats, Floats]) -> Judged:
    """The sums of the relative errors of a block."""
    return Judged(record[0].sum(axis=1), record[0].shape[1])


def log_sums(record: tuple[Floats, Floats]) -> Floats:
    """The sums of the logarithms of a block."""
    return np.asarray(record[1].sum(axis=1))


def own_of(record: tuple[Floats, Floats], mean: Floats) -> Floats:
    """How far the record (M, n) of each series differs from that of the panel."""
    away = record[1] - mean[:, None]
    return np.asarray(away - away.mean(axis=0))


def learn_pool(blocks: Parts, survey: Survey, plan: Plan, report: Report) -> Learned:
    """The readouts of early rows are judged by the last ones, and learned again from all."""
    held_out = plan.held_out
    early = _shorter(survey, held_out)
    shares = _share(early, plan), _share(survey, plan)
    trained = blocks.map(training, plan, shares[0], held_out)
    judged = blocks.map(judging, plan)
    first, penalties = learn_readouts(trained, plan, None, judged, report)
    records = judged.beside(blocks, own_errors, first, plan)
    total: Judged = records.total(judged_of)
    mean = records.total(log_sums) / total.count
    before = Pool(plan, first, total.scores, penalties)
    again = blocks.map(training, plan, shares[1], 0)
    last, _ = learn_readouts(again, plan, penalties, None, report)
    own = records.map(own_of, mean)
    return Learned(Pool(plan, last, total.scores, penalties), before, trained, judged, own)


def _shorter(survey: Survey, rows: int) -> Survey:
    lengths = tuple((length - rows, count) for length, count in survey.lengths)
    return Survey(lengths, survey.least, survey.whole, survey.zeros, survey.rows)


def _share(survey: Survey, plan: Plan) -> float:
    """The share of all windows that are learned from."""
    count = survey.windows(plan.steps, plan.least)
    if not count:
        raise BadInput(
            f"horizon must leave rows to learn from, got {plan.steps} steps for series of "
            f"{survey.usual} rows after {plan.held_out} were held out; ask for fewer"
        )
    return min(plan.windows / count, 1.0)


def no_record(pool: Pool, count: int) -> Floats:
    """The records (M, n) of series that have none."""
    return np.zeros((len(pool.scores), count))


def forecast_block(block: Block, own: Floats, pool: Pool) -> tuple[Floats, Any]:
    """The forecast (n, H) of all series of a block, and their windows."""
    plan = pool.plan
    windows = last_windows(block, plan.length, plan.steps, plan.season)
    return pool.forecast(windows, own), windows
