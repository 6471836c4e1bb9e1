"""Units on this machine. Each of the worker processes belongs to a process pool of its own.

A pool breaks when one of its processes dies, for lack of memory say, and then loses all calls that
it has not answered. With one process per pool the parent knows which unit was lost, and the other
processes go on.

Workers write results to files and send back short answers. A process that is killed while it sends
a short answer has sent all of it or nothing. The parent would wait for ever for the rest of a long
answer, because a pool holds both ends of its pipes.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from spheresn._running import SAFE, environment

from .store import ResultStore
from .unit import Status, Work, one_line, perform

SHORT = 3500  # bytes of an answer; a pipe takes 4096 at once
# The limit of `perform` comes after the libraries have started their threads; these keep them from
# starting any.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


class WorkerLost(RuntimeError):
    """The process died before it had answered."""


class LocalPool:
    """`jobs` processes of this machine; a thread here waits for each of them."""

    def __init__(self, jobs: int) -> None:
        self.width = 2 * jobs  # one unit at work and one in waiting per process
        self._threads = ThreadPoolExecutor(jobs)
        self._own, self._lock = threading.local(), threading.Lock()
        self._pools: list[ProcessPoolExecutor] = []
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
            while self._pools:
                _kill(self._pools.pop())
        self._threads.shutdown()

    def _call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """In a thread of the parent: call the function in the process of this thread."""
        question = pickle.dumps((function, arguments))
        try:
            pool = getattr(self._own, "pool", None) or self._start()
            content = pool.submit(_answer, question).result()
        # These are errors of the pool; those of the function are in the answer. A process that dies
        # while it starts breaks the pipe through which the parent prepares it.
        except (RuntimeError, BrokenPipeError):
            self._discard()
            raise WorkerLost(
                "a worker must live until it has answered, got one that died; try again"
            ) from None
        done, answer = pickle.loads(content)
        if not done:
            raise answer
        return answer

    def _discard(self) -> None:
        """Give up the broken pool of this thread, and close its pipes."""
        pool, self._own.pool = getattr(self._own, "pool", None), None
        with self._lock:
            if pool in self._pools:  # not when the pools are being closed
                self._pools.remove(pool)
                pool.shutdown()

    def _start(self) -> ProcessPoolExecutor:
        """A new process for this thread."""
        with self._lock:
            if self._closed:
                raise WorkerLost("a pool must be open, got one that is closing; try again")
            # A new Python program, not a copy of this one; making the pool starts one too, which
            # tracks its locks
            spawn = multiprocessing.get_context("spawn")
            with environment(ONE_THREAD | SAFE):
                pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=_prepare_worker)
                self._own.pool = pool
                self._pools.append(pool)
                _block_interrupts()  # after the pool was made, which unblocks them
                pool.submit(int)  # starts the process
        return pool


def _kill(pool: ProcessPoolExecutor) -> None:
    """`pool.kill_workers`, which Python has from version 3.14 on."""
    for process in list((pool._processes or {}).values()):
        process.kill()
    pool.shutdown(cancel_futures=True)


def _block_interrupts() -> None:
    """Processes that this thread starts ignore a terminal's Ctrl-C from their first moment: the
    parent receives it too and ends them.
    """
    if sys.platform != "win32":  # pragma: no branch - Windows has no masks of signals
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


# What follows runs in the worker, which is killed in the end and never saves what its tests
# covered.


def _prepare_worker() -> None:  # pragma: no cover - in a process that is killed
    """Leave Ctrl-C to the parent, and end when the parent ends, killed or not."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:  # pragma: no cover - in a process that is killed
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _answer(question: bytes) -> bytes:
    """What the call returns or raises, as a few bytes. An answer that is long or cannot be sent
    becomes an error.
    """
    try:
        function, arguments = pickle.loads(question)
        answer = pickle.dumps((True, function(*arguments)))
    except BaseException as error:
        answer = _failure(error)
    if len(answer) > SHORT:
        return _failure(ValueError(f"an answer must be short, got {len(answer)} bytes; use a file"))
    return answer


def _failure(error: BaseException) -> bytes:
    try:
        return pickle.dumps((False, error))
    except Exception:  # it holds something that cannot be sent
        return pickle.dumps((False, RuntimeError(one_line(error))))


def perform_and_save(
    store: ResultStore, work: Work
) -> Status:  # pragma: no cover - in a process that is killed
    """Compute a unit and write its file."""
    outcome = perform(work.function, work.arguments)
    store.save(work.unit, outcome)
    return Status(outcome.record.error, outcome.record.seconds)
