"""The shapes of a user's series: one table, a list of tables of any lengths, or labelled cases."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import validate_data

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..series.observed import numbers

# Columns of a table with one label per row, from which on its rows may well be series
LEAST_COLUMNS_OF_SERIES = 24


def is_list(signal: Any) -> bool:
    """Several series: a list or tuple of arrays or data frames, not of numbers."""
    return (
        isinstance(signal, (list, tuple))
        and len(signal) > 0
        and all(hasattr(s, "shape") and len(s.shape) >= 1 for s in signal)
    )


def validated(estimator: Any, *tables: Any, **options: Any) -> Any:
    """scikit-learn's `validate_data` as floats.

    It finds infinities by a sum, which may overflow without there being any.
    """
    for name, one in zip("Xy", tables, strict=False):
        _validation.unmasked(name, one)
    shape = getattr(tables[0], "shape", None)
    if shape is not None and len(shape) == 1:
        # scikit-learn would print the values. Its checks look for its own last words
        raise BadInput(
            f"X must be a table (rows, columns), got {shape[0]} values without columns. Reshape "
            "your data: X.reshape(-1, 1), or X.to_frame() for pandas, is a table of one column"
        )
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            return validate_data(estimator, *tables, dtype=np.float64, **options)
    except (TypeError, ValueError):
        _explain(tables[0])
        raise


def _explain(table: Any) -> None:
    """Refuse what scikit-learn refused by the name of the column or the number of the row."""
    if hasattr(table, "iloc"):
        columns = [table.iloc[:, place].to_numpy() for place in range(table.shape[1])]
        found = zip(columns, table.columns, strict=True)
        table = np.column_stack([numbers(column, name) for column, name in found])
    if not isinstance(table, np.ndarray) or table.dtype.kind != "f" or table.ndim != 2:
        return
    wrong = ~np.isfinite(table).all(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "NaN" if np.isnan(table[row]).any() else "infinity"
        raise BadInput(
            f"X must have finite numbers in every row, got {what} in row {row}; fill or correct it"
        )


def as_series(estimator: Any, signal: Any, *, reset: bool) -> list[Floats]:
    """Checked tables (T, d), d the same for all and, unless `reset`, the same as in fit."""
    if not is_list(signal):
        return [validated(estimator, signal, reset=reset)]
    tables = [_validation.table(f"X[{i}]", _values(one)) for i, one in enumerate(signal)]
    columns = tables[0].shape[1] if reset else estimator.n_features_in_
    for i, one in enumerate(tables):
        if one.shape[1] != columns:
            raise BadInput(
                f"X[{i}] must have {columns} column(s), got {one.shape[1]}; all series have the "
                "same columns"
            )
        _validation.at_least(f"X[{i}]", len(one), 1, "to be a series")
    if reset:
        estimator.n_features_in_ = columns
        estimator.__dict__.pop("feature_names_in_", None)  # those of an earlier fit
    return tables


def as_targets(targets: Any, series: list[Floats], several: bool) -> list[Floats]:
    """Checked tables (T, m), one for each series and as long."""
    given = list(targets) if several else [targets]
    if len(given) != len(series):
        raise BadInput(
            f"y must have one entry per series, {len(series)}, got {len(given)}; pass a list as "
            "long as X"
        )
    tables = [
        _validation.table("y" if not several else f"y[{i}]", _values(one))
        for i, one in enumerate(given)
    ]
    for i, (one, rows) in enumerate(zip(tables, series, strict=True)):
        _validation.same_length("y" if not several else f"y[{i}]", one, "X", rows)
        if one.shape[1] != tables[0].shape[1]:
            raise BadInput(
                f"y[{i}] must have {tables[0].shape[1]} column(s), got {one.shape[1]}; all series "
                "have the same outputs"
            )
    return tables


def _values(one: Any) -> ArrayLike:
    return np.asarray(one.to_numpy() if hasattr(one, "to_numpy") else one)


def is_cases(X: Any, y: Any) -> bool:
    """Whether X holds whole series: with one label each, rather than one per step."""
    if is_list(X):
        return (
            y is None or len(y) == 0 or np.ndim(y[0] if not hasattr(y, "iloc") else y.iloc[0]) == 0
        )
    return getattr(X, "ndim", 0) == 3 or _has_case_index(X)


def as_cases(estimator: Any, X: Any, time_axis: int | None, *, reset: bool) -> list[Floats]:
    """Checked tables (T, d), one per case."""
    if time_axis not in (None, 0, 1):
        raise BadInput(
            f"time_axis must be 0, 1 or None, got {time_axis!r}; it is the axis of time within one "
            "case"
        )
    columns = None if reset else estimator.n_features_in_
    if getattr(X, "ndim", 0) == 3:
        X = _validation.array("X", X, 3)
        axis = 1 if time_axis is None else time_axis
        if time_axis is None and columns is None and X.shape[1] > X.shape[2]:
            raise BadInput(
                "X must say which axis is time where cases have more channels than steps, got "
                f"shape {X.shape}; pass time_axis=1 for (cases, channels, time), time_axis=0 for "
                "(cases, time, channels)"
            )
        tables = list(np.swapaxes(X, 1, 2) if axis == 1 else X)
        return as_series(estimator, [np.ascontiguousarray(one) for one in tables], reset=reset)
    if _has_case_index(X):
        return as_series(estimator, [one for _, one in X.groupby(level=0, sort=False)], reset=reset)
    if not is_list(X):
        raise BadInput(
            f"X must be a list of series or an array (cases, channels, time), got {_shape(X)}; "
            "pass [X] for one series, X[:, None, :] for one series per row"
        )
    if time_axis == 1:
        return as_series(estimator, [np.asarray(one).T for one in X], reset=reset)
    if time_axis is None and columns is None:
        _refuse_turned([np.shape(one) for one in X])
    return as_series(estimator, X, reset=reset)


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


def refuse_wide(X: Floats) -> None:
    """Refuse a table with one label per row whose rows may be steps or series."""
    if X.shape[1] >= LEAST_COLUMNS_OF_SERIES:
        raise BadInput(
            f"X must say whether its rows are series or steps of one series, got {_shape(X)} with "
            "a label per row; pass X[:, None, :], which is (cases, channels, time), or [X] and [y] "
            "for steps"
        )


def _has_case_index(X: Any) -> bool:
    return getattr(getattr(X, "index", None), "nlevels", 1) == 2


def _shape(X: Any) -> str:
    shape = np.shape(X)
    return (
        f"a table of shape {shape}" if len(shape) == 2 else f"{type(X).__name__} of shape {shape}"
    )
