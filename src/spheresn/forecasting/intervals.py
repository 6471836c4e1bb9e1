"""How wide an interval around a forecast must be, by the errors of earlier forecasts."""

from __future__ import annotations

import numpy as np

from .._validation import Floats, real
from ..series.statistics import autocorrelations

INTERVAL_LEVEL = 0.9  # of an interval, unless the user gives another
BELOW_NEXT_RANK = 1.0 - 1e-12  # so that 18.000000000000004 of 19 errors are 18
NEIGHBOURING_HORIZONS = 0.2  # errors at horizons nearer or farther by this share count too


def half_widths(errors: Floats, level: float = INTERVAL_LEVEL) -> Floats:
    """For each horizon the half width that covers an error with probability `level`.

    errors (K, H) of K successive origins give (H,), and (K, H, d) give (H, d). The half width is
    the quantile of |e| at the level (1 + 1/k) `level`, which k exchangeable errors need to cover
    one more [VOV05]. Errors that overlap in time count for less than one each in k.

    >>> half_widths(np.array([[1.0], [-3.0], [2.0]]), level=0.5).tolist()
    [2.0]
    """
    real("level", level, 0.0, 1.0, above=True)
    if errors.ndim == 3:
        columns = range(errors.shape[2])
        return np.column_stack([half_widths(errors[:, :, one], level) for one in columns])
    sizes = np.abs(errors)
    widths = np.empty(sizes.shape[1])
    for step in range(sizes.shape[1]):
        reach = int(NEIGHBOURING_HORIZONS * (step + 1))
        near = sizes[:, max(step - reach, 0) : step + reach + 1]
        quantile = min(level * (1.0 + 1.0 / effective_count(sizes[:, step])), 1.0)
        widths[step] = np.quantile(near, quantile * BELOW_NEXT_RANK, method="inverted_cdf")
    return widths


def effective_count(values: Floats) -> float:
    """How many independent values have as precise a mean as these successive ones.

    K/(1 + 2 Σ ρ_j), with the sum up to the first correlation below zero.
    """
    if len(values) < 3:
        return float(len(values))
    correlation = autocorrelations(values, len(values) - 1)
    below = np.flatnonzero(correlation <= 0.0)
    inflation = 1.0 + 2.0 * float(correlation[1 : below[0] if len(below) else None].sum())
    return len(values) / max(inflation, 1.0)


def spread_by_step(errors: Floats, steps: int) -> tuple[Floats, float]:
    """The deviation of errors (K, H) at each of `steps` horizons, and its degrees of freedom.

    The deviation is that of a normal variable with the same mean of |e|, later forecasts counting
    for more. Horizons are smoothed towards a power law, which also continues them.
    """
    ages = np.exp(np.linspace(-2.0, 0.0, len(errors)))
    sizes = np.sqrt(np.pi / 2.0) * (ages @ np.abs(errors) / ages.sum())
    safe = np.maximum(sizes, np.finfo(float).tiny)
    horizons = np.arange(1.0, len(sizes) + 1.0)
    logs, places = np.log(safe), np.log(horizons)
    power = 0.5
    if len(sizes) > 3:
        power = float(np.clip(np.polyfit(places, logs, 1)[0], 0.0, 1.0))
        law = logs.mean() + power * (places - places.mean())
        safe = np.exp(0.5 * (logs + law))
    count = effective_count((np.abs(errors) / safe).mean(axis=1))
    beyond = np.arange(len(sizes) + 1.0, steps + 1.0) / len(sizes)
    found = np.concatenate([safe, safe[-1] * np.sqrt(beyond)])[:steps]
    return np.where(sizes.any(), found, 0.0), max(count, 2.0)
