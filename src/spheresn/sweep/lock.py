"""One process per directory, by a lock of the operating system that ends with the process however it dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .._errors import Told


class InUse(Told, RuntimeError):
    """Another process works in the directory."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold `folder`, or say who does. The file stays behind; only the lock on it counts."""
    path = folder / ".lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # not inherited by workers, which start as new programs
    try:
        _take(handle, folder)
        os.truncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        os.close(handle)


def _take(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(handle, 20, 0).decode(errors="replace").strip() or "unknown"
        raise InUse(f"{folder} must be free, got one in use by process {holder}; wait for it or choose another directory") from None
