"""A unit of work, and doing it: whatever happens inside of a worker becomes one plain outcome."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from threadpoolctl import threadpool_limits

from ...._errors import sentence
from .blob import pack
from .versions import versions

LONGEST = 500  # characters of a reason


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
        """The name of the result in the ledger."""
        return hashlib.sha256(
            canonical([self.experiment, self.config, self.task, self.seed]).encode()
        ).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """What a worker sends back: the packed arrays, or the reason why there are none and the class
    of that error.
    """

    result: bytes | None
    error: str | None
    notes: str | None
    started: str
    seconds: float
    versions: dict[str, str]
    kind: str | None = None


def perform(function: Callable[..., dict[str, Any]], arguments: tuple[Any, ...]) -> Outcome:
    """Call it with one thread for linear algebra, so that the result depends neither on the number
    of workers nor on their kind.
    """
    # For good, as other threads of a worker may be computing; again each time, as libraries load
    # late
    threadpool_limits(limits=1)
    started, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
    result, error, kind = None, None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            result = pack(function(*arguments))
        except Exception as failure:  # whatever it is, the other units go on
            error, kind = one_line(failure), type(failure).__name__
    notes = (
        "; ".join(
            dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught)
        )[:LONGEST]
        or None
    )
    return Outcome(result, error, notes, started, time.perf_counter() - clock, versions(), kind)


def one_line(error: BaseException) -> str:
    """An error as one line of bounded length."""
    text = sentence(error, LONGEST)
    return f"{type(error).__name__}: {text}"[:LONGEST] if text else type(error).__name__
