"""W x and a = W x + W_in s + b for every topology, chosen by the type of its data.

The second computes |a|² in the same pass. Rings and rotations do all of it in one loop: with a loop
for each of W x, b, W_in s and the squares, a ring of 100 units spent more than half of its step on
reading the same numbers again, and on loads that wait because they overlap two recent stores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from ..topology.matrices import CsrData, DenseData, RotationData, ShiftData
from ._jit import CHOSEN, INLINED, inlined
from .codes import Layered

# Units. Below this size the loop here is faster than BLAS: 1.1 against 1.4 us at 100 units, equal
# at 500.
BLAS_FROM = 400


def multiply(data: Any, x: Any, out: Any) -> None:
    """out = W x, inside compiled loops only."""
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


def _multiply_dense(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    """Four rows at a time share each load of x; BLAS where the matrix exceeds the inner caches."""
    matrix, n, i = data.matrix, len(x), 0
    if n >= BLAS_FROM:
        np.dot(matrix, x, out)
        return
    while i + 4 <= n:
        r0, r1, r2, r3 = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        s0 = s1 = s2 = s3 = x.dtype.type(0)
        for j in range(n):
            s0 += r0[j] * x[j]
            s1 += r1[j] * x[j]
            s2 += r2[j] * x[j]
            s3 += r3[j] * x[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
        i += 4
    while i < n:
        s0 = x.dtype.type(0)
        for j in range(n):
            s0 += matrix[i, j] * x[j]
        out[i] = s0
        i += 1


def _multiply_csr(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    """Unsigned indices and sums that may be reordered let the compiler gather several entries.

    This was measured to be a fifth faster than a loop unrolled by hand.
    """
    values, columns, starts = data.values, data.columns, data.starts
    for i in range(np.uint64(len(x))):
        total = x.dtype.type(0)
        for j in range(starts[i], starts[i + np.uint64(1)]):
            total += values[j] * x[columns[j]]
        out[i] = total


def _multiply_shift(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    last = len(x) - 1
    for i in range(last):
        out[i + 1] = data.weight * x[i]
    out[0] = data.closing * x[last]


def _multiply_rotation(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    half = len(x) // 2
    for i in range(half):
        out[i] = data.turns[0, i] * x[i] - data.turns[1, i] * x[half + i]
        out[half + i] = data.turns[1, i] * x[i] + data.turns[0, i] * x[half + i]
    if len(x) > 2 * half:
        out[2 * half] = data.lone * x[2 * half]


def _multiply_layers(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    multiply_parts(data.parts, data.edges, x, out)


PRODUCTS: dict[Any, Any] = {
    DenseData: _multiply_dense,
    CsrData: _multiply_csr,
    ShiftData: _multiply_shift,
    RotationData: _multiply_rotation,
    Layered: _multiply_layers,
}


@overload(multiply, jit_options=CHOSEN)
def _choose_product(data: Any, x: Any, out: Any) -> Any:
    return PRODUCTS.get(getattr(data, "instance_class", None))


def multiply_parts(parts: Any, edges: Any, x: Any, out: Any) -> None:
    """The product of each layer; inside compiled loops only."""
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


def _equal_parts(
    parts: Any, edges: Any, x: Any, out: Any
) -> None:  # pragma: no cover - compiled by numba
    for p in range(len(parts)):
        multiply(parts[p], x[edges[p] : edges[p + 1]], out[edges[p] : edges[p + 1]])


def _first_part(
    parts: Any, edges: Any, x: Any, out: Any
) -> None:  # pragma: no cover - compiled by numba
    multiply(parts[0], x[edges[0] : edges[1]], out[edges[0] : edges[1]])
    multiply_parts(parts[1:], edges[1:], x, out)


@overload(multiply_parts, jit_options=CHOSEN)
def _choose_parts(parts: Any, edges: Any, x: Any, out: Any) -> Any:
    """One loop where all layers are of one type; otherwise the first, and then the others."""
    return _equal_parts if isinstance(parts, types.UniTuple) else _first_part


@inlined
def first_of(row: Any) -> Any:
    """The first input, or zero without inputs: `inputs` then has one row of zeros."""
    return row[0] if len(row) > 0 else row.dtype.type(0)


@inlined
def add_input(inputs: Any, bias: Any, row: Any, a: Any) -> Any:
    """a += W_in s + b; returns |a|².

    The inputs are added one after the other, so that the result does not depend on how a signal is
    divided into pieces.
    """
    signal, total = first_of(row), a.dtype.type(0)
    for i in range(len(a)):
        value = a[i] + (bias[i] + inputs[0, i] * signal)
        a[i] = value
        total += value * value
    return add_others(inputs, row, a, total)


@inlined
def add_others(inputs: Any, row: Any, a: Any, squares: Any) -> Any:
    """The inputs after the first."""
    for j in range(1, len(row)):
        squares = a.dtype.type(0)
        for i in range(len(a)):
            value = a[i] + inputs[j, i] * row[j]
            a[i] = value
            squares += value * value
    return squares


def preactivation(data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any) -> Any:
    """a = W x + W_in s + b, inside compiled loops only; returns |a|²."""
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


def _in_two_passes(
    data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any
) -> Any:  # pragma: no cover - compiled by numba
    multiply(data, x, a)
    return add_input(inputs, bias, row, a)


def _fused_shift(
    data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any
) -> Any:  # pragma: no cover - compiled by numba
    signal, last, total = first_of(row), len(x) - 1, x.dtype.type(0)
    for i in range(last):
        value = data.weight * x[i] + (bias[i + 1] + inputs[0, i + 1] * signal)
        a[i + 1] = value
        total += value * value
    a[0] = data.closing * x[last] + (bias[0] + inputs[0, 0] * signal)
    return add_others(inputs, row, a, total + a[0] * a[0])


def _fused_rotation(
    data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any
) -> Any:  # pragma: no cover - compiled by numba
    signal, half, total = first_of(row), len(x) // 2, x.dtype.type(0)
    # Separate arrays, because the compiler cannot rule out overlaps within one array
    others, later = x[half:], a[half:]
    for i in range(half):
        cosine, sine = data.turns[0, i], data.turns[1, i]
        first = cosine * x[i] - sine * others[i] + (bias[i] + inputs[0, i] * signal)
        second = sine * x[i] + cosine * others[i] + (bias[half + i] + inputs[0, half + i] * signal)
        a[i], later[i] = first, second
        total += first * first + second * second
    if len(x) > 2 * half:
        a[2 * half] = data.lone * x[2 * half] + (bias[2 * half] + inputs[0, 2 * half] * signal)
        total += a[2 * half] * a[2 * half]
    return add_others(inputs, row, a, total)


FUSED: dict[Any, Any] = {ShiftData: _fused_shift, RotationData: _fused_rotation}


@overload(preactivation, jit_options=INLINED)
def _choose_preactivation(data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any) -> Any:
    kind = getattr(data, "instance_class", None)
    return FUSED.get(kind, _in_two_passes) if kind in PRODUCTS else None
