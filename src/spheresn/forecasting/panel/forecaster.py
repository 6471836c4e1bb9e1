"""Forecasts of many related series by one model for all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
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
from ..backtesting import INTERVAL_LEVEL
from ..seasons import given_seasons, suggested_by
from .ahead import known_ahead
from .defaults import PANEL_DEFAULTS
from .evaluation import PanelBacktest, judge
from .files import (
    Glance,
    codes_of,
    empty_rows,
    file_itself,
    files_in,
    glance_at,
    is_folder,
    moments_of,
    rows_in,
    standardised,
)
from .frames import Encoding, Names, PanelRows, going_on, read_panel
from .growth import appended
from .members import members_of
from .outcome import PanelForecast
from .plan import Survey, calendar_features, plan_of
from .pool import Learned, Pool, learn_pool, no_record
from .saving import read_panel_file, write_panel
from .spread import Spread, spread_of
from .work import (
    ASKED,
    beside_record,
    blocks_of,
    itself,
    panel_forecast,
    restored,
    season_votes,
    survey_of,
    usable,
    without_record,
    written,
)
from .workers import LazyParts, LocalParts, Parts, parts_of

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
        client: Any = None,
        report: Report | None = None,
    ) -> Self:
        """Learn from all series of a panel. `y` is not used.

        frame: a long data frame of pandas or polars with the columns `id`, `time` and `target`; or
        a wide one, each column of which is a series; or a dictionary of series; or the path of a
        folder of Parquet files, each with whole series, which are read one by one. exogenous:
        columns of numbers or words whose future will be known; static: columns that are the same in
        all rows of a series. client: a dask.distributed Client, on whose workers the panel is
        worked on, block by block. report: called with the name of each stage that begins.
        """
        names = Names(id, time, target, _several(exogenous), _several(static))
        whole("random_state", self.random_state, 0)
        if is_folder(frame):
            rows, codes, parts = self._read_files(frame, names, client)
        else:
            rows, codes = read_panel(frame, names)
            parts = parts_of([(itself, block) for block in blocks_of(rows)], client)
        self._names, self._codes, self._rows = names, codes, rows
        survey = parts.total(survey_of)
        longest = survey.lengths[-1][0]
        if longest < PANEL_DEFAULTS.least_rows:
            raise BadInput(
                f"frame must have a series of at least {PANEL_DEFAULTS.least_rows} rows, got "
                f"{longest}; pass longer ones"
            )
        self.notes_, self.ids_ = rows.notes, list(rows.labels)
        self.n_series_ = survey.count
        self.season_ = self._find_season(parts, longest)
        self.horizon_ = self._find_horizon(survey.usual)
        learned, spread = self._learn(parts, survey, self.horizon_, report)
        self._pool, self._spread, self._lengths = learned.pool, spread, survey.lengths
        self._parts = (parts, learned.own) if is_folder(frame) else None
        self._own = _no_records(learned.pool)
        if self._parts is None:
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
        if self._parts is not None and frame is None:
            raise BadInput(
                "forecast must write the forecasts of files to a folder, got none; call "
                "forecast_files(out)"
            )
        if count > self.horizon_:
            learned, spread = self._learn_here(count)
            pool, own = learned.pool, np.concatenate(learned.own.gathered(), axis=1)
        rows = self._rows
        if frame is not None:
            rows = read_panel(frame, self._names, self._codes, self._rows)[0]
            own = no_record(pool, rows.block.count)
        ahead = known_ahead(exogenous, rows, self._names, self._codes[0], count, pool.plan.steps)
        with threadpool_limits(1):
            return panel_forecast(rows, own, pool, spread, ahead, count, levels, self._names)

    def forecast_files(
        self,
        out: str | os.PathLike[str],
        steps: int | None = None,
        level: Any = INTERVAL_LEVEL,
        *,
        frame: str | os.PathLike[str] | None = None,
        client: Any = None,
    ) -> list[str]:
        """Write the forecasts of a folder of Parquet files as such files, block by block, on the
        workers of the client if there is one; returns their paths.

        frame: another folder than that of the fit, whose series have no record of their own. The
        files must have no known columns, and steps at most the horizon.
        """
        check_is_fitted(self, "weights_")
        count = self.horizon_ if steps is None else whole("steps", steps, 1)
        if count > self.horizon_ or self._names.known:
            what = "known columns" if self._names.known else f"{count} steps"
            raise BadInput(
                f"files must be forecast at most {self.horizon_} steps ahead and without known "
                f"columns, got {what}; set horizon, or pass data frames to forecast"
            )
        Path(out).mkdir(parents=True, exist_ok=True)
        if frame is not None:
            makers = [
                (rows_in, file, self._names, self._codes, self._rows) for file in files_in(frame)
            ]
            parts = parts_of(makers, client).map(without_record)
        elif self._parts is not None:
            parts = self._parts[0].beside(self._parts[1], beside_record)
        else:
            parts = LocalParts([(self._rows, self._own)])
        with threadpool_limits(1):
            names: list[str] = parts.total(
                written,
                self._pool,
                self._spread,
                count,
                levels_of(level),
                self._names,
                str(Path(out).resolve()),
            )
        return [str(Path(out) / name) for name in sorted(names)]

    def predict(self, steps: int | None = None, exogenous: Any = None) -> Any:
        """The next `steps` rows without their intervals: `forecast(steps).mean`."""
        return self.forecast(steps, exogenous=exogenous).mean

    @all_or_nothing
    def update(self, frame: Any) -> Self:
        """Go on after more rows without learning again: readouts and weights stay. Series that were
        not in the fit are added, without a record of their own.
        """
        self._needs_rows("update")
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
        self._needs_rows("backtest")
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
        learned, spread = model._learn_here(count)
        own = np.concatenate(learned.own.gathered(), axis=1)
        with threadpool_limits(1):
            found = panel_forecast(
                before,
                own,
                learned.pool,
                spread,
                before.block.ahead,
                count,
                (INTERVAL_LEVEL,),
                self._names,
            )
        return judge(found, part, before, self.season_)

    def describe(self) -> str:
        """What the panel is, what the forecast is made of, and how good its members were."""
        check_is_fitted(self, "weights_")
        season = self.season_
        naive = "seasonal naive" if season > 1 else "naive"
        errors = np.exp(self._pool.scores)
        ratio = float((self.weights_array_ @ errors) / errors[self._pool.names.index(naive)])
        parts = [f"{100 * share:.0f} % {name}" for name, share in self.weights_.items()]
        listed = "; ".join(parts[:4]) + (f"; and {len(parts) - 4} more" if len(parts) > 4 else "")
        said = f"a season of {season} rows" if season > 1 else "no season"
        return (
            f"{self.n_series_} series of {self._lengths[0][0]} to {self._lengths[-1][0]} "
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

    def _needs_rows(self, what: str) -> None:
        check_is_fitted(self, "weights_")
        if not self._rows.block.count:
            raise BadInput(
                f"{what} must have the rows of the panel in memory, got a panel of files; pass "
                "frame= to forecast or forecast_files instead"
            )

    def _read_files(
        self, folder: Any, names: Names, client: Any
    ) -> tuple[PanelRows, tuple[Encoding, Encoding], Parts]:
        """The calendar of a folder, how its columns become numbers, and its rows, file by file."""
        files = parts_of([(file_itself, file) for file in files_in(folder)], client)
        glance: Glance = files.total(glance_at, names)
        codes = codes_of(glance, names)
        codes = standardised(codes, files.total(moments_of, names, codes))
        rows = empty_rows(glance, names)
        if client is None:
            return rows, codes, LazyParts(files.gathered(), rows_in, names, codes, rows)
        return rows, codes, files.map(rows_in, names, codes, rows)

    def _find_season(self, parts: Parts, longest: int) -> int:
        if self.season != "auto":
            given = given_seasons(self.season)
            if given and given[0] > longest // 2:
                raise BadInput(
                    f"season must be at most {longest // 2}, half of the rows of the longest "
                    f"series, got {given[0]}; pass a shorter one"
                )
            return given[0] if given else 1
        times = self._rows.times
        suggested = suggested_by(Calendar(times, self._rows.step, times, np.arange(len(times))))
        votes = parts.total(season_votes, suggested, PANEL_DEFAULTS.sampled_series)
        needed = PANEL_DEFAULTS.agreeing * votes.pop(ASKED)
        likely = [one for one, count in votes.most_common() if count >= needed]
        if suggested is not None:
            likely = [season for season in suggested if season in likely]
        return int(likely[0]) if likely else 1

    def _find_horizon(self, usual: int) -> int:
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

    def _learn_here(self, steps: int) -> tuple[Learned, Spread]:
        """Learn for other steps from the rows in memory."""
        self._needs_rows_for(steps)
        parts = LocalParts(blocks_of(self._rows))
        return self._learn(parts, parts.total(survey_of), steps, None)

    def _needs_rows_for(self, steps: int) -> None:
        lengths = self._rows.block.lengths
        usual = int(np.median(lengths)) if len(lengths) else 0
        if steps > max((usual - 1) // 3, 1):
            raise BadInput(
                f"steps must be at most {max((usual - 1) // 3, 1)} for series of {usual} rows, got "
                f"{steps}; ask for fewer"
            )

    def _learn(
        self, parts: Parts, survey: Survey, steps: int, report: Report | None
    ) -> tuple[Learned, Spread]:
        times = going_on(self._rows.times, self._rows.step, steps)
        features = calendar_features(times, self.season_)
        plan = plan_of(survey, self.season_, steps, features, self.random_state)
        kept = survey.of_at_least(plan.held_out + 2)
        blocks = parts.then(usable, plan)
        progress = Progress(self.verbose and report is None, "readout")
        progress.expect(2 * len(members_of(plan)))
        try:
            with threadpool_limits(1):
                stage = report or (lambda name: progress.advance())
                learned = learn_pool(blocks, kept, plan, stage)
                spread = spread_of(learned.trained, learned.judged, learned.before)
                own = learned.own.beside(parts, restored, plan)
        finally:
            progress.close()
        return replace(learned, own=own), spread


def _no_records(pool: Pool) -> Floats:
    return no_record(pool, 0)


def _several(columns: Sequence[str] | str) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns or ())
