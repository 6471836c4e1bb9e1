"""Beyond the paper: what bending the sphere buys. Maps of Figs. 7-9, free-running forecasts, exponents over bend and drive."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from .. import analysis, datasets
from .._validation import Floats
from ..activations import OnSphere
from ..driving import drive
from ..estimators import ESNForecaster
from ..estimators.forecaster import OutOfRange
from ..metrics import valid_time
from ..readout import solve
from ..reservoir import Reservoir, random_reservoir
from . import tradeoff
from ._bent_claims import claims
from ._bent_plot import CAPTIONS, plot
from ._grid import SELECTIONS, Lesson, selected
from ._shared import MODELS, Result, dense, of_part, stream, with_holes

NAME, FIGURE = "bent", "beyond the paper"
TITLE = "The bent sphere: maps of Figs. 7-9, free-running forecasts, exponents over bend and drive"
MAPPED = ("bent", *MODELS)
TOPOLOGIES = ("ring", "gaussian")
FORECASTERS = ("bent", "tanh", "spherical")
# Lyapunov times per row; for the laser, steps.
SERIES = {"lorenz": 0.02 * 0.906, "mackey_glass": 0.0058, "henon": 0.419, "santa_fe_laser": 1.0}
__all__ = ["CAPTIONS", "FIGURE", "NAME", "PRESETS", "TITLE", "Config", "claims", "collect", "plot", "run", "tasks"]


@dataclass(frozen=True)
class Config:
    """Maps: the tasks, rivals and ranges of `tradeoff`; the bent network is a ring with bias three times its input.

    Forecasts: `units` each, the forecaster's own choice of memory and penalty ("spherical": bend 0; "bent" chooses its bend as well; tanh
    its memory and gain), trained on `train` rows; valid time until the error exceeds .4 deviations, median over `starts` places.
    """

    map_units: int = 200
    map_networks: int = 2
    map_points: int = 12
    map_ratios: int = 40
    map_delays: tuple[int, ...] = tradeoff.Config.delays
    map_frequencies: tuple[float, ...] = tradeoff.Config.frequencies
    bends: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0, 2.0)
    strengths: int = 16
    units: int = 300
    exponent_bends: tuple[float, ...] = tuple(0.25 * i for i in range(9))
    exponent_strengths: int = 20
    exponent_steps: int = 2000
    forecasts: int = 3
    train: int = 5000
    horizon: int = 1500
    starts: int = 6

    @property
    def maps(self) -> tradeoff.Config:
        """The part that is shared with `tradeoff`."""
        shared = {"units": self.map_units, "networks": self.map_networks, "points": self.map_points, "ratios": self.map_ratios}
        return tradeoff.Config(**shared, delays=self.map_delays, frequencies=self.map_frequencies)  # type: ignore[arg-type]


PRESETS = {
    "smoke": Config(50, 1, 4, 10, (0, 4, 8, 12), (0.003, 0.3, 1.5, 3.0), (0.0, 1.0), 3, 60, (0.0, 1.0, 2.0), 5, 600, 1, 700, 100, 1),
    "quick": Config(
        map_networks=1, map_points=10, map_ratios=30, strengths=12, units=200,
        exponent_strengths=16, exponent_steps=1500, forecasts=2, train=3000, horizon=1000, starts=4,
    ),
    "paper": Config(),
}  # fmt: skip


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per map, per forecast (series, model, network), and per bend of the exponents."""
    maps = [{"part": "map", "network": n, "model": model} for n in range(config.maps.networks) for model in MAPPED]
    forecasts = [
        {"part": "forecast", "series": series, "model": model, "network": n}
        for series in SERIES
        for model in FORECASTERS
        for n in range(config.forecasts)
    ]
    return [*maps, *forecasts, *({"part": "exponent", "bend": bend} for bend in config.exponent_bends)]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    if task["part"] == "map":
        return _map(config, task["model"], task["network"], seed)
    if task["part"] == "forecast":
        return {"valid": np.array(_forecast(config, task["series"], task["model"], int(stream(seed, 5, task["network"]).integers(2**31))))}
    return _exponents(config, task["bend"], stream(seed, 6))


def with_bias(units: int, bend: float, rng: np.random.Generator, topology: str = "ring") -> Reservoir:
    """W of spectral radius 1, input weights of length one in the mean, and a bias three times as strong."""
    scale = np.sqrt(3.0 / units)
    shape = OnSphere(bend=bend)
    return random_reservoir(units, topology=topology, activation=shape, input_scaling=scale, bias_scaling=3.0 * scale, rng=rng)


