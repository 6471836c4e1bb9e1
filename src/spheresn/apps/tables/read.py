"""Read a table from a file. Reading never runs code from the file: no pickle, no formula."""

from __future__ import annotations

import csv
import itertools
import math
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._errors import BadInput, printable, sentence
from .._extras import require
from .cells import as_number, ungrouped
from .table import Table, table_of

DELIMITERS = "\t;,|"
MOST_TABLE_COLUMNS = 2_000  # columns; each is searched for dates
MOST_CELLS = 100_000_000  # of a Parquet file, where a cell may take less than a bit
CELLS_PER_BYTE = 8  # cells per byte of a CSV file; without padding there is less than one


class FileError(BadInput):
    """A file that is missing or damaged, or holds no table."""


def read_table(path: Path, widest: int = MOST_TABLE_COLUMNS) -> Table:
    """The table in a file. The ending of its name gives the format: CSV (.csv, .tsv, .txt), Parquet
    (.parquet, .pq) or NPY (.npy).

    widest: the most columns, which take about 5 ms each.
    """
    reader = READERS.get(path.suffix.lower())
    if path.is_dir() or not path.exists():
        what = "a directory" if path.is_dir() else "a name that does not exist"
        raise FileError(
            f"FILE must be a file with a table, got {what}, {str(path)!r}; check the name"
        )
    if reader is None:
        raise FileError(
            f"FILE must end in {', '.join(READERS)}, got {str(path)!r}; save the table as CSV"
        )
    if path.stat().st_size == 0:
        raise FileError(
            f"FILE must hold a table, got the empty file {str(path)!r}; check how it was written"
        )
    try:
        with warnings.catch_warnings():
            # Readers warn about mixed types; the cells are parsed one by one later
            warnings.simplefilter("ignore")
            frame, first_row = reader(path)
    except OSError as error:
        raise _unreadable(path, error.strerror or error) from None
    if frame.shape[1] > widest:
        raise FileError(
            f"FILE must have at most {widest} columns, got {frame.shape[1]} in {str(path)!r}; keep "
            "the ones that matter"
        )
    return table_of(_named(frame, path), first_row, printable(path.name))


def _unreadable(path: Path, reason: object) -> FileError:
    words = sentence(reason, 160) or type(reason).__name__
    return FileError(
        f"FILE must be a whole {path.suffix[1:].upper()} file, got {str(path)!r} ({words}); write "
        "it again"
    )


