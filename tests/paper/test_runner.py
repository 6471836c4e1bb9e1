"""The store keeps what it was given and refuses what it did not write; the numbers of a run depend
on nothing but its units.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import select
import shutil
import struct
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load
from safetensors.numpy import save as to_bytes

import fake_experiment as fake
from runs import killed_while_answering, rows, until
from spheresn._errors import NotInstalled
from spheresn.io.files import DRAFT
from spheresn_paper.reproduce import Request, reproduce
from spheresn_paper.runner import (
    CannotWrite,
    ClusterError,
    DaskPool,
    InUse,
    LocalPool,
    Outcome,
    ResultStore,
    Run,
    Status,
    StoreError,
    Unit,
    Work,
    WorkerLost,
    canonical,
    commit,
    locked,
    perform,
    remove_drafts,
    run,
    unit,
    whole_file,
)
from spheresn_paper.runner.cluster import _receive
from spheresn_paper.runner.local import SHORT, _answer

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


def compute(out: Path, config: fake.Config, jobs: int) -> dict:
    pool = LocalPool(jobs)
    try:
        run(work(config), pool, ResultStore(out), quiet)
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
        np.arange(3, dtype=">i4"),
    ],
)
def test_arrays_come_back_to_the_last_bit(tmp_path, array):
    ResultStore(tmp_path).save(UNIT, outcome(a=array))
    found = ResultStore(tmp_path).load(UNIT)
    assert found is not None and found.arrays is not None and list(found.arrays) == ["a"]
    back, native = found.arrays["a"], array.astype(array.dtype.newbyteorder("="))
    assert back.dtype == native.dtype and back.shape == array.shape
    assert back.tobytes() == native.tobytes()


def test_the_same_outcome_is_the_same_file(tmp_path):
    ended = outcome(a=np.arange(3), b=np.ones(2))
    swapped = replace(ended, arrays=dict(reversed((ended.arrays or {}).items())))
    for folder, one in (("one", ended), ("other", swapped)):
        ResultStore(tmp_path / folder, "abc").save(UNIT, one)
    files = [ResultStore(tmp_path / folder).path(UNIT) for folder in ("one", "other")]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("array", [np.array(["text"]), np.array([object()]), np.array([1j])])
def test_what_is_no_real_number_is_refused(array):
    ended = outcome(a=array)
    assert ended.arrays is None and "must hold real numbers" in str(ended.record.error)


def test_a_place_that_cannot_be_written_stops_the_run(tmp_path):
    """The worker finds out, and the sentence is that of the parent."""
    (tmp_path / "units").touch()
    with pytest.raises(CannotWrite, match="must be writable, got File exists"):
        run(work(fake.Config(units=2)), pool := LocalPool(1), ResultStore(tmp_path), quiet)
    pool.close()


def test_a_key_depends_on_all_four_parts_and_on_no_spelling():
    others = [
        Unit("fakes", "{}", UNIT.task, 0),
        Unit("fake", "[]", UNIT.task, 0),
        Unit("fake", "{}", "{}", 0),
        Unit("fake", "{}", UNIT.task, 1),
    ]
    assert len({unit.key for unit in [UNIT, *others]}) == 5
    assert canonical({"b": 1, "a": (2, 3)}) == canonical({"a": [2, 3], "b": 1})


def test_a_store_keeps_results_and_reasons(tmp_path):
    def broken():
        raise RuntimeError("first line\nsecond line")

    store = ResultStore(tmp_path, "abc")
    assert store.load(UNIT) is None and not store.has_result(UNIT)
    store.save(UNIT, perform(broken, ()))
    ended = store.load(UNIT)
    assert ended is not None and ended.arrays is None and not store.has_result(UNIT)
    assert ended.record.error == "RuntimeError: first line second line"
    store.save(UNIT, outcome(a=np.arange(3.0)))
    again = ResultStore(tmp_path).load(UNIT)
    assert again is not None and ResultStore(tmp_path).has_result(UNIT)
    assert np.array_equal((again.arrays or {})["a"], np.arange(3.0))
    assert again.record.error is None and again.record.versions["numpy"] == np.__version__
    assert again.record.source == "abc" and again.record.seconds >= 0
    store.forget([UNIT, UNIT])
    assert store.load(UNIT) is None


def test_warnings_of_a_unit_are_kept(recwarn):
    def warns():
        np.log(np.array(0.0))
        return {"a": np.ones(1)}

    assert "divide by zero" in (perform(warns, ()).record.notes or "")


def with_header(path: Path, change) -> None:
    """The file with another header, and with arrays that are what they were."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    outer = json.loads(raw[8 : 8 + size])
    inner = json.loads(outer["__metadata__"]["spheresn"])
    change(inner)
    outer["__metadata__"]["spheresn"] = json.dumps(inner)
    text = json.dumps(outer).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + size :])


