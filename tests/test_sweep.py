"""The ledger keeps what it was given and refuses what it did not write; the sweep's numbers depend
on nothing but their units.
"""

from __future__ import annotations

import os
import select
import sqlite3
import subprocess
import sys
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fake_experiment as fake
from runs import rows
from spheresn._errors import NotInstalled
from spheresn.apps.paper.runner import (
    CannotWrite,
    ClusterError,
    DaskPool,
    InUse,
    Ledger,
    LedgerError,
    LocalPool,
    Outcome,
    Unit,
    Work,
    _schema,
    canonical,
    locked,
    perform,
    remove_drafts,
    run,
    whole_file,
)
from spheresn.apps.paper.runner._schema import create
from spheresn.apps.paper.runner.blob import pack, unpack
from spheresn.apps.paper.runner.pools import _copy
from spheresn.apps.paper.runner.versions import commit
from spheresn.apps.paper.runner.worker import Worker, WorkerLost
from spheresn.io.files import DRAFT

UNIT = Unit("fake", "{}", '{"index":0}', 0)


def outcome(**arrays) -> Outcome:
    return perform(lambda: arrays, ())


def quiet(unit, error, seconds) -> None:
    pass


def work(config: fake.Config, seed: int = 0) -> list[Work]:
    text = canonical(vars(config))
    return [
        Work(Unit("fake", text, canonical(task), seed), fake.run, (config, task, seed))
        for task in fake.tasks(config)
    ]


def sweep(out: Path, config: fake.Config, jobs: int) -> dict:
    out.mkdir(exist_ok=True)
    pool = LocalPool(jobs)
    with Ledger(out / "ledger.sqlite") as ledger:
        try:
            run(work(config), pool, ledger, quiet)
        finally:
            pool.close()
    return rows(out)


@pytest.mark.parametrize(
    "array",
    [
        np.array(1.5),
        np.zeros((0, 3)),
        np.array([True, False]),
        np.arange(6.0).reshape(2, 3).T,
        np.array([np.nan, -0.0, np.inf]),
        np.float32([1]),
    ],
)
def test_arrays_come_back_to_the_last_bit(array):
    back = unpack(pack({"a": array}))["a"]
    assert (
        back.dtype == array.dtype
        and back.shape == array.shape
        and back.tobytes() == array.tobytes()
    )


def test_the_same_arrays_are_the_same_bytes():
    assert pack({"a": np.arange(3), "b": np.ones(2)}) == pack({"b": np.ones(2), "a": np.arange(3)})


@pytest.mark.parametrize("array", [np.array(["text"]), np.array([object()]), np.array([1j])])
def test_what_is_no_real_number_is_refused(array):
    with pytest.raises(ValueError, match="must hold real numbers"):
        pack({"a": array})


def test_a_key_depends_on_all_four_parts_and_on_no_spelling():
    others = [
        Unit("fakes", "{}", UNIT.task, 0),
        Unit("fake", "[]", UNIT.task, 0),
        Unit("fake", "{}", "{}", 0),
        Unit("fake", "{}", UNIT.task, 1),
    ]
    assert len({unit.key for unit in [UNIT, *others]}) == 5
    assert canonical({"b": 1, "a": (2, 3)}) == canonical({"a": [2, 3], "b": 1})


def test_a_ledger_keeps_results_and_reasons(tmp_path):
    def broken():
        raise RuntimeError("first line\nsecond line")

    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.record(UNIT, perform(broken, ()))
        row = ledger.row(UNIT)
        assert (
            row is not None
            and row.status == "failed"
            and row.error == "RuntimeError: first line second line"
        )
        assert ledger.result(UNIT) is None and not ledger.done()
        ledger.record(UNIT, outcome(a=np.arange(3.0)))
    with Ledger(tmp_path / "ledger.sqlite") as again:
        result, row = again.result(UNIT), again.row(UNIT)
        assert (
            result is not None
            and np.array_equal(result["a"], np.arange(3.0))
            and again.done() == {UNIT.key}
        )
        assert (
            row is not None
            and row.error is None
            and row.versions["numpy"] == np.__version__
            and row.seconds >= 0
        )


