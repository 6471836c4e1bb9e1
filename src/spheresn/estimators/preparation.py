"""Series of very different size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._validation import Floats

ALIKE = 1.5  # ratio of deviations up to which series have the same size


def in_own_deviations(rows: Floats) -> Floats:
    """The series (T, d) without its mean and divided by its deviation.

    >>> in_own_deviations(np.array([[1.0], [3.0]])).ravel()
    array([-1.,  1.])
    """
    size = deviation(rows)
    with np.errstate(over="ignore"):  # what is not finite is refused later
        return np.asarray((rows - _mean(rows)) / np.where(size > 0.0, size, 1.0))


def deviation(rows: Floats) -> Floats:
    """The deviation of each column, scaled first so that squares neither over- nor underflow."""
    largest = np.abs(rows).max(axis=0)
    safe = np.where(largest > 0.0, largest, 1.0)
    return np.asarray((rows / safe).std(axis=0) * safe)


def _mean(rows: Floats) -> Floats:
    return np.asarray((rows / len(rows)).sum(axis=0))


def differ_in_size(series: Sequence[Floats]) -> bool:
    """Whether in some column the deviations of the series differ by more than ALIKE."""
    sizes = np.array([deviation(one) for one in series])
    return bool((sizes.max(axis=0) > ALIKE * sizes.min(axis=0)).any())
