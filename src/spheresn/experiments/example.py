"""Fig. 6: sin(2.5 u_{k-10}), the predictions of three networks against the truth, and the bound of every linear network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from .. import analysis, datasets, sphere
from .._validation import Floats
from ..activations import Linear, Tanh
from ..driving import drive
from ..readout import Gram, solve
from ..reservoir import Reservoir
from ._example_claims import claims
from ._example_plot import CAPTIONS, plot
from ._shared import MODELS, Result, accuracies, dense, stream, with_holes

NAME, FIGURE = "example", "Fig. 6"
TITLE = "One task that needs memory and nonlinearity: sin(2.5 u) ten steps back"
FEEDS = ("unit variance", "as it is")
__all__ = ["CAPTIONS", "FIGURE", "NAME", "PRESETS", "TITLE", "Config", "claims", "collect", "plot", "run", "tasks"]


@dataclass(frozen=True)
class Config:
    """Hyper-parameters of the memory tasks. The published numbers come out if the network is fed the signal normalised to unit variance
    and the target is built from u in [-1, 1]; fed u itself (second feed) tanh does far better. N is not stated: several are shown."""

    units: tuple[int, ...] = (100, 300, 1000)
    networks: int = 10
    delay: int = 10
    frequency: float = 2.5
    washout: int = 200
    train: int = 500
    test: int = 200
    penalty: float = 1e-6
    spectral_radius: float = 15.0
    input_scaling: float = 0.01
    plain_radius: float = 0.95


PRESETS = {"smoke": Config((40, 80), 3), "quick": Config(), "paper": Config()}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per size and network."""
    return [{"units": units, "network": n} for units in config.units for n in range(config.networks)]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """Accuracies (feeds, models), and the curves of the unit-variance feed."""
    base = dense(task["units"], stream(seed, 1, task["units"], task["network"]), "uniform")
    rng = stream(seed, 2, task["network"])
    u = datasets.white_noise(config.washout + config.train + config.test, rng)
    target = np.sin(config.frequency * np.roll(u, config.delay, axis=0))  # the rows that wrap around lie in the washout
    start = sphere.random_point(task["units"], rng)
    guesses = np.array(
        [[_guess(config, network, signal, target, start) for network in _networks(config, base)] for signal in (u * np.sqrt(3.0), u)]
    )
    truth = target[-config.test :]
    gamma = np.array([[accuracies(truth, one[:, None])[0] for one in row] for row in guesses])
    return {"gamma": gamma, "prediction": guesses[0], "target": truth[:, 0]}


def _networks(config: Config, base: Reservoir) -> list[Reservoir]:
    plain = base.rescaled(config.plain_radius)
    kinds = {
        "spherical": base.rescaled(config.spectral_radius, config.input_scaling),
        "tanh": replace(plain, activation=Tanh()),
        "linear": replace(plain, activation=Linear()),
    }
    return [kinds[model] for model in MODELS]


def _guess(config: Config, network: Reservoir, signal: Floats, target: Floats, start: Floats) -> Floats:
    states = drive(network, signal, None if isinstance(network.activation, Linear) else start)
    train, test = slice(config.washout, config.washout + config.train), slice(config.washout + config.train, None)
    return np.asarray(solve(Gram.of(states[train], target[train]), config.penalty)(states[test])[:, 0])


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Accuracies by size, network, feed and model; curves; the bound of every linear network."""
    k, m = len(config.units), len(MODELS)
    one = with_holes(results, {"gamma": (len(FEEDS), m), "prediction": (m, config.test), "target": (config.test,)})
    dims = {"gamma": ("feed", "model"), "prediction": ("model", "time"), "target": ("time",)}
    return xr.Dataset(
        {name: (("units", "network", *dims[name]), array.reshape(k, config.networks, *array.shape[1:])) for name, array in one.items()},
        {"units": list(config.units), "feed": list(FEEDS), "model": list(MODELS), "time": np.arange(config.test)},
        {"linear_bound": float(analysis.linear_bound(config.frequency)), "frequency": config.frequency, "delay": config.delay},
    )
