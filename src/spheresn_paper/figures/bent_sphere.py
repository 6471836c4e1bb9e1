"""Beyond the paper: what a bend of the sphere adds.

Maps as in Figs. 7-9, free-running forecasts, and exponents over bend and drive.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, SymLogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from spheresn import analysis, datasets
from spheresn._validation import Floats
from spheresn.activations import OnSphere
from spheresn.driving import drive
from spheresn.estimators import ESNForecaster, OutOfRange
from spheresn.metrics import valid_time
from spheresn.plotting import COLOURS
from spheresn.readout import solve
from spheresn.reservoir import Reservoir, random_reservoir

from ..claim import (
    MAIN,
    OURS,
    Claim,
    Evidence,
    all_of,
    all_or_some,
    any_of,
    drop_unmeasured,
    graded,
)
from ..interval import Interval, of_mean
from . import fig7_tradeoff as tradeoff
from .common import MODELS, Result, dense, median, of_part, panels, stream, with_holes
from .grid_search import SELECTIONS, TaskData, select_best
from .task_maps import CHOSEN, draw_bounds, draw_map, draw_winners, find_winner, winner_patches

NAME, FIGURE = "bent", "beyond the paper"
TITLE = "The bent sphere: maps of Figs. 7-9, free-running forecasts, exponents over bend and drive"
CAPTIONS = {
    "bent_maps": "The bent sphere on the tasks of Figs. 7-9: test error by selection, the bend "
    "and strength that validation chose, and "
    "who wins against the plain sphere, tanh and linear networks. {map_networks} networks of N = "
    "{map_units}.",
    "bent_forecasts": "(a, b) Largest exponent over bend and strength of input and bias; right of "
    "the line “chaos” it is positive, so the "
    "drive is calibrated. (c) How long free-running forecasts stay valid; bars: medians, dots: "
    "single runs, {forecasts} of N = {units} for each series, {train} training rows.",
}
SIZES = (
    "maps N = {map_units}, {map_networks} networks; forecasts N = {units}, {forecasts} networks, "
    "{train} training rows"
)
TOPOLOGIES = ("ring", "gaussian")
FORECASTERS = ("bent", "tanh", "spherical")
MAPPED = ("bent", *MODELS)
# Lyapunov times per row; for the laser, steps.
SERIES = {"lorenz": 0.02 * 0.906, "mackey_glass": 0.0058, "henon": 0.419, "santa_fe_laser": 1.0}


@dataclass(frozen=True)
class Config:
    """Maps: the tasks, rivals and ranges of `fig7_tradeoff`; the bent network is a ring whose bias
    is three times its input.

    Forecasts: networks of `units` units learn `train` rows. The forecaster chooses memory and
    penalty, for "bent" also the bend ("spherical": bend 0), for tanh memory and gain. The valid
    time ends when the error exceeds .4 deviations; we take the median over `starts` places.
    """

    map_units: int = 200
    map_networks: int = 4
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
        return tradeoff.Config(
            units=self.map_units,
            networks=self.map_networks,
            delays=self.map_delays,
            frequencies=self.map_frequencies,
            points=self.map_points,
            ratios=self.map_ratios,
        )


PRESETS = {
    "smoke": Config(
        map_units=50, map_networks=2, map_points=4, map_ratios=10, map_delays=(0, 4, 8, 12),
        map_frequencies=(0.003, 0.3, 1.5, 3.0), bends=(0.0, 1.0), strengths=3, units=60,
        exponent_bends=(0.0, 1.0, 2.0), exponent_strengths=5, exponent_steps=600,
        forecasts=2, train=700, horizon=100, starts=1,
    ),
    "quick": Config(
        map_networks=2, map_points=8, map_ratios=15, strengths=6, units=200,
        exponent_strengths=16, exponent_steps=1500,
        forecasts=2, train=2000, horizon=1000, starts=4,
    ),
    "paper": Config(),
}  # fmt: skip


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per map, per forecast (series, model, network), and per bend of the exponents."""
    networks, runs = range(config.maps.networks), range(config.forecasts)
    return [
        *({"part": "map", "network": n, "model": model} for n in networks for model in MAPPED),
        *(
            {"part": "forecast", "series": series, "model": model, "network": n}
            for series in SERIES
            for model in FORECASTERS
            for n in runs
        ),
        *({"part": "exponent", "bend": bend} for bend in config.exponent_bends),
    ]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    if task["part"] == "map":
        return _measure_map(config, task["model"], task["network"], seed)
    if task["part"] == "forecast":
        state = int(stream(seed, 5, task["network"]).integers(2**31))
        return _measure_forecast(config, task["series"], task["model"], state)
    return _measure_exponents(config, task["bend"], stream(seed, 6))


