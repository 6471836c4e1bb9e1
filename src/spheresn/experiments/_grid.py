"""The grid search behind Figs. 7-9: every hyper-parameter point, all tasks at once, judged on training, validation and test rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from .._validation import Floats
from ..activations import Linear, Tanh
from ..driving import drive
from ..grid import drive_grid
from ..readout import Eigen, Gram, Weights, solve
from ..reservoir import Reservoir
from ._shared import accuracies, delayed

SELECTIONS = ("train", "validation", "test")


@dataclass(frozen=True, eq=False)
class Lesson:
    """The signal u (T,), the targets sin(ν u_{k-τ}) of all tasks (T, M), and the rows of the three parts."""

    signal: Floats
    targets: Floats
    parts: tuple[slice, slice, slice]

    @staticmethod
    def of(signal: Floats, delays: Sequence[int], frequencies: Sequence[float], washout: int, sizes: Sequence[int]) -> Lesson:
        """Tasks with the delay as the slower index; parts of these sizes one after the other, after the washout."""
        targets = np.sin(delayed(signal, delays)[:, :, None] * np.array(frequencies)).reshape(len(signal), -1)
        ends = washout + np.cumsum([0, *sizes])
        first, second, third = (slice(int(a), int(b)) for a, b in pairwise(ends))
        return Lesson(signal, targets, (first, second, third))

    def gram(self, states: Floats) -> Gram:
        """What the readout learns from."""
        return Gram.of(states[self.parts[0]], self.targets[self.parts[0]])

    def scores(self, states: Floats, readout: Weights) -> Floats:
        """Accuracy of every task on the three parts (3, M)."""
        return np.array([accuracies(self.targets[part], readout(states[part])) for part in self.parts])


def sphere_table(network: Reservoir, lesson: Lesson, ratios: Floats, penalties: Sequence[float]) -> Floats:
    """(penalties, ratios, 3, M) for a spherical network at each ratio of input scaling to spectral radius, all that counts."""
    return np.array([_states_scores(drive(network.rescaled(1.0, ratio), lesson.signal), lesson, penalties) for ratio in ratios]).swapaxes(
        0, 1
    )


def tanh_table(network: Reservoir, lesson: Lesson, radii: Sequence[float], scalings: Floats, penalties: Sequence[float]) -> Floats:
    """(penalties, radii, scalings, 3, M); W is that of `network`, one radius at a time to bound the memory."""
    squashed = replace(network, activation=Tanh())
    tables = []
    for radius in radii:
        states = drive_grid(squashed, lesson.signal, [radius], scalings)[0]
        tables.append([_states_scores(one, lesson, penalties) for one in states])
    return np.array(tables).transpose(2, 0, 1, 3, 4)


def linear_table(network: Reservoir, lesson: Lesson, radii: Sequence[float], scalings: Floats, penalties: Sequence[float]) -> Floats:
    """(penalties, radii, scalings, 3, M). A linear state is proportional to the scaling, which acts as penalty/scaling², exactly.

    Above spectral radius 1 the state explodes; it is scaled to size one, which is one more factor of the penalty.
    """
    plain = replace(network, activation=Linear())
    tables = []
    for radius in radii:
        states = drive(plain.rescaled(radius), lesson.signal)
        size = float(np.abs(states[lesson.parts[0]]).max())
        states = states / size
        eigen = Eigen.of(lesson.gram(states))
        shares = [[_share(penalty, scaling * size) for scaling in scalings] for penalty in penalties]
        tables.append([[lesson.scores(states, readout) for readout in eigen.solve_each(row)] for row in shares])
    return np.array(tables).transpose(1, 0, 2, 3, 4)


def _share(penalty: float, factor: float) -> float:
    """The penalty in units of the square of a factor; none at all where it is beyond the range of the numbers."""
    share = penalty / factor / factor
    return float(share) if share > 1e-200 else 0.0


def _states_scores(states: Floats, lesson: Lesson, penalties: Sequence[float]) -> Floats:
    gram = lesson.gram(states)
    return np.array([lesson.scores(states, solve(gram, penalty)) for penalty in penalties])


def on_grid(table: Floats, ratios: Floats, radii: Sequence[float], scalings: Floats) -> Floats:
    """A table over ratios (P, K, 3, M) as one over (radii, scalings): each point takes the ratio nearest to its own."""
    wanted = np.log(np.divide.outer(1.0 / np.array(radii), 1.0 / scalings))
    nearest = np.abs(wanted[..., None] - np.log(ratios)).argmin(axis=-1)
    return table[:, nearest]


def selected(table: Floats) -> tuple[Floats, Floats, Floats]:
    """From (P, R, S, 3, M): test accuracy, index of radius and of scaling, each (P, 3, M), where each of the three parts is best.

    Where several points are equally good, as on the sphere all of one ratio, the middle one in the order of radii is named.
    """
    p, r, s, parts, tasks = table.shape
    flat = table.reshape(p, r * s, parts, tasks)
    best = flat >= flat.max(axis=1, keepdims=True) - 1e-12
    middle = (best.sum(axis=1) + 1) // 2
    index = (best.cumsum(axis=1) >= middle[:, None]).argmax(axis=1)
    test = np.take_along_axis(flat[:, :, 2:3], index[:, None], axis=1)[:, 0]
    return test, (index // s).astype(float), (index % s).astype(float)


def by_radius(table: Floats) -> Floats:
    """Mean test accuracy over all tasks for each radius (P, R), its scaling chosen on the validation rows."""
    index = table[..., 1, :].argmax(axis=2)
    return np.asarray(np.take_along_axis(table[..., 2, :], index[:, :, None], axis=2)[:, :, 0].mean(axis=-1))
