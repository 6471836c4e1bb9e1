"""Whether a long free run is still the system: its climate beside that of the series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..metrics import hellinger
from ..series.statistics import autocorrelations

# Of a series. Any four of the blocks and the other four are two halves of it: 35 pairs of halves,
# whose distances show what chance gives.
BLOCKS = 8
LEAST_BLOCK = 8  # rows; less has no spectrum
BINS = 32  # of the range of a column: they lower the distance of two normals by less than 1 %
JOINT_BINS = 12  # of each column of a pair: about as many rows for each as in 32 of one column
LONGEST_SEGMENT = 512  # rows of a periodogram: more would leave too few to average
DECORRELATED = 1.0 - np.exp(-1.0)  # autocorrelation at the delay of coordinates [ROS93]
# A run is of another climate where its distance is larger than three times what chance gives, but
# not below the first number, which a good model may have, and in any case above the second.
TIMES_CHANCE = 3.0
MARGINAL_LIMITS, JOINT_LIMITS, SPECTRUM_LIMITS = (0.05, 0.15), (0.1, 0.3), (0.1, 0.3)
TELLING = 0.4  # where chance alone gives as much, there is no verdict


@dataclass(frozen=True, eq=False)
class Distances:
    """Hellinger distances (g,) between a run and a series, from 0 (the same) to 1 (disjoint).

    chance (g,): the distance between two pieces of the series of these lengths, root mean square.
    most (g,): the largest of these. limit (g,): a larger distance is not due to chance.

    >>> series = np.random.default_rng(0).standard_normal((4000, 2))
    >>> found = climate(series[:2000], series[2000:]).marginal
    >>> bool((found.values < found.limit).all()), found.worst in (0, 1)
    (True, True)
    """

    values: Floats
    chance: Floats
    most: Floats
    limit: Floats

    @property
    def worst(self) -> int:
        """Where the distance is largest beside its limit."""
        return int(np.argmax(self.values / self.limit))


@dataclass(frozen=True, eq=False)
class Climate:
    """How far a run is from a series in what does not depend on time: histograms and spectra.

    marginal: of the histograms of the columns (d,). joint: of the histograms of all pairs of
    columns (p,); of a series of one column, of the pairs of values `delay` rows apart. spectrum: of
    the power spectra of the columns (d,), each divided by its sum.

    verdict: "same" (no further apart than pieces of the series itself), "close" (no further than
    three times what chance gives), "different", or "too short" (chance alone may give this much).
    reason: the largest distance in one sentence.

    >>> wave = np.sin(0.1 * np.arange(6000.0))
    >>> found = climate(np.zeros(2000), wave)
    >>> found.verdict, found.reason
    ('different', 'histogram of column 0: 0.93, where chance gives 0.01 and the limit is 0.05')
    """

    verdict: str
    reason: str
    marginal: Distances
    joint: Distances
    spectrum: Distances
    delay: int

    @property
    def excess(self) -> float:
        """The largest distance in units of its limit: above 1 the climate is another one."""
        parts = (self.marginal, self.joint, self.spectrum)
        return max(float((part.values / part.limit).max(initial=0.0)) for part in parts)


def climate(run: ArrayLike, series: ArrayLike) -> Climate:
    """The climate of a run (S, d) beside that of a series (T, d).

    H(p, q) = √(1 - Σ √(p_i q_i)), the Hellinger distance of two distributions, lies between 0 and
    1. What chance gives: the series is cut into eight blocks, and any four of these are compared
    with the other four; H² of independent pieces of a and b rows goes as 1/a + 1/b. None of it
    depends on the order of the columns, or on their units.

    To compare many runs with one series, use `Climatology.of(series).compare(run)`.

    >>> rng = np.random.default_rng(0)
    >>> series, other = rng.standard_normal((9000, 1)), rng.standard_normal((9000, 1))
    >>> climate(other, series).verdict, climate(1.0 + other, series).verdict
    ('same', 'different')
    >>> climate(1.0 + other, series).marginal.values.round(2)  # √(1 - exp(-1/8)) = .343
    array([0.35])
    """
    rows = _validation.table("run", run)
    return Climatology.of(series, len(rows)).compare(rows)


@dataclass(frozen=True, eq=False)
class Climatology:
    """The histograms and spectra of a series, so that many runs can be compared with it.

    low, width (d,): the range of its columns. delay: rows between the coordinates of one column, 0
    where there are several.
    segment: rows of a periodogram. blocks: the rows of each block (B, T/B, d).

    >>> series = np.random.default_rng(0).standard_normal((4000, 1))
    >>> Climatology.of(series).compare(series[:1000]).verdict
    'same'
    """

    low: Floats
    width: Floats
    delay: int
    segment: int
    blocks: Floats

    @staticmethod
    def of(series: ArrayLike, shortest_run: int = LONGEST_SEGMENT) -> Climatology:
        """From a series (T, d), for runs of at least so many rows."""
        rows = _validation.table("series", series)
        if rows.shape[1] < 1:
            raise BadInput("series must have a column, got none; pass (T, d)")
        _validation.at_least("series", len(rows), BLOCKS * LEAST_BLOCK, "to have a climate")
        _validation.at_least("run", shortest_run, LEAST_BLOCK, "to have a climate")
        low, high = rows.min(axis=0), rows.max(axis=0)
        with np.errstate(over="ignore"):
            width = high - low
        if not np.isfinite(width).all():
            raise BadInput(
                f"series must leave room for differences, got values from {low.min():.3g} to "
                f"{high.max():.3g}; scale it down"
            )
        width = np.where(width > 0.0, width, np.where(low != 0.0, np.abs(low), 1.0))
        length = len(rows) // BLOCKS
        segment = 2 ** int(np.log2(min(length // 2, shortest_run, LONGEST_SEGMENT)))
        delay = min(delay_of(rows[:, 0]), segment // 2) if rows.shape[1] == 1 else 0
        blocks = rows[len(rows) % BLOCKS :].reshape(BLOCKS, length, rows.shape[1])
        return Climatology(low, width, delay, segment, blocks)

    def compare(self, run: ArrayLike) -> Climate:
        """The climate of a run (S, d) beside that of the series."""
        rows = _validation.table("run", run, len(self.low))
        _validation.at_least("run", len(rows), self.segment, "to have a spectrum like the series")
        seen = self.blocks.shape[0] * self.blocks.shape[1]
        share = chance_share(len(rows), seen)
        parts = [
            distances_of(of_run, whole, chances * np.sqrt(share), limits)
            for of_run, whole, chances, limits in zip(
                self._counts(rows),
                self._whole,
                self._chances,
                (MARGINAL_LIMITS, JOINT_LIMITS, SPECTRUM_LIMITS),
                strict=True,
            )
        ]
        verdict, reason = self._verdict(parts)
        marginal, joint, spectrum = parts
        return Climate(verdict, reason, marginal, joint, spectrum, self.delay)

    def _verdict(self, parts: list[Distances]) -> tuple[str, str]:
        part, name = max(
            zip(parts, ("histogram", "joint histogram", "spectrum"), strict=True),
            key=lambda pair: float((pair[0].values / pair[0].limit).max()),
        )
        worst = part.worst
        where = f"column {worst}"
        if part is parts[1] and len(self.low) > 1:
            where = "columns {} and {}".format(*self._pairs[worst])
        return verdict_of(parts), worst_in_words(part, f"{name} of {where}")

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """Pairs of columns; of one column with itself."""
        return list(combinations(range(len(self.low)), 2)) or [(0, 0)]

    @cached_property
    def _of_blocks(self) -> list[Floats]:
        """What is counted of each block: (B, g, cells) of the three kinds."""
        return [np.array(one) for one in zip(*map(self._counts, self.blocks), strict=True)]

    @cached_property
    def _whole(self) -> list[Floats]:
        return [one.sum(axis=0) for one in self._of_blocks]

    @cached_property
    def _chances(self) -> list[Floats]:
        """The distances (35, g) of the halves of the series, of the three kinds."""
        return [hellinger(*halves_of(counts)) for counts in self._of_blocks]

    def _counts(self, rows: Floats) -> tuple[Floats, Floats, Floats]:
        """Histograms of the columns (d, cells) and of the pairs (p, cells), power (d, cells)."""
        # Beyond the range there is one more bin on either side
        scaled = (np.clip(rows, self.low - self.width, self.low + 2 * self.width) - self.low).T
        scaled = scaled / self.width[:, None]
        columns = np.array([histogram(one, BINS + 2) for one in bins_of(scaled, BINS)])
        places, cells, last = bins_of(scaled, JOINT_BINS), JOINT_BINS + 2, len(rows) - self.delay
        pairs = [
            histogram(places[i, self.delay :] + cells * places[j, :last], cells**2)
            for i, j in self._pairs
        ]
        return columns, np.array(pairs), _power(rows, self.low, self.width, self.segment)


def delay_of(values: Floats) -> int:
    """Rows between two coordinates of one column (T,): the first lag at which the autocorrelation
    is below 1 - 1/e [ROS93], at least 1.

    >>> delay_of(np.sin(2 * np.pi * np.arange(1000) / 60))  # arccos(1 - 1/e) is .14 of a period
    9
    """
    correlations = autocorrelations(np.asarray(values), len(values) - 1)
    return max(int(np.argmax(correlations < DECORRELATED)), 1)


def halves_of(counts: Floats) -> tuple[Floats, Floats]:
    """Of what was counted of each block (B, g, cells), the sums of any four and of the other four
    (35, g, cells).
    """
    firsts = [one for one in combinations(range(BLOCKS), BLOCKS // 2) if 0 in one]
    halves = np.array([counts[list(first)].sum(axis=0) for first in firsts])
    return halves, counts.sum(axis=0) - halves


def chance_share(run: int, series: int) -> float:
    """What the squares of distances of halves of a series are multiplied by, for a run of so many
    rows beside all of the series.
    """
    return (1.0 / run + 1.0 / series) / (4.0 / series)


def distances_of(
    run: Floats,
    whole: Floats,
    chances: Floats,
    limits: tuple[float, float],
    distance: Callable[[Floats, Floats], Floats] = hellinger,
) -> Distances:
    """Distances of what was counted (g, cells), and what chance gives: (35, g)."""
    chance, most = np.sqrt(np.square(chances).mean(axis=0)), np.minimum(chances.max(axis=0), 1.0)
    limit = np.maximum(np.clip(TIMES_CHANCE * chance, *limits), most)
    return Distances(distance(run, whole), np.minimum(chance, 1.0), most, limit)


def verdict_of(parts: Sequence[Distances]) -> str:
    """The verdict of all distances."""
    if any((one.values > one.limit).any() for one in parts):
        return "different"
    if max(float(one.most.max()) for one in parts) > TELLING:
        return "too short"
    return "same" if all((one.values <= one.most).all() for one in parts) else "close"


def worst_in_words(part: Distances, name: str) -> str:
    """The largest distance in one sentence."""
    worst = part.worst
    return (
        f"{name}: {part.values[worst]:.2f}, where chance gives {part.chance[worst]:.2f} and the "
        f"limit is {part.limit[worst]:.2f}"
    )


def bins_of(scaled: Floats, count: int) -> NDArray[np.int64]:
    """The bin of each value: 1 to `count` from 0 to 1, 0 and count + 1 outside.

    0 and 1 are in the middle of their bins: many series are often near the ends of their range, and
    one that is larger by a trace must not leave it.
    """
    places = np.floor((count - 1) * scaled + 0.5).astype(np.int64) + 1
    return np.asarray(np.clip(places, 0, count + 1))


def histogram(places: NDArray[np.int64], cells: int) -> Floats:
    return np.bincount(places, minlength=cells).astype(float)


def _power(rows: Floats, low: Floats, width: Floats, segment: int) -> Floats:
    """Power at each frequency but 0 (d, segment/2): the sum over segments that overlap by half."""
    hop, window = segment // 2, np.hanning(segment + 1)[:-1]
    scaled = np.clip((rows - low) / width, -1e6, 1e6)  # so that squares do not overflow
    # Less variation than this is rounding, which has a spectrum of its own
    scaled = np.where(np.ptp(scaled, axis=0) > 1e-12, scaled, 0.0)
    views = np.lib.stride_tricks.sliding_window_view(scaled, segment, axis=0)[::hop]
    parts = views - views.mean(axis=2, keepdims=True)
    spectra = np.abs(np.fft.rfft(window * parts, axis=2)[:, :, 1:]) ** 2
    return np.asarray(spectra.sum(axis=0))
