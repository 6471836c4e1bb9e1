"""Learning the readout from the innovations of its own filter: the prediction error method.

Least squares on noisy rows takes noisy inputs for true ones, and so learns a map that is too flat.
The filter knows how uncertain each input is. Its innovations e with their variances c depend on the
readout W in two ways: each forecast is a readout of a state, and the state was corrected by earlier
innovations. Both derivatives are known, so the likelihood of the rows is increased by steps of
Gauss and Newton [LJU99, chapter 7]:

    J = -∂e/∂W along the filter,   δW = (Jᵀ C⁻¹ J + a G/R)⁻¹ Jᵀ C⁻¹ e

G is the scatter of the features: it measures a change of the readout by the change of the
forecasts. R is the variance of the noise. The strength a decides how many of the directions of
W are learned. It is the one with the largest expected gain of the log-likelihood minus the number
of directions it frees, as in the criterion of Akaike [AKA74], corrected for short series [HUR89].
So no rows have to be held out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh, svd
from scipy.linalg.blas import dsyrk

from .. import kernels
from .._validation import Floats
from ..kernels.codes import OUTLIER, Passed
from ..readout import Triangle, Weights
from .tracking import Recordings, Tracker

STEPS = 6  # of Gauss and Newton; later ones gained less than 1e-3 per row
LEAST_GAIN = 1e-4  # of the log-likelihood per row, below which a step ends the search
# Directions that a step frees: with fewer it would only turn noise into errors of the model, which
# rows hardly tell apart
LEAST_FREED = 0.5
STRENGTHS = np.logspace(4, -6, 61)  # a, from stiff to loose
STIFFER, ATTEMPTS = 4, 5  # places in STRENGTHS by which a step that failed is shortened; how often
MOST_WEIGHTS = 900  # of all columns together: the time of a step grows with their square
SLOPE_ROWS = 250  # whose slopes are kept at once
RANK = 1e-8  # directions of the features that are smaller than this share of the largest are left


@dataclass(frozen=True, eq=False)
class Directions:
    """Features about their mean in a basis in which their scatter is one: (φ - mean) basis."""

    mean: Floats
    basis: Floats

    @staticmethod
    def of(scatter: Triangle, most: int) -> Directions:
        """The longest axes of the scatter, at most so many."""
        _, sizes, axes = svd(scatter.states, check_finite=False)
        kept = min(most, int((sizes > RANK * sizes[0]).sum()))
        return Directions(scatter.state_mean, axes[:kept].T / sizes[:kept])

    def of_features(self, features: Floats, rows: int) -> Floats:
        """Features (T, N) in the basis, and a constant for the intercept: (T, Q)."""
        constant = np.full((len(features), 1), 1.0 / np.sqrt(rows))
        return np.hstack([(features - self.mean) @ self.basis, constant])

    def change(self, coefficients: Floats, rows: int) -> Weights:
        """The readout with these coefficients (m, Q)."""
        matrix = self.basis @ coefficients[:, :-1].T
        return Weights(matrix, coefficients[:, -1] / np.sqrt(rows) - self.mean @ matrix)


@dataclass(frozen=True, eq=False)
class Found:
    """A tracker, its log-likelihood per row, and how far that is expected to be too high."""

    tracker: Tracker
    log_likelihood: float
    optimism: float = 0.0

    @property
    def score(self) -> float:
        """The log-likelihood to be expected of new rows."""
        return self.log_likelihood - self.optimism


def optimism(freedom: Any, rows: int, outputs: int) -> Any:
    """How far the log-likelihood per row is above that of new rows, where each column of these rows
    was fitted by its share of `freedom` degrees of freedom, and by a variance: in the mean exactly
    so for least squares [HUR89]. In long series it is the number of what was fitted per row.

    >>> [float(optimism(*one)) for one in ((3.0, 10, 1), (8.0, 10, 1), (6.0, 10, 2))]
    [0.8, inf, 1.6]
    """
    left = rows - np.asarray(freedom) / outputs - 2.0
    return np.where(left > 0.0, (freedom + outputs) / np.where(left > 0.0, left, 1.0), np.inf)[()]


def learn_from_innovations(
    tracker: Tracker, series: Recordings, scatter: Triangle, *, fixed: bool = False
) -> Found:
    """The tracker whose readout makes the rows most likely, as far as they determine it.

    scatter: of the features, in the metric of which the readout changes. fixed: whether the noise
    is known.
    """
    most = MOST_WEIGHTS // tracker.loop.outputs - 1
    directions = Directions.of(scatter, most)
    best = Found(*series.fitted(tracker, fixed=fixed))
    for _ in range(STEPS):
        better = _step(best, series, directions, fixed)
        if better is None or not better.score > best.score + LEAST_GAIN:
            break
        best = better
    return best


def _step(now: Found, series: Recordings, directions: Directions, fixed: bool) -> Found | None:
    """One step of Gauss and Newton; None if no length of it helps."""
    tracker = now.tracker
    passes = series.passes(tracker, learning=True)
    rows, outputs = sum(len(one.states) for one in passes), tracker.loop.outputs
    information, slope = _normal_equations(tracker, passes, rows, directions)
    stiffness = np.sqrt(np.repeat(1.0 / tracker.noise, len(slope) // outputs))
    information /= stiffness[:, None] * stiffness
    sizes, axes = eigh(information, check_finite=False, overwrite_a=True)
    sizes, along = np.maximum(sizes, 0.0), axes.T @ (slope / stiffness)
    freed = (sizes / (sizes + STRENGTHS[:, None])).sum(axis=1)
    damped = (sizes + 2.0 * STRENGTHS[:, None]) / np.square(sizes + STRENGTHS[:, None])
    gain = 0.5 * (np.square(along) * damped).sum(axis=1)
    costs = rows * (optimism(freed, rows, outputs) - optimism(0.0, rows, outputs))
    place = int(np.argmax(gain - costs))
    if freed[place] < LEAST_FREED:
        return None
    for _ in range(ATTEMPTS):
        coefficients = (axes @ (along / (sizes + STRENGTHS[place]))) / stiffness
        change = directions.change(coefficients.reshape(outputs, -1), rows)
        found = _rescaled(tracker, change, series, fixed)
        cost = costs[place] / rows
        if found.log_likelihood - cost > now.score:
            return replace(found, optimism=cost)
        if place == 0:
            break
        place = max(place - STIFFER, 0)
    return None


def _rescaled(tracker: Tracker, change: Weights, series: Recordings, fixed: bool) -> Found:
    """The tracker with a changed readout, and with the variances that fit it."""
    loop = tracker.loop
    weights = Weights(
        loop.weights.matrix + change.matrix, loop.weights.intercept + change.intercept
    )
    found = []
    for factor in (1.0, 0.25, 4.0):
        tried = replace(tracker, loop=loop.with_weights(weights), drift=factor * tracker.drift)
        found.append(Found(*series.fitted(tried, fixed=fixed)))
    return max(found, key=lambda one: one.log_likelihood)


def _normal_equations(
    tracker: Tracker, passes: Sequence[Passed], rows: int, directions: Directions
) -> tuple[Floats, Floats]:
    """Jᵀ C⁻¹ J and Jᵀ C⁻¹ e; an outlier has the weight that leaves it at its limit."""
    outputs = tracker.loop.outputs
    width = (directions.basis.shape[1] + 1) * outputs
    information, slope = np.zeros((width, width), order="F"), np.zeros(width)
    # While a filter settles it teaches nothing; one long pass can spare a block of rows for that
    settling = SLOPE_ROWS if len(passes) == 1 else tracker.lags
    for passed in passes:
        features = tracker.loop.features(passed.states)
        entries = directions.of_features(features, rows)
        for slopes, gaps in _weighted(passed, entries, width, settling):
            information = dsyrk(1.0, slopes, beta=1.0, c=information, trans=1, overwrite_c=1)
            slope += slopes.T @ gaps
    upper = np.triu(information)
    return np.asarray(upper + np.triu(upper, 1).T), slope


def _weighted(
    passed: Passed, entries: Floats, width: int, settling: int
) -> Iterator[tuple[Floats, Floats]]:
    """The slopes of the innovations of one pass, and these, in their own deviations; blocks."""
    outputs = passed.innovations.shape[1]
    carried = np.zeros((passed.forward.shape[2], width))
    found = np.empty((SLOPE_ROWS, outputs, width))
    for first in range(0, len(entries), SLOPE_ROWS):
        part = slice(first, min(first + SLOPE_ROWS, len(entries)))
        kernels.innovation_slopes(
            passed.forward[part],
            passed.gains[part],
            passed.innovations[part],
            np.ascontiguousarray(entries[part]),
            carried,
            found,
        )
        e, c = passed.innovations[part], passed.variances[part]
        seen = np.isfinite(e)
        seen[: max(settling - first, 0)] = False
        if not seen.any():
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            weight = np.minimum(1.0 / np.sqrt(c), np.sqrt(OUTLIER) / np.abs(e))[seen]
        yield found[: len(e)][seen] * weight[:, None], e[seen] * weight
