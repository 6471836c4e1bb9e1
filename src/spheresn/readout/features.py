"""Quadratic features of the states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _validation
from .._errors import StateOverflow
from .._validation import Floats
from .gram import product
from .ridge import Eigen, Moments


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The states and all products of their c principal components, (x, p_1², p_1 p_2, ..., p_c²).

    Each component is divided by its standard deviation, so that the products are not small beside
    the states. c = 0 gives the states alone.

    >>> from spheresn.readout import Gram
    >>> x = np.array([[-1.0], [1.0], [3.0]])
    >>> Quadratic.of(Gram.of(x, x), 1)(x)[:, 1].round(6)  # ((x - 1)/deviation)², of mean 1
    array([1.5, 0. , 1.5])
    """

    centre: Floats
    components: Floats

    @staticmethod
    def of(moments: Moments, count: int) -> Quadratic:
        """The `count` leading principal components of the states."""
        _validation.whole("components", count, 0)
        eigen = Eigen.of(moments)
        count = min(count, int((eigen.values > 1e-12 * eigen.values.max(initial=0.0)).sum()))
        leading = slice(len(eigen.values) - count, None)
        deviations = np.sqrt(eigen.values[leading] / moments.count)
        return Quadratic(
            moments.state_mean,
            np.ascontiguousarray((eigen.vectors[:, leading] / deviations)[:, ::-1].T),
        )

    def __call__(self, states: Floats) -> Floats:
        """Features (T, N + c(c+1)/2) of states (T, N)."""
        rows, columns = np.triu_indices(len(self.components))
        with np.errstate(over="ignore", invalid="ignore"):
            scores = product(states - self.centre, self.components.T)
            products = scores[:, rows] * scores[:, columns]
        if not np.isfinite(products).all():
            raise StateOverflow(
                "products of states left the range of their floating point type; lower the scale "
                "of the input"
            )
        return np.hstack([states, products])

    def pushforward(self, state: Floats, tangents: Floats) -> Floats:
        """The derivative of the products (c(c+1)/2, k) at a state (N,) times tangents (N, k)."""
        scores, moved = self.components @ (state - self.centre), self.components @ tangents
        rows, columns = np.triu_indices(len(self.components))
        return np.asarray(scores[rows, None] * moved[columns] + scores[columns, None] * moved[rows])
