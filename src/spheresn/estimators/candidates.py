"""From the parameters of an estimator to a network: what a user may say, and what is chosen when
nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..activations import Activation, Linear, OnSphere, Tanh
from ..reservoir import Reservoir, random_reservoir
from ..topology import Recurrent
from .calibration import Dialled, MemoryOutOfReach, calibrate, exponent

ACTIVATIONS = ("spherical", "tanh", "linear")
SEARCH_ROWS, FINAL_ROWS = 1000, 2000  # of the signal, on which exponents are measured


@dataclass(frozen=True)
class Setting:
    """One rung of a ladder: memory in steps, bend of the sphere, and for tanh how far the spectral
    radius lies above e^(-1/memory).
    """

    memory: float
    bend: float = 0.0
    gain: float = 1.3


# Forecasting wants little memory and much bend, regression may want either; both measured
# (benchmarks/quality.py).
FORECAST = {
    "spherical": [
        *(
            Setting(memory, bend)
            for memory, bend in [(0.5, 2), (0.5, 1), (1, 2), (1, 1), (1, 0.5), (2, 1), (2, 0.5)]
        ),
        *(
            Setting(memory, bend)
            for memory, bend in [(4, 1), (4, 0.5), (8, 0.5), (4, 0.25), (10, 0), (30, 0)]
        ),
    ],
    "tanh": [Setting(memory, gain=gain) for memory in (0.5, 1, 2, 4, 8) for gain in (1.3, 2.0)],
    "linear": [Setting(memory) for memory in (1, 3, 10, 30, 100)],
}
REGRESSION = {
    "spherical": [
        Setting(memory, bend) for memory in (1, 3, 10, 30, 100) for bend in (0, 0.25, 0.5, 1)
    ],
    "tanh": [Setting(memory, gain=gain) for memory in (1, 3, 10, 30) for gain in (1.05, 1.3, 2.0)],
    "linear": [Setting(memory) for memory in (1, 3, 10, 30, 100, 300)],
}


def ladder(
    full: dict[str, list[Setting]], activation: str, memory: Any, bend: Any
) -> list[Setting]:
    """The rungs that agree with what the user fixed; one rung where everything is fixed."""
    rungs = full[activation]
    if memory != "auto":
        fixed = _validation.real("memory", memory, 0.0, above=True)
        rungs = [replace(rung, memory=fixed) for rung in rungs]
    if activation == "spherical" and bend != "auto":
        rungs = [replace(rung, bend=_validation.real("bend", bend, 0.0, 1e6)) for rung in rungs]
    return list(dict.fromkeys(rungs))


@dataclass(frozen=True)
class Plan:
    """The checked parameters of a network.

    links: W at spectral radius one (a delay line: at weight one); scalings: (spectral_radius,
    input_scaling) where the user gave these instead of a memory.
    """

    units: int
    activation: str
    topology: Any
    density: float | None
    links: Recurrent
    bias_ratio: float
    leak: float
    scalings: tuple[float, float] | None
    seed: int

    def network(
        self, inputs: int, setting: Setting, spectral_radius: float, input_scaling: float
    ) -> Reservoir:
        """A reservoir whose bias is `bias_ratio` times as strong as a standardised input."""
        kinds: dict[str, Activation] = {
            "spherical": OnSphere(bend=setting.bend),
            "tanh": Tanh(),
            "linear": Linear(),
        }
        bias = self.bias_ratio * input_scaling * np.sqrt(inputs)
        rng = np.random.default_rng(self.seed)
        options = {
            "input_scaling": input_scaling,
            "bias_scaling": bias,
            "leak": self.leak,
            "rng": rng,
        }
        return random_reservoir(
            self.units,
            inputs,
            activation=kinds[self.activation],
            topology=self.links.scaled(spectral_radius),
            **options,
        )

    def unit_drive(self, inputs: int, setting: Setting) -> Reservoir:
        """Of strength one: a standardised input moves each unit by as much as the other units
        do.
        """
        per_unit = np.sqrt(3.0 / max(inputs, 1))  # the variance of uniform weights is a third
        if self.activation == "spherical":
            return self.network(inputs, setting, 1.0, per_unit / np.sqrt(self.units))
        if self.activation == "tanh":
            return self.network(
                inputs, setting, setting.gain * np.exp(-1.0 / setting.memory), per_unit
            )
        return self.network(inputs, setting, 1.0, per_unit)

    def dialled(self, signal: Floats, setting: Setting) -> Dialled:
        """The network of a setting, its drive calibrated on the signal (T, d), which is
        standardised.
        """
        if self.scalings is not None:
            reservoir = self.network(signal.shape[1], setting, *self.scalings)
            return Dialled(reservoir, 1.0, exponent(reservoir, signal[:SEARCH_ROWS]))
        base = self.unit_drive(signal.shape[1], setting)
        if self.activation == "linear":  # a linear network remembers by its spectral radius alone
            return calibrate(
                lambda strength: base.rescaled(recurrent=1.0 / strength), signal, setting.memory
            )
        return calibrate(
            lambda strength: base.rescaled(1.0, strength, strength), signal, setting.memory
        )

    def with_units(self, units: int) -> Plan:
        """The same plan for a network of another size."""
        return (
            replace(self, units=units, links=drawn(self.topology, self.density, units, self.seed))
            if isinstance(self.topology, str)
            else self
        )

    def searched(self, signal: Floats, setting: Setting) -> Dialled | None:
        """Quickly, on the first rows; None where the memory is out of reach."""
        try:
            return self.dialled(signal[:SEARCH_ROWS], setting)
        except MemoryOutOfReach:
            return None

    def final(self, signal: Floats, setting: Setting) -> Dialled:
        """With the exponent measured on up to FINAL_ROWS rows."""
        return self.dialled(signal[:FINAL_ROWS], setting)


def drawn(topology: Any, density: float | None, units: int, seed: int) -> Recurrent:
    """W at its natural size: spectral radius one where it can have one."""
    matrix: Recurrent = random_reservoir(
        units, 0, topology=topology, density=density, rng=np.random.default_rng(seed)
    ).recurrent
    return matrix


def plan_of(estimator: Any, seed: int) -> Plan:
    """The plan in the parameters of an estimator, each checked."""
    e = estimator
    _validation.one_of("activation", e.activation, ACTIVATIONS)
    given = e.spectral_radius is not None or e.input_scaling is not None
    if given and e.memory != "auto":
        raise BadInput(
            "memory must be left out when spectral_radius or input_scaling is given, got both; "
            "one of them sets the drive"
        )
    radius = (
        1.0
        if e.spectral_radius is None
        else _validation.real("spectral_radius", e.spectral_radius, 0.0)
    )
    scaling = 1.0 if e.input_scaling is None else _validation.real("input_scaling", e.input_scaling)
    return Plan(
        _validation.whole("units", e.units, 1),
        e.activation,
        e.topology,
        e.density,
        drawn(e.topology, e.density, e.units, seed),
        _validation.real("bias_ratio", e.bias_ratio, 0.0),
        _validation.real("leak", e.leak, 0.0, 1.0, above=True),
        (radius, scaling) if given else None,
        seed,
    )
