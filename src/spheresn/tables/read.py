"""From a file to a table. Nothing in a file is ever run: no pickle, no formula."""

from __future__ import annotations

import csv
import itertools
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .cells import as_number
from .table import Table, table_of

DELIMITERS = "\t;,|"


class FileError(ValueError):
    """A file that is missing, damaged, or not a table."""


def read_table(path: Path) -> Table:
    """The table in a file, by the ending of its name: CSV (.csv, .tsv, .txt), Parquet (.parquet, .pq) or NPY (.npy)."""
    reader = READERS.get(path.suffix.lower())
    if path.is_dir() or not path.exists():
        what = "a directory" if path.is_dir() else "a name that does not exist"
        raise FileError(f"FILE must be a file with a table, got {what}, {str(path)!r}; check the name")
    if reader is None:
        raise FileError(f"FILE must end in {', '.join(READERS)}, got {str(path)!r}; save the table as CSV, say")
    if path.stat().st_size == 0:
        raise FileError(f"FILE must hold a table, got the empty file {str(path)!r}; check how it was written")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a reader's opinion on types; cells are judged one by one later
            frame, first_row = reader(path)
    except OSError as error:
        raise _unreadable(path, error.strerror or error) from None
    return table_of(_named(frame, path), first_row, path.name)


def _unreadable(path: Path, reason: object) -> FileError:
    words = (" ".join(str(reason).split()) or type(reason).__name__)[:160]
    return FileError(f"FILE must be a whole {path.suffix[1:].upper()} file, got {str(path)!r} ({words}); write it anew")


def _named(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Every column under a name of its own."""
    names = [str(name).strip() or f"column {place}" for place, name in enumerate(frame.columns, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(f"columns must have different names, got {twice[0]!r} more than once in {path.name!r}; rename one of them")
    return frame.set_axis(names, axis=1)


def _csv(path: Path) -> tuple[pd.DataFrame, int]:
    """Cells as text, since only then a wrong one can be quoted; a first line of numbers alone is no header."""
    try:
        delimiter = _delimiter(path)
        options: dict[str, Any] = {"sep": delimiter, "header": None, "dtype": str, "keep_default_na": False, "skip_blank_lines": False}
        rows = pd.read_csv(path, encoding="utf-8-sig", names=range(_width(path, delimiter)), index_col=False, **options)
    except UnicodeDecodeError:
        raise FileError(f"FILE must be text in UTF-8, got other bytes in {str(path)!r}; save it as CSV in UTF-8") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error, ValueError) as error:
        raise _unreadable(path, error) from None
    rows = rows.fillna("")
    filled = np.flatnonzero((rows != "").any(axis=1).to_numpy())
    if not len(filled):
        raise FileError(f"FILE must hold a table, got only empty lines in {str(path)!r}; check how it was written")
    rows = rows.iloc[: filled[-1] + 1]
    head = rows.iloc[filled[0]]
    if all(as_number(cell) is not None for cell in head if cell.strip()):
        return rows.iloc[filled[0] :].set_axis([f"column {i + 1}" for i in range(rows.shape[1])], axis=1), int(filled[0]) + 1
    return rows.iloc[filled[0] + 1 :].set_axis(head.tolist(), axis=1), int(filled[0]) + 2


def _delimiter(path: Path) -> str:
    """The one that the first line with any has most of; outside of quotes."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for line in itertools.islice(file, 20):
            bare = "".join(line.split('"')[::2])
            best = max(DELIMITERS, key=bare.count)
            if bare.count(best):
                return best
    return ","


def _width(path: Path, delimiter: str) -> int:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return max((len(row) for row in itertools.islice(csv.reader(file, delimiter=delimiter), 20)), default=1)


def _parquet(path: Path) -> tuple[pd.DataFrame, int]:
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except ImportError:
        raise FileError(f"pyarrow must be installed to read {path.name!r}, got none; pip install 'spheresn[parquet]'") from None
    except Exception as error:  # a damaged file makes pyarrow raise nearly anything
        raise _unreadable(path, error) from None
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index(), 1


def _npy(path: Path) -> tuple[pd.DataFrame, int]:
    try:
        values = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise _unreadable(path, "it holds Python objects" if "pickle" in str(error) and _is_npy(path) else error) from None
    if values.ndim not in (1, 2) or values.dtype.kind not in "biuf":
        what = f"shape {values.shape} of type {values.dtype}"
        raise FileError(f"FILE must hold real numbers in rows and columns, got {what} in {path.name!r}; save such an array")
    rows = values.reshape(len(values), -1)
    return pd.DataFrame(rows, columns=[f"column {i + 1}" for i in range(rows.shape[1])]), 1


def _is_npy(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(6) == b"\x93NUMPY"


Reader = Callable[[Path], tuple[pd.DataFrame, int]]
READERS: dict[str, Reader] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".npy": _npy,
}
