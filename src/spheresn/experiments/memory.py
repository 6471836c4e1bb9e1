"""Fig. 5: recalling the input τ steps back, five signals, three networks, in both protocols."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import xarray as xr

from .. import datasets, sphere
from .._validation import Floats
from ..activations import Linear
from ..driving import drive
from ..readout import Eigen, Gram, Weights, solve
from ..reservoir import Reservoir
from ._memory_claims import claims
from ._memory_plot import CAPTIONS, plot
from ._shared import MODELS, Result, accuracies, delayed, dense, stream, with_holes

NAME, FIGURE = "memory", "Fig. 5"
TITLE = "Recalling past inputs: five signals, three networks"
PROTOCOLS = ("paper", "authors")
SIGNALS = ("white_noise", "mso", "lorenz", "mackey_glass", "santa_fe_laser")
__all__ = ["CAPTIONS", "FIGURE", "NAME", "PRESETS", "TITLE", "Config", "claims", "collect", "plot", "run", "tasks"]


@dataclass(frozen=True)
class Config:
    """Protocol "paper": the text, and where it is silent: W and W_in uniform and dense, signals centred, washout 1000, intercept, penalty
    1e-12 of the trace (1e-8 at 5000 states of length one), Lorenz read every .005 (then tanh fades as published), Mackey-Glass every 1.

    Protocol "authors", where the published code differs: train 6000, delays to 99, washout 500 (Mackey-Glass 100), spherical with
    spectral radius 20 and r = 10, signals divided by the deviation of their test part, no intercept, no penalty. Whether they were
    centred is not known; here they are: not centred, tanh would recall Mackey-Glass far worse than published.
    """

    units: int = 1000
    networks: int = 20
    authors_networks: int = 5
    delays: int = 100
    washout: int = 1000
    train: int = 5000
    test: int = 2000
    authors_washout: int = 500
    authors_short_washout: int = 100
    authors_train: int = 6000
    spectral_radius: float = 15.0
    input_scaling: float = 0.01
    authors_radius: float = 20.0
    authors_sphere: float = 10.0
    plain_radius: float = 0.95
    penalty: float = 1e-12
    lorenz_step: float = 0.005


PRESETS = {
    "smoke": Config(80, 2, 1, 30, 200, 500, 300, 200, 100, 600),
    "quick": Config(600, 3, 1, 100, 500, 3000, 1000, 300, 100, 3600),
    "paper": Config(),
}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per network."""
    return [{"network": n} for n in range(config.networks)]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """Accuracies (signals, protocols, models, delays) on training and test rows; NaN for a laser that is not there."""
    protocols = PROTOCOLS if task["network"] < config.authors_networks else PROTOCOLS[:1]
    series = _all_series(config, seed, task["network"])
    scores = np.full((2, len(SIGNALS), len(PROTOCOLS), len(MODELS), config.delays + 1), np.nan)
    base = dense(config.units, stream(seed, 1, task["network"]), "uniform")
    start = sphere.random_point(config.units, stream(seed, 2, task["network"]))
    for p, protocol in enumerate(protocols):
        signals = np.array([normalised(config, one, name, protocol) for name, one in series.items()])
        for m, states in enumerate(_states(config, base, signals, protocol, start)):
            for i, name in enumerate(series):
                scores[:, SIGNALS.index(name), p, m] = _recall(config, states[i], signals[i], name, protocol)
    return {"train": scores[0], "test": scores[1]}


def _all_series(config: Config, seed: int, network: int) -> dict[str, Floats]:
    found = {}
    for name in SIGNALS:
        try:
            found[name] = _series(config, name, seed, network)
        except FileNotFoundError as error:  # the report shows the warning, and the panel as missing
            warnings.warn(f"{name} left out: {error}; then run again with --fresh", stacklevel=2)
    return found


def rows_of(config: Config, name: str, protocol: str) -> tuple[slice, slice]:
    """The rows that are learned from and the rows that judge."""
    if protocol == "paper":
        first, train = config.washout, config.train
    else:
        short = name == "mackey_glass"
        first, train = config.authors_short_washout if short else config.authors_washout, config.authors_train
    return slice(first, first + train), slice(first + train, first + train + config.test)


def _series(config: Config, name: str, seed: int, network: int) -> Floats:
    """The raw signal (T,), long enough for both protocols; fresh noise for each network, the others as they are."""
    length = max(rows_of(config, "white_noise", protocol)[1].stop for protocol in PROTOCOLS)
    if name == "white_noise":
        return datasets.white_noise(length, stream(seed, 3, network))[:, 0]
    return _fixed_series(name, length, config.lorenz_step)


