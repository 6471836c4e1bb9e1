"""Compute the units that have no result yet."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Protocol

from spheresn.io.files import CannotWrite

from .cluster import ClusterError
from .local import WorkerLost
from .store import ResultStore, StoreError
from .unit import Status, Unit, Work, failed, one_line

ATTEMPTS = 3  # how often a unit may lose its worker before it counts as failed


class Pool(Protocol):
    """Workers; `width`: how many units to keep in flight."""

    width: int

    def submit(self, store: ResultStore, work: Work) -> Future[Status]: ...

    def close(self) -> None: ...


class Progress(Protocol):
    """Called for every unit that has a result already (`seconds` None) or has just ended."""

    def __call__(self, unit: Unit, error: str | None, seconds: float | None) -> None: ...


def run(work: Sequence[Work], pool: Pool, store: ResultStore, progress: Progress) -> None:
    """Compute every unit that has no result yet; the order in which they end changes no number.

    A unit that fails is recorded with its reason, and the others go on. A unit whose worker dies is
    tried again, up to ATTEMPTS times.
    """
    todo = deque(_without_result(work, store, progress))
    running: dict[Future[Status], Work] = {}
    ended: SimpleQueue[Future[Status]] = SimpleQueue()
    lost: Counter[str] = Counter()
    while todo or running:
        while todo and len(running) < pool.width:
            item = todo.popleft()
            future = pool.submit(store, item)
            running[future] = item
            future.add_done_callback(ended.put)
        future = ended.get()
        item = running.pop(future)
        status = _status(future, item, store, lost)
        if status is None:
            todo.append(item)
        else:
            progress(item.unit, status.error, status.seconds)
    _check_in_place(work, store)


def _without_result(work: Sequence[Work], store: ResultStore, progress: Progress) -> Iterator[Work]:
    for item in work:
        if store.has_result(item.unit):
            progress(item.unit, None, None)
        else:
            yield item


def _status(
    future: Future[Status], item: Work, store: ResultStore, lost: Counter[str]
) -> Status | None:
    """How the unit ended; None when its worker died and the unit deserves another try."""
    try:
        return future.result()
    except WorkerLost:
        lost[item.unit.key] += 1
        if lost[item.unit.key] < ATTEMPTS:
            return None
        outcome = failed(
            f"the worker process died {ATTEMPTS} times, killed or out of memory",
            WorkerLost.__name__,
        )
    except (ClusterError, CannotWrite):
        raise
    # The call or its answer could not be sent, or Dask has given up on the unit
    except Exception as error:
        outcome = failed(one_line(error), type(error).__name__)
    store.save(item.unit, outcome)
    return Status(outcome.record.error, outcome.record.seconds)


def _check_in_place(work: Sequence[Work], store: ResultStore) -> None:
    """Somebody may have removed results during the run."""
    missing = [item for item in work if not store.path(item.unit).exists()]
    if missing:
        raise StoreError(
            f"{store.folder} must stay in place during a run, got {len(missing)} of {len(work)} "
            "results removed; run the same command again"
        )