def with_bias(
    units: int, bend: float, rng: np.random.Generator, topology: str = "ring"
) -> Reservoir:
    """W of spectral radius 1, input weights of mean length one, a bias three times as strong."""
    scale = np.sqrt(3.0 / units)
    strengths: dict[str, Any] = {"input_scaling": scale, "bias_scaling": 3.0 * scale}
    shape = OnSphere(bend=bend)
    return random_reservoir(units, topology=topology, activation=shape, rng=rng, **strengths)


def _measure_map(config: Config, model: str, network: int, seed: int) -> Result:
    maps = config.maps
    if model != "bent":
        found = tradeoff.run(maps, {"size": "usual", "network": network, "model": model}, seed)
        choice = np.stack([found["best_radius"][0], found["best_scaling"][0]])
        return {"accuracy": found["accuracy"][0], "choice": choice}
    rng = stream(seed, 0, network)
    dense(maps.units, rng)  # the same stream as in `fig7_tradeoff`, hence the same signal
    sizes = (maps.train, maps.validation, maps.test)
    signal = datasets.white_noise(maps.washout + sum(sizes), rng)[:, 0]
    data = TaskData.of(signal, maps.delays, maps.frequencies, maps.washout, sizes)
    strengths = np.geomspace(0.003, 10.0, config.strengths)
    networks = [with_bias(maps.units, bend, stream(seed, 4, network)) for bend in config.bends]
    driven = [[one.rescaled(1.0, s, s) for s in strengths] for one in networks]
    table = np.array([[_scores(one, data, maps.penalties[0]) for one in row] for row in driven])
    shape = (3, len(maps.delays), len(maps.frequencies))
    test, bend, strength = (one[0].reshape(shape) for one in select_best(table[None]))
    bends = np.array(config.bends)
    choice = np.stack([bends[bend.astype(int)], strengths[strength.astype(int)]])
    return {"accuracy": test, "choice": choice}


def _scores(network: Reservoir, data: TaskData, penalty: float) -> Floats:
    states = drive(network, data.signal)
    return data.scores(states, solve(data.gram(states), penalty))


def _rows(series: str, length: int, seed: int) -> Floats:
    if series == "santa_fe_laser":
        return datasets.santa_fe_laser()[:length]
    return np.asarray(getattr(datasets, series)(length, rng=seed))


def _measure_forecast(config: Config, series: str, model: str, seed: int) -> Result:
    """Median valid time of free runs from several places of the test part."""
    horizon = config.horizon if series in ("lorenz", "mackey_glass") else min(200, config.horizon)
    rows = _rows(series, config.train + config.starts * 200 + horizon, seed)
    bend: Any = "auto" if model == "bent" else 0.0
    options: dict[str, Any] = {"activation": "tanh"} if model == "tanh" else {"bend": bend}
    options["observation_noise"] = 0  # the series are computed
    forecaster = ESNForecaster(config.units, random_state=seed % 1000, **options)
    forecaster.fit(rows[: config.train])
    times = []
    for start in range(config.train, config.train + config.starts * 200, 200):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OutOfRange)  # we measure when a free run leaves
            ahead = forecaster.forecast(horizon)
        times.append(valid_time(rows[start : start + horizon], ahead, dt=SERIES[series]))
        forecaster.update(rows[start : start + 200])
    return {"valid": np.array(float(np.median(times)))}


