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
from .driving import drive, network_of
from .physics import Physics
from .readout import Quadratic, Weights
from .series.scaling import soft_clip, soft_clip_slope

TRUST_ROWS = 50  # over which the trust in a model of the user's own is averaged
ON_PHYSICS = 2.0  # the carry of a readout that gives what the user's own model leaves over


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """The forecaster running free, as a `System`.

    Its state is (x, s): the state of the network and the newest value of the series.
    x' = F(x, s), s' = carry s + b + Wᵀ φ(x'): with carry 1 the readout gives the step from one
    value to the next, with 0 the next value. Beyond the bounds low and high (m,), s' is bent back
    smoothly, so that no run diverges; by default there are none.

    p is what a model of the user's own says of s'. It stands last among the inputs of the network,
    and where carry is ON_PHYSICS, s' = p + b + Wᵀ φ(x'). Where it has no number, a run diverges.

    Its Lyapunov exponents, by the functions of `spheresn.analysis` with `signal` a number of steps,
    are those of the learned attractor.
    """

    reservoir: Driven
    weights: Weights
    carry: float = 1.0
    quadratic: Quadratic | None = None
    low: Floats | None = None
    high: Floats | None = None
    physics: Physics | None = None

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

    @property
    def exogenous(self) -> int:
        """The exogenous columns."""
        own = 0 if self.physics is None else self.outputs
        return self.reservoir.n_inputs - self.outputs - own

    def beside(self, values: Floats, exogenous: Floats) -> Floats:
        """What stands beside values (R, m) among the inputs: exogenous columns (R, e), and what the
        user's own model says.
        """
        if self.physics is None:
            return exogenous
        return np.hstack([exogenous, self.physics.of_any(values, exogenous)])

    def base(self, values: Floats, beside: Floats) -> Floats:
        """What the readout adds to."""
        if self.physics is not None and self.carry == ON_PHYSICS:
            return beside[..., -self.outputs :]
        return self.carry * values

    def step(self, state: Floats, inputs: Floats) -> Floats:
        """(x, s) one step later; `inputs`, the exogenous columns, stand beside s."""
        x, s = state[: self.reservoir.units], state[self.reservoir.units :]
        beside = self.beside(s[None], inputs[None])[0]
        after = self.reservoir.step(x, np.concatenate([s, beside]))
        value = self.base(s, beside) + self.weights(self.features(after[None]))[0]
        return np.concatenate([after, soft_clip(value, *self.bounds)])

    def tangent_step(
        self, state: Floats, inputs: Floats, tangents: Floats
    ) -> tuple[Floats, Floats]:
        """The next (x, s) and tangents (N + m, k) carried along."""
        n = self.reservoir.units
        x, s = state[:n], state[n:]
        beside = self.beside(s[None], inputs[None])[0]
        both = np.concatenate([s, beside])
        moved = np.vstack([tangents[n:], np.zeros((len(inputs), tangents.shape[1]))])
        pushed_base = self.carry * tangents[n:]
        if self.physics is not None:
            ahead = self.physics.slopes(s, inputs) @ tangents[n:]
            moved = np.vstack([moved, ahead])
            pushed_base = ahead if self.carry == ON_PHYSICS else pushed_base
        after, carried = self.reservoir.tangent_step(x, both, tangents[:n], moved)
        linear = self.weights.matrix[:n].T @ carried
        if self.quadratic is not None:
            linear = linear + self.weights.matrix[n:].T @ self.quadratic.pushforward(after, carried)
        value = self.base(s, beside) + self.weights(self.features(after[None]))[0]
        limits = self.bounds
        slope = soft_clip_slope(value, *limits)
        pushed = slope[:, None] * (pushed_base + linear)
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
        if self.physics is not None:
            return self._runs_beside_physics(steps, states, lasts, exogenous, shocks)
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

    def _runs_beside_physics(
        self,
        steps: int,
        states: Floats,
        lasts: Floats,
        exogenous: Floats,
        shocks: Floats | None,
    ) -> tuple[Floats, NDArray[np.int64]]:
        """The same, all runs side by side, because the user's own model may take several rows."""
        values, outputs = lasts.copy(), np.empty((len(states), steps, self.outputs))
        finite = np.full(len(states), steps, np.int64)
        for k in range(steps):
            beside = self.beside(values, exogenous[:, k])
            running = np.isfinite(beside).all(axis=1) & (finite == steps)
            finite[(finite == steps) & ~running] = k
            beside = np.where(np.isfinite(beside), beside, 0.0)
            inputs = np.hstack([values, beside])
            states = drive(self.reservoir, inputs[:, None], states)[:, 0]
            after = self.base(values, beside) + self.weights(self.features(states))
            after = soft_clip(after, *self.bounds)
            if shocks is not None:
                after = after + shocks[:, k]
            values = np.where(running[:, None], after, values)
            outputs[:, k] = values
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


def beside_with_physics(
    loop: ClosedLoop, rows: Floats, exogenous: Floats, before: Floats | None = None
) -> Floats:
    """What stands beside rows (T, m) that were observed: exogenous columns (T, e), and what the
    user's own model says of each row from the one before it; of the first one from `before`, or the
    row itself.
    """
    if loop.physics is None:
        return exogenous
    known = loop.physics(np.vstack([rows[:1] if before is None else before, rows[:-1]]), exogenous)
    if before is None:
        known[0] = rows[0]
    return np.hstack([exogenous, known])


def trust_in_physics(loop: ClosedLoop, inputs: Floats) -> float:
    """How far the next row follows what the user's own model says of it: the mean of ∂s'ᵢ/∂pᵢ over
    columns and some inputs (T, d + e + d), between 0 and 1.
    """
    m, trusted = loop.outputs, []
    states = drive(loop.reservoir, inputs)
    entering = np.zeros((inputs.shape[1], m))
    entering[-m:] = np.eye(m)
    nothing = np.zeros((loop.reservoir.units, m))
    for k in np.linspace(1, len(inputs) - 1, TRUST_ROWS).astype(int):
        after, carried = loop.reservoir.tangent_step(states[k - 1], inputs[k], nothing, entering)
        moved = carried
        if loop.quadratic is not None:
            moved = np.vstack([carried, loop.quadratic.pushforward(after, carried)])
        trusted.append(np.diagonal(loop.weights.matrix.T @ moved) + float(loop.carry == ON_PHYSICS))
    return float(np.clip(np.mean(trusted), 0.0, 1.0))
