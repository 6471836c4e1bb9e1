"""Every door through which a stranger's file comes in: how to make such files, how to read one, and
how the result is put to use.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as to_bytes

import fake_experiment as fake
import hostile_files as hostile
import spheresn as sn
import workbooks
from spheresn.apps.forecasts.summary import fitted
from spheresn.apps.tables import read_table
from spheresn.apps.tables.panel import long_table
from spheresn.apps.tables.read import read_sheet
from spheresn.forecasting import SeriesForecaster
from spheresn.io import ModelFileError
from spheresn_explorer.signals import table_from
from spheresn_paper.claim import format_claim, read_claims
from spheresn_paper.report import publish
from spheresn_paper.runner import ResultStore, StoreError, Unit, canonical, perform
from spheresn_paper.runner.store import _checksum

Refusals = tuple[type[Exception], ...]


@dataclass(frozen=True)
class Door:
    """`make` writes a hostile file, `enter` reads it and uses what it holds; only `refusals`, one
    sentence each, may come out.

    `kept`: reading leaves the file as it is.
    """

    ending: str
    make: Callable[[Random], bytes]
    enter: Callable[[Path], None]
    refusals: Refusals = (sn.BadInput,)
    kept: bool = True


@cache
def models() -> list[bytes]:
    """Small fitted models of every kind, topology and activation."""
    x = sn.datasets.mackey_glass(200)
    small: dict[str, Any] = {"units": 6, "bend": 0.5, "memory": 2, "random_state": 0}
    fits = [
        sn.ESNRegressor(**small, topology=name).fit(x[:-1], x[1:])
        for name in ("ring", "rotation", "gaussian")
    ]
    fits.append(
        sn.ESNRegressor(
            **small, topology="sparse", density=0.5, features="quadratic", components=2
        ).fit(x[:-1], x[1:, 0])
    )
    part = sn.random_reservoir(5, topology="sparse", density=0.5, rng=0)
    after = sn.random_reservoir(3, n_inputs=4, activation=sn.Tanh(), rng=2)
    several = sn.parallel(part, sn.chain(sn.random_reservoir(4, rng=1), after))
    fits.append(sn.ESNRegressor(reservoir=several).fit(x[:-1], x[1:]))
    fits.append(sn.ESNForecaster(**small).fit(pd.DataFrame({"level": x[:, 0]})))
    fits.append(
        sn.ESNForecaster(**{**small, "bend": 0.0}, activation="tanh").fit(
            x, exogenous=np.cos(np.arange(200.0))
        )
    )
    windows = list(x[:200].reshape(10, 20, 1))
    fits.append(sn.ESNClassifier(**small).fit(windows, ["dog", "cat"] * 5))
    field = x[:200] * np.cos(np.arange(4.0))
    fits.append(sn.ESNFieldForecaster(**small, patch=2, halo=1, noise=0.1).fit(field))
    with tempfile.TemporaryDirectory() as folder:
        for number, model in enumerate(fits):
            sn.save(model, Path(folder, str(number)))
        return [Path(folder, str(number)).read_bytes() for number in range(len(fits))]


def make_model(rng: Random) -> bytes:
    raw = rng.choice(models())
    return (
        hostile.tensors_with_another_header(raw, rng)
        if rng.random() < 0.6
        else hostile.damaged(raw, rng, models())
    )


def use_model(path: Path) -> None:
    """A model that loads must answer, with finite numbers or a sentence about the numbers that it
    was asked for.
    """
    model = sn.load(path)
    if not isinstance(model, sn.ESNClassifier | sn.ESNFieldForecaster):
        fitted(model)
    try:
        answer = _answer(model)
    except (ValueError, ArithmeticError) as error:
        if str(error).count("\n"):
            raise AssertionError(f"not one sentence: {error}") from None
    else:
        assert isinstance(model, sn.ESNClassifier) or np.isfinite(np.asarray(answer)).all(), (
            "a loaded model answers with NaN"
        )


def _answer(model: Any) -> Any:
    if isinstance(model, sn.ESNFieldForecaster):
        return model.forecast(3)
    if isinstance(model, sn.ESNForecaster):
        columns = model.reservoir_.n_inputs - len(model.last_)
        return model.forecast(3, exogenous=np.zeros((3, columns))) if columns else model.forecast(3)
    inputs = np.zeros((5, model.n_features_in_))
    return model.predict([inputs, inputs] if isinstance(model, sn.ESNClassifier) else inputs)


@cache
def forecasters() -> list[bytes]:
    """Small saved forecasters of ordinary series: an array, and dates with a known column."""
    rows = 10 + np.sin(np.arange(30.0))
    dated = pd.Series(rows, pd.date_range("2024-01-01", periods=30), name="sales")
    models_of_series = [
        SeriesForecaster(None, horizon=2, verbose=False).fit(np.column_stack([rows, rows[::-1]])),
        SeriesForecaster([7], horizon=2, verbose=False).fit(dated, exogenous=np.cos(rows)),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for number, model in enumerate(models_of_series):
            model.save(Path(folder, str(number)))
        return [Path(folder, str(number)).read_bytes() for number in range(2)]


def make_forecaster(rng: Random) -> bytes:
    raw = rng.choice(forecasters())
    return (
        hostile.tensors_with_another_header(raw, rng)
        if rng.random() < 0.6
        else hostile.damaged(raw, rng, forecasters())
    )


def use_forecaster(path: Path) -> None:
    """A forecaster that loads answers with finite numbers, or with a sentence."""
    model = SeriesForecaster.load(path)
    columns = model._exogenous.shape[1]
    try:
        answer = model.forecast(2, exogenous=np.zeros((2, columns)) if columns else None)
        assert np.isfinite(np.asarray(answer.mean, float)).all(), "a loaded model answers with NaN"
        assert np.isfinite(np.asarray(answer.upper, float)).all()
    except (ValueError, ArithmeticError) as error:
        if str(error).count("\n"):
            raise AssertionError(f"not one sentence: {error}") from None


CONFIG = fake.Config(units=3, size=4)
UNITS = [Unit("fake", canonical(vars(CONFIG)), canonical(task), 0) for task in fake.tasks(CONFIG)]


@cache
def results() -> list[bytes]:
    """The files of units: two that ended, one that failed."""
    with tempfile.TemporaryDirectory() as folder:
        store = ResultStore(Path(folder), "abc")
        for number, unit in enumerate(UNITS):
            config = fake.Config(units=3, size=4, fails=(1,))
            store.save(unit, perform(fake.run, (config, {"index": number}, 0)))
        return [store.path(unit).read_bytes() for unit in UNITS]


def make_result(rng: Random) -> bytes:
    raw = rng.choice(results())
    return (
        hostile.tensors_with_another_header(raw, rng)
        if rng.random() < 0.5
        else hostile.damaged(raw, rng, results())
    )


def make_signed(rng: Random) -> bytes:
    """A file whose checksum is right, with a record and arrays that nobody wrote."""
    raw = hostile.tensors_with_another_header(to_bytes(ARRAYS), rng)
    try:
        arrays = load_arrays(raw) if rng.random() < 0.5 else ARRAYS
    except Exception:  # not even arrays
        arrays = {}
    unit = rng.choice(UNITS)
    record = asdict(perform(dict, ()).record)
    header = {"format": 1, "unit": asdict(unit), "record": record}
    header = {**header, "record": hostile.changed(record, rng)} if rng.random() < 0.8 else header
    header = hostile.changed(header, rng) if rng.random() < 0.1 else header
    if isinstance(header, dict):
        header["checksum"] = _checksum(header, arrays)
    return bytes(to_bytes(arrays, {"spheresn": json.dumps(header)}))


ARRAYS = {"values": np.arange(4.0), "count": np.array(3), "flag": np.array([True])}


def use_result(path: Path) -> None:
    """As the file of each of the units; refused, it is left as it is."""
    store, content = ResultStore(path.parent / "results"), path.read_bytes()
    refused = None
    for unit in UNITS:
        try:
            _use_unit(store, unit, content)
        except StoreError as error:
            refused = error
    if refused:
        raise refused


def _use_unit(store: ResultStore, unit: Unit, content: bytes) -> None:
    place = store.path(unit)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    try:
        store.has_result(unit)
        ended = store.load(unit)
        assert ended is not None and np.isfinite(ended.record.seconds)
        for values in (ended.arrays or {}).values():
            assert values.dtype.kind in "biuf", "a result must hold real numbers"
    finally:
        assert place.read_bytes() == content, "a file was changed"


def make_runs(rng: Random) -> bytes:
    """The list of runs as JSON that says something else, or as damaged bytes."""
    settings = vars(CONFIG) | {"fails": [], "kills": [], "units": 2}
    run = {"preset": "smoke", "seed": 0, "config": settings}
    honest = {"format": 1, "runs": {"fake": run}}
    if rng.random() < 0.3:
        return hostile.damaged(json.dumps(honest).encode(), rng, [b'{"runs": {}}'])
    part = rng.choice(["config", "run", "all"])
    if part == "config":
        run["config"] = hostile.changed(settings, rng)
    elif part == "run":
        honest["runs"] = {"fake": hostile.changed(run, rng)}
    else:
        honest = hostile.changed(honest, rng)
    return json.dumps(honest).encode()


def use_runs(path: Path) -> None:
    (path.parent / "runs.json").write_bytes(path.read_bytes())
    for run in ResultStore(path.parent).runs().values():
        assert isinstance(run.seed, int) and json.loads(run.config) is not NotImplemented


class Undrawn:
    """The fake experiment without its figure, which would take all the time."""

    NAME, FIGURE, TITLE, CAPTIONS, PRESETS, Config = (
        fake.NAME,
        fake.FIGURE,
        fake.TITLE,
        fake.CAPTIONS,
        fake.PRESETS,
        fake.Config,
    )
    tasks, collect, claims = (
        staticmethod(fake.tasks),
        staticmethod(fake.collect),
        staticmethod(fake.claims),
    )
    plot = staticmethod(lambda dataset: {})


def make_report(rng: Random) -> bytes:
    """The list of runs, and on a second line the file of a unit in hexadecimal digits."""
    honest = rng.random() < 0.5
    runs = {"fake": {"preset": "smoke", "seed": 0, "config": vars(CONFIG)}}
    first = json.dumps({"format": 1, "runs": runs}).encode() if honest else make_runs(rng)
    return first.replace(b"\n", b" ") + b"\n" + make_signed(rng).hex().encode()


def use_report(path: Path) -> None:
    """Published: the page is whole, and runs nothing of what the files say."""
    runs, _, unit = path.read_bytes().partition(b"\n")
    with tempfile.TemporaryDirectory() as folder:
        store = ResultStore(Path(folder))
        (store.folder / "units").mkdir()
        (store.folder / "runs.json").write_bytes(runs)
        store.path(UNITS[0]).write_bytes(bytes.fromhex(unit.decode()))
        sections = publish(store.folder, store, {"fake": Undrawn}, lambda line: None)
        assert all(isinstance(section.faulty, bool) for section in sections)
        text = Path(folder, "report.html").read_text(encoding="utf-8")
        assert text.rstrip().endswith("</html>") and "<script" not in text


TABLES = [
    "date,x,y\n2024-01-01,1,2.5\n2024-01-02,2,3.5\n2024-01-03,4,4.5\n2024-01-04,8,5.5\n",
    "t;a;b\n0,5;1,25;3\n1,0;1,5;\n1,5;2,0;5\n",
    "1\t2\n3\t4\n5\t6\n",
    '"a ""b""","c, d"\n1,NA\n-2e3,4\n\n5,?\n',
    "x\n1\n2\n3\n",
    "Zeit,x\n01.02.2020 10:00,1\n01.02.2020 11:00,2\n01.02.2020 12:00,2\n",
]
CELLS = [
    "1e999", "-inf", "nan", "1" * 400, "0x1f", "1_000", "１２", "٣", "9999-12-31", "0000-00-00",
    "2020-13-45", "12:00", "2262-04-12", "1677-01-01", "--", "+", "2020-01-01T00:00:00+99:99",
    "2020-01-01 00:00 UTC", "1/2/3", "=1+1", "1,5", "1.5.2", "\x00", "\x1b[0m", "[red]", '"',
    "1" * 5000, "T", "now", "today", "1 day", "1e-400", "NaT", "20200101", "-0", "true", "1j",
    "Jan 5", "\u2028", "\r",
]  # fmt: skip


