"""What may be chosen of a network where the user left it "auto"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .. import _validation


@dataclass(frozen=True)
class Candidate:
    """Settings of a network that may be chosen.

    memory: in steps; bend: of the sphere; gain: for tanh, the spectral radius in units of
    e^(-1/memory); bias_ratio: the strength of the bias relative to that of the input.
    """

    memory: float
    bend: float = 0.0
    gain: float = 1.3
    bias_ratio: float = 3.0


# Memory and bend for forecasting, by the ratio of bias to input. A strong bias makes the network
# weakly nonlinear, which a precise readout turns into precise forecasts of clean series; a weaker
# one is better on noisy ones. A flow that is seen in all its variables needs hardly any memory, a
# delay equation much. Chosen on the development half of the league (benchmarks/league).
SHORT_MEMORIES = [(0.25, 1), (0.25, 2), (0.5, 1), (0.5, 2), (1, 0.5), (1, 1), (2, 0.5)]
LONG_MEMORIES = [(2, 1), (4, 0.25), (4, 0.5)]
SHAPES_BY_RATIO = {
    3.0: [*SHORT_MEMORIES, *LONG_MEMORIES, (8, 0.5), (10, 0), (30, 0)],
    10.0: [*SHORT_MEMORIES, *LONG_MEMORIES],
    30.0: SHORT_MEMORIES,
}
FORECAST = {
    "spherical": [
        Candidate(memory, bend, bias_ratio=ratio)
        for ratio, shapes in SHAPES_BY_RATIO.items()
        for memory, bend in shapes
    ],
    "tanh": [Candidate(memory, gain=gain) for memory in (0.5, 1, 2, 4, 8) for gain in (1.3, 2.0)],
    "linear": [Candidate(memory) for memory in (1, 3, 10, 30, 100)],
}
# Regression may want any memory and any bend; a strongly bent network cannot have a long memory
REGRESSION = {
    "spherical": [
        Candidate(memory, bend)
        for memory in (1, 3, 10, 30, 100)
        for bend in (0, 0.25, 0.5, 1)
        if memory * bend < 30
    ],
    "tanh": [
        Candidate(memory, gain=gain) for memory in (1, 3, 10, 30) for gain in (1.05, 1.3, 2.0)
    ],
    "linear": [Candidate(memory) for memory in (1, 3, 10, 30, 100, 300)],
}


def candidates(
    table: dict[str, list[Candidate]], activation: str, memory: Any, bend: Any, bias_ratio: Any
) -> list[Candidate]:
    """The candidates of a table with what the user fixed; only one where everything is fixed."""
    found = table[activation]
    if bias_ratio != "auto":
        ratio = _validation.real("bias_ratio", bias_ratio, 0.0)
        found = [replace(one, bias_ratio=ratio) for one in found]
    if memory != "auto":
        steps = _validation.real("memory", memory, 0.0, above=True)
        found = [replace(one, memory=steps) for one in found]
    if activation == "spherical" and bend != "auto":
        fixed = _validation.real("bend", bend, 0.0, 1e6)
        found = [replace(one, bend=fixed) for one in found]
    return list(dict.fromkeys(found))