def _named(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The frame with stripped column names, which must differ."""
    names = [str(name).strip() or f"column {place}" for place, name in enumerate(frame.columns, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(
            f"columns must have different names, got {twice[0]!r} more than once in "
            f"{path.name!r}; rename one of them"
        )
    return frame.set_axis(names, axis=1)


def _csv(path: Path) -> tuple[pd.DataFrame, int]:
    """The cells as text, so that an error can quote a wrong one. A first line that holds only
    numbers is no header.
    """
    try:
        delimiter = _delimiter(path)
        options: dict[str, Any] = {
            "sep": delimiter,
            "header": None,
            "dtype": str,
            "keep_default_na": False,
            "skip_blank_lines": False,
        }
        width = _width(path, delimiter)
        _refuse_padding(path, width)
        rows = pd.read_csv(
            path, encoding="utf-8-sig", names=range(width), index_col=False, **options
        )
    except FileError:
        raise
    except UnicodeDecodeError:
        raise FileError(
            f"FILE must be text in UTF-8, got other bytes in {str(path)!r}; save it as CSV in UTF-8"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error, ValueError) as error:
        raise _unreadable(path, error) from None
    rows = rows.fillna("")
    filled = np.flatnonzero((rows != "").any(axis=1).to_numpy())
    if not len(filled):
        raise FileError(
            f"FILE must hold a table, got only empty lines in {str(path)!r}; check how it was "
            "written"
        )
    rows = rows.iloc[: filled[-1] + 1]
    first, head = int(filled[0]), rows.iloc[filled[0]]
    if all(as_number(cell) is not None for cell in head if cell.strip()):
        names = [f"column {i + 1}" for i in range(rows.shape[1])]
    else:
        first, names = first + 1, head.tolist()
    body = rows.iloc[first:]
    if delimiter == ",":  # so a comma in a cell was quoted: 1,234 is hardly a decimal fraction
        body = body.apply(ungrouped)
    return body.set_axis(names, axis=1), first + 1


def _delimiter(path: Path) -> str:
    """The most frequent delimiter, outside of quotes, in the first line that has one."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for line in itertools.islice(file, 20):
            bare = "".join(line.split('"')[::2])
            best = max(DELIMITERS, key=bare.count)
            if bare.count(best):
                return best
    return ","


def _width(path: Path, delimiter: str) -> int:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return max(
            (len(row) for row in itertools.islice(csv.reader(file, delimiter=delimiter), 20)),
            default=1,
        )


def _refuse_padding(path: Path, width: int) -> None:
    """Refuse a table that is nearly all padding: one long line and many empty ones would take much
    memory.
    """
    with path.open("rb") as file:
        lines = sum(
            chunk.count(b"\n") + chunk.count(b"\r") for chunk in iter(lambda: file.read(2**20), b"")
        )
    if width > MOST_TABLE_COLUMNS or width * lines > CELLS_PER_BYTE * path.stat().st_size:
        what = f"{width} columns in {lines} lines, most of them shorter"
        raise FileError(
            f"FILE must have at most {MOST_TABLE_COLUMNS} columns and rows of one length, got "
            f"{what}, in {str(path)!r}; write it again"
        )


def _parquet(path: Path) -> tuple[pd.DataFrame, int]:
    require("parquet", f"reading {path.name!r}")
    try:
        _refuse_huge(path)
        frame = pd.read_parquet(path, engine="pyarrow")
    except FileError:
        raise
    except Exception as error:  # a damaged file makes pyarrow raise nearly anything
        raise _unreadable(path, error) from None
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index(), 1


def _refuse_huge(path: Path) -> None:
    """Refuse a very large table, which may be a small file: a repeated number takes no space."""
    from pyarrow.parquet import read_metadata

    parts = read_metadata(path)
    cells = sum(
        parts.row_group(i).column(k).num_values
        for i in range(parts.num_row_groups)
        for k in range(parts.num_columns)
    )
    if (
        max(cells, parts.num_rows * parts.num_columns) > MOST_CELLS
        or parts.num_columns > MOST_TABLE_COLUMNS
    ):
        what = f"{parts.num_rows} rows of {parts.num_columns} columns"
        raise FileError(
            f"FILE must have at most {MOST_CELLS} cells and {MOST_TABLE_COLUMNS} columns, got "
            f"{what} in {str(path)!r}; shorten it"
        )


def _npy(path: Path) -> tuple[pd.DataFrame, int]:
    try:
        shape, kind = _header(path)
        if len(shape) not in (1, 2) or kind.kind not in "biuf":
            what = f"shape {shape} of type {kind}"
            raise FileError(
                f"FILE must hold real numbers in rows and columns, got {what} in {path.name!r}; "
                "save such an array"
            )
        values = np.load(path, allow_pickle=False)
    except FileError:
        raise
    except Exception as error:  # a damaged header makes numpy raise nearly anything
        raise _unreadable(path, error) from None
    rows = values if values.ndim == 2 else values[:, None]
    return pd.DataFrame(rows, columns=[f"column {i + 1}" for i in range(rows.shape[1])]), 1


def _header(path: Path) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type in the header. The file must be large enough for them, because numpy allocates
    memory by the header alone.
    """
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        if version not in NPY:
            raise ValueError(f"version {version}")
        shape, _, kind = NPY[version](file)
        needed, there = math.prod(shape) * kind.itemsize, path.stat().st_size - file.tell()
    if min(shape, default=0) < 0 or needed > there:
        raise ValueError(f"its header promises {needed} bytes of numbers, the file has {there}")
    return shape, kind


# How numpy reads the header of each version of the format
NPY: dict[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
Reader = Callable[[Path], tuple[pd.DataFrame, int]]
READERS: dict[str, Reader] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".npy": _npy,
}
