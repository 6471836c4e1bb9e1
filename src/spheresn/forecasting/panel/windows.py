"""Windows of many series: the last rows before an origin, and those that follow, in units of the
window itself, so that large and small series teach the same readout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..._validation import Floats
from .defaults import PANEL_DEFAULTS

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Block:
    """Series below one another: some of a panel, or all.

    keys (n,): a number for each series, the same wherever it stands; values (R,); starts (n + 1,):
    series i has the rows from starts[i] to starts[i + 1]; places (n,): of its first row in the
    calendar; known (R, e) and ahead (n, A, e): columns whose future is known, beside the rows and
    after them; static (n, s): of each series; offsets (n,): what logarithms add.
    """

    keys: NDArray[np.uint64]
    values: Floats
    starts: Places
    places: Places
    known: Floats
    ahead: Floats
    static: Floats
    offsets: Floats

    @staticmethod
    def of(
        keys: NDArray[np.uint64],
        values: Floats,
        starts: Places,
        places: Places,
        known: Floats,
        ahead: Floats,
        static: Floats,
    ) -> Block:
        """A block, with the offsets that follow from its values."""
        return Block(keys, values, starts, places, known, ahead, static, offsets_of(values, starts))

    @property
    def count(self) -> int:
        """How many series there are."""
        return len(self.keys)

    @property
    def lengths(self) -> Places:
        """The rows of each series."""
        return np.diff(self.starts)

    def part(self, first: int, last: int) -> Block:
        """The series from `first` to before `last`."""
        rows = slice(int(self.starts[first]), int(self.starts[last]))
        return Block(
            self.keys[first:last],
            self.values[rows],
            self.starts[first : last + 1] - self.starts[first],
            self.places[first:last],
            self.known[rows],
            self.ahead[first:last],
            self.static[first:last],
            self.offsets[first:last],
        )

    def taken(self, which: Places) -> Block:
        """Some of the series, in the order of these numbers."""
        counts = self.lengths[which]
        rows = _ranges(self.starts[which], counts)
        return Block(
            self.keys[which],
            self.values[rows],
            np.concatenate([[0], np.cumsum(counts)]),
            self.places[which],
            self.known[rows],
            self.ahead[which],
            self.static[which],
            self.offsets[which],
        )

    def shortened(self, rows: int) -> Block:
        """The series without their last rows, which become known ahead."""
        kept = self.lengths - rows
        starts = np.concatenate([[0], np.cumsum(kept)])
        within = _ranges(self.starts[:-1], kept)
        after = self.starts[1:, None] - rows + np.arange(rows)[None]
        ahead = np.concatenate([self.known[after], self.ahead], axis=1)
        return replace(
            self,
            values=self.values[within],
            starts=starts,
            known=self.known[within],
            ahead=ahead,
        )


def offsets_of(values: Floats, starts: Places) -> Floats:
    """What logarithms add to the values of each series (n,): nothing, or where there are zeros a
    low quantile of what is positive; one for a series of zeros.

    >>> offsets_of(np.array([0.0, 20.0, 3.0, 0.0]), np.array([0, 2, 3, 4])).tolist()
    [20.0, 0.0, 1.0]
    """
    lengths = np.diff(starts)
    series = np.repeat(np.arange(len(lengths)), lengths)
    positive = values > 0.0
    counts = np.bincount(series[positive], minlength=len(lengths))
    found = np.where(counts == lengths, 0.0, 1.0)
    lacking = (counts < lengths) & (counts > 0)
    chosen = positive & lacking[series]
    ordered = values[chosen][np.lexsort((values[chosen], series[chosen]))]
    kept = counts[lacking]
    place = np.cumsum(kept) - kept + (PANEL_DEFAULTS.offset * (kept - 1)).astype(np.int64)
    found[lacking] = ordered[place]
    return found


def _ranges(starts: Places, counts: Places) -> Places:
    """The numbers starts[i], ..., starts[i] + counts[i] - 1, one range after another.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(counts) - counts
    return np.asarray(np.repeat(starts - before, counts) + np.arange(counts.sum()))


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows (N,) of a block. series (N,): which one; past (N, L): the rows before the origin;
    target (N, H): those after it, NaN where the series has ended; phase (N,): the place of the
    origin in the calendar; known (N, L + H, e): the known columns of both; static (N, s); offset
    (N,): what logarithms add.
    """

    series: Places
    past: Floats
    target: Floats
    phase: Places
    known: Floats
    static: Floats
    offset: Floats

    def taken(self, which: NDArray[np.bool_] | Places | slice) -> Windows:
        """Some of the windows."""
        return Windows(
            self.series[which],
            self.past[which],
            self.target[which],
            self.phase[which],
            self.known[which],
            self.static[which],
            self.offset[which],
        )


def windows_at(
    block: Block, series: Places, origins: Places, length: int, steps: int, season: int
) -> Windows:
    """The windows before these origins (N,), which count from the first row of each series.

    Where a series has fewer rows before the origin, those of its first season stand in, so that
    the phase stays right.

    >>> rows = Block.of(np.zeros(1, np.uint64), np.arange(6.0), np.array([0, 6]), np.zeros(1, int),
    ...     np.zeros((6, 0)), np.zeros((1, 0, 0)), np.zeros((1, 0)))
    >>> found = windows_at(rows, np.array([0]), np.array([4]), 5, 3, 2)
    >>> found.past.tolist(), found.target.tolist()
    ([[1.0, 0.0, 1.0, 2.0, 3.0]], [[4.0, 5.0, nan]])
    """
    begin, rows = block.starts[series], block.lengths[series]
    back = origins[:, None] + np.arange(-length, 0)[None]
    short = -(np.minimum(back, 0) // season) * season  # whole seasons that are lacking
    within = np.minimum(back + short, origins[:, None] - 1)
    past = block.values[begin[:, None] + within]
    coming = origins[:, None] + np.arange(steps)[None]
    exists = coming < rows[:, None]
    last = len(block.values) - 1
    target = block.values[np.minimum(begin[:, None] + coming, last)]
    target = np.where(exists, target, np.nan)
    known = _known_of(block, series, begin, rows, within, coming)
    phase = block.places[series] + origins
    return Windows(series, past, target, phase, known, block.static[series], block.offsets[series])


def _known_of(
    block: Block, series: Places, begin: Places, rows: Places, within: Places, coming: Places
) -> Floats:
    columns = block.known.shape[1]
    if not columns:
        return np.zeros((len(series), within.shape[1] + coming.shape[1], 0))
    before = block.known[begin[:, None] + within]
    last = len(block.known) - 1
    inside = block.known[np.minimum(begin[:, None] + coming, last)]
    reach = block.ahead.shape[1]
    if reach:
        beyond = np.clip(coming - rows[:, None], 0, reach - 1)
        after = block.ahead[series[:, None], beyond]
        inside = np.where((coming < rows[:, None])[:, :, None], inside, after)
    return np.concatenate([before, inside], axis=1)


def last_windows(block: Block, length: int, steps: int, season: int, back: int = 0) -> Windows:
    """The windows before the end of each series, or `back` rows before it."""
    series = np.arange(block.count)
    return windows_at(block, series, block.lengths - back, length, steps, season)


def sampled_windows(
    block: Block, length: int, steps: int, season: int, share: float, least: int
) -> Windows:
    """A share of all windows whose target lies in the series, the same wherever a series stands.

    least: rows before the first origin of a series.
    """
    counts = np.maximum(block.lengths - steps - least + 1, 0)
    series = np.repeat(np.arange(block.count), counts)
    origins = _ranges(np.full(block.count, least), counts)
    if share < 1.0:
        drawn = _mixed(block.keys[series] + origins.astype(np.uint64))
        kept = drawn < np.uint64(share * 2.0**63)
        series, origins = series[kept], origins[kept]
    return windows_at(block, series, origins, length, steps, season)


def count_windows(block: Block, steps: int, least: int) -> int:
    """How many windows have their target in the series."""
    return int(np.maximum(block.lengths - steps - least + 1, 0).sum())


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers below 2^63 that look random, each from one number alone [STE14]."""
    with np.errstate(over="ignore"):
        found = numbers * np.uint64(0x9E3779B97F4A7C15)
        found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return (found ^ (found >> np.uint64(31))) >> np.uint64(1)


