"""Networks and signals at the edges of what is valid, drawn by hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import spheresn as sn

PATTERNS = ("noise", "zeros", "constant", "spikes", "subnormal", "mixed")
EDGES = np.array([0.0, -0.0, 1.0, -2.5, 5e-324, -1e-310, 1e-200, 1e-8, -1e8, 1e150, -1e300, 1e300])


@dataclass(frozen=True)
class Case:
    """A network and a signal, all from a few numbers, so that a failure can be read and repeated."""

    units: int = 3
    inputs: int = 1
    topology: str = "ring"
    activation: Any = sn.OnSphere()
    leak: float = 1.0
    bias: float = 0.0
    scaling: float = 1.0
    pattern: str = "noise"
    steps: int = 5
    seed: int = 0

    @property
    def reservoir(self) -> sn.Reservoir:
        """With drive and bias in units of the radius, so that neither is always lost beside the other."""
        size = self.activation.sphere_radius or 1.0
        density = {"density": 0.5 if self.units > 20 else 1.0} if self.topology == "sparse" else {}
        options = {"leak": self.leak, "bias_scaling": self.bias * size, "input_scaling": self.scaling * size, **density}
        return sn.random_reservoir(
            self.units, self.inputs, activation=self.activation, topology=self.topology, rng=np.random.default_rng(self.seed), **options
        )

    @property
    def signal(self) -> np.ndarray:
        return signal_like(self.pattern, (self.steps, self.inputs), np.random.default_rng([self.seed, 1]))

    @property
    def start(self) -> np.ndarray:
        return (self.activation.sphere_radius or 1.0) * np.random.default_rng([self.seed, 2]).standard_normal(self.units)


def signal_like(pattern: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    noise = rng.standard_normal(shape)
    return {
        "noise": noise,
        "zeros": np.zeros(shape),
        "constant": np.full(shape, noise.flat[0] if noise.size else 0.0),
        "spikes": np.where(rng.uniform(size=shape) < 0.2, 1e300 * np.sign(noise), noise),
        "subnormal": 5e-324 * rng.integers(-9, 9, shape),
        "mixed": rng.choice(EDGES, shape),
    }[pattern]


SPHERES = st.builds(sn.OnSphere, st.sampled_from([1e-150, 1e-7, 1.0, 2.5, 1e9, 1e150]), st.sampled_from([0.0, 0.0, 0.5, 1.0, 1e3]))
CASES = st.builds(
    Case,
    units=st.integers(1, 60),
    inputs=st.integers(1, 3),
    topology=st.sampled_from(list(sn.topology.TOPOLOGIES)),
    activation=st.one_of(SPHERES, SPHERES, st.just(sn.Tanh()), st.just(sn.Linear())),
    leak=st.sampled_from([1.0, 1.0, 0.5, 1e-3]),
    bias=st.sampled_from([0.0, 0.3, 1e4]),
    scaling=st.sampled_from([1.0, 1e-6, 1e3]),
    pattern=st.sampled_from(PATTERNS),
    steps=st.integers(0, 8),
    seed=st.integers(0, 2**16),
)
