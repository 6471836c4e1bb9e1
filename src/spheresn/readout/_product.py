"""Products of matrices by scipy's BLAS, like the decompositions beside them.

numpy brings a BLAS of its own, with threads of its own: where the two take turns on two cores, the
waiting threads of either stand in the way of the other's, and a fit was measured to take twice as
long with two threads as with one.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dgemm

from .._validation import Floats


def product(a: Floats, b: Floats) -> Floats:
    """a b, C-ordered and in float64.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    # As they lie in memory, without a copy
    left, right = ((part.T, 0) if part.flags.c_contiguous else (part, 1) for part in (b, a))
    return np.asarray(dgemm(1.0, left[0], right[0], trans_a=left[1], trans_b=right[1]).T)
