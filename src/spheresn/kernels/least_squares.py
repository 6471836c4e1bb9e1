"""Least squares: rows centred by their mean, and rows added to a triangular factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import compiled, copy_row, entry


def centre(rows: Any, mean: Any, weight: float, share: float, out: Any) -> None:
    """out[:-1] = the centred rows, out[-1] = weight · gap, mean += share · gap (in place).

    The gap is the distance of the rows' mean from `mean`. The rows' mean is computed from their
    differences from the first row, so that a constant column becomes exactly zero instead of
    rounding errors.
    """
    centre_loop(rows, np.zeros(rows.shape[1]), mean, weight, share, out)


@entry
def centre_loop(rows: Any, shift: Any, mean: Any, weight: float, share: float, out: Any) -> None:
    """`centre`; `shift` holds zeros and is overwritten."""
    count, width = rows.shape
    for i in range(1, count):
        for j in range(width):
            shift[j] += np.float64(rows[i, j]) - np.float64(rows[0, j])
    for j in range(width):
        shift[j] /= count
    for i in range(count):
        for j in range(width):
            out[i, j] = (np.float64(rows[i, j]) - np.float64(rows[0, j])) - shift[j]
    for j in range(width):
        gap = np.float64(rows[0, j]) + shift[j] - mean[j]
        out[count, j] = weight * gap
        mean[j] += share * gap


@compiled
def absorb_row(triangle: Any, right: Any, row: Any, target: Any, fade: Any) -> None:
    """R and Z times `fade`, with (row, target) added to them by plane rotations.

    R is the upper triangle and Z the right side; row and target are overwritten.
    """
    n, m = right.shape
    for i in range(n):
        for j in range(i, n):
            triangle[i, j] *= fade
        for k in range(m):
            right[i, k] *= fade
        length = np.hypot(triangle[i, i], row[i])
        if length == 0.0:
            continue
        c, s = triangle[i, i] / length, row[i] / length
        for j in range(i, n):
            upper, lower = triangle[i, j], row[j]
            triangle[i, j] = c * upper + s * lower
            row[j] = c * lower - s * upper
        for k in range(m):
            upper, lower = right[i, k], target[k]
            right[i, k] = c * upper + s * lower
            target[k] = c * lower - s * upper


@compiled
def absorb_fading(
    triangle: Any, right: Any, row: Any, target: Any, forgetting: float, penalty: float, seen: int
) -> None:
    """Add one row with forgetting, and restore the penalty in one coordinate.

    Forgetting shrinks the penalty; the coordinates have theirs restored in turn.
    """
    absorb_row(triangle, right, row, target, np.sqrt(forgetting))
    if forgetting < 1.0:
        row[:] = 0.0
        target[:] = 0.0
        row[seen % len(row)] = np.sqrt((1.0 - forgetting) * penalty * len(row))
        absorb_row(triangle, right, row, target, 1.0)


@entry
def absorb_rows(
    triangle: Any,
    right: Any,
    states: Any,
    targets: Any,
    forgetting: float,
    penalty: float,
    seen: int,
) -> None:
    """Add the rows z = (1, x) with their targets, one after the other."""
    row, target = np.empty(len(triangle)), np.empty(right.shape[1])
    for k in range(len(states)):
        row[0] = 1.0
        copy_row(states[k], row[1:])
        copy_row(targets[k], target)
        absorb_fading(triangle, right, row, target, forgetting, penalty, seen + k)


@compiled
def back_substitute(triangle: Any, right: Any, out: Any) -> None:
    """out = R⁻¹ Z."""
    n, m = right.shape
    for k in range(m):
        for i in range(n - 1, -1, -1):
            total = right[i, k]
            for j in range(i + 1, n):
                total -= triangle[i, j] * out[j, k]
            out[i, k] = total / triangle[i, i]
