"""a = W x + W_in s + b in as few passes as the topology allows, and |a|² on the way.

At 100 units a ring spent more than half of its step going over the same numbers again, W x, b, W_in
s and the squares each in a loop of its own, and waiting: a load that straddles two stores just made
has to wait for both of them.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from ..topology._rotation import RotationData
from ..topology._shift import ShiftData
from ._jit import INLINED, inlined
from .multiply import PRODUCTS, multiply


@inlined
def first_of(row: Any) -> Any:
    """The first input; without any, zero, and `inputs` has one row all the same."""
    return row[0] if len(row) > 0 else row.dtype.type(0)


@inlined
def add_input(inputs: Any, bias: Any, row: Any, a: Any) -> Any:
    """a += W_in s + b; returns |a|². One input after the other, so that the result does not depend
    on how a signal is cut.
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


def _any(
    data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any
) -> Any:  # pragma: no cover - compiled by numba
    multiply(data, x, a)
    return add_input(inputs, bias, row, a)


def _shift(
    data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any
) -> Any:  # pragma: no cover - compiled by numba
    signal, last, total = first_of(row), len(x) - 1, x.dtype.type(0)
    for i in range(last):
        value = data.weight * x[i] + (bias[i + 1] + inputs[0, i + 1] * signal)
        a[i + 1] = value
        total += value * value
    a[0] = data.closing * x[last] + (bias[0] + inputs[0, 0] * signal)
    return add_others(inputs, row, a, total + a[0] * a[0])


def _rotation(
    data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any
) -> Any:  # pragma: no cover - compiled by numba
    signal, half, total = first_of(row), len(x) // 2, x.dtype.type(0)
    # As arrays of their own: else the compiler finds too many overlaps to rule out
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


FUSED: dict[Any, Any] = {ShiftData: _shift, RotationData: _rotation}


@overload(preactivation, jit_options=INLINED)
def _choose(data: Any, x: Any, inputs: Any, bias: Any, row: Any, a: Any) -> Any:
    kind = getattr(data, "instance_class", None)
    return FUSED.get(kind, _any) if kind in PRODUCTS else None