def _measure_exponents(config: Config, bend: float, rng: np.random.Generator) -> Result:
    """Largest exponents (topologies, strengths)."""
    networks = [with_bias(config.units, bend, rng, topology) for topology in TOPOLOGIES]
    noise = np.sqrt(3.0) * datasets.white_noise(config.exponent_steps, rng)
    driven = [[one.rescaled(1.0, s, s) for s in drive_strengths(config)] for one in networks]
    options = {"transient": config.exponent_steps // 4}
    found = [[analysis.max_lyapunov(one, noise, **options) for one in row] for row in driven]
    return {
        "exponent": np.array([[one.exponent for one in row] for row in found]),
        "exponent_error": np.array([[one.standard_error for one in row] for row in found]),
    }


def drive_strengths(config: Config) -> Floats:
    """Strengths of input and bias at which exponents are measured."""
    return np.geomspace(0.003, 3.0, config.exponent_strengths)


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Maps by network and model, valid times by series and model, exponents by bend and drive."""
    units, maps = tasks(config), config.maps
    shape = (len(SELECTIONS), len(maps.delays), len(maps.frequencies))
    one = with_holes(of_part(units, results, "map"), {"accuracy": shape, "choice": (2, *shape)})
    accuracy = one["accuracy"].reshape(maps.networks, len(MAPPED), *shape)
    choice = one["choice"].reshape(maps.networks, len(MAPPED), 2, *shape)
    valid = with_holes(of_part(units, results, "forecast"), {"valid": ()})["valid"]
    valid = valid.reshape(len(SERIES), len(FORECASTERS), config.forecasts)
    table = (len(TOPOLOGIES), config.exponent_strengths)
    names = ("exponent", "exponent_error")
    exponents = with_holes(of_part(units, results, "exponent"), dict.fromkeys(names, table))
    dims = ("selection", "delay", "frequency")
    return xr.Dataset(
        {
            "accuracy": (("network", "model", *dims), accuracy),
            "choice": (("network", "model", "parameter", *dims), choice),
            "linear_bound": ("frequency", analysis.linear_bound(list(maps.frequencies))),
            "valid": (("series", "forecaster", "run"), valid),
            **{name: (("bend", "topology", "strength"), exponents[name]) for name in names},
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


NAMES = dict(zip(SERIES, ("Lorenz", "Mackey-Glass", "Hénon", "laser\n(10 steps)"), strict=True))
LABELS = {"bent": "bent sphere", "spherical": "sphere", "tanh": "tanh", "linear": "linear"}
NORM = SymLogNorm(0.05, vmin=-5.0, vmax=5.0)  # zero, where chaos begins, is white


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The maps; exponents over bend and strength, beside the forecasts."""
    return {"bent_maps": _draw_maps(dataset), "bent_forecasts": _draw_forecasts(dataset)}


def _draw_maps(dataset: xr.Dataset) -> Figure:
    figure = Figure(figsize=(11.5, 7.0), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    bent = dataset.sel(model="bent")
    for axis, selection in zip(axes[0], dataset.selection.values, strict=True):
        error = 1.0 - median(bent.accuracy.sel(selection=selection), "network")
        mesh = draw_map(axis, error, vmin=0, vmax=1, cmap="cividis")
        rows, mean = CHOSEN[str(selection)].split(" (")[0], 1.0 - float(error.mean())
        axis.set_title(f"{rows}: mean γ = {mean:.3f}", fontsize=9)
    figure.colorbar(mesh, ax=axes[0, -1], label="test error, NRMSE")
    bend, strength = median(bent.choice.sel(selection="validation"), "network")
    mesh = draw_map(axes[1, 0], bend, cmap="viridis", vmin=0, vmax=2)
    figure.colorbar(mesh, ax=axes[1, 0])
    mesh = draw_map(axes[1, 1], strength, cmap="viridis", norm=LogNorm(0.003, 10))
    figure.colorbar(mesh, ax=axes[1, 1])
    axes[1, 0].set_title("best bend (validation)\n", fontsize=9)
    axes[1, 1].set_title("best strength of input and bias\n(validation)", fontsize=9)
    _draw_winner(figure, axes[1, 2], dataset)
    for axis in axes[-1]:
        axis.set_xlabel("memory τ")
    for axis in axes[:, 0]:
        axis.set_ylabel("nonlinearity ν")
    figure.suptitle(f"Bent sphere, N = {dataset.map_units}: the map of Figs. 7-9", fontsize=11)
    return figure


def _draw_winner(figure: Figure, axes: Axes, dataset: xr.Dataset) -> None:
    labels = {str(name): LABELS[str(name)] for name in dataset.model.values}
    won = find_winner(dataset).sel(selection="validation")
    draw_winners(axes, won, list(labels))
    draw_bounds(axes, dataset)
    counts = [f"{label} {int((won == i).sum())}" for i, label in enumerate(labels.values())]
    axes.set_title(f"who wins (validation)\n{', '.join(counts)}", fontsize=9)
    style: dict[str, Any] = {"ncols": len(labels) + 2, "frameon": False, "fontsize": 8}
    figure.legend(handles=winner_patches(labels), loc="outside lower right", **style)


def _draw_forecasts(dataset: xr.Dataset) -> Figure:
    figure, (left, middle, right) = panels(1, 3, 5.0, 4.2)
    for letter, axes, topology in zip("ab", (left, middle), dataset.topology.values, strict=True):
        mesh = _draw_exponents(axes, dataset.sel(topology=topology))
        title = f"({letter}) {topology}, N = {dataset.units}, white noise and bias"
        axes.set_title(title, fontsize=10)
    left.set_ylabel("strength of input and bias")
    figure.colorbar(mesh, ax=middle, label="largest exponent per step")
    _draw_valid_times(right, dataset)
    return figure


def _draw_exponents(axes: Axes, dataset: xr.Dataset) -> Any:
    values = dataset.exponent.transpose("strength", "bend").values
    axes.set_yscale("log")
    style: dict[str, Any] = {"cmap": "PuOr_r", "norm": NORM, "rasterized": True}
    mesh = axes.pcolormesh(dataset.bend, dataset.strength, values, shading="nearest", **style)
    whole = np.nan_to_num(values, nan=-9.0)
    names = {-1.0: "memory 1", -0.1: "memory 10", 0.01: "chaos"}
    levels = [level for level in names if whole.min() < level < whole.max()]
    if levels and min(values.shape) > 1:
        style = {"colors": "black", "linewidths": 0.9}
        lines = axes.contour(dataset.bend, dataset.strength, whole, levels=levels, **style)
        axes.clabel(lines, fmt=names, fontsize=8)
    axes.set_xlabel("bend")
    return mesh


def _draw_valid_times(axes: Axes, dataset: xr.Dataset) -> None:
    names = [str(name) for name in dataset.forecaster.values]
    for i, series in enumerate(dataset.series.values):
        for j, name in enumerate(names):
            values = dataset.valid.sel(series=series, forecaster=name)
            scaled = values / (10.0 if series == "santa_fe_laser" else 1.0)
            x = i + 0.25 * (j - 1)
            if bool(values.notnull().any()):
                axes.bar(x, float(median(scaled, "run")), 0.22, color=COLOURS[name], alpha=0.75)
            axes.plot(np.full(values.size, x), scaled, "o", ms=3, color="black", alpha=0.5)
    axes.set_xticks(range(len(NAMES)), list(NAMES.values()), fontsize=8)
    axes.set_ylabel("valid time of free runs (Lyapunov times)")
    title = f"(c) forecasts, N = {dataset.units}, {dataset.train} training rows"
    axes.set_title(title, fontsize=10)
    bars = [Patch(color=COLOURS[name], alpha=0.75, label=LABELS[name]) for name in names]
    axes.legend(handles=bars, frameon=False, fontsize=9)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Three sentences of this library, and one of the paper."""
    there = bool(dataset.valid.notnull().any())
    forecasts = [_judge_rich(dataset), _judge_forecast(dataset)] if there else []
    return drop_unmeasured([_judge_map(dataset), *forecasts, _judge_chaos(dataset)])


def _judge_map(dataset: xr.Dataset) -> Claim:
    accuracy = dataset.accuracy.sel(selection="validation").mean(
        ["delay", "frequency"], skipna=False
    )
    means: Evidence = {str(m): float(accuracy.sel(model=m).mean()) for m in dataset.model.values}
    bent, plain, linear = (accuracy.sel(model=m) for m in ("bent", "spherical", "linear"))
    leads = {"spherical": of_mean(bent - plain), "linear": of_mean(bent - linear)}
    evidence = {k: v for m, one in leads.items() for k, v in one.evidence(f"lead_{m}").items()}
    return Claim(
        "bending-buys-nonlinearity", FIGURE, OURS,
        "The bent sphere computes more than the plain sphere and than linear networks.",
        "mean accuracy on the map, chosen on validation rows: "
        + ", ".join(f"{k} {v:.3f}" for k, v in means.items())
        + "; lead "
        + ", ".join(f"{one.text('+.3f')} over {m}" for m, one in leads.items()),
        "means over networks; holds if the bent sphere is above both the plain sphere and the "
        "linear network by more than .01, partly if above one",
        graded(
            all_of([one.above(0.01) for one in leads.values()]),
            any_of([one.above(0.0) for one in leads.values()]),
        ),
        {**means, **evidence}, networks="map_networks",
    )  # fmt: skip


def _times(dataset: xr.Dataset) -> tuple[list[str], Evidence, str]:
    """The series that were forecast, the median valid times as evidence, and in words."""
    valid = median(dataset.valid, "run")
    there = [str(s) for s in dataset.series.values if bool(valid.sel(series=s).notnull().all())]
    evidence: Evidence = {}
    listed = []
    for s in there:
        times = [float(time) for time in valid.sel(series=s).values]
        evidence |= {f"{s}_{f}": time for f, time in zip(FORECASTERS, times, strict=True)}
        listed.append(f"{s.replace('_', ' ')} " + "/".join(f"{time:.1f}" for time in times))
    words = "median valid time bent/tanh/plain sphere (Lyapunov times, laser in steps): "
    return there, evidence, words + ", ".join(listed)


def _compare(
    dataset: xr.Dataset, series: list[str], one: str, factor: float, other: str
) -> list[str]:
    """For each series, whether one forecaster stays valid longer than so many times another."""
    gaps = dataset.valid.sel(forecaster=one) - factor * dataset.valid.sel(forecaster=other)
    return [of_mean(gaps.sel(series=s)).above(0.0) for s in series]


def _judge_forecast(dataset: xr.Dataset) -> Claim:
    there, evidence, text = _times(dataset)
    return Claim(
        "bending-makes-forecasts", FIGURE, OURS,
        "With a bend the network forecasts chaotic series; without a bend it hardly does.", text,
        "means over runs; holds if the bent sphere stays valid more than twice as long as the "
        "plain one on every series, partly if on one",
        all_or_some(_compare(dataset, there, "bent", 2.0, "spherical")), evidence,
        networks="forecasts",
    )  # fmt: skip


def _judge_rich(dataset: xr.Dataset) -> Claim:
    there, evidence, text = _times(dataset)
    return Claim(
        "rich-enough-to-approximate-nonlinear-systems", "free-running forecasts", "Abstract",
        "dynamics that are rich-enough to approximate many common nonlinear systems used for "
        "benchmarking",
        f"{text}. The paper shows no forecasts: it recalls inputs of such systems, which linear "
        "networks do better",
        "means over runs; holds if the plain sphere stays valid more than half as long as tanh on "
        "every series, partly if on one",
        all_or_some(_compare(dataset, there, "spherical", 0.5, "tanh")), evidence,
        quoted=True, weight=MAIN, networks="forecasts",
    )  # fmt: skip


def _largest(exponents: xr.DataArray, errors: xr.DataArray) -> Interval:
    """The largest exponent with two of its standard errors."""
    flat, error = exponents.values.ravel(), errors.values.ravel()
    if not np.isfinite(flat).any():
        return Interval(np.nan, np.nan, np.nan)
    i = int(np.nanargmax(flat))
    centre, reach = float(flat[i]), 2.0 * float(error[i])
    return Interval(centre, centre - reach, centre + reach)


def _judge_chaos(dataset: xr.Dataset) -> Claim:
    bent = dataset.where(dataset.bend > 0, drop=True)
    highest = _largest(bent.exponent, bent.exponent_error)
    plain = float(dataset.exponent.sel(bend=0.0).max())
    last = dataset.isel(strength=-1)
    missing = bool(last.exponent.isnull().any())
    strong = _largest(last.exponent, last.exponent_error)
    return Claim(
        "bent-sphere-needs-calibration", FIGURE, OURS,
        "The bent sphere can be chaotic under weak drive and is not chaotic under strong drive.",
        f"ring and Gaussian: largest exponent {highest.text('+.3f')} with bend, {plain:+.4f} "
        f"without, {strong.text('+.2f')} under the strongest drive",
        "holds if some bent network is above .01 and none is above 0 under the strongest drive, "
        "partly if one of the two is so",
        all_or_some([highest.above(0.01), strong.below(0.0)]),
        {**highest.evidence("bent"), "plain": plain, **strong.evidence("strongest_drive"),
        "units_missing": np.nan if missing else 0.0},
    )  # fmt: skip
