"""The spherical state written as a sum over its past: x_n = M(n,0) x_0 + Σ_k M(n,k) u_k."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation, sphere
from .._errors import BadInput, NoDirection, StateOverflow
from .._validation import Floats
from ..activations import OnSphere
from ..driving import drive
from ..reservoir import Reservoir, check_reservoir
from ._common import Signal, input_rows


def norm_factors(reservoir: Reservoir, signal: Signal, start: ArrayLike | None = None) -> Floats:
    """N_k = |W x_{k-1} + u_k| along a signal (T,), u_k = W_in s_k + b [VAL19, eqn:norm_factor].

    >>> import spheresn as sn
    >>> turn = sn.Reservoir(recurrent=[[0.0, -3.0], [3.0, 0.0]], inputs=[0.0, 0.0])
    >>> norm_factors(turn, 2, start=[1.0, 0.0])
    array([3., 3.])
    """
    check_reservoir(reservoir)
    rows = input_rows(reservoir, signal)
    states = drive(reservoir, rows, start)
    first = np.zeros_like(states[0]) if start is None else np.asarray(start, states.dtype)
    before = np.vstack([first[None], states[:-1]])
    with np.errstate(over="ignore"):
        a = reservoir.recurrent.matvec(before.T).T + rows @ reservoir.inputs.T + reservoir.bias
        return _validation.finite("norm factors", sphere.norms(a.astype(np.float64)))


def memory_matrix(reservoir: Reservoir, factors: ArrayLike, step: int) -> Floats:
    """M(n,k) = r^{n-k+1} W^{n-k}/Π_{l=k..n} N_l (N, N), where k = step.

    For k = 0 it is M(n,0) = rⁿ Wⁿ/Π_{l=1..n} N_l.
    factors: N_1..N_n, from `norm_factors`. The printed M has no powers of r [VAL19,
    eqn:memory_matrix].

    >>> import spheresn as sn
    >>> turn = sn.Reservoir(recurrent=[[0.0, -3.0], [3.0, 0.0]], inputs=[0.0, 0.0])
    >>> memory_matrix(turn, [3.0, 3.0], 1)
    array([[ 0.        , -0.33333333],
           [ 0.33333333,  0.        ]])
    """
    radius, norms = plain_radius(reservoir), positive(factors)
    k = _validation.whole("step", step, 0)
    if k > len(norms):
        raise BadInput(
            f"step must be at most the number of factors, {len(norms)}, got {k}; pass more of them"
        )
    product = (
        _projected(np.eye(reservoir.units), radius, norms[k - 1]) if k else np.eye(reservoir.units)
    )
    for norm in norms[k:]:
        product = _projected(reservoir.recurrent.matvec(product), radius, norm)
    return product


def memory_terms(reservoir: Reservoir, signal: Signal, start: ArrayLike) -> Floats:
    """The terms M(n,0) x_0, M(n,1) u_1, ..., M(n,n) u_n (n + 1, N) of x_n [VAL19, eqn:final_state].

    Their sum is x_n. This is a decomposition, not a linear map: every N_l depends on all inputs up
    to l. The influence of an input is `memory_profile`.

    >>> import spheresn as sn
    >>> reservoir, signal = sn.random_reservoir(20, rng=0), np.cos(np.arange(9.0))
    >>> terms = memory_terms(reservoir, signal, np.eye(20)[0])
    >>> bool(np.allclose(terms.sum(axis=0), sn.drive(reservoir, signal, np.eye(20)[0])[-1]))
    True
    """
    radius, rows = plain_radius(reservoir), input_rows(reservoir, signal)
    factors = positive(norm_factors(reservoir, rows, start))
    terms: Floats = np.asarray(start, np.float64)[:, None]
    for drive_k, norm in zip(rows @ reservoir.inputs.T + reservoir.bias, factors, strict=True):
        terms = _projected(
            np.column_stack([reservoir.recurrent.matvec(terms), drive_k]), radius, norm
        )
    return terms.T


def _projected(terms: Floats, radius: float, norm: float) -> Floats:
    """The terms times r/N_k, which overflow where the pre-activation almost cancels."""
    with np.errstate(over="ignore", invalid="ignore"):
        projected = np.asarray(terms / norm * radius)
    if not np.isfinite(projected).all():
        raise StateOverflow(
            f"a term left the range of numbers where |a| = {norm:.3g}; add a bias or start "
            "elsewhere"
        )
    return projected


def plain_radius(reservoir: Reservoir) -> float:
    """The radius of a sphere without bend and leak, for which the closed forms hold."""
    check_reservoir(reservoir)
    if (
        not isinstance(reservoir.activation, OnSphere)
        or reservoir.activation.bend
        or reservoir.leak < 1.0
    ):
        got = f"{reservoir.activation}, leak {reservoir.leak:g}"
        raise BadInput(
            f"reservoir must be spherical with bend 0 and leak 1, got {got}; only then do "
            "the closed forms hold"
        )
    return float(reservoir.activation.radius)


def positive(factors: ArrayLike) -> Floats:
    """The normalisation factors, none of which may be zero."""
    norms = _validation.array("factors", factors, 1)
    if not (norms > 0.0).all():
        raise NoDirection(
            "a normalisation factor is zero, so that step has no direction; add a bias or start "
            "elsewhere"
        )
    return norms
