"""Rows 1 and 2: fitting the default network, with the penalty given and with the penalty chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from peers import PENALTY, RADIUS, SCALING, fit_entries, white
from race import OURS, Case, Effort, Entry, case, faster, race, within

import spheresn as sn

TITLE = "Fit of the default network (spherical, ring), one input, one target"
NOTE = """Constructing the model counts, and so does drawing its network, unless the line says
otherwise. Ours: (a) spectral radius and input scaling given, as the peers have them; (b) memory = 3
and bend = .5, the drive calibrated on the signal besides; (c) everything automatic: memory, bend
and penalty chosen from candidates, which no peer does. Peers: tanh networks with 10 % links.
(a, loo) chooses the penalty by its leave-one-out error. What cannot go away, with
one thread on this machine: the product of the states with themselves by BLAS (dsyrk) takes 1.4, 19,
72 and 270 ms at the four sizes, the Cholesky factor 0, 1.4, 10 and 60; at N = 100 checking the
input, drawing the network and measuring its exponent take 1.6 ms more."""
THREADS = (1, 2)
GIVEN: dict[str, Any] = {"spectral_radius": RADIUS, "input_scaling": SCALING}
VARIANTS: dict[str, dict[str, Any]] = {
    "ours (a)": {**GIVEN, "penalty": PENALTY},
    "ours (b)": {"memory": 3, "bend": 0.5, "penalty": PENALTY},
    "ours (c)": {},
    "ours (a, loo)": {**GIVEN, "penalty": "loo"},
}


def measure(effort: Effort) -> Iterator[Case]:
    """Sizes 100 to 2000, 5,000 steps."""
    steps = 600 if effort.quick else 5000
    signal = white(steps)
    target = np.roll(signal, 1, axis=0) * np.roll(signal, 2, axis=0) + 0.3 * np.roll(
        signal, 5, axis=0
    )
    targets = [
        faster("ours (a)", 5.0),
        faster("ours (b)", 5.0),
        within("ours (c)", 3.0, "fastest peer"),
        within("ours (a, loo)", 2.0, "ours (a)"),
    ]
    for units in (30, 60) if effort.quick else (100, 500, 1000, 2000):
        entries = [
            Entry(name, OURS, _prepared(units, options, signal, target))
            for name, options in VARIANTS.items()
        ]
        lines = race([*entries, *fit_entries(signal, target, units)], effort)
        yield case(f"N = {units}, T = {steps:,}", lines, targets)


def _prepared(units: int, options: dict[str, Any], signal: np.ndarray, target: np.ndarray) -> Any:
    return lambda: (
        lambda: sn.ESNRegressor(units, random_state=0, **options).fit(signal, target[:, 0])
    )
