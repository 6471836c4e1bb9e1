"""The unit in which a series is heard, for problems whose series differ much in size.

Networks are driven by deviations from the mean of all training series. Where some series are a
hundred times larger than others, the small ones hardly move them. Then it may be better to measure
each series in its own deviations, or to compress all values by asinh, which is linear for small
values and logarithmic for large ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._validation import Floats

KINDS = ("given", "own", "compressed")
ALIKE = 1.5  # ratio of deviations up to which series have the same size
HUGE = 1e300
SMALL = 0.1  # quantile of the deviations of series; what is smaller is not compressed


@dataclass(frozen=True, eq=False)
class Preparation:
    """What is done to a series before networks hear it.

    given: nothing. own: its mean is subtracted and it is divided by its deviation. compressed:
    asinh((x - centre)/scale).
    """

    kind: str
    centre: Floats
    scale: Floats

    @staticmethod
    def of(kind: str, series: Sequence[Floats]) -> Preparation:
        """For training series (T, d)."""
        small = np.quantile([deviation(one) for one in series], SMALL, axis=0)
        centre = np.median(np.vstack(series), axis=0)
        return Preparation(kind, centre, np.where(small > 0.0, small, 1.0))

    def __call__(self, rows: Floats) -> Floats:
        """The series as networks hear it.

        >>> own = Preparation("own", np.zeros(1), np.ones(1))
        >>> own(np.array([[1.0], [3.0]])).ravel()
        array([-1.,  1.])
        """
        if self.kind == "given":
            return rows
        with np.errstate(over="ignore"):  # what is not finite is refused later
            if self.kind == "own":
                size = deviation(rows)
                return np.asarray((rows - _mean(rows)) / np.where(size > 0.0, size, 1.0))
            return np.asarray(np.arcsinh(np.clip((rows - self.centre) / self.scale, -HUGE, HUGE)))


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
