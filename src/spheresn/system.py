"""The protocol of a dynamical system: a map with its derivative."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ._validation import Floats


@runtime_checkable
class System(Protocol):
    """A map x_k = F(x_{k-1}, s_k) whose derivative in x is known.

    A reservoir is a system, and so is any object with these three members. All measures accept one.

    Example: the tent map doubles every small difference, so its exponent is log 2. The signal 30
    means 30 steps without input.

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
        """The number of directions in which a state can move: N, or N - 1 on the sphere."""

    def step(self, state: Floats, inputs: Floats) -> Floats:
        """The next state (N,), from a state (N,) and one row of the signal (d,)."""

    def tangent_step(
        self, state: Floats, inputs: Floats, tangents: Floats
    ) -> tuple[Floats, Floats]:
        """The next state, and the derivative of the step times the tangents (N, k)."""


@runtime_checkable
class FreeRunning(Protocol):
    """A fitted forecaster: a closed loop that runs free from where it is.

    The measures accept it in place of its loop, and begin at its present state.

    >>> import spheresn as sn
    >>> isinstance(sn.ESNForecaster(), FreeRunning)  # it is not fitted
    False
    """

    @property
    def closed_loop_(self) -> System:
        """Its state is (x, s): that of the networks and the newest row."""

    @property
    def state_(self) -> Floats:
        """x, before the newest row."""

    @property
    def last_(self) -> Floats:
        """s, the newest row in units of the loop."""
