"""Small loops over one vector, or over the rows of a block (k, N); they allocate nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from ..topology.matrices import DenseData
from ._jit import CHOSEN, compiled, copy_row, inlined
from .codes import Layered
from .preactivation import PRODUCTS, multiply


@inlined
def dot(a: Any, b: Any) -> Any:
    """a · b."""
    total = a.dtype.type(0)
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@inlined
def project_out(unit: Any, c: Any, gain: Any) -> None:
    """c = gain (c - unit (unit · c))."""
    along = dot(unit, c)
    for i in range(len(c)):
        c[i] = gain * (c[i] - along * unit[i])


@inlined
def length(a: Any, squares: Any, low: Any, high: Any) -> Any:
    """|a| without overflow or underflow; squares = |a|² is safe between low and high."""
    return np.sqrt(squares) if low < squares < high else length_extreme(a)


@compiled
def length_extreme(a: Any) -> Any:
    """|a|, scaled by the largest entry; infinite if an entry is not finite."""
    largest = a.dtype.type(0)
    for i in range(len(a)):
        if not np.isfinite(a[i]):
            return a.dtype.type(np.inf)
        largest = max(largest, abs(a[i]))
    if largest == 0:
        return largest
    total = a.dtype.type(0)
    for i in range(len(a)):
        total += (a[i] / largest) * (a[i] / largest)
    return largest * np.sqrt(total)


@inlined
def scale_to_one(a: Any, squares: Any, low: Any, high: Any, out: Any) -> Any:
    """out = a/|a|, unless |a| is zero or infinite; a and out may be the same array. Returns |a|."""
    size = length(a, squares, low, high)
    if size == 0 or not np.isfinite(size):
        return size
    inverse = a.dtype.type(1) / size
    if np.isfinite(inverse) and inverse != 0:
        for i in range(len(a)):
            out[i] = a[i] * inverse
    else:
        for i in range(len(a)):
            out[i] = a[i] / size
    return size


def multiply_both(data: Any, x: Any, block: Any, a: Any, out: Any) -> None:
    """a = W x and out[j] = W block[j], inside compiled loops only."""
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


def _dense_both(
    data: Any, x: Any, block: Any, a: Any, out: Any
) -> None:  # pragma: no cover - compiled by numba
    """One tangent shares the pass through W with x; several are one matrix product."""
    if len(block) == 1:
        _dense_pair(data.matrix, x, block[0], a, out[0])
    else:
        multiply(data, x, a)
        np.dot(block, data.matrix.T, out)


@inlined
def _dense_pair(matrix: Any, x: Any, y: Any, out_x: Any, out_y: Any) -> None:
    """Four rows of W at a time, each loaded once for both vectors."""
    n, i = len(x), 0
    while i + 4 <= n:
        r0, r1, r2, r3 = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = x.dtype.type(0)
        for j in range(n):
            s0 += r0[j] * x[j]
            s1 += r1[j] * x[j]
            s2 += r2[j] * x[j]
            s3 += r3[j] * x[j]
            t0 += r0[j] * y[j]
            t1 += r1[j] * y[j]
            t2 += r2[j] * y[j]
            t3 += r3[j] * y[j]
        out_x[i], out_x[i + 1], out_x[i + 2], out_x[i + 3] = s0, s1, s2, s3
        out_y[i], out_y[i + 1], out_y[i + 2], out_y[i + 3] = t0, t1, t2, t3
        i += 4
    while i < n:
        out_x[i], out_y[i] = dot(matrix[i], x), dot(matrix[i], y)
        i += 1


def _other_both(
    data: Any, x: Any, block: Any, a: Any, out: Any
) -> None:  # pragma: no cover - compiled by numba
    multiply(data, x, a)
    for j in range(len(block)):
        multiply(data, block[j], out[j])


@compiled
def columns_of(block: Any, low: int, high: int) -> Any:
    """block[:, low:high] in one piece: a view of the only row, or a copy of several."""
    if len(block) == 1:
        return block[0][low:high].reshape(1, high - low)
    part = np.empty((len(block), high - low), block.dtype)
    for j in range(len(block)):
        copy_row(block[j][low:high], part[j])
    return part


@compiled
def put_columns(part: Any, block: Any, low: int, high: int) -> None:
    """block[:, low:high] = part, unless it is a view of it."""
    if len(block) > 1:
        for j in range(len(block)):
            copy_row(part[j], block[j][low:high])


def _layered_both(
    data: Any, x: Any, block: Any, a: Any, out: Any
) -> None:  # pragma: no cover - compiled by numba
    multiply_both_parts(data.parts, data.edges, x, block, a, out)


def multiply_both_parts(parts: Any, edges: Any, x: Any, block: Any, a: Any, out: Any) -> None:
    """`multiply_both` of each layer, inside compiled loops only."""
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


@inlined
def multiply_both_part(data: Any, low: int, high: int, x: Any, block: Any, a: Any, out: Any) -> Any:
    """`multiply_both` of one layer."""
    carried = columns_of(out, low, high)
    multiply_both(data, x[low:high], columns_of(block, low, high), a[low:high], carried)
    put_columns(carried, out, low, high)


def _equal_parts(
    parts: Any, edges: Any, x: Any, block: Any, a: Any, out: Any
) -> None:  # pragma: no cover - compiled by numba
    for p in range(len(parts)):
        multiply_both_part(parts[p], edges[p], edges[p + 1], x, block, a, out)


def _first_part(
    parts: Any, edges: Any, x: Any, block: Any, a: Any, out: Any
) -> None:  # pragma: no cover - compiled by numba
    multiply_both_part(parts[0], edges[0], edges[1], x, block, a, out)
    multiply_both_parts(parts[1:], edges[1:], x, block, a, out)


@overload(multiply_both_parts, jit_options=CHOSEN)
def _choose_parts(parts: Any, edges: Any, x: Any, block: Any, a: Any, out: Any) -> Any:
    return _equal_parts if isinstance(parts, types.UniTuple) else _first_part


@overload(multiply_both, jit_options=CHOSEN)
def _choose(data: Any, x: Any, block: Any, a: Any, out: Any) -> Any:
    kind = getattr(data, "instance_class", None)
    if kind is DenseData:
        return _dense_both
    if kind is Layered:
        return _layered_both
    return _other_both if kind in PRODUCTS else None
