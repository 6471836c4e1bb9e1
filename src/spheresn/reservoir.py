"""The reservoir: a_k = W x_{k-1} + W_in s_k + b, x_k = f(a_k), with an optional leak."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _validation, sphere
from ._errors import BadInput, StateOverflow
from ._validation import Floats
from .activations import Activation, OnSphere
from .system import System
from .topology import Recurrent, as_recurrent
from .topology.build import draw


@dataclass(frozen=True, eq=False)
class Reservoir:
    """An echo state network without its readout; a `System`.

    recurrent: W as an array (N, N), a scipy sparse matrix or a topology. inputs: W_in (N, d), or
    (N,) for one input. bias: b (N,), zero by default. leak in (0, 1]: x_k = (1 - leak) x_{k-1} +
    leak f(a_k), on the sphere projected once more. All numbers are float64 unless W and W_in are
    both float32.

    >>> turn = Reservoir(recurrent=[[0.0, -1.0], [1.0, 0.0]], inputs=[0.0, 0.0])
    >>> turn.step(np.array([1.0, 0.0]), np.array([0.3]))
    array([0., 1.])
    """

    recurrent: Any
    inputs: Any
    activation: Activation = OnSphere()  # noqa: RUF009  frozen
    bias: Any = None
    leak: float = 1.0

    def __post_init__(self) -> None:
        matrix = as_recurrent(self.recurrent)
        dtype = np.dtype(
            np.float32 if matrix.dtype == _dtype_of(self.inputs) == np.float32 else np.float64
        )
        if not hasattr(self.activation, "pushforward"):
            raise BadInput(
                f"activation must be an object such as OnSphere(), Tanh() or Linear(), got "
                f"{self.activation!r}; pass such an object"
            )
        _check_radius(self.activation.sphere_radius, dtype)
        inputs = _input_matrix(self.inputs, matrix.size, dtype)
        values = {
            "recurrent": matrix if matrix.dtype == dtype else matrix.astype(dtype),
            "inputs": inputs,
            "bias": _bias_vector(self.bias, matrix.size, dtype),
            "leak": _validation.real("leak", self.leak, 0.0, 1.0, above=True),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def units(self) -> int:
        """N."""
        return int(self.recurrent.size)

    @property
    def n_inputs(self) -> int:
        """d, the columns of the signal."""
        return int(self.inputs.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """float64, or float32."""
        return self.recurrent.dtype  # type: ignore[no-any-return]

    @property
    def tangent_dim(self) -> int:
        """N, or N - 1 on the sphere."""
        return self.units - self._on_sphere

    def step(self, state: Floats, inputs: Floats) -> Floats:
        """The next state (N,).

        On the sphere, a step without a direction of its own keeps the previous one.
        """
        a = self.pre_activation(state, inputs)  # W x + W_in s + b
        mixed = self.activated(a, state)  # (1 - leak) x + leak f(a)
        return self.projected(mixed, state)  # on the sphere only

    def pre_activation(self, state: Floats, inputs: Floats) -> Floats:
        """a = W x + W_in s + b."""
        with np.errstate(over="ignore", invalid="ignore"):
            a = np.asarray(self.recurrent.matvec(state) + self.inputs @ inputs + self.bias)
        if not np.isfinite(a).all():
            raise StateOverflow(
                "the pre-activation left the range of its floating point type; lower the spectral "
                "radius or the scale of the input"
            )
        return a

    def activated(self, a: Floats, state: Floats) -> Floats:
        """(1 - leak) x + leak f(a); on the sphere zero if a is, because it has no direction."""
        if self._on_sphere and not a.any():
            return a
        return self._with_leak(state, self.activation.value(a))

    def projected(self, mixed: Floats, state: Floats) -> Floats:
        """What `activated` gave, on the sphere projected to its radius.

        Zero has no direction, and the direction of the state is kept.
        """
        radius = self.activation.sphere_radius
        if radius is None:
            return mixed
        return sphere.project(mixed, radius) if mixed.any() else keep_direction(state, radius)

    def is_degenerate(self, mixed: Floats) -> bool:
        """Whether `projected` keeps the previous direction."""
        return self._on_sphere and not mixed.any()

    def tangent_step(
        self, state: Floats, inputs: Floats, tangents: Floats, input_tangents: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """The next state, and the derivative of the step times the tangents (N,) or (N, k).

        With tangents of the input (d, k), the derivative in the input times these is added.
        """
        a = self.pre_activation(state, inputs)
        pushed = self.recurrent.matvec(tangents)
        if input_tangents is not None:
            pushed = pushed + self.inputs @ input_tangents
        carried = self._with_leak(tangents, self.activation.pushforward(a, pushed))
        mixed = self.activated(a, state)
        radius = self.activation.sphere_radius
        if radius is not None and self.leak < 1.0:
            carried = sphere.project_pushforward(mixed, carried, radius)
        return self.projected(mixed, state), carried

    def rescaled(self, recurrent: float = 1.0, inputs: float = 1.0, bias: float = 1.0) -> Reservoir:
        """The same network with W, W_in and b multiplied by these factors."""
        network = self
        if recurrent != 1.0:
            network = replace(self, recurrent=_scaled(self.recurrent, recurrent))
        # A calibration makes hundreds of networks: what has not changed is not checked again
        scaled = object.__new__(Reservoir)
        scaled.__dict__.update(
            vars(network),
            inputs=_times("inputs", self.inputs, inputs),
            bias=_times("bias", self.bias, bias),
        )
        return scaled

    @property
    def _on_sphere(self) -> bool:
        return self.activation.sphere_radius is not None

    def _with_leak(self, old: Floats, new: Floats) -> Floats:
        return (
            new
            if self.leak == 1.0
            else np.asarray((1.0 - self.leak) * old + self.leak * new, dtype=self.dtype)
        )


def keep_direction(state: Floats, radius: float) -> Floats:
    """The state after a step without direction: its previous direction is kept.

    The zero state has no direction either and becomes r(1, ..., 1)/√N.
    """
    return sphere.project(state if state.any() else np.ones_like(state), radius)


def random_reservoir(
    units: int,
    n_inputs: int = 1,
    *,
    activation: Activation | None = None,
    topology: str | ArrayLike | Recurrent = "gaussian",
    density: float | None = None,
    spectral_radius: float | None = None,
    input_scaling: float = 1.0,
    bias_scaling: float = 0.0,
    leak: float = 1.0,
    rng: np.random.Generator | int,
    dtype: DTypeLike = np.float64,
) -> Reservoir:
    """A random reservoir: W by topology, W_in and b uniform in [-1, 1] times their scaling.

    topology: gaussian, uniform, sparse, rotation, ring, delay_line, or a matrix. density: the share
    of links that exist (gaussian, uniform, sparse). spectral_radius: W is rescaled to exactly this.
    The default is 1, except that a given W and a delay line are left as they are. W, W_in and b
    have separate random streams: more inputs do not change W.

    >>> ring = random_reservoir(100, topology="ring", spectral_radius=0.9, rng=0)
    >>> ring.recurrent.spectral_radius()
    0.9
    """
    _validation.fitting("units", units, 1, 2 + _validation.fitting("n_inputs", n_inputs, 0))
    for_links, for_inputs, for_bias = _validation.generator(rng).spawn(3)
    matrix = _recurrent_matrix(topology, units, for_links, density, spectral_radius)
    weights = for_inputs.uniform(-1.0, 1.0, (n_inputs, units)).T * _validation.real(
        "input_scaling", input_scaling
    )
    bias = for_bias.uniform(-1.0, 1.0, units) * _validation.real("bias_scaling", bias_scaling)
    kind = _validation.float_type("dtype", dtype)
    return Reservoir(
        matrix.astype(kind), weights.astype(kind), activation or OnSphere(), bias, leak
    )


def check_reservoir(reservoir: Any) -> None:
    """Refuse what is no Reservoir, such as an estimator that has one."""
    check_kind("reservoir", reservoir, Reservoir, "a Reservoir")


def check_system(system: Any) -> None:
    """Refuse what is no System, such as an estimator whose closed loop is one."""
    check_kind("system", system, System, "a System (a Reservoir, a closed loop)")


def check_kind(name: str, value: Any, kind: Any, rule: str) -> None:
    """Refuse a value that is not of a kind: `rule` names it in words."""
    if isinstance(value, kind) and not isinstance(value, type):  # a class has no state to move
        return
    parts = [
        f".{part}"
        for part in ("closed_loop_", "reservoir_")
        if isinstance(getattr(value, part, None), kind)
    ] + [".layers[0].reservoir"] * (kind is Reservoir and hasattr(value, "layers"))
    if not parts and hasattr(value, "get_params"):
        advice = "fit it and pass its .reservoir_"
    else:
        advice = f"pass its {' or '.join(parts)}" if parts else "see spheresn.random_reservoir"
    raise BadInput(f"{name} must be {rule}, got {type(value).__name__}; {advice}")


def with_spectral_radius(matrix: Recurrent, spectral_radius: float) -> Recurrent:
    """W rescaled to max |λ_i| = spectral_radius."""
    target = _validation.real("spectral_radius", spectral_radius, 0.0)
    own = matrix.spectral_radius()
    if own == 0.0:
        raise BadInput(
            "spectral_radius must be left out for a nilpotent W (a delay line, or too few links "
            f"to close a cycle), got {target:g}; "
            "all its eigenvalues are zero and no factor changes that: scale the weights of its "
            "links, or raise the density"
        )
    return _scaled(matrix, target / own)


def _scaled(matrix: Recurrent, factor: float) -> Recurrent:
    """factor · W, which must stay finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = matrix.scaled(factor)
        parts = (
            scaled.kernel_data()
            if hasattr(scaled, "kernel_data")
            else (scaled.matvec(np.ones(scaled.size, scaled.dtype)),)
        )
        finite = all(np.isfinite(part).all() for part in parts)
    if not finite:
        raise BadInput(
            f"W must stay finite when it is rescaled, got a factor of {factor:g}; choose a "
            "spectral radius nearer to its own"
        )
    return scaled


