"""Rows beside a series: they must have its dates and the columns of fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import BadInput


def aligned(exogenous: Any, names: tuple[Any, ...] | None, index: Any) -> tuple[Any, Any]:
    """Exogenous columns, without dates that were checked, and their names; None without names.

    names: those of fit, which these must repeat, as rows are read by place; index: the dates that
    the rows must have.
    """
    found = tuple(getattr(exogenous, "columns", ())) or None
    if found is not None and names is not None and found != names:
        raise BadInput(
            f"exogenous must have the columns of fit, {list(names)}, got {list(found)}; pass them "
            "in that order"
        )
    checked = same_dates("exogenous", exogenous, index)
    return (exogenous.reset_index(drop=True) if checked else exogenous), found


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
