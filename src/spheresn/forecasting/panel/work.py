"""What is done with each block of a panel, wherever it is: votes, surveys, forecasts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._validation import Floats
from ...io import whole_file
from ...series.form import SeriesForm
from ..seasons import is_confirmed, strongest_season
from .defaults import PANEL_DEFAULTS
from .frames import Names, PanelRows, going_on
from .outcome import PanelForecast, PanelOutcomes, long_index
from .plan import Plan, Survey, calendar_features
from .pool import Pool, forecast_block, no_record
from .spread import Spread, measures_of
from .windows import Block

ASKED = "asked"  # the key of how many series were asked


def blocks_of(rows: PanelRows) -> list[PanelRows]:
    """The rows in blocks of so many series that memory does not matter."""
    size, count = PANEL_DEFAULTS.block, rows.block.count
    return [
        rows.taken(np.arange(first, min(first + size, count))) for first in range(0, count, size)
    ]


def itself(rows: PanelRows) -> PanelRows:
    """The rows, as a part that stays on a worker."""
    return rows


def survey_of(rows: PanelRows) -> Survey:
    """The survey of a block."""
    return Survey.of(rows.block)


def season_votes(rows: PanelRows, suggested: tuple[int, ...] | None, most: int) -> Counter[Any]:
    """How many of some series confirm each season; without suggestions, the season of each."""
    block = rows.block
    which = np.unique(np.linspace(0, block.count - 1, min(block.count, most)).astype(int))
    columns = [block.values[block.starts[one] : block.starts[one + 1]] for one in which]
    found: Counter[Any] = Counter({ASKED: len(columns)})
    for column in columns:
        if suggested is None:
            season = strongest_season(column)
            found.update([] if season is None else [season])
        else:
            found.update(season for season in suggested if is_confirmed(column, season))
    return found


def enough(rows: PanelRows, plan: Plan) -> NDArray[np.bool_]:
    """Which series have rows to learn from beside those on which members are judged."""
    return np.asarray(rows.block.lengths >= plan.held_out + 2)


def usable(rows: PanelRows, plan: Plan) -> Block:
    """The series of a block that are learned from."""
    return rows.taken(np.flatnonzero(enough(rows, plan))).block


def restored(own: Floats, rows: PanelRows, plan: Plan) -> Floats:
    """The records (M, n) of all series of a block; those that were too short have none."""
    found = np.zeros((len(own), rows.block.count))
    found[:, enough(rows, plan)] = own
    return found


def panel_forecast(
    rows: PanelRows,
    own: Floats,
    pool: Pool,
    spread: Spread,
    ahead: Floats,
    count: int,
    levels: tuple[float, ...],
    names: Names,
) -> PanelForecast:
    """The forecast of all series of a panel, `count` steps ahead."""
    block = replace(rows.block, ahead=ahead)
    times = going_on(rows.times, rows.step, pool.plan.steps)
    plan = replace(pool.plan, calendar=calendar_features(times, pool.plan.season))
    pool = replace(pool, plan=plan)
    means, scales, bins = [], [], []
    for first in range(0, block.count, PANEL_DEFAULTS.block):
        last = min(first + PANEL_DEFAULTS.block, block.count)
        mean, windows = forecast_block(block.part(first, last), own[:, first:last], pool)
        scale, rough = measures_of(windows, plan.season)
        means.append(mean[:, :count])
        scales.append(scale)
        bins.append(spread.bins(rough))
    mean = np.concatenate(means)
    places = (block.places + block.lengths)[:, None] + np.arange(count)[None]
    named = (names.id, names.time)
    index = long_index(rows.labels, times, places, named)
    scale, which = np.concatenate(scales), np.concatenate(bins)
    outcomes = PanelOutcomes(mean, scale, which, spread, plan.counts)
    form = SeriesForm(rows.library, ("mean",), True, None, len(index))
    low, flat = 0.0 if plan.positive else -np.inf, mean.reshape(-1, 1)
    return PanelForecast(levels[0], index, form, flat, flat, outcomes, low, levels, named, rows)


def written(
    part: tuple[PanelRows, Floats | None],
    pool: Pool,
    spread: Spread,
    count: int,
    levels: tuple[float, ...],
    names: Names,
    out: str,
) -> list[str]:
    """The name of the Parquet file with the forecasts of one block, which is written whole or not
    at all; a block that is written again replaces the same file.
    """
    rows, own = part
    record = no_record(pool, rows.block.count) if own is None else own
    ahead = np.zeros((rows.block.count, 0, 0))
    found = panel_forecast(rows, record, pool, spread, ahead, count, levels, names)
    name = f"forecast-{int(rows.block.keys.min()):020d}.parquet"
    with whole_file(Path(out) / name) as draft:
        found.to_frame().to_parquet(draft, index=False)
    return [name]


def beside_record(rows: PanelRows, own: Floats) -> tuple[PanelRows, Floats | None]:
    """The rows of a block and the records of its series."""
    return rows, own


def without_record(rows: PanelRows) -> tuple[PanelRows, Floats | None]:
    """The rows of a block whose series have no record."""
    return rows, None
