"""The shapes of a user's series: one table, or a list of tables of any lengths."""

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


def refuse_wide(X: Floats) -> None:
    """Refuse a table with one label per row whose rows may be steps or series."""
    if X.shape[1] >= LEAST_COLUMNS_OF_SERIES:
        raise BadInput(
            "X must say whether its rows are series or steps of one series, got "
            f"{shape_in_words(X)} with a label per row; pass X[:, None, :], which is (cases, "
            "channels, time), or [X] and [y] for steps"
        )


def shape_in_words(X: Any) -> str:
    """What a user passed, for a sentence."""
    shape = np.shape(X)
    return (
        f"a table of shape {shape}" if len(shape) == 2 else f"{type(X).__name__} of shape {shape}"
    )
