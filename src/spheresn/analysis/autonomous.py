"""Without input the exponents are known in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._validation import Floats, NoDirection
from ..topology import as_recurrent


def autonomous_exponents(recurrent: Any) -> Floats:
    """The N - 1 Lyapunov exponents of x -> W x/|W x|: log|λ_i| - log|λ_1|, i = 2..N, largest first.

    The map is the action of W on directions: a tangent is a vector modulo x, carried by Wⁿ and
    divided by |Wⁿ x|, which grows as |λ_1|ⁿ. So the maximal exponent is exactly 0 when a complex
    pair leads (the phase is never forgotten), and log|λ_2/λ_1| < 0 when a single real eigenvalue
    does; never positive, and independent of the spectral radius and of r. The paper derives "always
    zero" [VAL19, eqn:LLE]. W: an array (N, N), a sparse matrix or a topology.

    >>> autonomous_exponents(np.diag([4.0, 2.0, -1.0])).round(4)
    array([-0.6931, -1.3863])
    """
    matrix = as_recurrent(recurrent)
    if matrix.spectral_radius() == 0.0:
        raise NoDirection(
            "a nilpotent W ends at zero, which has no direction and no exponents; use a W whose "
            "links form a cycle"
        )
    sizes = np.sort(np.abs(np.linalg.eigvals(matrix.toarray().astype(np.float64))))[::-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sizes[1:] / sizes[0]))
