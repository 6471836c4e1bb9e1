"""The results of a directory: one file per unit, and `runs.json`, which names the runs that the
report is about. One process at a time works in it.

Each file is written whole under a temporary name and then renamed. So a killed process, a full disk
or a power cut loses only the units in flight. A file of a unit holds its record beside its arrays,
and a checksum over both. A file that was damaged or that someone else wrote is refused and left as
it is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from filelock import lock_descriptor, unlock_descriptor
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from spheresn._errors import UserError, sentence
from spheresn._validation import real, whole
from spheresn.io.files import whole_file

from .unit import LONGEST, Arrays, Outcome, Record, Unit, canonical

FORMAT = 1
# What readers of JSON, of safetensors and of our fields raise on strange bytes
STRANGE = (
    SafetensorError, OSError, ValueError, TypeError, LookupError, AttributeError, OverflowError,
    RecursionError, SyntaxError,
)  # fmt: skip


class StoreError(UserError, RuntimeError):
    """A file of results that cannot be used; it is left as it is."""


class Run(NamedTuple):
    """What an experiment was asked for; `config` as canonical JSON."""

    preset: str
    config: str
    seed: int


@dataclass(frozen=True)
class ResultStore:
    """The results in `folder`; `source`: the commit that new results are computed with."""

    folder: Path
    source: str | None = None

    def path(self, unit: Unit) -> Path:
        """The file of a unit."""
        return self.folder / "units" / f"{unit.key}.safetensors"

    def save(self, unit: Unit, outcome: Outcome) -> None:
        """Write how a unit ended, over an earlier try."""
        arrays = outcome.arrays or {}
        header: dict[str, Any] = {
            "format": FORMAT,
            "unit": asdict(unit),
            "record": {**asdict(outcome.record), "source": self.source},
        }
        header["checksum"] = _checksum(header, arrays)
        with whole_file(self.path(unit)) as draft:
            draft.write_bytes(to_bytes(arrays, {"spheresn": canonical(header)}))

    def has_result(self, unit: Unit) -> bool:
        """Whether the unit has ended without an error, by the head of its file."""
        found = self._read(unit, arrays=False)
        return found is not None and found.record.error is None

    def load(self, unit: Unit) -> Outcome | None:
        """How the unit ended, checked against its checksum; None when it never ended."""
        return self._read(unit, arrays=True)

    def forget(self, units: Iterable[Unit]) -> None:
        """Remove the files of these units."""
        for unit in units:
            self.path(unit).unlink(missing_ok=True)

    @property
    def _runs(self) -> Path:
        return self.folder / "runs.json"

    def announce(self, runs: Mapping[str, Run]) -> None:
        """Add runs, by experiment, to those that the report is about."""
        known = {**(self.runs() if self._runs.exists() else {}), **runs}
        content = {
            name: {"preset": run.preset, "seed": run.seed, "config": json.loads(run.config)}
            for name, run in known.items()
        }
        with whole_file(self._runs) as draft:
            draft.write_text(json.dumps({"format": FORMAT, "runs": content}, indent=2) + "\n")

    def runs(self) -> dict[str, Run]:
        """The runs that the report is about, by experiment."""
        with _reading(self._runs):
            try:
                content = json.loads(self._runs.read_text(encoding="utf-8"))
            except FileNotFoundError:
                raise StoreError(
                    f"{self._runs} must exist, got no such file; run `spheresn reproduce --out "
                    f"{self.folder}` first"
                ) from None
            _check_format(content)
            return {
                str(name): Run(
                    str(run["preset"]), canonical(run["config"]), whole("seed", run["seed"], 0)
                )
                for name, run in content["runs"].items()
            }

    def _read(self, unit: Unit, arrays: bool) -> Outcome | None:
        path = self.path(unit)
        with _reading(path):
            try:
                with safe_open(path, framework="numpy") as file:
                    header = json.loads((file.metadata() or {})["spheresn"])
                    names = file.keys() if arrays else ()
                    found = {name: file.get_tensor(name) for name in names}
            except FileNotFoundError:
                return None
            record = _record(header, unit)
            if arrays and header.pop("checksum") != _checksum(header, found):
                raise ValueError("its content does not agree with its checksum")
            return Outcome(record, None if record.error else found)


def _record(header: Any, unit: Unit) -> Record:
    """The record in a header, each field checked: the file may come from anybody."""
    _check_format(header)
    if header["unit"] != asdict(unit):
        raise ValueError("it holds another unit than its name says")
    record = header["record"]
    texts = {name: _text(record[name]) for name in ("error", "kind", "notes", "source")}
    return Record(
        **texts,
        started=sentence(record["started"], LONGEST),
        seconds=real("seconds", record["seconds"], 0.0),
        versions={str(name): str(number) for name, number in record["versions"].items()},
    )


def _check_format(header: Any) -> None:
    if whole("format", header["format"], 1) != FORMAT:
        raise ValueError(
            f"format {header['format']}, this version reads format {FORMAT}: update spheresn"
        )


def _text(value: object) -> str | None:
    return None if value is None else sentence(value, LONGEST)


def _checksum(header: dict[str, Any], arrays: Arrays) -> str:
    return hashlib.sha256(canonical(header).encode() + to_bytes(arrays)).hexdigest()


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Whatever is wrong with the file becomes one sentence."""
    try:
        yield
    except STRANGE as error:
        reason = sentence(error) or type(error).__name__
        raise StoreError(
            f"{path} must be a whole file of spheresn, got a damaged or foreign one ({reason}); "
            "move it away and run the same command again"
        ) from None


class InUse(UserError, RuntimeError):
    """Another process works in the directory."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of `folder`, or say which process does; the file itself stays."""
    # Workers do not inherit it, since they start as new programs
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not lock_descriptor(handle, blocking=False):
            raise InUse(
                f"{folder} must be free, got one in use by process {_holder(handle)}; wait for it "
                "or choose another directory"
            )
        os.ftruncate(handle, 0)
        # Windows lets nobody else read the first byte, which is the locked one
        os.write(handle, f" {os.getpid()}".encode())
        try:
            yield
        finally:
            unlock_descriptor(handle)  # Windows takes its time when the file is only closed
    finally:
        os.close(handle)


def _holder(handle: int) -> str:
    os.lseek(handle, 1, os.SEEK_SET)
    return os.read(handle, 20).decode(errors="replace").strip() or "unknown"
