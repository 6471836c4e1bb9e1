"""The ledger's tables, making an empty ledger, and judging a file before anything is written to
it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ...._errors import NotInstalled, UserError, sentence
from ....io.files import whole_file

APPLICATION, FORMAT = 0x53504853, 2  # "SPHS"
FIRST = {
    "unit": """CREATE TABLE unit (
    key TEXT PRIMARY KEY, experiment TEXT NOT NULL, config TEXT NOT NULL, task TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')), error TEXT, notes TEXT,
    started TEXT NOT NULL, seconds REAL NOT NULL, versions TEXT NOT NULL, source TEXT,
    result BLOB, checksum TEXT)""",
    "run": """CREATE TABLE run (
    experiment TEXT PRIMARY KEY, preset TEXT NOT NULL, config TEXT NOT NULL, seed INTEGER NOT NULL)""",
}
KIND = "kind TEXT"  # the class of the error, since format 2
# To the letter what SQLite makes of the first format and one column more
TABLES = {**FIRST, "unit": f"{FIRST['unit'][:-1]}, {KIND})"}


class LedgerError(UserError, RuntimeError):
    """A ledger that cannot be read or written; the file is left as it is."""


def create(path: Path) -> None:
    """An empty ledger, made in memory and written at once: a killed process leaves no half of
    one.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        for table in TABLES.values():
            connection.execute(table)
        content = bytearray(connection.serialize())
    # Bytes 18 and 19 of the file format: with a write-ahead log from the start. Turning it on later
    # takes a rollback journal, and a process killed just then leaves one that `judge`, which only
    # reads, cannot roll back.
    content[18:20] = b"\2\2"
    with whole_file(path) as draft:
        draft.write_bytes(content)


def current(connection: sqlite3.Connection) -> bool:
    """Whether a ledger that `judge` let pass has the present format."""
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT)


def upgrade(connection: sqlite3.Connection) -> None:
    """An older ledger in the present format, in a transaction of the caller's; the first format
    told the class of an error by its words.
    """
    if not current(connection):  # another process may have been faster
        connection.execute(f"ALTER TABLE unit ADD COLUMN {KIND}")
        connection.execute(
            "UPDATE unit SET kind = ? WHERE error LIKE 'FileNotFoundError%'",
            (NotInstalled.__name__,),
        )
        connection.execute(f"PRAGMA user_version = {FORMAT}")


def judge(path: Path) -> None:
    """Refuse a file that is not a whole ledger of this format; it is opened for reading only, so it
    stays as it is.
    """
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            raise damaged(path, "not a SQLite file")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            reason = _fault(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        reason = str(error)
    if reason:
        raise damaged(path, reason)


def damaged(path: Path, reason: str) -> LedgerError:
    """The one sentence for a ledger that cannot be used."""
    told = f"a damaged or foreign one ({sentence(reason)})"
    return LedgerError(
        f"{path} must be a whole ledger of spheresn, got {told}; move it away or restore it"
    )


def _fault(connection: sqlite3.Connection) -> str | None:
    def pragma(name: str) -> object:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]

    if pragma("application_id") != APPLICATION:
        return "written by another program"
    number = pragma("user_version")
    if number not in (1, FORMAT):
        return f"format {number}, this version reads formats up to {FORMAT}: update spheresn"
    # Nothing but our tables: a trigger or a view in a stranger's file would act when we write.
    if dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")) != (
        TABLES if number == FORMAT else FIRST
    ):
        return "its tables are not those of a ledger"
    check = pragma("quick_check(1)")
    return None if check == "ok" else str(check).splitlines()[-1]
