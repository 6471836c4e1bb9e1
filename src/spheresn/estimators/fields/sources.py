"""Fields as people have them: arrays, memory maps, iterators of blocks, xarray, Dask."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._errors import BadInput
from ..._validation import Floats
from ...series.scaling import DEVIATION_ROUNDING, Scaler
from .geometry import Indices
from .labels import Labels

BLOCK_VALUES = 2**22  # numbers of a field that are read at once: 32 MB


@dataclass(frozen=True, eq=False)
class Source:
    """A field (T, *grid) or (T, *grid, channels), of which slices are read.

    `values` has a shape, a dtype and slices along its first axis that numpy can convert.
    """

    values: Any
    channels: bool
    labels: Labels | None = None

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
            labels = Labels.of(field)
        elif hasattr(field, "to_numpy") and not hasattr(field, "dtype"):  # a data frame
            field = field.to_numpy()
        elif not hasattr(field, "shape"):
            field = _collected(field)
        _check_mask(field)
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
        values = np.asarray(self.values[first:stop], dtype=np.float64)
        return values.reshape(stop - first, -1)


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

    count: int
    mean: Floats
    squares: Floats
    low: Floats
    high: Floats

    @staticmethod
    def of(rows: Floats, channels: int, first: int) -> ChannelStatistics:
        """From rows (T, size), the first of them at time `first`; they must be finite."""
        if not np.isfinite(rows).all():
            time, place = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
            raise BadInput(
                f"field must be finite, got {rows[time, place]} at time {first + time} in cell "
                f"{place // channels} (counted along the flattened grid); masked cells such as "
                "land are not supported: fill them, for example with the mean"
            )
        values = rows.reshape(-1, channels)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = values.mean(axis=0)
            squares = np.square(values - mean).sum(axis=0)
        return ChannelStatistics(len(values), mean, squares, values.min(axis=0), values.max(axis=0))

    def __add__(self, other: ChannelStatistics) -> ChannelStatistics:
        """The statistics of both."""
        count = self.count + other.count
        with np.errstate(over="ignore", invalid="ignore"):
            gap = other.mean - self.mean
            mean = self.mean + other.count / count * gap
            squares = (
                self.squares + other.squares + self.count * other.count / count * np.square(gap)
            )
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return ChannelStatistics(count, mean, squares, low, high)

    def scale(self) -> Floats:
        """The deviation of each channel, which must vary."""
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
        if columns is None:
            return self.scaler.of_columns(np.arange(rows.shape[1])).forward(rows)
        return self.scaler.of_columns(columns).forward(rows[:, columns])


def channel_statistics(source: Source) -> ChannelStatistics:
    """The statistics of a source, block by block, in this process."""
    total: ChannelStatistics | None = None
    for first in range(0, len(source), source.block):
        stop = min(first + source.block, len(source))
        part = ChannelStatistics.of(source.read(first, stop), source.n_channels, first)
        total = part if total is None else total + part
    assert total is not None  # there is at least one row
    return total


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


def _spooled(blocks: Iterable[Any]) -> Any:
    """The blocks one after the other in a file that lives as long as its map."""
    file = tempfile.NamedTemporaryFile(prefix="spheresn-", suffix=".field")  # noqa: SIM115
    shape: tuple[int, ...] | None = None
    rows = 0
    for block in blocks:
        _check_mask(block)
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
    kept = np.memmap(file, np.float64, "r", 0, (rows, *shape))
    kept._file = file  # type: ignore[attr-defined]  # closed and removed with the map
    return kept


def _check_mask(field: Any) -> None:
    if isinstance(field, np.ma.MaskedArray) and np.ma.is_masked(field):
        raise BadInput(
            "field must have a value in every cell, got a masked array; masked cells such as land "
            "are not supported: fill them, for example with field.filled(field.mean())"
        )
