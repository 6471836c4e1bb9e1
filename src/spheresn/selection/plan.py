"""What may be chosen of a network where the user left it "auto", and from these settings and the
parameters of an estimator to a network whose drive is calibrated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product, zip_longest
from typing import Any, NamedTuple

import numpy as np

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..activations import Activation, Linear, OnSphere, Tanh
from ..compose import Driven, check_driven
from ..reservoir import Reservoir, random_reservoir, with_spectral_radius
from ..topology import Recurrent, Shift
from .calibration import (
    Calibrated,
    MemoryOutOfReach,
    Point,
    calibrate,
    calibrate_nearest,
    exponent,
)
from .strength import linear_point, sphere_point, tanh_point

ACTIVATIONS = ("spherical", "tanh", "linear")
SEARCH_ROWS, FINAL_ROWS = 1000, 2000  # of the signal, on which exponents are measured
# Links of each unit of a sparse network that a search drew: more take time and lower no error, far
# fewer leave small networks without a cycle
CHOSEN_LINKS = 10
EXACTLY, ROUGHLY = 1e-3, 0.1  # relative errors of a memory
# The parameters of an estimator that draw a network
DRAWING = (
    *("units", "activation", "topology", "density", "bend", "memory", "spectral_radius"),
    *("input_scaling", "bias_ratio", "leak"),
)


class Kind(NamedTuple):
    """What a network is made of; a topology of None is that of the plan."""

    activation: str
    topology: str | None = None


@dataclass(frozen=True)
class Candidate:
    """Settings of a network that may be chosen.

    memory: in steps; bend: of the sphere; gain: for tanh, the spectral radius in units of
    e^(-1/memory); bias_ratio: the strength of the bias relative to that of the input; kind: None
    where the plan says it.
    """

    memory: float
    bend: float = 0.0
    gain: float = 1.3
    bias_ratio: float = 3.0
    kind: Kind | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Those that say something of a network of this kind."""
        found: dict[str, Any] = {} if self.kind is None else dict(self.kind._asdict())
        found |= {"memory": self.memory, "bias_ratio": self.bias_ratio}
        if self.kind is None or self.kind.activation == "spherical":
            found["bend"] = self.bend
        if self.kind is not None and self.kind.activation == "tanh":
            found["gain"] = self.gain
        return found


