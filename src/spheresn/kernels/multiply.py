"""out = W x for every topology, chosen by the type of its data when the loop is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from ..topology._dense import DenseData
from ..topology._rotation import RotationData
from ..topology._shift import ShiftData
from ..topology._sparse import CsrData
from .names import FASTMATH

BLAS_FROM = 64  # units; below, the call into BLAS costs more than the product (benchmarks/step.py)


def multiply(data: Any, x: Any, out: Any) -> None:
    """out = W x, inside compiled loops only."""
    raise NotImplementedError


def _dense(data: Any, x: Any, out: Any) -> None:
    if len(x) >= BLAS_FROM:
        np.dot(data.matrix, x, out)
    else:
        for i in range(len(x)):
            total = x.dtype.type(0)
            for j in range(len(x)):
                total += data.matrix[i, j] * x[j]
            out[i] = total


def _csr(data: Any, x: Any, out: Any) -> None:
    """Four sums side by side: one alone would wait for the latency of every addition."""
    values, columns, starts = data.values, data.columns, data.starts
    for i in range(np.uint64(len(x))):
        j, end = starts[i], starts[i + np.uint64(1)]
        s0 = s1 = s2 = s3 = x.dtype.type(0)
        while j + np.uint64(4) <= end:
            s0 += values[j] * x[columns[j]]
            s1 += values[j + np.uint64(1)] * x[columns[j + np.uint64(1)]]
            s2 += values[j + np.uint64(2)] * x[columns[j + np.uint64(2)]]
            s3 += values[j + np.uint64(3)] * x[columns[j + np.uint64(3)]]
            j += np.uint64(4)
        while j < end:
            s0 += values[j] * x[columns[j]]
            j += np.uint64(1)
        out[i] = (s0 + s1) + (s2 + s3)


def _shift(data: Any, x: Any, out: Any) -> None:
    last = len(x) - 1
    for i in range(last):
        out[i + 1] = data.weight * x[i]
    out[0] = data.closing * x[last]


def _rotation(data: Any, x: Any, out: Any) -> None:
    half = len(x) // 2
    for i in range(half):
        out[i] = data.cosines[i] * x[i] - data.sines[i] * x[half + i]
        out[half + i] = data.sines[i] * x[i] + data.cosines[i] * x[half + i]
    if len(x) > 2 * half:
        out[2 * half] = data.lone * x[2 * half]


PRODUCTS: dict[Any, Any] = {DenseData: _dense, CsrData: _csr, ShiftData: _shift, RotationData: _rotation}


@overload(multiply, jit_options={"fastmath": FASTMATH, "error_model": "numpy"})
def _choose(data: Any, x: Any, out: Any) -> Any:
    return PRODUCTS.get(getattr(data, "instance_class", None))
