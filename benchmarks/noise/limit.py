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
ITERATIONS, SETTLED = 20, 1e-2  # the last step, of the deviation of the noise
STEPS = 50_000_000  # of an integrator at most


@njit
def images(row, flow, states, dt, small, tolerance):
    """Where the flow takes states (K, d) in a row, (K, d), and its derivatives (K, d, d), by
    central differences of the steps `small` (d,).
    """
    rows, size = states.shape
    found, slopes = np.empty((rows, size)), np.empty((rows, size, size))
    before, after = np.empty(size), np.empty(size)
    for place in range(rows):
        for column in range(size):
            before[:], after[:] = states[place], states[place]
            before[column] -= small[column]
            after[column] += small[column]
            row(flow, before, dt, tolerance)
            row(flow, after, dt, tolerance)
            slopes[place, :, column] = (after - before) / (2.0 * small[column])
        found[place] = states[place]
        row(flow, found[place], dt, tolerance)
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
        path, settled, bound = path / self.scale, False, None
        for _ in range(ITERATIONS):
            products, apart = self.linear(path)
            if not (np.isfinite(products).all() and np.isfinite(apart).all()):
                break
            matrix = (products[:, self.columns] / self.sigma[:, None])[self.cells]
            if bound is None:
                triangle = np.linalg.qr(matrix, mode="r")
                root = solve_triangular(triangle.T, products[-1].T, lower=True)
                bound = root.T @ root
            rest = ((self.seen - (path + apart)[:, self.columns]) / self.sigma)[self.cells]
            change = products @ np.linalg.lstsq(matrix, rest, rcond=1e-15)[0] + apart
            path = path + change
            settled = bool(np.abs(change).max() < SETTLED * self.sigma.min())
            if settled:
                break
        assert bound is not None  # the true path is finite
        return path[-1] * self.scale, bound, settled


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
