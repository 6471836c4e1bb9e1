"""The extended Kalman filter of a network that forecasts its own inputs, compiled.

What is uncertain are the last p values of the series, `recent`. The state of the network follows
from them: where they are corrected, the network is driven by them again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from ._jit import INLINED, copy_row, entry, inlined
from .activate import activate
from .closed import bend_back
from .codes import (
    BEYOND,
    FINE,
    FRESH,
    LOST,
    LOST_MOST,
    OUTLIER,
    Network,
    Passed,
    Track,
    advance,
    guarded,
)
from .preactivation import add_input, preactivation
from .rows import dot, multiply_both
from .tangent import Workspace, activate_both


def track_loop(
    network: Network,
    readout: Any,
    rows: Any,
    beside: Any,
    noise: Any,
    drift: Any,
    track: Track,
    passed: Passed,
) -> tuple[int, int]:
    """Forecast each row (T, m), correct by it where it is not NaN; returns a status and its step.

    noise, drift (m,): variances of the noise of the rows, and of what the model does not know of a
    step.
    """
    m, units = rows.shape[1], len(track.state)
    other = np.zeros_like(track.slopes)
    work = guarded((6, units), track.state.dtype)
    room = np.empty((2 * m + 2, len(track.recent)))
    row = np.empty(m + beside.shape[1], track.state.dtype)

    def piece(network: Network, first: int, stop: int) -> Any:
        return steady_track_loop(
            network, readout, rows, beside, noise, drift, track, other, work, room, row,
            passed, first, stop
        )  # fmt: skip

    return advance(network, piece, 0, len(rows))


def read_both(readout: Any, state: Any, carried: Any, value: Any, forward: Any) -> None:
    """value = the next value of the series, forward[i, j] = its derivative along carried[j].

    Before, value is the newest value, and carried[i] for i < m the derivative by that. Inside
    compiled loops only.
    """
    raise NotImplementedError  # pragma: no cover - replaced when numba compiles


@inlined
def bend_back_slope(value: float, low: float, high: float) -> float:
    """The derivative of `bend_back`."""
    width = BEYOND * (high - low)
    beyond = value - high if value > high else (low - value if value < low else 0.0)
    if beyond == 0.0:
        return 1.0
    if not width > 0.0:
        return 0.0
    flat = np.tanh(beyond / width)
    return float(1.0 - flat * flat)


def _linear_both(
    readout: Any, state: Any, carried: Any, value: Any, forward: Any
) -> None:  # pragma: no cover - compiled by numba
    carry, low, high, intercept, linear = readout
    for i in range(len(value)):
        total = carry * value[i] + intercept[i] + dot(linear[i], state)
        slope = bend_back_slope(total, low[i], high[i])
        value[i] = bend_back(total, low[i], high[i])
        for j in range(len(carried)):
            forward[i, j] = slope * dot(linear[i], carried[j])
        forward[i, i] += slope * carry


def _quadratic_both(
    readout: Any, state: Any, carried: Any, value: Any, forward: Any
) -> None:  # pragma: no cover - compiled by numba
    carry, low, high, intercept, linear, centre, components, quadratic, scores = readout
    moved = np.empty(len(scores))
    for c in range(len(scores)):
        total = 0.0
        for j in range(len(state)):
            total += components[c, j] * (state[j] - centre[j])
        scores[c] = total
    slopes = np.empty(len(value))
    for i in range(len(value)):
        total = carry * value[i] + intercept[i] + dot(linear[i], state)
        n = 0
        for c in range(len(scores)):
            for d in range(c, len(scores)):
                total += quadratic[i, n] * scores[c] * scores[d]
                n += 1
        slopes[i] = bend_back_slope(total, low[i], high[i])
        value[i] = bend_back(total, low[i], high[i])
    for j in range(len(carried)):
        for c in range(len(scores)):
            moved[c] = dot(components[c], carried[j])
        for i in range(len(value)):
            total = dot(linear[i], carried[j])
            n = 0
            for c in range(len(scores)):
                for d in range(c, len(scores)):
                    total += quadratic[i, n] * (scores[c] * moved[d] + moved[c] * scores[d])
                    n += 1
            forward[i, j] = slopes[i] * total
    for i in range(len(value)):
        forward[i, i] += slopes[i] * carry


@overload(read_both, jit_options=INLINED)
def _choose(readout: Any, state: Any, carried: Any, value: Any, forward: Any) -> Any:
    return _linear_both if len(readout) == 5 else _quadratic_both


@inlined
def predict_covariance(covariance: Any, forward: Any, drift: Any, moved: Any) -> None:
    """P = F P Fᵀ + Q, where F puts the forecast before the values and drops the oldest."""
    m, n = forward.shape
    for i in range(m):
        for j in range(n):
            moved[i, j] = dot(forward[i], covariance[j])
    for i in range(n - 1, m - 1, -1):
        for j in range(n - 1, m - 1, -1):
            covariance[i, j] = covariance[i - m, j - m]
    for i in range(m):
        for j in range(m, n):
            covariance[i, j] = covariance[j, i] = moved[i, j - m]
        for j in range(i + 1):
            covariance[i, j] = covariance[j, i] = dot(moved[i], forward[j])
        covariance[i, i] += drift[i]


@inlined
def correct(
    covariance: Any, recent: Any, i: int, gap: float, variance: float, along: Any, gain: Any
) -> None:
    """Correct by one innovation of column i: P -= h hᵀ/c, recent += h e/c, where h = P_i."""
    copy_row(covariance[i], along)
    for j in range(len(along)):
        gain[j] = along[j] / variance
        recent[j] += gain[j] * gap
        for o in range(len(along)):
            covariance[j, o] -= along[j] * along[o] / variance


@inlined
def enter(network: Any, values: Any, beside: Any, row: Any, state: Any, a: Any, after: Any) -> int:
    """state = the next state, when values (m,) and the exogenous columns (e,) enter; a status.

    The state stays where it is if the step is not an ordinary one.
    """
    recurrent, inputs, bias, act = network
    copy_row(values, row[: len(values)])
    copy_row(beside, row[len(values) :])
    squares = preactivation(recurrent, state, inputs, bias, row, a)
    status = activate(act, a, squares, state, after)
    if status == FINE:
        copy_row(after, state)
    return int(status)


@inlined
def drive_again(
    network: Any, recent: Any, history: Any, m: int, row: Any, base: Any, work: Any, state: Any
) -> None:
    """state = that after all recent values but the newest have entered `base`."""
    a, after, driven = work[0], work[1], work[4]
    copy_row(base, driven)
    status = FINE
    for lag in range(len(history) - 1, 0, -1):
        values = recent[lag * m : (lag + 1) * m]
        status = max(status, enter(network, values, history[lag - 1], row, driven, a, after))
    if status == FINE:
        copy_row(driven, state)


@entry
def steady_track_loop(
    network: Any,
    readout: Any,
    rows: Any,
    beside: Any,
    noise: Any,
    drift: Any,
    track: Any,
    other: Any,
    work: Any,
    room: Any,
    row: Any,
    passed: Any,
    first: int,
    stop: int,
) -> tuple[int, int]:
    """`track_loop` from `first` up to `stop`, or to the first step whose status is not FINE."""
    recurrent, inputs, bias, act = network
    state, base, recent, history, covariance, slopes, surprise = track
    m, n = rows.shape[1], len(recent)
    steps = Workspace(work[0], work[1], work[2], work[3])
    forward, moved, along, gain = room[:m], room[m : 2 * m], room[2 * m], room[2 * m + 1]
    old, new = slopes, other
    value = np.empty(m)
    status, k = FINE, first
    while k < stop:
        for i in range(m):
            old[i] = 0
            row[i] = value[i] = recent[i]
        copy_row(beside[k], row[m:])
        carried = new[m : m + n]
        multiply_both(recurrent, state, old[:n], steps.a, carried)
        for i in range(m):
            copy_row(inputs[i], carried[i])
        squares = add_input(inputs, bias, row, steps.a)
        status = activate_both(act, squares, state, old[:n], carried, steps)
        if status != FINE:
            break
        read_both(readout, state, carried, value, forward)
        predict_covariance(covariance, forward, drift, moved)
        enter(network, recent[n - m :], history[len(history) - 2], row, base, work[0], work[1])
        for lag in range(len(history) - 1, 0, -1):
            copy_row(history[lag - 1], history[lag])
        copy_row(beside[k], history[0])
        for j in range(n - 1, m - 1, -1):
            recent[j] = recent[j - m]
        copy_row(value, recent[:m])
        if len(passed.expected):
            copy_row(value, passed.expected[k])
        if len(passed.forward):
            passed.forward[k] = forward
            copy_row(state, passed.states[k])
        if surprise[0] > LOST:
            wider = min(surprise[0], LOST_MOST) - 1.0
            for i in range(m):
                covariance[i, i] += wider * (covariance[i, i] + noise[i])
        total, seen = 0.0, 0
        for i in range(m):
            if not np.isfinite(rows[k, i]):
                continue
            gap, variance = rows[k, i] - recent[i], covariance[i, i] + noise[i]
            if not variance > 0.0:
                continue
            square = min(gap * gap / variance, OUTLIER)
            total, seen = total + square, seen + 1
            if len(passed.innovations):
                passed.innovations[k, i], passed.variances[k, i] = gap, variance
            if square == OUTLIER:
                variance = gap * gap / OUTLIER
            correct(covariance, recent, i, gap, variance, along, gain)
            if len(passed.gains):
                copy_row(gain, passed.gains[k, i])
        if seen:
            surprise[0] += FRESH * (total / seen - surprise[0])
            drive_again(network, recent, history, m, row, base, work, state)
        if len(passed.filtered):
            copy_row(recent[:m], passed.filtered[k])
            for i in range(m):
                passed.deviations[k, i] = np.sqrt(max(covariance[i, i], 0.0))
        if len(passed.smoothed):
            copy_row(recent[n - m :], passed.smoothed[k + 1])
            for i in range(m):
                oldest = covariance[n - m + i, n - m + i]
                passed.smoothed_deviations[k + 1, i] = np.sqrt(max(oldest, 0.0))
        old, new = new, old
        k += 1
    if (k - first) % 2 == 1:
        slopes[:] = old
    return status, k - first


@entry
def innovation_slopes(
    forward: Any, gains: Any, innovations: Any, features: Any, slopes: Any, found: Any
) -> None:
    """found[k, i] = the derivative of -innovation i of row k with respect to the readout (m Q,).

    The readout of column i has the Q entries from iQ on, which weigh features (T, Q) of the states.
    slopes (n, m Q): the derivative of `recent`, which changes in place. forward, gains and
    innovations are those of a pass. How the gains depend on the readout is left out, as in the
    method of Gauss and Newton.
    """
    steps, m, n = forward.shape
    entries, width = features.shape[1], slopes.shape[1]
    ahead = np.empty((m, width))
    for k in range(steps):
        for i in range(m):
            for o in range(width):
                ahead[i, o] = 0.0
            for j in range(n):
                scale = forward[k, i, j]
                for o in range(width):
                    ahead[i, o] += scale * slopes[j, o]
            for o in range(entries):
                ahead[i, i * entries + o] += features[k, o]
        for j in range(n - 1, m - 1, -1):
            copy_row(slopes[j - m], slopes[j])
        for i in range(m):
            copy_row(ahead[i], slopes[i])
        for i in range(m):
            copy_row(slopes[i], found[k, i])
            if not np.isfinite(innovations[k, i]):
                continue
            for j in range(n):
                scale = gains[k, i, j]
                for o in range(width):
                    slopes[j, o] -= scale * found[k, i, o]
