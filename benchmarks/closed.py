"""Row 6: the network running free on its own output."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from peers import PENALTY, RADIUS, SCALING, WASHOUT, input_weights, sparse_links
from peers_closed import closed_entries
from race import OURS, Case, Effort, Entry, case, faster, race

import spheresn as sn
from spheresn.closed_loop import ClosedLoop
from spheresn.readout import Gram, solve

TITLE = "Closed loop: 10,000 steps on its own output"
NOTE = """All learned the same series, a wave of several frequencies. reservoirpy runs with our W,
W_in and readout, and its first outputs agree with ours to 1e-8; it is called step by step, as its
tutorials do (a feedback link was no faster). rclib (predict_generative) and echoes (ESNGenerator,
always a full matrix) learn a readout of their own. A peer called from Python takes a tenth of the
steps. At N = 100 the 1,000 products of a sparse step take 0.42 µs in the fastest of five forms
tried (by rows, by columns, two at a time, vectorised or not) and tanh of 100 numbers 0.15 µs,
against 1.6 µs for a whole step of rclib: 8 times cannot be had with this W."""
THREADS = (1, 2)


def measure(effort: Effort) -> Iterator[Case]:
    """Sizes 100 and 1000."""
    steps = 300 if effort.quick else 10_000
    # Its first value, zero, has no direction
    series = sn.datasets.mso(300 if effort.quick else 3000).reshape(-1, 1)[1:] / 4.0
    for units, wanted, turned in (
        ((50, 8.0, None),) if effort.quick else ((100, 8.0, None), (1000, 1.5, 40.0))
    ):
        sparse = _loop(sn.Reservoir(sparse_links(units), input_weights(units), sn.Tanh()), series)
        entries = [_ours("tanh, 10 % links", sparse, series, steps)]
        for name, activation in (
            ("rotation", sn.OnSphere()),
            ("ring", sn.OnSphere()),
            ("bent ring", sn.OnSphere(bend=0.5)),
        ):
            entries.append(
                _ours(
                    name, _loop(_drawn(units, name.split()[-1], activation), series), series, steps
                )
            )
        lines = race([*entries, *closed_entries(sparse, series, steps)], effort)
        targets = [
            faster("tanh, 10 % links", wanted),
            *([faster("rotation", turned)] if turned else []),
        ]
        yield case(f"N = {units}", lines, targets, steps=steps)


def _drawn(units: int, topology: str, activation: sn.OnSphere) -> sn.Reservoir:
    return sn.random_reservoir(
        units,
        topology=topology,
        activation=activation,
        spectral_radius=RADIUS,
        input_scaling=SCALING,
        rng=0,
    )


def _loop(reservoir: sn.Reservoir, series: np.ndarray) -> ClosedLoop:
    skip = min(WASHOUT, len(series) // 4)
    gram = Gram.of(sn.drive(reservoir, series[:-1])[skip:], series[1 + skip :])
    return ClosedLoop(reservoir, solve(gram, PENALTY), carry=0.0)


def _ours(name: str, loop: ClosedLoop, series: np.ndarray, steps: int) -> Entry:
    start, nothing = np.zeros(loop.reservoir.units), np.zeros((steps, 0))
    return Entry(name, OURS, lambda: lambda: loop.run(steps, start, series[0], nothing))
