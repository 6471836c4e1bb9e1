"""A table before its columns are understood: named columns of cells, found below titles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..._errors import BadInput
from .cells import as_number

LINES_ABOVE = 30  # rows of titles above a table, at most
LONGEST_TITLE = 60  # characters of a title in a note


class FileError(BadInput):
    """A file that is missing or damaged, or holds no table."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """Named columns; the number of the first row below their names, as a spreadsheet shows it;
    notes about how they were found; whether commas separate the cells of the file; its name.
    """

    frame: pd.DataFrame
    first_row: int
    notes: tuple[str, ...] = ()
    quoted: bool = False
    source: str = ""


def headed(
    rows: pd.DataFrame, source: str, notes: Sequence[str] = (), values: pd.DataFrame | None = None
) -> Sheet:
    """The table in rows of text: below titles and empty rows, its first row names the columns,
    unless it holds only numbers. values: the same cells before they became text, which the table
    has instead.
    """
    filled = np.flatnonzero((rows != "").any(axis=1).to_numpy())
    if not len(filled):
        raise FileError(
            f"FILE must hold a table, got only empty lines in {source!r}; check how it was written"
        )
    rows = rows.iloc[: filled[-1] + 1]
    head = _header(rows, filled)
    skipped = [_text(rows.iloc[place]) for place in filled[filled < head]]
    notes = [*notes, *([f"skipped above the table: {'; '.join(skipped)}"] if skipped else [])]
    first, names = head + 1, rows.iloc[head].tolist()
    if all(as_number(cell) is not None for cell in names if cell.strip()):
        first, names = head, [f"column {i + 1}" for i in range(rows.shape[1])]
    body = rows.iloc[first:]
    if _has_row_names(names, body):  # as R writes them: without a name of their own
        names = ["row names", *names[:-1]]
    kept = np.array([bool(name.strip()) for name in names])
    # Columns without name and cells stand beside a table, or after a last delimiter
    kept |= (body != "").any(axis=0).to_numpy() | (len(body) == 0)
    cells = (rows if values is None else values).iloc[first : first + len(body)]
    return Sheet(cells.set_axis(names, axis=1).loc[:, kept], first + 1, tuple(notes))


def _header(rows: pd.DataFrame, filled: np.ndarray) -> int:
    """The row with the names of the columns. Titles are rows of few words above a row of words that
    has at least twice as many cells.
    """
    for place in filled[:LINES_ABOVE]:
        cells = [cell for cell in rows.iloc[place] if cell.strip()]
        if any(as_number(cell) is not None for cell in cells):
            break
        above = filled[filled < place]
        counts = [(rows.iloc[one] != "").sum() for one in above]
        alone = [rows.iloc[one, 0] != "" for one in above]
        if len(cells) > 1 and above.size and all(alone) and 2 * max(counts) <= len(cells):
            return int(place)
    return int(filled[0])


def _text(row: pd.Series) -> str:
    words = " ".join(cell.strip() for cell in row if cell.strip())
    return words if len(words) <= LONGEST_TITLE else f"{words[: LONGEST_TITLE - 1]}…"


def _has_row_names(names: Sequence[str], body: pd.DataFrame) -> bool:
    """Whether the header has one name less than there are columns, the first of which counts the
    rows.
    """
    if len(names) < 2 or names[-1].strip() or not all(name.strip() for name in names[:-1]):
        return False
    counted = [str(number) for number in range(1, len(body) + 1)]
    return (
        bool(len(body)) and body.iloc[:, 0].tolist() == counted and (body.iloc[:, -1] != "").any()
    )
