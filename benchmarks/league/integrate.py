"""Two accurate integrators of different kind, and the largest Lyapunov exponent of a flow.

Both step from row to row, and how they step inside of a row depends only on the state at its
beginning. So a series is the orbit of one fixed map: begun again at one of its rows, the integrator
repeats it to the last bit. No row is interpolated, because interpolation is less accurate than the
steps.

A flow is given as a compiled function f(x, out) that writes dx/dt, of the type `FLOW`.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, njit, types
from scipy.integrate._ivp import dop853_coefficients as dop

Floats = np.ndarray
SIGNATURE = types.void(float64[::1], float64[::1])
FLOW = types.FunctionType(SIGNATURE)

STAGES = dop.N_STAGES
A, B = np.ascontiguousarray(dop.A[:STAGES, :STAGES]), dop.B.copy()
E3, E5 = dop.E3[:STAGES].copy(), dop.E5[:STAGES].copy()
LEVELS = 8  # of the extrapolation: order 16
SHORTEST = 1e-9  # of a row; at a kink of the flow no step is short enough
MOST = 20_000  # steps of a row; where more are needed, these integrators are not the right ones


@njit(int64(FLOW, float64[::1], float64, float64[::1]), cache=False)
def runge_kutta_row(flow, state, dt, tolerance):
    """Move the state (d,) on by dt with the pair of Dormand and Prince of order 8; the number of
    steps. `tolerance` (d,): the allowed error of a step in each column.
    """
    size = len(state)
    slopes, trial = np.empty((STAGES, size)), np.empty(size)
    done, step, steps = 0.0, dt, 0
    while done < dt:
        step = min(step, dt - done)
        if dt - done - step < 1e-12 * dt:
            step = dt - done
        for stage in range(STAGES):
            trial[:] = 0.0
            for earlier in range(stage):
                if A[stage, earlier] != 0.0:
                    trial += A[stage, earlier] * slopes[earlier]
            trial *= step
            trial += state
            flow(trial, slopes[stage])
        third, fifth = 0.0, 0.0
        for column in range(size):
            low, high, change = 0.0, 0.0, 0.0
            for stage in range(STAGES):
                low += E3[stage] * slopes[stage, column]
                high += E5[stage] * slopes[stage, column]
                change += B[stage] * slopes[stage, column]
            trial[column] = step * change
            third += (low / tolerance[column]) ** 2
            fifth += (high / tolerance[column]) ** 2
        if fifth == 0.0 and third == 0.0:
            error = 0.0
        else:
            error = step * fifth / np.sqrt((fifth + 0.01 * third) * size)
        steps += 1
        if error <= 1.0 or step <= SHORTEST * dt:
            state += trial
            done = dt if step == dt - done else done + step
        if steps > MOST or (not np.isfinite(error) and step <= SHORTEST * dt):
            state[:] = np.nan
            return steps
        if not np.isfinite(error):
            step *= 0.1
        else:
            step *= min(5.0, max(0.1, 0.9 * (error + 1e-300) ** -0.125))
    return steps


@njit(int64(FLOW, float64[::1], float64, float64[::1]), cache=False)
def extrapolation_row(flow, state, dt, tolerance):
    """As `runge_kutta_row`, by extrapolated midpoint rules (Gragg, Bulirsch and Stoer).

    Midpoint rules of 2, 4, ..., 16 steps, extrapolated to infinitely many. It works on the change
    of the state, whose rounding errors are smaller than those of the state.
    """
    size = len(state)
    table = np.empty((LEVELS, size))
    before, here, slope, point = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    done, step, steps = 0.0, dt, 0
    while done < dt:
        step = min(step, dt - done)
        if dt - done - step < 1e-12 * dt:
            step = dt - done
        error = 0.0
        for level in range(LEVELS):
            parts = 2 * (level + 1)
            short = step / parts
            flow(state, slope)
            before[:] = 0.0
            here[:] = short * slope
            for _ in range(parts - 1):
                point[:] = state + here
                flow(point, slope)
                for column in range(size):
                    after = before[column] + 2.0 * short * slope[column]
                    before[column] = here[column]
                    here[column] = after
            point[:] = state + here
            flow(point, slope)
            table[level] = 0.5 * (here + before + short * slope)
            error = 0.0
            for back in range(level - 1, -1, -1):
                ratio = (level + 1.0) / (back + 1.0)
                for column in range(size):
                    gain = (table[back + 1, column] - table[back, column]) / (ratio**2 - 1.0)
                    table[back, column] = table[back + 1, column] + gain
                    if back == 0:
                        error += (gain / tolerance[column]) ** 2
        error = np.sqrt(error / size)
        steps += 1
        if error <= 1.0 or step <= SHORTEST * dt:
            state += table[0]
            done = dt if step == dt - done else done + step
        if steps > MOST or (not np.isfinite(error) and step <= SHORTEST * dt):
            state[:] = np.nan
            return steps
        if not np.isfinite(error):
            step *= 0.1
        else:
            step *= min(4.0, max(0.1, 0.9 * (error + 1e-300) ** (-1.0 / (2 * LEVELS - 1))))
    return steps


@njit(cache=False)
def orbit(row, flow, state, dt, rows, tolerance, wraps, most):
    """States (rows, d) from the given one on, which is the first; shorter where `most` steps did
    not suffice. `row` is one of the integrators; a column with wraps > 0 is taken modulo that.
    """
    path, here, steps = np.empty((rows, len(state))), state.copy(), 0
    for place in range(rows):
        path[place] = here
        if place == rows - 1:
            break
        steps += row(flow, here, dt, tolerance)
        for column in range(len(here)):
            if wraps[column] > 0.0:
                here[column] %= wraps[column]
        if steps > most or not np.isfinite(here).all():
            return path[: place + 1]
    return path


@njit(cache=False)
def growth(pair, both, small, dt, rows, scale, tolerance, wraps, most):
    """Logarithms (rows,) of how much a small distance grows in each row, fewer where the orbit ends
    or takes more than `most` steps, and the number of steps. Two states in `both` (2 d,), moved on
    by one flow `pair`, share their steps and are set back to the distance `small` after every row.
    """
    size = len(scale)
    logs, steps = np.empty(rows), 0
    for place in range(rows):
        steps += runge_kutta_row(pair, both, dt, tolerance)
        apart = (both[size:] - both[:size]) / scale
        distance = np.sqrt((apart**2).sum())
        logs[place] = np.log(distance / small)
        for column in range(size):
            if wraps[column] > 0.0:
                both[column] %= wraps[column]
        both[size:] = both[:size] + scale * apart * (small / distance)
        if steps > most or not np.isfinite(distance):
            return logs[:place], steps
    return logs, steps
