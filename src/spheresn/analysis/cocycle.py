"""Lyapunov exponents of the sphere from a product of plain matrices (theory, Theorem 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation, kernels, sphere
from .._running import limit_threads
from .._validation import Floats
from ..reservoir import Reservoir
from ._common import (
    Carry,
    Signal,
    after_transient,
    check_status,
    direction_count,
    input_rows,
    start_state,
)
from ._growth import block_errors, growth_after, running_mean
from .decomposition import plain_radius
from .lyapunov import LyapunovSpectrum


def cocycle_exponents(
    reservoir: Reservoir,
    signal: Signal,
    count: int | None = None,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> LyapunovSpectrum:
    """The exponents on the sphere without a derivative of the projection.

    A step is homogeneous of degree one: y_k = r W y_{k-1} + |y_{k-1}| u_k has the direction of x_k
    and the derivative A_k = r W + u_k x̂_{k-1}ᵀ, a plain matrix. The exponents of the product A_k
    ... A_1, minus ⟨log N_k⟩, are those on the sphere and one zero, that of x̂ itself, which is left
    out. It is a check of `lyapunov_spectrum` by other means, and takes the same arguments, for a
    sphere without bend and leak.

    >>> import spheresn as sn
    >>> from spheresn.analysis import lyapunov_spectrum
    >>> reservoir = sn.random_reservoir(20, input_scaling=2.0, rng=0)
    >>> signal = sn.datasets.white_noise(3000, rng=0)
    >>> one = cocycle_exponents(reservoir, signal).exponents
    >>> two = lyapunov_spectrum(reservoir, signal).exponents
    >>> bool(np.allclose(one, two, atol=0.01))
    True
    """
    radius = plain_radius(reservoir)
    rows, generator = input_rows(reservoir, signal), _validation.generator(rng)
    skipped = after_transient(rows, transient)
    size = direction_count(reservoir, count)
    state: Floats = start_state(reservoir, start, generator).astype(np.float64)
    columns = generator.standard_normal((reservoir.units, size + 1))
    frame = np.ascontiguousarray(np.linalg.qr(columns)[0].T)
    with limit_threads(reservoir.units):
        spans, growth = growth_after(_carrier(reservoir, radius), state, frame, rows, skipped)
    # The copy of x̂ has exponent 0. If all of these are positive, it comes later than the last.
    own = int(np.argmin(np.abs(growth.sum(axis=0))))
    growth = np.delete(growth, own, axis=1)
    mean, errors = block_errors(spans, growth)
    return LyapunovSpectrum(mean, errors, running_mean(spans, growth), spans.cumsum())


def _carrier(reservoir: Reservoir, radius: float) -> Carry:
    """The function that multiplies the rows of a frame by A_k/N_k."""
    recurrent = reservoir.recurrent.astype(np.float64)
    inputs, bias = reservoir.inputs.astype(np.float64), reservoir.bias.astype(np.float64)

    def carry(state: Floats, rows: Floats, frame: Floats) -> tuple[Floats, Floats]:
        columns, x = frame.T, state / radius
        for k, row in enumerate(rows):
            u = inputs @ row + bias
            a = radius * recurrent.matvec(x) + u
            norm = float(sphere.norms(a[None])[0])
            if norm == 0.0:
                check_status(kernels.DEGENERATE, k)
            columns = (radius * recurrent.matvec(columns) + np.outer(u, x @ columns)) / norm
            x = a / norm
        return radius * x, np.asarray(columns.T)

    return carry
