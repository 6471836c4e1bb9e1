"""The distribution of future values, from the errors of a record: Student's, or one of counts where
a column counts something.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats
from ..estimators.outcomes import CountOutcomes, Dependence, Outcomes, StudentOutcomes
from .backtesting import Backtest, spread_by_step
from .combination import COMBINATION
from .defaults import SERIES_DEFAULTS

RECENT_COUNTS = 150  # rows: what a series counted before says little about the next rows
LARGEST_COUNT = 2.0**53  # floats beyond are whole, whatever they stand for
# The mean of counts from which their distribution is as good as continuous
LARGEST_COUNT_MEAN = 30.0
# Of a mean: errors with a smaller variance are no chance events that are counted
LEAST_DISPERSION = 0.5
SHRINKAGE = 0.1  # of correlations towards zero: they are estimated from few errors


def outcomes_of(record: Backtest, values: Floats, mean: Floats) -> Outcomes:
    """The distribution about a forecast (H, d) of values (T, d), all in the units of the series,
    from the errors of the combination in its record.
    """
    steps, errors, scale = len(mean), record.errors(COMBINATION), record.scaler.scale
    found = [spread_by_step(errors[:, :, column], steps) for column in range(errors.shape[2])]
    spreads = np.column_stack([spread for spread, _ in found]) * scale
    degrees = np.array([count for _, count in found])
    spread = SERIES_DEFAULTS.wider * spreads
    others = StudentOutcomes(mean, spread, degrees, dependence_of(errors))
    whole = ((values >= 0.0) & (values <= LARGEST_COUNT) & (values == np.floor(values))).all(axis=0)
    if not whole.any():
        return others
    small = np.where(whole, values, 0.0)  # other columns may be too large for squares
    in_units = np.where(whole, errors * scale, 0.0)
    counts = are_counts(small, in_units)
    if not counts.any():
        return others
    recent = small[-RECENT_COUNTS:]
    means, variances = count_moments(in_units, recent, np.where(whole, mean, 0.0), spread)
    return CountOutcomes(counts, means, variances, others)


def are_counts(values: Floats, errors: Floats) -> NDArray[np.bool_]:
    """Which columns (d,) count few events: whole numbers from zero on, small ones, whose errors
    (K, H, d) vary about as much as chance makes counts vary.

    >>> rows = np.array([[0.0, 20.0, 0.5], [2.0, 21.0, 1.0], [1.0, 20.0, 0.5]])
    >>> are_counts(rows, np.array([[[1.0, 0.5, 0.5]]])).tolist()
    [True, False, False]
    """
    whole = ((values >= 0.0) & (values == np.floor(values))).all(axis=0)
    level = values[-RECENT_COUNTS:].mean(axis=0)
    varied = np.mean(np.square(errors), axis=(0, 1)) >= LEAST_DISPERSION * level
    rare = (values == 0.0).any(axis=0)
    return np.asarray(whole & (level <= LARGEST_COUNT_MEAN) & (rare | varied) & values.any(axis=0))


def count_moments(
    errors: Floats, recent: Floats, mean: Floats, spread: Floats
) -> tuple[Floats, Floats]:
    """Means and variances (H, d) of counts. A forecast with small absolute errors may lie below the
    mean of the counts: if most counts are zero, zero has the smallest error. So the mean is that of
    the forecast minus its mean error; where there was no error at all, because nothing was counted,
    it is that of recent rows.
    """
    bias = errors.mean(axis=(0, 1))
    means = np.maximum(mean - bias, 0.0)
    silent = (np.abs(errors).max(axis=(0, 1)) == 0.0) | (means <= 0.0)
    # One event more than were seen, in one row more: none seen is not none possible
    seen = (recent.sum(axis=0) + 1.0) / (len(recent) + 1.0)
    means = np.where(silent, np.maximum(means, seen), means)
    variances = np.where(silent, recent.var(axis=0), spread**2)
    return means, np.maximum(variances, means)


def dependence_of(errors: Floats) -> Dependence:
    """How errors (K, H, d) depend on each other, in deviations of their steps and columns.

    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((500, 8, 1)), axis=1)
    >>> 0.7 < dependence_of(walk).persistence < 0.9
    True
    """
    sizes = np.sqrt(np.mean(np.square(errors), axis=0, keepdims=True))
    scaled = errors / np.where(sizes > 0.0, sizes, 1.0)
    rows = scaled.reshape(-1, errors.shape[2])
    products = rows.T @ rows / len(rows)
    sizes = np.sqrt(np.diag(products))
    safe = np.where(sizes > 0.0, sizes, 1.0)
    correlations = (1.0 - SHRINKAGE) * products / np.outer(safe, safe)
    np.fill_diagonal(correlations, 1.0)
    pairs = scaled[:, 1:] * scaled[:, :-1]
    persistence = float(np.clip(pairs.mean(), 0.0, 1.0)) if pairs.size else 0.0
    return Dependence(persistence, correlations)
