"""How far a forecast may be wrong: quantiles of the panel's own errors, by step and roughness.

Errors are counted in cells that are finer near zero, in units of the window; counts of blocks are
added. Errors of the rows that were learned from give their form, and errors out of time give how
much wider they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._validation import Floats
from .defaults import PANEL_DEFAULTS
from .pool import Pool, no_record
from .windows import Places, Units, Windows
from .workers import Parts

CELLS, FINEST, FARTHEST = 400, 1e-3, 60.0  # cells of errors; units at which they become coarser
WIDENED = tuple(0.5 * 1.05**k for k in range(50))  # factors that are tried, up to 5.5
CALIBRATED = 0.9  # the level whose coverage decides about the factor
ROUGHNESS_CELLS, ROUGHEST = 64, 4.0  # of which the edges of bins are some


def _cell(errors: Floats) -> Places:
    """The cell of each error, from 0 to 2 CELLS - 1."""
    size = np.log1p(np.abs(errors) / FINEST) / np.log1p(FARTHEST / FINEST)
    place = np.minimum((CELLS * size).astype(np.int64), CELLS - 1)
    return np.asarray(np.where(errors < 0.0, CELLS - 1 - place, CELLS + place))


def _edges() -> Floats:
    """The 2 CELLS + 1 ends of the cells."""
    ends = FINEST * np.expm1(np.linspace(0.0, 1.0, CELLS + 1) * np.log1p(FARTHEST / FINEST))
    return np.concatenate([-ends[:0:-1], ends])


def measures_of(windows: Windows, season: int) -> tuple[Floats, Floats]:
    """The scale (N,) of each window, and how rough it is: |changes| over a season, in scales."""
    scale = Units.of(windows.past, season, False, windows.offset).scale[:, 0]
    if season >= windows.past.shape[1]:
        return scale, np.zeros(len(scale))
    changes = np.abs(windows.past[:, season:] - windows.past[:, :-season]).mean(axis=1)
    return scale, np.asarray(changes / scale)


@dataclass(frozen=True, eq=False)
class Spread:
    """Quantiles of errors: counts (B, H, cells) by bins of roughness, whose inner edges (B - 1,)
    are given, and by steps; factor: how much wider they are than these; persistence: how errors of
    neighbouring steps belong together.
    """

    edges: Floats
    counts: Floats
    factor: float = 1.0
    persistence: float = 0.0

    def quantiles(self, share: float) -> Floats:
        """The quantile (B, H) of errors in units of windows."""
        heights = np.cumsum(self.counts, axis=2)
        heights = np.concatenate([np.zeros((*heights.shape[:2], 1)), heights], axis=2)
        wanted = share * heights[:, :, -1:]
        upper = np.clip((heights < wanted).sum(axis=2), 1, heights.shape[2] - 1)[:, :, None]
        low, high = (np.take_along_axis(heights, upper - back, axis=2) for back in (1, 0))
        ends = _edges()
        part = np.clip((wanted - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
        found = ends[upper - 1] + part * (ends[upper] - ends[upper - 1])
        return np.asarray(self.factor * found[:, :, 0])

    def bins(self, rough: Floats) -> Places:
        """The bin of each window."""
        return np.searchsorted(self.edges, rough)


def roughness(windows: Windows, season: int) -> Floats:
    """How many windows have which roughness."""
    rough = measures_of(windows, season)[1]
    place = np.minimum(rough / ROUGHEST * ROUGHNESS_CELLS, ROUGHNESS_CELLS - 1).astype(np.int64)
    return np.bincount(place, minlength=ROUGHNESS_CELLS).astype(np.float64)


def errors_in(windows: Windows, pool: Pool) -> tuple[Floats, Floats]:
    """The errors (N, H) of the pool in units of windows, and how rough these are."""
    own = no_record(pool, len(windows.past))
    scale, rough = measures_of(windows, pool.plan.season)
    return (windows.target - pool.forecast(windows, own)) / scale[:, None], rough


def counted(windows: Windows, pool: Pool, edges: Floats) -> Floats:
    """Counts (B, H, cells) of errors."""
    errors, rough = errors_in(windows, pool)
    steps = errors.shape[1]
    bins = np.searchsorted(edges, rough)[:, None]
    place = (bins * steps + np.arange(steps)[None]) * 2 * CELLS + _cell(errors)
    size = (len(edges) + 1) * steps * 2 * CELLS
    return np.bincount(place.ravel(), minlength=size).reshape(-1, steps, 2 * CELLS).astype(float)


def covered(judged: list[Windows], pool: Pool, spread: Spread) -> Floats:
    """How many errors lie within the interval for each factor, how many there are, and the sums of
    products of neighbouring errors and of squares.
    """
    low, high = (spread.quantiles(0.5 + sign * 0.5 * CALIBRATED) for sign in (-1, 1))
    found = np.zeros(len(WIDENED) + 3)
    for windows in judged:
        errors, rough = errors_in(windows, pool)
        bins = spread.bins(rough)
        for place, factor in enumerate(WIDENED):
            inside = (errors >= factor * low[bins]) & (errors <= factor * high[bins])
            found[place] += inside.sum()
        bounded = np.clip(errors, -PANEL_DEFAULTS.limit, PANEL_DEFAULTS.limit)
        found[-3] += errors.size
        found[-2] += (bounded[:, 1:] * bounded[:, :-1]).sum()
        found[-1] += np.square(bounded[:, 1:]).sum()
    return found


def spread_of(trained: Parts, judged: Parts, pool: Pool) -> Spread:
    """The spread of a pool that was learned from windows and is judged on later ones."""
    rough = np.cumsum(trained.total(roughness, pool.plan.season))
    count = int(np.clip(rough[-1] // PANEL_DEFAULTS.least_per_bin, 1, PANEL_DEFAULTS.bins))
    places = np.searchsorted(rough, rough[-1] * np.arange(1, count) / count)
    edges = np.unique((places + 1.0) * ROUGHEST / ROUGHNESS_CELLS)
    first = Spread(edges, trained.total(counted, pool, edges))
    sums = judged.total(covered, pool, first)
    rates = sums[:-3] / sums[-3]
    enough = np.flatnonzero(rates >= CALIBRATED)
    factor = WIDENED[int(enough[0]) if len(enough) else -1]
    persistence = float(np.clip(sums[-2] / sums[-1], 0.0, 0.99)) if sums[-1] > 0.0 else 0.0
    return Spread(edges, first.counts, factor, persistence)
