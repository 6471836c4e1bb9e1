"""Workbooks as Excel and LibreOffice write them, part by part, so that tests can write what no
library would.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/'
    '2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-'
    'package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>'
)
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/>'
    '<xf numFmtId="10" applyNumberFormat="1"/></cellXfs></styleSheet>'
)
DAY_ZERO = date(1899, 12, 30)


def letters(column: int) -> str:
    """The name of a column: A, B, ..., Z, AA."""
    name = ""
    while column >= 0:
        name = chr(65 + column % 26) + name
        column = column // 26 - 1
    return name


def excel_cell(row: int, column: int, value: Any, words: list[str]) -> str:
    """A cell as Excel writes it: text by its place in a list, dates as days since 1899."""
    place = f"{letters(column)}{row}"
    if value is None:
        return ""
    if isinstance(value, date):
        return f'<c r="{place}" s="1"><v>{(value - DAY_ZERO).days}</v></c>'
    if isinstance(value, str):
        if value not in words:
            words.append(value)
        return f'<c r="{place}" t="s"><v>{words.index(value)}</v></c>'
    return f'<c r="{place}"><v>{value!r}</v></c>'


def excel_sheet(rows: Sequence[Sequence[Any]], words: list[str], more: str = "") -> str:
    """The part of a sheet."""
    body = "".join(
        f'<row r="{k}">{"".join(excel_cell(k, i, one, words) for i, one in enumerate(row))}</row>'
        for k, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData>{more}</worksheet>'


def excel_parts(sheets: dict[str, Sequence[Sequence[Any]]], more: str = "") -> dict[str, str]:
    """The parts of a workbook of Excel by their names."""
    words: list[str] = []
    parts = {
        f"xl/worksheets/sheet{k}.xml": excel_sheet(rows, words, more)
        for k, rows in enumerate(sheets.values(), 1)
    }
    items = "".join(f"<si><t>{escape(word)}</t></si>" for word in words)
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{k}" r:id="rId{k}"/>'
        for k, name in enumerate(sheets, 1)
    )
    last = len(sheets) + 1
    kinds = [(f"worksheets/sheet{k}.xml", "worksheet") for k in range(1, last)]
    kinds += [("sharedStrings.xml", "sharedStrings"), ("styles.xml", "styles")]
    links = "".join(
        f'<Relationship Id="rId{k}" Type="{RELATIONS}/{kind}" Target="{place}"/>'
        for k, (place, kind) in enumerate(kinds, 1)
    )
    return {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="rId1" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{names}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>',
        "xl/styles.xml": STYLES,
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{items}</sst>',
        **parts,
    }


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """An archive of these parts."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def excel(rows: Sequence[Sequence[Any]], more: str = "") -> bytes:
    """A workbook of one sheet."""
    return zipped(excel_parts({"Sheet1": rows}, more))


OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def ods_cell(value: Any) -> str:
    """A cell as LibreOffice writes it."""
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, date):
        shown = f'office:value-type="date" office:date-value="{value.isoformat()}"'
    elif isinstance(value, str):
        shown = 'office:value-type="string"'
    else:
        shown = f'office:value-type="float" office:value="{value!r}"'
    return f"<table:table-cell {shown}><text:p>{escape(str(value))}</text:p></table:table-cell>"


def ods(rows: Sequence[Sequence[Any]], end: str | None = None) -> bytes:
    """A workbook of LibreOffice; `end`: what follows the rows, by default many empty ones."""
    body = "".join(
        f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>" for row in rows
    )
    if end is None:
        end = (
            '<table:table-row table:number-rows-repeated="1048000">'
            '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
        )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content '
        f'xmlns:office="{OFFICE}:office:1.0" xmlns:table="{OFFICE}:table:1.0" '
        f'xmlns:text="{OFFICE}:text:1.0" office:version="1.3"><office:body><office:spreadsheet>'
        f'<table:table table:name="Sheet1">{body}{end}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<manifest:manifest xmlns:manifest="{OFFICE}:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    return zipped({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})
