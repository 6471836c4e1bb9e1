"""Tables in workbooks of Excel and LibreOffice (.xlsx, .xlsm, .ods).

Only stored values are read: no formula is computed, no macro and no link is followed. The parser
makes room for a sheet by its farthest cell, so a small file could ask for any memory. Therefore the
archive is looked through before: its true sizes, and how far its cells reach.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any
from xml.parsers import expat
from zipfile import ZipFile, ZipInfo

import numpy as np
import pandas as pd

from ..._errors import printable, sentence
from .._extras import require
from .sheet import FileError, Sheet, headed

MOST_UNPACKED = 2**30  # bytes of all parts of a workbook
# Times that a workbook may grow when it is unpacked; those that people have grow 10 to 30 times
MOST_GROWTH, ALWAYS_UNPACKED = 100, 2**22
CELLS_ALWAYS = 200_000  # of a sheet, however small its part is; an empty one takes 32 bytes
MOST_PARTS = 2_000  # files in the archive of a workbook
PIECE = 2**16  # bytes unpacked at once
STORED, DEFLATED, ENCRYPTED = 0, 8, 1  # methods and a flag of zip files
LOCAL_HEADER = 30  # bytes before the name of a part
# In every part from which the parser takes cells, or the number of words that it makes room for
WORDS_OF_SHEETS = (b"sheetData", b"table-row", b"uniqueCount")
LISTED_SHEETS = 8  # in a sentence


class _Refused(Exception):
    """Why a workbook is not read."""


def read_workbook(path: Path, wanted: str | None) -> Sheet:
    """The table in a sheet, by name or number; by default in the first visible sheet that has
    one.
    """
    require("excel", f"reading {path.name!r}")
    try:
        _look_through(path)
        sheets = _sheets(path, wanted)
    except FileError:
        raise
    except Exception as error:  # a damaged archive makes its readers raise nearly anything
        reason = sentence(error, 160) or type(error).__name__
        raise FileError(
            f"FILE must be a whole {path.suffix[1:].upper()} file without a password, got "
            f"{str(path)!r} ({reason}); save it again, or as CSV"
        ) from None
    filled = {name: found for name, found in sheets.items() if found[0]}
    if not filled:
        raise FileError(
            f"FILE must hold a table, got only empty sheets in {str(path)!r}; check how it was "
            "written"
        )
    name, *others = filled
    notes = []
    if others:
        listed = ", ".join(map(printable, others[:LISTED_SHEETS]))
        more = f" and {len(others) - LISTED_SHEETS} more" if len(others) > LISTED_SHEETS else ""
        notes = [f"read sheet {printable(name)!r}; --sheet chooses another one: {listed}{more}"]
    rows, start = filled[name]
    values = pd.DataFrame(rows, dtype=object)
    found = headed(values.map(_word), f"{path.name}, {name}", notes, values)
    return Sheet(found.frame.apply(_typed), found.first_row + start, found.notes)


def _sheets(path: Path, wanted: str | None) -> dict[str, tuple[list[list[Any]], int]]:
    """The cells of the sheet that is wanted, or of all visible ones, without empty rows and columns
    around them, and how many rows were above.
    """
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    with CalamineWorkbook.from_path(path) as book:
        if wanted is not None:
            names = [_named(book.sheet_names, wanted)]
        else:
            names = [
                one.name
                for one in book.sheets_metadata
                if one.visible == SheetVisibleEnum.Visible and one.typ == SheetTypeEnum.WorkSheet
            ]
        sheets = {name: book.get_sheet_by_name(name) for name in names}
        return {
            name: (sheet.to_python(skip_empty_area=True), sheet.start[0] if sheet.start else 0)
            for name, sheet in sheets.items()
        }


def _named(names: list[str], wanted: str) -> str:
    if wanted in names:
        return wanted
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:9]) <= len(names):
        return names[int(wanted) - 1]
    known = ", ".join(repr(printable(name)) for name in names[:LISTED_SHEETS])
    raise FileError(
        f"--sheet must be one of {known} or a number up to {len(names)}, got {wanted[:80]!r}; "
        "choose one of these"
    )


def _word(cell: Any) -> str:
    """A cell as text; whole numbers without a point, dates as ISO 8601 writes them."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2.0**53:
        return str(int(cell))
    if isinstance(cell, (date, datetime)):
        return cell.isoformat().removesuffix("T00:00:00")
    return str(cell).strip()


