"""How good intervals and samples are."""

from __future__ import annotations

import numpy as np

Floats = np.ndarray


def covered(truth: Floats, lower: Floats, upper: Floats) -> Floats:
    """Whether each value lies in its interval; False where that has no ends."""
    return (lower <= truth) & (truth <= upper)


def crps(sample: Floats, truth: Floats) -> Floats:
    """The continuous ranked probability score of samples (n, ...) for true values (...).

    E|X - y| - E|X - X'| / 2, the second mean over all pairs of different members, so that a small
    sample is judged as a large one from the same distribution would be.
    """
    ordered, count = np.sort(sample, axis=0), len(sample)
    weights = (2.0 * np.arange(1, count + 1) - count - 1).reshape(-1, *[1] * truth.ndim)
    apart = (weights * ordered).sum(axis=0) / (count * (count - 1))
    return np.asarray(np.abs(sample - truth).mean(axis=0) - apart)
