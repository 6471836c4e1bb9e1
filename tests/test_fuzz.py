"""Hostile files, some of each kind: refused in one sentence or put to use. `make faults` reads a
hundred thousand of them.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fuzz
import hostile_files as hostile
import spheresn as sn
from doors import CONFIG, DOORS, UNITS
from fake_experiment import Config
from spheresn._plain import reservoir_from, reservoir_parts
from spheresn.apps.tables import read_table
from spheresn_paper.report.publish import check_sizes
from spheresn_paper.runner import ResultStore
from test_persistence import regressor, rewritten

FEW = {"report": 5, "csv": 40, "upload": 20, "parquet": 40}


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
    sn.save(regressor(), path)
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