def make_csv(rng: Random) -> bytes:
    texts = [table.encode() for table in TABLES]
    if rng.random() < 0.5:
        return hostile.damaged(rng.choice(texts), rng, texts)
    rows = [line.split(",") for line in rng.choice(TABLES).splitlines()]
    for _ in range(rng.randint(1, 5)):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice(CELLS)
    return (
        rng.choice(["\n", "\r\n", "\r"])
        .join(",".join(row) for row in rows)
        .encode("utf-8", "surrogatepass")
    )


def make_npy(rng: Random) -> bytes:
    seeds = [
        hostile.saved(np.arange(6.0)),
        hostile.saved(np.ones((4, 2), np.float32)),
        hostile.saved(np.array([True, False])),
    ]
    return (
        hostile.array_file(rng)
        if rng.random() < 0.6
        else hostile.damaged(rng.choice(seeds), rng, seeds)
    )


def use_table(path: Path) -> None:
    """Columns picked, holes filled, time carried on: finite numbers and times that can be
    written.
    """
    series = read_table(path).pick(fill="linear")
    assert np.isfinite(series.values).all() and series.values.shape == (
        len(series.frame),
        len(series.names),
    )
    assert len(series.ahead(3)) == 3 and series.time_name not in series.names
    if series.clock is not None:
        assert (
            len(series.clock.written) == len(series.values)
            and len(series.clock.axis_ahead(3)) == 3
            and series.clock.spacing
        )