# That of a network which is given: nothing of it was chosen
GIVEN = Candidate(np.nan, np.nan, np.nan, np.nan)
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
# Networks that stay on the attractor where no other does, mostly of one column of several: with
# noise in their input, and hardly another penalty
STEADY_FORECAST = {
    "spherical": [
        Candidate(memory, bend) for memory, bend in ((4, 0.25), (4, 0.5), (2, 0.5), (16, 0.1))
    ],
    "tanh": [Candidate(memory) for memory in (2, 4, 16)],
    "linear": [],
}
# Steps of a series are classified with any memory and any bend; a strongly bent network cannot have
# a long memory
STEP_CLASSES = {
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
# Regression, in the order in which they lowered the errors on the development half of
# benchmarks/targets: a search that must be short tries the first ones. Products of past inputs want
# a weakly nonlinear network, that is a strong bias or, for odd ones, none; and links at random
# rather than a ring. Waves and thresholds of the input want a strongly nonlinear one.
REGRESSION = {
    "spherical": [
        Candidate(memory, bend, bias_ratio=ratio, kind=Kind("spherical", topology))
        for topology, memory, bend, ratio in (
            ("ring", 1, 1.0, 3.0),
            ("ring", 1, 2.0, 3.0),
            ("sparse", 10, 0.25, 100.0),
            ("sparse", 2, 0.5, 100.0),
            ("ring", 2, 2.0, 30.0),
            ("ring", 1, 0.25, 100.0),
            ("sparse", 4, 0.5, 100.0),
            ("sparse", 1, 0.5, 100.0),
            ("sparse", 3, 0.25, 3.0),
            ("ring", 30, 0.25, 3.0),
            ("sparse", 30, 0.25, 3.0),
            ("ring", 3, 2.0, 3.0),
            ("sparse", 1, 1.0, 10.0),
            ("sparse", 2, 2.0, 30.0),
            ("ring", 100, 0.25, 3.0),
            ("ring", 10, 0.25, 30.0),
            ("sparse", 10, 0.5, 30.0),
            ("ring", 3, 0.5, 3.0),
            ("ring", 3, 1.0, 3.0),
            ("ring", 10, 0.25, 3.0),
            ("ring", 1, 0.25, 3.0),
            ("ring", 3, 0.25, 3.0),
            ("sparse", 10, 0.5, 3.0),
            # Recall of the far past wants a sphere that is not bent at all
            ("ring", 10, 0.0, 3.0),
            ("ring", 30, 0.0, 3.0),
            ("ring", 100, 0.0, 3.0),
        )
    ],
    "tanh": [
        Candidate(memory, gain=gain, bias_ratio=ratio, kind=Kind("tanh", topology))
        for topology, memory, gain, ratio in (
            ("sparse", 1, 1.001, 10.0),
            ("sparse", 2, 1.3, 0.3),
            ("sparse", 1, 1.001, 0.0),
            ("sparse", 30, 1.001, 10.0),
            ("sparse", 30, 1.001, 1.0),
            ("sparse", 2, 1.001, 0.0),
            ("ring", 1, 1.001, 0.0),
            ("ring", 4, 1.001, 10.0),
            ("sparse", 10, 1.001, 10.0),
            ("sparse", 2, 1.001, 1.0),
            ("sparse", 4, 1.001, 0.0),
            ("ring", 1, 2.0, 1.0),
        )
    ],
    "linear": [
        Candidate(memory, kind=Kind("linear", topology))
        for memory in (1, 3, 10, 30, 100, 300)
        for topology in ("ring", "sparse")
    ],
}
AUTO = "auto"
AUTO_ACTIVATIONS, AUTO_TOPOLOGIES = ("spherical", "tanh"), ("ring", "sparse")


def kinds(activation: str, topology: Any, bend: Any) -> list[Kind]:
    """The kinds of networks that a user leaves to choose; a bend is one of the sphere."""
    _validation.one_of("activation", activation, (AUTO, *ACTIVATIONS))
    activations = AUTO_ACTIVATIONS if activation == AUTO else (activation,)
    if activation == AUTO and bend != AUTO:
        activations = AUTO_ACTIVATIONS[:1]
    topologies = AUTO_TOPOLOGIES if isinstance(topology, str) and topology == AUTO else (None,)
    return [Kind(*one) for one in product(activations, topologies)]


def candidates_of(
    allowed: Sequence[Kind], memory: Any, bend: Any, bias_ratio: Any
) -> list[Candidate]:
    """The candidates for regression among some kinds, with what the user fixed; those of several
    activations in turn.
    """
    fixed = allowed[0].topology is None
    lists = [
        candidates(REGRESSION, activation, memory, bend, bias_ratio)
        for activation in dict.fromkeys(kind.activation for kind in allowed)
    ]
    mixed = [one for row in zip_longest(*lists) for one in row if one is not None]
    if fixed:
        mixed = [replace(one, kind=Kind(one.kind.activation)) for one in mixed if one.kind]
    return list(dict.fromkeys(mixed))


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


@dataclass(frozen=True)
class Chosen:
    """The settings that a network was chosen with; its exponent is measured on the signal."""

    lyapunov: float
    memory: float
    bend: float
    bias_ratio: float

    @staticmethod
    def of(candidate: Candidate, calibrated: Calibrated) -> Chosen:
        """Those of a candidate whose drive is set."""
        return Chosen(calibrated.exponent, calibrated.memory, candidate.bend, candidate.bias_ratio)


@dataclass(frozen=True)
class Plan:
    """The checked parameters of a network.

    links: W at spectral radius one (a delay line: at weight one; a given W: as it is, or at the
    spectral radius that the user wants); scalings: the factor of the links, and input_scaling,
    where the user gave these instead of a memory. given: the user's own network, in place of all
    others. sparse: links at random by their number of units, shared by the plans that are made
    from one: their spectral radius takes long.
    """

    units: int
    activation: str
    topology: Any
    density: float | None
    links: Recurrent
    leak: float
    scalings: tuple[float, float] | None
    seed: int
    given: Driven | None = None
    sparse: dict[int, Recurrent] = field(default_factory=dict, compare=False, repr=False)

    def network(
        self, inputs: int, candidate: Candidate, spectral_radius: float, input_scaling: float
    ) -> Reservoir:
        """A reservoir with the candidate's bend and ratio of bias to standardised input."""
        kinds: dict[str, Activation] = {
            "spherical": OnSphere(bend=candidate.bend),
            "tanh": Tanh(),
            "linear": Linear(),
        }
        bias = candidate.bias_ratio * input_scaling * np.sqrt(inputs)
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

    def unit_drive(self, inputs: int, candidate: Candidate) -> Reservoir:
        """The network at strength one: a standardised input moves each unit as much as the other
        units do.
        """
        per_unit = np.sqrt(3.0 / max(inputs, 1))  # the variance of uniform weights is a third
        if self.activation == "spherical":
            return self.network(inputs, candidate, 1.0, per_unit / np.sqrt(self.units))
        if self.activation == "tanh":
            return self.network(
                inputs, candidate, candidate.gain * np.exp(-1.0 / candidate.memory), per_unit
            )
        return self.network(inputs, candidate, 1.0, per_unit)

    def at_strength(self, inputs: int, candidate: Candidate) -> Callable[[float], Reservoir]:
        """The networks of a candidate, by the strength of their drive."""
        base = self.unit_drive(inputs, candidate)
        if self.activation == "linear":  # a linear network remembers by its spectral radius alone
            return lambda strength: base.rescaled(recurrent=1.0 / strength)
        return lambda strength: base.rescaled(1.0, strength, strength)

    def calibrated(
        self,
        signal: Floats,
        candidate: Candidate,
        *,
        nearest: bool = False,
        near: Point | None = None,
        tolerance: float = EXACTLY,
    ) -> Calibrated:
        """The network of a candidate, calibrated on a standardised signal (T, d).

        A memory out of reach is an error, or replaced by the `nearest` one.
        """
        if self.given is not None:
            _check_width(self.given, signal)
            return Calibrated(self.given, 1.0, exponent(self.given, signal[:SEARCH_ROWS]))
        if self.scalings is not None:
            reservoir = self.network(signal.shape[1], candidate, *self.scalings)
            return Calibrated(reservoir, 1.0, exponent(reservoir, signal[:SEARCH_ROWS]))
        find = calibrate_nearest if nearest else calibrate
        networks = self.at_strength(signal.shape[1], candidate)
        return find(networks, signal, candidate.memory, near, tolerance)

    def at_each(self, found: Sequence[Kind | None]) -> dict[Kind | None, Plan]:
        """The plans of several kinds."""
        return {kind: self.at(kind) for kind in dict.fromkeys(found)}

    def at(self, kind: Kind | None) -> Plan:
        """The plan of networks of another kind."""
        if kind is None:
            return self
        other = replace(self, activation=kind.activation)
        if kind.topology is None or kind.topology == self.topology:
            return other
        density = min(1.0, CHOSEN_LINKS / self.units) if kind.topology == "sparse" else None
        links = self.sparse.get(self.units) if kind.topology == "sparse" else None
        if links is None:
            links = drawn(kind.topology, density, self.units, self.seed)
        if kind.topology == "sparse":
            self.sparse[self.units] = links
        return replace(other, topology=kind.topology, density=density, links=links)

    def guess(self, candidate: Candidate) -> Point | None:
        """Roughly the strength of a candidate, and its exponent there; None if it cannot have its
        memory.
        """
        if self.activation == "spherical":
            links = 1.0 if isinstance(self.topology, str) else mean_gain(self.links)
            return sphere_point(candidate.memory, candidate.bias_ratio, self.leak, links)
        if self.activation == "tanh":
            return tanh_point(candidate.memory, candidate.bias_ratio, self.leak, candidate.gain)
        return linear_point(candidate.memory, self.leak)

    def with_units(self, units: int) -> Plan:
        """The same plan for a network of another size."""
        unsized = not isinstance(self.topology, str) or self.given is not None
        if unsized or units == self.units:
            return self
        return replace(
            self, units=units, links=drawn(self.topology, self.density, units, self.seed)
        )

    def search(
        self,
        signal: Floats,
        candidate: Candidate,
        rows: int = SEARCH_ROWS,
        near: Point | None = None,
    ) -> Calibrated | None:
        """The network, calibrated on the first rows, only roughly from a point `near`; None where
        the memory is out of reach.
        """
        try:
            return self.calibrated(
                signal[:rows], candidate, near=near, tolerance=EXACTLY if near is None else ROUGHLY
            )
        except MemoryOutOfReach:
            return None

    def final(
        self,
        signal: Floats,
        candidate: Candidate,
        *,
        nearest: bool = False,
        near: Point | None = None,
    ) -> Calibrated:
        """The network, calibrated on up to FINAL_ROWS rows."""
        return self.calibrated(signal[:FINAL_ROWS], candidate, nearest=nearest, near=near)


def drawn(topology: Any, density: float | None, units: int, seed: int) -> Recurrent:
    """W at its natural size: spectral radius one where it can have one."""
    matrix: Recurrent = random_reservoir(
        units, 0, topology=topology, density=density, rng=np.random.default_rng(seed)
    ).recurrent
    return matrix


def activation_name(network: Driven) -> str:
    """The name of an activation; that of a user's own one, and of several networks, is "given"."""
    names: dict[type, str] = {OnSphere: "spherical", Tanh: "tanh", Linear: "linear"}
    return names.get(type(getattr(network, "activation", None)), "given")


def topology_name(network: Driven) -> str:
    """The name of a topology that was chosen."""
    return "ring" if isinstance(getattr(network, "recurrent", None), Shift) else "sparse"


def mean_gain(links: Recurrent) -> float:
    """The root mean square of |W v| over unit vectors v."""
    return float(np.linalg.norm(links.toarray()) / np.sqrt(links.size))


def plan_of(estimator: Any, seed: int, units: Any, kind: Kind | None = None) -> Plan:
    """The plan in the parameters of an estimator, each checked, for a network of `units` units.

    kind: stands for what the estimator leaves to choose.
    """
    e = estimator
    if getattr(e, "reservoir", None) is not None:
        return _given_plan(e, seed)
    activation = _validation.one_of(
        "activation", e.activation if kind is None else kind.activation, ACTIVATIONS
    )
    topology = e.topology if kind is None or kind.topology is None else kind.topology
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
    _validation.fitting("units", units, 1, power=2)  # the readout needs the Gram matrix
    links = drawn(topology, e.density, units, seed)
    if e.spectral_radius is not None and not isinstance(topology, str):
        # A given W comes at its own size
        links, radius = with_spectral_radius(links, radius), 1.0
    return Plan(
        _validation.whole("units", units, 1),
        activation,
        topology,
        e.density,
        links,
        _validation.real("leak", e.leak, 0.0, 1.0, above=True),
        (radius, scaling) if given else None,
        seed,
    )


def _given_plan(estimator: Any, seed: int) -> Plan:
    """The plan of the user's own network; what would draw another one must be left out."""
    network = estimator.reservoir
    check_driven(network)
    if network.dtype != np.float64:
        raise BadInput(
            f"reservoir must have numbers of type float64, got {network.dtype}; draw it with that "
            "dtype"
        )
    defaults = {one.name: one.default for one in fields(estimator)}
    for name in DRAWING:
        value, default = getattr(estimator, name), defaults[name]
        usual = value is default or (type(value) is type(default) and value == default)
        if not usual and not (name == "units" and value == network.units):
            raise BadInput(
                f"{name} must be left out when reservoir is given, got {value!r}; the network is "
                "taken as it is"
            )
    units = _validation.fitting("units", network.units, 1, power=2)
    links = drawn("ring", None, units, seed)  # of no use
    return Plan(units, "spherical", "ring", None, links, 1.0, None, seed, network)


def _check_width(network: Driven, signal: Floats) -> None:
    if network.n_inputs != signal.shape[1]:
        raise BadInput(
            f"reservoir must have as many inputs as there are columns, {signal.shape[1]}, got "
            f"{network.n_inputs}; draw it with n_inputs={signal.shape[1]}"
        )
