"""Fields as people have them: arrays, memory maps, iterators of blocks, xarray, Dask."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._errors import BadInput
from ..._validation import Floats
from ...series.gaps import guessed
from ...series.scaling import DEVIATION_ROUNDING, Scaler
from .geometry import Indices
from .labels import Labels, completed

BLOCK_VALUES = 2**22  # numbers of a field that are read at once: 32 MB


@dataclass(frozen=True, eq=False)
class Source:
    """A field (T, *grid) or (T, *grid, channels), of which slices are read.

    `values` has a shape, a dtype and slices along its first axis that numpy can convert. hidden
    (size,): values that are masked, whatever is below.
    """

    values: Any
    channels: bool
    labels: Labels | None = None
    hidden: Any = None

    @staticmethod
    def of(field: Any, channels: bool) -> Source:
        """The field in any of the forms that are accepted, checked except for its values."""
        labels = None
        if hasattr(field, "data_vars"):
            raise BadInput(
                "field must be one variable, got an xarray Dataset; pass one of its variables, or "
                "several as channels: dataset.to_dataarray().transpose(..., 'variable')"
            )
        if hasattr(field, "dims") and hasattr(field, "coords"):
            field = completed(field)
            labels = Labels.of(field)
        elif hasattr(field, "to_numpy") and not hasattr(field, "dtype"):  # a data frame
            field = field.to_numpy()
        elif not hasattr(field, "shape"):
            field = _collected(field)
        if isinstance(field, np.ma.MaskedArray):
            field = _unmasked(field)
        least = 3 if channels else 2
        if len(field.shape) < least:
            axes = "(T, *grid, channels)" if channels else "(T, *grid)"
            raise BadInput(
                f"field must have the axes {axes}, got shape {tuple(field.shape)}; time is the "
                "first axis, the grid has at least one"
            )
        if np.dtype(field.dtype).kind not in "biuf" or 0 in field.shape[1:]:
            raise BadInput(
                f"field must hold real numbers, got {field.dtype} of shape {tuple(field.shape)}; "
                "convert it first"
            )
        return Source(field, channels, labels)

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def grid(self) -> tuple[int, ...]:
        """The cells along each axis."""
        inner = self.values.shape[1:-1] if self.channels else self.values.shape[1:]
        return tuple(int(n) for n in inner)

    @property
    def n_channels(self) -> int:
        """The channels of a cell."""
        return int(self.values.shape[-1]) if self.channels else 1

    @property
    def size(self) -> int:
        """The values of a field."""
        return int(np.prod(self.values.shape[1:]))

    @property
    def block(self) -> int:
        """Times that are read at once."""
        return max(BLOCK_VALUES // self.size, 1)

    def read(self, first: int, stop: int) -> Floats:
        """Rows (stop - first, size), in the unit of the data."""
        return rows_of(self.values[first:stop], stop - first, self.hidden)

    def masking(self, mask: Any) -> Source:
        """The field with a mask of the user's, True where a cell is to be left out."""
        if mask is None:
            return self
        given = np.asarray(mask)
        inner = tuple(int(n) for n in self.values.shape[1:])
        if given.dtype != np.bool_ or given.shape not in {inner, self.grid}:
            raise BadInput(
                f"mask must hold truth values of the shape {self.grid} of the grid, got "
                f"{given.dtype} of shape {given.shape}; pass True where a cell is to be left out"
            )
        whole = given if given.shape == inner else np.repeat(given[..., None], inner[-1], -1)
        return replace(self, hidden=whole.ravel().copy())

    def without(self, missing: Any) -> Source:
        """The field whose values that are never there are masked, and whose gaps in time are
        filled; missing (size,): how often each value is missing.
        """
        missing = np.broadcast_to(missing, self.size)
        hidden = missing == len(self)
        if hidden.all():
            raise BadInput("field must have a number somewhere, got none; check its mask")
        gappy = np.flatnonzero((missing > 0) & ~hidden)
        found = self if not len(gappy) else replace(self, values=_filled(self, gappy))
        return replace(found, hidden=hidden if hidden.any() else None)


@dataclass(frozen=True, eq=False)
class Mapped:
    """A memory map by the name of its file, so that it can be sent to another process."""

    path: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    order: str

    @staticmethod
    def of(values: np.memmap[Any, Any]) -> Mapped | None:
        """The map of an array, or None where its file or its place in the file is not known."""
        order = "C" if values.flags.c_contiguous else "F"
        whole = isinstance(values.base, np.memmap) is False and values.flags.forc
        if values.filename is None or not whole:
            return None
        return Mapped(str(values.filename), values.dtype.str, values.shape, values.offset, order)

    def __getitem__(self, rows: slice) -> Any:
        kept = np.memmap(
            self.path,
            np.dtype(self.dtype),
            "r",
            self.offset,
            self.shape,
            self.order,  # type: ignore[call-overload]
        )
        return kept[rows]