def _map(config: Config, model: str, network: int, seed: int) -> Result:
    maps = config.maps
    if model != "bent":
        found = tradeoff.run(maps, {"size": "usual", "network": network, "model": model}, seed)
        return {"accuracy": found["accuracy"][0], "choice": np.stack([found["best_radius"][0], found["best_scaling"][0]])}
    rng = stream(seed, 0, network)
    dense(maps.units, rng)  # the same stream as in `tradeoff`, hence the same signal
    sizes = (maps.train, maps.validation, maps.test)
    lesson = Lesson.of(datasets.white_noise(maps.washout + sum(sizes), rng)[:, 0], maps.delays, maps.frequencies, maps.washout, sizes)
    strengths = np.geomspace(0.003, 10.0, config.strengths)
    networks = [with_bias(maps.units, bend, stream(seed, 4, network)) for bend in config.bends]
    table = np.array([[_scores(one.rescaled(1.0, s, s), lesson, maps.penalties[0]) for s in strengths] for one in networks])
    test, bend, strength = (one[0].reshape(3, len(maps.delays), len(maps.frequencies)) for one in selected(table[None]))
    return {"accuracy": test, "choice": np.stack([np.array(config.bends)[bend.astype(int)], strengths[strength.astype(int)]])}


def _scores(network: Reservoir, lesson: Lesson, penalty: float) -> Floats:
    states = drive(network, lesson.signal)
    return lesson.scores(states, solve(lesson.gram(states), penalty))


def _rows(series: str, length: int, seed: int) -> Floats:
    if series == "santa_fe_laser":
        return datasets.santa_fe_laser()[:length]
    makers: dict[str, Any] = {"lorenz": datasets.lorenz, "mackey_glass": datasets.mackey_glass, "henon": datasets.henon}
    return np.asarray(makers[series](length, rng=seed))


def _forecast(config: Config, series: str, model: str, seed: int) -> float:
    """Median valid time of free runs from several places of the test part."""
    horizon = config.horizon if series in ("lorenz", "mackey_glass") else min(200, config.horizon)
    rows = _rows(series, config.train + config.starts * 200 + horizon, seed)
    options: dict[str, Any] = {"activation": "tanh"} if model == "tanh" else {"bend": "auto" if model == "bent" else 0.0}
    forecaster = ESNForecaster(config.units, random_state=seed % 1000, **options).fit(rows[: config.train])
    times = []
    for start in range(config.train, config.train + config.starts * 200, 200):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OutOfRange)  # a free run that leaves is what is being measured
            ahead = forecaster.forecast(horizon)
        times.append(valid_time(rows[start : start + horizon], ahead, dt=SERIES[series]))
        forecaster.update(rows[start : start + 200])
    return float(np.median(times))


def _exponents(config: Config, bend: float, rng: np.random.Generator) -> Result:
    """Largest exponents (topologies, strengths)."""
    networks = [with_bias(config.units, bend, rng, topology) for topology in TOPOLOGIES]
    noise, skip = np.sqrt(3.0) * datasets.white_noise(config.exponent_steps, rng), config.exponent_steps // 4
    strengths = drive_strengths(config)
    found = [[analysis.max_lyapunov(one.rescaled(1.0, s, s), noise, transient=skip).exponent for s in strengths] for one in networks]
    return {"exponent": np.array(found)}


def drive_strengths(config: Config) -> Floats:
    """Strengths of input and bias at which exponents are measured."""
    return np.geomspace(0.003, 3.0, config.exponent_strengths)


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Maps by network and model, valid times by series and model, exponents by bend and strength."""
    units, maps = tasks(config), config.maps
    shape = (len(SELECTIONS), len(maps.delays), len(maps.frequencies))
    one = with_holes(of_part(units, results, "map"), {"accuracy": shape, "choice": (2, *shape)})
    place = (maps.networks, len(MAPPED))
    valid = with_holes(of_part(units, results, "forecast"), {"valid": ()})["valid"]
    exponents = with_holes(of_part(units, results, "exponent"), {"exponent": (len(TOPOLOGIES), config.exponent_strengths)})["exponent"]
    dims = ("selection", "delay", "frequency")
    return xr.Dataset(
        {
            "accuracy": (("network", "model", *dims), one["accuracy"].reshape(*place, *shape)),
            "choice": (("network", "model", "parameter", *dims), one["choice"].reshape(*place, 2, *shape)),
            "linear_bound": ("frequency", np.asarray(analysis.linear_bound(list(maps.frequencies)))),
            "valid": (("series", "forecaster", "run"), valid.reshape(len(SERIES), len(FORECASTERS), config.forecasts)),
            "exponent": (("bend", "topology", "strength"), exponents),
        },
        {
            "model": list(MAPPED),
            "selection": list(SELECTIONS),
            "delay": list(maps.delays),
            "frequency": list(maps.frequencies),
            "series": list(SERIES),
            "forecaster": list(FORECASTERS),
            "bend": list(config.exponent_bends),
            "topology": list(TOPOLOGIES),
            "strength": drive_strengths(config),
        },
        {"units": config.units, "map_units": maps.units, "train": config.train},
    )
