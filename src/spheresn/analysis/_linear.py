"""The linear readout that the memory measures need: ridge regression from one factorisation, for many targets at once."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from .._checks import Floats


def fit_linear(states: Floats, targets: Floats, penalty: float) -> tuple[Floats, Floats]:
    """Weights (N, m) and intercepts (m,) that minimise |Y - X B - 1 cᵀ|² + penalty |B|²; the intercept is not penalised."""
    x_mean, y_mean = states.mean(axis=0, dtype=np.float64), targets.mean(axis=0, dtype=np.float64)
    x = states.astype(np.float64) - x_mean
    gram, cross = x.T @ x, x.T @ (targets - y_mean)
    weights = _solve(gram, cross, penalty)
    return weights, y_mean - x_mean @ weights


def _solve(gram: Floats, cross: Floats, penalty: float) -> Floats:
    """(G + penalty I)⁻¹ C; directions that rounding cannot tell from zero are left out."""
    try:
        factor = cho_factor(gram + penalty * np.eye(len(gram)), lower=True)
    except LinAlgError:
        return _solve_safely(gram, cross, penalty)
    pivots = factor[0].diagonal()
    if pivots.min() ** 2 <= len(gram) * np.finfo(float).eps * pivots.max() ** 2:
        return _solve_safely(gram, cross, penalty)
    return np.asarray(cho_solve(factor, cross))


def _solve_safely(gram: Floats, cross: Floats, penalty: float) -> Floats:
    values, vectors = eigh(gram)
    kept = values > len(gram) * np.finfo(float).eps * max(float(values[-1]), 0.0)
    vectors, values = vectors[:, kept], values[kept]
    return np.asarray(vectors @ ((vectors.T @ cross) / (values + penalty)[:, None]))
