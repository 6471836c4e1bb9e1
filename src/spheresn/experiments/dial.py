"""Beyond the paper: does `memory` mean what it says? Asked, measured on fresh data, seen in the trace of an input, and in recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from .. import analysis, datasets
from .._validation import Floats
from ..estimators import ESNRegressor
from ..estimators.calibration import MemoryOutOfReach
from ._dial_plot import CAPTIONS, claims, plot
from ._shared import Result, accuracies, delayed, stream, with_holes

NAME, FIGURE = "dial", "beyond the paper"
TITLE = "The memory dial: asked for, measured, and what it buys in recall"
__all__ = ["CAPTIONS", "FIGURE", "NAME", "PRESETS", "TITLE", "Config", "claims", "collect", "plot", "run", "tasks"]


@dataclass(frozen=True)
class Config:
    """A network is calibrated on `train` rows and measured on as many fresh ones; memory is in steps, -1/(largest Lyapunov exponent)."""

    units: int = 300
    networks: int = 5
    topologies: tuple[str, ...] = ("ring", "gaussian")
    bends: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0)
    memories: tuple[float, ...] = (1.0, 3.0, 10.0, 30.0, 100.0)
    train: int = 5000
    delays: tuple[int, ...] = tuple(range(0, 301, 5))
    profile: int = 60


PRESETS = {
    "smoke": Config(60, 1, ("ring", "gaussian"), (0.0, 0.5), (1.0, 10.0), 1200, tuple(range(0, 61, 10)), 20),
    "quick": Config(200, 1, train=3000, delays=tuple(range(0, 301, 10))),
    "paper": Config(),
}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per topology, bend and network."""
    return [
        {"topology": topology, "bend": bend, "network": n}
        for topology in config.topologies
        for bend in config.bends
        for n in range(config.networks)
    ]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """For each memory asked for: the one measured on fresh rows, its error, the trace of an input, and the accuracy of recall."""
    rng = stream(seed, task["network"])
    series = datasets.white_noise(2 * config.train, rng)
    found = [_asked(config, task, memory, series, int(rng.integers(2**31))) for memory in config.memories]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def _asked(config: Config, task: dict[str, Any], memory: float, series: Floats, state: int) -> Result:
    """NaN where this network cannot have this memory."""
    targets = delayed(series[:, 0], config.delays)
    fit, fresh = slice(0, config.train), slice(config.train, None)
    model = ESNRegressor(
        config.units,
        topology=task["topology"],
        bend=task["bend"],
        memory=memory,
        penalty=1e-8,
        washout=max(config.delays),
        random_state=state,
    )
    try:
        model.fit(series[fit], targets[fit])
    except MemoryOutOfReach:
        none = np.full(config.profile + 1, np.nan)
        return {"exponent": none[0], "error": none[0], "trace": none, "recall": np.full(len(config.delays), np.nan)}
    rows = (series[fresh] - series[fit].mean(axis=0)) / series[fit].std(axis=0)  # as the model sees them
    measured = analysis.max_lyapunov(model.reservoir_, rows)
    trace = analysis.memory_profile(model.reservoir_, rows[:1500], config.profile, times=20).sensitivity
    settled = config.train // 3
    recall = accuracies(targets[fresh][settled:], model.predict(series[fresh])[settled:])
    return {
        "exponent": np.array(measured.exponent),
        "error": np.array(measured.standard_error),
        "trace": trace / trace[0],
        "recall": recall,
    }


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """By topology, bend, network and memory asked for."""
    m = len(config.memories)
    shapes = {"exponent": (m,), "error": (m,), "trace": (m, config.profile + 1), "recall": (m, len(config.delays))}
    places = (len(config.topologies), len(config.bends), config.networks)
    dims = ("topology", "bend", "network", "memory")
    last = {"trace": ("age",), "recall": ("delay",)}
    arrays = with_holes(results, shapes)
    return xr.Dataset(
        {name: ((*dims, *last.get(name, ())), array.reshape(*places, *array.shape[1:])) for name, array in arrays.items()},
        {
            "topology": list(config.topologies),
            "bend": list(config.bends),
            "memory": list(config.memories),
            "age": np.arange(config.profile + 1),
            "delay": list(config.delays),
        },
        {"units": config.units, "train": config.train},
    )
