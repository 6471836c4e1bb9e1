"""Rows 3 to 5: the states that a signal leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from peers import (
    RADIUS,
    SCALING,
    input_weights,
    reservoirpy_states,
    sparse_links,
    states_entries,
    white,
)
from race import OURS, PEER, REFERENCE, Case, Effort, Entry, Run, case, faster, race, within
from scipy.linalg.blas import dgemv

import spheresn as sn

TITLE = "States: one step of the network"
NOTE = """No readout is learned. reservoirpy gets our W and W_in, and its tanh states agree with
ours to 1e-10 before the race begins; rclib draws its own W of the same size and density. Ring and
rotation have no counterpart among the peers: they race networks of the same size with 10 % links.
At N = 10,000 only few steps are taken, by all. A step of ours is computed by one thread whatever
their number, but for a full W from 400 units on; rclib spreads a step over both, which pays at N =
2000."""
THREADS = (1, 2)


def measure(effort: Effort) -> Iterator[Case]:
    """Sparse, dense, and structured networks."""
    yield from _sparse(effort)
    yield _dense(effort)
    yield from _structured(effort)


def _sparse(effort: Effort) -> Iterator[Case]:
    for units, steps in (
        ((50, 200),) if effort.quick else ((100, 5000), (500, 3000), (1000, 2000), (2000, 500))
    ):
        signal, tanh = white(steps), _network(sparse_links(units), sn.Tanh())
        sphere = _network(tanh.recurrent, sn.OnSphere())
        entries = [
            _ours("tanh", tanh, signal),
            _ours("spherical", sphere, signal),
            *states_entries(tanh, signal),
        ]
        targets = [faster("tanh", 1.5), faster("spherical", 1.5)]
        yield case(f"10 % links, N = {units}", race(entries, effort), targets, steps=steps)


def _dense(effort: Effort) -> Case:
    units, steps = (50, 100) if effort.quick else (1000, 500)
    matrix = np.random.default_rng(0).standard_normal((units, units)) * RADIUS / np.sqrt(units)
    signal, tanh = white(steps), _network(matrix, sn.Tanh())
    entries = [
        _ours("tanh", tanh, signal),
        _ours("spherical", _network(matrix, sn.OnSphere()), signal),
        Entry(
            "bare GEMV",
            REFERENCE,
            lambda: _gemv_loop(matrix, steps),
            "W x alone, by BLAS, nothing stored",
        ),
        Entry("reservoirpy", PEER, lambda: reservoirpy_states(tanh, signal), "our W and W_in"),
    ]
    targets = [within("tanh", 1.2, "bare GEMV"), within("spherical", 1.2, "bare GEMV")]
    return case(f"full W, N = {units}", race(entries, effort), targets, steps=steps)


def _structured(effort: Effort) -> Iterator[Case]:
    sizes = (
        [(50, 200, 10, 5)]
        if effort.quick
        else [(100, 5000, 10, 5), (1000, 3000, 40, 20), (10_000, 200, 100, 50)]
    )
    for units, steps, wanted, bent in sizes:
        few = min(steps, 20) if units > 2000 else steps
        signal, peer = white(steps), _network(sparse_links(units), sn.Tanh())
        rings = {
            "ring": sn.OnSphere(),
            "rotation": sn.OnSphere(),
            "bent ring": sn.OnSphere(bend=0.5),
        }
        ours = [
            _ours(name, _drawn(units, name.split()[-1], kind), signal)
            for name, kind in rings.items()
        ]
        peers = [_scaled(entry, steps, few) for entry in states_entries(peer, signal[:few])]
        targets = [faster("ring", wanted), faster("rotation", wanted), faster("bent ring", bent)]
        yield case(f"O(N), N = {units}", race([*ours, *peers], effort), targets, steps=steps)


def _scaled(entry: Entry, steps: int, few: int) -> Entry:
    if few == steps:
        return entry
    return Entry(
        entry.name,
        entry.kind,
        entry.prepare,
        f"{entry.note}; {few} of {steps} steps taken",
        steps / few,
    )


def _network(links: object, activation: object) -> sn.Reservoir:
    units = links.size if hasattr(links, "matvec") else links.shape[0]
    return sn.Reservoir(links, input_weights(units), activation)


def _drawn(units: int, topology: str, activation: object) -> sn.Reservoir:
    return sn.random_reservoir(
        units,
        topology=topology,
        activation=activation,
        spectral_radius=RADIUS,
        input_scaling=SCALING,
        rng=0,
    )


def _ours(name: str, reservoir: sn.Reservoir, signal: np.ndarray) -> Entry:
    return Entry(name, OURS, lambda: lambda: sn.drive(reservoir, signal))


def _gemv_loop(matrix: np.ndarray, steps: int) -> Run:
    state, out = np.ones(len(matrix)), np.empty(len(matrix))

    def run() -> None:
        for _ in range(steps):
            dgemv(1.0, matrix.T, state, trans=1, y=out, overwrite_y=1)

    return run
