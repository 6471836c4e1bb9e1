"""One process per directory. The operating system holds the lock and releases it when the process
ends, even if it is killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor, unlock_descriptor

from spheresn._errors import UserError


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
