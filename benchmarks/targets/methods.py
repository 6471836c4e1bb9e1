"""The methods. Each learns inputs and targets and predicts the targets of the inputs that follow.

What a method chooses, it chooses on the rows to learn from. The last quarter of these rows is held
out where it has no criterion of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

import spheresn as sn
from spheresn.readout import Sample
from spheresn.readout.loo import choose_precisely
from spheresn.readout.triangle import GrowingTriangle
from spheresn.selection.plan import Candidate, Kind, plan_of
from spheresn.series.scaling import Scaler

from .earlier import earlier
from .names import EARLIER, LAGS, OURS, PEER, SPHERE, TANH
from .real import Floats

UNITS = 300

MEMORIES, TOPOLOGIES = (1, 2, 4, 10, 30), ("ring", "sparse")
SPHERES = ((0.25, 3.0), (0.25, 30.0), (0.5, 100.0), (1.0, 10.0), (2.0, 3.0))  # bend, bias ratio
TANHS = ((1.001, 0.0), (1.001, 1.0), (1.001, 10.0), (1.3, 0.3), (1.3, 3.0))  # gain, bias ratio
GRIDS = {
    "spherical": [
        Candidate(memory, bend, bias_ratio=ratio, kind=Kind("spherical", topology))
        for topology, memory, (bend, ratio) in product(TOPOLOGIES, MEMORIES, SPHERES)
    ],
    "tanh": [
        Candidate(memory, gain=gain, bias_ratio=ratio, kind=Kind("tanh", topology))
        for topology, memory, (gain, ratio) in product(TOPOLOGIES, MEMORIES, TANHS)
    ],
}
# reservoirpy: as many settings as our search has candidates, with as few units but three times as
# many rows; its best three with all
SEARCHED_UNITS, SEARCHED_ROWS, FINALISTS, WASHOUT = 100, 1500, 3, 100
PEER_SETTINGS = [
    {"sr": radius, "input_scaling": scaling, "bias": bias}
    for radius, scaling, bias in product((0.3, 0.6, 0.9, 1.1), (0.01, 0.1, 0.5, 1.0), (0.0, 1.0))
]
PENALTIES = tuple(10.0**decade for decade in range(-14, 3, 2))


def ours(inputs: Floats, targets: Floats, later: Floats, seed: int) -> Floats:
    """The default of today."""
    model = sn.ESNRegressor(UNITS, random_state=seed).fit(inputs, targets)
    return model.predict(later, start=model.state_)


def best_of(activation: str) -> Callable[..., Floats]:
    """The best of a grid of settings at full size, by the leave-one-out error of all rows."""

    def predict(inputs: Floats, targets: Floats, later: Floats, seed: int) -> Floats:
        scaler = Scaler.of(inputs)
        signal, everything = (scaler.forward(one) for one in (inputs, np.vstack([inputs, later])))
        grid = GRIDS[activation]
        seeded = int(np.random.RandomState(seed).randint(2**31))  # as `random_state` gives it
        base = plan_of(sn.ESNRegressor(UNITS), seeded, UNITS, grid[0].kind)
        plans = base.at_each([one.kind for one in grid])
        best: tuple[float, Floats] | None = None
        for candidate in grid:
            found = plans[candidate.kind].search(signal, candidate)
            if found is None:
                continue
            states = sn.drive(found.reservoir, everything)
            skip = min(int(20 * found.memory), len(inputs) // 4)
            known = states[skip : len(inputs)], targets[skip:]
            triangle = GrowingTriangle.empty(UNITS, 1).take(*known).moments
            sample = Sample.empty(UNITS, 1).taking(*known)
            _, error, weights = choose_precisely(triangle, sample)
            if best is None or error < best[0]:
                best = error, weights(states[len(inputs) :])
        assert best is not None
        return best[1]

    return predict


def searched(inputs: Floats, targets: Floats, later: Floats, seed: int) -> Floats:
    """reservoirpy: settings and penalty by the error on the last quarter."""
    scaler = Scaler.of(inputs)
    signal, everything = (scaler.forward(one) for one in (inputs, np.vstack([inputs, later])))
    few = slice(-SEARCHED_ROWS, None)
    small = [
        (_held_out(_states(one, SEARCHED_UNITS, signal[few], seed), targets[few]), place)
        for place, one in enumerate(PEER_SETTINGS)
    ]
    large = []
    for _, place in sorted(small)[:FINALISTS]:
        states = _states(PEER_SETTINGS[place], UNITS, everything, seed)
        (error, penalty) = _held_out(states[: len(inputs)], targets)
        large.append((error, place, penalty, states))
    _, _, penalty, states = min(large, key=lambda one: one[:2])
    known = states[WASHOUT : len(inputs)], targets[WASHOUT:]
    return _ridge(*known, [penalty])[0](states[len(inputs) :])


def _states(setting: dict[str, float], units: int, signal: Floats, seed: int) -> Floats:
    from reservoirpy.nodes import Reservoir

    return Reservoir(units, seed=seed, input_connectivity=1.0, **setting).run(signal)


def lagged(inputs: Floats, targets: Floats, later: Floats, seed: int) -> Floats:
    """Ridge regression on lags and their products, as many and of such a degree as the last quarter
    wants.
    """
    scaler = Scaler.of(inputs)
    everything = scaler.forward(np.vstack([inputs, later]))
    tried = []
    for lags, degree in _shapes(inputs.shape[1]):
        features = _products(everything, lags, degree)
        tried.append((*_held_out(features[: len(inputs)], targets), lags, degree))
    _, penalty, lags, degree = min(tried)
    features = _products(everything, lags, degree)
    known = features[WASHOUT : len(inputs)], targets[WASHOUT:]
    return _ridge(*known, [penalty])[0](features[len(inputs) :])


def _shapes(columns: int) -> Iterator[tuple[int, int]]:
    """Numbers of lags and degrees with at most 600 features."""
    for degree, most in ((1, 100), (2, 30), (3, 13)):
        for lags in (2, 4, 7, 13, 20, 30, 50, 100):
            width = lags * columns
            count = {1: width, 2: width**2 // 2, 3: width**3 // 6}[degree]
            if lags <= most and count <= 600:
                yield lags, degree


def _products(signal: Floats, lags: int, degree: int) -> Floats:
    rows = np.hstack([np.roll(signal, lag, axis=0) for lag in range(lags)])
    found, last = [rows], [(rows[:, [i]], i) for i in range(rows.shape[1])]
    for _ in range(degree - 1):
        last = [(one * rows[:, [j]], j) for one, i in last for j in range(i, rows.shape[1])]
        found += [one for one, _ in last]
    return np.hstack(found)


def _held_out(states: Floats, targets: Floats) -> tuple[float, float]:
    """The least error on the last quarter, and its penalty."""
    stop = 3 * len(states) // 4
    readouts = _ridge(states[WASHOUT:stop], targets[WASHOUT:stop], PENALTIES)
    errors = [float(np.square(targets[stop:] - one(states[stop:])).mean()) for one in readouts]
    best = int(np.argmin(errors))
    return errors[best], PENALTIES[best]


def _ridge(states: Floats, targets: Floats, penalties: Any) -> list[Callable[[Floats], Floats]]:
    """Readouts with penalties as shares of the trace, by singular values."""
    mean, level = states.mean(axis=0), targets.mean(axis=0)
    left, values, right = np.linalg.svd(states - mean, full_matrices=False)
    outputs, trace = left.T @ (targets - level), float(np.square(values).sum())

    def readout(penalty: float) -> Callable[[Floats], Floats]:
        shrunk = values / (np.square(values) + penalty * trace)
        weights = right.T @ (shrunk[:, None] * outputs)
        return lambda rows: (rows - mean) @ weights + level

    return [readout(penalty) for penalty in penalties]


METHODS: dict[str, Callable[..., Floats]] = {
    OURS: ours,
    EARLIER: lambda inputs, targets, later, seed: earlier(inputs, targets, later, UNITS, seed),
    SPHERE: best_of("spherical"),
    TANH: best_of("tanh"),
    PEER: searched,
    LAGS: lagged,
}
