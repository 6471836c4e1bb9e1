"""What others would do: smooth the rows before learning, or follow them with an ensemble Kalman
filter around a plain network.
"""

from __future__ import annotations

import numpy as np
from league.methods import UNITS, ReservoirPy
from league.systems import Floats
from scipy.signal import savgol_filter
from scipy.sparse import csr_array


class Smoothed(ReservoirPy):
    """reservoirpy with a bias, behind a Savitzky-Golay filter: polynomials of some order in windows
    of some rows, at the end of the rows that of the last window.
    """

    def __init__(self, train: Floats, seed: int, window: float, order: float) -> None:
        self.window, self.order = int(window), int(order)
        super().__init__(self.smooth(train), seed, bias=True)
        self.seen = train

    def smooth(self, rows: Floats) -> Floats:
        if self.window == 1:
            return rows
        return np.asarray(savgol_filter(rows, self.window, self.order, axis=0))

    def forecast(self, context: Floats, steps: int) -> Floats:
        rows = self.smooth(np.concatenate([self.seen, context]))
        return np.asarray(self.peer.free_run(rows, len(rows), steps))


class EnsembleFilter:
    """An ensemble Kalman filter (Evensen 1994, with perturbed observations as Burgers et al. 1998)
    of state and value of a plain network, xₖ₊₁ = .7 xₖ + .3 tanh(W xₖ + V uₖ + b), uₖ₊₁ = C xₖ₊₁.

    The network has the settings of `ReservoirPy` and learns the noisy rows. R, the variance of the
    noise, is that of its one-step errors. `inflation`: of the anomalies, at each row; `drift`:
    variance, in units of R, of white noise of each forecast value. A run is one from the mean.
    """

    members, leak, radius, ridge, washout, before = 100, 0.3, 1.25, 1e-8, 100, 300

    def __init__(self, train: Floats, seed: int, inflation: float, drift: float) -> None:
        rows = filled(train)
        self.inflation, self.drift, size = inflation, drift, rows.shape[1]
        self.rng = rng = np.random.default_rng([seed, 3])

        links = rng.standard_normal((UNITS, UNITS)) * (rng.random((UNITS, UNITS)) < 0.1)
        links *= self.radius / np.abs(np.linalg.eigvals(links)).max()
        self.links = csr_array(links)
        signs = rng.choice([-1.0, 1.0], (UNITS, size + 1))
        self.into, self.bias = signs[:, :size] * (rng.random((UNITS, size)) < 0.2), signs[:, size:]

        states, state = np.empty((len(rows) - 1, UNITS)), np.zeros((UNITS, 1))
        for place, row in enumerate(rows[:-1]):
            state = self.step(state, row[:, None])
            states[place] = state[:, 0]
        states, targets = states[self.washout :], rows[self.washout + 1 :]
        design = np.hstack([states, np.ones((len(states), 1))])
        gram = design.T @ design + self.ridge * np.eye(UNITS + 1)
        self.weights = np.linalg.solve(gram, design.T @ targets).T
        self.variance = (targets - design @ self.weights.T).var(axis=0)

        begin = len(rows) - self.before
        self.states = np.repeat(states[begin - self.washout - 1][:, None], self.members, axis=1)
        self.values = rows[begin][:, None] + self.draw(self.variance)
        self.rows_seen = 0
        self.assimilate(train[begin + 1 :])

    def step(self, states: Floats, values: Floats) -> Floats:
        """States (N, n) that follow, with values (m, n) as inputs."""
        fed = self.links @ states + self.into @ values + self.bias
        return (1.0 - self.leak) * states + self.leak * np.tanh(fed)

    def read(self, states: Floats) -> Floats:
        return self.weights[:, :-1] @ states + self.weights[:, -1:]

    def draw(self, variances: Floats) -> Floats:
        """White noise (m, n) of these variances (m,)."""
        shape = len(variances), self.members
        return np.sqrt(variances)[:, None] * self.rng.standard_normal(shape)

    def assimilate(self, rows: Floats) -> None:
        """Forecast and correct by each row (m,); missing cells correct nothing."""
        for row in rows:
            self.states = self.step(self.states, self.values)
            shocks = np.sqrt(self.drift) * self.draw(self.variance)
            both = np.vstack([self.states, self.read(self.states) + shocks])
            mean = both.mean(axis=1, keepdims=True)
            apart = self.inflation * (both - mean)
            seen = np.flatnonzero(np.isfinite(row))
            at = UNITS + seen
            covariance = apart @ apart[at].T / (self.members - 1)
            matrix = covariance[at] + np.diag(self.variance[seen])
            surprise = row[seen][:, None] + self.draw(self.variance[seen]) - (mean + apart)[at]
            both = mean + apart + covariance @ np.linalg.solve(matrix, surprise)
            self.states, self.values = both[:UNITS], both[UNITS:]

    def forecast(self, context: Floats, steps: int) -> Floats:
        self.assimilate(context[self.rows_seen :])
        self.rows_seen = len(context)
        state = self.states.mean(axis=1, keepdims=True)
        value = self.values.mean(axis=1, keepdims=True)
        path = np.empty((steps, len(value)))
        for place in range(steps):
            state = self.step(state, value)
            value = self.read(state)
            path[place] = value[:, 0]
        return path


def filled(rows: Floats) -> Floats:
    """Missing cells on the straight line between their neighbours, or as the nearest one."""
    places, found = np.arange(len(rows)), rows.copy()
    for column in found.T:
        missing = np.isnan(column)
        if missing.any():
            column[missing] = np.interp(places[missing], places[~missing], column[~missing])
    return found
