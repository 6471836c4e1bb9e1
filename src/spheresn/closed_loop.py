"""A network whose input is its own forecast: the loop closed over a readout."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import kernels
from ._errors import StateOverflow
from ._validation import Floats
from .compose import Driven
from .driving import network_of
from .readout import Quadratic, Weights
from .series.scaling import soft_clip, soft_clip_slope


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """The forecaster running free, as a `System`.

    Its state is (x, s): the state of the network and the newest value of the series.
    x' = F(x, s), s' = carry s + b + Wᵀ φ(x'): with carry 1 the readout gives the step from one
    value to the next, with 0 the next value. Beyond the bounds low and high (m,), s' is bent back
    smoothly, so that no run diverges; by default there are none.

    Its Lyapunov exponents, by the functions of `spheresn.analysis` with `signal` a number of steps,
    are those of the learned attractor.
    """

    reservoir: Driven
    weights: Weights
    carry: float = 1.0
    quadratic: Quadratic | None = None
    low: Floats | None = None
    high: Floats | None = None

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The bounds of the outputs, infinite where there are none."""
        ends = np.full(self.outputs, np.inf)
        return (
            -ends if self.low is None else self.low,
            ends if self.high is None else self.high,
        )

    @property
    def outputs(self) -> int:
        """The columns of the series."""
        return len(self.weights.intercept)

    def features(self, states: Floats) -> Floats:
        """What the readout sees of states (T, N)."""
        return states if self.quadratic is None else self.quadratic(states)

    @property
    def tangent_dim(self) -> int:
        """Directions of x and of s together."""
        return self.reservoir.tangent_dim + self.outputs

    def step(self, state: Floats, inputs: Floats) -> Floats:
        """(x, s) one step later; `inputs`, the exogenous columns, stand beside s."""
        x, s = state[: self.reservoir.units], state[self.reservoir.units :]
        after = self.reservoir.step(x, np.concatenate([s, inputs]))
        features = after[None] if self.quadratic is None else self.quadratic(after[None])
        value = self.carry * s + self.weights(features)[0]
        return np.concatenate([after, soft_clip(value, *self.bounds)])

    def tangent_step(
        self, state: Floats, inputs: Floats, tangents: Floats
    ) -> tuple[Floats, Floats]:
        """The next (x, s) and tangents (N + m, k) carried along."""
        n = self.reservoir.units
        x, s = state[:n], state[n:]
        both = np.concatenate([s, inputs])
        moved = np.vstack([tangents[n:], np.zeros((len(inputs), tangents.shape[1]))])
        after, carried = self.reservoir.tangent_step(x, both, tangents[:n], moved)
        linear = self.weights.matrix[:n].T @ carried
        if self.quadratic is not None:
            linear = linear + self.weights.matrix[n:].T @ self.quadratic.pushforward(after, carried)
        features = after[None] if self.quadratic is None else self.quadratic(after[None])
        value, limits = self.carry * s + self.weights(features)[0], self.bounds
        slope = soft_clip_slope(value, *limits)
        pushed = slope[:, None] * (self.carry * tangents[n:] + linear)
        return np.concatenate([after, soft_clip(value, *limits)]), np.vstack([carried, pushed])

    def run(self, steps: int, state: Floats, last: Floats, exogenous: Floats) -> tuple[Floats, int]:
        """Forecast (steps, m) from the value `last`, and how many rows of it stayed finite.

        `state` is the state of the network before `last`; exogenous (steps, e) belongs to the time
        of each forecast. A run that overflows holds its last finite value.
        """
        outputs, finite = self.runs(steps, state[None], last[None], exogenous[None])
        return outputs[0], int(finite[0])

    def runs(
        self,
        steps: int,
        states: Floats,
        lasts: Floats,
        exogenous: Floats,
        shocks: Floats | None = None,
    ) -> tuple[Floats, NDArray[np.int64]]:
        """R of such runs, each from its row: (R, steps, m), and how many rows stayed finite (R,).

        states (R, N), lasts (R, m), exogenous (R, steps, e). shocks (R, steps, m): what each step
        adds to the value that the readout gives.
        """
        outputs = np.empty((len(states), steps, self.outputs))
        finite = np.empty(len(states), np.int64)
        network, readout = network_of(self.reservoir), self.readout_data()
        none = np.empty((0, self.outputs))
        for r, (state, last, rows) in enumerate(zip(states, lasts, exogenous, strict=True)):
            pushed = none if shocks is None else shocks[r]
            if network is None:
                stop = self._run_by_steps(state, last, rows, pushed, outputs[r])
            else:
                stop = kernels.closed_loop(
                    network, readout, rows, last.copy(), state, pushed, outputs[r]
                )
            outputs[r, stop:] = outputs[r, stop - 1] if stop else last
            finite[r] = stop
        return outputs, finite

    def with_weights(self, weights: Weights) -> ClosedLoop:
        """The same network with another readout."""
        return replace(self, weights=weights)

    def _run_by_steps(
        self, state: Floats, last: Floats, exogenous: Floats, shocks: Floats, outputs: Floats
    ) -> int:
        """The same by `step`, for a topology or an activation of the user's own."""
        both = np.concatenate([state, last])
        for k, row in enumerate(exogenous):
            try:
                both = self.step(both, row)
            except StateOverflow:
                return k
            if len(shocks):
                both[self.reservoir.units :] += shocks[k]
            outputs[k] = both[self.reservoir.units :]
            if not (np.abs(outputs[k]) < kernels.DIVERGED).all():
                return k
        return len(outputs)

    def readout_data(self) -> tuple[Any, ...]:
        """Carry, bounds and weights as the compiled loops take them."""
        n = self.reservoir.units
        linear = np.ascontiguousarray(self.weights.matrix[:n].T)
        limits = tuple(np.ascontiguousarray(end, np.float64) for end in self.bounds)
        if self.quadratic is None:
            return float(self.carry), *limits, self.weights.intercept, linear
        centre, components = self.quadratic.centre, self.quadratic.components
        products = np.ascontiguousarray(self.weights.matrix[n:].T)
        return (
            float(self.carry),
            *limits,
            self.weights.intercept,
            linear,
            centre,
            components,
            products,
            np.empty(len(components)),
        )