def with_noise(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[-8] ^= 1
    path.write_bytes(raw)


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("no arrays, whatever its name says"),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "half a header": lambda path: path.write_bytes(path.read_bytes()[:60]),
    "one bit of a number": with_noise,
    "another reason": lambda path: with_header(path, lambda head: head["record"].update(notes="x")),
    "a word for a number": lambda path: with_header(
        path, lambda head: head["record"].update(seconds="x")
    ),
    "no checksum": lambda path: with_header(path, lambda head: head.pop("checksum")),
    "another unit": lambda path: with_header(path, lambda head: head["unit"].update(seed=1)),
    "newer format": lambda path: with_header(path, lambda head: head.update(format=99)),
    "another program's": lambda path: path.write_bytes(to_bytes({"a": np.ones(3000)})),
    "a directory": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_result_is_named_and_left_as_it_is(tmp_path, damage):
    store = ResultStore(tmp_path)
    path = store.path(UNIT)
    store.save(UNIT, outcome(a=np.arange(3000.0)))
    DAMAGE[damage](path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=f"{path} must be a whole file of spheresn, got"):
        store.load(UNIT)
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("damage", ["empty", "text", "truncated", "another unit", "newer format"])
def test_a_damaged_result_stops_a_run_before_it_computes(tmp_path, damage):
    items = work(fake.Config(units=2))
    store = ResultStore(tmp_path)
    store.save(items[1].unit, outcome(a=np.arange(3000.0)))
    DAMAGE[damage](store.path(items[1].unit))
    with pytest.raises(StoreError, match="must be a whole file of spheresn"):
        run(items, LocalPool(1), store, quiet)
    assert len(list((tmp_path / "units").iterdir())) == 1


def test_runs_are_kept_by_experiment(tmp_path):
    store, one = ResultStore(tmp_path), Run("smoke", '{"units":3}', 0)
    with pytest.raises(StoreError, match=f"run `spheresn reproduce --out {tmp_path}` first"):
        store.runs()
    assert not list(tmp_path.iterdir())
    store.announce({"a": one, "b": one})
    store.announce({"b": one._replace(seed=7)})
    assert store.runs() == {"a": one, "b": one._replace(seed=7)}


@pytest.mark.parametrize(
    "content",
    [
        b"", b"something else", b"[]", b"\xff", b'{"format": 99, "runs": {}}',
        b'{"format": 1, "runs": {"a": {"preset": "smoke", "config": {}, "seed": "seven"}}}',
        b'{"format": 1, "runs": [1]}', b"[" * 5000,
    ],
)  # fmt: skip
def test_damaged_runs_are_named_and_left_as_they_are(tmp_path, content):
    path = tmp_path / "runs.json"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=f"{path} must be a whole file of spheresn, got"):
        ResultStore(tmp_path).announce({"a": Run("smoke", "{}", 0)})
    assert path.read_bytes() == content


def test_the_class_of_an_error_is_kept_beside_its_words(tmp_path):
    def absent():
        raise NotInstalled("BadInput: words that name another class")

    ResultStore(tmp_path).save(UNIT, perform(absent, ()))
    ended = ResultStore(tmp_path).load(UNIT)
    assert ended is not None and (ended.record.kind, ended.record.error) == (
        "NotInstalled",
        "NotInstalled: BadInput: words that name another class",
    )


def test_results_removed_during_a_run_are_noticed(tmp_path):
    def remove(unit, error, seconds):
        # Both results may have been written before the first is reported
        shutil.rmtree(tmp_path / "units", ignore_errors=True)

    with pytest.raises(StoreError, match=r"must stay in place during a run, got 2 of 2 results"):
        run(work(fake.Config(units=2)), pool := LocalPool(1), ResultStore(tmp_path), remove)
    pool.close()


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
from spheresn_paper.runner import locked
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
    one, two = (compute(tmp_path / str(jobs), fake.Config(), jobs) for jobs in (1, 2))
    assert one == two and len(one) == 6 and all(status == "done" for status, _ in one.values())
    here = fake.run(fake.Config(), {"index": 0}, 0)["values"]
    there = load(one['{"index":0,"protocol":"paper"}'][1] or b"")["values"]
    assert there == pytest.approx(here)


