"""What Fig. 5 needs: signals, the states of its networks, the authors' published curves."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from spheresn import datasets
from spheresn._validation import Floats
from spheresn.driving import drive
from spheresn.reservoir import Reservoir


def raw_series(name: str, length: int, lorenz_step: float, rng: np.random.Generator) -> Floats:
    """A stretch (T,) of a signal; `rng` says which one, except for the oscillators."""
    if name == "santa_fe_laser":  # in the unit of the authors' file
        laser = datasets.santa_fe_laser()[:, 0] / 255.0
        first = int(rng.integers(len(laser) - length + 1))
        return laser[first : first + length]
    if name == "lorenz":
        return datasets.lorenz(length, lorenz_step, rng=rng)[:, 0]
    return (datasets.mso(length) if name == "mso" else datasets.mackey_glass(length, rng=rng))[:, 0]


def nonlinear_states(
    base: Reservoir, signals: Floats, ratio: float, radius: float, start: Floats
) -> Floats:
    """States (2, B, T, N): spherical with input scaling `ratio`, tanh with this spectral `radius`.

    One matrix product per step serves both networks and all signals (B, T), because reading W
    takes most of the time. This is why the step stands here once more, and not `drive`.
    """
    count, steps = signals.shape
    states = np.empty((2, count, steps, base.units))
    weights, inputs = base.recurrent.toarray().T, base.inputs[:, 0]
    current = np.concatenate([np.tile(start, (count, 1)), np.zeros((count, base.units))])
    for k in range(steps):
        a = current @ weights
        fed = signals[:, k, None] * inputs
        on_sphere = a[:count] + ratio * fed
        current[:count] = on_sphere / np.linalg.norm(on_sphere, axis=1, keepdims=True)
        np.tanh(radius * a[count:] + fed, out=current[count:])
        states[:, :, k] = current.reshape(2, count, base.units)
    return states


def linear_states(network: Reservoir, signals: Floats) -> Floats:
    """x_k = Σ_j W^j w s_{k-j}: the response to one impulse serves every signal (B, T).

    The response is cut where it has faded below rounding.
    """
    faded = int(np.ceil(-40.0 / np.log(network.recurrent.spectral_radius())))
    length = min(faded, signals.shape[1])
    response = drive(network, np.eye(length, 1))
    padded = np.pad(signals, ((0, 0), (length - 1, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, length, axis=1)
    return np.array([one[:, ::-1] @ response for one in windows])


@cache
def published_curves() -> dict[str, dict[str, list[float]]]:
    """The authors' curves: test accuracy by signal and model for delays 0..99."""
    file = Path(__file__).with_name("authors_memory.json")
    curves: dict[str, dict[str, list[float]]] = json.loads(file.read_text())[
        "test_accuracy_by_delay"
    ]
    return curves
