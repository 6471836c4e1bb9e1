"""Row 8: a grid of (spectral radius, input scaling) for 400 targets sin(ν u_{k-τ})."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from race import OURS, PEER, Case, Effort, Entry, Run, case, faster, race

import spheresn as sn
from spheresn.readout import Gram, solve

TITLE = "Grid of 20 spectral radii and 20 scalings, 400 targets at each point"
NOTE = """Training and test errors of all targets at all points: 160,000 fits. Ours runs all of it:
tanh, every point; and the sphere, whose states depend on scaling/radius alone, at 60 ratios that
stand for the grid. The peers' way is point by point, with our W rescaled: reservoirpy runs one
point, with all targets in one fit or with one target per fit, and is multiplied up from there; its
first states agree with ours to 1e-10, and so do its errors from the same states. Both ways of
counting have the target; the first is the fair one for a careful user, and cannot reach it:
products, factor and errors of 400 targets at one point are the same work by BLAS on both sides,
about 9 of our 16 ms a point, against its 30 in all."""
THREADS = (1, 2)
PENALTY, WASHOUT = 1e-8, 200


@dataclass(frozen=True)
class Task:
    """The network (tanh, W of spectral radius one), the signal, the axes of the grid, and the
    targets (T, M), computed once for all.
    """

    network: sn.Reservoir
    signal: np.ndarray
    radii: np.ndarray
    scalings: np.ndarray
    targets: np.ndarray
    train: int

    @property
    def rows(self) -> slice:
        """What the readout learns from."""
        return slice(WASHOUT, WASHOUT + self.train)

    def errors(self, outputs: np.ndarray, targets: np.ndarray) -> list[np.ndarray]:
        """Of every target on training and on test rows; the same for all candidates."""
        squares = np.square(targets[WASHOUT:] - outputs)
        return [
            np.sqrt(part.mean(axis=0)) for part in (squares[: self.train], squares[self.train :])
        ]

    def judged(self, states: np.ndarray) -> list[np.ndarray]:
        """One point by the library, as the experiment behind Figs. 7-9 does it: one factorisation
        for all targets.
        """
        readout = solve(Gram.of(states[self.rows], self.targets[self.rows]), PENALTY)
        return self.errors(readout(states[WASHOUT:]), self.targets)


def targets_of(signal: np.ndarray, delays: int, frequencies: np.ndarray) -> np.ndarray:
    """sin(ν u_{k-τ}) (T, delays · frequencies)."""
    delayed = np.hstack([np.roll(signal, delay, axis=0) for delay in range(delays)])
    return np.sin(delayed[:, :, None] * frequencies).reshape(len(signal), -1)


def measure(effort: Effort) -> Iterator[Case]:
    """N = 200, the sizes of the paper's figures."""
    units, points, count, train, rest = (
        (30, 3, 3, 100, 100) if effort.quick else (200, 20, 20, 500, 400)
    )
    network = sn.random_reservoir(units, activation=sn.Tanh(), spectral_radius=1.0, rng=0)
    signal = sn.datasets.white_noise(WASHOUT + train + rest, rng=1)
    radii, scalings = np.linspace(0.2, 3.0, points), np.linspace(0.01, 2.0, points)
    task = Task(
        network,
        signal,
        radii,
        scalings,
        targets_of(signal, count, np.logspace(-2.5, 1.0, count)),
        train,
    )
    whole, targets = points**2, count**2
    at_once, one_by_one = "reservoirpy, all targets per fit", "reservoirpy, one target per fit"
    entries = [
        Entry("tanh, all points", OURS, lambda: lambda: _tanh(task)),
        Entry(
            "sphere, by ratio",
            OURS,
            lambda: lambda: _sphere(task, 3 * points),
            f"{3 * points} ratios",
        ),
        Entry(at_once, PEER, lambda: _peer(task, task.targets), f"one point, times {whole}", whole),
        Entry(
            one_by_one,
            PEER,
            lambda: _peer(task, task.targets[:, :1]),
            f"one point, one target, times {whole * targets}",
            whole * targets,
        ),
    ]
    wanted = [
        faster("tanh, all points", 200.0, at_once),
        faster("tanh, all points", 200.0, one_by_one),
    ]
    yield case(
        f"N = {units}, {whole} points, {targets} targets",
        race(entries, replace(effort, seconds=2 * effort.seconds)),
        wanted,
    )


def _tanh(task: Task) -> None:
    for radius in task.radii:  # one at a time, to bound the memory
        for states in sn.drive_grid(task.network, task.signal, [radius], task.scalings)[0]:
            task.judged(states)


def _sphere(task: Task, count: int) -> None:
    sphere = replace(task.network, activation=sn.OnSphere())
    for ratio in np.geomspace(
        task.scalings[0] / task.radii[-1], task.scalings[-1] / task.radii[0], count
    ):
        task.judged(sn.drive(sphere.rescaled(1.0, ratio), task.signal))


def _peer(task: Task, targets: np.ndarray) -> Run:
    """One point: run, fit on the training rows, judge on training and test rows."""
    from reservoirpy.nodes import Reservoir, Ridge

    network = task.network.rescaled(float(np.median(task.radii)), float(np.median(task.scalings)))

    def states() -> np.ndarray:
        return Reservoir(
            W=network.recurrent.matrix, Win=network.inputs, bias=network.bias, lr=1.0
        ).run(task.signal)

    def run(given: np.ndarray | None = None) -> list[np.ndarray]:
        x = states() if given is None else given
        return task.errors(
            Ridge(ridge=PENALTY).fit(x[task.rows], targets[task.rows]).run(x[WASHOUT:]), targets
        )

    theirs = states()
    # Later states part where the network is chaotic
    apart = np.abs(theirs[:50] - sn.drive(network, task.signal[:50])).max()
    wrong = max(
        np.abs(a - b[: len(a)]).max() for a, b in zip(run(theirs), task.judged(theirs), strict=True)
    )
    if not max(apart, wrong) < 1e-10:
        raise AssertionError(
            f"its states differ from ours by {apart:.1e}, its errors by {wrong:.1e}: not the same "
            "computation"
        )
    return run
