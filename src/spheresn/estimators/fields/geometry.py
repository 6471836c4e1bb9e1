"""Where the patches of a grid lie, and which cells each of them takes as inputs and forecasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _validation
from ..._errors import BadInput
from ..._validation import Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Patches:
    """A grid cut into patches of equal shape.

    A patch forecasts its own cells. Its inputs are these and `halo` more cells on either side of
    each axis: its window. Beyond an edge that is not periodic they are zero, the mean of the field.
    A field is a row (size,) of all values, cell by cell, the channels of a cell side by side.
    masked (size,): values that are not there, such as land in an ocean. They count as nothing, like
    what is beyond an edge, and patches of nothing else are left out.
    """

    grid: tuple[int, ...]
    channels: int
    patch: tuple[int, ...]
    halo: tuple[int, ...]
    periodic: tuple[bool, ...]
    masked: Any = field(default=None, compare=False)

    @staticmethod
    def of(grid: Sequence[int], channels: int, patch: Any, halo: Any, periodic: Any) -> Patches:
        """The checked patches; a single number or truth value holds for all axes."""
        axes = len(grid)
        around = (periodic,) * axes if np.ndim(periodic) == 0 else tuple(periodic)
        if len(around) != axes or not all(isinstance(one, (bool, np.bool_)) for one in around):
            raise BadInput(
                f"periodic must be True or False, or one of these for each of the {axes} axes, "
                f"got {periodic!r}; pass such values"
            )
        sizes, wings = (
            _per_axis(name, value, axes, least)
            for name, value, least in (("patch", patch, 1), ("halo", halo, 0))
        )
        for axis, (cells, size, wing) in enumerate(zip(grid, sizes, wings, strict=True)):
            if cells % size:
                near = ", ".join(str(n) for n in range(1, cells + 1) if cells % n == 0)
                raise BadInput(
                    f"patch must divide the {cells} cells of axis {axis}, got {size}; choose one "
                    f"of {near}"
                )
            widest = (cells - size) // 2 if around[axis] else cells - size
            if wing > widest:
                raise BadInput(
                    f"halo must be at most {widest} along axis {axis}, which has {cells} cells in "
                    f"patches of {size}, got {wing}; choose a smaller halo"
                )
        return Patches(
            tuple(int(n) for n in grid), channels, sizes, wings, tuple(bool(one) for one in around)
        )

    @property
    def size(self) -> int:
        """The values of a field."""
        return int(np.prod(self.grid)) * self.channels

    @property
    def count(self) -> int:
        """The number of patches."""
        if self.masked is not None:
            return len(self._kept)
        return int(np.prod([n // p for n, p in zip(self.grid, self.patch, strict=True)]))

    def teaching(self, shared: bool) -> int:
        """The number of patches from which readouts learn, which are the first ones: a shared one
        from those without a masked value.
        """
        if self.masked is None or not shared:
            return self.count
        return int((~self.masked[self.inner].any(axis=1)).sum())

    @cached_property
    def seen(self) -> Any:
        """The values that are there, all or by their places."""
        return ... if self.masked is None else np.flatnonzero(~self.masked)

    @cached_property
    def inner(self) -> Indices:
        """The values that each patch forecasts (P, m), and masked ones among them."""
        return np.asarray(self._indices((0,) * len(self.grid))[self._kept])

    @cached_property
    def windows(self) -> Indices:
        """The values that each patch takes as inputs (P, w); `size` is one beyond an edge, or a
        masked one.
        """
        found = np.asarray(self._indices(self.halo)[self._kept])
        if self.masked is None:
            return found
        return np.where(np.append(self.masked, True)[found], self.size, found)

    @cached_property
    def _kept(self) -> Any:
        """The patches of the grid that have a value, those with all values first."""
        if self.masked is None:
            return slice(None)
        lost = self.masked[self._indices((0,) * len(self.grid))]
        order = np.argsort(lost.any(axis=1), kind="stable")
        return order[~lost.all(axis=1)[order]]

    @cached_property
    def places(self) -> Places:
        """Windows and cells of all patches."""
        return Places(np.arange(self.count), None, self.windows, self.inner, self.size)

    def group(self, which: Indices) -> Places:
        """Windows and cells of some patches, within the values that these need."""
        if len(which) == self.count and self.masked is None:
            return self.places
        windows, inner = self.windows[which], self.inner[which]
        values = np.union1d(windows, inner)
        columns = values[values < self.size]
        windows, inner = (np.searchsorted(columns, one) for one in (windows, inner))
        return Places(which, columns, windows, inner, len(columns))

    def positions(self) -> Floats:
        """Where each patch lies (P, q), with mean 0 and variance 1 over the grid.

        Along a periodic axis these are a cosine and a sine, along another one a number.
        """
        columns = []
        counts = [n // p for n, p in zip(self.grid, self.patch, strict=True)]
        places = np.indices(counts).reshape(len(counts), -1)
        for place, count, around in zip(places, counts, self.periodic, strict=True):
            share = (place + 0.5) / count
            if around:
                columns += [np.sqrt(2.0) * f(2.0 * np.pi * share) for f in (np.cos, np.sin)]
            else:
                columns.append(np.sqrt(12.0) * (share - 0.5))
        return np.asarray(np.stack(columns, axis=1)[self._kept])

    def _indices(self, halo: tuple[int, ...]) -> Indices:
        """Indices of patches widened by a halo (P, cells · channels)."""
        flat = np.zeros((1, 1), dtype=np.intp)
        outside = np.zeros((1, 1), dtype=bool)
        for n, p, h, around in zip(self.grid, self.patch, halo, self.periodic, strict=True):
            cells = np.arange(0, n, p)[:, None] + np.arange(-h, p + h)
            beyond = (cells < 0) | (cells >= n) if not around else np.zeros_like(cells, dtype=bool)
            # All pairs of a patch so far and one of this axis, of a cell so far and one of it
            flat = _pairs(flat * n, cells % n, np.add)
            outside = _pairs(outside, beyond, np.logical_or)
        spread = flat[..., None] * self.channels + np.arange(self.channels)
        spread = np.where(outside[..., None], self.size, spread)
        return spread.reshape(len(flat), -1)


@dataclass(frozen=True, eq=False)
class Places:
    """Some patches, within the values `columns` of a field (None: within all of them).

    windows (P, w) and inner (P, m) are indices into these values; an index `size` is beyond an
    edge.
    """

    patches: Indices
    columns: Indices | None
    windows: Indices
    inner: Indices
    size: int

    def inputs(self, fields: Floats) -> Floats:
        """The windows (T, P, w) of fields (T, size)."""
        if self._at_edge:
            fields = np.concatenate([fields, np.zeros((len(fields), 1))], axis=1)
        return np.take(fields, self.windows, axis=1)

    @cached_property
    def _at_edge(self) -> bool:
        return bool(self.windows.max() == self.size)


def _pairs(left: NDArray[Any], right: NDArray[Any], combine: Any) -> NDArray[Any]:
    both = combine(left[:, None, :, None], right[None, :, None, :])
    return np.asarray(both.reshape(len(left) * len(right), -1))


def _per_axis(name: str, value: Any, axes: int, least: int) -> tuple[int, ...]:
    given = (value,) * axes if np.ndim(value) == 0 else tuple(value)
    if len(given) != axes:
        raise BadInput(
            f"{name} must be one number, or one for each of the {axes} axes of the grid, got "
            f"{value!r}; pass {axes} numbers"
        )
    return tuple(_validation.whole(name, one, least) for one in given)
