"""Rows less their mean, in one compiled pass for the mean and one for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import entry


def centre_rows(rows: Any, mean: Any, weight: float, share: float, out: Any) -> None:
    """Write the centred rows to out[:-1]; to out[-1] weight · (their mean - `mean`); move `mean`,
    in place, by `share` of that distance.

    The mean is that of the distances from the first row: a constant column is then centred to
    exactly zero, not to rounding errors.
    """
    centre_loop(rows, np.zeros(rows.shape[1]), mean, weight, share, out)


@entry
def centre_loop(rows: Any, shift: Any, mean: Any, weight: float, share: float, out: Any) -> None:
    """`centre_rows`, with zeros to work in."""
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