def _typed(column: pd.Series) -> pd.Series:
    """Numbers as numbers and dates as dates, if a column has nothing else; else text."""
    filled = column[column.map(lambda cell: cell != "")]
    if len(filled) and filled.map(lambda cell: type(cell) in (int, float)).all():
        return column.map(lambda cell: np.nan if cell == "" else float(cell)).astype(np.float64)
    if len(filled) == len(column) and filled.map(lambda cell: isinstance(cell, date)).all():
        return pd.to_datetime(column.map(lambda cell: cell.isoformat()), format="ISO8601")
    return column.map(_word)


def _look_through(path: Path) -> None:
    """Unpack a workbook once, piece by piece and for nothing, and refuse it where it promises more
    than it holds or its cells reach farther than its size explains.
    """
    packed = path.stat().st_size
    left = min(max(MOST_GROWTH * packed, ALWAYS_UNPACKED), MOST_UNPACKED)
    with path.open("rb") as file, ZipFile(file) as archive:
        parts = archive.infolist()
        if archive.comment:  # where another reader might find another table of contents
            raise _Refused("something follows the archive")
        if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > left:
            raise _Refused("far more is in it than its size explains")
        for part in parts:
            size, has_cells, end = 0, False, b""
            for piece in _unpacked(file, part):
                size += len(piece)
                if size > left:
                    raise _Refused("far more is in it than its size explains")
                has_cells |= any(word in end + piece for word in WORDS_OF_SHEETS)
                end = piece[-max(map(len, WORDS_OF_SHEETS)) :]
            left -= size
            if has_cells:
                _Extent().check(_unpacked(file, part), size)


def _unpacked(file: Any, part: ZipInfo) -> Iterator[bytes]:
    """The bytes of a part, however many it says that there are."""
    if part.flag_bits & ENCRYPTED or part.compress_type not in (STORED, DEFLATED):
        raise _Refused("it is encrypted, or packed in an unusual way")
    file.seek(part.header_offset)
    header = file.read(LOCAL_HEADER)
    lengths = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
    file.seek(part.header_offset + LOCAL_HEADER + sum(lengths))
    packed = part.compress_size
    inflate = zlib.decompressobj(-zlib.MAX_WBITS) if part.compress_type == DEFLATED else None
    while packed > 0 and (raw := file.read(min(PIECE, packed))):
        packed -= len(raw)
        if inflate is None:
            yield raw
            continue
        while raw and not inflate.eof:
            yield inflate.decompress(raw, PIECE)
            raw = inflate.unconsumed_tail


class _Extent:
    """How far the cells of a part reach: of the farthest row and column by their names, and by
    counting.
    """

    def __init__(self) -> None:
        self._rows = self._columns = self._row = self._column = self._words = 0

    def check(self, pieces: Iterator[bytes], size: int) -> None:
        """Refuse a sheet of so many bytes that is nearly all padding."""
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._element
        for piece in pieces:
            parser.Parse(piece)
        parser.Parse(b"", True)
        if self._rows * self._columns > max(CELLS_ALWAYS, size):
            far = f"cells down to row {self._rows} and over {self._columns} columns"
            raise _Refused(f"{far}, nearly all of which are empty")
        if self._words > size:
            raise _Refused(f"{self._words} words, which are not there")

    def _doctype(self, *_: Any) -> None:
        raise _Refused("its parts have document types of their own")

    def _element(self, name: str, given: dict[str, str]) -> None:
        kind = name[name.rfind(":") + 1 :]
        if kind == "c":  # a cell of Excel
            place = given.get("r")
            self._column = self._column + 1 if place is None else _column(place)
            self._columns = max(self._columns, self._column)
            if place is not None:
                self._rows = max(self._rows, int(place.lstrip(LETTERS)))
            self._rows = max(self._rows, self._row)
        elif kind == "row":
            self._row = int(given["r"]) if "r" in given else self._row + 1
            self._column = 0
        elif kind == "table-row":  # of LibreOffice
            self._row += int(given.get("table:number-rows-repeated", 1))
            self._column = 0
        elif kind in ("table-cell", "covered-table-cell"):
            self._column += int(given.get("table:number-columns-repeated", 1))
            if any(one.startswith("office:") for one in given):
                self._rows = max(self._rows, self._row)
                self._columns = max(self._columns, self._column)
        elif kind == "table":
            self._row = 0
        elif kind == "sst":  # the list of words of Excel
            self._words = int(given.get("uniqueCount", 0))


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _column(place: str) -> int:
    """The number of the column in the name of a cell.

    >>> _column("A1"), _column("XFD1048576")
    (1, 16384)
    """
    number = 0
    for letter in place[: len(place) - len(place.lstrip(LETTERS))]:
        number = 26 * number + LETTERS.index(letter) + 1
    return number
