"""Whole series, one table (T, d) for each, from arrays, lists and data frames, with missing values
and times of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..series.gaps import guessed
from ..series.observed import times_of
from ..series.sampling import Sampled, usual_step
from .validation import is_list, shape_in_words


def is_cases(X: Any, y: Any) -> bool:
    """Whether X holds whole series: with one label each, rather than one per step."""
    if is_list(X):
        return (
            y is None or len(y) == 0 or np.ndim(y[0] if not hasattr(y, "iloc") else y.iloc[0]) == 0
        )
    return getattr(X, "ndim", 0) == 3 or _has_case_index(X)


def as_cases(estimator: Any, X: Any, time_axis: int | None, *, reset: bool) -> list[Floats]:
    """Checked tables (T, d) without holes, one per case.

    Rows at either end without any number are cut off. Rows with dates are interpolated at the step
    of most series in fit (`sampling_step_`). Missing values in between are guessed, and a column
    that is missing in the whole series gets its mean in fit.
    """
    if time_axis not in (None, 0, 1):
        raise BadInput(
            f"time_axis must be 0, 1 or None, got {time_axis!r}; it is the axis of time within one "
            "case"
        )
    columns = None if reset else estimator.n_features_in_
    found = _tables(X, time_axis, columns)
    given = [_sampled(i, one) for i, one in enumerate(found)]
    columns = given[0].rows.shape[1] if columns is None else columns
    names = _names(found[0]) if reset else getattr(estimator, "feature_names_in_", None)
    _same_columns(found, given, columns, names)
    step = usual_step(given) if reset else getattr(estimator, "sampling_step_", 0.0)
    tables = [_cut(i, one.at(step or one.step)) for i, one in enumerate(given)]
    if reset:
        estimator.n_features_in_, estimator.sampling_step_ = columns, step
        estimator.__dict__.pop("feature_names_in_", None)  # those of an earlier fit
        if names is not None:
            estimator.feature_names_in_ = names
    if any(np.isnan(one).any() for one in tables):
        means = _known_means(tables) if reset else estimator.ensemble_.mean
        return [_filled(one, means) for one in tables]
    return tables


def _tables(X: Any, time_axis: int | None, columns: int | None) -> list[Any]:
    """One table per case, time first; columns: those of fit, None in a fit."""
    if getattr(X, "ndim", 0) == 3:
        X = _filled_masks(X)
        cube = _validation.floats("X", X, (3,), np.float64)
        if time_axis is None and columns is None and cube.shape[1] > cube.shape[2]:
            raise BadInput(
                "X must say which axis is time where cases have more channels than steps, got "
                f"shape {cube.shape}; pass time_axis=1 for (cases, channels, time), time_axis=0 "
                "for (cases, time, channels)"
            )
        return [np.ascontiguousarray(one if time_axis == 0 else one.T) for one in cube]
    if _has_case_index(X):
        groups = X.groupby(level=0, sort=False)
        return [one.set_axis(one.index.droplevel(0)) for _, one in groups]
    if not is_list(X):
        raise BadInput(
            f"X must be a list of series or an array (cases, channels, time), got "
            f"{shape_in_words(X)}; pass [X] for one series, X[:, None, :] for one series per row"
        )
    if time_axis == 1:
        return [_filled_masks(one).T for one in X]
    if time_axis is None and columns is None:
        _refuse_turned([np.shape(one) for one in X])
    return list(X)


def _filled_masks(values: Any) -> Any:
    """An array with NaN in its masked cells."""
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), np.nan, values.data)
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)


def _sampled(place: int, table: Any) -> Sampled:
    """A table with its times."""
    name = f"X[{place}]"
    rows = _validation.floats(name, _filled_masks(table), (1, 2), np.float64)
    rows = rows[:, None] if rows.ndim == 1 else rows
    _validation.at_least(name, len(rows), 1, "to be a series")
    if np.isinf(rows).any():
        row = int(np.argmax(np.isinf(rows).any(axis=1)))
        raise BadInput(
            f"{name} must be finite, got infinity in row {row}; correct it, or make it NaN if it "
            "is missing"
        )
    index = getattr(table, "index", None)
    return Sampled(rows, times_of(index, name) if hasattr(index, "dtype") else None)


def _names(table: Any) -> Any:
    """The names of the columns of a data frame, if they are text."""
    names = getattr(table, "columns", None)
    if names is None or not all(isinstance(one, str) for one in names):
        return None
    return np.array(list(names), dtype=object)


def _same_columns(tables: list[Any], given: list[Sampled], columns: int, names: Any) -> None:
    for i, (table, one) in enumerate(zip(tables, given, strict=True)):
        if one.rows.shape[1] != columns:
            raise BadInput(
                f"X[{i}] must have {columns} column(s), got {one.rows.shape[1]}; all series have "
                "the same columns"
            )
        own = _names(table)
        if names is not None and own is not None and list(own) != list(names):
            raise BadInput(
                f"X[{i}] must have the columns {list(names)}, got {list(own)}; pass them in that "
                "order"
            )


def _cut(place: int, rows: Floats) -> Floats:
    """The rows from the first that has a number to the last."""
    some = np.flatnonzero(~np.isnan(rows).all(axis=1))
    if not len(some):
        raise BadInput(
            f"X[{place}] must have a number somewhere, got only missing ones; leave it out"
        )
    return rows[some[0] : some[-1] + 1]


def _known_means(tables: list[Floats]) -> Floats:
    """The means of the columns over all series that have numbers in them, gaps guessed."""
    return np.array([_mean_of(column, tables) for column in range(tables[0].shape[1])])


def _mean_of(column: int, tables: list[Floats]) -> float:
    known = [guessed(one[:, column : column + 1]) for one in _with_numbers(column, tables)]
    if not known:
        raise BadInput(
            f"column {column} of X must have a number in some series, got none; drop this column"
        )
    together = np.vstack(known)
    return float((together / len(together)).sum())  # which does not overflow


def _with_numbers(column: int, tables: list[Floats]) -> Iterator[Floats]:
    return (one for one in tables if not np.isnan(one[:, column]).all())


def _filled(rows: Floats, means: Floats) -> Floats:
    if not np.isnan(rows).any():
        return rows
    empty = np.isnan(rows).all(axis=0)
    return guessed(np.where(empty, means, rows))


def _refuse_turned(shapes: list[tuple[int, ...]]) -> None:
    """Refuse tables that have more columns than rows.

    Where the number of rows differs and that of columns does not, the rows are time.
    """
    if any(len(shape) != 2 for shape in shapes):
        return
    if len({rows for rows, _ in shapes}) > 1 and len({columns for _, columns in shapes}) == 1:
        return
    for i, (rows, columns) in enumerate(shapes):
        if columns > rows:
            raise BadInput(
                f"X[{i}] must be (time, channels), got shape {(rows, columns)}, more channels than "
                "steps; pass time_axis=1 if it is (channels, time), time_axis=0 if it is not"
            )


def _has_case_index(X: Any) -> bool:
    return getattr(getattr(X, "index", None), "nlevels", 1) == 2
