"""Ctrl-C and SIGTERM as one exception."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Stopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM; `code` is what the shell expects."""

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.code = 128 + signal_number


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Ctrl-C and SIGTERM raise `Stopped`; the function that is given raises it again, should some
    callback have swallowed it.
    """
    heard: list[int] = []

    def stop(number: int, frame: Any) -> None:
        heard.append(number)
        for one in signals:
            signal.signal(one, signal.SIG_IGN)  # impatience must not stop the stopping
        raise Stopped(number)

    def check() -> None:
        if heard:
            raise Stopped(heard[0])

    signals = (
        (signal.SIGINT, signal.SIGTERM)
        if threading.current_thread() is threading.main_thread()
        else ()
    )
    before = [signal.signal(one, stop) for one in signals]
    try:
        yield check
    finally:
        if not heard:
            for one, handler in zip(signals, before, strict=True):
                signal.signal(one, handler)
