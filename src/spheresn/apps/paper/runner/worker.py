"""A process that computes what it is sent, over a pipe of its own.

A pool whose processes share one queue, as those of loky and of the standard library, waits for ever
when one of them is killed in the middle of sending its result. With a pipe for each, whenever a
process is killed, its pipe ends and the parent knows which call was lost.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from queue import SimpleQueue
from typing import Any

# The limit of `perform` comes after the libraries have started their threads; these keep them from
# starting any.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
PROGRAM = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[2]); from "
    "spheresn.apps.paper.runner.worker import serve; serve(int(sys.argv[1]))"
)


class WorkerLost(RuntimeError):
    """The process died before it had sent its result."""


class Worker:
    """A new Python program, not a copy of this one, in a session of its own: a terminal's Ctrl-C
    reaches the parent only, which ends it.
    """

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(theirs.fileno()), json.dumps(sys.path)],
                env={**os.environ, **ONE_THREAD},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function returns or raises over there; it must be importable."""
        try:
            self._pipe.send((function, arguments))
            done, answer = self._pipe.recv()
        except (EOFError, OSError):
            raise WorkerLost(
                "a worker must live until it has answered, got one that died; try again"
            ) from None
        if not done:
            raise answer
        return answer

    def end(self) -> None:
        """Kill it, whatever it does."""
        self._process.kill()
        self._process.wait()


# What follows runs in the worker, which is killed in the end and never saves what its tests
# covered.


def serve(handle: int) -> None:  # pragma: no cover - in a process that is killed
    """In the worker: answer until the parent ends."""
    pipe, asked = Connection(handle), SimpleQueue[bytes]()
    threading.Thread(target=_listen, args=(pipe, asked), daemon=True).start()
    while True:
        answer = _answer(asked.get())
        try:
            pipe.send_bytes(answer)
        except OSError:
            os._exit(1)


def _listen(
    pipe: Connection[Any, Any], asked: SimpleQueue[bytes]
) -> None:  # pragma: no cover - in a process that is killed
    """The parent's end closes when the parent ends, killed or not: then end too, in the middle of
    whatever is being computed.
    """
    try:
        while True:
            asked.put(pipe.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)


def _answer(message: bytes) -> bytes:  # pragma: no cover - in a process that is killed
    try:
        function, arguments = pickle.loads(message)
        return pickle.dumps((True, function(*arguments)))
    except Exception as error:
        return pickle.dumps((False, error))
