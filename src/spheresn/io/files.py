"""Files that are whole or absent."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .._errors import UserError

DRAFT = ".spheresn-draft-"


class CannotWrite(UserError, OSError):
    """A file could not be written: no permission, or no room.

    >>> with tempfile.NamedTemporaryFile() as file:
    ...     try:
    ...         with whole_file(Path(file.name, "a.txt")):
    ...             pass
    ...     except CannotWrite as error:
    ...         print(str(error).split(";")[1])
     choose a directory that can be written and has room
    """


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, which replaces `path` at the end, or is removed on failure.

    A directory that is missing is made.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "a.txt")) as draft:
    ...         _ = draft.write_text("whole")
    ...     Path(folder, "a.txt").read_text(), len(os.listdir(folder))
    ('whole', 1)
    """
    draft: Path | None = None
    try:
        draft = _draft(path)
        yield draft
        _synchronise(draft)
        draft.chmod(0o666 & ~_umask())
        draft.replace(path)
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise CannotWrite(
            f"{path} must be writable, got {reason}; choose a directory that can be written and "
            "has room"
        ) from None
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


def _draft(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=DRAFT, suffix=path.suffix)
    os.close(handle)
    return Path(name)


def remove_drafts(folder: Path) -> None:
    """Remove what killed processes left behind. The caller must hold the lock of the folder."""
    for draft in folder.rglob(f"{DRAFT}*"):
        draft.unlink(missing_ok=True)


def _synchronise(path: Path) -> None:
    """Wait until the content is on the disk: after a power cut the new name has its content."""
    handle = os.open(path, os.O_RDWR)  # Windows synchronises only what could be written
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
