"""The limit: the true equations from the state that fits the last rows best.

min Σ |yₖ − uₖ|² / σ² over paths uₖ₊₁ = φ(uₖ), for the cells that were seen; φ is the flow from row
to row. Gauss-Newton of all states of a path at once, which from one step to the next need not be a
path yet (multiple shooting): over ten periods distances grow so much that no linear step of the
first state alone helps. It begins at the true path, so that nobody gets lost on the way, as a
method might that only has the rows. What is found is the best that a perfect model can make of
them. The Cramér-Rao bound of the state at the last row is M (Σ Mₖᵀ Mₖ / σ²)⁻¹ Mᵀ, with
Mₖ = ∂uₖ/∂u₀ on the true path and M that of the last row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from league.integrate import orbit, runge_kutta_row
from league.systems import Floats
from numba import njit
from scipy.linalg import solve_triangular

ROWS = 300  # rows before an origin that the state is fitted to
STEP = 1e-5  # of the deviation, of a central difference
FINE = 1e-13  # of the deviation, the error of a step of the integrator
ITERATIONS, SETTLED = 30, 1e-2  # the last step, of the deviation of the noise
# Of the deviation, one after the other until one settles: where a flow bends within the noise (an
# exponential of a voltage), whole steps lead out of the range
LONGEST_STEPS, TOO_LONG = (np.inf, 0.1, 0.03, 0.01), 1.0
STEPS = 50_000_000  # of an integrator at most
STIFF = 300  # steps of a row; no row of these systems takes as many on the attractor


@njit
def images(row, flow, states, dt, small, tolerance):
    """Where the flow takes states (K, d) in a row, (K, d), and its derivatives (K, d, d), by
    central differences of the steps `small` (d,); NaN from a row on that takes too many steps.
    """
    rows, size = states.shape
    found, slopes = np.full((rows, size), np.nan), np.full((rows, size, size), np.nan)
    before, after = np.empty(size), np.empty(size)
    for place in range(rows):
        here = states[place].copy()
        if row(flow, here, dt, tolerance) > STIFF:
            break
        found[place] = here
        for column in range(size):
            before[:], after[:] = states[place], states[place]
            before[column] -= small[column]
            after[column] += small[column]
            row(flow, before, dt, tolerance)
            row(flow, after, dt, tolerance)
            slopes[place, :, column] = (after - before) / (2.0 * small[column])
    return found, slopes


class Shooting:
    """A window of rows seen (K, m) in some columns of a flow, NaN where a cell is missing, with
    noise of the deviations sigma (m,); `scale` (d,): those of the state.
    """

    def __init__(
        self, flow: Any, dt: float, scale: Floats, seen: Floats, columns: Any, sigma: Floats
    ) -> None:
        self.flow, self.dt, self.scale = flow, dt, scale
        self.seen, self.columns = seen / scale[columns], columns
        self.sigma, self.cells = sigma / scale[columns], np.isfinite(seen)

    def linear(self, path: Floats) -> tuple[Floats, Floats]:
        """Of states (K, d), in units of `scale`: how those of a path nearby, u + δ, follow from its
        first change: δₖ = Mₖ δ₀ + aₖ, with M (K, d, d) and a (K, d).
        """
        found, slopes = images(
            runge_kutta_row,
            self.flow,
            path[:-1] * self.scale,
            self.dt,
            STEP * self.scale,
            FINE * self.scale,
        )
        slopes = slopes * self.scale / self.scale[:, None]
        defects = found / self.scale - path[1:]
        products, apart = np.empty((len(path), *slopes.shape[1:])), np.zeros(path.shape)
        products[0] = np.eye(path.shape[1])
        for place, (slope, defect) in enumerate(zip(slopes, defects, strict=True)):
            products[place + 1] = slope @ products[place]
            apart[place + 1] = slope @ apart[place] + defect
        return products, apart

    def fit(self, path: Floats) -> tuple[Floats, Floats, bool]:
        """The last state of the best path near the given one (K, d); the Cramér-Rao bound (d, d) of
        that state, in units of `scale`, if the given path is the true one; whether it settled.
        """
        true = path / self.scale
        start = self.linear(true)
        triangle = np.linalg.qr(self.design(start[0]), mode="r")
        root = solve_triangular(triangle.T, start[0][-1].T, lower=True)
        found, settled = true, False
        for longest in LONGEST_STEPS:
            found, settled = self.improved(true, start, longest)
            if settled:
                break
        return found[-1] * self.scale, root.T @ root, settled

    def improved(
        self, path: Floats, linear: tuple[Floats, Floats], longest: float
    ) -> tuple[Floats, bool]:
        """Gauss-Newton from a path and its linear approximation, no step longer than `longest`."""
        for _ in range(ITERATIONS):
            products, apart = linear
            rest = ((self.seen - (path + apart)[:, self.columns]) / self.sigma)[self.cells]
            first = np.linalg.lstsq(self.design(products), rest, rcond=1e-15)[0]
            change = products @ first + apart
            length = float(np.abs(change).max())
            if length > TOO_LONG and longest == np.inf:
                break
            path = path + min(1.0, longest / length) * change
            if length < SETTLED * self.sigma.min():
                return path, True
            linear = self.linear(path)
            if not all(np.isfinite(part).all() for part in linear):
                break
        return path, False

    def design(self, products: Floats) -> Floats:
        """Derivatives (n, d) of the cells that were seen, over sigma."""
        return (products[:, self.columns] / self.sigma[:, None])[self.cells]


def free_run(
    flow: Any, dt: float, scale: Floats, state: Floats, steps: int, kind: Any = None
) -> Floats:
    """Rows (steps, d) after a state by the true equations, NaN where they leave the range."""
    wraps, tolerance = np.zeros(len(state)), FINE * scale
    kind = kind or runge_kutta_row
    path = orbit(kind, flow, state.copy(), dt, steps + 1, tolerance, wraps, STEPS)
    rows = np.full((steps, len(state)), np.nan)
    rows[: len(path) - 1] = path[1:]
    return rows
