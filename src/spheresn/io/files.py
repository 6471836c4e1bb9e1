"""Where results go: the one place that decides what a path of the caller may be.

A regular file is whole or absent: it is written under another name and then renamed. A device, a
pipe and an open descriptor such as /dev/stdout are written into. A symbolic link to a file is
refused, because a directory from somebody else could send a result anywhere with one; so are
directories, sockets and disks.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .._errors import BadInput, UserError, printable

DRAFT = ".spheresn-draft-"
LINKS = 40  # that one name may lead through, as for Linux
REFUSED = (
    (stat.S_ISDIR, "a directory", "add the name of a file"),
    (stat.S_ISSOCK, "a socket", "choose a file or a pipe"),
    (stat.S_ISBLK, "a disk", "choose a file on it"),
)


class CannotWrite(UserError, OSError):
    """A file could not be written: no permission, no room, or no place for a file.

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
    """A temporary file, which becomes `path` at the end, or is removed on failure.

    A directory that is missing is made. Into a device or a pipe the content is written at the end.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "a.txt")) as draft:
    ...         _ = draft.write_text("whole")
    ...     Path(folder, "a.txt").read_text(), len(os.listdir(folder))
    ('whole', 1)
    """
    draft: Path | None = None
    try:
        streams = _is_stream(path)
        draft = _draft(Path(tempfile.gettempdir()) if streams else path.parent, path.suffix)
        yield draft
        if streams:
            _pour(draft, path)
        else:
            _synchronise(draft)
            draft.chmod(0o666 & ~_umask())
            _is_stream(path)  # again: what stands there may have changed
            draft.replace(path)
    except CannotWrite:
        raise
    except OSError as error:
        raise _unwritable(path, error.strerror or " ".join(str(error).split())) from None
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


def check_outputs(
    outputs: Sequence[Path], inputs: Mapping[str, Path | None], streams: bool = True
) -> None:
    """Refuse, before any work, outputs that cannot be written, that are read, or that are one file.

    inputs: what the command reads, by the name that the user knows it by. Two names are one file
    if they lead to the same place on the disk, through whatever links. streams: whether devices and
    pipes will do; what is read again must be a file.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = Path(folder, "data.csv")
    ...     _ = data.write_text("1")
    ...     try:
    ...         check_outputs([Path(folder, "..", Path(folder).name, "data.csv")], {"FILE": data})
    ...     except BadInput as error:
    ...         print(str(error).split(",")[0])
    --out must not overwrite FILE
    """
    for place, output in enumerate(outputs):
        try:
            if not _is_stream(output):
                _check_folder(output.parent)
            elif not streams:
                raise _refused(output, "a device or a pipe", "remove it")
            for name, source in inputs.items():
                if source is not None and _same(output, source):
                    raise BadInput(
                        f"--out must not overwrite {name}, got {_shown(output)} for "
                        f"{_shown(source)}; choose another place"
                    )
            for other in outputs[:place]:
                if _same(output, other):
                    raise BadInput(
                        f"outputs must be different files, got {_shown(output)} and "
                        f"{_shown(other)} at one place; choose another directory"
                    )
        except CannotWrite:
            raise
        except OSError as error:
            raise _unwritable(output, error.strerror or str(error)) from None


def _is_stream(path: Path) -> bool:
    """Whether to write into what stands at `path`, instead of replacing it; refused, if neither."""
    if "\0" in str(path):
        raise _refused(path, "a name with a zero byte", "choose another name")
    descriptor = _descriptor(path)
    if descriptor is not None:
        os.write(descriptor, b"")  # fails if it is closed or only for reading
        return True
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise _refused(path, *_link(path)) from None
        return False
    for is_such, what, advice in REFUSED:
        if is_such(mode):
            raise _refused(path, what, advice)
    if not stat.S_ISREG(mode):
        if not os.access(path, os.W_OK):
            raise _unwritable(path, "no permission")
        return True
    if path.is_symlink():
        raise _refused(path, *_link(path))
    return False


def _descriptor(path: Path) -> int | None:
    """The number of the open descriptor of this process that a path names, such as /dev/stdout."""
    own = re.compile(rf"(?:/dev|/proc/{os.getpid()}(?:/task/\d+)?)/fd/(\d+)")
    for _ in range(LINKS):
        path = Path(os.path.realpath(path.parent), path.name)
        if found := own.fullmatch(str(path)):
            return int(found[1])
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None


def _link(path: Path) -> tuple[str, str]:
    return f"a link to {_shown(path.readlink())}", "give the name of the file itself"


def _pour(draft: Path, path: Path) -> None:
    """Write the draft into a device, a pipe or an open descriptor."""
    for stream in (sys.stdout, sys.stderr):  # what was printed comes first
        if stream is not None:
            stream.flush()
    with draft.open("rb") as content, _opened(path) as place:
        shutil.copyfileobj(content, place)


def _opened(path: Path) -> BinaryIO:
    descriptor = _descriptor(path)
    if descriptor is None:  # neither made nor emptied
        handle = os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
    else:  # opened by its name again, a file would be written from its beginning
        handle = os.dup(descriptor)
    return open(handle, "wb")


def _same(one: Path, other: Path) -> bool:
    """Whether two names lead to one file; in a device nobody reads what another wrote."""
    try:
        found = one.stat()
        return os.path.samestat(found, other.stat()) and not stat.S_ISCHR(found.st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


def _check_folder(folder: Path) -> None:
    """Refuse a directory that cannot be written or made."""
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        reason = "no permission" if nearest.is_dir() else f"{_shown(nearest)} is not a directory"
        raise _unwritable(folder, reason)


def _unwritable(path: Path, reason: str) -> CannotWrite:
    return CannotWrite(
        f"{printable(path)} must be writable, got {reason}; choose a directory that can be written "
        "and has room"
    )


def _refused(path: Path, got: str, advice: str) -> CannotWrite:
    return CannotWrite(f"{printable(path)} must be a place for a file, got {got}; {advice}")


def _shown(path: Path) -> str:
    return repr(str(path))


def _draft(folder: Path, suffix: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=DRAFT, suffix=suffix)
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
