"""What the commands of all applications share: lines for the user, and how a command is stopped."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def say(line: str) -> None:
    """Print a line for the user to stderr, apart from the results on stdout."""
    print(line, file=sys.stderr, flush=True)


class Stopped(KeyboardInterrupt):
    """Ctrl-C, SIGTERM or a closed terminal; `code` is the exit code that the shell expects."""

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.code = 128 + signal_number


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Within the block, Ctrl-C, SIGTERM and the SIGHUP of a closed terminal raise `Stopped`.

    The block gets a function that raises `Stopped` again if a callback has swallowed it.
    """
    received: list[int] = []

    def stop(number: int, frame: Any) -> None:
        received.append(number)
        for one in signals:
            signal.signal(one, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the clean-up
        raise Stopped(number)

    def check() -> None:
        if received:
            raise Stopped(received[0])

    signals = _stopping() if threading.current_thread() is threading.main_thread() else []
    before = [signal.signal(one, stop) for one in signals]
    try:
        yield check
    finally:
        if not received:
            for one, handler in zip(signals, before, strict=True):
                signal.signal(one, handler)


def _stopping() -> list[int]:
    """The signals that stop a command. `nohup` has a command ignore SIGHUP; Windows has none."""
    hangup = [getattr(signal, name) for name in ("SIGHUP",) if hasattr(signal, name)]
    caught = [one for one in hangup if signal.getsignal(one) is not signal.SIG_IGN]
    return [signal.SIGINT, signal.SIGTERM, *caught]
