"""Lyapunov exponents of any system with a derivative: the mean logarithmic growth of tangents.

The exponents of a driven system are its conditional exponents. Those of a closed loop (a forecaster
fed by its own output) are the exponents of its attractor. The functions are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation, kernels
from .._errors import BadInput, NoDirection
from .._running import limit_threads
from .._validation import Floats
from ..compose import Driven
from ..driving import network_of
from ..system import FreeRunning, System
from ..topology import as_recurrent
from ._common import (
    Carry,
    Signal,
    after_transient,
    carrier,
    check_status,
    direction_count,
    input_rows,
    on_sphere,
    opened,
    start_state,
    tangent,
)
from ._growth import (
    ERROR_BLOCKS,
    block_errors,
    block_sums,
    grow,
    growth_after,
    running_mean,
    student_interval,
)

BEYOND_COLUMNS = 2  # exponents of a forecaster: what was not measured moves in few directions
ZERO_ERRORS = 2.0  # standard errors within which an exponent counts as zero
CONDITIONAL_STEPS = 2000  # how fast a network forgets hardly varies along a run


@dataclass(frozen=True, eq=False)
class LyapunovSpectrum:
    """The exponents per step or unit of time, natural logarithm, in decreasing order (k,).

    An exponent is -inf if its direction vanishes up to rounding. standard_errors (k,): from block
    means, so that correlation in time is included; 0 where the exponent is -inf. history (H, k):
    the running mean after steps[h] steps.

    conditional: of a forecaster, the largest exponent of its network driven by the free run, which
    is how fast it forgets. The loop has as many exponents as its network has units, and the system
    that it learned only a few. Those below `conditional` belong to the network alone [HAR24].
    Those above it that are positive or zero belong to the system, and so do the first m if the m
    columns of the series are its whole state. Other negative ones may describe how the loop returns
    to the attractor: networks that differ (`random_state`) agree on those of the system.

    >>> import spheresn as sn
    >>> shrinking = sn.Reservoir(np.diag([0.5, 0.25]), inputs=[1.0, 1.0], activation=sn.Linear())
    >>> found = lyapunov_spectrum(shrinking, 600)
    >>> np.exp(found.exponents).round(6), found.standard_errors.round(6), int(found.steps[-1])
    (array([0.5 , 0.25]), array([0., 0.]), 100)
    """

    exponents: Floats
    standard_errors: Floats
    history: Floats
    steps: NDArray[np.int64]
    conditional: float | None = None

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """The ends (k,), (k,) of the intervals that follow from the standard errors."""
        blocks = min(ERROR_BLOCKS, max(len(self.steps) // 2, 2))
        low, high = student_interval(self.exponents, self.standard_errors, blocks, level)
        return np.asarray(low), np.asarray(high)


@dataclass(frozen=True, eq=False)
class MaxLyapunov:
    """The maximal exponent per step or unit of time, its standard error from block means, and the
    running mean.

    >>> import spheresn as sn
    >>> quartering = sn.Reservoir(recurrent=[[0.25]], inputs=[1.0], activation=sn.Linear())
    >>> found = max_lyapunov(quartering, 600)
    >>> round(float(np.exp(found.exponent)), 6), round(found.standard_error, 6), len(found.history)
    (0.25, 0.0, 100)
    """

    exponent: float
    standard_error: float
    history: Floats
    steps: NDArray[np.int64]

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The ends of the interval that follows from the standard error."""
        blocks = min(ERROR_BLOCKS, max(len(self.steps) // 2, 2))
        low, high = student_interval(self.exponent, self.standard_error, blocks, level)
        return float(low), float(high)


def lyapunov_spectrum(
    system: System | FreeRunning,
    signal: Signal | None = None,
    count: int | None = None,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
    dt: float = 1.0,
) -> LyapunovSpectrum:
    """The `count` largest Lyapunov exponents; by default all, N or on the sphere N - 1.

    λ_i = lim 1/n Σ_k log R_ii^(k), where Q^(k) R^(k) = J_k Q^(k-1) [BEN80]. The exact derivative
    carries the tangents, and QR makes them orthonormal again, every few steps, before a direction
    is lost. No Jacobian is formed. signal: (T, d), transient included, or a whole number T for T
    steps without input. start: a random point by default; required unless `system` is a Reservoir.
    rng draws the start and the first tangents, on which the exponents do not depend. dt: time from
    one step to the next, of which the exponents are then per unit.

    A fitted forecaster may stand in place of a system. It runs free from where it is, 10,500 steps
    by default, and `count` is by default two more than it has columns. `LyapunovSpectrum` says
    which of its exponents are those of the system that it learned.

    >>> import spheresn as sn
    >>> matrix = [[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> turning = sn.Reservoir(recurrent=matrix, inputs=np.zeros(3))
    >>> lyapunov_spectrum(turning, 2000).exponents.round(6) + 0.0
    array([ 0.      , -0.693147])
    """
    step, generator = _validation.real("dt", dt, 0.0, above=True), _validation.generator(rng)
    model = system if isinstance(system, FreeRunning) else None
    system, signal, start = opened(system, signal, start)
    rows = input_rows(system, signal)
    skipped = after_transient(rows, transient)
    if model is not None and count is None:
        count = min(len(model.last_) + BEYOND_COLUMNS, system.tangent_dim)
    size = direction_count(system, count)
    state = start_state(system, start, generator)
    tangents = _first_tangents(system, state, size, generator)
    with limit_threads(len(state)):
        spans, growth = growth_after(_tangent_carrier(system), state, tangents, rows, skipped)
    mean, errors = block_errors(spans, growth)
    return LyapunovSpectrum(
        mean / step,
        errors / step,
        running_mean(spans, growth) / step,
        spans.cumsum(),
        None if model is None else _conditional(model, rows, skipped, state, generator) / step,
    )


def max_lyapunov(
    system: System | FreeRunning,
    signal: Signal | None = None,
    transient: int = 500,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
    dt: float = 1.0,
) -> MaxLyapunov:
    """The maximal Lyapunov exponent from one tangent vector, λ = lim 1/n Σ_k log |J_k v_k| [BEN80].

    Each v_k is scaled to length one. With a large dense W it costs hardly more than `drive`,
    because one pass through W multiplies the state and the tangent. The arguments are those of
    `lyapunov_spectrum`. A tangent that vanishes exactly (a delay line, W = 0) gives -inf with
    standard error 0.

    >>> import spheresn as sn
    >>> halving = sn.Reservoir(recurrent=[[0.5]], inputs=[1.0], activation=sn.Linear())
    >>> round(max_lyapunov(halving, np.ones(600)).exponent, 6)
    -0.693147
    """
    step = _validation.real("dt", dt, 0.0, above=True)
    system, signal, start = opened(system, signal, start)
    rows = input_rows(system, signal)
    skipped = after_transient(rows, transient)
    growth = growth_of_rows(system, rows, start, _validation.generator(rng))[skipped:, None]
    spans = np.ones(len(growth), np.int64)
    mean, errors = block_errors(spans, growth)
    return MaxLyapunov(
        float(mean[0]) / step,
        float(errors[0]) / step,
        running_mean(spans, growth)[:, 0] / step,
        spans.cumsum(),
    )


@dataclass(frozen=True)
class KaplanYorke:
    """The Kaplan-Yorke dimension, and its standard error, infinite where it is not known.

    trusted: False where exponents are missing (those given have no negative sum, so that the
    dimension is larger), or where it rests on one below `conditional` of a forecaster, which
    belongs to the network.

    >>> kaplan_yorke_dimension([0.75, 0.0, -15.0])
    KaplanYorke(dimension=2.05, standard_error=inf, trusted=True)
    """

    dimension: float
    standard_error: float
    trusted: bool

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The ends of the interval that follows from the standard error."""
        low, high = student_interval(self.dimension, self.standard_error, ERROR_BLOCKS, level)
        return max(float(low), 0.0), float(high)


def kaplan_yorke_dimension(
    spectrum: LyapunovSpectrum | ArrayLike | System | FreeRunning, **options: Any
) -> KaplanYorke:
    """D = j + (λ_1 + ... + λ_j)/|λ_{j+1}|, with the largest j whose sum is not negative [KAP79].

    spectrum: a `LyapunovSpectrum`, exponents (k,), or a system or a fitted forecaster, of which as
    many exponents are measured as it takes, with `options` of `lyapunov_spectrum`. The standard
    error is that of a jackknife over blocks of the run.

    An additional exponent can only raise D. So the dimension of a forecaster is an upper bound if
    its loop has exponents of its own among those of the system.

    >>> round(kaplan_yorke_dimension([0.42, -1.62]).dimension, 3)  # the Hénon map
    1.259
    """
    if isinstance(spectrum, (FreeRunning, System)):
        return _dimension_of_system(spectrum, **options)
    if options:
        raise BadInput(
            f"{', '.join(options)} must go with a system, got exponents that are measured already; "
            "leave them out"
        )
    if isinstance(spectrum, LyapunovSpectrum):
        return _dimension_of_spectrum(spectrum)
    exponents = np.sort(_validation.floats("spectrum", spectrum, (1,), np.float64))[::-1]
    if not len(exponents) or not (exponents < np.inf).all():
        raise BadInput(
            f"spectrum must be exponents that are finite or -inf, got {exponents.tolist()}; pass "
            "those of lyapunov_spectrum"
        )
    return KaplanYorke(_dimension(exponents), np.inf, bool(exponents.sum() < 0.0))


def _dimension_of_system(
    system: System | FreeRunning, count: int | None = None, **options: Any
) -> KaplanYorke:
    """From as many exponents as have a negative sum, or from all."""
    loop = system.closed_loop_ if isinstance(system, FreeRunning) else system
    while True:
        spectrum = lyapunov_spectrum(system, count=count, **options)
        count = len(spectrum.exponents)
        complete = count == loop.tangent_dim
        if complete or spectrum.exponents.sum() < 0.0:
            return _dimension_of_spectrum(spectrum, complete)
        count = min(2 * count, loop.tangent_dim)


def _dimension_of_spectrum(spectrum: LyapunovSpectrum, complete: bool = False) -> KaplanYorke:
    """`complete`: whether there are no more exponents."""
    # A flow and a cycle have an exponent of zero, of which chance makes a small negative one
    zero = np.abs(spectrum.exponents) <= ZERO_ERRORS * spectrum.standard_errors
    exponents = np.where(zero, 0.0, spectrum.exponents)
    dimension = _dimension(exponents)
    rests = exponents[: int(dimension) + 1]
    trusted = complete or bool(exponents.sum() < 0.0)
    if spectrum.conditional is not None:
        trusted &= bool((rests > spectrum.conditional).all())
    spans = np.diff(spectrum.steps, prepend=0)
    finite = np.isfinite(exponents)
    growth = np.diff(spectrum.history[:, finite] * spectrum.steps[:, None], axis=0, prepend=0.0)
    steps, sums = block_sums(spans, growth)
    without = np.tile(exponents, (len(steps), 1))
    without[:, finite] = (sums.sum(axis=0) - sums) / (steps.sum() - steps)[:, None]
    without[:, zero] = 0.0
    jackknife = np.array([_dimension(np.sort(one)[::-1]) for one in without])
    error = np.sqrt((len(steps) - 1) * jackknife.var())
    return KaplanYorke(dimension, float(error), trusted)


def _dimension(exponents: Floats) -> float:
    """Of exponents in decreasing order."""
    sums = exponents.cumsum()
    j = int((sums >= 0.0).sum())
    if j in (0, len(exponents)):
        return float(j)
    return float(j + (sums[j - 1] / -exponents[j]))


def autonomous_exponents(recurrent: Any) -> Floats:
    """The N - 1 Lyapunov exponents of x -> W x/|W x|: log|λ_i| - log|λ_1|, i = 2..N, decreasing.

    The map is the action of W on directions: a tangent is a vector modulo x, multiplied by Wⁿ and
    divided by |Wⁿ x|, which grows as |λ_1|ⁿ from every start outside of a proper subspace. From
    one inside of it exponents can be positive: that of W = diag(2, 1) at e_2 is log 2. If a single
    real eigenvalue leads strictly, the maximal exponent is log|λ_2/λ_1| < 0. Otherwise it is 0: for
    a complex pair, whose phase is never forgotten, and for λ beside -λ or again λ. It depends
    neither on the spectral radius nor on r. The paper derives "always zero" [VAL19, eqn:LLE]. W: an
    array (N, N), a sparse matrix or a topology, not nilpotent.

    >>> autonomous_exponents(np.diag([4.0, 2.0, -1.0])).round(4)
    array([-0.6931, -1.3863])
    """
    matrix = as_recurrent(recurrent)
    if matrix.spectral_radius() == 0.0:
        raise NoDirection(
            "a nilpotent W ends at zero, which has no direction and no exponents; use a W whose "
            "links form a cycle"
        )
    sizes = np.sort(np.abs(np.linalg.eigvals(matrix.toarray().astype(np.float64))))[::-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sizes[1:] / sizes[0]))


def tangent_growth(
    system: System,
    signal: Signal,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> Floats:
    """log |J_k v_k| of one tangent vector for each step (T,).

    During the first steps the vector still turns towards the fastest direction.
    """
    return growth_of_rows(system, input_rows(system, signal), start, _validation.generator(rng))


def growth_of_rows(
    system: System, rows: Floats, start: ArrayLike | None, rng: np.random.Generator
) -> Floats:
    """`tangent_growth` of rows (T, d) that are checked already."""
    direction_count(system, None)  # there must be one
    state = start_state(system, start, rng)
    return _vector_growth(system, state, _first_tangents(system, state, 1, rng), rows)


@dataclass(frozen=True, eq=False)
class _DrivenByItsRun:
    """The networks of a closed loop, driven by the rows of a free run as if these were data.

    Differences of the rows, the last m entries of the state, are not carried along.
    """

    loop: System
    columns: int

    @property
    def tangent_dim(self) -> int:
        return self.loop.tangent_dim - self.columns

    def step(self, state: Floats, inputs: Floats) -> Floats:
        return self.loop.step(state, inputs)

    def tangent_step(
        self, state: Floats, inputs: Floats, tangents: Floats
    ) -> tuple[Floats, Floats]:
        state, carried = self.loop.tangent_step(state, inputs, self._of_network(tangents))
        return state, self._of_network(carried)

    def _of_network(self, tangents: Floats) -> Floats:
        return np.vstack([tangents[: -self.columns], np.zeros((self.columns, tangents.shape[1]))])


def _conditional(
    model: FreeRunning, rows: Floats, skipped: int, start: Floats, rng: np.random.Generator
) -> float:
    """The largest exponent per step of the networks of a forecaster, driven by its free run."""
    driven = _DrivenByItsRun(model.closed_loop_, len(model.last_))
    growth = growth_of_rows(driven, rows[: skipped + CONDITIONAL_STEPS], start, rng)[skipped:]
    return float(growth.mean())


def _first_tangents(system: System, state: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Random orthonormal rows (count, N); on the sphere they are orthogonal to the state."""
    columns = rng.standard_normal((len(state), count)).astype(state.dtype)
    return np.ascontiguousarray(np.linalg.qr(tangent(system, state, columns))[0].T)


def _tangent_carrier(system: System) -> Carry:
    """`carrier`; on a sphere it also removes the part along the state that rounding adds."""
    carry = carrier(system)
    if not on_sphere(system):
        return carry

    def carry_tangent(state: Floats, rows: Floats, tangents: Floats) -> tuple[Floats, Floats]:
        state, tangents = carry(state, rows, tangents)
        return state, tangent(system, state, tangents.T).T

    return carry_tangent


def _vector_growth(system: System, state: Floats, tangents: Floats, rows: Floats) -> Floats:
    network = network_of(system) if isinstance(system, Driven) else None
    if network is None:
        return grow(carrier(system), state, tangents, rows, longest=1)[2][1][:, 0]
    sizes = np.empty(len(rows))
    check_status(*kernels.tangent_vector_loop(network, rows, state, tangents[0], sizes))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sizes))
