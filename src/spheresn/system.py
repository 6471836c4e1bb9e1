"""What every analysis asks of a dynamical system: a map with its derivative."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ._validation import Floats


@runtime_checkable
class System(Protocol):
    """A map x_k = F(x_{k-1}, s_k) whose derivative in x is known.

    A reservoir is one; so is any object of yours with these three members.

    The tent map doubles every small difference, so its exponent is log 2; the signal 30 stands for
    so many steps without input:

    >>> import numpy as np
    >>> from spheresn.analysis import max_lyapunov
    >>> class Tent:
    ...     tangent_dim = 1
    ...     def step(self, x, s):
    ...         return 1.0 - np.abs(1.0 - 2.0 * x)
    ...     def tangent_step(self, x, s, v):
    ...         return self.step(x, s), 2.0 * np.sign(0.5 - x)[:, None] * v
    >>> round(max_lyapunov(Tent(), 30, transient=0, start=[0.3]).exponent, 6)
    0.693147
    """

    @property
    def tangent_dim(self) -> int:
        """How many directions a state can move in: N, or N - 1 on the sphere."""

    def step(self, state: Floats, inputs: Floats) -> Floats:
        """The next state (N,), from a state (N,) and one row of the signal (d,)."""

    def tangent_step(
        self, state: Floats, inputs: Floats, tangents: Floats
    ) -> tuple[Floats, Floats]:
        """The next state and the tangents (N, k) carried along by the derivative of the step."""
