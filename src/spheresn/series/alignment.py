"""Rows beside a series: they must have its dates and the columns of fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import BadInput
from .._validation import Floats


def exogenous_columns(
    given: Any,
    rows: int,
    columns: int | None,
    names: tuple[Any, ...] | None,
    index: Any,
    read: Callable[[Any], Floats],
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
                f"exogenous must have the columns of fit, {list(names)}, got {list(found)}; pass "
                "them in that order"
            )
        dated = same_dates("exogenous", given, index)
        table = read(given.reset_index(drop=True) if dated else given)
    expected = table.shape[1] if columns is None else columns
    if table.shape != (rows, expected):
        got = "none" if given is None else table.shape
        raise BadInput(
            f"exogenous must have shape ({rows}, {expected}), got {got}; pass one row for each "
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
