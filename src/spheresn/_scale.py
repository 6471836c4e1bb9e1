"""Powers of two: divided by one near its size, data loses no digit, and its squares neither over-
nor underflow.
"""

from __future__ import annotations

import numpy as np

from ._validation import Floats


def power_of_two(values: Floats) -> float:
    """The largest 2ⁿ that is at most max |values|; 1 where all are zero or there are none.

    >>> power_of_two(np.array([-5.0, 0.1])), power_of_two(np.zeros(3))
    (4.0, 1.0)
    """
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return float(np.ldexp(0.5, int(np.frexp(largest)[1]))) if largest > 0.0 else 1.0
