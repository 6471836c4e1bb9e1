"""Where units are computed: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from ...._errors import Told
from .store import ResultStore
from .unit import Unit, Work, one_line, perform
from .worker import Worker, WorkerLost

CONNECT_SECONDS = 3
GATHER_SECONDS = 300  # for the result of one unit


class ClusterError(Told, RuntimeError):
    """A Dask cluster that does not answer."""


@dataclass(frozen=True)
class Status:
    """How a unit ended, when its file has been written."""

    error: str | None
    seconds: float


class Pool(Protocol):
    """Workers; `width`: how many units to keep in flight."""

    width: int

    def submit(self, store: ResultStore, work: Work) -> Future[Status]: ...

    def close(self) -> None: ...


class LocalPool:
    """`jobs` processes of this machine; a thread here waits for each of them."""

    def __init__(self, jobs: int) -> None:
        self.width = 2 * jobs  # one unit at work and one in waiting per process
        self._threads = ThreadPoolExecutor(jobs)
        self._own, self._lock = threading.local(), threading.Lock()
        self._workers: list[Worker] = []
        self._closed = False

    def submit(self, store: ResultStore, work: Work) -> Future[Status]:
        """The next free process computes a unit and writes its file; `WorkerLost` if it dies."""
        return self.call(perform_and_save, store, work)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """What the function returns or raises in the next free process."""
        return self._threads.submit(self._call, function, arguments)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """The results in order; what a dying process leaves undone is done here."""
        todo = list(items)
        if len(todo) < 2:  # nothing to gain from another process
            yield from map(function, todo)
            return
        running = [(self.call(function, item), item) for item in todo]
        for future, item in running:
            try:
                yield future.result()
            except WorkerLost:
                yield function(item)

    def close(self) -> None:
        """End the processes, whatever they do."""
        with self._lock:
            self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.end()
        self._threads.shutdown()

    def _call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        worker = getattr(self._own, "worker", None) or self._hire()
        try:
            return worker(function, *arguments)
        except WorkerLost:
            self._own.worker = None
            raise

    def _hire(self) -> Worker:
        """A process for this thread."""
        with self._lock:
            if self._closed:
                raise WorkerLost("a pool must be open, got one that is closing; try again")
            self._own.worker = worker = Worker()
            self._workers.append(worker)
        return worker


def perform_and_save(
    store: ResultStore, work: Work
) -> Status:  # pragma: no cover - in a process that is killed
    """Compute a unit and write its file."""
    outcome = perform(work.function, work.arguments)
    store.save(work.unit, outcome)
    return Status(outcome.record.error, outcome.record.seconds)


class DaskPool:
    """The workers of the Dask cluster at `address`; a worker that dies costs time, since the
    scheduler gives its units to others.
    """

    def __init__(self, address: str) -> None:
        self.width = 100_000
        self._client = _connect(address)

    def submit(self, store: ResultStore, work: Work) -> Future[Status]:
        """A worker computes a unit, and this process writes its file: the workers of a cluster may
        have other disks.

        Not by `Client.get_executor`, whose futures never end when the scheduler dies in the middle
        of sending a result.
        """
        answer: Future[Status] = Future()
        remote = self._client.submit(perform, work.function, work.arguments, pure=False)
        remote.add_done_callback(lambda remote: _receive(remote, answer, store, work.unit))
        return answer

    def close(self) -> None:
        """Leave the cluster as it was: it forgets units that nobody waits for."""
        self._client.close()


def _receive(remote: Any, answer: Future[Status], store: ResultStore, unit: Unit) -> None:
    """Save what a worker of the cluster has computed."""
    try:
        outcome = remote.result(timeout=GATHER_SECONDS)
        store.save(unit, outcome)
        answer.set_result(Status(outcome.record.error, outcome.record.seconds))
    # The unit's own errors are in its outcome, so these are the connection's
    except (CancelledError, asyncio.CancelledError, OSError):
        answer.set_exception(
            ClusterError(
                "the Dask cluster must stay up during a run, got a lost connection; run the same "
                "command again to go on"
            )
        )
    except Exception as error:
        answer.set_exception(error)


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "--dask must find the package distributed, got none; pip install 'spheresn[cluster]'"
        ) from None
    for name in [
        name
        for name in logging.Logger.manager.loggerDict
        if name.startswith(("distributed", "tornado"))
    ]:
        # Each has a level of its own; what matters becomes one sentence of ours
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # In hand even when it cannot connect: left to the garbage collector, it is closed at any
    # moment, and once it was while the next one started in the same thread, holding the lock that
    # closing waits for.
    client: Any = Client.__new__(Client)
    try:
        client.__init__(address, timeout=CONNECT_SECONDS, set_as_default=False)
        return client
    except (
        Exception
    ) as error:  # OSError, ValueError, TypeError, CommClosedError, ... by the kind of address
        with suppress(TimeoutError):
            client.close()
        raise ClusterError(
            f"--dask must be the address of a running scheduler, got {address!r} "
            f"({one_line(error)}); check it"
        ) from None
