"""Whether a long free run of a field is still the system: its climate beside that of the field."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..metrics import hellinger
from .climates import (
    BINS,
    BLOCKS,
    DECORRELATED,
    JOINT_BINS,
    JOINT_LIMITS,
    LEAST_BLOCK,
    MARGINAL_LIMITS,
    SPECTRUM_LIMITS,
    Distances,
    bins_of,
    chance_share,
    distances_of,
    halves_of,
    histogram,
    verdict_of,
    worst_in_words,
)

# In deviations and variances of the field: as far as a good model may be, and in any case too far
MOMENT_LIMITS = (0.1, 0.3)
LEFT = 1.0  # ranges of the field: a value so far outside its range has left


@dataclass(frozen=True, eq=False)
class FieldClimate:
    """How far a run of a field is from the field, as a climate.

    values: of the histograms of the values of all cells (1,). pairs: of the histograms of values
    `lag` cells apart along the last axis, the two-point statistics. spectrum: of the energies by
    wavenumber, divided by their sum. mean, variance: the root mean square over cells of the
    difference of the means, in deviations, and of the variances, in variances of the field. All are
    `Distances` of one.

    left: the first row in which some value is not finite, or farther outside the range of the field
    than this range is wide; None if there is none. verdict and reason: as of `Climate`; a run that
    has left is "different".

    wavenumbers (K,) in waves around the grid; energies (2, K), means (2, *grid), variances
    (2, *grid) and correlations (2, lags), by cells along the last axis: of the run, then of the
    field. NaN in masked cells.

    >>> field = np.random.default_rng(0).standard_normal((800, 16))
    >>> found = field_climate(field[:400] * 2.0, field[400:])
    >>> found.verdict, found.variance.values.round().tolist()  # 2² - 1
    ('different', [3.0])
    """

    verdict: str
    reason: str
    values: Distances
    pairs: Distances
    spectrum: Distances
    mean: Distances
    variance: Distances
    lag: int
    left: int | None
    wavenumbers: Floats
    energies: Floats
    means: Floats
    variances: Floats
    correlations: Floats


def field_climate(run: ArrayLike, field: ArrayLike) -> FieldClimate:
    """The climate of a run (S, *grid) beside that of a field (T, *grid), one channel.

    Distances of histograms and spectra are those of `climate`, and so is what chance gives: eight
    blocks of the field, any four of them beside the other four. Energies are |û|² of the field
    without its mean at each cell, summed over shells of wavenumbers; of a grid with edges they
    include what the edges add. Masked cells (NaN at all times) count for nothing. Rows of the run
    from the first that has left are not counted, if as many as a block has are left.

    >>> rng = np.random.default_rng(0)
    >>> field, other = rng.standard_normal((2, 1600, 16))
    >>> field_climate(other, field).verdict, field_climate(other + 1.0, field).verdict
    ('same', 'different')
    """
    rows, seen, grid = _checked(field)
    values = np.asarray(run, dtype=np.float64)
    if values.shape[1:] != grid:
        raise BadInput(
            f"run must have the grid {grid} of field, got shape {values.shape}; pass (S, *grid)"
        )
    _validation.at_least("run", len(values), LEAST_BLOCK, "to have a climate")
    measured = _Measured.of(rows, seen, grid)
    flat = values.reshape(len(values), -1)[:, seen]
    left = measured.left(flat)
    kept = flat if left is None or left < LEAST_BLOCK else flat[:left]
    return measured.compare(np.nan_to_num(kept, nan=0.0), left)


def _checked(field: ArrayLike) -> tuple[Floats, NDArray[np.bool_], tuple[int, ...]]:
    """Rows (T, cells that are there), which cells are there, and the grid."""
    values = np.asarray(field, dtype=np.float64)
    if values.ndim < 2 or 0 in values.shape:
        raise BadInput(f"field must be (T, *grid), got shape {values.shape}; time is axis 0")
    _validation.at_least("field", len(values), BLOCKS * LEAST_BLOCK, "to have a climate")
    flat = values.reshape(len(values), -1)
    seen = np.asarray(~np.isnan(flat).all(axis=0))
    if not seen.any():
        raise BadInput("field must have a number somewhere, got none; check its mask")
    grid = tuple(int(n) for n in values.shape[1:])
    return _validation.finite("field", flat[:, seen]), seen, grid


@dataclass(frozen=True, eq=False)
class _Measured:
    """What is counted of a field: blocks (B, T/B, cells) in deviations, without its mean.

    seen: the cells of the grid that are there; centre, scale: mean and deviation of all values; low
    and high: the range in deviations; lag: cells between two values of a pair; left, right: their
    places among the cells.
    """

    blocks: Floats
    seen: NDArray[np.bool_]
    grid: tuple[int, ...]
    centre: float
    scale: float
    low: float
    high: float
    lag: int

    @staticmethod
    def of(rows: Floats, seen: NDArray[np.bool_], grid: tuple[int, ...]) -> _Measured:
        centre, scale = float(rows.mean()), float(rows.std())
        if not np.isfinite(scale) or scale == 0.0:
            raise BadInput(
                f"field must vary, and its squares fit into a float, got a deviation of {scale:g}; "
                "scale it, or leave it out"
            )
        scaled = (rows - centre) / scale
        length = len(rows) // BLOCKS
        blocks = scaled[len(rows) % BLOCKS :].reshape(BLOCKS, length, -1)
        ends = float(scaled.min()), float(scaled.max())
        found = _Measured(blocks, seen, grid, centre, scale, *ends, 1)
        below = np.flatnonzero(found._correlation(scaled - scaled.mean(axis=0)) < DECORRELATED)
        lag = int(below[0]) if len(below) else 1
        return _Measured(blocks, seen, grid, centre, scale, *ends, max(lag, 1))

    def left(self, rows: Floats) -> int | None:
        """The first row (S, cells) that is not finite, or far outside the range."""
        low, high = (self.centre + self.scale * end for end in (self.low, self.high))
        beyond = LEFT * (high - low)
        inside = (rows >= low - beyond) & (rows <= high + beyond)  # NaN is neither
        gone = ~inside.all(axis=1)
        return int(gone.argmax()) if gone.any() else None

    def compare(self, run: Floats, left: int | None) -> FieldClimate:
        """The climate of a run (S, cells) in the units of the field."""
        reach = LEFT * (self.high - self.low)
        with np.errstate(over="ignore"):  # what has left is infinitely far away
            scaled = (run - self.centre) / self.scale
        rows = np.clip(scaled, self.low - reach, self.high + reach)
        whole = self.blocks.reshape(-1, self.blocks.shape[2])
        share = np.sqrt(chance_share(len(rows), len(whole)))
        kinds = (
            ("values", MARGINAL_LIMITS, hellinger),
            ("pairs", JOINT_LIMITS, hellinger),
            ("spectrum", SPECTRUM_LIMITS, hellinger),
            ("mean", MOMENT_LIMITS, _gap),
            ("variance", MOMENT_LIMITS, _gap),
        )
        of_run, found = self._counts(rows), {}
        for place, (name, limits, distance) in enumerate(kinds):
            counts = np.array([one[place] for one in self._of_blocks])
            chances = share * distance(*halves_of(counts))
            found[name] = distances_of(of_run[place], counts.sum(axis=0), chances, limits, distance)
        name = max(found, key=lambda one: float((found[one].values / found[one].limit).max()))
        verdict, reason = verdict_of(list(found.values())), worst_in_words(found[name], name)
        if left is not None:
            verdict, reason = "different", f"the run leaves the range of the field at row {left}"
        pictures = [self._pictures(one) for one in (rows, whole)]
        energies, means, variances, correlations = (
            np.array(part) for part in zip(*pictures, strict=True)
        )
        return FieldClimate(
            verdict,
            reason,
            **found,
            lag=self.lag,
            left=left,
            wavenumbers=np.arange(1.0, len(energies[0]) + 1.0),
            energies=energies * self.scale**2,
            means=means * self.scale + self.centre,
            variances=variances * self.scale**2,
            correlations=correlations,
        )

    @cached_property
    def _of_blocks(self) -> list[tuple[Floats, ...]]:
        return [self._counts(one) for one in self.blocks]

    @cached_property
    def _mean(self) -> Floats:
        """Of each cell, of which energies are deviations."""
        return np.asarray(self.blocks.mean(axis=(0, 1)))

    def _counts(self, rows: Floats) -> tuple[Floats, ...]:
        """Histograms of values and of pairs, energies, and for mean and variance the number of
        rows with sums of values and of their squares: each (1, cells).
        """
        scaled = (rows - self.low) / (self.high - self.low)
        values = histogram(bins_of(scaled, BINS).ravel(), BINS + 2)
        first, second = self._pairs
        places, cells = bins_of(scaled, JOINT_BINS), JOINT_BINS + 2
        both = (places[:, first] + cells * places[:, second]).ravel()
        energy = self._energy(rows - self._mean).sum(axis=0)
        deviations = rows - self._mean
        mean = np.append(len(rows), deviations.sum(axis=0))
        variance = np.append(len(rows), np.square(deviations).sum(axis=0))
        parts = (values, histogram(both, cells**2), energy, mean, variance)
        return tuple(np.asarray(one, dtype=float)[None] for one in parts)

    @cached_property
    def _pairs(self) -> tuple[Any, Any]:
        """The cells of all pairs `lag` apart along the last axis of which both are there."""
        numbers = np.full(self.seen.shape, -1)
        numbers[self.seen] = np.arange(self.seen.sum())
        table = numbers.reshape(self.grid)
        pairs = np.stack([table, np.roll(table, -self.lag, axis=-1)]).reshape(2, -1)
        first, second = pairs[:, (pairs >= 0).all(axis=0)]
        return (first, second) if len(first) else (np.arange(1), np.arange(1))

    def _on_grid(self, rows: Floats) -> Floats:
        whole = np.zeros((len(rows), len(self.seen)))
        whole[:, self.seen] = rows
        return whole.reshape(len(rows), *self.grid)

    def _energy(self, deviations: Floats) -> Floats:
        """Energies (T, K) by wavenumber, from 1 to half of the longest axis."""
        axes = tuple(range(1, len(self.grid) + 1))
        power = np.abs(np.fft.fftn(self._on_grid(deviations), axes=axes)) ** 2
        power = power.reshape(len(power), -1) / len(self.seen) ** 2
        waves = np.meshgrid(*(np.fft.fftfreq(n) * n for n in self.grid), indexing="ij")
        shells = np.round(np.sqrt(sum(one**2 for one in waves))).astype(int).ravel()
        count = max(max(self.grid) // 2, 1)
        return np.stack([power[:, shells == k].sum(axis=1) for k in range(1, count + 1)], axis=1)

    def _correlation(self, deviations: Floats) -> Floats:
        """By lag along the last axis, over all pairs and times; 1 at lag 0."""
        grid = self._on_grid(deviations)
        there = self._on_grid(np.ones((1, deviations.shape[1])))
        found = []
        for lag in range(max(self.grid[-1] // 2, 1) + 1):
            pairs = (there * np.roll(there, -lag, axis=-1)).sum() * len(grid)
            found.append(float((grid * np.roll(grid, -lag, axis=-1)).sum()) / max(pairs, 1.0))
        return np.array(found) / (found[0] if found[0] > 0.0 else 1.0)

    def _pictures(self, rows: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Energies, means and variances on the grid, correlations."""
        own = rows - rows.mean(axis=0)
        means, variances = (np.full(len(self.seen), np.nan) for _ in range(2))
        means[self.seen], variances[self.seen] = rows.mean(axis=0), rows.var(axis=0)
        energy = self._energy(rows - self._mean).mean(axis=0)
        shaped = (means.reshape(self.grid), variances.reshape(self.grid))
        return energy, *shaped, self._correlation(own)


def _gap(one: Floats, other: Floats) -> Floats:
    """The root mean square over cells of the difference of means, from (..., number and sums)."""
    first, second = (part[..., 1:] / part[..., :1] for part in (one, other))
    return np.asarray(np.sqrt(np.square(first - second).mean(axis=-1)))
