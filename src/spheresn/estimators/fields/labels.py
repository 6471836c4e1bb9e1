"""The names and coordinates of an xarray field, kept without xarray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._errors import BadInput
from ...series.calendar import calendar_of, times_after
from ...series.frequency import from_text, to_text


@dataclass(frozen=True, eq=False)
class Labels:
    """Name, axes and coordinates of a DataArray; of time, the last coordinate and the interval,
    which is a frequency of the calendar where dates are not equally far apart, such as months.
    """

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
            coordinates[self.dims[0]] = self._coming(len(values))
        return xarray.DataArray(values, coordinates, self.dims, self.name)

    def after(self, field: Any, rows: int) -> Labels:
        """The labels after more rows were seen: their last time, if they have times."""
        if not hasattr(field, "coords") or self.last is None or self.dims[0] not in field.coords:
            moved = None if self.last is None else self._coming(rows)[-1]
            return Labels(self.name, self.dims, self.coordinates, moved, self.interval)
        last = np.asarray(field.coords[self.dims[0]])[-1]
        return Labels(self.name, self.dims, self.coordinates, last, self.interval)

    def _coming(self, steps: int) -> Any:
        """The times of the next rows."""
        if not _is_frequency(self.interval):
            return self.last + self.interval * np.arange(1, steps + 1)
        import pandas as pd

        return times_after(pd.DatetimeIndex([self.last]), self.interval, steps).to_numpy()

    def plain(self) -> dict[str, Any]:
        """As values of a JSON header."""
        times = None if self.last is None else np.array([self.last])
        interval = None if self.last is None else _listed_interval(self.interval)
        return {
            "name": self.name,
            "dims": list(self.dims),
            "coordinates": {name: _listed(values) for name, values in self.coordinates.items()},
            "last": _listed(times),
            "interval": interval,
        }

    @staticmethod
    def from_plain(values: dict[str, Any]) -> Labels:
        """The labels that `plain` described."""
        last = _array(values["last"])
        return Labels(
            None if values["name"] is None else str(values["name"]),
            tuple(str(one) for one in values["dims"]),
            {str(name): _array(one) for name, one in values["coordinates"].items()},
            None if last is None else last[0],
            _interval(values["interval"]),
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
    if not even and times.dtype.kind == "M" and (intervals > np.zeros_like(step)).all():
        import pandas as pd

        calendar = calendar_of(pd.DatetimeIndex(times))
        if calendar.even:
            return times[-1], calendar.step
    if not even or step == np.zeros_like(step):
        place = int(np.argmax(np.abs(intervals - step) > np.abs(step) * 1e-6))
        raise BadInput(
            f"{name} must have equal intervals, got {intervals[place]} after {times[place]} and "
            f"{step} at the end; interpolate the field to equal intervals"
        )
    return times[-1], step


def completed(field: Any) -> Any:
    """A DataArray with rows of NaN at the times that are missing, and even times where those of a
    clock are nearly so. What has no times, or is not most of even ones, stays as it is.
    """
    dim = field.dims[0] if field.dims else None
    if dim is None or dim not in field.coords or len(field) < 2:
        return field
    times = np.asarray(field.coords[dim])
    if times.dtype.kind not in "iufM" or not (np.diff(times) > np.diff(times[:1].repeat(2))).all():
        return field
    import pandas as pd

    index = pd.DatetimeIndex(times) if times.dtype.kind == "M" else pd.Index(times.astype(float))
    calendar = calendar_of(index)
    if not calendar.can_be_filled or (calendar.even and calendar.jitter == 0.0):
        return field
    if times.dtype.kind != "M" and calendar.even:  # rounded numbers are even as they are
        return field
    named = field.assign_coords({dim: calendar.every[calendar.places]})
    return named.reindex({dim: calendar.every})


def _is_frequency(interval: Any) -> bool:
    return hasattr(interval, "rule_code") or hasattr(interval, "kwds")


def _listed_interval(interval: Any) -> Any:
    if _is_frequency(interval):
        return {"type": "frequency", "values": [to_text(interval)]}
    return _listed(np.array([interval]))


def _interval(listed: Any) -> Any:
    if listed is not None and listed["type"] == "frequency":
        return from_text(str(listed["values"][0]))
    found = _array(listed)
    return None if found is None else found[0]


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