@dataclass(frozen=True, eq=False)
class Units:
    """Where each window lies and how large it is: x = (y - base) / scale, with (N, 1) each."""

    base: Floats
    scale: Floats

    @staticmethod
    def of(past: Floats, season: int, relative: bool, otherwise: Floats) -> Units:
        """The mean of the last season, and the mean distance from it; a share of the size is added,
        or of one where differences are `relative`, as those of logarithms. A window of zeros has
        the scale `otherwise` (N,), if that is positive.
        """
        base = past[:, -season:].mean(axis=1, keepdims=True)
        small = PANEL_DEFAULTS.least_spread
        size = np.abs(past).mean(axis=1, keepdims=True)
        spread = np.abs(past - base).mean(axis=1, keepdims=True)
        scale = spread + (small if relative else small * size)
        instead = np.where(otherwise > 0.0, otherwise, 1.0)[:, None]
        return Units(base, np.where(scale > 0.0, scale, instead))

    def forward(self, rows: Floats) -> Floats:
        """In units of the window, within limits."""
        limit = PANEL_DEFAULTS.limit
        return np.clip((rows - self.base) / self.scale, -limit, limit)

    def backward(self, rows: Floats) -> Floats:
        """In the units of the series."""
        return np.asarray(self.base + self.scale * rows)