@dataclass(frozen=True, eq=False)
class ChannelStatistics:
    """How the values of each channel are distributed: count, mean, sum of squares, extremes."""

    count: Any
    mean: Floats
    squares: Floats
    low: Floats
    high: Floats
    missing: Any = 0

    @staticmethod
    def of(rows: Floats, channels: int, first: int) -> ChannelStatistics:
        """From rows (T, size), the first of them at time `first`, of which NaN is missing."""
        if np.isinf(rows).any():
            time, place = (int(i) for i in np.argwhere(np.isinf(rows))[0])
            raise BadInput(
                f"field must be finite, got {rows[time, place]} at time {first + time} in cell "
                f"{place // channels} (counted along the flattened grid); correct it, or make it "
                "NaN if it is missing"
            )
        holes = np.isnan(rows)
        if holes.any():
            return ChannelStatistics._of_known(rows, holes, channels)
        values = rows.reshape(-1, channels)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = values.mean(axis=0)
            squares = np.square(values - mean).sum(axis=0)
        return ChannelStatistics(len(values), mean, squares, values.min(axis=0), values.max(axis=0))

    @staticmethod
    def _of_known(rows: Floats, holes: Any, channels: int) -> ChannelStatistics:
        """Of the values that are there, channel by channel; of none, nothing."""
        known = [rows[:, k::channels][~holes[:, k::channels]][:, None] for k in range(channels)]
        parts = [ChannelStatistics.of(one, 1, 0) if len(one) else NOTHING for one in known]
        mean, squares, low, high = (
            np.concatenate([getattr(one, name) for one in parts])
            for name in ("mean", "squares", "low", "high")
        )
        count = np.array([one.count for one in parts])
        return ChannelStatistics(count, mean, squares, low, high, holes.sum(axis=0))

    def __add__(self, other: ChannelStatistics) -> ChannelStatistics:
        """The statistics of both."""
        count = self.count + other.count
        divisor = np.maximum(count, 1)  # of no values the mean is any number
        with np.errstate(over="ignore", invalid="ignore"):
            gap = other.mean - self.mean
            mean = self.mean + other.count / divisor * gap
            squares = (
                self.squares + other.squares + self.count * other.count / divisor * np.square(gap)
            )
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        missing = self.missing + other.missing
        return ChannelStatistics(count, mean, squares, low, high, missing)

    def scale(self) -> Floats:
        """The deviation of each channel, which must vary."""
        if np.min(self.count) == 0:
            channel = int(np.argmin(self.count)) if np.ndim(self.count) else 0
            raise BadInput(
                f"channel {channel} of field must have a number somewhere, got none; leave it out"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            deviation = np.sqrt(self.squares / self.count)
        if not np.isfinite(deviation).all():
            largest = float(np.maximum(np.abs(self.low), np.abs(self.high)).max())
            raise BadInput(
                "field must have squares that fit into a float, got values up to "
                f"{largest:.3g}; scale it down"
            )
        flat = deviation <= DEVIATION_ROUNDING * np.abs(self.mean)
        if flat.any():
            channel = int(np.argmax(flat))
            where = f"channel {channel}" if len(flat) > 1 else "field"
            raise BadInput(
                f"{where} must vary, got {self.mean[channel]:.6g} everywhere; leave it out"
            )
        return np.asarray(deviation)


# The statistics of a channel without values: adding them changes nothing
NOTHING = ChannelStatistics(0, *np.array([[0.0], [0.0], [np.inf], [-np.inf]]))


@dataclass(frozen=True, eq=False)
class Standardised:
    """A source in units of the deviations of its channels, as `Rows` for learning."""

    source: Source
    scaler: Scaler

    def __len__(self) -> int:
        return len(self.source)

    def read(self, first: int, stop: int, columns: Indices | None = None) -> Floats:
        """The fields (stop - first, size), or some of their values."""
        rows = self.source.read(first, stop)
        return standardised(rows, self.scaler, columns)


def standardised(rows: Floats, scaler: Scaler, columns: Indices | None = None) -> Floats:
    """Rows (T, size), or some of their values, in deviations; what is masked (NaN) is 0.

    >>> standardised(np.array([[3.0, np.nan]]), Scaler(np.ones(1), 2 * np.ones(1)))
    array([[1., 0.]])
    """
    if columns is None:
        scaled = scaler.of_columns(np.arange(rows.shape[1])).forward(rows)
    else:
        scaled = scaler.of_columns(columns).forward(rows[:, columns])
    holes = np.isnan(scaled)
    return np.where(holes, 0.0, scaled) if holes.any() else scaled


def rows_of(values: Any, count: int, hidden: Any) -> Floats:
    """Values (count, ...) as rows (count, size), NaN where they are masked."""
    if isinstance(values, np.ma.MaskedArray):  # a block of a Dask array
        values = _unmasked(values)
    rows = np.asarray(values, dtype=np.float64).reshape(count, -1)
    return rows if hidden is None else np.where(hidden, np.nan, rows)


def guess_gaps(rows: Floats, columns: Indices) -> Floats:
    """Rows (T, size) whose gaps in these columns are filled as those of a series are."""
    found = rows.copy()
    found[:, columns] = guessed(rows[:, columns])
    return found


def channel_statistics(source: Source) -> ChannelStatistics:
    """The statistics of a source, block by block, in this process."""
    total: ChannelStatistics | None = None
    for first in range(0, len(source), source.block):
        stop = min(first + source.block, len(source))
        part = ChannelStatistics.of(source.read(first, stop), source.n_channels, first)
        total = part if total is None else total + part
    assert total is not None  # there is at least one row
    return total


def _unmasked(values: Any) -> Any:
    """A masked array with NaN where it is masked."""
    masked = np.ma.is_masked(values)
    return np.where(values.mask, np.nan, values.data) if masked else values.data


def _filled(source: Source, gappy: Indices) -> Any:
    """The values of a source with guesses for its gaps: in memory where they were, else in a file
    that lives as long as its map.
    """
    shape = tuple(int(n) for n in source.values.shape)
    if isinstance(source.values, np.ndarray) and not isinstance(source.values, np.memmap):
        return guess_gaps(source.read(0, len(source)), gappy).reshape(shape)
    blocks = (
        source.read(a, min(a + source.block, len(source))).reshape(-1, *shape[1:])
        for a in range(0, len(source), source.block)
    )
    kept = _spooled(blocks, "r+")
    rows = kept.reshape(len(source), -1)
    width = max(BLOCK_VALUES // len(source), 1)
    for a in range(0, len(gappy), width):
        rows[:, gappy[a : a + width]] = guessed(np.asarray(rows[:, gappy[a : a + width]]))
    kept.flush()
    return kept


def _collected(field: Any) -> Any:
    """An array of a list, or the blocks of an iterator in a temporary file, as a memory map."""
    if isinstance(field, (list, tuple)):
        try:
            return np.asarray(field, dtype=np.float64)
        except (TypeError, ValueError):
            raise BadInput(
                "field must be an array of real numbers, got a list of unequal rows; pass fields "
                "of one shape"
            ) from None
    if not isinstance(field, Iterable) or isinstance(field, (str, bytes, dict)):
        raise BadInput(
            f"field must be an array (T, *grid) or an iterator of such blocks, got "
            f"{type(field).__name__}; read it first, for example by numpy.load"
        )
    return _spooled(field)


def _spooled(blocks: Iterable[Any], mode: Any = "r") -> Any:
    """The blocks one after the other in a file that lives as long as its map."""
    file = tempfile.NamedTemporaryFile(prefix="spheresn-", suffix=".field")  # noqa: SIM115
    shape: tuple[int, ...] | None = None
    rows = 0
    for block in blocks:
        if isinstance(block, np.ma.MaskedArray):
            block = _unmasked(block)
        values = np.ascontiguousarray(block, dtype=np.float64)
        if values.ndim < 2 or (shape is not None and values.shape[1:] != shape):
            expected = "(rows, *grid)" if shape is None else f"(rows, {str(shape)[1:-1]})"
            raise BadInput(
                f"each block of the field must have the shape {expected}, got {values.shape}; "
                "blocks follow each other in time"
            )
        shape, rows = values.shape[1:], rows + len(values)
        file.write(values.tobytes())
    if shape is None or rows == 0:
        raise BadInput("field must have blocks, got an empty iterator; iterators run only once")
    file.flush()
    kept = np.memmap(file, np.float64, mode, 0, (rows, *shape))
    kept._file = file  # type: ignore[attr-defined]  # closed and removed with the map
    return kept
