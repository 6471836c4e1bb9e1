"""The forms in which people have many labelled series."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from .validation import as_series, is_list

# Columns of a table with one label per row, from which on its rows may well be series
LEAST_COLUMNS_OF_SERIES = 24


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
