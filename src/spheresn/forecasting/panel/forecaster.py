"""Forecasts of many related series by one model for all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from ..._errors import BadInput
from ..._running import Progress, all_or_nothing
from ..._validation import Floats, whole
from ...estimators.outcomes import levels_of
from ...series.calendar import Calendar
from ...series.form import SeriesForm
from ..backtesting import INTERVAL_LEVEL
from ..seasons import given_seasons, is_confirmed, strongest_season, suggested_by
from .ahead import known_ahead
from .defaults import PANEL_DEFAULTS
from .evaluation import PanelBacktest, judge
from .frames import Names, PanelRows, going_on, read_panel
from .growth import appended
from .outcome import PanelForecast, PanelOutcomes, long_index
from .plan import Plan, Survey, calendar_features, plan_of
from .pool import Learned, Pool, forecast_block, learn_pool, no_record
from .saving import read_panel_file, write_panel
from .spread import Spread, measures_of, spread_of
from .windows import Block
from .workers import LocalParts

Report = Callable[[str], None]


class PanelForecaster(BaseEstimator):  # type: ignore[misc]
    """One model for thousands of related series: shops, sensors, countries.

    Readouts for every step ahead learn from windows of all series, each in units of itself: of
    values and of logarithms, with and without small networks that the window drives, by least
    absolute deviations and by least squares. They and some simple forecasts are judged out of time
    on the whole panel; the forecast is their weighted median.

    season: rows of a season; None for none; "auto" takes one that the times suggest and the series
    confirm. horizon: steps ahead, by default two seasons, or 6 without one.

    Learned: weights_ (how much each member counts for an ordinary series of the panel), scores_
    (its error out of time, relative to what is usual), season_, horizon_, ids_, notes_.

    >>> import pandas as pd
    >>> months = pd.date_range("2015-01-01", periods=72, freq="MS")
    >>> wave = np.tile(np.sin(np.arange(12)), 6)
    >>> parts = [pd.DataFrame({"unique_id": f"shop {k}", "ds": months, "y": 50 + k * (3 + wave)})
    ...     for k in range(1, 9)]
    >>> model = PanelForecaster(horizon=12).fit(pd.concat(parts))
    >>> table = model.forecast(12).to_frame()
    >>> list(table.columns), len(table)
    (['unique_id', 'ds', 'mean', 'lower', 'upper'], 96)
    >>> bool(np.abs(table["mean"][:12] - (53 + wave[:12])).max() < 1e-3)
    True
    """

    def __init__(
        self,
        season: Any = "auto",
        *,
        horizon: int | None = None,
        random_state: int = 0,
        verbose: bool = True,
    ) -> None:
        self.season = season
        self.horizon = horizon
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self,
        frame: Any,
        y: Any = None,
        *,
        id: str = "unique_id",
        time: str = "ds",
        target: str = "y",
        exogenous: Sequence[str] | str = (),
        static: Sequence[str] | str = (),
        report: Report | None = None,
    ) -> Self:
        """Learn from all series of a panel. `y` is not used.

        frame: a long data frame of pandas or polars with the columns `id`, `time` and `target`; or
        a wide one, each column of which is a series; or a dictionary of series. exogenous: columns
        of numbers or words whose future will be known; static: columns that are the same in all
        rows of a series. report: called with the name of each stage that begins.
        """
        names = Names(id, time, target, _several(exogenous), _several(static))
        rows, codes = read_panel(frame, names)
        short = rows.block.lengths < PANEL_DEFAULTS.least_rows
        if short.all():
            raise BadInput(
                f"frame must have a series of at least {PANEL_DEFAULTS.least_rows} rows, got "
                f"{int(rows.block.lengths.max())}; pass longer ones"
            )
        whole("random_state", self.random_state, 0)
        self._names, self._codes, self._rows = names, codes, rows
        self.notes_, self.ids_ = rows.notes, list(rows.labels)
        self.season_ = self._find_season(rows)
        self.horizon_ = self._find_horizon(rows)
        learned, spread = self._learn(self.horizon_, report)
        self._pool, self._spread = learned.pool, spread
        self._own = np.concatenate(learned.own.gathered(), axis=1)
        self._show()
        return self

    def forecast(
        self,
        steps: int | None = None,
        level: Any = INTERVAL_LEVEL,
        *,
        frame: Any = None,
        exogenous: Any = None,
    ) -> PanelForecast:
        """The next `steps` rows of every series after its own end, with intervals.

        level: of the intervals, .8 or 80, or several. frame: other series, which are forecast by
        what the panel taught, in place of those of the fit. exogenous: a frame with the known
        columns at the times that are forecast, for each series or, without ids, for all. For more
        steps than the horizon all is learned again, for this forecast alone; set `horizon` to learn
        once.
        """
        check_is_fitted(self, "weights_")
        count = self.horizon_ if steps is None else whole("steps", steps, 1)
        levels = levels_of(level)
        pool, spread, own = self._pool, self._spread, self._own
        if count > self.horizon_:
            learned, spread = self._learn(count, None)
            pool, own = learned.pool, np.concatenate(learned.own.gathered(), axis=1)
        rows = self._rows
        if frame is not None:
            rows = read_panel(frame, self._names, self._codes, self._rows)[0]
            own = no_record(pool, rows.block.count)
        ahead = known_ahead(exogenous, rows, self._names, self._codes[0], count, pool.plan.steps)
        return self._forecast(rows, ahead, own, pool, spread, count, levels)

    def predict(self, steps: int | None = None, exogenous: Any = None) -> Any:
        """The next `steps` rows without their intervals: `forecast(steps).mean`."""
        return self.forecast(steps, exogenous=exogenous).mean

    @all_or_nothing
    def update(self, frame: Any) -> Self:
        """Go on after more rows without learning again: readouts and weights stay. Series that were
        not in the fit are added, without a record of their own.
        """
        check_is_fitted(self, "weights_")
        more = read_panel(frame, self._names, self._codes, self._rows)[0]
        self._rows, kept = appended(self._rows, more)
        own = np.zeros((len(self._own), len(kept)))
        own[:, kept >= 0] = self._own[:, kept[kept >= 0]]
        self._own, self.ids_ = own, list(self._rows.labels)
        return self

    def backtest(self, steps: int | None = None) -> PanelBacktest:
        """How good the forecast of the last `steps` rows would have been: everything is learned
        again from the rows before them. The seasonal naive forecast is beside it.
        """
        check_is_fitted(self, "weights_")
        count = self.horizon_ if steps is None else whole("steps", steps, 1)
        block = self._rows.block
        longest = int(np.median(block.lengths)) // 3
        if count > longest:
            raise BadInput(
                f"steps must be at most {longest} for a backtest of series of "
                f"{int(np.median(block.lengths))} rows, got {count}; ask for fewer"
            )
        kept = block.lengths >= count + PANEL_DEFAULTS.least_rows
        part = self._rows.taken(np.flatnonzero(kept))
        before = replace(part, block=part.block.shortened(count))
        model = PanelForecaster(
            self.season_, horizon=count, random_state=self.random_state, verbose=False
        )
        model._names, model._codes, model._rows = self._names, self._codes, before
        model.season_, model.horizon_ = self.season_, count
        learned, spread = model._learn(count, None)
        own = np.concatenate(learned.own.gathered(), axis=1)
        ahead = before.block.ahead
        found = model._forecast(before, ahead, own, learned.pool, spread, count, (INTERVAL_LEVEL,))
        return judge(found, part, before, self.season_)

    def describe(self) -> str:
        """What the panel is, what the forecast is made of, and how good its members were."""
        check_is_fitted(self, "weights_")
        block, season = self._rows.block, self.season_
        naive = "seasonal naive" if season > 1 else "naive"
        errors = np.exp(self._pool.scores)
        ratio = float((self.weights_array_ @ errors) / errors[self._pool.names.index(naive)])
        parts = [f"{100 * share:.0f} % {name}" for name, share in self.weights_.items()]
        listed = "; ".join(parts[:4]) + (f"; and {len(parts) - 4} more" if len(parts) > 4 else "")
        said = f"a season of {season} rows" if season > 1 else "no season"
        return (
            f"{block.count} series of {int(block.lengths.min())} to {int(block.lengths.max())} "
            f"rows, with {said}, forecast {self.horizon_} steps ahead by one model. The forecast "
            f"is the weighted median of {listed}. In forecasts of rows that they had not seen, "
            f"these had on average {ratio:.2g} times the error of the {naive} method."
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rows and all that was learned to one file, whole or not at all."""
        check_is_fitted(self, "weights_")
        write_panel(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PanelForecaster:
        """The forecaster that `save` wrote; its forecasts are the same to the last bit."""
        model = cls()
        read_panel_file(model, path)
        model._show()
        return model

    def _show(self) -> None:
        pool = self._pool
        weights = pool.weights(no_record(pool, 1))[:, 0]
        order = np.argsort(-weights, kind="stable")
        self.weights_array_ = weights
        self.weights_ = {pool.names[k]: float(weights[k]) for k in order if weights[k] > 0.0}
        self.scores_ = dict(zip(pool.names, np.exp(pool.scores).tolist(), strict=True))

    def _find_season(self, rows: PanelRows) -> int:
        block = rows.block
        if self.season != "auto":
            given = given_seasons(self.season)
            longest = int(block.lengths.max()) // 2
            if given and given[0] > longest:
                raise BadInput(
                    f"season must be at most {longest}, half of the rows of the longest series, "
                    f"got {given[0]}; pass a shorter one"
                )
            return given[0] if given else 1
        every = Calendar(rows.times, rows.step, rows.times, np.arange(len(rows.times)))
        suggested = suggested_by(every)
        count = min(block.count, PANEL_DEFAULTS.sampled_series)
        which = np.unique(np.linspace(0, block.count - 1, count).astype(int))
        columns = [block.values[block.starts[one] : block.starts[one + 1]] for one in which]
        if suggested is None:
            found = [one for one in map(strongest_season, columns) if one is not None]
            usual = max(set(found), key=found.count) if found else 1
            return usual if found.count(usual) >= PANEL_DEFAULTS.agreeing * len(columns) else 1
        for season in suggested:
            confirmed = sum(is_confirmed(column, season) for column in columns)
            if confirmed >= PANEL_DEFAULTS.agreeing * len(columns):
                return int(season)
        return 1

    def _find_horizon(self, rows: PanelRows) -> int:
        usual = int(np.median(rows.block.lengths))
        longest = max((usual - 1) // 3, 1)
        if self.horizon is not None:
            asked = whole("horizon", self.horizon, 1)
            if asked > longest:
                raise BadInput(
                    f"horizon must be at most {longest} for series of {usual} rows, got {asked}; "
                    "ask for fewer"
                )
            return asked
        wanted = 2 * self.season_ if self.season_ > 1 else PANEL_DEFAULTS.steps
        return max(min(wanted, usual // 4), 1)

    def _plan(self, survey: Survey, steps: int) -> Plan:
        times = going_on(self._rows.times, self._rows.step, steps)
        features = calendar_features(times, self.season_)
        return plan_of(survey, self.season_, steps, features, self.random_state)

    def _learn(self, steps: int, report: Report | None) -> tuple[Learned, Spread]:
        block = self._rows.block
        usual = int(np.median(block.lengths))
        if steps > max((usual - 1) // 3, 1):
            raise BadInput(
                f"steps must be at most {max((usual - 1) // 3, 1)} for series of {usual} rows, got "
                f"{steps}; ask for fewer"
            )
        survey = Survey.of(block)
        plan = self._plan(survey, steps)
        enough = np.flatnonzero(block.lengths >= plan.held_out + 2)
        blocks = LocalParts(_in_blocks(self._rows.taken(enough).block))
        progress = Progress(self.verbose and report is None, "readout")
        progress.expect(2 * (7 if plan.positive else 3))
        try:
            with threadpool_limits(1):
                stage = report or (lambda name: progress.advance())
                learned = learn_pool(blocks, survey_of(blocks), plan, stage)
                spread = spread_of(learned.trained, learned.judged, learned.before)
        finally:
            progress.close()
        own = np.zeros((len(learned.pool.scores), block.count))
        own[:, enough] = np.concatenate(learned.own.gathered(), axis=1)
        return replace(learned, own=LocalParts([own])), spread

    def _forecast(
        self,
        rows: PanelRows,
        ahead: Floats,
        own: Floats,
        pool: Pool,
        spread: Spread,
        count: int,
        levels: tuple[float, ...],
    ) -> PanelForecast:
        block = replace(rows.block, ahead=ahead)
        times = going_on(rows.times, rows.step, pool.plan.steps)
        plan = replace(pool.plan, calendar=calendar_features(times, pool.plan.season))
        pool = replace(pool, plan=plan)
        means, scales, bins = [], [], []
        with threadpool_limits(1):
            for first in range(0, block.count, PANEL_DEFAULTS.block):
                last = min(first + PANEL_DEFAULTS.block, block.count)
                mean, windows = forecast_block(block.part(first, last), own[:, first:last], pool)
                scale, rough = measures_of(windows, plan.season)
                means.append(mean[:, :count])
                scales.append(scale)
                bins.append(spread.bins(rough))
        mean = np.concatenate(means)
        ends = block.places + block.lengths
        places = ends[:, None] + np.arange(count)[None]
        names = (self._names.id, self._names.time)
        index = long_index(rows.labels, times, places, names)
        outcomes = PanelOutcomes(
            mean, np.concatenate(scales), np.concatenate(bins), spread, plan.counts
        )
        form = SeriesForm(rows.library, ("mean",), True, None, len(index))
        low = 0.0 if plan.positive else -np.inf
        flat = mean.reshape(-1, 1)
        return PanelForecast(levels[0], index, form, flat, flat, outcomes, low, levels, names, rows)


def survey_of(blocks: LocalParts) -> Survey:
    """The survey of all blocks."""
    found: Survey = blocks.total(Survey.of)
    return found


def _in_blocks(block: Block) -> list[Block]:
    size = PANEL_DEFAULTS.block
    return [
        block.part(first, min(first + size, block.count)) for first in range(0, block.count, size)
    ]


def _several(columns: Sequence[str] | str) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns or ())
