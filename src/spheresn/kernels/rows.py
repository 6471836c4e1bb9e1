"""Small loops over one vector or over the rows of a block (k, N), without allocation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from ..topology._dense import DenseData
from .activate import sum_of_squares
from .multiply import PRODUCTS, multiply
from .names import FASTMATH, compiled

BLOCK_FROM = 3  # rows; below, one product per row is as fast as one product for all


@compiled
def dot(a: Any, b: Any) -> Any:
    """a · b."""
    total = a.dtype.type(0)
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@compiled
def without(unit: Any, c: Any, gain: Any) -> None:
    """c = gain (c - unit (unit · c))."""
    along = dot(unit, c)
    for i in range(len(c)):
        c[i] = gain * (c[i] - along * unit[i])


@compiled
def length(a: Any, low: Any, high: Any) -> Any:
    """|a|, without overflow or underflow of the squares, which are safe between low and high."""
    squares = sum_of_squares(a)
    if low < squares < high:
        return np.sqrt(squares)
    largest = largest_of(a)
    if largest == 0 or not np.isfinite(largest):
        return largest
    total = a.dtype.type(0)
    for i in range(len(a)):
        total += (a[i] / largest) * (a[i] / largest)
    return largest * np.sqrt(total)


@compiled
def largest_of(a: Any) -> Any:
    """max |a_i|; infinite when an entry is not finite."""
    largest = a.dtype.type(0)
    for i in range(len(a)):
        if not np.isfinite(a[i]):
            return a.dtype.type(np.inf)
        largest = max(largest, abs(a[i]))
    return largest


@compiled
def scale_to_one(a: Any, low: Any, high: Any) -> Any:
    """a/|a| in place, unless |a| is zero or infinite; returns |a|."""
    size = length(a, low, high)
    if size == 0 or not np.isfinite(size):
        return size
    inverse = a.dtype.type(1) / size
    if np.isfinite(inverse) and inverse != 0:
        for i in range(len(a)):
            a[i] *= inverse
    else:
        for i in range(len(a)):
            a[i] /= size
    return size


def multiply_rows(data: Any, block: Any, out: Any) -> None:
    """out[j] = W block[j], inside compiled loops only."""
    raise NotImplementedError


def _dense_rows(data: Any, block: Any, out: Any) -> None:
    if len(block) >= BLOCK_FROM:
        np.dot(block, data.matrix.T, out)
    else:
        for j in range(len(block)):
            multiply(data, block[j], out[j])


def _other_rows(data: Any, block: Any, out: Any) -> None:
    for j in range(len(block)):
        multiply(data, block[j], out[j])


@overload(multiply_rows, jit_options={"fastmath": FASTMATH, "error_model": "numpy"})
def _choose(data: Any, block: Any, out: Any) -> Any:
    kind = getattr(data, "instance_class", None)
    if kind is DenseData:
        return _dense_rows
    return _other_rows if kind in PRODUCTS else None
