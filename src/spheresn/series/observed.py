"""A series as people have it, checked: pandas, polars, lists and arrays; and rows beside it, which
must have its dates and the columns of fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._errors import BadInput
from .._validation import Floats, one_of
from .calendar import Calendar, Places, calendar_of
from .form import SeriesForm
from .missing import FILLS, Wording, interpolated, rows_in_words, settled

SKIP_TO_COUNT = "fill='skip' to count the rows as evenly spaced"
DROP = "or drop the dates: reset_index(drop=True)"


@dataclass(frozen=True, eq=False)
class Observed:
    """Values (T, d), finite unless NaN was to be kept, the form in which they came, and notes about
    what was filled in.
    """

    values: Floats
    form: SeriesForm
    notes: tuple[str, ...] = ()


def has_form(series: Any) -> bool:
    """Whether a series is a pandas or polars object or a list, and not an array."""
    home = type(series).__module__.partition(".")[0]
    return home in ("pandas", "polars") or isinstance(series, (list, tuple))


def observed(series: Any, fill: str | None = None, name: str = "series") -> Observed:
    """The series, checked: numbers in every row, evenly spaced dates.

    `fill` = "linear" interpolates missing values and rows instead of refusing them; "keep" leaves
    NaN in their places; "skip" takes the rows as evenly spaced, whatever their dates; "never" says
    that the caller can do none of this.

    >>> observed([1, 2, 4]).values.ravel().tolist()
    [1.0, 2.0, 4.0]
    >>> observed([1.0, float("nan"), 3.0], fill="linear").values.ravel().tolist()
    [1.0, 2.0, 3.0]
    """
    if fill not in (None, "never", "keep"):
        one_of("fill", fill, FILLS)
    home = type(series).__module__.partition(".")[0]
    if home == "pandas":
        return _from_pandas(series, fill, name)
    if home == "polars":
        flat = not hasattr(series, "columns")
        columns = [series] if flat else series.get_columns()
        names = tuple(column.name for column in columns)
        parts = [numbers(column.to_numpy(), column.name) for column in columns]
        form = SeriesForm("polars", names, flat, None, len(series))
        return _checked(parts, form, np.arange(len(series)), (), fill, name)
    values = _as_array(series, name)
    if values.ndim not in (1, 2):
        raise BadInput(
            f"{name} must be (T,) or (T, d), rows in the order of time, got "
            f"{values.ndim} dimensions; pass such an array"
        )
    table = numbers(values[:, None] if values.ndim == 1 else values, name)
    form = SeriesForm.of_array(table.shape[1], values.ndim == 1, len(table))
    return _checked(list(table.T), form, np.arange(len(table)), (), fill, name)


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
    given = _calendar(frame.index, name)
    if given is None and _are_written_dates(frame.index):
        raise BadInput(
            f"the index of {name} must hold dates, got text such as {frame.index[0]!r}; convert it "
            "by pandas.to_datetime, or read the file with parse_dates=True"
        )
    names = (series.name,) if flat else tuple(frame.columns)
    parts = [numbers(frame.iloc[:, place].to_numpy(), one) for place, one in enumerate(names)]
    if given is None:
        form = SeriesForm("pandas", names, flat, frame.index, len(frame))
        return _checked(parts, form, np.arange(len(frame)), (), fill, name)
    calendar, notes = settled(given, fill, _wording(name, fill))
    places = np.arange(len(frame)) if calendar is given else given.places
    assert places is not None  # a calendar that was completed has them
    form = SeriesForm("pandas", names, flat, calendar.times, len(calendar.times), calendar)
    return _checked(parts, form, places, tuple(notes), fill, name)


def _wording(name: str, fill: str | None) -> Wording:
    if fill in ("never", "keep"):
        advice = f"interpolate first, {DROP}", f"resample it first, {DROP}"
        return Wording(name, "date", *advice, _shown)
    return Wording(
        name,
        "date",
        f"pass fill='linear' to interpolate, or {SKIP_TO_COUNT}",
        f"resample it first, or pass {SKIP_TO_COUNT}",
        _shown,
    )


def _shown(time: Any) -> str:
    return str(time).removesuffix(" 00:00:00")


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


def _calendar(index: Any, name: str) -> Calendar | None:
    """The calendar of dates, each of which comes once, in their order, or of evenly spaced numbers
    that are not whole; None for an index that is only counted.
    """
    calendar = times_of(index, name)
    return calendar if calendar is None or calendar.has_dates or calendar.even else None


def times_of(index: Any, name: str) -> Calendar | None:
    """The calendar of dates, or of rising numbers that are not whole, at any steps; None for an
    index that is only counted.
    """
    import pandas as pd

    if not isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex)):
        rises = index.dtype.kind == "f" and len(index) > 1 and (np.diff(index) > 0.0).all()
        return calendar_of(index) if rises else None
    if index.hasnans:
        raise BadInput(f"the dates of {name} must all be known, got NaT; drop such rows")
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise BadInput(
            f"{name} must have one row for each date, got {twice} twice; sum or drop such rows"
        )
    if not index.is_monotonic_increasing:
        raise BadInput(f"{name} must be in the order of time; sort it: series.sort_index()")
    return calendar_of(index)


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


def _checked(
    columns: list[Floats],
    form: SeriesForm,
    places: Places,
    notes: tuple[str, ...],
    fill: str | None,
    name: str,
) -> Observed:
    """The columns as one table, without holes; places: of the rows among those of the form."""
    if not columns:
        raise BadInput(f"{name} must have a column of numbers, got none; pass at least one")
    values = np.column_stack(columns)
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values).any(axis=1)))
        raise BadInput(f"{name} must be finite, got infinity in row {row}; correct or drop it")
    holes = np.isnan(values)
    if not holes.any() and len(values) == form.rows:
        return Observed(values, form, notes)
    if fill == "keep":
        spread = np.full((form.rows, values.shape[1]), np.nan)
        spread[places] = values
        return Observed(spread, form, notes)
    rows = np.flatnonzero(holes.any(axis=1))
    shown = rows_in_words(rows.tolist())
    if len(rows) and fill != "linear":
        advice = "interpolate first" if fill == "never" else "pass fill='linear' to interpolate"
        raise BadInput(f"{name} must have a number in every row, got none in {shown}; {advice}")
    if holes[[0, -1]].any():
        raise BadInput(
            f"{name} must begin and end with numbers to be interpolated, got none in "
            f"{shown}; shorten it"
        )
    filled = np.column_stack([interpolated(column, places) for column in values.T])
    found = (f"interpolated linearly: {shown}",) if len(rows) else ()
    return Observed(filled, form, (*notes, *found))


def exogenous_columns(
    given: Any,
    rows: int,
    columns: int | None,
    names: tuple[Any, ...] | None,
    index: Any,
    read: Callable[[Any], Floats],
    name: str = "exogenous",
) -> tuple[Floats, tuple[Any, ...] | None]:
    """The checked columns (rows, columns), and their names if they have some.

    columns, names: those of fit, None in a fit and where they are not known; rows are read by
    place, so the names must come in that order. index: dates that the rows must have. read: the
    numbers of a table without dates.

    >>> exogenous_columns([[0.5], [1.5]], 2, 1, None, None, np.array)[0].ravel().tolist()
    [0.5, 1.5]
    """
    table, found = np.zeros((rows, 0)), None
    if given is not None:
        found = tuple(getattr(given, "columns", ())) or None
        if found is not None and names is not None and found != names:
            raise BadInput(
                f"{name} must have the columns of fit, {list(names)}, got {list(found)}; pass "
                "them in that order"
            )
        dated = same_dates(name, given, index)
        table = read(given.reset_index(drop=True) if dated else given)
    expected = table.shape[1] if columns is None else columns
    if table.shape != (rows, expected):
        got = "none" if given is None else table.shape
        raise BadInput(
            f"{name} must have shape ({rows}, {expected}), got {got}; pass one row for each "
            "time, with the columns of fit"
        )
    return table, found


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


def following(form: SeriesForm, rows: SeriesForm) -> None:
    """Require that rows go on after a series: with its columns, and at its next date."""
    if len(rows.names) != len(form.names):
        raise BadInput(
            f"rows must have {len(form.names)} column(s), got {len(rows.names)}; pass those of fit"
        )
    if rows.library == form.library != "numpy" and rows.names != form.names:
        raise BadInput(
            f"rows must have the columns of fit, {list(form.names)}, got {list(rows.names)}; pass "
            "them in that order"
        )
    if form.calendar is not None and rows.calendar is not None and rows.calendar.has_dates:
        coming = form.coming(rows.rows)
        if list(coming) != list(rows.index):
            raise BadInput(
                f"rows must go on with {coming[0]}, got {rows.index[0]} to {rows.index[-1]}; pass "
                "all rows that follow, each once"
            )
