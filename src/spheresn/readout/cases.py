"""Ridge regression of cases: few rows with many features, or many rows one batch after the other.

The features are divided by their deviations, those that hardly vary by a little more than theirs,
so that a penalty means about the same for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from .._running import limit_threads
from .._validation import Floats
from .gram import Gram, Sums, product
from .loo import Sample, choose_penalty, leave_one_out
from .ridge import Weights, factor

# Penalties are 10^decade times the mean square of a row
PENALTY_DECADES = np.arange(-6.0, 1.5, 0.5)
LEAST_DEVIATION = 1e-6  # the deviation of a feature that counts
VARIANCE_FLOOR = 0.3  # of the mean variance of all features, added to the variance of each
RANK_TOLERANCE = 1e-10  # eigenvalues below this share of the largest are rounding errors


@dataclass(frozen=True, eq=False)
class Fitted:
    """A readout, its penalty, the root of its mean squared leave-one-out error relative to the
    deviation of the targets, and outputs and targets of rows that were left out one at a time.
    """

    weights: Weights
    penalty: float
    error: float
    outputs: Floats
    targets: Floats


@dataclass(frozen=True, eq=False)
class CaseReadout:
    """What a ridge regression needs of the cases so far; `taking` gives a new one.

    It keeps the features of up to as many cases as there are features, and the Gram matrix of those
    before them.
    """

    features: int
    targets: int
    rows: tuple[tuple[Floats, Floats], ...] = ()
    sums: Sums | None = None
    sample: Sample | None = None

    def taking(self, features: Floats, targets: Floats) -> CaseReadout:
        """The same with more cases, their features (n, p) and targets (n, m)."""
        more = replace(self, rows=(*self.rows, (features, targets)))
        return more._summed() if sum(len(x) for x, _ in more.rows) > self.features else more

    def fit(self, penalty: float | None = None) -> Fitted:
        """The readout, with the penalty that has the least leave-one-out error, or a given one."""
        if self.sums is None:
            x, y = (np.vstack(part) for part in zip(*self.rows, strict=True))
            return fit_rows(x, y, penalty)
        whole = self._summed()
        assert whole.sums is not None and whole.sample is not None
        return fit_sums(whole.sums.moments, whole.sample, penalty)

    def _summed(self) -> CaseReadout:
        """The same with the kept rows in the sums."""
        sums = Sums.empty(self.features, self.targets) if self.sums is None else self.sums.copy()
        sample = self.sample or Sample.empty(self.features, self.targets)
        for x, y in self.rows:
            sums.take(x.astype(np.float64), y)
            sample = sample.taking(x.astype(np.float64), y)
        return replace(self, rows=(), sums=sums, sample=sample)


def fit_rows(features: Floats, targets: Floats, penalty: float | None = None) -> Fitted:
    """Ridge regression by the products of the rows (n, p) with each other [GOL79].

    With K = X Xᵀ = Q v Qᵀ of the standardised rows, all penalties need one decomposition: the
    leverages are h_i = 1/n + Σ_j Q_ij² v_j/(v_j + penalty), the errors of rows that are left out
    e_i/(1 - h_i), exactly.
    """
    n = len(features)
    mean = features.mean(axis=0, dtype=np.float64)
    scale = _scale(features.var(axis=0, dtype=np.float64))
    x, centre = (features - mean) / scale, targets.mean(axis=0)
    y = targets - centre
    with limit_threads(n):
        values, vectors = eigh(product(x, x.T))
    kept = values > RANK_TOLERANCE * max(float(values[-1]), np.finfo(float).tiny)
    values, vectors = values[kept], vectors[:, kept]
    turned, squares = vectors.T @ y, np.square(vectors)
    unit = max(float(values.sum()) / n, np.finfo(float).tiny)
    deviation = np.sqrt(max(float(np.square(y).mean()), np.finfo(float).tiny))

    def left_out(tried: float) -> tuple[float, Floats]:
        kept_share = values / (values + tried)
        remaining = 1.0 - 1.0 / n - squares @ kept_share
        errors = (y - vectors @ (kept_share[:, None] * turned)) / np.maximum(
            remaining, RANK_TOLERANCE
        )[:, None]
        return float(np.sqrt(np.square(errors).mean())) / deviation, errors

    tries = [penalty] if penalty is not None else (unit * 10.0 ** PENALTY_DECADES[::-1]).tolist()
    best = min(tries, key=lambda tried: left_out(tried)[0])
    error, errors = left_out(best)
    divided = turned / (values + max(best, np.finfo(float).tiny))[:, None]
    matrix = product(np.ascontiguousarray(x.T), np.ascontiguousarray(vectors @ divided))
    matrix = matrix / scale[:, None]
    return Fitted(Weights(matrix, centre - mean @ matrix), best, error, targets - errors, targets)


def fit_sums(moments: Gram, sample: Sample, penalty: float | None = None) -> Fitted:
    """The same from the Gram matrix of the rows; some of the rows are left out one at a time."""
    scale = _scale(moments.scatter.diagonal() / moments.count)
    gram = Gram(
        moments.count,
        moments.state_mean / scale,
        moments.target_mean,
        np.asfortranarray(moments.scatter / scale / scale[:, None]),
        moments.cross / scale[:, None],
        moments.target_scatter,
    )
    rows = Sample(sample.states / scale, sample.targets, sample.seen, sample.stride)
    best = choose_penalty(gram, rows)[0] if penalty is None else penalty
    root = factor(gram, best)
    errors = leave_one_out(root, rows.states, rows.targets)
    variance = max(float(gram.target_scatter.mean()) / gram.count, np.finfo(float).tiny)
    error = float(np.sqrt(np.square(errors).mean() / variance))
    weights = root.solve()
    matrix = weights.matrix / scale[:, None]
    return Fitted(
        Weights(matrix, weights.intercept), best, error, rows.targets - errors, rows.targets
    )


def _scale(variances: Floats) -> Floats:
    """What features with these variances are divided by; those that do not vary count for nothing.

    >>> _scale(np.array([0.0, 2.0])).tolist() == [np.inf, np.sqrt(2.0 + 0.3 * 1.0)]
    True
    """
    varying = variances > LEAST_DEVIATION**2
    return np.where(varying, np.sqrt(variances + VARIANCE_FLOOR * variances.mean()), np.inf)