@lru_cache(maxsize=8)
def _fixed_series(name: str, length: int, lorenz_step: float) -> Floats:
    if name == "santa_fe_laser":
        return datasets.santa_fe_laser()[1000 : 1000 + length, 0] / 255.0  # the rows and the unit of the authors' file
    if name == "lorenz":
        return datasets.lorenz(length, lorenz_step)[:, 0]
    return (datasets.mso(length) if name == "mso" else datasets.mackey_glass(length))[:, 0]


def normalised(config: Config, signal: Floats, name: str, protocol: str) -> Floats:
    """Centred and of unit variance: that of all rows, or of the authors' test rows."""
    test = rows_of(config, name, protocol)[1]
    used = signal[: test.stop]
    return np.asarray((signal - used.mean()) / (used if protocol == "paper" else signal[test]).std())


def _states(config: Config, base: Reservoir, signals: Floats, protocol: str, start: Floats) -> Iterator[Floats]:
    """States (signals, T, N) of the spherical, the tanh and the linear network, which share W."""
    # On the sphere only scaling/(r ρ) counts, so the authors' r and ρ are a weaker input to the same network, exactly.
    ours = config.spectral_radius if protocol == "paper" else config.authors_radius * config.authors_sphere
    yield from nonlinear_states(base, signals, config.input_scaling / ours, config.plain_radius, start)
    yield linear_states(replace(base.rescaled(config.plain_radius), activation=Linear()), signals)


def nonlinear_states(base: Reservoir, signals: Floats, ratio: float, radius: float, start: Floats) -> Floats:
    """States (2, B, T, N): on the sphere with input scaling `ratio`, and of tanh with spectral radius `radius`.

    One matrix product per step serves both networks and all signals (B, T): reading W is what costs.
    """
    count, steps = signals.shape
    states = np.empty((2, count, steps, base.units))
    weights, inputs = base.recurrent.toarray().T, base.inputs[:, 0]
    current = np.concatenate([np.tile(start, (count, 1)), np.zeros((count, base.units))])
    for k in range(steps):
        a = current @ weights
        heard = signals[:, k, None] * inputs
        on_sphere = a[:count] + ratio * heard
        current[:count] = on_sphere / np.linalg.norm(on_sphere, axis=1, keepdims=True)
        np.tanh(radius * a[count:] + heard, out=current[count:])
        states[:, :, k] = current.reshape(2, count, base.units)
    return states


def linear_states(network: Reservoir, signals: Floats) -> Floats:
    """x_k = Σ_j W^j w s_{k-j}: the answer to one impulse serves every signal (B, T); cut where it has faded below rounding."""
    length = min(int(np.ceil(-40.0 / np.log(network.recurrent.spectral_radius()))), signals.shape[1])
    answer = drive(network, np.eye(length, 1))
    padded = np.pad(signals, ((0, 0), (length - 1, 0)))
    return np.array([np.lib.stride_tricks.sliding_window_view(one, length)[:, ::-1] @ answer for one in padded])


def _recall(config: Config, states: Floats, signal: Floats, name: str, protocol: str) -> Floats:
    """Accuracy per delay on training and test rows, (2, D); NaN for delays the protocol does not ask for."""
    delays = range(config.delays + (protocol == "paper"))
    targets, parts = delayed(signal, delays), rows_of(config, name, protocol)
    readout = _readout(config, states[parts[0]], targets[parts[0]], protocol)
    scores = [accuracies(targets[part], readout(states[part])) for part in parts]
    return np.array([np.pad(score, (0, config.delays + 1 - len(score)), constant_values=np.nan) for score in scores])


def _readout(config: Config, states: Floats, targets: Floats, protocol: str) -> Weights:
    if protocol == "paper":
        gram = Gram.of(states, targets)
        return solve(gram, config.penalty * gram.trace)
    n, m = states.shape[1], targets.shape[1]
    moments = states.T @ states, states.T @ targets, (targets**2).sum(axis=0)
    return Eigen.of(Gram(len(states), np.zeros(n), np.zeros(m), *moments)).solve(0.0)  # not centred: no intercept


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Accuracies by network, signal, protocol, model and delay."""
    dims = ("network", "signal", "protocol", "model", "delay")
    shape = (len(SIGNALS), len(PROTOCOLS), len(MODELS), config.delays + 1)
    values = {name: (dims, array) for name, array in with_holes(results, dict.fromkeys(("train", "test"), shape)).items()}
    coordinates = {"signal": list(SIGNALS), "protocol": list(PROTOCOLS), "model": list(MODELS), "delay": np.arange(config.delays + 1)}
    return xr.Dataset(values, coordinates, {"units": config.units, "train": config.train, "test": config.test})
