"""Read a table from a file. Reading never runs code from the file: no pickle, no formula."""

from __future__ import annotations

import codecs
import csv
import itertools
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._errors import BadInput, printable, sentence
from .._extras import require
from .sheet import FileError, Sheet, headed
from .table import NO_HINTS, Hints, Table, table_of
from .workbook import read_workbook

DELIMITERS = "\t;,|"
BLANKS = r"\s+"  # as a delimiter
MOST_TABLE_COLUMNS = 2_000  # columns; each is searched for dates
MOST_CELLS = 100_000_000  # of a Parquet file, where a cell may take less than a bit
CELLS_PER_BYTE = 8  # cells per byte of a CSV file; without padding there is less than one
LINES_LOOKED_AT = 20  # of a text file, for its delimiter and its width
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")  # no text has them, pictures and archives do
CHUNK = 2**20  # bytes read at once


def read_table(
    path: Path,
    widest: int = MOST_TABLE_COLUMNS,
    sheet: str | None = None,
    hints: Hints = NO_HINTS,
) -> Table:
    """The table in a file, as `read_sheet` reads it, with its columns understood."""
    return table_of(read_sheet(path, widest, sheet), hints)


def read_sheet(path: Path, widest: int = MOST_TABLE_COLUMNS, sheet: str | None = None) -> Sheet:
    """The columns in a file. The ending of its name gives the format: CSV (.csv, .tsv, .txt),
    workbooks (.xlsx, .xlsm, .ods), Parquet (.parquet, .pq) or NPY (.npy).

    widest: the most columns, which take about 5 ms each. sheet: of a workbook, its name or number;
    by default the first one with a table.
    """
    ending = path.suffix.lower()
    reader = READERS.get(ending)
    is_workbook = ending in WORKBOOKS
    if path.is_dir() or not path.exists():
        what = "a directory" if path.is_dir() else "a name that does not exist"
        raise FileError(
            f"FILE must be a file with a table, got {what}, {str(path)!r}; check the name"
        )
    if reader is None and not is_workbook:
        raise FileError(
            f"FILE must end in {', '.join([*READERS, *WORKBOOKS])}, got {str(path)!r}; save the "
            "table as CSV"
        )
    if path.stat().st_size == 0:
        raise FileError(
            f"FILE must hold a table, got the empty file {str(path)!r}; check how it was written"
        )
    if sheet is not None and not is_workbook:
        raise BadInput(
            f"--sheet must be left out for a file without sheets, got {sheet[:80]!r}; only "
            f"{', '.join(WORKBOOKS)} have some"
        )
    try:
        with warnings.catch_warnings():
            # Readers warn about mixed types; the cells are parsed one by one later
            warnings.simplefilter("ignore")
            found = read_workbook(path, sheet) if reader is None else reader(path)
    except OSError as error:
        raise _unreadable(path, error.strerror or error) from None
    if found.frame.shape[1] > widest:
        raise FileError(
            f"FILE must have at most {widest} columns, got {found.frame.shape[1]} in "
            f"{str(path)!r}; keep the ones that matter"
        )
    return replace(found, frame=_named(found.frame, path), source=printable(path.name))


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


def _csv(path: Path) -> Sheet:
    """The cells as text, so that an error can quote a wrong one."""
    try:
        encoding, notes = _encoding(path)
        lines = _first_lines(path, encoding)
        delimiter = _delimiter(lines)
        options: dict[str, Any] = {
            "sep": delimiter,
            "header": None,
            "dtype": str,
            "keep_default_na": False,
            "skip_blank_lines": False,
        }
        if delimiter == BLANKS:
            width = max(len(line.split()) for line in lines)
        else:
            width = max((len(row) for row in csv.reader(lines, delimiter=delimiter)), default=1)
        _refuse_padding(path, width)
        rows = pd.read_csv(path, encoding=encoding, names=range(width), index_col=False, **options)
    except FileError:
        raise
    except UnicodeError:
        raise FileError(
            f"FILE must be text in UTF-8, UTF-16 or cp1252, got other bytes in {str(path)!r}; save "
            "it as CSV in UTF-8"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error, ValueError) as error:
        raise _unreadable(path, error) from None
    return replace(headed(rows.fillna(""), str(path), notes), quoted=delimiter == ",")


