"""The exact spectral radius."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, eigs

from .._validation import Floats

# Units. Up to this size all eigenvalues are computed; above it, a checked Arnoldi iteration.
DENSE_WEIGHTS = 2000
# Units, and links of each at most: of such matrices the iteration takes a fraction of the time
SPARSE_WEIGHTS, FEW_LINKS = 250, 16
# The default basis with k = 1 is sometimes wrong without notice: it converges to an inner
# eigenvalue
WEIGHTS_EIGENVALUES, WEIGHTS_BASIS = 8, 80
WEIGHTS_TOLERANCE = 1e-11  # of a residual, per unit, relative to the largest eigenvalue


def spectral_radius(matrix: Floats | Any) -> float:
    """max |λ_i(W)| of an array or a scipy sparse matrix.

    A matrix whose links form no cycle is nilpotent, so its radius is exactly 0. Its computed
    eigenvalues would be rounding errors of size eps^(1/N), which is not small.

    >>> round(spectral_radius(np.array([[0.0, 2.0], [-2.0, 0.0]])), 12)
    2.0
    """
    if _has_no_cycle(matrix):
        return 0.0
    if matrix.shape[0] <= DENSE_WEIGHTS and not _has_few_links(matrix):
        return _by_all_eigenvalues(matrix)
    return _by_arnoldi(matrix)


def _has_few_links(matrix: Any) -> bool:
    units = matrix.shape[0]
    return bool(
        units >= SPARSE_WEIGHTS and sparse.issparse(matrix) and matrix.nnz <= FEW_LINKS * units
    )


def _has_no_cycle(matrix: Floats | Any) -> bool:
    links = sparse.csr_array(matrix)
    count, _ = connected_components(links, directed=True, connection="strong")
    return bool(count == matrix.shape[0] and not links.diagonal().any())


def _by_all_eigenvalues(matrix: Any) -> float:
    full = matrix.toarray() if sparse.issparse(matrix) else matrix
    return float(np.abs(np.linalg.eigvals(full.astype(np.float64))).max())


def _by_arnoldi(matrix: Floats | Any) -> float:
    """The largest of several eigenvalues, accepted only if all of them have small residuals."""
    wide = matrix.astype(np.float64)
    start = np.random.default_rng(0).standard_normal(wide.shape[0])
    try:
        values, vectors = eigs(
            wide, k=WEIGHTS_EIGENVALUES, ncv=WEIGHTS_BASIS, v0=start, tol=WEIGHTS_TOLERANCE / 100
        )
    except ArpackError:
        return _by_all_eigenvalues(matrix)
    residuals = np.linalg.norm(wide @ vectors - vectors * values, axis=0)
    if residuals.max() > WEIGHTS_TOLERANCE * np.abs(values).max() * wide.shape[0]:
        return _by_all_eigenvalues(matrix)
    return float(np.abs(values).max())
