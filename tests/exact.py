"""The model in long double, with the rounding error to expect of any loop in double: what every
loop is held against.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import spheresn as sn

EPS, LEAST, MOST = np.finfo(float).eps, 5e-324, np.finfo(float).max
VAGUE = 1e-2  # relative errors beyond this say nothing: the terms of a cancel


class Step(NamedTuple):
    """State and tangent after a step, the error to expect of each (a length), and whether doubles
    can hold the sums on the way.
    """

    state: Any
    tangent: Any
    off: float
    tangent_off: float
    in_range: bool


def wide(values: Any) -> Any:
    """In long double, which must be wider than double here."""
    if np.finfo(np.longdouble).maxexp <= 1024:
        pytest.skip("long double is no wider than double on this machine")
    return np.asarray(values, np.longdouble)


def length(vector: Any) -> Any:
    return np.sqrt((vector * vector).sum())


def onto(a: Any, da: Any, radius: float) -> tuple[Any, Any]:
    """r a/|a| and its derivative."""
    size = length(a)
    return radius * (a / size), radius * (da - a / size * (a / size @ da)) / size


def bent(a: Any, da: Any, bend: float) -> tuple[Any, Any]:
    spread, dspread = onto(a, da, wide(len(a)) ** wide(0.5))
    root = np.sqrt(1 + (bend * spread) ** 2)
    return spread / root, dspread / root**3


def step(reservoir: sn.Reservoir, state: Any, row: Any, tangent: Any = None) -> Step:
    """x' = (1 - leak) x + leak f(W x + W_in s + b), projected again on the sphere; and its
    derivative times a tangent (N,).

    A computed sum of n terms is off by at most n eps Σ|terms|. On the sphere that over |a| is the
    error of the direction. Bending lengthens tangents by at most G = √(1 + bend² N), and its second
    derivative is at most 8 G².
    """
    w, w_in, b, x = (
        wide(part)
        for part in (reservoir.recurrent.toarray(), reservoir.inputs, reservoir.bias, state)
    )
    v = np.zeros_like(x) if tangent is None else wide(tangent)
    a, da = w @ x + w_in @ wide(row) + b, w @ v
    terms, dterms = (
        np.abs(w) @ np.abs(x) + np.abs(w_in) @ np.abs(wide(row)) + np.abs(b),
        length(np.abs(w) @ np.abs(v)),
    )
    count = len(x) + len(row) + 8
    off, doff = length(count * (EPS * terms + wide(LEAST))), count * EPS * dterms
    act, leak, in_range = reservoir.activation, wide(reservoir.leak), bool(terms.max() < MOST)
    if isinstance(act, sn.OnSphere):
        return _on_sphere(act, leak, (x, v), (a, da), (off, doff, dterms), count, in_range)
    if isinstance(act, sn.Tanh):
        y = np.tanh(a)
        a, da, off, doff = (
            y,
            (1 - y * y) * da,
            off + count * EPS,
            doff + (off + count * EPS) * dterms,
        )
    mixed, carried = ((1 - leak) * old + leak * new for old, new in ((x, a), (v, da)))
    return Step(
        mixed, carried, off + count * EPS * length(x), doff + count * EPS * length(v), in_range
    )


def _on_sphere(
    act: Any, leak: Any, old: Any, new: Any, errors: Any, count: int, in_range: bool
) -> Step:
    (x, v), (a, da), (off, doff, dterms) = old, new, errors
    nothing = Step(None, None, np.inf, np.inf, in_range)
    size, radius, gain = length(a), wide(act.radius), np.sqrt(1 + wide(act.bend) ** 2 * len(a))
    if not off < VAGUE * size:
        return nothing
    y, dy = onto(*(bent(a, da, act.bend) if act.bend else (a, da)), radius)
    turn = gain * off / size + count * EPS
    off, doff = (
        radius * turn,
        radius / size * (gain * doff + 8 * gain**2 * (off / size + count * EPS) * dterms),
    )
    if leak == 1:
        return Step(y, dy, off, doff, in_range)
    mixed, carried = (1 - leak) * x + leak * y, (1 - leak) * v + leak * dy
    off, doff = (
        leak * off + count * EPS * (length(x) + radius),
        leak * doff + count * EPS * (length(v) + length(dy)),
    )
    size = length(mixed)
    if not off < VAGUE * size:
        return nothing
    y, dy = onto(mixed, carried, radius)
    return Step(
        y,
        dy,
        radius * off / size,
        radius / size * (doff + 4 * off / size * length(carried)),
        in_range,
    )
