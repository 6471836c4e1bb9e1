"""Intervals from the errors of a backtest: how far off the forecasts were, so many steps ahead."""

from __future__ import annotations

import numpy as np

from .._validation import Floats

LEVEL = 0.9
ROUNDING = 1.0 - 1e-12  # so that 18.000000000000004 of 19 errors are 18
NEIGHBOURS = 0.2  # horizons this much nearer or farther lend their errors


def half_widths(errors: Floats, level: float = LEVEL) -> Floats:
    """For each horizon (H,) the width that covers an error with probability `level`, from errors
    (K, H).

    The quantile of |e| at the level (1 + 1/k) `level`, which k exchangeable errors need to cover
    one more [VOV05]; k counts errors that overlap in time for less than one each.
    """
    sizes = np.abs(errors)
    widths = np.empty(sizes.shape[1])
    for step in range(sizes.shape[1]):
        reach = int(NEIGHBOURS * (step + 1))
        near = sizes[:, max(step - reach, 0) : step + reach + 1]
        wanted = min(level * (1.0 + 1.0 / independent(sizes[:, step])), 1.0)
        widths[step] = np.quantile(near, wanted * ROUNDING, method="inverted_cdf")
    return widths


def independent(values: Floats) -> float:
    """As how many independent ones these successive values count: K/(1 + 2 Σ ρ_j), the sum up to
    the first correlation below zero.
    """
    centred = values - values.mean()
    scale = float(np.abs(centred).max(initial=0.0))
    if len(values) < 3 or scale == 0.0:
        return float(len(values))
    centred = centred / scale
    products = np.correlate(centred, centred, "full")[len(values) - 1 :]
    correlation = products / products[0]
    below = np.flatnonzero(correlation <= 0.0)
    inflation = 1.0 + 2.0 * float(correlation[1 : below[0] if len(below) else None].sum())
    return len(values) / max(inflation, 1.0)
