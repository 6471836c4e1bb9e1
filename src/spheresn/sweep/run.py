"""The sweep: what the ledger lacks goes to the workers, and what they send back goes to the ledger."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any, Protocol

from .ledger import Ledger
from .pools import Pool
from .unit import Outcome, Unit, one_line, perform
from .versions import versions

ATTEMPTS = 3  # how often a unit may lose its worker before it counts as failed


@dataclass(frozen=True)
class Work:
    """A unit and the call that computes it; the function must be importable by a worker."""

    unit: Unit
    function: Callable[..., dict[str, Any]]
    arguments: tuple[Any, ...]


class Progress(Protocol):
    """Told about every unit that was found in the ledger (`seconds` None) or has just ended."""

    def __call__(self, unit: Unit, error: str | None, seconds: float | None) -> None: ...


def run(work: Sequence[Work], pool: Pool, ledger: Ledger, progress: Progress) -> None:
    """Compute every unit that has no result yet; the order in which they end changes no number.

    A unit that fails is recorded with its reason and the rest goes on. When a process of the pool dies, the units in flight are suspects:
    each is tried again alone, so that one that kills its worker every time is found and the others are not blamed.
    """
    known = ledger.done()
    todo: deque[Work] = deque()
    for item in work:
        if item.unit.key in known:
            progress(item.unit, None, None)
        else:
            todo.append(item)
    while todo:
        for suspect in _together(todo, pool, ledger, progress):
            _alone(suspect, pool, ledger, progress)


def _together(todo: deque[Work], pool: Pool, ledger: Ledger, progress: Progress) -> list[Work]:
    """Keep the pool full until all is done, or until it breaks: then those that were in flight."""
    flying: dict[Future[Outcome], Work] = {}
    ended: SimpleQueue[Future[Outcome]] = SimpleQueue()
    while todo or flying:
        lost: list[Work] = []
        while todo and len(flying) < pool.width and not lost:
            lost = _launch(todo.popleft(), flying, ended, pool)
        if not lost:
            future = ended.get()
            lost = _land(future, flying.pop(future), ledger, progress)
        if lost:
            return _gather(lost, flying, pool, ledger, progress)
    return []


def _launch(item: Work, flying: dict[Future[Outcome], Work], ended: SimpleQueue[Future[Outcome]], pool: Pool) -> list[Work]:
    """Submit it; the unit itself when the pool is broken."""
    try:
        future = pool.submit(perform, item.function, item.arguments)
    except BrokenExecutor:
        return [item]
    flying[future] = item
    future.add_done_callback(ended.put)
    return []


def _land(future: Future[Outcome], item: Work, ledger: Ledger, progress: Progress) -> list[Work]:
    """Record what came back; the unit itself when its worker died."""
    try:
        outcome = future.result()
    except (BrokenExecutor, CancelledError):
        return [item]
    except Exception as error:  # the call or its result could not be sent, or Dask has given up on the unit
        outcome = _failed(one_line(error))
    ledger.record(item.unit, outcome)
    progress(item.unit, outcome.error, outcome.seconds)
    return []


def _gather(lost: list[Work], flying: dict[Future[Outcome], Work], pool: Pool, ledger: Ledger, progress: Progress) -> list[Work]:
    """All units of a broken pool: those that had ended are recorded, the others are suspects."""
    wait(flying)
    for future, item in flying.items():
        lost += _land(future, item, ledger, progress)
    pool.restart()
    return lost


def _alone(item: Work, pool: Pool, ledger: Ledger, progress: Progress) -> None:
    """A suspect by itself, until it ends or has lost its worker too often."""
    for _ in range(1, ATTEMPTS):
        flying: dict[Future[Outcome], Work] = {}
        lost = _launch(item, flying, SimpleQueue(), pool)
        for future in flying:
            lost = _land(future, item, ledger, progress)
        if not lost:
            return
        pool.restart()
    outcome = _failed(f"the worker process died {ATTEMPTS} times, killed or out of memory")
    ledger.record(item.unit, outcome)
    progress(item.unit, outcome.error, outcome.seconds)


def _failed(reason: str) -> Outcome:
    return Outcome(None, reason, None, datetime.now(UTC).isoformat(timespec="seconds"), 0.0, versions())
