"""out = W x for every topology, chosen by the type of its data when the loop is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from ..topology._dense import DenseData
from ..topology._rotation import RotationData
from ..topology._shift import ShiftData
from ..topology._sparse import CsrData
from ._jit import CHOSEN

# Units; below, the loop here is the faster one: 1.1 against 1.4 us at 100 units, equal at 500
BLAS_FROM = 400


def multiply(data: Any, x: Any, out: Any) -> None:
    """out = W x, inside compiled loops only."""
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


def _dense(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    """Four rows at a time share each load of x; BLAS where the matrix outgrows the inner caches."""
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


def _csr(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    """With unsigned indices and sums that may be reordered the compiler gathers several entries at
    a time: a fifth faster than by hand.
    """
    values, columns, starts = data.values, data.columns, data.starts
    for i in range(np.uint64(len(x))):
        total = x.dtype.type(0)
        for j in range(starts[i], starts[i + np.uint64(1)]):
            total += values[j] * x[columns[j]]
        out[i] = total


def _shift(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    last = len(x) - 1
    for i in range(last):
        out[i + 1] = data.weight * x[i]
    out[0] = data.closing * x[last]


def _rotation(data: Any, x: Any, out: Any) -> None:  # pragma: no cover - compiled by numba
    half = len(x) // 2
    for i in range(half):
        out[i] = data.turns[0, i] * x[i] - data.turns[1, i] * x[half + i]
        out[half + i] = data.turns[1, i] * x[i] + data.turns[0, i] * x[half + i]
    if len(x) > 2 * half:
        out[2 * half] = data.lone * x[2 * half]


PRODUCTS: dict[Any, Any] = {
    DenseData: _dense,
    CsrData: _csr,
    ShiftData: _shift,
    RotationData: _rotation,
}


@overload(multiply, jit_options=CHOSEN)
def _choose(data: Any, x: Any, out: Any) -> Any:
    return PRODUCTS.get(getattr(data, "instance_class", None))