WAVE = "x,y\n" + "".join(f"{i % 17},{i % 5}\n" for i in range(310))


def make_upload(rng: Random) -> bytes:
    return hostile.damaged(WAVE.encode(), rng, [table.encode() for table in TABLES])


def use_upload(path: Path) -> None:
    table_from(path.name, path.read_bytes())


@cache
def parquets() -> list[bytes]:
    """Columns of all kinds that a table may have, plain, compressed and in several row groups."""
    frame = pd.DataFrame(
        {"x": np.arange(6.0), "n": np.arange(6), "word": list("abcdef"), "flag": [True] * 6}
    )
    dated = frame.assign(day=pd.date_range("2024-01-01", periods=6)).set_index("day")
    made = []
    for one, options in (
        (frame, {}),
        (dated, {"compression": "gzip"}),
        (frame.astype({"word": "category"}), {"row_group_size": 2}),
    ):
        file = io.BytesIO()
        one.to_parquet(file, engine="pyarrow", **options)
        made.append(file.getvalue())
    return made


def make_parquet(rng: Random) -> bytes:
    if rng.random() < 0.3:
        return _parquet_with_metadata(rng)
    return hostile.damaged(rng.choice(parquets()), rng, parquets())


def _parquet_with_metadata(rng: Random) -> bytes:
    """Honest columns under what pandas wrote about them, changed; and an extension type that old
    versions of Arrow would unpickle.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(rng.choice(parquets())))
    metadata_of_pandas = json.loads((table.schema.metadata or {})[b"pandas"])
    for _ in range(rng.randint(1, 3)):
        metadata_of_pandas = hostile.changed(metadata_of_pandas, rng)
    field = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": hostile.PICKLE,
    }
    fields = [one.with_metadata(field) if rng.random() < 0.2 else one for one in table.schema]
    file = io.BytesIO()
    pq.write_table(
        pa.Table.from_arrays(
            table.columns,
            schema=pa.schema(fields, metadata={b"pandas": json.dumps(metadata_of_pandas)}),
        ),
        file,
    )
    return file.getvalue()


WORKBOOK_ROWS = [["date", "x", "shop"], *([f"2024-01-0{k}", k * 1.5, "a"] for k in range(1, 6))]
STRANGE_PARTS = [
    b"\xd0\xcf\x11\xe0",
    b"<a/>",
    b"",
    b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    b"<sst uniqueCount='99999999999'/>",
    b"<sheetData><row r='9999999'><c r='ZZZ9999999'/></row></sheetData>",
]


def _unzipped(raw: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _damaged_workbook(raw: bytes, rng: Random) -> bytes:
    """An archive with accidents, or a whole one of parts with accidents, numbers at the edge of
    their range, and parts that nobody expects.
    """
    if rng.random() < 0.3:
        return hostile.damaged(raw, rng, [raw])
    parts = _unzipped(raw)
    for _ in range(rng.randint(1, 3)):
        name, act = rng.choice(list(parts)), rng.random()
        if act < 0.3:
            parts[name] = hostile.damaged(parts[name], rng, list(parts.values()))
        elif act < 0.8:
            numbers = list(re.finditer(rb"\d+", parts[name]))
            if numbers:
                found, word = rng.choice(numbers), str(rng.choice(hostile.NUMBERS)).encode()
                parts[name] = parts[name][: found.start()] + word + parts[name][found.end() :]
        elif act < 0.9:
            parts[name] = rng.choice(STRANGE_PARTS)
        else:
            parts[rng.choice(["xl/vbaProject.bin", "../x", "/etc/x"])] = rng.choice(STRANGE_PARTS)
    return workbooks.zipped(parts)


def make_excel(rng: Random) -> bytes:
    return _damaged_workbook(workbooks.excel(WORKBOOK_ROWS), rng)


def make_ods(rng: Random) -> bytes:
    return _damaged_workbook(workbooks.ods(WORKBOOK_ROWS), rng)


def make_long(rng: Random) -> bytes:
    """A table in long form, with accidents."""
    rows = [f"2024-01-0{k},{shop},{k * 2.5}" for shop in "abc" for k in range(1, 8)]
    raw = "\n".join(["date,shop,sales", *rows]).encode()
    return hostile.damaged(raw, rng, [raw, *(table.encode() for table in TABLES)])


def use_long(path: Path) -> None:
    """Recognised or read as one series; all series are finite, and each word has its own."""
    table = long_table(read_sheet(path))
    if table is None:
        use_table(path)
        return
    panel = table.pick(fill="linear")
    assert all(np.isfinite(series.values).all() for _, series in panel.series)
    assert len({label for label, _ in panel.series}) == len(panel.series)


CLAIM = {
    "id": "c",
    "figure": "Fig. 1",
    "source": "eqn",
    "says": "a",
    "measured": "b",
    "rule": "r",
    "verdict": "holds",
    "evidence": {"x": 1.5},
    "by": "paper",
    "quoted": True,
    "weight": 2,
}


def make_claims(rng: Random) -> bytes:
    raw = json.dumps(hostile.changed(hostile.changed([CLAIM, CLAIM], rng), rng)).encode()
    return raw if rng.random() < 0.5 else hostile.damaged(raw, rng, [raw])


def use_claims(path: Path) -> None:
    for claim in read_claims(path).values():
        text = format_claim(claim)
        assert all(letter.isprintable() or letter == "\n" for letter in text), (
            "control characters on a terminal"
        )


def make_laser(rng: Random) -> bytes:
    return (
        make_npy(rng)
        if rng.random() < 0.2
        else hostile.damaged(b"86\n141\n95\n", rng, [b"1e400\nnan\n0x1\n"])
    )


def use_laser(path: Path) -> None:
    assert np.isfinite(sn.datasets.santa_fe_laser(path)).all()


DOORS = {
    "model": Door(".spheresn", make_model, use_model, (ModelFileError,)),
    "forecaster": Door(".spheresn", make_forecaster, use_forecaster, (ModelFileError,)),
    "result": Door(".safetensors", make_result, use_result, (StoreError,)),
    "signed": Door(".safetensors", make_signed, use_result, (StoreError,)),
    "runs": Door(".json", make_runs, use_runs, (StoreError,)),
    "report": Door(".txt", make_report, use_report, (StoreError,)),
    "csv": Door(".csv", make_csv, use_table),
    "npy": Door(".npy", make_npy, use_table),
    "parquet": Door(".parquet", make_parquet, use_table),
    "excel": Door(".xlsx", make_excel, use_table),
    "ods": Door(".ods", make_ods, use_table),
    "long": Door(".csv", make_long, use_long),
    "upload": Door(".csv", make_upload, use_upload),
    "claims": Door(".json", make_claims, use_claims),
    "laser": Door(".txt", make_laser, use_laser),
}
