"""Directories that fill up, that cannot be written, that lose their results, that two want at once;
clocks that go back.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from common import Run, at_work, begin, complete, finish, held, kill, let_go, rows, same, whole

from runs import until

NO_ROOM = ("choose a directory that can be written and has room", "check the disk")
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system needs root")


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    """A file system of so many bytes."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"mount: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)


def refused(process: Run, *words: str) -> None:
    """Exit code 2 and, last, one sentence that holds one of the words."""
    code, _, errors = finish(process)
    assert code == 2 and "Traceback" not in errors, (code, errors)
    last = errors.strip().splitlines()[-1]
    assert last.startswith("spheresn: ") and any(word in last for word in words), errors


@contextmanager
def no_room_left(disk: Path) -> Iterator[None]:
    """A file that takes all the room there is."""
    with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(b"x" * 4096):
            pass
    yield
    (disk / "filler").unlink()


@ROOT
def test_the_disk_is_full(attack, tmp_path, undisturbed):
    """Disk full at a random size; then with room, the run goes on."""
    dice = random.Random(5)
    for size in [4096, 16_384, 65_536, *(dice.randrange(100_000, 2_600_000) for _ in range(5))]:
        with attack.attempt(f"{size} bytes"), small_disk(tmp_path / str(size), size) as disk:
            out = disk / "out"
            process = begin(out)
            refused(process, *NO_ROOM)
            whole(out)
            before = rows(out)
            remount(disk, "size=100m")
            complete(out)
            assert before.items() <= rows(out).items()
            same(out, undisturbed)


@ROOT
def test_the_directory_cannot_be_written(attack, tmp_path, undisturbed):
    """A directory that cannot be written, from the start or from some moment on."""
    with small_disk(tmp_path / "disk", 50_000_000) as disk:
        remount(disk, "ro")
        with attack.attempt("from the start"):
            refused(begin(disk / "out"), "choose a directory that can be written")
        remount(disk, "rw")
        out = disk / "out"
        for units in (1, 4, 7):
            with attack.attempt(f"after {units} units"):
                process = begin(out, **held(tmp_path / f"after {units}", units))
                at_work(out, process, units)
                # A disk with files open for writing does not become read-only
                with no_room_left(disk):
                    let_go(tmp_path / f"after {units}")
                    refused(process, *NO_ROOM)
        with attack.attempt("then goes on"):
            complete(out)
            same(out, undisturbed)


def remove_units(out: Path) -> None:
    shutil.rmtree(out / "units", ignore_errors=True)


def replace_units(out: Path) -> None:
    remove_units(out)
    (out / "units").write_bytes(b"something else")


def remove_runs(out: Path) -> None:
    (out / "runs.json").unlink()


def replace_runs(out: Path) -> None:
    (out / "runs.json").write_bytes(b"something else")


def replace_a_unit(out: Path) -> None:
    next(out.glob("units/[0-9a-f]*.safetensors")).write_bytes(b"something else")


def test_results_are_deleted(attack, tmp_path, undisturbed):
    """Results are deleted, or replaced, during the run."""
    words = ("must stay in place", "must exist", "must be writable, got File exists")
    for disturb in (remove_units, replace_units, remove_runs, replace_runs, replace_a_unit):
        for units in (2, 8):
            with attack.attempt(f"{disturb.__name__} after {units} units"):
                out = tmp_path / f"{disturb.__name__} {units}"
                process = begin(out, **held(out, units))
                at_work(out, process, units)
                disturb(out)
                let_go(out)
                refused(process, *words, "must be a whole file of spheresn")
                others = [path for path in out.rglob("*") if path.is_file()]
                replaced = [path for path in others if path.read_bytes() == b"something else"]
                assert len(replaced) == disturb.__name__.startswith("replace")
                for path in replaced:
                    path.unlink()
                complete(out)
                same(out, undisturbed)


def test_two_runs_at_once(attack, tmp_path, undisturbed):
    """Three runs in one directory at the same moment: one works, two say who does."""
    for run in range(4):
        with attack.attempt(f"run {run}"):
            out = tmp_path / str(run)
            processes = [begin(out, **held(out, 0)) for _ in range(3)]
            until(lambda processes=processes: sum(one.poll() is not None for one in processes) == 2)
            let_go(out)
            ended = [finish(process) for process in processes]
            assert sorted(code for code, _, _ in ended) == [0, 2, 2], ended
            assert all("in use by process" in errors for code, _, errors in ended if code == 2), (
                ended
            )
            same(out, undisturbed)


def test_killed_in_its_first_moments(attack, tmp_path, undisturbed):
    """kill -9 while the directory is being made."""
    dice = random.Random(8)
    for run in range(12):
        with attack.attempt(f"run {run}"):
            out = tmp_path / str(run)
            process = begin(out)
            at_work(out, process)
            time.sleep(dice.uniform(0.0, 0.03))
            kill(process)
            complete(out)
            same(out, undisturbed)


def test_the_clock_goes_back(attack, tmp_path, undisturbed):
    """The clock goes back a day at every look, and all files are from the future."""
    for run in range(3):
        with attack.attempt(f"run {run}"):
            out = tmp_path / str(run)
            process = begin(out, FAKE_CLOCK=86_400)
            at_work(out, process, 3 * run)
            kill(process)
            for path in out.rglob("*"):
                os.utime(path, (4e9, 4e9))
            code, _, errors = finish(begin(out, FAKE_CLOCK=86_400))
            assert code == 0, errors
            same(out, undisturbed)
