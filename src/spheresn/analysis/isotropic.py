"""The exact Lyapunov spectrum of an orthogonal W under isotropic input (theory, Theorem 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation
from .._errors import BadInput
from .._validation import Floats

OUTERMOST_NODE = 4.2  # the outermost nodes lie 1e-45 from the ends of the interval
# Nodes: a fixed number (160 are 1.6e-12 off for two units and b within 1e-8 of 1; 240 are 4e-15
# off), and more for the narrow laws of many units
COARSEST, FINER = 240, 12


def isotropic_exponents(
    units: int,
    lengths: ArrayLike,
    scale: float = 1.0,
    weights: ArrayLike | None = None,
    count: int | None = None,
) -> Floats:
    """The `count` largest exponents under isotropic input, by quadrature; by default all N - 1.

    W = ρQ with Q orthogonal. The u_k are independent, and their law is the same in all directions.
    With b = |u|/(r ρ), t the first coordinate of a random unit vector, n² = 1 + b² + 2bt, sin²φ =
    b²(1 - t²)/n², and B_p of the law Beta(p/2, (N-1-p)/2),

        λ_1 + ... + λ_p = -p E log n + ½ E log(1 - B_p sin²φ).

    They depend neither on Q nor on the start, and are negative unless u = 0. units: N >= 2.
    lengths: |u|, a number, or the values (m,) of a law, samples or quadrature nodes, with `weights`
    (m,), by default equal. scale: r ρ. The absolute error is below 1e-12.

    >>> isotropic_exponents(3, 1.0).round(6), float(np.round(1 - 2 * np.log(2), 6))
    (array([-0.386294, -0.5     ]), -0.386294)
    >>> isotropic_exponents(1000, lengths=[5.0, 15.0], scale=15.0, count=1).round(4)
    array([-0.1996])
    """
    size = _validation.whole("units", units, 2)
    number = size - 1 if count is None else _validation.whole("count", count, 1)
    if number > size - 1:
        raise BadInput(
            f"count must be at most the {size - 1} directions on the sphere, got {count}; lower it"
        )
    ratios, shares = length_law(lengths, scale, weights)
    nodes = _nodes(COARSEST + int(FINER * np.sqrt(size)))
    laws = _beta_laws(size, min(number, size - 2), nodes)
    mean_log, sums = 0.0, np.zeros(number + 1)
    for ratio, share in zip(ratios, shares, strict=True):
        log_norm, shortened = _moments(size, ratio, nodes, laws)
        mean_log += share * log_norm
        sums[1:] += share * shortened[:number]
    return np.asarray(-mean_log + 0.5 * np.diff(sums))


def length_law(
    lengths: ArrayLike, scale: float, weights: ArrayLike | None
) -> tuple[Floats, Floats]:
    """The distinct ratios b = |u|/(r ρ) with their probabilities."""
    sizes = _validation.array("lengths", np.atleast_1d(np.asarray(lengths)), 1)
    _validation.at_least("lengths", len(sizes), 1, "to be a law")
    if (sizes < 0).any():
        raise BadInput(
            f"lengths must be at least 0, got {sizes.min():g}; pass the lengths |u| of the inputs"
        )
    shares = np.ones(len(sizes)) if weights is None else _validation.array("weights", weights, 1)
    _validation.same_shape("weights", shares, "lengths", sizes)
    if (shares < 0).any() or not shares.any():
        raise BadInput(
            f"weights must be at least 0 and not all 0, got a smallest one of {shares.min():g}; "
            "pass probabilities"
        )
    with np.errstate(over="ignore"):
        ratios = sizes / _validation.real("scale", scale, 0.0, above=True)
    ratios, place = np.unique(_validation.finite("lengths/scale", ratios), return_inverse=True)
    return ratios, np.bincount(place, shares / shares.sum()).astype(np.float64)


def _nodes(count: int) -> tuple[Floats, Floats, Floats]:
    """Double exponential quadrature of (0, 1): s, 1 - s and the weights.

    Both distances from the ends are exact, so that singular ends cost no digits.
    """
    place = np.linspace(-OUTERMOST_NODE, OUTERMOST_NODE, count)
    low = 1.0 / (1.0 + np.exp(-np.pi * np.sinh(place)))
    high = low[::-1]
    return low, high, np.pi * np.cosh(place) * low * high * (place[1] - place[0])


def _beta_laws(
    size: int, number: int, nodes: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats]:
    """B, 1 - B, and the probabilities (B, p) of the nodes under Beta(p/2, (N-1-p)/2), p < N - 1."""
    low, high, weight = nodes
    p = np.arange(1.0, number + 1.0)
    logs = np.log(weight)[:, None] + np.outer(np.log(low), p / 2 - 1)
    logs += np.outer(np.log(high), (size - 1 - p) / 2 - 1)
    shares = np.exp(logs - logs.max(axis=0, initial=-np.inf))
    return low, high, shares / shares.sum(axis=0)


def _moments(
    size: int,
    ratio: float,
    nodes: tuple[Floats, Floats, Floats],
    laws: tuple[Floats, Floats, Floats],
) -> tuple[float, Floats]:
    """E log n, and E log(1 - B_p sin²φ) for p = 1, 2, ..., the last with B = 1.

    Lengths are measured in units of max(1, b), so that no b overflows.
    """
    unit = max(1.0, ratio)
    one, b = 1.0 / unit, ratio / unit
    below, above, along, shares = _directions(size, one, b, nodes)
    square = (one - b) ** 2 + 2 * one * b * below
    sine, cosine = b**2 * below * above / square, along**2 / square
    if ratio < 0.5:  # t and -t together, because bt would cancel only up to rounding
        logs = 0.25 * np.log1p(ratio**2 * (2.0 + ratio**2 - (above - below) ** 2))
    else:
        logs = 0.5 * np.log(square) + np.log(unit)
    beta, rest, probabilities = laws
    removed = np.outer(sine, beta)
    kept = _log_rest(removed, cosine[:, None] + np.outer(sine, rest))
    whole = _log_rest(sine, cosine)
    return float(shares @ logs), np.append((shares @ kept) @ probabilities, shares @ whole)


def _directions(
    size: int, one: float, b: float, nodes: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats, Floats]:
    """1 + t, 1 - t, |1 + bt| and the probabilities of the nodes t, without cancellation.

    Where 1 + bt has a zero, cos φ vanishes: the interval is split there.
    """
    low, high, weight = nodes
    if b <= one:
        parts = [(2 * low, 2 * high, (one - b) + 2 * b * low, weight)]
    else:
        left, right = (b - one) / b, (b + one) / b  # the two parts of [-1, 1]
        parts = [
            (left * low, right + left * high, b * left * high, left * weight),
            (left + right * low, right * high, b * right * low, right * weight),
        ]
    below, above, along, share = (np.concatenate(part) for part in zip(*parts, strict=True))
    logs = (size - 3) / 2 * (np.log(below) + np.log(above)) + np.log(share)
    shares = np.exp(logs - logs.max())
    return below, above, along, shares / shares.sum()


def _log_rest(part: Floats, rest: Floats) -> Floats:
    """log(1 - part) = log(rest), from the one that has more correct digits."""
    return np.asarray(np.where(part < 0.5, np.log1p(-np.minimum(part, 0.5)), np.log(rest)))
