"""Fisher memory, the measure of linear networks to which the paper compares its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_discrete_lyapunov

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..topology import as_recurrent


def fisher_memory(recurrent: Any, inputs: ArrayLike, delays: ArrayLike) -> Floats:
    """The Fisher memory of a linear network, J(j) = wᵀ Wʲᵀ C⁻¹ Wʲ w, C = Σ_k Wᵏ Wᵏᵀ (D,) [GAN08].

    It is the information about the input j steps ago in a state with independent noise of unit
    variance on every unit in every step. W: (N, N), a sparse matrix or a topology, of spectral
    radius below 1. inputs: w (N,). For a normal W all delays together hold |w|². For W = ρQ with Q
    orthogonal √(J(j)/J(0)) = ρʲ, which is the memory of the paper [VAL19, eqn:memory_linear]; for
    other W it need not be.

    >>> fisher_memory(0.5 * np.eye(2), [1.0, 0.0], [0, 1, 2])
    array([0.75    , 0.1875  , 0.046875])
    """
    matrix = as_recurrent(recurrent)
    if not matrix.spectral_radius() < 1.0:
        raise BadInput(
            f"recurrent must have a spectral radius below 1, got {matrix.spectral_radius():.4g}; "
            "otherwise the noise adds up for ever"
        )
    dense = matrix.toarray().astype(np.float64)
    vector = _validation.array("inputs", inputs, 1)
    if len(vector) != len(dense):
        raise BadInput(
            f"inputs must have one weight per unit, {len(dense)}, got {len(vector)}; pass a column "
            "of W_in"
        )
    given = np.atleast_1d(np.asarray(delays)).tolist()
    ages = [_validation.whole("delays", one, 0) for one in given]
    vectors = np.empty((max(ages, default=0) + 1, len(vector)))
    for j in range(len(vectors)):
        vectors[j] = vector
        vector = matrix.matvec(vector)
    noise = solve_discrete_lyapunov(dense, np.eye(len(dense)))
    return np.asarray(np.einsum("ji,ij->j", vectors, np.linalg.solve(noise, vectors.T))[ages])
