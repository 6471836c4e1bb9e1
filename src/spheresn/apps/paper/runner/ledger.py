"""What has been computed: one SQLite file, one row per unit, each written in one transaction as the
unit ends.

The write-ahead log and a synchronised commit per unit mean that a killed process or a power cut
loses only units in flight. Only the parent process writes. A file that is not a whole ledger is
refused and never overwritten.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from ...._errors import sentence
from ...._validation import real, whole
from ._schema import LedgerError as LedgerError
from ._schema import create, current, damaged, judge, upgrade
from .blob import Arrays, unpack
from .unit import LONGEST, Outcome, Unit, canonical
from .versions import commit

COLUMNS = (
    "key, experiment, config, task, seed, status, error, notes, started, seconds, versions, "
    "source, result, checksum, kind"
)


@dataclass(frozen=True)
class Row:
    """The record of one unit, without its arrays; `kind`: the class of its error."""

    status: str
    error: str | None
    kind: str | None
    notes: str | None
    started: str
    seconds: float
    versions: dict[str, str]
    source: str | None
    bytes: int


class Ledger:
    """The ledger of a directory; made when there is none and `make` is true."""

    def __init__(self, path: Path, make: bool = True) -> None:
        self.path = path
        if not path.exists():
            if not make:
                raise LedgerError(
                    f"{path} must exist, got no such file; run `spheresn reproduce --out "
                    f"{path.parent}` first"
                )
            create(path)
        judge(path)
        self._inode = path.stat().st_ino
        with self._guarded():
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=10.0)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            if not current(self._connection):
                with self._transaction():
                    upgrade(self._connection)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def record(self, unit: Unit, outcome: Outcome) -> None:
        """Write how a unit ended."""
        status = "failed" if outcome.result is None else "done"
        told = (
            status,
            outcome.error,
            outcome.notes,
            outcome.started,
            outcome.seconds,
            canonical(outcome.versions),
            commit(),
        )
        kept = (
            outcome.result,
            None if outcome.result is None else _checksum(outcome.result),
            outcome.kind,
        )
        values = (unit.key, unit.experiment, unit.config, unit.task, unit.seed, *told, *kept)
        self._write(
            [
                (
                    f"INSERT OR REPLACE INTO unit ({COLUMNS}) VALUES "
                    f"({', '.join('?' * len(values))})",
                    values,
                )
            ]
        )

    def forget(self, units: Iterable[Unit]) -> None:
        """Remove the rows of these units."""
        self._write([("DELETE FROM unit WHERE key = ?", (unit.key,)) for unit in units])

    def announce(self, runs: Iterable[tuple[str, str, str, int]]) -> None:
        """Note the (experiment, preset, configuration, seed) that the directory's report is
        about.
        """
        self._write([("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?)", run) for run in runs])

    def runs(self) -> dict[str, tuple[str, str, int]]:
        """Experiment -> (preset, configuration, seed)."""
        with self._guarded():
            rows = self._connection.execute(
                "SELECT experiment, preset, config, seed FROM run"
            ).fetchall()
            return {
                str(name): (str(preset), str(config), whole("seed", seed, 0))
                for name, preset, config, seed in rows
            }

    def done(self) -> set[str]:
        """Keys of the units that have a result."""
        with self._guarded():
            return {
                str(key)
                for (key,) in self._connection.execute("SELECT key FROM unit WHERE status = 'done'")
            }

    def row(self, unit: Unit) -> Row | None:
        """How a unit ended, or None."""
        wanted = (
            "status, error, kind, notes, started, seconds, versions, source, "
            "coalesce(length(result), 0)"
        )
        found = self._select(wanted, unit)
        if found is None:
            return None
        status, error, kind, notes, started, seconds, versions, source, size = found
        with self._guarded():
            known = {
                str(name): str(version) for name, version in dict(json.loads(versions)).items()
            }
            took = real("seconds", seconds, 0.0)
            return Row(
                str(status),
                _text(error),
                _text(kind),
                _text(notes),
                str(started),
                took,
                known,
                _text(source),
                int(size),
            )

    def result(self, unit: Unit) -> Arrays | None:
        """The arrays of a unit, checked against their checksum; None when it failed or never
        ran.
        """
        found = self._select("result, checksum", unit)
        if found is None or found[0] is None:
            return None
        content, checksum = found
        if not isinstance(content, bytes) or _checksum(content) != checksum:
            raise damaged(
                self.path,
                f"the result of {unit.experiment} {unit.task} does not agree with its checksum",
            )
        with self._guarded():
            return unpack(content)

    def _select(self, columns: str, unit: Unit) -> Any:
        with self._guarded():
            return self._connection.execute(
                f"SELECT {columns} FROM unit WHERE key = ?", (unit.key,)
            ).fetchone()

    def _write(self, statements: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        self._still_there()
        with self._guarded(), self._transaction():
            for statement, values in statements:
                self._connection.execute(statement, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _still_there(self) -> None:
        """SQLite would go on writing into a file that someone removed, and lose everything at the
        end.
        """
        if not self.path.exists() or self.path.stat().st_ino != self._inode:
            raise LedgerError(
                f"{self.path} must stay in place during a run, got removed or replaced; run the "
                "same command again"
            )

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise LedgerError(
                f"{self.path} must be readable and writable, got {sentence(error)}; check the "
                "disk and run the same command again"
            ) from None
        except (sqlite3.Error, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise damaged(self.path, str(error)) from None


def _text(value: object) -> str | None:
    return None if value is None else sentence(value, LONGEST)


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
