"""The names and coordinates of an xarray field, kept without xarray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._errors import BadInput


@dataclass(frozen=True, eq=False)
class Labels:
    """Name, axes and coordinates of a DataArray; of time, the last coordinate and the interval."""

    name: str | None
    dims: tuple[str, ...]
    coordinates: dict[str, Any]
    last: Any
    interval: Any

    @staticmethod
    def of(field: Any) -> Labels:
        """The labels of a DataArray; time is its first axis."""
        dims = tuple(str(one) for one in field.dims)
        coordinates = {
            str(dim): np.asarray(field.coords[dim]) for dim in field.dims[1:] if dim in field.coords
        }
        last, interval = None, None
        if dims and dims[0] in field.coords and len(field) > 1:
            times = np.asarray(field.coords[dims[0]])
            last, interval = _clock(dims[0], times)
        name = None if field.name is None else str(field.name)
        return Labels(name, dims, coordinates, last, interval)

    def attach(self, values: Any) -> Any:
        """A DataArray of a forecast (steps, ...)."""
        import xarray

        coordinates = dict(self.coordinates)
        if self.last is not None:
            coordinates[self.dims[0]] = self.last + self.interval * np.arange(1, len(values) + 1)
        return xarray.DataArray(values, coordinates, self.dims, self.name)

    def after(self, field: Any, rows: int) -> Labels:
        """The labels after more rows were seen: their last time, if they have times."""
        if not hasattr(field, "coords") or self.last is None or self.dims[0] not in field.coords:
            moved = None if self.last is None else self.last + self.interval * rows
            return Labels(self.name, self.dims, self.coordinates, moved, self.interval)
        last = np.asarray(field.coords[self.dims[0]])[-1]
        return Labels(self.name, self.dims, self.coordinates, last, self.interval)

    def plain(self) -> dict[str, Any]:
        """As values of a JSON header."""
        times = None if self.last is None else np.array([self.last])
        interval = None if self.last is None else np.array([self.interval])
        return {
            "name": self.name,
            "dims": list(self.dims),
            "coordinates": {name: _listed(values) for name, values in self.coordinates.items()},
            "last": _listed(times),
            "interval": _listed(interval),
        }

    @staticmethod
    def from_plain(values: dict[str, Any]) -> Labels:
        """The labels that `plain` described."""
        last, interval = (_array(values[name]) for name in ("last", "interval"))
        return Labels(
            None if values["name"] is None else str(values["name"]),
            tuple(str(one) for one in values["dims"]),
            {str(name): _array(one) for name, one in values["coordinates"].items()},
            None if last is None else last[0],
            None if interval is None else interval[0],
        )


def _clock(name: str, times: Any) -> tuple[Any, Any]:
    """The last time and the interval, which must be the same everywhere."""
    if times.dtype.kind not in "iufM":
        return None, None
    intervals = np.diff(times)
    step = intervals[-1]
    even = (
        np.all(intervals == step)
        if times.dtype.kind in "iuM"
        else np.allclose(intervals, step, rtol=1e-6)
    )
    if not even or step == np.zeros_like(step):
        place = int(np.argmax(np.abs(intervals - step) > np.abs(step) * 1e-6))
        raise BadInput(
            f"{name} must have equal intervals, got {intervals[place]} after {times[place]} and "
            f"{step} at the end; interpolate the field to equal intervals"
        )
    return times[-1], step


def _listed(values: Any) -> Any:
    if values is None:
        return None
    kind = values.dtype
    if kind.kind in "mM":
        return {"type": kind.str, "values": values.astype(np.int64).tolist()}
    return {"type": kind.str if kind.kind in "biufU" else "U", "values": values.tolist()}


def _array(listed: Any) -> Any:
    if listed is None:
        return None
    kind = np.dtype(str(listed["type"]))
    if kind.kind in "mM":
        return np.array(listed["values"], dtype=np.int64).astype(kind)
    if kind.kind not in "biufU" or kind.itemsize > 4096:
        raise ValueError("the coordinates have a type that no file holds")
    return np.array(listed["values"]).astype(kind)
