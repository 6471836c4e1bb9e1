"""Values kept in a bounded number, and computed once though several threads ask for them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Superseded(Exception):
    """A computation stopped because nobody waits for it any more."""


class Recent(OrderedDict[Key, Value]):
    """A dictionary that keeps the `limit` entries used last.

    >>> recent = Recent(2)
    >>> recent["a"], recent["b"] = 1, 2
    >>> _, recent["c"] = recent["a"], 3
    >>> list(recent)
    ['a', 'c']
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def __getitem__(self, key: Key) -> Value:
        value = super().__getitem__(key)
        self.move_to_end(key)
        return value

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._limit:
            del self[next(iter(self))]


class Cache:
    """The `limit` values used last, by key; the first thread that asks for a value computes it."""

    def __init__(self, limit: int) -> None:
        self._lock = Lock()
        self._values: Recent[Hashable, Future[Any]] = Recent(limit)

    def get(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The value of a key. All who wait get an error that `compute` raises; it is not kept."""
        while True:
            future, mine = self._claim(key)
            if mine:
                return self._fill(key, future, compute)
            try:
                return future.result()
            except Superseded:  # the thread that computed it gave up, and the key is free again
                continue

    def _claim(self, key: Hashable) -> tuple[Future[Any], bool]:
        with self._lock:
            if key in self._values:
                return self._values[key], False
            future = self._values[key] = Future()
            return future, True

    def _fill(self, key: Hashable, future: Future[Any], compute: Callable[[], Any]) -> Any:
        try:
            future.set_result(compute())
        except BaseException as error:
            with self._lock:
                if self._values.get(key) is future:
                    del self._values[key]
            future.set_exception(error)
        return future.result()
