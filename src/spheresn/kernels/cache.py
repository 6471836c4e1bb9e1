"""The cache of compiled loops on disk.

It lies in a directory that only its owner can write to, because its content is executed. numba's
own cache fails where neither the package nor the home directory can be written to. It does not
notice changes in imported files. Two processes that save different signatures at the same moment
may overwrite each other's code. Here every signature has its own file, in a directory named by a
digest of everything that determines the code. No file is read or written before the first call of a
loop.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

PACKAGE = Path(__file__).parents[1]
UNUSED = 30 * 86400.0  # seconds after which the code of another version is removed
SETTINGS: Any = numba.config  # read from the environment when numba is imported
COMPILING = "spheresn: compiling for the first time, this takes some seconds ..."


class NotCached(UserWarning):
    """Compiled loops cannot be cached, so every process compiles them again."""


@cache
def digest() -> str:
    """A digest of the sources and of what compiles them.

    The processor and the signature also determine the code; they are in the name of each file.
    """
    found = hashlib.sha256(
        f"{numba.__version__} {llvmlite.__version__} {sys.version} {platform.machine()}".encode()
    )
    for folder in ("kernels", "topology"):
        for path in sorted((PACKAGE / folder).glob("*.py")):
            found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()[:16]


def places() -> list[Path]:
    """The directories to try, in this order.

    Only NUMBA_CACHE_DIR if it is set; else the user's cache folder, then one of ours in the folder
    for temporary files.
    """
    if SETTINGS.CACHE_DIR:
        return [Path(SETTINGS.CACHE_DIR) / "spheresn"]
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""
    return [*_user_folder(), Path(tempfile.gettempdir()) / f"spheresn{user}"]


def _user_folder() -> list[Path]:
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return [Path(named) / "spheresn"]
    home = os.path.expanduser("~")
    return (
        [Path(home) / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "spheresn"]
        if os.path.isabs(home)
        else []
    )


def is_ours(folder: Path) -> bool:
    """Whether `folder` is a directory (no link) of this user that nobody else can write to.

    Windows itself protects these folders from other users.
    """
    found = os.lstat(folder)
    if not hasattr(os, "getuid"):  # pragma: no cover - Windows has no such owners
        return stat.S_ISDIR(found.st_mode)
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.getuid()
        and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


@cache
def folder() -> Path | None:
    """The directory for this code, created if necessary; None with a warning if none can be."""
    for place in places():
        with contextlib.suppress(OSError):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (SETTINGS.CACHE_DIR or is_ours(place)):
                continue
            found = place / digest()
            found.mkdir(mode=0o700, exist_ok=True)
            with tempfile.TemporaryFile(dir=found):
                pass
            os.utime(found)  # marks it as in use
            _remove_unused(place, found)
            return found
    _warn_not_cached("no directory can be written to")
    return None


def _remove_unused(place: Path, current: Path) -> None:
    """Delete the code of other versions that no process has used for a month."""
    for other in place.iterdir():
        if (
            other != current
            and re.fullmatch(r"[0-9a-f]{16}", other.name)
            and time.time() - other.lstat().st_mtime > UNUSED
        ):
            shutil.rmtree(other, ignore_errors=True)


@cache
def _warn_not_cached(why: str) -> None:
    warnings.warn(
        f"compiled loops are not kept for the next process: {why}; set NUMBA_CACHE_DIR to a "
        "directory of yours that can be written to",
        NotCached,
        stacklevel=2,
    )


class KernelCache(_Cache):
    """The cache of one loop, with the methods that numba calls."""

    def __init__(self, function: Any) -> None:
        self._name = function.__qualname__
        self._shown = False

    @property
    def cache_path(self) -> str:
        """The directory."""
        return str(folder())

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        key = hashlib.sha256(f"{signature} {codegen.magic_tuple()}".encode()).hexdigest()[:24]
        place = folder()
        return place and place / f"{self._name}-{key}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled loop, or None: numba then compiles it, and the terminal shows a message."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        # The file is missing or truncated
        with contextlib.suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
            if path is not None:
                return CompileResult._rebuild(
                    target_context, *pickle.loads(_checked(path.read_bytes()))
                )  # type: ignore[no-untyped-call]
        self._show(COMPILING)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the compiled loop; its final name appears only when the file is complete."""
        self._show("")
        path = self._path(sig, data.codegen)
        if path is None:
            return
        content: bytes = dumps(data._reduce())  # type: ignore[no-untyped-call]
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
                file.write(hashlib.sha256(content).digest() + content)
            os.replace(file.name, path)
        except OSError as error:  # a full disk, or the directory was deleted
            with contextlib.suppress(OSError, UnboundLocalError):
                os.unlink(file.name)
            _warn_not_cached(f"{path.parent} cannot be written to ({error.strerror})")

    def _show(self, text: str) -> None:
        """Show one line on the terminal; an empty text removes it."""
        if (text or self._shown) and sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"\r{text}\x1b[K" + ("" if text else "\r"))
            sys.stderr.flush()
        self._shown = bool(text)

    def enable(self) -> None:
        """Nothing to do."""

    def disable(self) -> None:
        """Nothing to do."""

    def flush(self) -> None:
        """Nothing to do: other sources have another directory."""


def _checked(content: bytes) -> bytes:
    """The content without its leading digest, which must agree with it."""
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        raise ValueError("a file of the cache is damaged")
    return content[32:]
