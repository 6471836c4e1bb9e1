"""Row 8: a grid of (spectral radius, input scaling) for 400 targets sin(ν u_{k-τ})."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from race import OURS, PEER, Case, Effort, Entry, Run, case, faster, race

import spheresn as sn

TITLE = "Grid of 20 spectral radii and 20 scalings, 400 targets at each point"
NOTE = """Training and test accuracy of all targets at all points: 160,000 numbers. Ours runs all of it: tanh, every point; and the sphere,
whose states depend on scaling/radius alone, at 60 ratios that stand for the grid. The peers' way is point by point, with our W rescaled:
reservoirpy runs a few points, with all targets in one fit or with one target per fit, and is multiplied up from there. Both ways of
counting have the target; the first is the fair one for a careful user."""
THREADS = (1, 2)
PENALTY, WASHOUT = 1e-8, 200


@dataclass(frozen=True)
class Task:
    """The network (tanh, W of spectral radius one), the signal, and the axes of the grid."""

    network: sn.Reservoir
    signal: np.ndarray
    radii: np.ndarray
    scalings: np.ndarray
    delays: tuple[int, ...]
    frequencies: np.ndarray
    train: int

    @property
    def targets(self) -> np.ndarray:
        """(T, delays · frequencies)."""
        delayed = np.hstack([np.roll(self.signal, delay, axis=0) for delay in self.delays])
        return np.sin(delayed[:, :, None] * self.frequencies).reshape(len(self.signal), -1)

    def accuracies(self, states: np.ndarray) -> Any:
        """By the library."""
        return sn.analysis.memory_nonlinearity(
            states, self.signal, self.delays, self.frequencies, washout=WASHOUT, train=self.train, penalty=PENALTY
        )


def measure(effort: Effort) -> Iterator[Case]:
    """N = 200, the sizes of the paper's figures."""
    units, points, count, train, rest = (30, 3, 3, 100, 100) if effort.quick else (200, 20, 20, 500, 400)
    network = sn.random_reservoir(units, activation=sn.Tanh(), spectral_radius=1.0, rng=0)
    signal = sn.datasets.white_noise(WASHOUT + train + rest, rng=1)
    radii, scalings = np.linspace(0.2, 3.0, points), np.linspace(0.01, 2.0, points)
    task = Task(network, signal, radii, scalings, tuple(range(count)), np.logspace(-2.5, 1.0, count), train)
    whole, targets = points**2, count**2
    at_once, one_by_one = "reservoirpy, all targets per fit", "reservoirpy, one target per fit"
    entries = [
        Entry("tanh, all points", OURS, lambda: lambda: _tanh(task)),
        Entry("sphere, by ratio", OURS, lambda: lambda: _sphere(task, 3 * points), f"{3 * points} ratios"),
        Entry(at_once, PEER, lambda: _peer(task, task.targets), f"one point, times {whole}", whole),
        Entry(
            one_by_one, PEER, lambda: _peer(task, task.targets[:, :1]), f"one point, one target, times {whole * targets}", whole * targets
        ),
    ]
    wanted = [faster("tanh, all points", 200.0, at_once), faster("tanh, all points", 200.0, one_by_one)]
    yield case(f"N = {units}, {whole} points, {targets} targets", race(entries, replace(effort, seconds=2 * effort.seconds)), wanted)


def _tanh(task: Task) -> None:
    for radius in task.radii:  # one at a time, to bound the memory
        for states in sn.drive_grid(task.network, task.signal, [radius], task.scalings)[0]:
            task.accuracies(states)


def _sphere(task: Task, count: int) -> None:
    sphere = replace(task.network, activation=sn.OnSphere())
    for ratio in np.geomspace(task.scalings[0] / task.radii[-1], task.scalings[-1] / task.radii[0], count):
        task.accuracies(sn.drive(sphere.rescaled(1.0, ratio), task.signal))


def _peer(task: Task, targets: np.ndarray) -> Run:
    """One point: run, fit on the training rows, judge on training and test rows."""
    from reservoirpy.nodes import Reservoir, Ridge

    end = WASHOUT + task.train
    network = task.network.rescaled(float(np.median(task.radii)), float(np.median(task.scalings)))

    def run() -> list[np.ndarray]:
        reservoir = Reservoir(W=network.recurrent.matrix, Win=network.inputs, bias=network.bias, lr=1.0)
        states = reservoir.run(task.signal)
        readout = Ridge(ridge=PENALTY).fit(states[WASHOUT:end], targets[WASHOUT:end])
        errors = targets[WASHOUT:] - readout.run(states[WASHOUT:])
        return [np.sqrt(np.square(part).mean(axis=0)) for part in (errors[: task.train], errors[task.train :])]

    return run
