"""The paper's predictions of memory: scalar laws for the three networks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expm1, xlog1py, xlogy

from .. import _validation
from .._errors import BadInput, MeaninglessPrediction
from .._numerics import power_of_two
from .._validation import Floats
from ..reservoir import Reservoir, check_reservoir
from ._common import Signal, after_transient, input_rows, start_state
from .decomposition import norm_factors, positive


@dataclass(frozen=True)
class MemoryRate:
    """The measured numbers of the spherical law: r ρ(W), and the mean of N_k = |a_k|.

    The mean is arithmetic or geometric.

    >>> found = MemoryRate(scale=1.0, mean_norm=1.5, geometric_mean_norm=1.25)
    >>> found.alpha, found.geometric_alpha, found.meaningful
    (2.0, 4.0, True)
    """

    scale: float
    mean_norm: float
    geometric_mean_norm: float

    @property
    def alpha(self) -> float:
        """α = ρ/δ with δ = ⟨N_k⟩ - ρ, as printed [VAL19, eqn:impact_input]."""
        return _ratio(self.scale, self.mean_norm - self.scale)

    @property
    def geometric_alpha(self) -> float:
        """The α whose base α/(α + 1) is exp(log ρ - ⟨log N_k⟩).

        The N_k are multiplied, so their geometric mean is the right one.
        """
        return _ratio(self.scale, self.geometric_mean_norm - self.scale)

    @property
    def meaningful(self) -> bool:
        """Whether both α are positive; otherwise memory would grow with time."""
        return self.alpha > 0.0 and self.geometric_alpha > 0.0


def memory_rate(
    reservoir: Reservoir,
    signal: Signal,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> MemoryRate:
    """r ρ(W) and the mean normalisation factor after the transient [VAL19, eqn:impact_input].

    They determine α = ρ/δ.

    >>> import spheresn as sn
    >>> reservoir = sn.random_reservoir(50, spectral_radius=15.0, input_scaling=3.0, rng=0)
    >>> memory_rate(reservoir, sn.datasets.white_noise(1000, rng=0)).meaningful
    True
    """
    check_reservoir(reservoir)
    rows = input_rows(reservoir, signal)
    skipped = after_transient(rows, transient)
    norms = positive(
        norm_factors(reservoir, rows, start_state(reservoir, start, _validation.generator(rng)))[
            skipped:
        ]
    )
    radius, unit = reservoir.activation.sphere_radius or 1.0, power_of_two(norms)
    mean, geometric_mean = unit * float((norms / unit).mean()), float(np.exp(np.log(norms).mean()))
    return MemoryRate(radius * reservoir.recurrent.spectral_radius(), mean, geometric_mean)


def predicted_memory(
    kind: str,
    delays: ArrayLike,
    *,
    alpha: float | None = None,
    spectral_radius: float | None = None,
    magnitude: float = 1.0,
) -> Floats:
    """The paper's memory of an input `delays` steps back (D,).

    spherical: (α/(α + 1))^j, needs alpha [VAL19, eqn:impact]; linear: ρ^j, needs spectral_radius
    [VAL19, eqn:memory_linear]; tanh: S^(j)(tanh magnitude), S^(0)(x) = x, S^(j)(x) = tanh(ρ
    S^(j-1)(x)) [VAL19, eqn:tanh_memory], which is an amplitude, not a derivative. For α <= 0 the
    spherical law has no meaning: there is a MeaninglessPrediction warning, and NaN where the base
    would be negative.

    >>> predicted_memory("spherical", [0, 1, 2], alpha=1.0)
    array([1.  , 0.5 , 0.25])
    >>> predicted_memory("linear", [0, 1, 2], spectral_radius=0.9)
    array([1.  , 0.9 , 0.81])
    """
    law = _validation.one_of("kind", kind, ("spherical", "linear", "tanh"))
    ages = _validation.array("delays", np.atleast_1d(np.asarray(delays)), 1)
    if law == "spherical":
        return np.asarray(np.exp(-xlog1py(ages, _inverse(_given("alpha", alpha, law)))))
    rho = _validation.real("spectral_radius", _given("spectral_radius", spectral_radius, law), 0.0)
    if law == "linear":
        return np.asarray(rho**ages)
    return _iterated_tanh(rho, ages, _validation.real("magnitude", magnitude, 0.0))


def memory_loss(
    kind: str,
    age: ArrayLike,
    lag: ArrayLike,
    between: str = "states",
    *,
    alpha: float | None = None,
    spectral_radius: float | None = None,
    magnitude: float = 1.0,
) -> Floats:
    """The change of predicted memory over `lag` steps, for an input that is `age` steps old.

    between "states": M(age + lag) - M(age) <= 0, for the same input `lag` steps later [VAL19,
    eqn:memory_loss, eqn:memory_linear_fixed_step]. between "inputs": M(age) - M(age + lag) >= 0,
    for an input `lag` steps older in the same state [VAL19, eqn:memory_linear_fixed_state]. As lag
    -> ∞ the second tends to M(age): the older input has no impact left. The paper concludes that
    its impact is not null. The signs hold for alpha > 0 and spectral_radius <= 1.

    >>> memory_loss("linear", 2, 1, spectral_radius=0.5)
    array([-0.125])
    >>> memory_loss("linear", 2, 1, "inputs", spectral_radius=0.5)
    array([0.125])
    """
    sign = {"states": -1.0, "inputs": 1.0}[
        _validation.one_of("between", between, ("states", "inputs"))
    ]
    ages, lags = np.broadcast_arrays(np.atleast_1d(np.asarray(age)), np.asarray(lag))
    young = predicted_memory(
        kind, ages, alpha=alpha, spectral_radius=spectral_radius, magnitude=magnitude
    )
    if kind == "tanh":
        return np.asarray(
            sign
            * (
                young
                - predicted_memory(
                    kind, ages + lags, spectral_radius=spectral_radius, magnitude=magnitude
                )
            )
        )
    log = (
        xlogy(lags, spectral_radius)
        if kind == "linear"
        else -xlog1py(lags, _inverse_of(float(alpha or 0.0)))
    )
    # The difference M(age) - M(age + lag) would cancel where memory decays slowly
    return np.asarray(-sign * young * expm1(log))


def _inverse(alpha: float) -> float:
    """1/α, with a warning where the law has no meaning.

    The base α/(α + 1) = 1/(1 + 1/α) does not round to 1 for large α if it is computed from 1/α.
    """
    if not alpha > 0.0:
        text = (
            f"alpha = {alpha:.4g} is not positive: the input lowers the mean norm, and by the law "
            "memory would grow or alternate"
        )
        warnings.warn(text, MeaninglessPrediction, stacklevel=3)
    return _inverse_of(alpha)


def _inverse_of(alpha: float) -> float:
    """1/α; ∞ at 0, and NaN where the base would be negative or undefined."""
    if alpha == 0.0:
        return np.inf
    return np.nan if -1.0 <= alpha < 0.0 else 1.0 / alpha


def _iterated_tanh(rho: float, ages: Floats, magnitude: float) -> Floats:
    if (ages < 0).any() or (ages % 1 != 0).any():
        raise BadInput(
            f"delays must be whole numbers of at least 0 for tanh, got {ages.tolist()}; the law "
            "is an iteration"
        )
    values = [np.tanh(magnitude)]
    for _ in range(int(ages.max(initial=0.0))):
        values.append(np.tanh(rho * values[-1]))
    return np.asarray(np.array(values)[ages.astype(int)])


def _given(name: str, value: float | None, law: str) -> float:
    if value is None:
        raise BadInput(f"{name} must be given for the {law} law, got None; pass a number")
    if np.isnan(value):
        raise BadInput(f"{name} must be a number for the {law} law, got nan; pass a number")
    return float(value)


def _ratio(scale: float, excess: float) -> float:
    return float(np.inf) if excess == 0.0 else scale / excess
