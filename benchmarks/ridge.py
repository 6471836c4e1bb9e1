"""Row 7: ridge regression for many delays and many penalties, from given states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from peers import white
from race import OURS, PEER, REFERENCE, Case, Effort, Entry, Run, case, faster, race, within
from scipy.linalg import eigh
from scipy.linalg.blas import dsyrk
from sklearn.linear_model import Ridge

import spheresn as sn
from spheresn.readout import Eigen, Gram, Triangle, Weights

TITLE = "Ridge readouts for 101 delays and 20 penalties, from given states"
NOTE = """Ours: one Gram matrix, one eigendecomposition, then all penalties and targets in one
product. The peers' way is a fit per penalty: scikit-learn's Ridge and reservoirpy's Ridge node on
all targets at once, and scikit-learn's on one target after the other, as a loop over delays does
it. Each of these fits was run for one penalty (and one target) and multiplied by the number of
fits. Both ways of counting have the target; the first is the fair one for a careful user, and dsyrk
and eigh alone leave room for 16 times there. The other cases accumulate 5,000 rows and three
targets: the triangle of an orthogonal factorisation needs twice the operations of dsyrk, a part of
them in panels of 32 columns that do not run at the speed of matrix products."""
THREADS = (1, 2)


def measure(effort: Effort) -> Iterator[Case]:
    """N = 1000, T = 5,000."""
    units, steps, delays, count = (40, 300, 11, 5) if effort.quick else (1000, 5000, 101, 20)
    signal = white(steps)
    states = sn.drive(
        sn.random_reservoir(units, topology="ring", spectral_radius=1.0, input_scaling=0.1, rng=0),
        signal,
    )
    targets = np.hstack([np.roll(signal, delay, axis=0) for delay in range(delays)])
    penalties = np.logspace(-10, 2, count) * float(np.square(states).sum()) / units
    for_all, for_each = "sklearn Ridge, all targets per fit", "sklearn Ridge, one target per fit"
    middle = float(penalties[count // 2])
    entries = [
        Entry("ours", OURS, lambda: lambda: _ours(states, targets, penalties)),
        Entry(
            "dsyrk + eigh",
            REFERENCE,
            lambda: _floor(states),
            "the two decompositions alone, nothing solved",
        ),
        Entry(
            for_all,
            PEER,
            lambda: lambda: Ridge(middle).fit(states, targets),
            f"one penalty, times {count}",
            count,
        ),
        Entry(
            for_each,
            PEER,
            lambda: lambda: Ridge(middle).fit(states, targets[:, 0]),
            f"one fit, times {count * delays}",
            count * delays,
        ),
        Entry(
            "reservoirpy Ridge",
            PEER,
            lambda: _reservoirpy(states, targets, middle),
            f"all targets, one penalty, times {count}",
            count,
        ),
    ]
    wanted = [
        faster("ours", 20.0),
        faster("ours", 20.0, for_each),
        within("ours", 1.5, "dsyrk + eigh"),
    ]
    yield case(
        f"N = {units}, T = {steps:,}, {delays} targets, {count} penalties",
        race(entries, effort),
        wanted,
    )
    for size in (40,) if effort.quick else (500, 1000):
        yield _accumulating(size, steps, effort)


def _accumulating(units: int, steps: int, effort: Effort) -> Case:
    """The two kinds of moments beside the one product that both need at least."""
    states = np.random.default_rng(0).standard_normal((steps, units))
    targets = states[:, :3].copy()
    entries = [
        Entry("triangle", OURS, lambda: lambda: Triangle.of(states, targets)),
        Entry("Gram", OURS, lambda: lambda: Gram.of(states, targets)),
        Entry("dsyrk", REFERENCE, lambda: lambda: dsyrk(1.0, states.T, lower=1)),
    ]
    return case(
        f"accumulating, N = {units}, T = {steps:,}",
        race(entries, effort),
        [within("triangle", 2.5, "dsyrk")],
    )


def _ours(states: np.ndarray, targets: np.ndarray, penalties: np.ndarray) -> list[Weights]:
    return Eigen.of(Gram.of(states, targets)).solve_each(penalties.tolist())


def _floor(states: np.ndarray) -> Run:
    return lambda: eigh(
        dsyrk(1.0, states.T, lower=1),
        lower=True,
        driver="evd",
        overwrite_a=True,
        check_finite=False,
    )


def _reservoirpy(states: np.ndarray, targets: np.ndarray, penalty: float) -> Run:
    from reservoirpy.nodes import Ridge as Node

    return lambda: Node(ridge=penalty).fit(states, targets)