def test_a_failed_unit_is_recorded_and_tried_again_next_time(tmp_path):
    config = fake.Config(units=3, fails=(1,))
    found = compute(tmp_path, config, 2)
    assert [status for status, _ in found.values()] == ["done", "failed", "done"]
    seen = []
    run(
        work(config),
        pool := LocalPool(1),
        ResultStore(tmp_path),
        lambda unit, error, seconds: seen.append((error, seconds is None)),
    )
    pool.close()
    assert seen == [(None, True), (None, True), ("ValueError: this unit fails on demand", False)]


def test_a_killed_worker_costs_only_time(tmp_path):
    config = fake.Config(units=5, kills=(2,), once=str(tmp_path / "killed"))
    found = compute(tmp_path / "out", config, 2)
    assert (tmp_path / "killed").exists() and all(status == "done" for status, _ in found.values())


def test_a_worker_killed_inside_a_write_leaves_nothing_behind(tmp_path, monkeypatch):
    """Not even a draft, when the run has ended; the unit is computed again."""
    death = tmp_path / "death"
    monkeypatch.setenv("FAKE_DEATH_DRAFT", str(death))
    wanted, watched = (
        Request(("fake",), "smoke", tmp_path / "out", 1, 0),
        lambda totals: nullcontext(quiet),
    )
    (section,) = reproduce({"fake": fake}, wanted, watched, lambda words: None)
    assert death.exists() and not section.faulty and len(rows(tmp_path / "out")) == 6
    assert not list((tmp_path / "out").rglob(f"{DRAFT}*"))


def test_a_unit_that_always_kills_its_worker_is_found_and_the_others_are_not_blamed(tmp_path):
    found = compute(tmp_path, fake.Config(units=5, kills=(2,)), 2)
    assert [status for status, _ in found.values()] == ["done", "done", "failed", "done", "done"]


def test_an_answer_is_short_whatever_the_call_returns_or_raises():
    """A worker that is killed in the middle of a long answer leaves half of it in the pipe, and the
    pool waits for the other half for ever.
    """

    def answered(function, *arguments):
        raw = _answer(pickle.dumps((function, arguments)))
        assert len(raw) <= SHORT < select.PIPE_BUF
        return pickle.loads(raw)

    assert answered(divmod, 7, 2) == (True, (3, 1))
    done, error = answered(bytes, 50_000_000)
    assert not done and "an answer must be short, got 50000" in str(error)
    assert not answered(int, "x" * 50_000)[0] and not answered(sys.exit)[0]
    done, error = answered(fail_with_a_module)
    assert not done and str(error).startswith("Unsendable: ")
    done, error = pickle.loads(_answer(b"no call"))
    assert not done and isinstance(error, pickle.UnpicklingError)


class Unsendable(Exception):
    pass


def fail_with_a_module():
    raise Unsendable(sys)


def test_a_worker_killed_while_it_answers_is_lost_at_once():
    """Or its answer has arrived; there is nothing between, and nobody waits."""
    killed_while_answering(rounds=3)


def test_a_worker_that_dies_while_it_starts_is_lost(monkeypatch):
    def broken(self, *arguments):
        raise BrokenPipeError

    pool = LocalPool(1)
    with monkeypatch.context() as patch:
        patch.setattr(ProcessPoolExecutor, "submit", broken)
        with pytest.raises(WorkerLost, match="must live until it has answered"):
            pool.call(divmod, 7, 2).result()
    assert pool.call(divmod, 7, 2).result() == (3, 1)
    pool.close()


def test_a_lost_worker_leaves_no_open_file():
    """Else a run that loses a thousand workers could open no more."""
    pool, files = LocalPool(1), []
    try:
        for _ in range(3):
            with pytest.raises(WorkerLost, match="must live until it has answered"):
                pool.call(os._exit, 1).result()
            gc.collect()
            files.append(len(os.listdir("/proc/self/fd")))
    finally:
        pool.close()
    assert files[2] <= files[0]


def test_workers_have_one_thread_and_the_parent_keeps_its_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before, pool = dict(os.environ), LocalPool(1)
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
    assert [pool.call(os.getenv, name).result() for name in names] == ["1", "1"]
    pool.close()
    assert dict(os.environ) == before


def test_errors_of_a_worker_are_raised_here():
    pool = LocalPool(1)
    try:
        with pytest.raises(ZeroDivisionError):
            pool.call(divmod, 1, 0).result()
        with pytest.raises(TypeError, match="cannot pickle 'module' object"):
            pool.call(__import__, "json").result()
        assert pool.call(divmod, 7, 2).result() == (3, 1)
    finally:
        pool.close()


BUSY = """
import time
from spheresn_paper.runner import LocalPool
pool = LocalPool(1)
pool.call(divmod, 7, 2).result()
pool.call(time.sleep, 1e6)
print("at work", flush=True)
time.sleep(1e6)
"""


