"""Where the blocks of a panel are worked on: in this process, or on a Dask cluster.

Sums are merged pairwise in the same order in both, so that both give the same numbers. A cluster
computes a block again from the rows that it was given if the worker that had it is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add
from typing import Any, Protocol

from threadpoolctl import threadpool_limits

from ..._errors import BadInput


class Parts(Protocol):
    """One object for each block of a panel, wherever these are."""

    def map(self, function: Callable[..., Any], *arguments: Any) -> Parts:
        """What a function makes of each part; that stays where the parts are."""

    def then(self, function: Callable[..., Any], *arguments: Any) -> Parts:
        """The same, but not kept if the parts are made anew whenever they are needed."""

    def beside(self, other: Parts, function: Callable[..., Any], *arguments: Any) -> Parts:
        """What a function makes of each part and its neighbour among other parts."""

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of what a function makes of each part."""

    def gathered(self) -> list[Any]:
        """All parts, here."""


class LocalParts:
    """Parts in this process.

    >>> LocalParts([1, 2, 3]).map(lambda part: 10 * part).total(lambda part: part + 1)
    63
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts = list(parts)

    def map(self, function: Callable[..., Any], *arguments: Any) -> LocalParts:
        """What a function makes of each part."""
        return LocalParts([function(part, *arguments) for part in self._parts])

    def then(self, function: Callable[..., Any], *arguments: Any) -> LocalParts:
        """The same."""
        return self.map(function, *arguments)

    def beside(self, other: Parts, function: Callable[..., Any], *arguments: Any) -> LocalParts:
        """What a function makes of each part and its neighbour."""
        pairs = zip(self._parts, other.gathered(), strict=True)
        return LocalParts([function(one, two, *arguments) for one, two in pairs])

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of what a function makes of each part."""
        return pairwise_sum((lambda part=part: function(part, *arguments)) for part in self._parts)

    def gathered(self) -> list[Any]:
        """All parts."""
        return self._parts


class LazyParts(LocalParts):
    """Parts in this process that are made anew whenever they are needed, so that one is held."""

    def __init__(self, sources: Sequence[Any], make: Callable[..., Any], *arguments: Any) -> None:
        self._sources, self._make, self._arguments = list(sources), make, arguments

    @property
    def _parts(self) -> Any:  # type: ignore[override]
        return (self._make(one, *self._arguments) for one in self._sources)

    def then(self, function: Callable[..., Any], *arguments: Any) -> LazyParts:
        """What a function makes of each part, made anew as well."""

        def make(one: Any) -> Any:
            return function(self._make(one, *self._arguments), *arguments)

        return LazyParts(self._sources, make)

    def gathered(self) -> Any:
        """All parts, one after another."""
        return self._parts


def pairwise_sum(makers: Any) -> Any:
    """The sum of what the makers make, merged as by a tree, with few parts held at a time.

    >>> pairwise_sum(lambda k=k: k for k in range(5))
    10
    """
    waiting: list[tuple[int, Any]] = []
    for make in makers:
        level, found = 0, make()
        while waiting and waiting[-1][0] == level:
            found = waiting.pop()[1] + found
            level += 1
        waiting.append((level, found))
    total = waiting.pop()[1]
    while waiting:
        total = waiting.pop()[1] + total
    return total


class DaskParts:
    """Parts on the workers of a Dask cluster."""

    def __init__(self, client: Any, futures: Sequence[Any]) -> None:
        self._client, self._futures = client, list(futures)

    def map(self, function: Callable[..., Any], *arguments: Any) -> DaskParts:
        """What a function makes of each part."""
        return self._submitted([(function, one, *arguments) for one in self._futures])

    def then(self, function: Callable[..., Any], *arguments: Any) -> DaskParts:
        """The same."""
        return self.map(function, *arguments)

    def beside(self, other: Parts, function: Callable[..., Any], *arguments: Any) -> DaskParts:
        """What a function makes of each part and its neighbour."""
        assert isinstance(other, DaskParts)  # both are of one fit
        pairs = zip(self._futures, other._futures, strict=True)
        return self._submitted([(function, *pair, *arguments) for pair in pairs])

    def _submitted(self, makers: Sequence[tuple[Any, ...]]) -> DaskParts:
        submit = self._client.submit
        return DaskParts(self._client, [submit(on_one_thread, *one, pure=False) for one in makers])

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of what a function makes of each part."""
        futures = self.map(function, *arguments)._futures
        return pairwise_sum(_Lazy.maker(self._client, one) for one in futures).value.result()

    def gathered(self) -> list[Any]:
        """All parts, here."""
        return list(self._client.gather(self._futures))


class _Lazy:
    """A future whose sum with another is a future."""

    def __init__(self, client: Any, value: Any) -> None:
        self.client, self.value = client, value

    @staticmethod
    def maker(client: Any, value: Any) -> Callable[[], _Lazy]:
        """A function that gives such a future."""
        return lambda: _Lazy(client, value)

    def __add__(self, other: _Lazy) -> _Lazy:
        both = self.client.submit(add, self.value, other.value, pure=False)
        return _Lazy(self.client, both)


def parts_of(makers: Sequence[tuple[Any, ...]], client: Any) -> Parts:
    """One part for each (function, arguments...): here, or on the workers of a client."""
    if client is None:
        return LocalParts([function(*arguments) for function, *arguments in makers])
    if not hasattr(client, "submit") or not hasattr(client, "gather"):
        raise BadInput(
            f"client must be a dask.distributed Client, got {type(client).__name__}; pass "
            "Client(address)"
        )
    futures = [client.submit(on_one_thread, *maker, pure=False) for maker in makers]
    return DaskParts(client, futures)


def on_one_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function makes of its arguments: sums have the same order on every machine."""
    with threadpool_limits(1):
        return function(*arguments)
