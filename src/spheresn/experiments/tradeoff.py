"""Figs. 7-9: sin(ν u_{k-τ}) over memory τ and nonlinearity ν, hyper-parameters chosen on training, validation or test rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from .. import analysis, datasets
from .._validation import Floats
from ..reservoir import Reservoir
from ._grid import (
    SELECTIONS,
    Lesson,
    by_radius,
    linear_table,
    on_grid,
    selected,
    sphere_table,
    tanh_table,
)
from ._shared import MODELS, Result, dense, stream, with_holes
from ._tradeoff_claims import claims
from ._tradeoff_plot import CAPTIONS, plot

NAME, FIGURE = "tradeoff", "Figs. 7-9"
TITLE = "Memory against nonlinearity: three networks on 400 tasks, three ways to choose their hyper-parameters"
PROTOCOLS = ("paper", "authors", "paper, large")
__all__ = ["CAPTIONS", "FIGURE", "NAME", "PRESETS", "TITLE", "Config", "claims", "collect", "plot", "run", "tasks"]


@dataclass(frozen=True)
class Config:
    """The paper's ranges; N, τ and ν as in the authors' code, where the text is silent.

    Protocol "paper" has penalty 1e-8 (unstated) and speaks of selection on the training rows; protocol "authors" has penalty .01 and
    selection on the test rows. "paper, large" is "paper" with as many units as training rows, so that a network can learn them by heart.
    All three selections are computed for all. u is fed as it is, uniform in [-1, 1].
    ratios: how many values of scaling/spectral radius stand for the whole grid of the sphere, whose states depend on nothing else.
    """

    units: int = 200
    networks: int = 5
    delays: tuple[int, ...] = tuple(range(20))
    frequencies: tuple[float, ...] = tuple(float(nu) for nu in np.logspace(-2.5, 1.0, 20))
    points: int = 20
    ratios: int = 60
    tanh_radii: tuple[float, float] = (0.2, 3.0)
    linear_radii: tuple[float, float] = (0.2, 1.5)
    spherical_radii: tuple[float, float] = (0.2, 10.0)
    scalings: tuple[float, float] = (0.01, 2.0)
    penalties: tuple[float, float] = (1e-8, 0.01)
    washout: int = 200
    train: int = 500
    validation: int = 200
    test: int = 200
    large_units: int = 500
    large_networks: int = 2
    large_points: int = 10


_FEW = tuple(float(nu) for nu in np.logspace(-2.5, 1.0, 6))
PRESETS = {
    "smoke": Config(50, 1, (0, 4, 8, 12), _FEW, 4, 10, washout=100, train=100, large_units=100, large_networks=1, large_points=3),
    "quick": Config(200, 2, points=12, ratios=40, large_networks=1, large_points=8),
    "paper": Config(),
}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per network and model; the models of one network share W, W_in and the signal."""
    counts = {"usual": config.networks, "large": config.large_networks}
    return [{"size": size, "network": n, "model": model} for size, count in counts.items() for n in range(count) for model in MODELS]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """Test accuracy and chosen hyper-parameters (protocols, selections, delays, frequencies)."""
    large = task["size"] == "large"
    rng = stream(seed, int(large), task["network"])
    network = dense(config.large_units if large else config.units, rng)
    penalties, points = (config.penalties[:1], config.large_points) if large else (config.penalties, config.points)
    sizes = (config.train, config.validation, config.test)
    signal = datasets.white_noise(config.washout + sum(sizes), rng)[:, 0]
    lesson = Lesson.of(signal, config.delays, config.frequencies, config.washout, sizes)
    ranges = {"tanh": config.tanh_radii, "linear": config.linear_radii, "spherical": config.spherical_radii}
    radii, scalings = (np.linspace(low, high, points) for low, high in (ranges[task["model"]], config.scalings))
    return _maps(config, _table(config, task["model"], network, lesson, radii, scalings, penalties), radii, scalings)


def _table(
    config: Config, model: str, network: Reservoir, lesson: Lesson, radii: Floats, scalings: Floats, penalties: tuple[float, ...]
) -> Floats:
    if model == "spherical":
        ratios = np.geomspace(scalings[0] / radii[-1], scalings[-1] / radii[0], config.ratios)
        return on_grid(sphere_table(network, lesson, ratios, penalties), ratios, list(radii), scalings)
    compute = tanh_table if model == "tanh" else linear_table
    return compute(network, lesson, list(radii), scalings, penalties)


def _maps(config: Config, table: Floats, radii: Floats, scalings: Floats) -> Result:
    shape = (-1, len(SELECTIONS), len(config.delays), len(config.frequencies))
    test, radius, scaling = (one.reshape(shape) for one in selected(table))
    return {
        "accuracy": test,
        "best_radius": radii[radius.astype(int)],
        "best_scaling": scalings[scaling.astype(int)],
        "by_radius": by_radius(table),
    }


def _by_protocol(config: Config, results: list[Result | None]) -> dict[str, Floats]:
    """Arrays (networks, models, protocols, ...): the usual networks fill two protocols, the large ones the third."""
    maps = (len(SELECTIONS), len(config.delays), len(config.frequencies))
    cut, names = config.networks * len(MODELS), ("accuracy", "best_radius", "best_scaling")
    most = max(config.networks, config.large_networks)
    filled = {name: np.full((most, len(MODELS), 3, *maps), np.nan) for name in names}
    filled["by_radius"] = np.full((most, len(MODELS), 3, config.points), np.nan)
    usual = with_holes(results[:cut], {**dict.fromkeys(names, (2, *maps)), "by_radius": (2, config.points)})
    large = with_holes(results[cut:], dict.fromkeys(names, (1, *maps)))
    for name, array in usual.items():
        filled[name][: config.networks, :, :2] = array.reshape(config.networks, len(MODELS), *array.shape[1:])
    for name, array in large.items():
        filled[name][: config.large_networks, :, 2:] = array.reshape(config.large_networks, len(MODELS), *array.shape[1:])
    return filled


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Maps by network, model, protocol and selection, and the bound of every linear network."""
    dims = ("network", "model", "protocol", "selection", "delay", "frequency")
    values = {name: ((*dims[:3], "point") if name == "by_radius" else dims, array) for name, array in _by_protocol(config, results).items()}
    return xr.Dataset(
        {**values, "linear_bound": ("frequency", np.asarray(analysis.linear_bound(list(config.frequencies))))},
        {
            "model": list(MODELS),
            "protocol": list(PROTOCOLS),
            "selection": list(SELECTIONS),
            "delay": list(config.delays),
            "frequency": list(config.frequencies),
        },
        {"units": config.units, "train": config.train, "large_units": config.large_units},
    )