def test_warnings_of_a_unit_are_kept(recwarn):
    def warns():
        np.log(np.array(0.0))
        return {"a": np.ones(1)}

    assert "divide by zero" in (perform(warns, ()).notes or "")


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not a database, whatever its name says"),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "half a page": lambda path: path.write_bytes(path.read_bytes()[:600]),
    "noise in a page": lambda path: path.write_bytes(
        path.read_bytes()[:4096] + b"\x5a" * 4096 + path.read_bytes()[8192:]
    ),
    "no tables": lambda path: alter(path, "DROP TABLE unit"),
    "other tables": lambda path: alter(path, "ALTER TABLE unit ADD COLUMN more"),
    "a trigger": lambda path: alter(
        path, "CREATE TRIGGER t AFTER INSERT ON unit BEGIN DELETE FROM unit; END"
    ),
    "newer format": lambda path: alter(path, "PRAGMA user_version = 99"),
    "another program's": lambda path: alter(path, "PRAGMA application_id = 7"),
}


def alter(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_ledger_is_named_and_left_as_it_is(tmp_path, damage):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        ledger.record(UNIT, outcome(a=np.arange(3000.0)))
    DAMAGE[damage](path)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="must be a whole ledger of spheresn"):
        Ledger(path)
    assert path.read_bytes() == before


def first_format(path: Path) -> None:
    """A ledger as it was before errors had a class, with a unit whose recording was missing and one
    that was at fault.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {_schema.APPLICATION}")
        connection.execute("PRAGMA user_version = 1")
        for table in _schema.FIRST.values():
            connection.execute(table)
        for index, error in enumerate(
            ["FileNotFoundError: no laser", "ValueError: FileNotFoundError"]
        ):
            told = (replace(UNIT, seed=index).key, "fake", "{}", "{}", index, error)
            connection.execute(
                "INSERT INTO unit VALUES (?, ?, ?, ?, ?, 'failed', ?, NULL, '', 0, '{}', NULL, "
                "NULL, NULL)",
                told,
            )


def test_a_ledger_of_the_first_format_still_opens(tmp_path):
    path = tmp_path / "ledger.sqlite"
    first_format(path)
    for _ in range(2):  # then it has the present format
        with Ledger(path) as ledger:
            found = [ledger.row(replace(UNIT, seed=index)) for index in range(2)]
            assert [row and (row.error, row.kind) for row in found] == [
                ("FileNotFoundError: no laser", "NotInstalled"),
                ("ValueError: FileNotFoundError", None),
            ]
            ledger.record(replace(UNIT, seed=2), outcome(a=np.ones(1)))
            _schema.upgrade(ledger._connection)  # as a second process, which comes too late
    with Ledger(tmp_path / "new.sqlite") as new, closing(sqlite3.connect(path)) as old:
        tables = "SELECT name, sql FROM sqlite_master"
        assert new._connection.execute(tables).fetchall() == old.execute(tables).fetchall()


def test_the_class_of_an_error_is_kept_beside_its_words(tmp_path):
    def absent():
        raise NotInstalled("BadInput: words that name another class")

    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.record(UNIT, perform(absent, ()))
        row = ledger.row(UNIT)
    assert row is not None and (row.kind, row.error) == (
        "NotInstalled",
        "NotInstalled: BadInput: words that name another class",
    )


def test_a_changed_result_is_noticed(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.record(UNIT, outcome(a=np.arange(3.0)))
    alter(tmp_path / "ledger.sqlite", "UPDATE unit SET result = zeroblob(100)")
    with Ledger(tmp_path / "ledger.sqlite") as ledger, pytest.raises(LedgerError, match="checksum"):
        ledger.result(UNIT)


def test_a_ledger_removed_during_a_run_is_noticed(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        (tmp_path / "ledger.sqlite").unlink()
        with pytest.raises(LedgerError, match="must stay in place"):
            ledger.record(UNIT, outcome(a=np.ones(1)))


def test_a_file_is_whole_or_absent(tmp_path):
    def half():
        with whole_file(tmp_path / "a.txt") as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert not list(tmp_path.iterdir())


HOLD = """
import sys
from pathlib import Path
from spheresn.apps.paper.runner import locked
with locked(Path(sys.argv[1])):
    print("in", flush=True)
    sys.stdin.read()
