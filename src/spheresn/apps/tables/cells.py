"""Cells of a column: numbers, empty cells, and cells that are neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..._validation import Floats

GROUPED = r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?"  # thousands: 1,234,567.8
EMPTY = {"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "?"}


@dataclass(frozen=True, eq=False)
class Cells:
    """A column: its numbers, NaN where there is none, and which cells are wrong, that is, neither a
    finite number nor empty.
    """

    numbers: Floats
    wrong: NDArray[np.bool_]

    @property
    def mostly_numbers(self) -> bool:
        """Whether this is a column of numbers with a few wrong cells, and not a column of text."""
        return bool(np.isfinite(self.numbers).sum() >= max(self.wrong.sum(), 1))


def cells_of(column: pd.Series) -> Cells:
    """The cells of a column of a data frame. A comma is a decimal comma, unless the column has
    decimal points or several commas in a cell: then commas stand between thousands.
    """
    if column.dtype.kind in "biuf":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Cells(np.where(np.isfinite(values), values, np.nan), np.isinf(values))
    if column.dtype.kind in "mM":
        return Cells(np.full(len(column), np.nan), column.notna().to_numpy())
    words = words_of(column)
    values = _parsed(words)
    wrong = ~np.isfinite(values) & ~words.str.lower().isin(EMPTY).to_numpy()
    return Cells(np.where(np.isfinite(values), values, np.nan), wrong)


def words_of(column: pd.Series) -> pd.Series:
    """The cells as text without blanks around it; an empty cell is ""."""
    if isinstance(column.dtype, pd.StringDtype):  # all at once, since a call per cell is slow
        return column.fillna("").str.strip()
    return column.map(lambda cell: "" if cell is None or cell is pd.NA else str(cell).strip())


def ungrouped(words: pd.Series) -> pd.Series:
    """The words without commas between thousands; as they are if there are other commas.

    >>> list(ungrouped(pd.Series(["999", "1,310"]))), list(ungrouped(pd.Series(["1,5", "1,310"])))
    (['999', '1310'], ['1,5', '1,310'])
    """
    commas = words.str.contains(",", regex=False)
    if not commas.any() or not words[commas].str.strip().str.fullmatch(GROUPED).all():
        return words
    return words.str.replace(",", "", regex=False)


def _parsed(words: pd.Series) -> Floats:
    if not words.str.contains(",", regex=False).any():
        return _numeric(words)
    if words.str.contains(r"\.|,.*,", regex=True).any():
        return _numeric(ungrouped(words))
    return _numeric(words.str.replace(",", ".", regex=False))


def _numeric(words: pd.Series) -> Floats:
    values = pd.to_numeric(words.where(~words.str.lower().isin(EMPTY), "nan"), errors="coerce")
    return np.asarray(values, dtype=np.float64)


def as_number(cell: str) -> float | None:
    """The number in a cell; None if the cell holds no number.

    >>> as_number("1e3"), as_number("1,5"), as_number("speed")
    (1000.0, 1.5, None)
    """
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None
