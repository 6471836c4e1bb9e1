"""Local networks in a closed loop: what a patch and its neighbours forecast are its next inputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ... import kernels
from ..._errors import BadInput, StateOverflow
from ..._validation import Floats
from ...driving import network_of
from ...readout.gram import product
from ...reservoir import Reservoir
from .geometry import Patches, Places


@dataclass(frozen=True, eq=False)
class LocalNetworks:
    """The same network at every patch: W_in takes the window of a patch, then its position."""

    patches: Patches
    reservoir: Reservoir
    position: Floats  # (P, q)

    def inputs(self, fields: Floats, places: Places | None = None) -> Floats:
        """The inputs of each patch (T, P, w + q) from fields (T, size)."""
        places = places or self.patches.places
        windows = places.inputs(fields)
        if not self.position.shape[1]:
            return windows
        position = self.position[places.patches]
        beside = np.broadcast_to(position, (len(fields), *position.shape))
        return np.concatenate([windows, beside], axis=2)

    def drive(self, inputs: Floats, states: Floats) -> Floats:
        """The states (T, P, N) along inputs (T, P, w + q), from states (P, N)."""
        steps, count, columns = inputs.shape
        driven = product(inputs.reshape(-1, columns), self.reservoir.inputs.T)
        rows = driven.reshape(steps, count, -1)
        if kernels.patch_loop(self._network, states, rows) < steps * count:
            raise StateOverflow(
                "the state of a patch left the range of its floating point type; lower the "
                "spectral radius (below 1 for a linear network) or the scale of the input"
            )
        return rows

    def starts(self, count: int) -> Floats:
        """States of zero."""
        return np.zeros((count, self.reservoir.units))

    @cached_property
    def _network(self) -> kernels.Network:
        """The reservoir for the compiled loop, which needs it at every step."""
        network = network_of(self.reservoir)
        if network is None:
            own = type(self.reservoir.recurrent).__name__
            raise BadInput(
                f"topology must be one of spheresn for fields, got {own}; pass W as an array"
            )
        return network


@dataclass(frozen=True, eq=False)
class FieldLoop:
    """The forecaster of a field running free, as a `System`.

    Its state is (x, s): the states of the networks of all patches, one after the other, and the
    field. x_p' = F(x_p, window p of s), s' = carry s + b_p + W_pᵀ x_p' on the cells of patch p.
    matrix (R, N, m) and intercept (R, m): one readout for all patches (R = 1), or one for each.
    """

    networks: LocalNetworks
    matrix: Floats
    intercept: Floats
    carry: float = 1.0

    @property
    def tangent_dim(self) -> int:
        """Directions of all states and of the field together."""
        patches = self.networks.patches
        return patches.count * self.networks.reservoir.tangent_dim + patches.size

    def step(self, state: Floats, inputs: Floats) -> Floats:
        """(x, s) one step later; `inputs` is not used."""
        states, field = self._split(state)
        after = self.networks.drive(self.networks.inputs(field[None]), states)[0]
        return np.concatenate([after.ravel(), self._read(after[None], field[None])[0]])

    def tangent_step(
        self, state: Floats, inputs: Floats, tangents: Floats
    ) -> tuple[Floats, Floats]:
        """The next (x, s), and tangents (P N + size, k) carried along."""
        patches, reservoir = self.networks.patches, self.networks.reservoir
        states, field = self._split(state)
        inputs = self.networks.inputs(field[None])[0]
        columns = tangents.shape[1]
        moved = tangents[: states.size].reshape(*states.shape, columns)
        moved_field = tangents[states.size :]
        padded = np.vstack([moved_field, np.zeros((1, columns))])
        position = np.zeros((self.networks.position.shape[1], columns))
        carried = np.empty_like(moved)
        field_after = np.zeros_like(moved_field)
        for p, own in enumerate(patches.inner):
            window = np.vstack([padded[patches.windows[p]], position])
            _, carried[p] = reservoir.tangent_step(states[p], inputs[p], moved[p], window)
            readout = self.matrix[p % len(self.matrix)]
            field_after[own] = self.carry * moved_field[own] + readout.T @ carried[p]
        if patches.masked is not None:
            field_after[patches.masked] = 0.0
        both = np.vstack([carried.reshape(-1, columns), field_after])
        return self.step(state, inputs), both

    def run(self, steps: int, states: Floats, field: Floats) -> tuple[Floats, int, Floats]:
        """Forecast (steps, size) from states (P, N) and a field (size,).

        Also how many rows of it stayed finite; later rows repeat the last of these. Last, the
        states at the end.
        """
        runs, finite, states = self.run_many(steps, states[None], field[None])
        return runs[0], int(finite[0]), states[0]

    def run_many(
        self, steps: int, states: Floats, fields: Floats, patience: Any = None
    ) -> tuple[Floats, Any, Floats]:
        """Several runs side by side: states (R, P, N), fields (R, size).

        `patience(k, fields)` may end the runs after step k; later rows repeat that one.
        """
        count = len(fields)
        outputs = np.empty((count, steps, fields.shape[1]))
        finite = np.full(count, steps)
        states = states.reshape(-1, states.shape[2])
        for k in range(steps):
            inputs = self.networks.inputs(fields)
            inputs = inputs.reshape(1, -1, inputs.shape[2])
            states = self.networks.drive(inputs, states)[0]
            after = self._read(states.reshape(count, -1, states.shape[1]), fields)
            with np.errstate(invalid="ignore"):
                sound = np.all(np.abs(after) < kernels.DIVERGED, axis=1)
            if not sound.all():
                finite[~sound] = np.minimum(finite[~sound], k)
                after[~sound] = fields[~sound]
            outputs[:, k] = fields = after
            if patience is not None and patience(k, fields):
                outputs[:, k + 1 :] = fields[:, None]
                break
        return outputs, finite, states.reshape(count, -1, states.shape[1])

    def _read(self, states: Floats, fields: Floats) -> Floats:
        """The fields after states (R, P, N), of fields (R, size) before."""
        runs, count, units = states.shape
        if len(self.matrix) == 1:
            rows = product(states.reshape(-1, units), self.matrix[0]).reshape(runs, count, -1)
        else:
            rows = np.matmul(states.transpose(1, 0, 2), self.matrix).transpose(1, 0, 2)
        with np.errstate(over="ignore", invalid="ignore"):
            after = self.carry * fields
            after[:, self.networks.patches.inner] += rows + self.intercept
        if self.networks.patches.masked is not None:
            after[:, self.networks.patches.masked] = 0.0
        return after

    def _split(self, state: Floats) -> tuple[Floats, Floats]:
        patches, units = self.networks.patches, self.networks.reservoir.units
        cut = patches.count * units
        return state[:cut].reshape(patches.count, units), state[cut:]