"""


def test_a_directory_has_one_owner_and_a_killed_owner_leaves_no_lock(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None and owner.stdout.readline() == "in\n"
        with pytest.raises(InUse, match=f"in use by process {owner.pid}"), locked(tmp_path):
            pass
        owner.kill()
    with locked(tmp_path):
        assert (tmp_path / ".lock").read_text() == f" {os.getpid()}"


def test_numbers_do_not_depend_on_the_number_of_workers(tmp_path):
    one, two = sweep(tmp_path / "one", fake.Config(), 1), sweep(tmp_path / "two", fake.Config(), 2)
    assert one == two and len(one) == 6 and all(status == "done" for status, _ in one.values())
    here = pack(fake.run(fake.Config(), {"index": 0}, 0))
    assert unpack(one['{"index":0,"protocol":"paper"}'][1] or b"")["values"] == pytest.approx(
        unpack(here)["values"]
    )


def test_a_failed_unit_is_recorded_and_tried_again_next_time(tmp_path):
    config = fake.Config(units=3, fails=(1,))
    found = sweep(tmp_path, config, 2)
    assert [status for status, _ in found.values()] == ["done", "failed", "done"]
    seen = []
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        run(
            work(config),
            pool := LocalPool(1),
            ledger,
            lambda unit, error, seconds: seen.append((error, seconds is None)),
        )
        pool.close()
    assert seen == [(None, True), (None, True), ("ValueError: this unit fails on demand", False)]


def test_a_killed_worker_costs_only_time(tmp_path):
    config = fake.Config(units=5, kills=(2,), once=str(tmp_path / "killed"))
    found = sweep(tmp_path / "out", config, 2)
    assert (tmp_path / "killed").exists() and all(status == "done" for status, _ in found.values())


def test_a_unit_that_always_kills_its_worker_is_found_and_the_others_are_not_blamed(tmp_path):
    found = sweep(tmp_path, fake.Config(units=5, kills=(2,)), 2)
    assert [status for status, _ in found.values()] == ["done", "done", "failed", "done", "done"]


def test_a_worker_killed_in_the_middle_of_its_answer_is_lost_at_once():
    """Pools with one queue for all wait for the rest of the answer for ever."""
    worker = Worker()
    pipe = worker._pipe

    class Impatient:
        send = pipe.send

        def recv(self):
            assert pipe.poll(None)  # the first bytes of many are there, and no more fit
            worker.end()
            return pipe.recv()

    worker._pipe = Impatient()
    with pytest.raises(WorkerLost, match="must live until it has answered"):
        worker(bytes, 50_000_000)


def test_errors_of_a_worker_are_raised_here():
    pool = LocalPool(1)
    try:
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        with pytest.raises(TypeError, match="cannot pickle 'module' object"):
            pool.submit(__import__, "json").result()
        assert pool.submit(divmod, 7, 2).result() == (3, 1)
    finally:
        pool.close()


BUSY = """
import time
from spheresn.apps.paper.runner import LocalPool
pool = LocalPool(1)
pool.submit(divmod, 7, 2).result()
pool.submit(time.sleep, 1e6)
print("at work", flush=True)
time.sleep(1e6)
"""


def test_workers_end_with_their_parent_whatever_they_do():
    """A parent that was killed cannot say so. Its pipe ends when the last process that has it
    does.
    """
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == b"at work\n"
        parent.kill()
        assert select.select([parent.stdout], [], [], 150)[0] and parent.stdout.read() == b""


def test_a_write_that_fails_in_the_middle_leaves_nothing_of_it(tmp_path):
    """Undone here, or by SQLite itself, as when the disk is full."""
    whole, broken = ("a", "smoke", "{}", 0), ("b", "smoke", "{}", None)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        with pytest.raises(LedgerError, match="NOT NULL constraint failed"):
            ledger.announce([whole, broken])
        assert ledger.runs() == {}
        with pytest.raises(LedgerError, match="NOT NULL constraint failed"):
            ledger._write(
                [
                    ("INSERT OR ROLLBACK INTO run VALUES (?, ?, ?, ?)", run)
                    for run in (whole, broken)
                ]
            )
        assert ledger.runs() == {}
        ledger.announce([whole])
        assert ledger.runs() == {"a": ("smoke", "{}", 0)}


def test_a_ledger_that_someone_else_holds_is_one_sentence(tmp_path):
    with (
        Ledger(tmp_path / "ledger.sqlite") as ledger,
        closing(sqlite3.connect(ledger.path, isolation_level=None)) as other,
    ):
        ledger._connection.execute("PRAGMA busy_timeout = 1")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            LedgerError,
            match="must be readable and writable, got database is locked; check the disk",
        ):
            ledger.record(UNIT, outcome(a=np.ones(1)))


def test_a_ledger_that_is_not_to_be_made_must_exist(tmp_path):
    with pytest.raises(
        LedgerError, match=f"got no such file; run `spheresn reproduce --out {tmp_path}` first"
    ):
        Ledger(tmp_path / "ledger.sqlite", make=False)
    assert not list(tmp_path.iterdir())


def test_what_killed_writers_left_is_removed_and_nothing_else(tmp_path):
    (tmp_path / "figures").mkdir()
    for name in (f"{DRAFT}1.nc", f"figures/{DRAFT}2.svg", "a.nc"):
        (tmp_path / name).touch()
    remove_drafts(tmp_path)
    assert {path.name for path in tmp_path.rglob("*")} == {"figures", "a.nc"}


def test_a_file_where_none_can_be_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(CannotWrite, match="must be writable, got File exists; choose a directory"),
        whole_file(tmp_path / "file" / "a.txt"),
    ):
        raise AssertionError("nothing can be written here")


def test_without_git_there_is_no_commit(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit.__wrapped__() is None


def test_what_a_dying_process_leaves_undone_is_done_here(monkeypatch):
    def lost(function, item):
        future = Future()
        future.set_exception(WorkerLost("killed")) if item < 0 else future.set_result(100)
        return future

    pool = LocalPool(1)
    monkeypatch.setattr(pool, "submit", lost)
    assert list(pool.map(abs, [-1, 2, -3])) == [1, 100, 3]
    pool.close()


def test_a_closing_pool_hires_nobody():
    """Else the new process would outlive the pool that ends all it knows."""
    pool = LocalPool(1)
    pool.close()
    with pytest.raises(WorkerLost, match="must be open"):
        pool._hire()


def test_a_unit_that_cannot_be_sent_has_failed_and_the_others_have_not(tmp_path):
    works = [Work(UNIT, lambda: {}, ()), *work(fake.Config(units=1))]
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        run(works, pool := LocalPool(1), ledger, quiet)
        pool.close()
        row = ledger.row(UNIT)
        assert (
            row is not None
            and row.status == "failed"
            and "pickle" in str(row.error)
            and len(ledger.done()) == 1
        )


class Remote:
    """A future of Dask that ends with an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def result(self, timeout: float) -> None:
        raise self.error


def test_how_a_unit_ended_on_the_cluster_is_how_it_ended_here():
    for error, kind in (
        (MemoryError("killed thrice"), MemoryError),
        (OSError("gone"), ClusterError),
    ):
        answer: Future[Outcome] = Future()
        _copy(Remote(error), answer)
        assert type(answer.exception()) is kind


def test_without_distributed_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        ClusterError,
        match=r"--dask must find the package distributed, got none; pip install 'spheresn\[cluster\]'",
    ):
        DaskPool("tcp://127.0.0.1:1")


def test_a_ledger_has_its_log_from_the_start(tmp_path):
    """Turning the log on later takes a rollback journal, which a killed process leaves behind and a
    reader cannot roll back.
    """
    path = tmp_path / "ledger.sqlite"
    create(path)
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
