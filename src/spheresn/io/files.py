"""Files that are whole or absent."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .._errors import UserError

DRAFT = ".spheresn-draft-"


class CannotWrite(UserError, RuntimeError):
    """A file could not be written: no permission, or no room."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary name beside `path`; what was written there becomes `path` at the end, or is
    removed when something fails.

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
    """Remove what killed processes left; only for who holds the folder's lock."""
    for draft in folder.rglob(f"{DRAFT}*"):
        draft.unlink(missing_ok=True)


def _synchronise(path: Path) -> None:
    """Wait until the content is on the disk, so that the new name never stands for an empty file
    after a power cut.
    """
    handle = os.open(path, os.O_RDWR)  # Windows synchronises only what could be written
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
