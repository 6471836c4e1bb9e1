"""Where units are computed: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Protocol

from ...._errors import UserError
from .unit import Outcome, one_line
from .worker import Worker, WorkerLost

CONNECT_SECONDS = 3
GATHER_SECONDS = 300  # for the result of one unit


class ClusterError(UserError, RuntimeError):
    """A Dask cluster that does not answer."""


class Pool(Protocol):
    """Workers: how many units to keep in flight, submitting one, and ending at once."""

    width: int

    def submit(self, function: Callable[..., Outcome], *arguments: Any) -> Future[Outcome]: ...

    def close(self) -> None: ...


class LocalPool:
    """`jobs` processes of this machine; a thread here waits for each of them."""

    def __init__(self, jobs: int) -> None:
        self.width = 2 * jobs  # one unit at work and one in waiting per process
        self._threads = ThreadPoolExecutor(jobs)
        self._own, self._lock = threading.local(), threading.Lock()
        self._workers: list[Worker] = []
        self._closed = False

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand a unit to the next free process; `WorkerLost` if that dies."""
        return self._threads.submit(self._call, function, arguments)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """The results in order; what a dying process leaves undone is done here."""
        todo = list(items)
        if len(todo) < 2:  # nothing to gain from another process
            yield from map(function, todo)
            return
        flying = [(self.submit(function, item), item) for item in todo]
        for future, item in flying:
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


class DaskPool:
    """The workers of the Dask cluster at `address`; a worker that dies costs time, since the
    scheduler gives its units to others.
    """

    def __init__(self, address: str) -> None:
        self.width = 100_000
        self._client = _connect(address)

    def submit(self, function: Callable[..., Outcome], *arguments: Any) -> Future[Outcome]:
        """Hand a unit to the scheduler.

        Not by `Client.get_executor`, whose futures never end when the scheduler dies in the middle
        of sending a result.
        """
        answer: Future[Outcome] = Future()
        self._client.submit(function, *arguments, pure=False).add_done_callback(
            lambda remote: _copy(remote, answer)
        )
        return answer

    def close(self) -> None:
        """Leave the cluster as it was: it forgets units that nobody waits for."""
        self._client.close()


def _copy(remote: Any, answer: Future[Outcome]) -> None:
    """How a unit ended on the cluster becomes how it ended here."""
    try:
        answer.set_result(remote.result(timeout=GATHER_SECONDS))
    except (
        CancelledError,
        asyncio.CancelledError,
        OSError,
    ):  # the unit's own errors are in its outcome, so this is the connection's
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
