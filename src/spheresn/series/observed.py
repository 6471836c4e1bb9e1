"""A series as people have it, and forecasts in the same form: pandas, polars, lists and arrays."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._errors import BadInput
from .._validation import Floats, one_of

SHOWN = 5  # row numbers in a sentence


@dataclass(frozen=True, eq=False)
class Form:
    """The form in which a series came, and how it goes on.

    library: "pandas", "polars" or "numpy"; names of the columns; flat: whether one column came
    without a second axis; index: that of pandas, with a frequency where it holds dates; rows: how
    many there were.
    """

    library: str = "numpy"
    names: tuple[Any, ...] = ()
    flat: bool = True
    index: Any = None
    rows: int = 0

    def coming(self, steps: int) -> Any:
        """The index of the next rows: dates, periods, or row numbers."""
        if self.index is None:
            return np.arange(self.rows, self.rows + steps)
        return next_index(self.index, steps)

    def after(self, rows: int) -> Form:
        """The form of the series when so many more rows have come."""
        index = None if self.index is None else self.coming(rows)
        return Form(self.library, self.names, self.flat, index, self.rows + rows)

    def shaped(self, rows: Floats, index: Any) -> Any:
        """Rows (H, d) in the form of the series."""
        if self.library == "pandas":
            import pandas as pd

            if self.flat:
                return pd.Series(rows[:, 0], index, name=self.names[0])
            return pd.DataFrame(rows, index, list(self.names))
        if self.library == "polars":
            import polars as pl

            if self.flat:
                return pl.Series(self.names[0], rows[:, 0])
            return pl.DataFrame(rows, schema=list(self.names))
        return rows[:, 0] if self.flat else rows

    def plain(self) -> dict[str, Any]:
        """All that later forecasts need, for a file."""
        found: dict[str, Any] = {
            "library": self.library,
            "names": [
                name if name is None or isinstance(name, (str, int)) else str(name)
                for name in self.names
            ],
            "flat": self.flat,
            "rows": self.rows,
        }
        if self.index is not None:
            kind = "periods" if hasattr(self.index, "to_timestamp") else "dates"
            if getattr(self.index, "freqstr", None) is None:
                found["index"] = ["numbers", *(str(part) for part in _numbering(self.index))]
            else:
                zone = getattr(self.index, "tz", None)
                found["index"] = [kind, str(self.index[-1]), self.index.freqstr]
                found["index"] += [] if zone is None else [str(zone)]
        return found

    @staticmethod
    def from_plain(found: dict[str, Any]) -> Form:
        """What `plain` gave."""
        index = None
        if "index" in found:
            import pandas as pd

            kind, last, frequency, *zone = (str(part) for part in found["index"])
            if kind == "periods":
                index = pd.PeriodIndex([last], freq=frequency)
            elif kind == "dates":
                dates = pd.DatetimeIndex([last])
                # The date knows the hours from UTC only, and these change with the season
                index = pd.DatetimeIndex(
                    dates.tz_convert(zone[0]) if zone else dates, freq=frequency
                )
            else:
                step = int(frequency)
                index = pd.RangeIndex(int(last) - step, int(last), step)
        library = one_of("library", found["library"], ("numpy", "pandas", "polars"))
        return Form(library, tuple(found["names"]), bool(found["flat"]), index, int(found["rows"]))


@dataclass(frozen=True, eq=False)
class Observed:
    """Finite values (T, d), the form in which they came, and notes about what was filled in."""

    values: Floats
    form: Form
    notes: tuple[str, ...] = ()


def has_form(series: Any) -> bool:
    """Whether a series is a pandas or polars object or a list, and not an array."""
    home = type(series).__module__.partition(".")[0]
    return home in ("pandas", "polars") or isinstance(series, (list, tuple))


def observed(series: Any, fill: str | None = None, name: str = "series") -> Observed:
    """The series, checked: numbers in every row, evenly spaced dates.

    `fill` = "linear" interpolates missing values and rows instead of refusing them; "never" says
    that the caller cannot do that.

    >>> observed([1, 2, 4]).values.ravel().tolist()
    [1.0, 2.0, 4.0]
    >>> observed([1.0, float("nan"), 3.0], fill="linear").values.ravel().tolist()
    [1.0, 2.0, 3.0]
    """
    if fill not in (None, "never"):
        one_of("fill", fill, ("linear",))
    home = type(series).__module__.partition(".")[0]
    if home == "pandas":
        return _from_pandas(series, fill, name)
    if home == "polars":
        flat = not hasattr(series, "columns")
        columns = [series] if flat else series.get_columns()
        names = tuple(column.name for column in columns)
        parts = [numbers(column.to_numpy(), column.name) for column in columns]
        return _checked(parts, Form("polars", names, flat, None, len(series)), (), fill, name)
    values = _as_array(series, name)
    if values.ndim not in (1, 2):
        raise BadInput(
            f"{name} must be (T,) or (T, d), rows in the order of time, got "
            f"{values.ndim} dimensions; pass such an array"
        )
    table = numbers(values[:, None] if values.ndim == 1 else values, name)
    form = Form("numpy", tuple(range(table.shape[1])), values.ndim == 1, None, len(table))
    return _checked(list(table.T), form, (), fill, name)


def _as_array(series: Any, name: str) -> Any:
    if isinstance(series, np.ma.MaskedArray):  # what is masked is missing, whatever lies below
        return np.where(np.ma.getmaskarray(series), np.nan, series.data)
    try:
        return np.asarray(series)
    except ValueError:  # rows of different lengths
        raise BadInput(
            f"{name} must have rows of one length, got different ones; pass one number for each "
            "time and column"
        ) from None


def same_dates(name: str, rows: Any, index: Any) -> bool:
    """Whether rows and index have dates; a `BadInput` if these differ."""
    dates: Any = getattr(rows, "index", None)
    if not (hasattr(dates, "freq") and type(dates) is type(index)):
        return False
    if len(dates) == len(index) and not (dates == index).all():
        at = int(np.argmin(dates == index))
        raise BadInput(
            f"{name} must have the date {index[at]} in row {at}, got {dates[at]}; pass the rows "
            "that belong to these dates, each once"
        )
    return True


def _from_pandas(series: Any, fill: str | None, name: str) -> Observed:
    import pandas as pd

    if not isinstance(series, (pd.Series, pd.DataFrame)):
        raise BadInput(
            f"{name} must be a Series or a DataFrame, got {type(series).__name__}; pass the "
            "values with their index"
        )
    flat = isinstance(series, pd.Series)
    frame = series.to_frame() if flat else series
    if not flat:
        for place, column in enumerate(frame.columns):
            _no_dates(frame.iloc[:, place], column, name)
    if frame.index.nlevels > 1:
        raise BadInput(
            f"the index of {name} must have one level, got {frame.index.nlevels}; pass one series "
            "at a time"
        )
    notes: list[str] = []
    if isinstance(frame.index, (pd.DatetimeIndex, pd.PeriodIndex)):
        frame = _evenly(frame, fill, name, notes)
    elif _are_written_dates(frame.index):
        raise BadInput(
            f"the index of {name} must hold dates, got text such as {frame.index[0]!r}; convert it "
            "by pandas.to_datetime, or read the file with parse_dates=True"
        )
    names = (series.name,) if flat else tuple(frame.columns)
    parts = [numbers(frame.iloc[:, place].to_numpy(), one) for place, one in enumerate(names)]
    form = Form("pandas", names, flat, frame.index, len(frame))
    return _checked(parts, form, tuple(notes), fill, name)


def _no_dates(column: Any, label: Any, name: str) -> None:
    if column.dtype.kind in "Mm":
        raise BadInput(
            f"{name} must hold numbers, got dates in column {label!r}; make them the index: "
            f"frame.set_index({label!r})"
        )


def _are_written_dates(index: Any) -> bool:
    """Whether an index is text that can be read as dates."""
    import pandas as pd

    if not len(index) or not all(isinstance(label, str) for label in index):
        return False
    return not pd.isna(pd.to_datetime(index, errors="coerce", format="ISO8601")).any()


def _evenly(frame: Any, fill: str | None, name: str, notes: list[str]) -> Any:
    """The frame with a frequency; missing rows are added as missing values."""
    import pandas as pd

    index = frame.index
    if index.hasnans:
        raise BadInput(f"the dates of {name} must all be known, got NaT; drop such rows")
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise BadInput(
            f"{name} must have one row for each date, got {twice} twice; sum or drop such rows"
        )
    if not index.is_monotonic_increasing:
        raise BadInput(f"{name} must be in the order of time; sort it: series.sort_index()")
    if isinstance(index, pd.PeriodIndex):
        every = pd.period_range(index[0], index[-1], freq=index.freq)
    elif index.freq is not None:
        return frame
    else:
        frequency = frequency_of(index)
        if frequency is not None:
            return frame.set_axis(pd.DatetimeIndex(index, freq=frequency))
        every = _regular(index)
    if every is None or not index.isin(every).all():
        raise BadInput(
            f"{name} must have evenly spaced dates, got steps from {index.to_series().diff().min()}"
            f" to {index.to_series().diff().max()}; resample it first"
        )
    lacking = len(every) - len(index)
    if lacking and fill != "linear":
        missing = every[~every.isin(index)]
        raise BadInput(
            f"{name} must have a row for every date, got none for {missing[0]}"
            f"{f' and {lacking - 1} more' if lacking > 1 else ''}; {_advice(fill)}"
        )
    if lacking:
        notes.append(f"{lacking} missing rows were interpolated")
    return frame.reindex(every)


def frequency_of(index: Any) -> Any:
    """The frequency of evenly spaced dates, or None."""
    import pandas as pd

    if len(index) < 3:
        return None
    with warnings.catch_warnings():
        # A future pandas returns an offset here and warns about it; `to_offset` takes both
        warnings.simplefilter("ignore")
        found = pd.infer_freq(index)
    if found is None:
        return None
    name = pd.tseries.frequencies.to_offset(found).freqstr
    for one in (name, name.replace("WOM-4", "LWOM-")):  # pandas takes last Fridays for fourth ones
        every = pd.date_range(index[0], periods=len(index), freq=one)
        if (every == index).all():
            return every.freq
    return None


def _regular(index: Any) -> Any:
    """Evenly spaced dates that hold all of the index but may have more, or None.

    Months, quarters and years first: their lengths in days differ.
    """
    import pandas as pd

    if len(index) < 3:
        return None
    month = index[0].month  # fiscal years and their quarters may begin in any
    fiscal = (
        pd.offsets.QuarterBegin(startingMonth=month),
        pd.offsets.QuarterEnd(startingMonth=month),
        pd.offsets.YearBegin(month=month),
        pd.offsets.YearEnd(month=month),
    )
    for frequency in ("MS", "ME", "QS", "QE", "YS", "YE", "B", *fiscal):
        every = pd.date_range(index[0], index[-1], freq=frequency)
        if index.isin(every).all() and len(every) < 2 * len(index):
            return every
    step = index.to_series().diff().mode()[0]
    # Days of the calendar, which are not all 24 hours long where clocks change
    days, rest = divmod(step, pd.Timedelta(days=1))
    return pd.date_range(index[0], index[-1], freq=step if rest else pd.offsets.Day(days))


def next_index(index: Any, steps: int) -> Any:
    """What follows a pandas index."""
    import pandas as pd

    if isinstance(index, pd.PeriodIndex):
        return pd.period_range(index[-1] + 1, periods=steps, freq=index.freq)
    if isinstance(index, pd.DatetimeIndex):
        return pd.date_range(index[-1], periods=steps + 1, freq=index.freq)[1:]
    first, step = _numbering(index)
    return pd.RangeIndex(first, first + steps * step, step)


def _numbering(index: Any) -> tuple[int, int]:
    """The next number of an index, and its step: evenly spaced whole numbers go on, and anything
    else is counted from 0.
    """
    import pandas as pd

    if isinstance(index, pd.RangeIndex) and len(index):
        return int(index[-1]) + index.step, int(index.step)
    if getattr(index.dtype, "kind", "O") in "iu" and len(index) > 1:
        steps = np.diff(index.to_numpy())
        if (steps == steps[0]).all() and steps[0] != 0:
            return int(index[-1]) + int(steps[0]), int(steps[0])
    return len(index), 1


def numbers(values: Any, label: Any) -> Floats:
    """The values as floats; what is no number gets a sentence."""
    if values.dtype.kind in "Mm":
        raise BadInput(
            f"column {label!r} must hold numbers, got dates; drop it, or make it the index of a "
            "pandas object"
        )
    if values.dtype.kind == "c":
        raise BadInput(f"column {label!r} must hold real numbers, got complex ones; convert them")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        flat = [one for one in np.ravel(values) if not isinstance(one, (int, float))]
        raise BadInput(
            f"column {label!r} must hold numbers, got {str(flat[0])[:40]!r}; convert or drop it"
        ) from None


def _advice(fill: str | None) -> str:
    return "interpolate first" if fill == "never" else "pass fill='linear' to interpolate"


def _checked(
    columns: list[Floats], form: Form, notes: tuple[str, ...], fill: str | None, name: str
) -> Observed:
    """The columns as one table, without holes."""
    if not columns:
        raise BadInput(f"{name} must have a column of numbers, got none; pass at least one")
    values = np.column_stack(columns)
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values).any(axis=1)))
        raise BadInput(f"{name} must be finite, got infinity in row {row}; correct or drop it")
    holes = np.isnan(values)
    if not holes.any():
        return Observed(values, form, notes)
    places = np.flatnonzero(holes.any(axis=1))
    shown = ", ".join(str(place) for place in places[:SHOWN])
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    if fill != "linear":
        raise BadInput(
            f"{name} must have a number in every row, got none in row {shown}{more}; "
            f"{_advice(fill)}"
        )
    if holes[[0, -1]].any():
        raise BadInput(
            f"{name} must begin and end with numbers to be interpolated, got none in row "
            f"{shown}{more}; shorten it"
        )
    rows = np.arange(len(values))
    filled = [
        np.interp(rows, rows[~hole], column[~hole])
        for column, hole in zip(values.T, holes.T, strict=True)
    ]
    note = f"interpolated linearly: row {shown}{more}"
    return Observed(np.column_stack(filled), form, (*notes, note))
