"""Information processing capacity: what a linear readout of the states can compute.

It is sorted by degree and delay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike
from scipy.stats import beta

from .. import _validation
from .._errors import BadInput
from .._validation import Floats

TARGETS_AT_ONCE = 256  # targets at a time
# Chance capacities vary more than for independent data, because states and targets depend on the
# same inputs
CHANCE_MARGIN = 2.0

Delays = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class InformationProcessingCapacity:
    """The significant capacities in decreasing order.

    total <= rank of the states <= N. by_degree (max_degree,): the sums over targets of degree 1, 2,
    ... capacities (K,): those of the significant targets. delays: for each of these targets the
    delays of its factors; a delay that occurs n times stands for the polynomial of degree n.
    threshold: what a capacity had to exceed. targets: how many were tried. In the example the only
    state is the product of two inputs.

    >>> import spheresn as sn
    >>> signal = sn.datasets.white_noise(3000, rng=0)
    >>> found = information_processing_capacity(signal * np.roll(signal, 1), signal, (3, 3))
    >>> found.delays, found.rank, round(found.total, 2)
    (((0, 1),), 1, 1.0)
    """

    total: float
    by_degree: Floats
    delays: tuple[Delays, ...]
    capacities: Floats
    threshold: float
    targets: int
    rank: int


def information_processing_capacity(
    states: ArrayLike,
    signal: ArrayLike,
    max_delay: int | Sequence[int] = (50, 15, 6),
    *,
    washout: int = 100,
    bounds: tuple[float, float] = (-1.0, 1.0),
    significance: float = 0.01,
) -> InformationProcessingCapacity:
    """Σ C[z] over products z_k = Π_i P_{d_i}(s_{k-i}) of Legendre polynomials [DAM12].

    C[z] = 1 - min_w ⟨(z - w·x)²⟩/⟨z²⟩ is the share of z that a linear readout explains. For
    independent inputs, uniform in `bounds`, the z are orthogonal, so the sum of the capacities is
    at most the rank of the states, which is at most N. states (T, N), signal (T,) or (T, 1).
    max_delay: the longest delay for targets of degree 1, 2, ...; its length is the highest degree.

    By chance, R² of r regressors on n rows follows Beta(r/2, (n-1-r)/2). The threshold is twice the
    quantile at which `significance` false capacities are expected among all targets. Capacities
    above it are corrected for their bias, (C - c)/(1 - c) with c = r/(n-1); the others are dropped.

    >>> import spheresn as sn
    >>> signal = sn.datasets.white_noise(3000, rng=0)
    >>> line = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[:, 0], sn.Linear())
    >>> information_processing_capacity(sn.drive(line, signal), signal, (10, 5)).by_degree.round(6)
    array([5., 0.])
    """
    x, s = _validation.table("states", states), _in_unit_interval(signal, bounds)
    longest = [
        _validation.whole("max_delay", d, 0) for d in np.atleast_1d(np.asarray(max_delay)).tolist()
    ]
    _validation.at_least("max_delay", len(longest), 1, "one per degree")
    _validation.same_shape("states[:, 0]", x[:, 0], "signal", s)
    first = max(_validation.whole("washout", washout, 0), *longest)
    basis = _orthonormal(x, first)
    tried = [
        z
        for degree, reach in enumerate(longest, 1)
        for z in combinations_with_replacement(range(reach + 1), degree)
    ]
    raw = _explained(basis, _polynomials(s, len(longest)), tried, first)
    chance = _chance(
        basis, _validation.real("significance", significance, 0.0, 1.0, above=True) / len(tried)
    )
    return _summary(raw, tried, CHANCE_MARGIN * chance, basis, len(longest))


def _summary(
    raw: Floats, tried: list[Delays], threshold: float, basis: Floats, degrees: int
) -> InformationProcessingCapacity:
    rank, bias = basis.shape[1], basis.shape[1] / (len(basis) - 1)
    kept = sorted(np.flatnonzero(raw > threshold).tolist(), key=lambda i: -raw[i])
    capacities = (raw[kept] - bias) / (1.0 - bias)
    sizes = np.array([len(tried[i]) for i in kept], int)
    by_degree = np.array([capacities[sizes == degree].sum() for degree in range(1, degrees + 1)])
    return InformationProcessingCapacity(
        float(capacities.sum()),
        by_degree,
        tuple(tried[i] for i in kept),
        capacities,
        threshold,
        len(tried),
        rank,
    )


def _in_unit_interval(signal: ArrayLike, bounds: tuple[float, float]) -> Floats:
    low, high = (_validation.real("bounds", bound) for bound in bounds)
    s = _validation.table("signal", signal, 1)[:, 0]
    if not low < high or s.min(initial=low) < low or s.max(initial=high) > high:
        raise BadInput(
            f"signal must be uniform in bounds, ({low:g}, {high:g}), got values up to "
            f"{np.abs(s).max():g}; pass its bounds"
        )
    return np.asarray(2.0 * ((s - low) / (high - low)) - 1.0)


def _orthonormal(states: Floats, first: int) -> Floats:
    """An orthonormal basis (n, r) of the centred states after the first rows."""
    _validation.at_least(
        "states",
        len(states),
        first + states.shape[1] + 10,
        f"more than units after {first} of washout and delay",
    )
    x = states[first:] - states[first:].mean(axis=0)
    columns, upper = np.linalg.qr(x)
    turned, sizes, _ = np.linalg.svd(upper)
    kept = sizes > len(x) * np.finfo(float).eps * np.abs(states).max()
    if not kept.any():
        raise BadInput("states must vary, got constant ones; drive the reservoir with the signal")
    return np.asarray(columns @ turned[:, kept])


def _polynomials(s: Floats, degrees: int) -> list[Floats]:
    """√(2d + 1) P_d(s) for d = 1, 2, ..., which have mean 0 and variance 1."""
    return [
        np.sqrt(2 * d + 1) * legendre.legval(s, np.eye(d + 1)[d]) for d in range(1, degrees + 1)
    ]


def _explained(basis: Floats, polynomials: list[Floats], tried: list[Delays], first: int) -> Floats:
    """|Qᵀz|²/|z|² for every target."""
    shares = []
    for begin in range(0, len(tried), TARGETS_AT_ONCE):
        z = np.stack(
            [
                _target(polynomials, delays, first)
                for delays in tried[begin : begin + TARGETS_AT_ONCE]
            ],
            axis=1,
        )
        is_constant = np.ptp(z, axis=0) <= 1e-12
        if is_constant.any():
            which = tried[begin + int(is_constant.argmax())]
            raise BadInput(
                f"signal must be uniform in bounds, got one whose target of delays {which} is "
                "constant; draw it with white_noise"
            )
        z -= z.mean(axis=0)
        shares.append(((basis.T @ z) ** 2).sum(axis=0) / (z**2).sum(axis=0))
    return np.concatenate(shares)


def _target(polynomials: list[Floats], delays: Delays, first: int) -> Floats:
    length = len(polynomials[0])
    z = np.ones(length - first)
    for delay, degree in Counter(delays).items():
        z *= polynomials[degree - 1][first - delay : length - delay]
    return z


def _chance(basis: Floats, probability: float) -> float:
    rows, rank = basis.shape
    return float(beta.isf(probability, rank / 2, (rows - 1 - rank) / 2))
