"""What every disturbed run is compared with, and how."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import xarray as xr
from forked import Run
from safetensors import safe_open

from runs import children, finish, rows, until
from spheresn_paper.runner import ResultStore, Unit

UNITS = 10
# A quarter of a megabyte per unit: longer than a pipe holds
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
    code, _, errors = finish(begin(out))
    assert code == 0 and "Traceback" not in errors, errors


def at_work(out: Path, process: Run, units: int = 0) -> None:
    """Wait until the run holds its directory and has so many units, or until it has ended."""
    until(
        lambda: process.poll() is not None or ((out / ".lock").exists() and len(rows(out)) >= units)
    )


def kill(process: Run) -> None:
    """kill -9, and what it had started is gone soon after."""
    started = children(process.pid)
    process.send_signal(signal.SIGKILL)
    finish(process)
    gone(started)


def gone(processes: list[int]) -> None:
    """None of them outlives its parent."""
    until(lambda: not set(processes) & set(_python()), seconds=30)


def _python() -> list[int]:
    """Processes that are no zombies."""
    found = subprocess.run(
        ["ps", "-eo", "pid=,stat="], capture_output=True, text=True, check=True
    ).stdout
    return [
        int(pid) for pid, state in map(str.split, found.splitlines()) if not state.startswith("Z")
    ]


def whole(out: Path) -> None:
    """Every file of a unit that has its name can be read and agrees with its checksum."""
    store = ResultStore(out)
    for path in out.glob("units/[0-9a-f]*.safetensors"):
        with safe_open(path, framework="numpy") as file:
            unit = Unit(**json.loads(file.metadata()["spheresn"])["unit"])
        assert store.path(unit) == path and store.load(unit) is not None
    if (out / "runs.json").exists():
        assert list(store.runs()) == ["fake"]


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
