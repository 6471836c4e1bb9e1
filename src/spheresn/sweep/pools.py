"""Where units are computed: processes of this machine (loky), or the workers of a Dask cluster. Both are `concurrent.futures` executors."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from joblib.externals.loky import ProcessPoolExecutor

from .unit import Outcome, one_line

# The limit of `perform` comes after the libraries have started their threads; these keep them from starting any.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
CONNECT_SECONDS = 3


class ClusterError(RuntimeError):
    """A Dask cluster that does not answer."""


class Pool(Protocol):
    """Workers: how many units to keep in flight, submitting one, starting again after a crash, and ending at once."""

    width: int

    def submit(self, function: Callable[..., Outcome], *arguments: Any) -> Future[Outcome]: ...

    def restart(self) -> None: ...

    def close(self) -> None: ...


class LocalPool:
    """`jobs` processes of this machine, started as new programs, not as copies of this one."""

    def __init__(self, jobs: int) -> None:
        self.jobs, self.width = jobs, 2 * jobs  # one unit at work and one in waiting per process
        self._executor: Any = None
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs")  # loky replaces a process that has grown large

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand a unit to the next free process."""
        with _deaf(signal.SIGINT):
            if self._executor is None:
                options = {"env": ONE_THREAD, "initializer": _end_with, "initargs": (os.getpid(),)}
                self._executor = ProcessPoolExecutor(max_workers=self.jobs, **options)
            return self._executor.submit(function, *arguments)  # type: ignore[no-any-return]

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
            except BrokenExecutor:
                yield function(item)

    def restart(self) -> None:
        """Forget processes of which one has died; the next `submit` starts new ones."""
        self.close()

    def close(self) -> None:
        """End the processes, whatever they do."""
        with _deaf(signal.SIGINT, signal.SIGTERM):  # half a shutdown would make the interpreter wait for the units at its end
            if self._executor is not None:
                self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


class DaskPool:
    """The workers of the Dask cluster at `address`; a worker that dies costs time, since the scheduler gives its units to others."""

    def __init__(self, address: str) -> None:
        self.width = 100_000
        self._client = _connect(address)
        self._executor: Executor = self._client.get_executor(pure=False)

    def submit(self, function: Callable[..., Outcome], *arguments: Any) -> Future[Outcome]:
        """Hand a unit to the scheduler."""
        return self._executor.submit(function, *arguments)

    def restart(self) -> None:
        """After the loss of a scheduler there is nothing to start."""
        raise ClusterError("the Dask cluster must stay up during a run, got a lost connection; run the same command again to go on")

    def close(self) -> None:
        """Cancel what is in flight and leave the cluster as it was."""
        self._executor.shutdown(wait=False)
        self._client.close()


def _end_with(parent: int) -> None:
    """In a worker: end when the parent is gone, which cannot say so when it was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError("--dask must find the package distributed, got none; pip install 'spheresn[cluster]'") from None
    for name in [name for name in logging.Logger.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # each has a level of its own; what matters becomes one sentence of ours
    # In hand even when it cannot connect: left to the garbage collector, it is closed at any moment, and once it was while the next one
    # started in the same thread, holding the lock that closing waits for.
    client: Any = Client.__new__(Client)
    try:
        client.__init__(address, timeout=CONNECT_SECONDS, set_as_default=False)
        return client
    except Exception as error:  # OSError, ValueError, TypeError, CommClosedError, ... by the kind of address
        with suppress(TimeoutError):
            client.close()
        raise ClusterError(f"--dask must be the address of a running scheduler, got {address!r} ({one_line(error)}); check it") from None


@contextmanager
def _deaf(*signals: int) -> Iterator[None]:
    """Processes started in here never hear these signals: the parent does when this block is over, and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
