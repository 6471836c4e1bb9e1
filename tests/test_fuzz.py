"""Hostile files, some of each kind: refused in one sentence or put to use. `make faults` reads a
hundred thousand of them.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_STORED, ZipFile

import numpy as np
import pandas as pd
import pytest

import fuzz
import hostile_files as hostile
import spheresn as sn
import workbooks
from doors import CONFIG, DOORS, UNITS
from fake_experiment import Config
from spheresn._plain import reservoir_from, reservoir_parts
from spheresn.apps.tables import read_table
from spheresn_paper.report.publish import check_sizes
from spheresn_paper.runner import ResultStore
from test_persistence import regressor, rewritten

FEW = {"report": 5, "forecaster": 30, "csv": 40, "long": 40, "upload": 20, "parquet": 40}


@pytest.mark.parametrize("name", DOORS)
def test_hostile_files_are_refused_or_put_to_use(name):
    if name == "parquet":
        pytest.importorskip("pyarrow")
    list(fuzz.read(name, range(-3, 0)))
    with fuzz.bounded_memory():
        assert list(fuzz.read(name, range(FEW.get(name, 80)))) == []


def test_the_harness_sees_what_it_must_see(tmp_path):
    """A reader that lies, one that runs a pickle, one that hangs: each is reported."""
    path = tmp_path / "file"
    path.write_bytes(b"x")

    def multiline(path: Path) -> None:
        raise sn.BadInput("two\nlines")

    def swells(path: Path) -> None:
        np.ones(2**30)

    for enter, words in (
        (multiline, "not a sentence"),
        (swells, "MemoryError"),
        (lambda p: p.write_bytes(b"y"), "was changed"),
    ):
        with fuzz.bounded_memory():
            assert words in fuzz.fault(fuzz.Door("", lambda rng: b"", enter), path)
    assert fuzz.ENDS[77] == "a pickle was run" and b"_exit" in hostile.PICKLE


LIES = {
    "no bend": lambda o, i: i["values"].pop("bend_"),
    "a word for a number": lambda o, i: i["values"].update(memory_="long"),
    "a readout": lambda o, i: i["parameters"].update(readout="x"),
    "more columns": lambda o, i: i["values"].update(n_features_in_=7),
    "names of other columns": lambda o, i: i["values"].update(columns=["a", "b"]),
    "a number for a flag": lambda o, i: i["values"].update(_one_output=2),
    "an infinite weight": lambda o, i: i["values"]["reservoir"].update(weight=float("inf")),
    "a control character": lambda o, i: o["weights"].update(dtype="\x00\x1b[31m"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_model_that_contradicts_itself_is_refused(tmp_path, lie):
    path = tmp_path / "m.spheresn"
    sn.save(regressor(topology="ring"), path)
    rewritten(path, LIES[lie])
    with pytest.raises(sn.io.ModelFileError, match="save") as caught:
        sn.load(path)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "starts",
    [
        [0, 3, -(2**31) + 12, 0],
        [0, 2**31 - 1, 0, 0],
        [0, -5, 0, 0],
        [1, 2, 3, 4],
        [0, 1, 2, 2**31 - 1],
    ],
)
def test_rows_of_a_sparse_matrix_that_lead_elsewhere_are_refused(starts):
    """The compiled loops trust them; scipy's own check looks at none of them where the last is
    0.
    """
    values, tensors = reservoir_parts(sn.random_reservoir(3, topology="sparse", density=1.0, rng=0))
    assert reservoir_from(values, tensors).units == 3
    with pytest.raises(ValueError, match="rows of the sparse matrix"):
        reservoir_from(values, {**tensors, "indptr": np.array(starts, np.int32)})


def test_a_class_too_few_is_refused(tmp_path):
    path, x = tmp_path / "m.spheresn", list(np.random.default_rng(0).normal(size=(6, 30, 1)))
    sn.save(
        sn.ESNClassifier(units=10, bend=0.5, memory=2, random_state=0).fit(x, ["a", "b", "c"] * 2),
        path,
    )
    rewritten(path, lambda o, i: i["values"].update(classes=["a", "b"]))
    with pytest.raises(sn.io.ModelFileError, match="2 classes, while its readout has 3"):
        sn.load(path)


def header(text: str, body: bytes = bytes(24)) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + body


BOMBS = {
    "a header that promises a terabyte": (
        "t.npy",
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n"),
    ),
    "a negative shape": (
        "t.npy",
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }\n"),
    ),
    "numbers of no size": (
        "t.npy",
        header("{'descr': '|S0', 'fortran_order': False, 'shape': (3,), }\n"),
    ),
    "an unended header": ("t.npy", header("{" * 40)),
    "an archive under another name": ("t.npy", b"PK\x03\x04" + bytes(60)),
    "one long line and many empty ones": ("t.csv", b"," * 1_900 + b"\n" * 90_000),
    "too many columns": ("t.csv", b"1," * 20_000 + b"\n"),
}


SHEET = workbooks.excel_parts({"S": [["date", "x"], ["2024-01-01", 1], ["2024-01-02", 2]]})
FIRST_CELL = '<row r="1"><c r="A1"><v>1</v></c></row>'


def with_cells(cells: str, head: str = "") -> bytes:
    """A workbook whose sheet has these rows."""
    text = f'{head}<worksheet xmlns="{workbooks.MAIN}"><sheetData>{cells}</sheetData></worksheet>'
    return workbooks.zipped({**SHEET, "xl/worksheets/sheet1.xml": text})


def with_a_lie(size: int) -> bytes:
    """A workbook with a part that is larger than its archive says."""
    raw = workbooks.zipped({**SHEET, "xl/long.xml": "A" * 30_000_000})
    return raw.replace((30_000_000).to_bytes(4, "little"), size.to_bytes(4, "little"))


LAUGHS = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10))
ENDLESS = "99999999999999999999"
ROW, CELL = "<table:table-row", "<table:table-cell"
ONE = 'office:value-type="float" office:value="1"'
BOMBS |= {
    "a part of 200 MB": (
        "t.xlsx",
        workbooks.zipped({**SHEET, "xl/sharedStrings.xml": "A" * 200_000_000}),
    ),
    "a part that is larger than it says": ("t.xlsx", with_a_lie(100)),
    "a cell in the last corner": (
        "t.xlsx",
        with_cells(f'{FIRST_CELL}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
    ),
    "a row that says where it is, of many cells that do not": (
        "t.xlsx",
        with_cells(f'{FIRST_CELL}<row r="1048576">{"<c><v>1</v></c>" * 3_000}</row>'),
    ),
    "a cell in a column that no number counts": (
        "t.xlsx",
        with_cells(f'<row><c r="{"Z" * 400}1"><v>1</v></c></row>'),
    ),
    "more words than it has": (
        "t.xlsx",
        workbooks.zipped({**SHEET, "xl/sharedStrings.xml": '<sst uniqueCount="4294967295"/>'}),
    ),
    "words within words": (
        "t.xlsx",
        with_cells("<row><c><v>&a9;</v></c></row>", f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>'),
    ),
    "many parts": (
        "t.xlsx",
        workbooks.zipped({**SHEET, **{f"xl/{k}.xml": "" for k in range(3_000)}}),
    ),
    "something behind the archive": (
        "t.xlsx",
        workbooks.zipped(SHEET)[:-2] + b"\x04\0more",
    ),
    "an old workbook under a new name": (
        "t.xlsx",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    ),
    "a sheet that is no XML": (
        "t.xlsx",
        workbooks.zipped({**SHEET, "xl/worksheets/sheet1.xml": "<sheetData><row"}),
    ),
    "a million rows of 16,000 numbers": (
        "t.ods",
        workbooks.ods(
            [["x"]],
            f'{ROW} table:number-rows-repeated="1048000">{CELL} {ONE} '
            'table:number-columns-repeated="16000"/></table:table-row>',
        ),
    ),
    "a number after endless columns": (
        "t.ods",
        workbooks.ods(
            [["x"]],
            f'{ROW}>{CELL} table:number-columns-repeated="{ENDLESS}"/>{CELL} {ONE}/>'
            "</table:table-row>",
        ),
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_file_takes_little_memory(tmp_path, bomb):
    name, content = BOMBS[bomb]
    (tmp_path / name).write_bytes(content)
    with fuzz.bounded_memory(), pytest.raises(ValueError, match=r"FILE must .*, got .*; "):
        read_table(tmp_path / name)


def test_a_small_parquet_file_of_many_rows_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"x": np.zeros(1_000_000)}).to_parquet(tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 10_000
    monkeypatch.setattr("spheresn.apps.tables.read.MOST_CELLS", 999_999)
    with pytest.raises(ValueError, match=r"at most 999999 cells .*, got 1000000 rows of 1 columns"):
        read_table(tmp_path / "t.parquet")


def test_a_packed_part_in_an_unusual_way_is_refused(tmp_path):
    with ZipFile(tmp_path / "t.xlsx", "w", ZIP_BZIP2) as archive:
        for name, text in SHEET.items():
            archive.writestr(name, text)
    with pytest.raises(ValueError, match="packed in an unusual way"):
        read_table(tmp_path / "t.xlsx")


def test_macros_links_and_formulas_do_nothing(tmp_path, monkeypatch):
    """Nothing is fetched, started or written; a formula has the value that was stored."""

    def refuse(*_, **__):
        raise AssertionError("a workbook did something")

    for module, name in ((socket, "socket"), (subprocess, "Popen"), (os, "system")):
        monkeypatch.setattr(module, name, refuse)
    link = '<externalLink><externalBook r:id="rId1"/></externalLink>'
    target = f'<Relationships xmlns="{workbooks.PACKAGE}"><Relationship Id="rId1" TargetMode='
    target += f'"External" Type="{workbooks.RELATIONS}/oleObject" Target="http://example.org/x"/>'
    sheet = SHEET["xl/worksheets/sheet1.xml"].replace(
        '<c r="B2">', '<c r="B2"><f>WEBSERVICE("http://example.org")+cmd|\'/c x\'!A1</f>'
    )
    parts = {
        **SHEET,
        "xl/worksheets/sheet1.xml": sheet,
        "xl/vbaProject.bin": b"\xd0\xcf\x11\xe0" + b'Sub Auto_Open() Shell "x"' * 9,
        "xl/externalLinks/externalLink1.xml": link,
        "xl/externalLinks/_rels/externalLink1.xml.rels": f"{target}</Relationships>",
    }
    (tmp_path / "t.xlsm").write_bytes(workbooks.zipped(parts))
    assert read_table(tmp_path / "t.xlsm").pick().values.ravel().tolist() == [1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["t.xlsm"]


def test_honest_workbooks_are_not_taken_for_bombs(tmp_path):
    """A remark far away; a stored part; many repeated empty rows of LibreOffice."""
    rows = [["x", "y"], *([k, k] for k in range(50)), *[[]] * 500, [None] * 80 + ["remark"]]
    (tmp_path / "t.xlsx").write_bytes(workbooks.excel(rows))
    assert len(read_table(tmp_path / "t.xlsx").cells["x"].numbers) == 551
    with ZipFile(tmp_path / "t.xlsx", "w", ZIP_STORED) as archive:
        for name, text in SHEET.items():
            archive.writestr(name, text)
    assert read_table(tmp_path / "t.xlsx").pick().values.ravel().tolist() == [1, 2]
    (tmp_path / "t.ods").write_bytes(workbooks.ods([["x"], [5], [6]]))
    assert read_table(tmp_path / "t.ods").pick().values.ravel().tolist() == [5, 6]


def test_honest_tables_are_not_taken_for_bombs(tmp_path):
    wide = pd.DataFrame(np.arange(150.0).reshape(3, 50)).add_prefix("c")
    wide.to_csv(tmp_path / "wide.csv", index=False)
    assert np.array_equal(read_table(tmp_path / "wide.csv").pick().values, wide.to_numpy())
    (tmp_path / "gaps.csv").write_text("a,b,c\n1,2,3\n" + "\n" * 5 + "4,5,6\n")
    assert read_table(tmp_path / "gaps.csv").pick(fill="linear").values[-1].tolist() == [4, 5, 6]
    np.save(tmp_path / "empty.npy", np.zeros((0,)))
    with pytest.raises(ValueError, match="FILE must have"):
        read_table(tmp_path / "empty.npy").pick()


def test_dates_that_leave_the_calendar_are_a_sentence(tmp_path):
    (tmp_path / "t.csv").write_text(
        "date,x\n2024-01-01,1\n2100-01-01,2\n2250-01-01,3\n9999-12-31,4\n"
    )
    series = read_table(tmp_path / "t.csv").pick(fill="skip")
    with pytest.raises(
        ValueError,
        match=r"dates must continue within the years that pandas can represent, "
        "got 9999-12-31",
    ):
        series.ahead(3)


def test_settings_of_a_run_are_no_larger_than_the_presets():
    check_sizes(vars(CONFIG), [vars(Config())])
    for settings in ({"units": 10**12}, {"fails": [0] * 100}, {"fails": [[[10**9]]]}):
        with pytest.raises(
            ValueError,
            match=r"must be of the size of the presets or less, got '(units|fails)' larger",
        ):
            check_sizes(settings, [vars(Config())])


def test_nothing_unpickles(tmp_path):
    """Pickles where a careless reader would look for them: the process would end with code 77."""
    ended = os.fork()
    if ended == 0:  # a child, which a pickle may end
        for name in ("t.npy", "t.csv", "t.parquet", "m.spheresn", "runs.json"):
            (tmp_path / name).write_bytes(hostile.PICKLE)
        (tmp_path / "o.npy").write_bytes(
            header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", hostile.PICKLE)
        )
        tables = [(read_table, name) for name in ("t.npy", "o.npy", "t.csv", "t.parquet")]
        store = ResultStore(tmp_path)
        store.path(UNITS[0]).parent.mkdir()
        store.path(UNITS[0]).write_bytes(hostile.PICKLE)
        ours = [(lambda _: store.runs(), "runs.json"), (lambda _: store.load(UNITS[0]), "units")]
        for reader, name in [*tables, (sn.load, "m.spheresn"), *ours]:
            try:
                reader(tmp_path / name)
            except (ValueError, RuntimeError):
                continue
            os._exit(1)  # taken for whole
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(ended, 0)[1]) == 0