def _times(name: str, weights: Floats, factor: float) -> Floats:
    """factor · weights, which must stay finite; a factor of at most one keeps them so."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.asarray(weights * weights.dtype.type(factor))
    return scaled if abs(factor) <= 1.0 else _validation.finite(name, scaled)


def _recurrent_matrix(
    topology: Any,
    units: int,
    rng: np.random.Generator,
    density: float | None,
    spectral_radius: float | None,
) -> Recurrent:
    if isinstance(topology, str):
        matrix = draw(topology, units, rng, density)
        fixed = topology == "delay_line"
    else:
        matrix, fixed = as_recurrent(topology), True
    if matrix.size != units:
        raise BadInput(
            f"units must be the size of the given W, {matrix.size}, got {units}; pass the same "
            "number"
        )
    if spectral_radius is None and fixed:
        return matrix
    return with_spectral_radius(matrix, 1.0 if spectral_radius is None else spectral_radius)


def _check_radius(radius: float | None, dtype: np.dtype[Any]) -> None:
    """Require a radius at which the states keep all their digits."""
    widest = 1e30 if dtype == np.float32 else 1e280
    if radius is not None and not 1.0 / widest <= radius <= widest:
        raise BadInput(
            f"radius must be between {1.0 / widest:g} and {widest:g} in {dtype}, got {radius!r}; "
            "choose such a radius"
        )


def _dtype_of(values: Any) -> Any:
    return getattr(values, "dtype", np.dtype(np.float64))


def _input_matrix(values: ArrayLike, units: int, dtype: np.dtype[Any]) -> Floats:
    matrix = _validation.table("inputs", values, dtype=dtype)
    if len(matrix) != units:
        raise BadInput(
            f"inputs must have one row per unit, {units}, got shape {matrix.shape}; pass W_in of "
            "shape (N, d)"
        )
    return np.require(matrix, requirements=["C", "W"])


def _bias_vector(values: ArrayLike | None, units: int, dtype: np.dtype[Any]) -> Floats:
    vector = (
        np.zeros(units, dtype) if values is None else _validation.array("bias", values, 1, dtype)
    )
    if len(vector) != units:
        raise BadInput(
            f"bias must have one value per unit, {units}, got {len(vector)}; pass b of shape (N,)"
        )
    return np.require(vector, requirements=["C", "W"])
