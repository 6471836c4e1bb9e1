"""From a pre-activation to the next state: `activations` and the leak, compiled.

All functions work in place and allocate nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from ._jit import CHOSEN, INLINED, compiled, inlined
from .codes import (
    DEGENERATE,
    FINE,
    OVERFLOW,
    RARE,
    TANH,
    Elementwise,
    FastSpherical,
    Spherical,
    Stacked,
)
from .tanh import vector_tanh


@compiled
def sum_of_squares(a: Any) -> Any:
    """|a|²."""
    total = a.dtype.type(0)
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


@compiled
def stretch(a: Any, scale: Any) -> None:
    """a = scale a."""
    for i in range(len(a)):
        a[i] *= scale


@compiled
def blend(leak: Any, previous: Any, out: Any) -> None:
    """out = (1 - leak) previous + leak out."""
    keep = out.dtype.type(1) - leak
    for i in range(len(out)):
        out[i] = keep * previous[i] + leak * out[i]


@compiled
def bend(a: Any, scale: Any, strength: Any, out: Any) -> Any:
    """out = z with z_i = â_i/√(1 + (strength â_i)²), â = scale a; returns |z|²."""
    one, total = a.dtype.type(1), a.dtype.type(0)
    for i in range(len(a)):
        spread = scale * a[i]
        z = spread / np.sqrt(one + (strength * spread) * (strength * spread))
        out[i] = z
        total += z * z
    return total


@compiled
def project(a: Any, squares: Any, radius: Any, low: Any, high: Any, out: Any) -> int:
    """out = r a/|a|, where squares = |a|²; a and out may be the same array.

    Squares between low and high are safe; otherwise a is scaled first.
    """
    if low < squares < high and low < radius * radius < high:
        scale = radius / np.sqrt(squares)
        for i in range(len(a)):
            out[i] = a[i] * scale
        return FINE
    return project_extreme(a, radius, out)


@compiled
def project_extreme(a: Any, radius: Any, out: Any) -> int:
    """`project` where squares would overflow or underflow."""
    largest = a.dtype.type(0)
    for i in range(len(a)):
        if not np.isfinite(a[i]):
            return OVERFLOW
        largest = max(largest, abs(a[i]))
    if largest == 0:
        return DEGENERATE
    for i in range(len(a)):
        out[i] = a[i] / largest
    length = np.sqrt(sum_of_squares(out))
    for i in range(len(a)):
        out[i] = radius * (out[i] / length)
    return FINE


@compiled
def project_bent(
    a: Any, squares: Any, radius: Any, strength: Any, low: Any, high: Any, out: Any
) -> int:
    """Project to radius √N, bend, project to radius r."""
    one, root = a.dtype.type(1), np.sqrt(a.dtype.type(len(a)))
    if low < squares < high:
        squares = bend(a, root / np.sqrt(squares), strength, out)
    else:
        status = project_extreme(a, root, out)
        if status != FINE:
            return status
        squares = bend(out, one, strength, out)
    if low < radius * radius < high:
        stretch(out, radius / np.sqrt(squares))
        return FINE
    return project_extreme(out, radius, out)


@compiled
def keep_direction(previous: Any, radius: Any, low: Any, high: Any, out: Any) -> None:
    """out = the previous direction; r(1, ..., 1)/√N if the previous state is zero."""
    if project(previous, sum_of_squares(previous), radius, low, high, out) == DEGENERATE:
        out[:] = radius / np.sqrt(out.dtype.type(len(out)))


@compiled
def elementwise(kind: int, a: Any, squares: Any, high: Any, out: Any) -> int:
    """out = tanh a, or a itself.

    Where |a|² is not safe, the sum of a_i · 0 shows whether any a_i is infinite or NaN.
    """
    if kind == TANH:
        for i in range(len(a)):
            out[i] = vector_tanh(a[i])
    else:
        for i in range(len(a)):
            out[i] = a[i]
    if squares < high:
        return FINE
    zero = a.dtype.type(0)
    witness = zero
    for i in range(len(a)):
        witness += a[i] * zero
    return FINE if witness == 0 else OVERFLOW


@compiled
def activate_any(act: Any, a: Any, squares: Any, previous: Any, out: Any) -> int:
    """Projection (bent or not), leak and second projection, for all sizes of a, zero included."""
    if act.bend != 0:
        status = project_bent(a, squares, act.radius, act.bend, act.low, act.high, out)
    else:
        status = project(a, squares, act.radius, act.low, act.high, out)
    if status == FINE and act.leak != 1:
        blend(act.leak, previous, out)
        status = project(out, sum_of_squares(out), act.radius, act.low, act.high, out)
    if status == DEGENERATE:
        keep_direction(previous, act.radius, act.low, act.high, out)
    return status


def activate(act: Any, a: Any, squares: Any, previous: Any, out: Any) -> int:
    """out = the next state, where squares = |a|²; inside compiled loops only.

    The plain projection is inlined into the loop.
    """
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


def _fast_spherical(
    act: Any, a: Any, squares: Any, previous: Any, out: Any
) -> int:  # pragma: no cover - compiled by numba
    if not act.low < squares < act.high:
        return RARE
    if act.bend != 0:
        squares = bend(a, np.sqrt(a.dtype.type(len(a))) / np.sqrt(squares), act.bend, out)
        stretch(out, act.radius / np.sqrt(squares))
        return FINE
    scale = act.radius / np.sqrt(squares)
    for i in range(len(a)):
        out[i] = a[i] * scale
    return FINE


def _spherical(
    act: Any, a: Any, squares: Any, previous: Any, out: Any
) -> int:  # pragma: no cover - compiled by numba
    if (
        act.bend == 0
        and act.leak == 1
        and act.low < squares < act.high
        and act.low < act.radius * act.radius < act.high
    ):
        scale = act.radius / np.sqrt(squares)
        for i in range(len(a)):
            out[i] = a[i] * scale
        return FINE
    return activate_any(act, a, squares, previous, out)


def _elementwise(
    act: Any, a: Any, squares: Any, previous: Any, out: Any
) -> int:  # pragma: no cover - compiled by numba
    status = elementwise(act.kind, a, squares, act.high, out)
    if act.leak != 1:
        blend(act.leak, previous, out)
    return status


def _stacked(
    act: Any, a: Any, squares: Any, previous: Any, out: Any
) -> int:  # pragma: no cover - compiled by numba
    return activate_parts(act.acts, act, 0, a, previous, out)


ACTIVATIONS: dict[Any, Any] = {
    Spherical: _spherical,
    FastSpherical: _fast_spherical,
    Elementwise: _elementwise,
    Stacked: _stacked,
}


@compiled
def add_product(matrix: Any, x: Any, out: Any) -> None:
    """out += M x; four rows at a time share each load of x."""
    rows, columns, i = len(out), len(x), 0
    while i + 4 <= rows:
        r0, r1, r2, r3 = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        s0 = s1 = s2 = s3 = x.dtype.type(0)
        for j in range(columns):
            s0 += r0[j] * x[j]
            s1 += r1[j] * x[j]
            s2 += r2[j] * x[j]
            s3 += r3[j] * x[j]
        out[i] += s0
        out[i + 1] += s1
        out[i + 2] += s2
        out[i + 3] += s3
        i += 4
    while i < rows:
        total = x.dtype.type(0)
        for j in range(columns):
            total += matrix[i, j] * x[j]
        out[i] += total
        i += 1


def activate_parts(acts: Any, act: Any, first: int, a: Any, previous: Any, out: Any) -> int:
    """`activate` of the layers from `first` on, whose own activations are `acts`, in their order:
    the new state of one may be the signal of the next. Returns the worst status.

    Inside compiled loops only.
    """
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


@inlined
def activate_part(own: Any, act: Any, p: int, a: Any, previous: Any, out: Any) -> Any:
    """`activate` of layer p."""
    low, high = act.edges[p], act.edges[p + 1]
    z = a[low:high]
    add_product(act.feeds[p], out[act.sources[p, 0] : act.sources[p, 1]], z)
    return activate(own, z, sum_of_squares(z), previous[low:high], out[low:high])


def _equal_parts(
    acts: Any, act: Any, first: int, a: Any, previous: Any, out: Any
) -> int:  # pragma: no cover - compiled by numba
    worst = FINE
    for p in range(len(acts)):
        worst = max(worst, activate_part(acts[p], act, first + p, a, previous, out))
    return worst


def _first_part(
    acts: Any, act: Any, first: int, a: Any, previous: Any, out: Any
) -> int:  # pragma: no cover - compiled by numba
    status = activate_part(acts[0], act, first, a, previous, out)
    return int(max(status, activate_parts(acts[1:], act, first + 1, a, previous, out)))


@overload(activate_parts, jit_options=CHOSEN)
def _choose_parts(acts: Any, act: Any, first: int, a: Any, previous: Any, out: Any) -> Any:
    return _equal_parts if isinstance(acts, types.UniTuple) else _first_part


@overload(activate, jit_options=INLINED)
def _choose(act: Any, a: Any, squares: Any, previous: Any, out: Any) -> Any:
    return ACTIVATIONS.get(getattr(act, "instance_class", None))
