"""Rows 1 and 2: fitting the default network, with the penalty given and with the penalty chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from peers import PENALTY, RADIUS, SCALING, fit_entries, white
from race import OURS, REFERENCE, Case, Effort, Entry, case, faster, race, within
from scipy.linalg.blas import dsyrk

import spheresn as sn

TITLE = "Fit of the default network (spherical, ring), one input, one target"
NOTE = """Constructing the model counts, and so does drawing its network, unless the line says
otherwise. Ours: (a) spectral radius and input scaling given, as the peers have them;
(b) memory = 3 and bend = .5, the drive calibrated on the signal besides; (c) everything
automatic: activation, topology, memory, bend, bias ratio and penalty chosen from
candidates, which no peer does. Peers: tanh networks with 10 % links. (a, loo) chooses
the penalty by its leave-one-out error. What cannot go away is the product of the states
with themselves by BLAS (dsyrk), which is measured beside the fits; the peers compute
twice as much of it (dgemm). At N = 100 checking the input, drawing the network and
measuring its exponent take 1.6 ms more."""
THREADS = (1, 2)
GIVEN: dict[str, Any] = {"spectral_radius": RADIUS, "input_scaling": SCALING}
SPHERE: dict[str, Any] = {"activation": "spherical", "topology": "ring", "bias_ratio": 3.0}
VARIANTS: dict[str, dict[str, Any]] = {
    "ours (a)": {**GIVEN, "penalty": PENALTY},
    "ours (b)": {**SPHERE, "memory": 3, "bend": 0.5, "penalty": PENALTY},
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
        entries.append(Entry("dsyrk alone", REFERENCE, _product(units, steps)))
        lines = race([*entries, *fit_entries(signal, target, units)], effort)
        yield case(f"N = {units}, T = {steps:,}", lines, targets)


def _prepared(units: int, options: dict[str, Any], signal: np.ndarray, target: np.ndarray) -> Any:
    return lambda: (
        lambda: sn.ESNRegressor(units, random_state=0, **options).fit(signal, target[:, 0])
    )


def _product(units: int, steps: int) -> Any:
    """The sums of squares and products of as many states, whatever they are."""
    states = np.random.default_rng(0).standard_normal((steps, units))
    return lambda: lambda: dsyrk(1.0, states.T, lower=1)
