"""What every analysis asks of a dynamical system: a map with its derivative."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ._checks import Floats


@runtime_checkable
class System(Protocol):
    """A map x_k = F(x_{k-1}, s_k) whose derivative in x is known.

    A reservoir is one; so is any object of yours with these three members.
    """

    @property
    def tangent_dim(self) -> int:
        """How many directions a state can move in: N, or N - 1 on the sphere."""

    def step(self, state: Floats, inputs: Floats) -> Floats:
        """The next state (N,), from a state (N,) and one row of the signal (d,)."""

    def tangent_step(self, state: Floats, inputs: Floats, tangents: Floats) -> tuple[Floats, Floats]:
        """The next state and the tangents (N, k) carried along by the derivative of the step."""
