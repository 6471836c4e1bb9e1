"""Activations x = f(a), each with its exact pushforward (the derivative times vectors)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from . import _validation, sphere
from ._validation import Floats


class Activation(Protocol):
    """f(a), and its derivative at a times v (N,) or times columns (N, k)."""

    @property
    def sphere_radius(self) -> float | None:
        """The radius of the sphere on which all values lie, or None."""

    def value(self, pre_activation: Floats) -> Floats:
        """The state that belongs to a."""

    def pushforward(self, pre_activation: Floats, tangents: Floats) -> Floats:
        """The derivative at a times the tangents."""


@dataclass(frozen=True)
class OnSphere:
    """Projection onto the sphere, r a/|a| [VAL19, eqn:new_activation], optionally bent.

    bend = 0 is the paper's model to the last bit. With bend > 0 the vector is projected, bent, and
    projected again: â = √N a/|a|, z_i = â_i/√(1 + (bend â_i)²), x = r z/|z|.

    >>> OnSphere(radius=2.0).value(np.array([3.0, 4.0]))
    array([1.2, 1.6])
    """

    radius: float = 1.0
    bend: float = 0.0

    def __post_init__(self) -> None:
        _validation.real("radius", self.radius, 0.0, above=True)
        _validation.real("bend", self.bend, 0.0, 1e6)  # above, every unit is just its sign

    @property
    def sphere_radius(self) -> float:
        """The radius r."""
        return float(self.radius)

    def value(self, pre_activation: Floats) -> Floats:
        """r a/|a|, or the bent projection."""
        if self.bend == 0.0:
            return sphere.project(pre_activation, self.radius)
        return sphere.project(self._bent(self._spread(pre_activation)), self.radius)

    def pushforward(self, pre_activation: Floats, tangents: Floats) -> Floats:
        """Two projections with the diagonal 1/(1 + (bend â)²)^(3/2) between them."""
        if self.bend == 0.0:
            return sphere.project_pushforward(pre_activation, tangents, self.radius)
        spread = self._spread(pre_activation)
        slope = (1.0 + (self.bend * spread) ** 2) ** -1.5
        inner = sphere.project_pushforward(pre_activation, tangents, np.sqrt(len(pre_activation)))
        return sphere.project_pushforward(self._bent(spread), (slope * inner.T).T, self.radius)

    def _spread(self, pre_activation: Floats) -> Floats:
        return sphere.project(pre_activation, np.sqrt(len(pre_activation)))

    def _bent(self, spread: Floats) -> Floats:
        return np.asarray(spread / np.hypot(1.0, self.bend * spread), dtype=spread.dtype)


@dataclass(frozen=True)
class Tanh:
    """The hyperbolic tangent of every unit: the ordinary echo state network.

    >>> Tanh().value(np.array([0.0, np.log(2.0)]))
    array([0. , 0.6])
    >>> Tanh().pushforward(np.zeros(2), np.array([1.0, 2.0]))
    array([1., 2.])
    """

    sphere_radius = None

    def value(self, pre_activation: Floats) -> Floats:
        """tanh a."""
        return np.tanh(pre_activation)

    def pushforward(self, pre_activation: Floats, tangents: Floats) -> Floats:
        """(1 - tanh² a) v."""
        return np.asarray(((1.0 - np.tanh(pre_activation) ** 2) * tangents.T).T)


@dataclass(frozen=True)
class Linear:
    """The identity: a linear network.

    >>> Linear().value(np.array([-2.0, 3.0]))
    array([-2.,  3.])
    """

    sphere_radius = None

    def value(self, pre_activation: Floats) -> Floats:
        """The pre-activation itself."""
        return pre_activation

    def pushforward(self, pre_activation: Floats, tangents: Floats) -> Floats:
        """The tangents themselves."""
        return tangents
