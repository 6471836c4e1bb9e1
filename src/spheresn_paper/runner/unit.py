"""A unit of work, the call that computes it, and what comes out of that call."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from spheresn._errors import sentence
from spheresn._version import __version__

LONGEST = 500  # characters of a reason
Arrays = dict[str, NDArray[Any]]


def canonical(value: Any) -> str:
    """JSON with one spelling per value, so that equal configurations have equal keys.

    >>> canonical({"b": (1, 2), "a": 0.5})
    '{"a":0.5,"b":[1,2]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class Unit:
    """What a result is a function of: experiment, configuration and task (both as canonical JSON),
    and the base seed.
    """

    experiment: str
    config: str
    task: str
    seed: int

    @cached_property
    def key(self) -> str:
        """The name of the unit's file."""
        return hashlib.sha256(
            canonical([self.experiment, self.config, self.task, self.seed]).encode()
        ).hexdigest()


@dataclass(frozen=True)
class Work:
    """A unit and the call that computes it; a worker must be able to import the function."""

    unit: Unit
    function: Callable[..., dict[str, Any]]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Record:
    """How a unit ended. `kind`: the class of its error; `source`: the commit that computed it."""

    error: str | None
    kind: str | None
    notes: str | None
    started: str
    seconds: float
    versions: dict[str, str]
    source: str | None = None


@dataclass(frozen=True)
class Outcome:
    """How a unit ended, and its arrays, None when it failed."""

    record: Record
    arrays: Arrays | None


@dataclass(frozen=True)
class Status:
    """How a unit ended, when its file has been written."""

    error: str | None
    seconds: float


def perform(function: Callable[..., dict[str, Any]], arguments: tuple[Any, ...]) -> Outcome:
    """Call the function with one thread for linear algebra, so that the result depends neither on
    the number of workers nor on their kind. An error becomes part of the outcome.
    """
    # For good, as other threads of a worker may be computing; again each time, as libraries load
    # late
    threadpool_limits(limits=1)
    started, clock = _now(), time.perf_counter()
    arrays, error, kind = None, None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            arrays = real_arrays(function(*arguments))
        except Exception as failure:  # whatever it is, the other units go on
            error, kind = one_line(failure), type(failure).__name__
    words = (f"{warning.category.__name__}: {warning.message}" for warning in caught)
    notes = "; ".join(dict.fromkeys(words))[:LONGEST] or None
    seconds = time.perf_counter() - clock
    return Outcome(Record(error, kind, notes, started, seconds, versions()), arrays)


def failed(reason: str, kind: str) -> Outcome:
    """The outcome of a unit that no worker could compute."""
    return Outcome(Record(reason, kind, None, _now(), 0.0, versions()), None)


def real_arrays(values: dict[str, Any]) -> Arrays:
    """The values as arrays of real numbers or truth values, in this machine's byte order and in C
    order: a file keeps them so.
    """
    arrays = {name: np.array(value, order="C") for name, value in values.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise ValueError(
                f"result {name!r} must hold real numbers, got {array.dtype}; split or convert it"
            )
    return {name: array.astype(array.dtype.newbyteorder("=")) for name, array in arrays.items()}


def one_line(error: BaseException) -> str:
    """An error as one line of bounded length."""
    text = sentence(error, LONGEST)
    return f"{type(error).__name__}: {text}"[:LONGEST] if text else type(error).__name__


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def versions() -> dict[str, str]:
    """Versions that can change the last digits of a result."""
    parts = {name: metadata.version(name) for name in ("numpy", "scipy", "numba")}
    return {"spheresn": __version__, **parts, "python": platform.python_version()}


@cache
def commit() -> str | None:
    """The commit of the source tree that this package is imported from, "-dirty" when it was
    changed; None for an installed package.
    """
    folder = Path(__file__).parents[1]
    # A virtual environment inside of someone's repository
    if _git(folder, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    head = _git(folder, "rev-parse", "HEAD")
    # `describe --dirty` says both at once, but it writes git's index: killed, or on a full disk, it
    # leaves that locked
    changed = _git(folder, "--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
    return f"{head}-dirty" if head and changed else head


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        run = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.strip() if run.returncode == 0 else None
