"""What every disturbed run is compared with, and how."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import xarray as xr
from forked import Run

from runs import children, finish, rows, until

UNITS = 10
# A quarter of a megabyte per unit: many pages
CONFIG = json.dumps({"units": UNITS, "size": 40, "pause": 0.05, "padding": 30_000})
FAKE = {"FAKE_CONFIG": CONFIG}
RUN = ("reproduce", "fake", "--preset", "quick", "--out")


def begin(out: Path, *more: object, jobs: int = 1, **fake: object) -> Run:
    """A run of the fake experiment."""
    return Run((*RUN, out, "--jobs", jobs, *more), {**FAKE, **fake})


def held(out: Path, units: int) -> dict[str, object]:
    """For a run that does so many units and then waits for `let_go`."""
    return {"FAKE_AFTER": units, "FAKE_GATE": out.with_name(f"{out.name}.gate")}


def let_go(out: Path) -> None:
    """The run of this directory goes on."""
    out.with_name(f"{out.name}.gate").touch()


def complete(out: Path) -> None:
    """Run to the end, undisturbed."""
    code, _, told = finish(begin(out))
    assert code == 0 and "Traceback" not in told, told


def at_work(out: Path, process: Run, units: int = 0) -> None:
    """Wait until the run holds its directory and has so many units, or until it has ended."""
    until(
        lambda: process.poll() is not None or ((out / ".lock").exists() and len(rows(out)) >= units)
    )


def kill(process: Run) -> None:
    """kill -9, and its workers are gone soon after."""
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    finish(process)
    gone(workers)


def gone(workers: list[int]) -> None:
    """No worker outlives its parent."""
    until(lambda: not set(workers) & set(_python()), seconds=30)


def _python() -> list[int]:
    """Processes that are no zombies."""
    found = subprocess.run(
        ["ps", "-eo", "pid=,stat="], capture_output=True, text=True, check=True
    ).stdout
    return [
        int(pid) for pid, state in map(str.split, found.splitlines()) if not state.startswith("Z")
    ]


def whole(out: Path) -> None:
    """SQLite finds nothing wrong, looking at a copy, so that it mends nothing here."""
    if not (out / "ledger.sqlite").exists():
        return
    with TemporaryDirectory() as folder:
        for path in out.glob("ledger.sqlite*"):
            shutil.copy(path, folder)
        with closing(sqlite3.connect(Path(folder, "ledger.sqlite"))) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def same(out: Path, undisturbed: Path) -> None:
    """Bit for bit what a run gives that nobody touched, and no litter."""
    whole(out)
    assert rows(out) == rows(undisturbed) and len(rows(out)) == UNITS
    for name in ("claims.json", "figures/fake.svg"):
        assert (out / name).read_bytes() == (undisturbed / name).read_bytes()
    ours, theirs = (
        xr.load_dataset(folder / "fake.nc", engine="h5netcdf") for folder in (out, undisturbed)
    )
    # Who commits during the attacks changes its commit
    assert ours.attrs.pop("computed_with") and theirs.attrs.pop("computed_with")
    assert ours.identical(theirs)
    assert sorted(path.name for path in out.rglob("*")) == sorted(
        path.name for path in undisturbed.rglob("*")
    )
