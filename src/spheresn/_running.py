"""How a fit runs: all of it or nothing, on how many threads, in which processes, and with a line
that shows how far it is.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, TypeVar, cast

from threadpoolctl import ThreadpoolController

# Rows of a matrix. From this size on, several threads save more time than they lose by waiting for
# each other.
LEAST_ROWS_FOR_THREADS = 1000

# Whether the limit is set already: setting it twice takes as long as a small fit
_LIMITED = ContextVar("_LIMITED", default=False)

# Without it, `python -m` and `python -c`, with which all pools start their workers, search the
# current folder first: a file `pickle.py` there would be executed.
SAFE = {"PYTHONSAFEPATH": "1"}
QUIET_SECONDS = 2.0  # seconds before anything is shown
BAR_WIDTH = 24  # characters: bar and count fit into the narrowest terminal, of 80

Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(method: Method) -> Method:
    """The method, run on a copy of the object whose attributes become the object's at the end.

    An exception or Ctrl-C at any moment leaves the object as it was, because one assignment cannot
    be cut in two. The copy shares the values of its attributes with the object, so the method may
    replace them but must not change them in place. It returns the object itself.

    >>> class Account:
    ...     balance = 0
    ...
    ...     @all_or_nothing
    ...     def add(self, *amounts):
    ...         for amount in amounts:
    ...             self.balance += int(amount)
    >>> account = Account().add(1, 2)
    >>> try:
    ...     account.add(10, "ten")
    ... except ValueError:
    ...     print(account.balance)
    3
    """

    @wraps(method)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        apart = object.__new__(type(self))
        apart.__dict__ = dict(vars(self))
        method(apart, *arguments, **options)
        self.__dict__ = vars(apart)
        return self

    return cast(Method, call)


@contextmanager
def limit_threads(size: int, large: int = LEAST_ROWS_FOR_THREADS) -> Iterator[None]:
    """One thread within the block if matrices of `size` rows are small, i.e. below `large`.

    Two threads were measured to be up to 28 times slower (benchmarks/RESULTS.md).
    """
    if size >= large or _LIMITED.get():
        yield
        return
    token = _LIMITED.set(True)
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _LIMITED.reset(token)


@cache
def _controller() -> Any:
    """The controller, created once: finding the libraries takes milliseconds."""
    return ThreadpoolController()


@contextmanager
def environment(values: Mapping[str, str] = SAFE) -> Iterator[None]:
    """Within the block, processes that are started have these variables.

    >>> with environment():
    ...     os.environ["PYTHONSAFEPATH"]
    '1'
    """
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class Progress:
    """Counts the networks tried, and shows the count on a terminal after QUIET_SECONDS.

    `noun` is what is counted, if it is not networks.
    """

    def __init__(self, shown: bool, noun: str = "network") -> None:
        self.shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self.noun = noun
        self.begin = time.monotonic()
        self.done = 0
        self.total = 0
        self.drawn = False

    def expect(self, count: int) -> None:
        """So many more networks will be tried."""
        self.total += count

    def advance(self) -> None:
        """One more network has been tried."""
        self.done += 1
        if self.shown and time.monotonic() - self.begin > QUIET_SECONDS:
            filled = BAR_WIDTH * self.done // max(self.total, 1)
            bar = "#" * filled + "." * (BAR_WIDTH - filled)
            sys.stderr.write(f"\rspheresn: {bar} {self.noun} {self.done} of {self.total}\x1b[K")
            sys.stderr.flush()
            self.drawn = True

    def close(self) -> None:
        """Remove the line."""
        if self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.drawn = False
