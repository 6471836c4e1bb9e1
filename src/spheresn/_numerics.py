"""Numerical helpers: a unit in which squares are safe, and the threads of linear algebra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from ._validation import Floats

# Rows of a matrix. From this size on, several threads save more time than they lose by waiting for
# each other.
LEAST_ROWS_FOR_THREADS = 1000

# Whether the limit is set already: setting it twice takes as long as a small fit
_LIMITED = ContextVar("_LIMITED", default=False)


def power_of_two(values: Floats) -> float:
    """The largest 2ⁿ that is at most max |values|; 1 if all values are zero or there are none.

    Dividing by it loses no digit, and the squares of the quotients neither overflow nor underflow.

    >>> power_of_two(np.array([-5.0, 0.1])), power_of_two(np.zeros(3))
    (4.0, 1.0)
    """
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return float(powers_of_two(np.array(largest)))


def powers_of_two(sizes: Floats) -> Floats:
    """The largest 2ⁿ that is at most each of `sizes`; 1 where that is zero."""
    return np.where(sizes > 0.0, np.ldexp(0.5, np.frexp(sizes)[1]), 1.0)


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
