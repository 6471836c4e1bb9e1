"""How many threads linear algebra uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

# Rows of a matrix from which threads gain more than they lose by waiting for each other
LARGE = 1000


# Setting a limit twice costs as much as a small fit
_LIMITED = ContextVar("_LIMITED", default=False)


@contextmanager
def one_for_small(size: int, large: int = LARGE) -> Iterator[None]:
    """One thread within the block if the matrices are small: two were measured to be up to 28 times
    slower (benchmarks/RESULTS.md).
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
    """Made once: finding the libraries takes milliseconds."""
    return ThreadpoolController()
