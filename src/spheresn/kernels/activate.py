"""From a pre-activation to the next state, in place and without allocation: the compiled twin of `activations` and of the leak."""

from __future__ import annotations

from typing import Any

import numpy as np

from .names import BENT, DEGENERATE, FINE, OVERFLOW, SPHERE, TANH, compiled, inlined
from .tanh import vector_tanh


@compiled
def sum_of_squares(a: Any) -> Any:
    """|a|²."""
    total = a.dtype.type(0)
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


@compiled
def project(a: Any, squares: Any, radius: Any, low: Any, high: Any, out: Any) -> int:
    """out = r a/|a|, squares = |a|²; a and out may be the same array. Squares are safe between low and high, else a is scaled first."""
    if low < squares < high and low < radius * radius < high:
        scale = radius / np.sqrt(squares)
        for i in range(len(a)):
            out[i] = a[i] * scale
        return FINE
    return project_extreme(a, radius, out)


@compiled
def project_extreme(a: Any, radius: Any, out: Any) -> int:
    """The same when squares would over- or underflow."""
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
def project_bent(a: Any, squares: Any, radius: Any, strength: Any, low: Any, high: Any, out: Any) -> int:
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
        scale = radius / np.sqrt(squares)
        for i in range(len(out)):
            out[i] *= scale
        return FINE
    return project_extreme(out, radius, out)


@compiled
def keep_direction(previous: Any, radius: Any, low: Any, high: Any, out: Any) -> None:
    """The previous direction; from the zero state, which has none either, the fixed point r(1, ..., 1)/√N."""
    if project(previous, sum_of_squares(previous), radius, low, high, out) == DEGENERATE:
        out[:] = radius / np.sqrt(out.dtype.type(len(out)))


@compiled
def elementwise(kind: int, a: Any, squares: Any, high: Any, out: Any) -> int:
    """tanh a or a itself; where |a|² is not safe, any infinity or NaN shows in the sum of the products with zero."""
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


@inlined
def activate(act: Any, a: Any, squares: Any, previous: Any, out: Any) -> int:
    """The next state, squares = |a|². The sphere without leak and extremes is done here, in the loop that asks for it."""
    kind, radius, _, leak, low, high = act
    if kind == SPHERE and leak == 1 and low < squares < high and low < radius * radius < high:
        scale = radius / np.sqrt(squares)
        for i in range(len(a)):
            out[i] = a[i] * scale
        return FINE
    return activate_any(act, a, squares, previous, out)


@compiled
def activate_any(act: Any, a: Any, squares: Any, previous: Any, out: Any) -> int:
    """Activation, then the leak, then on the sphere a second projection."""
    kind, radius, strength, leak, low, high = act
    spherical = kind < TANH
    if kind == SPHERE:
        status = project(a, squares, radius, low, high, out)
    elif kind == BENT:
        status = project_bent(a, squares, radius, strength, low, high, out)
    else:
        status = elementwise(kind, a, squares, high, out)
    if status == FINE and leak != 1:
        keep = a.dtype.type(1) - leak
        for i in range(len(a)):
            out[i] = keep * previous[i] + leak * out[i]
        if spherical:
            status = project(out, sum_of_squares(out), radius, low, high, out)
    if status == DEGENERATE:
        keep_direction(previous, radius, low, high, out)
    return status
