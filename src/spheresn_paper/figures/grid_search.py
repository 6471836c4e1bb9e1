"""The grid search behind Figs. 7-9: all tasks at once, at every point of the hyper-parameters.

Each point has an accuracy on the training, the validation and the test rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from spheresn._validation import Floats
from spheresn.activations import Linear, Tanh
from spheresn.driving import drive
from spheresn.grid import drive_grid
from spheresn.readout import Eigen, Gram, Weights, solve
from spheresn.reservoir import Reservoir

from .common import accuracies, delayed

SELECTIONS = ("train", "validation", "test")


@dataclass(frozen=True, eq=False)
class TaskData:
    """Signal u (T,), targets sin(ν u_{k-τ}) of all tasks (T, M), and the rows of three parts."""

    signal: Floats
    targets: Floats
    parts: tuple[slice, slice, slice]

    @staticmethod
    def of(
        signal: Floats,
        delays: Sequence[int],
        frequencies: Sequence[float],
        washout: int,
        sizes: Sequence[int],
    ) -> TaskData:
        """The delay is the slower index of the tasks; the parts follow the washout in order."""
        angles = delayed(signal, delays)[:, :, None] * np.array(frequencies)
        targets = np.sin(angles).reshape(len(signal), -1)
        ends = washout + np.cumsum([0, *sizes])
        first, second, third = (slice(int(a), int(b)) for a, b in pairwise(ends))
        return TaskData(signal, targets, (first, second, third))

    def gram(self, states: Floats) -> Gram:
        """What the readout learns from."""
        return Gram.of(states[self.parts[0]], self.targets[self.parts[0]])

    def scores(self, states: Floats, readout: Weights) -> Floats:
        """Accuracy of every task on the three parts (3, M)."""
        return np.array(
            [accuracies(self.targets[part], readout(states[part])) for part in self.parts]
        )


def sphere_table(
    network: Reservoir, data: TaskData, ratios: Floats, penalties: Sequence[float]
) -> Floats:
    """(penalties, ratios, 3, M) for a spherical network.

    Its states depend on the ratio of input scaling to spectral radius only.
    """
    networks = [network.rescaled(1.0, ratio) for ratio in ratios]
    tables = [_score_states(drive(one, data.signal), data, penalties) for one in networks]
    return np.array(tables).swapaxes(0, 1)


def tanh_table(
    network: Reservoir,
    data: TaskData,
    radii: Sequence[float],
    scalings: Floats,
    penalties: Sequence[float],
) -> Floats:
    """(penalties, radii, scalings, 3, M) for tanh networks with the W of `network`.

    One radius at a time, to bound the memory.
    """
    squashed = replace(network, activation=Tanh())
    tables = []
    for radius in radii:
        states = drive_grid(squashed, data.signal, [radius], scalings)[0]
        tables.append([_score_states(one, data, penalties) for one in states])
    return np.array(tables).transpose(2, 0, 1, 3, 4)


def linear_table(
    network: Reservoir,
    data: TaskData,
    radii: Sequence[float],
    scalings: Floats,
    penalties: Sequence[float],
) -> Floats:
    """(penalties, radii, scalings, 3, M) for linear networks with the W of `network`.

    A linear state is proportional to the scaling, so a scaling acts exactly as penalty/scaling².
    Above spectral radius 1 the state explodes; it is scaled to size one, and the penalty with it.
    """
    plain = replace(network, activation=Linear())
    tables = []
    for radius in radii:
        states = drive(plain.rescaled(radius), data.signal)
        size = float(np.abs(states[data.parts[0]]).max())
        states = states / size
        eigen = Eigen.of(data.gram(states))
        rows = [[_scaled_penalty(p, scaling * size) for scaling in scalings] for p in penalties]
        tables.append([[data.scores(states, one) for one in eigen.solve_each(row)] for row in rows])
    return np.array(tables).transpose(1, 0, 2, 3, 4)


def _scaled_penalty(penalty: float, factor: float) -> float:
    """The penalty divided by the square of a factor; zero where it leaves the range of numbers."""
    scaled = penalty / factor / factor
    return float(scaled) if scaled > 1e-200 else 0.0


def _score_states(states: Floats, data: TaskData, penalties: Sequence[float]) -> Floats:
    gram = data.gram(states)
    return np.array([data.scores(states, solve(gram, penalty)) for penalty in penalties])


def ratios_to_grid(
    table: Floats, ratios: Floats, radii: Sequence[float], scalings: Floats
) -> Floats:
    """A table over ratios (P, K, 3, M) as one over (radii, scalings), by the nearest ratio."""
    wanted = np.log(np.divide.outer(1.0 / np.array(radii), 1.0 / scalings))
    nearest = np.abs(wanted[..., None] - np.log(ratios)).argmin(axis=-1)
    return table[:, nearest]


def select_best(table: Floats) -> tuple[Floats, Floats, Floats]:
    """The best point of a table (P, R, S, 3, M), judged by each of the three parts.

    The result is its test accuracy and its indices of radius and scaling, each (P, 3, M). Several
    points can be equally good, as those of one ratio on the sphere: then the middle one is taken,
    in the order of radii.
    """
    p, r, s, parts, tasks = table.shape
    flat = table.reshape(p, r * s, parts, tasks)
    best = flat >= flat.max(axis=1, keepdims=True) - 1e-12
    middle = (best.sum(axis=1) + 1) // 2
    index = (best.cumsum(axis=1) >= middle[:, None]).argmax(axis=1)
    test = np.take_along_axis(flat[:, :, 2:3], index[:, None], axis=1)[:, 0]
    return test, (index // s).astype(float), (index % s).astype(float)


def accuracy_by_radius(table: Floats) -> Floats:
    """Mean test accuracy over all tasks by radius (P, R); validation rows choose the scaling."""
    index = table[..., 1, :].argmax(axis=2)
    chosen = np.take_along_axis(table[..., 2, :], index[:, :, None], axis=2)[:, :, 0]
    return np.asarray(chosen.mean(axis=-1))


def accuracy_by_scaling(table: Floats) -> Floats:
    """Mean test accuracy over all tasks by scaling (P, S); validation rows choose the radius."""
    return accuracy_by_radius(table.swapaxes(1, 2))
