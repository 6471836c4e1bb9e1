"""Tables of numbers from the bytes of a file: NPY without pickles, or text with columns. No path is ever taken here."""

from __future__ import annotations

import io
from pathlib import PurePath

import numpy as np

from .. import _checks
from .._checks import Floats

KINDS = (".npy", ".csv", ".tsv", ".txt")
LARGEST = 5_000_000  # bytes
FEWEST_ROWS, MOST_COLUMNS = 300, 12


def table_from(name: str, content: bytes) -> Floats:
    """The numbers (T, d) in a file called `name`, one row per time step; its ending says how to read it.

    Of text, the first line may name the columns, and columns without any number (dates, say) are left out.
    """
    _checks.one_of("ending of the file", PurePath(name).suffix.lower(), KINDS)
    if len(content) > LARGEST:
        raise ValueError(f"file must have at most {LARGEST / 1e6:g} MB, got {len(content) / 1e6:.1f} MB; cut it or thin it out")
    rows = _checks.table("file", _npy(content) if name.lower().endswith(".npy") else _text(content))
    _checks.at_least("file", len(rows), FEWEST_ROWS, "to learn from and to forecast")
    if not 1 <= rows.shape[1] <= MOST_COLUMNS:
        raise ValueError(f"file must have 1 to {MOST_COLUMNS} columns of numbers, got {rows.shape[1]}; keep the ones that matter")
    return rows


def _npy(content: bytes) -> Floats:
    try:
        return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))
    except (ValueError, OSError, EOFError, MemoryError):
        raise ValueError("file must be an array of numbers as numpy.save writes it, got something else; save it anew") from None


def _text(content: bytes) -> Floats:
    lines = [line for line in content.decode("utf-8-sig", errors="replace").splitlines() if line.strip()]
    mark = next((mark for mark in (",", ";", "\t") if lines and mark in lines[0]), None)
    cells = [[_number(cell) for cell in line.split(mark)] for line in lines]
    if cells and not np.isfinite(cells[0]).any():
        cells = cells[1:]
    if not cells or len({len(row) for row in cells}) > 1:
        raise ValueError("file must have the same number of columns in every line, got none or several; mend it")
    table = np.array(cells)
    return table[:, np.isfinite(table).any(axis=0)]


def _number(cell: str) -> float:
    try:
        return float(cell.strip().strip('"'))
    except ValueError:
        return np.nan
