"""Panels as people have them: long and wide frames of pandas or polars, and dictionaries of series.

pandas is imported where it is needed. A panel has one calendar, that of all its times together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._errors import BadInput
from ..._validation import Floats, one_of
from ...series.calendar import calendar_of, times_after
from ...series.observed import numbers
from .defaults import PANEL_DEFAULTS
from .windows import Block, Places, offsets_of


@dataclass(frozen=True, eq=False)
class Names:
    """The columns of a long frame: ids, times, values; those known ahead; those of each series."""

    id: str
    time: str
    target: str
    known: tuple[str, ...] = ()
    static: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Encoding:
    """How columns become numbers: for each its name and its categories, or None for numbers; and
    the mean and scale of the numbers that come of it.
    """

    columns: tuple[tuple[str, tuple[str, ...] | None], ...]
    mean: Floats
    scale: Floats


@dataclass(frozen=True, eq=False)
class PanelRows:
    """A panel in one table: labels (n,) of the series, sorted; its rows as a `Block`; times: all of
    the calendar, and the step from one to the next; library: "pandas" or "polars"; notes.
    """

    labels: NDArray[Any]
    block: Block
    times: Any
    step: Any
    library: str
    notes: tuple[str, ...] = ()

    def taken(self, which: Places) -> PanelRows:
        """Some of the series."""
        return replace(self, labels=self.labels[which], block=self.block.taken(which))

    def times_after_ends(self, steps: int) -> Any:
        """The times (n H) that follow the end of each series."""
        ends = self.block.places + self.block.lengths
        last = int(ends.max()) + steps
        every = going_on(self.times, self.step, last - len(self.times))
        return every[(ends[:, None] + np.arange(steps)[None]).ravel()]


def home_of(frame: Any) -> str:
    """The package of an object: "pandas", "polars", ..."""
    return type(frame).__module__.partition(".")[0]


def long_frame(frame: Any, names: Names) -> tuple[Any, str]:
    """The panel as a long frame of pandas, and the library that it came from."""
    import pandas as pd

    home = home_of(frame)
    if isinstance(frame, Mapping):
        return _from_mapping(frame, names), "pandas"
    if home == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if home == "polars" and hasattr(frame, "get_columns"):
        table = pd.DataFrame({one.name: one.to_numpy() for one in frame.get_columns()})
    elif isinstance(frame, pd.DataFrame):
        table = frame
    else:
        raise BadInput(
            "frame must be a data frame of pandas or polars or a dictionary of series, got "
            f"{type(frame).__name__}; pass a long frame with columns of ids, times and values"
        )
    if names.id in table.columns:
        return table, home
    known = {names.time, names.target, *names.known, *names.static}
    if names.target in table.columns or set(names.known) & set(table.columns):
        listed = ", ".join(map(repr, list(table.columns)[:8]))
        raise BadInput(
            f"frame must have the column {names.id!r} with the names of the series, got {listed}; "
            "say which it is: id=..."
        )
    return _from_wide(table, names, known), home


def _from_wide(table: Any, names: Names, aside: set[str]) -> Any:
    """A frame whose columns are series; the times are a column or the index."""
    import pandas as pd

    times = table[names.time] if names.time in table.columns else table.index
    columns = [name for name in table.columns if name not in aside]
    if not columns:
        raise BadInput("frame must have a column for each series, got none; pass such a frame")
    parts = [
        pd.DataFrame(
            {
                names.id: str(name),
                names.time: np.asarray(times) if not hasattr(times, "freq") else times,
                names.target: numbers(table[name].to_numpy(), name),
            }
        )
        for name in columns
    ]
    return pd.concat(parts, ignore_index=True)


def _from_mapping(series: Mapping[Any, Any], names: Names) -> Any:
    """A dictionary from names to series of pandas, or to arrays, whose rows are counted."""
    import pandas as pd

    parts = []
    for name, one in series.items():
        index = one.index if isinstance(one, pd.Series) else range(len(one))
        values = numbers(np.asarray(one), name)
        parts.append(pd.DataFrame({names.id: str(name), names.time: index, names.target: values}))
    if not parts:
        raise BadInput("frame must have a series, got none; pass at least one")
    return pd.concat(parts, ignore_index=True)


def read_panel(
    frame: Any,
    names: Names,
    codes: tuple[Encoding, Encoding] | None = None,
    within: PanelRows | None = None,
) -> tuple[PanelRows, tuple[Encoding, Encoding]]:
    """The panel, checked, and how its known and static columns were encoded. Of other rows than
    those of a fit, `codes` and the calendar are those of the fit, `within`.
    """
    table, library = long_frame(frame, names)
    for option, column in _columns(names):
        if column not in table.columns:
            one_of(option, column, [str(one) for one in table.columns])
    table = _sorted(table, names)
    values = numbers(table[names.target].to_numpy(), names.target)
    if np.isinf(values).any():
        row = table.index[int(np.argmax(np.isinf(values)))]
        raise BadInput(f"{names.target} must be finite, got infinity in row {row}; correct it")
    kept = ~np.isnan(values)
    table, values = table[kept], values[kept]
    if not len(table):
        raise BadInput(f"frame must have numbers in {names.target!r}, got none; pass some rows")
    labels, first, counts = _groups(table[names.id])
    if within is None:
        times, step, places = calendar_of_times(table[names.time], names)
    else:
        times, step, places = _places_within(table[names.time], names, within)
    encodings = codes or (
        encoding_of(table, names.known),
        encoding_of(table.iloc[first], names.static),
    )
    known = encoded(table, encodings[0])
    static = encoded(table.iloc[first], encodings[1])
    _constant(table, names, first, counts)
    return (
        _evenly(labels, counts, places, values, known, static, times, step, library),
        encodings,
    )


def _columns(names: Names) -> list[tuple[str, str]]:
    single = [("id", names.id), ("time", names.time), ("target", names.target)]
    return [
        *single,
        *(("exogenous", one) for one in names.known),
        *(("static", one) for one in names.static),
    ]


def _sorted(table: Any, names: Names) -> Any:
    if table[names.id].isna().any() or table[names.time].isna().any():
        raise BadInput(
            f"{names.id!r} and {names.time!r} must be known in every row, got a missing one; drop "
            "such rows"
        )
    columns = [column for _, column in _columns(names)]
    table = table[columns].assign(**{names.id: table[names.id].astype(str)})
    table = table.sort_values([names.id, names.time], kind="stable")
    again = table.duplicated([names.id, names.time])
    if again.any():
        one = table[again].iloc[0]
        raise BadInput(
            f"frame must have one row for each series and time, got {one[names.time]} twice for "
            f"{one[names.id]!r}; sum or drop such rows"
        )
    return table


def _groups(ids: Any) -> tuple[NDArray[Any], Places, Places]:
    """The labels, the first row of each series and its number of rows, of sorted ids."""
    words = ids.to_numpy(dtype=object)
    first = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]]))
    return words[first], first, np.diff(np.concatenate([first, [len(words)]]))


def calendar_of_times(times: Any, names: Names) -> tuple[Any, Any, Places]:
    """All times of the calendar, the step, and the place of each row among them."""
    import pandas as pd

    kind = times.dtype.kind if hasattr(times.dtype, "kind") else "O"
    if kind not in "Miuf" and not isinstance(times.dtype, pd.PeriodDtype):
        raise BadInput(
            f"{names.time!r} must hold dates or numbers, got {times.iloc[0]!r}; convert it by "
            "pandas.to_datetime"
        )
    every = pd.Index(times.unique()).sort_values()
    if kind in "iuf":
        every = pd.Index(every.to_numpy(np.float64))
    found = calendar_of(every)
    if found.places is None:
        raise BadInput(
            f"{names.time!r} must have even steps within the panel, but {found.lack()} was found; "
            "resample the rows, or number them"
        )
    keys = pd.Index(times.to_numpy(np.float64)) if kind in "iuf" else pd.Index(times)
    calendar = found.every
    if kind in "iu" and float(found.step).is_integer():
        calendar = pd.Index(np.round(calendar.to_numpy()).astype(np.int64))
    return calendar, found.step, found.places[every.get_indexer(keys)]


def _places_within(times: Any, names: Names, within: PanelRows) -> tuple[Any, Any, Places]:
    """The calendar of a fit, as long as the times need, the step, and their places in it; those
    before it have places below zero.
    """
    import pandas as pd

    first, last, step = within.times[0], times.max(), within.step
    every = within.times
    try:
        while every[-1] < last:
            every = going_on(every, step, len(every))
        earlier = _before(within.times, step, times.min())
        both = earlier.append(every) if len(earlier) else every
        keys = pd.Index(times.to_numpy(both.dtype) if both.dtype.kind in "iuf" else times)
        found = both.get_indexer(keys)
    except (TypeError, ValueError):
        found = np.array([-1])
    if (found < 0).any():
        at = times.iloc[int(np.argmax(found < 0))]
        raise BadInput(
            f"{names.time!r} must have the times of the fit, which begin with {first}, and the "
            f"same steps, got {at}; pass such rows"
        )
    count = max(len(within.times), int(found.max()) - len(earlier) + 1)
    return every[:count], step, np.asarray(found - len(earlier), np.int64)


def _before(times: Any, step: Any, least: Any) -> Any:
    """The times before the first of a calendar, as far back as the least."""
    import pandas as pd

    count = 1
    while times[0] > least:
        if not hasattr(times, "freq"):
            found = pd.Index(times[0] - step * np.arange(count, 0, -1)).astype(times.dtype)
        elif isinstance(times, pd.PeriodIndex):
            found = pd.period_range(end=times[0] - 1, periods=count, freq=step)
        else:
            found = pd.date_range(end=times[0], periods=count + 1, freq=step)[:-1]
        if found[0] <= least:
            return found
        count *= 2
    return times[:0]


def going_on(times: Any, step: Any, count: int) -> Any:
    """The times and as many more."""
    import pandas as pd

    if count <= 0:
        return times
    after = times_after(times, step, count)
    if getattr(times.dtype, "kind", "O") in "iu":
        after = pd.Index(np.round(after.to_numpy()).astype(np.int64))
    return times.append(after)


def _evenly(
    labels: NDArray[Any],
    counts: Places,
    places: Places,
    values: Floats,
    known: Floats,
    static: Floats,
    times: Any,
    step: Any,
    library: str,
) -> PanelRows:
    """The rows with what is missing between them: values on straight lines, the known columns of
    the row before.
    """
    begin = np.cumsum(counts) - counts
    lengths = places[begin + counts - 1] - places[begin] + 1
    if (lengths.sum() > PANEL_DEFAULTS.most_filled * len(values)) and (lengths != counts).any():
        at = int(np.argmax(lengths - counts))
        raise BadInput(
            f"series must have most of their times, got {counts[at]} of {lengths[at]} for "
            f"{labels[at]!r}; add the rows that are lacking, or drop the series"
        )
    starts = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.repeat(starts[:-1] - places[begin], counts) + places
    notes: tuple[str, ...] = ()
    if starts[-1] > len(values):
        missing = int(starts[-1]) - len(values)
        gaps = int((lengths > counts).sum())
        notes = (f"interpolated linearly: {missing} rows that were missing in {gaps} series",)
        every = np.arange(starts[-1])
        values = np.interp(every, rows, values)
        known = known[np.searchsorted(rows, every, side="right") - 1]
    keys = np.array([key_of(label) for label in labels], np.uint64)
    first = places[begin]
    none = np.zeros((len(labels), 0, known.shape[1]))
    block = Block(keys, values, starts, first, known, none, static, offsets_of(values, starts))
    return PanelRows(labels, block, times, step, library, notes)


def key_of(label: str) -> int:
    """A number for a label, the same everywhere."""
    return int.from_bytes(blake2b(label.encode(), digest_size=8).digest(), "little")


def _constant(table: Any, names: Names, first: Places, counts: Places) -> None:
    for name in names.static:
        column = table[name].to_numpy(dtype=object)
        differs = column != np.repeat(column[first], counts)
        if differs.any():
            label = table[names.id].iloc[int(np.argmax(differs))]
            raise BadInput(
                f"static column {name!r} must be the same in all rows of a series, got several "
                f"values for {label!r}; name it in exogenous if its future is known"
            )


def encoding_of(table: Any, columns: Sequence[str]) -> Encoding:
    """Numbers stay, and of words each category is a column."""
    found = []
    for name in columns:
        is_number = table[name].dtype.kind in "biuf"
        words = None if is_number else tuple(sorted(table[name].astype(str).unique()))
        found.append((name, words))
    plain = Encoding(tuple(found), np.zeros(0), np.ones(0))
    rows = encoded(table, plain)
    spread = rows.std(axis=0)
    return Encoding(plain.columns, rows.mean(axis=0), np.where(spread > 0.0, spread, 1.0))


def encoded(table: Any, encoding: Encoding) -> Floats:
    """The columns (R, e) as numbers of mean 0 and deviation 1; words that were not in the fit are
    none of the categories.
    """
    parts = [np.zeros((len(table), 0))]
    for name, words in encoding.columns:
        if name not in table.columns:
            one_of("exogenous", name, [str(one) for one in table.columns])
        if words is None:
            column = numbers(table[name].to_numpy(), name)
            if not np.isfinite(column).all():
                raise BadInput(
                    f"column {name!r} must be known in every row, got a missing value; fill it"
                )
            parts.append(column[:, None])
        else:
            texts = table[name].astype(str).to_numpy(dtype=object)
            parts.append((texts[:, None] == np.array(words, dtype=object)[None]).astype(np.float64))
    rows = np.hstack(parts)
    return (rows - encoding.mean) / encoding.scale if len(encoding.mean) else rows
