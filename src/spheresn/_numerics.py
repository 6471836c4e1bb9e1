"""A unit in which squares are safe."""

from __future__ import annotations

import numpy as np

from ._validation import Floats


def power_of_two(values: Floats) -> float:
    """The largest 2ⁿ that is at most max |values|; 1 if all values are zero or there are none.

    Dividing by it loses no digit, and the squares of the quotients neither overflow nor underflow.

    >>> power_of_two(np.array([-5.0, 0.1])), power_of_two(np.zeros(3))
    (4.0, 1.0)
    """
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return float(powers_of_two(np.array(largest)))


def powers_of_two(sizes: Floats) -> Floats:
    """The largest 2ⁿ that is at most each of `sizes`; 1 where that is zero."""
    return np.where(sizes > 0.0, np.ldexp(0.5, np.frexp(sizes)[1]), 1.0)
