"""The sweep: what the ledger lacks goes to the workers, and what they send back goes to the
ledger.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any, Protocol

from .ledger import Ledger
from .pools import ClusterError, Pool
from .unit import Outcome, Unit, one_line, perform
from .versions import versions
from .worker import WorkerLost

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

    A unit that fails is recorded with its reason and the rest goes on. One whose worker dies is
    tried again, so many times.
    """
    todo = deque(_lacking(work, ledger, progress))
    flying: dict[Future[Outcome], Work] = {}
    ended: SimpleQueue[Future[Outcome]] = SimpleQueue()
    lost: Counter[str] = Counter()
    while todo or flying:
        while todo and len(flying) < pool.width:
            item = todo.popleft()
            future = pool.submit(perform, item.function, item.arguments)
            flying[future] = item
            future.add_done_callback(ended.put)
        future = ended.get()
        item = flying.pop(future)
        outcome = _outcome(future, item, lost)
        if outcome is None:
            todo.append(item)
        else:
            ledger.record(item.unit, outcome)
            progress(item.unit, outcome.error, outcome.seconds)


def _lacking(work: Sequence[Work], ledger: Ledger, progress: Progress) -> Iterator[Work]:
    """What has no result yet; of the rest, `progress` is told."""
    known = ledger.done()
    for item in work:
        if item.unit.key in known:
            progress(item.unit, None, None)
        else:
            yield item


def _outcome(future: Future[Outcome], item: Work, lost: Counter[str]) -> Outcome | None:
    """What came back; None when the worker died and the unit deserves another try."""
    try:
        return future.result()
    except WorkerLost:
        lost[item.unit.key] += 1
        if lost[item.unit.key] < ATTEMPTS:
            return None
        return _failed(
            f"the worker process died {ATTEMPTS} times, killed or out of memory",
            WorkerLost.__name__,
        )
    except ClusterError:
        raise
    except (
        Exception
    ) as error:  # the call or its result could not be sent, or Dask has given up on the unit
        return _failed(one_line(error), type(error).__name__)


def _failed(reason: str, kind: str) -> Outcome:
    return Outcome(
        None, reason, None, datetime.now(UTC).isoformat(timespec="seconds"), 0.0, versions(), kind
    )