def test_workers_end_with_their_parent_whatever_they_do():
    """A parent that was killed cannot say so. Its output ends when the last process that has it
    does.
    """
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == b"at work\n"
        parent.kill()
        assert select.select([parent.stdout], [], [], 150)[0] and parent.stdout.read() == b""


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


def test_the_commit_is_reported_and_the_repository_left_alone(monkeypatch, tmp_path):
    """`git describe --dirty` writes the index: killed, it leaves a lock there."""

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e")
        command = ["git", "-C", str(tmp_path), *who, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    source = tmp_path / "runner" / "unit.py"
    source.parent.mkdir()
    source.touch()
    monkeypatch.setattr(unit, "__file__", str(source))
    git("init", "-q")
    assert commit.__wrapped__() is None  # in a repository, but no part of it
    (tmp_path / "__init__.py").touch()
    git("add", ".")
    assert commit.__wrapped__() is None  # nothing is committed yet
    git("commit", "-qm", "first")
    assert commit.__wrapped__() == git("rev-parse", "HEAD")
    os.utime(tmp_path / "__init__.py", (1, 1))  # a reason to write the index anew
    before = (tmp_path / ".git" / "index").read_bytes()
    assert commit.__wrapped__() == git("rev-parse", "HEAD")
    (tmp_path / "__init__.py").write_text("1")
    assert commit.__wrapped__() == f"{git('rev-parse', 'HEAD')}-dirty"
    assert (tmp_path / ".git" / "index").read_bytes() == before


def test_what_a_dying_process_leaves_undone_is_done_here(monkeypatch):
    def lost(function, item):
        future = Future()
        future.set_exception(WorkerLost("killed")) if item < 0 else future.set_result(100)
        return future

    pool = LocalPool(1)
    monkeypatch.setattr(pool, "call", lost)
    assert list(pool.map(abs, [-1, 2, -3])) == [1, 100, 3]
    pool.close()


def test_a_closing_pool_starts_nobody():
    """Else the new process would outlive the pool that ends all it knows."""
    pool = LocalPool(1)
    pool.close()
    with pytest.raises(WorkerLost, match="must be open"):
        pool._start()


def test_a_pool_that_closes_loses_the_unit_at_work_and_waits_for_nobody():
    """The thread of that unit finds its processes ended and has nothing left to end itself."""
    pool = LocalPool(1)
    assert pool.call(divmod, 7, 2).result() == (3, 1)
    at_work = pool.call(time.sleep, 1e6)
    until(at_work.running)
    pool.close()
    with pytest.raises(WorkerLost, match="must live until it has answered"):
        at_work.result()


def test_a_unit_that_cannot_be_sent_has_failed_and_the_others_have_not(tmp_path):
    works = [Work(UNIT, lambda: {}, ()), *work(fake.Config(units=1))]
    store = ResultStore(tmp_path)
    run(works, pool := LocalPool(1), store, quiet)
    pool.close()
    ended = store.load(UNIT)
    # "Can't pickle local object", or from Python 3.13 on "Can't get local object"
    assert ended is not None and ended.arrays is None and "local object" in str(ended.record.error)
    assert [store.has_result(item.unit) for item in works] == [False, True]


class Remote:
    """A future of Dask that has ended."""

    def __init__(self, ended: Outcome | Exception) -> None:
        self.ended = ended

    def result(self, timeout: float) -> Outcome:
        if isinstance(self.ended, Exception):
            raise self.ended
        return self.ended


def test_what_the_cluster_computed_is_saved_here(tmp_path):
    answer: Future[Status] = Future()
    ended = outcome(a=np.ones(2))
    _receive(Remote(ended), answer, ResultStore(tmp_path), UNIT)
    assert answer.result() == Status(None, ended.record.seconds)
    assert ResultStore(tmp_path).has_result(UNIT)


def test_how_a_unit_ended_on_the_cluster_is_how_it_ended_here(tmp_path):
    (tmp_path / "file").touch()
    for ended, kind in (
        (MemoryError("killed thrice"), MemoryError),
        (OSError("gone"), ClusterError),
        (outcome(a=np.ones(2)), CannotWrite),
    ):
        answer: Future[Status] = Future()
        _receive(Remote(ended), answer, ResultStore(tmp_path / "file"), UNIT)
        assert type(answer.exception()) is kind


def test_without_distributed_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        ClusterError,
        match=r"must find the package distributed, got none; pip install 'spheresn\[cluster\]'",
    ):
        DaskPool("tcp://127.0.0.1:1")
