"""Several reservoirs as one: side by side on the same signal, or each driven by the one before it.

A composition is again a map with a known derivative. Its state (N,) is that of its layers, one
after the other. In x_k = (x¹_k, x²_k, ...) a layer sees either the signal s_k or new states of
layers before it, so its derivative is block-triangular: the exponents of a composition are those of
its layers together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import sphere
from ._errors import BadInput
from ._validation import Floats
from .reservoir import Reservoir, check_kind


@dataclass(frozen=True, eq=False)
class Layer:
    """A reservoir of a composition: the place of its state, and the states that are its signal.

    source: None where its signal is that of the composition.
    """

    reservoir: Reservoir
    place: slice
    source: slice | None

    def signal(self, inputs: Floats, states: Floats) -> Floats:
        """What drives the layer: inputs (..., d), or new states (..., N) of earlier layers."""
        return inputs if self.source is None else states[..., self.source]


@dataclass(frozen=True, eq=False, repr=False)
class Composition:
    """Several reservoirs as one; a `System`. `parallel` and `chain` make it.

    kind: "parallel" or "chain". parts: reservoirs, or compositions of them. layers: all reservoirs
    in it, in the order of their states in the state (N,).

    >>> import spheresn as sn
    >>> deep = sn.chain(sn.random_reservoir(3, rng=0), sn.random_reservoir(2, n_inputs=3, rng=1))
    >>> deep, deep.units, deep.n_inputs, deep.tangent_dim
    (chain(3 on the sphere, 2 on the sphere), 5, 1, 3)
    """

    kind: str
    parts: tuple[Driven, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise BadInput(
                f"parts must be one reservoir or more, got none; pass them, as in {self.kind}(a, b)"
            )
        for part in self.parts:
            if isinstance(part, (list, tuple)):
                raise BadInput(
                    f"parts must be reservoirs, got a {type(part).__name__} of them; pass them one "
                    f"by one, as in {self.kind}(*parts)"
                )
            check_driven(part, "each part")
        if len({part.dtype for part in self.parts}) > 1:
            raise BadInput(
                "parts must have numbers of one type, got float32 and float64; draw all with the "
                "same dtype"
            )
        _check_side_by_side(self) if self.kind == "parallel" else _check_in_line(self.parts)

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(map(_words, self.parts))})"

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """All reservoirs, in their order."""
        return tuple(_layers(self, 0, None))

    @cached_property
    def units(self) -> int:
        """N, of all layers together."""
        return sum(part.units for part in self.parts)

    @property
    def n_inputs(self) -> int:
        """d, the columns of the signal."""
        return self.parts[0].n_inputs

    @property
    def dtype(self) -> np.dtype[Any]:
        """float64, or float32."""
        return self.parts[0].dtype

    @property
    def tangent_dim(self) -> int:
        """The directions of all layers: N less one for each sphere."""
        return sum(part.tangent_dim for part in self.parts)

    @property
    def radii(self) -> tuple[float | None, ...]:
        """The radius of the sphere of each layer, None for a layer that lives on none."""
        return tuple(one.reservoir.activation.sphere_radius for one in self.layers)

    def step(self, state: Floats, inputs: Floats) -> Floats:
        """The next state (N,): each layer takes its step, in the order of the layers."""
        after = np.empty(self.units, self.dtype)
        for one in self.layers:
            signal = one.signal(inputs, after)
            after[one.place] = one.reservoir.step(state[one.place], signal)
        return after

    def tangent_step(
        self, state: Floats, inputs: Floats, tangents: Floats, input_tangents: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """The next state, and the derivative of the step times the tangents (N,) or (N, k).

        With tangents of the input (d, k), the derivative in the input times these is added.
        """
        after, carried = np.empty(self.units, self.dtype), np.empty(tangents.shape, self.dtype)
        for one in self.layers:
            moved = input_tangents if one.source is None else carried[one.source]
            after[one.place], carried[one.place] = one.reservoir.tangent_step(
                state[one.place], one.signal(inputs, after), tangents[one.place], moved
            )
        return after, carried

    def project(self, state: Floats) -> Floats:
        """The state (N,) with the share of each spherical layer on its sphere, as a filter that
        corrects states needs it.
        """
        projected = np.array(state, self.dtype)
        for one, radius in zip(self.layers, self.radii, strict=True):
            if radius is not None:
                projected[one.place] = sphere.project(projected[one.place], radius)
        return projected


# What `drive` drives, and what a readout can read
Driven = Reservoir | Composition


def parallel(*parts: Driven) -> Composition:
    """Reservoirs side by side on one signal: x_k = (F¹(x¹_{k-1}, s_k), F²(x²_{k-1}, s_k), ...).

    Different kinds of units in one network, such as linear ones that remember and tanh ones that
    compute. The result is a `System`, and whatever takes a reservoir that is driven takes it.

    >>> import spheresn as sn
    >>> kinds = (sn.Linear(), sn.Tanh(), sn.OnSphere())
    >>> mixed = parallel(*(sn.random_reservoir(20, activation=one, rng=0) for one in kinds))
    >>> mixed
    parallel(20 linear, 20 tanh, 20 on the sphere)
    >>> sn.drive(mixed, np.cos(np.arange(100.0))).shape
    (100, 60)
    """
    return Composition("parallel", parts)


def chain(*parts: Driven) -> Composition:
    """A deep network: x¹_k = F¹(x¹_{k-1}, s_k), x²_k = F²(x²_{k-1}, x¹_k), and so on.

    Each part has as many inputs as the one before it has units. A readout sees the states of all.
    What drives a part is the whole state of the one before it, so that in chain(chain(a, b), c) the
    last part sees a and b.

    >>> import spheresn as sn
    >>> first = sn.random_reservoir(40, activation=sn.Linear(), spectral_radius=0.9, rng=0)
    >>> second = sn.random_reservoir(30, n_inputs=40, rng=1)
    >>> deep = chain(first, second)
    >>> signal = np.cos(np.arange(100.0))
    >>> by_hand = sn.drive(second, sn.drive(first, signal))
    >>> bool((sn.drive(deep, signal)[:, 40:] == by_hand).all())
    True
    """
    return Composition("chain", parts)


def check_driven(network: Any, name: str = "reservoir") -> None:
    """Refuse what cannot be driven, such as an estimator that has a reservoir."""
    check_kind(name, network, Driven, "a Reservoir, or several as one")


def reservoirs_of(network: Driven) -> list[Reservoir]:
    """All reservoirs of a network."""
    if isinstance(network, Reservoir):
        return [network]
    return [one.reservoir for one in network.layers]


def _layers(network: Driven, first: int, source: slice | None) -> list[Layer]:
    """The layers of a network whose state begins at `first`."""
    if isinstance(network, Reservoir):
        return [Layer(network, slice(first, first + network.units), source)]
    found: list[Layer] = []
    for part in network.parts:
        found += _layers(part, first, source)
        if network.kind == "chain":
            source = slice(first, first + part.units)
        first += part.units
    return found


def _check_side_by_side(network: Composition) -> None:
    """Parts have the same signal, and no two are the same."""
    widths = [part.n_inputs for part in network.parts]
    if len(set(widths)) > 1:
        raise BadInput(
            f"parts must have the same number of inputs, got {', '.join(map(str, widths))}; they "
            "are driven by the same signal, so draw them with one n_inputs"
        )
    alike = [(id(one.reservoir), one.source) for one in network.layers if one.source is None]
    if len(set(alike)) < len(alike):
        raise BadInput(
            "parts must differ, got the same reservoir twice, whose states would be the same; draw "
            "another one with another rng"
        )


def _check_in_line(parts: tuple[Driven, ...]) -> None:
    """Each part takes the states of the one before it."""
    for place in range(1, len(parts)):
        units, inputs = parts[place - 1].units, parts[place].n_inputs
        if units != inputs:
            raise BadInput(
                f"part {place} must have as many inputs as part {place - 1} has units, {units}, "
                f"got {inputs}; draw it with n_inputs={units}"
            )


def _words(network: Driven) -> str:
    if isinstance(network, Composition):
        return repr(network)
    kind = type(network.activation).__name__
    words = {"OnSphere": "on the sphere", "Tanh": "tanh", "Linear": "linear"}
    return f"{network.units} {words.get(kind, kind)}"
