"""Values computed once, though several threads ask for them at a time, and kept in a bounded
number.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Any


class Superseded(Exception):
    """A computation that nobody waits for any more gave up."""


class Memo:
    """The `limit` values used last, by key."""

    def __init__(self, limit: int) -> None:
        self._limit, self._lock = limit, Lock()
        self._values: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key, made by the first who asks. Failures are told to all who wait and
        then forgotten.
        """
        while True:
            future, mine = self._claim(key)
            if mine:
                return self._fill(key, future, make)
            try:
                return future.result()
            except Superseded:  # whoever was making it gave up; its place is free again
                continue

    def _claim(self, key: Hashable) -> tuple[Future[Any], bool]:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key], False
            self._values[key] = Future()
            while len(self._values) > self._limit:
                self._values.popitem(last=False)
            return self._values[key], True

    def _fill(self, key: Hashable, future: Future[Any], make: Callable[[], Any]) -> Any:
        try:
            future.set_result(make())
        except BaseException as error:
            with self._lock:
                if self._values.get(key) is future:
                    del self._values[key]
            future.set_exception(error)
        return future.result()