def _encoding(path: Path) -> tuple[str, list[str]]:
    """The encoding of a text file: UTF-8, UTF-16 with a mark, or else what Excel writes on Windows,
    cp1252, about which there is a note.
    """
    with path.open("rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16", []
    if _decodes(path, "utf-8"):
        return "utf-8-sig", []
    if not _decodes(path, "cp1252"):
        raise UnicodeError
    return "cp1252", ["the text is no UTF-8 and was read as cp1252, as Excel writes on Windows"]


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as file:
        try:
            for chunk in iter(lambda: file.read(CHUNK), b""):
                if encoding != "utf-8" and CONTROLS.search(chunk):
                    return False
                decoder.decode(chunk)
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            return False
    return True


def _first_lines(path: Path, encoding: str) -> list[str]:
    with path.open(encoding=encoding, newline="") as file:
        return list(itertools.islice(file, LINES_LOOKED_AT))


def _delimiter(lines: list[str]) -> str:
    """The delimiter that, outside of quotes, most of these lines have equally often; blanks, where
    there is no other and all lines have as many words.
    """
    bare = [part for line in lines if (part := "".join(line.split('"')[::2])).strip()]
    scores = {}
    for one in DELIMITERS:
        counts = Counter(count for line in bare if (count := line.count(one)))
        scores[one] = max(counts.values(), default=0)
    best = max(DELIMITERS, key=lambda one: scores[one])
    if scores[best]:
        return best
    words = [len(re.findall(r'"[^"]*"|\S+', line)) for line in lines if line.strip()]
    is_even = len(words) > 1 and min(words[1:]) > 1 and len(set(words[1:])) == 1
    # R writes a name less where its rows have names
    if is_even and (words[0] == words[1] or (words[0] == words[1] - 1 and _counted(lines))):
        return BLANKS
    return ","


def _counted(lines: list[str]) -> bool:
    """Whether the lines below the first are numbered from 1 on."""
    first = [line.split()[0].strip('"') for line in lines[1:] if line.strip()]
    return first == [str(number) for number in range(1, len(first) + 1)]


def _refuse_padding(path: Path, width: int) -> None:
    """Refuse a table that is nearly all padding: one long line and many empty ones would take much
    memory.
    """
    with path.open("rb") as file:
        lines = sum(
            chunk.count(b"\n") + chunk.count(b"\r") for chunk in iter(lambda: file.read(CHUNK), b"")
        )
    if width > MOST_TABLE_COLUMNS or width * lines > CELLS_PER_BYTE * path.stat().st_size:
        what = f"{width} columns in {lines} lines, most of them shorter"
        raise FileError(
            f"FILE must have at most {MOST_TABLE_COLUMNS} columns and rows of one length, got "
            f"{what}, in {str(path)!r}; write it again"
        )


def _parquet(path: Path) -> Sheet:
    require("parquet", f"reading {path.name!r}")
    try:
        _refuse_huge(path)
        frame = pd.read_parquet(path, engine="pyarrow")
    except FileError:
        raise
    except Exception as error:  # a damaged file makes pyarrow raise nearly anything
        raise _unreadable(path, error) from None
    return Sheet(frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index(), 1)


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


def _npy(path: Path) -> Sheet:
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
    return Sheet(pd.DataFrame(rows, columns=[f"column {i + 1}" for i in range(rows.shape[1])]), 1)


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
Reader = Callable[[Path], Sheet]
READERS: dict[str, Reader] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".npy": _npy,
}
WORKBOOKS = (".xlsx", ".xlsm", ".ods")
