"""Networks and least squares once more, from their formulas in plain numpy: what the library's
numbers are compared with.
"""

from __future__ import annotations

import numpy as np

import spheresn as sn

KINDS = [
    sn.OnSphere(),
    sn.OnSphere(2.5),
    sn.OnSphere(bend=0.5),
    sn.OnSphere(0.3, 1.3),
    sn.Tanh(),
    sn.Linear(),
]
EPS = np.finfo(float).eps
CHAOTIC_2 = np.array([[-0.096, 1.270], [-0.112, 0.241]])
CHAOTIC_4 = 11 * np.array(
    [
        [4.81, -2.49, 1.38, 4.54],
        [-1.41, 2.18, -4.03, -2.15],
        [6.41, 0.34, 2.95, 4.43],
        [-2.84, -1.68, -2.84, 1.56],
    ]
)


class Henon:
    """x' = 1 - 1.4 x² + y, y' = .3 x: a map that knows nothing of reservoirs."""

    tangent_dim = 2

    def step(self, state, inputs):
        x, y = state
        return np.array([1 - 1.4 * x**2 + y, 0.3 * x])

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), np.array([[-2.8 * state[0], 1.0], [0.3, 0.0]]) @ tangents


def random_case(rng, spherical=False, steps=60, bend=True):
    """A small random network of any kind, a signal and a start."""
    kinds = [
        kind
        for kind in KINDS
        if not spherical or (isinstance(kind, sn.OnSphere) and (bend or not kind.bend))
    ]
    activation = kinds[rng.integers(len(kinds))]
    units, inputs = int(rng.integers(3, 12)), int(rng.integers(1, 4))
    w, w_in = (
        rng.standard_normal((units, units)),
        rng.standard_normal((units, inputs)) * 10.0 ** rng.uniform(-1, 0.5),
    )
    w *= rng.uniform(0.3, 0.95) / np.abs(np.linalg.eigvals(w)).max()
    bias = rng.standard_normal(units) * rng.integers(2)
    leak = 1.0 if spherical and not bend else [1.0, 1.0, 0.4][rng.integers(3)]
    reservoir = sn.Reservoir(w, w_in, activation, bias, leak)
    start = rng.standard_normal(units)
    start *= (getattr(activation, "radius", 1.0)) / np.linalg.norm(start)
    return reservoir, rng.standard_normal((steps, inputs)), start


def project(vector, radius):
    """r a/|a| and its derivative (r/|a|)(I - ââᵀ)."""
    length = np.sqrt(np.sum(vector**2))
    unit = vector / length
    return radius * unit, radius / length * (np.eye(len(vector)) - np.outer(unit, unit))


def activation(act, a):
    """The value and the Jacobian of an activation at a."""
    if isinstance(act, sn.Tanh):
        return np.tanh(a), np.diag(1 / np.cosh(a) ** 2)
    if isinstance(act, sn.Linear):
        return a, np.eye(len(a))
    spread, first = project(a, np.sqrt(len(a)))
    bent = 1 + (act.bend * spread) ** 2
    value, second = project(spread / np.sqrt(bent), act.radius)
    return value, second @ np.diag(bent**-1.5) @ first


def run(reservoir, signal, start):
    """States (T, N), pre-activations (T, N), Jacobians in the state (T, N, N) and in the input (T,
    N, d).
    """
    w, w_in, leak = np.asarray(reservoir.recurrent.toarray()), reservoir.inputs, reservoir.leak
    x, found = np.asarray(start, float), []
    for s in signal:
        a = w @ x + w_in @ s + reservoir.bias
        value, slope = activation(reservoir.activation, a)
        moved = (1 - leak) * x + leak * value
        by_state, by_input = (1 - leak) * np.eye(len(x)) + leak * slope @ w, leak * slope @ w_in
        if isinstance(reservoir.activation, sn.OnSphere):
            moved, again = project(moved, reservoir.activation.radius)
            by_state, by_input = again @ by_state, again @ by_input
        x = moved
        found.append((x, a, by_state, by_input))
    return tuple(np.array(part) for part in zip(*found, strict=True))


def ridge(x, y, penalty):
    """Weights and intercept by least squares on centred rows with √penalty I below them; at penalty
    0 the shortest solution.
    """
    n_states, mean_x, mean_y = x.shape[1], x.mean(axis=0), y.mean(axis=0)
    rows = np.vstack([x - mean_x, np.sqrt(penalty) * np.eye(n_states)])
    wanted = np.vstack([y - mean_y, np.zeros((n_states, y.shape[1]))])
    weights = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    return weights, mean_y - mean_x @ weights


def accuracy(target, guess):
    """max(1 - √(Σ|y - ŷ|²/Σ|y - ȳ|²), 0), by loops over rows."""
    error = sum(float((t - g) @ (t - g)) for t, g in zip(target, guess, strict=True))
    spread = sum(float((t - target.mean(axis=0)) @ (t - target.mean(axis=0))) for t in target)
    return max(1 - np.sqrt(error / spread), 0.0)
