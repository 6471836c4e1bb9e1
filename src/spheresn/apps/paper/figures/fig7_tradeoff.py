"""Figs. 7-9: sin(ν u_{k-τ}) over memory τ and nonlinearity ν, with three ways to choose a network.

Hyper-parameters are chosen on training, validation or test rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from spheresn import analysis, datasets
from spheresn._validation import Floats

from ..claim import Claim, Evidence, drop_unmeasured, verdict
from .common import MODELS, Result, dense, median, stream, with_holes
from .grid_search import (
    SELECTIONS,
    TaskData,
    accuracy_by_radius,
    linear_table,
    ratios_to_grid,
    select_best,
    sphere_table,
    tanh_table,
)
from .task_maps import CHOSEN, draw_map, draw_winner_figure, find_winner

NAME, FIGURE = "tradeoff", "Figs. 7-9"
TITLE = (
    "Memory against nonlinearity: three networks on a grid of tasks, "
    "three ways to choose their hyper-parameters"
)
PROTOCOLS = ("paper", "authors", "paper, large")
FIGURES = {"tanh": "Fig. 7", "linear": "Fig. 8", "spherical": "Fig. 9"}
_CAPTION = (
    "The {} network on the tasks sin(ν uₖ₋τ). Columns: hyper-parameters chosen on training, "
    "validation or test rows. Rows: test error, the input scaling and spectral radius that were "
    "chosen, and the error in protocol “authors” (penalty .01)."
)
CAPTIONS = {
    **{f"tradeoff_{model}": _CAPTION.format(model) for model in FIGURES},
    "tradeoff_winner": "Who wins each task: a median accuracy more than .01 above both others. "
    "Above the black lines no linear network can exceed accuracy .9, .5, .1; a cross marks a "
    "winner that exceeds the linear bound. Last row: as many units as training rows.",
}


@dataclass(frozen=True)
class Config:
    """The paper's ranges; N, τ and ν as in the authors' code, where the text is silent.

    Protocol "paper" has penalty 1e-8 (unstated) and speaks of selection on the training rows.
    Protocol "authors" has penalty .01 and selection on the test rows. "paper, large" is "paper"
    with as many units as training rows, so that a network can learn them by heart. All three
    selections are computed for all protocols. The input u is uniform in [-1, 1], not rescaled.
    ratios: how many values of scaling/spectral radius stand for the whole grid of the sphere,
    whose states depend on nothing else.
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


PRESETS = {
    "smoke": Config(
        units=50, networks=1, delays=(0, 4, 8, 12), points=4, ratios=10,
        frequencies=tuple(float(nu) for nu in np.logspace(-2.5, 1.0, 6)),
        washout=100, train=100, large_units=100, large_networks=1, large_points=3,
    ),
    "quick": Config(networks=2, points=12, ratios=40, large_networks=1, large_points=8),
    "paper": Config(),
}  # fmt: skip


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per network and model; the models of one network share W, W_in and the signal."""
    networks = [("usual", n) for n in range(config.networks)]
    networks += [("large", n) for n in range(config.large_networks)]
    return [{"size": size, "network": n, "model": m} for size, n in networks for m in MODELS]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """Test accuracy and chosen hyper-parameters (protocols, selections, delays, frequencies)."""
    large, model = task["size"] == "large", task["model"]
    rng = stream(seed, int(large), task["network"])
    network = dense(config.large_units if large else config.units, rng)
    sizes = (config.train, config.validation, config.test)
    signal = datasets.white_noise(config.washout + sum(sizes), rng)[:, 0]
    data = TaskData.of(signal, config.delays, config.frequencies, config.washout, sizes)
    penalties = config.penalties[:1] if large else config.penalties
    points = config.large_points if large else config.points
    lowest, largest = getattr(config, f"{model}_radii")
    radii = np.linspace(lowest, largest, points)
    scalings = np.linspace(*config.scalings, points)
    if model == "spherical":
        ratios = np.geomspace(scalings[0] / radii[-1], scalings[-1] / radii[0], config.ratios)
        found = sphere_table(network, data, ratios, penalties)
        table = ratios_to_grid(found, ratios, list(radii), scalings)
    else:
        compute = tanh_table if model == "tanh" else linear_table
        table = compute(network, data, list(radii), scalings, penalties)
    shape = (-1, len(SELECTIONS), len(config.delays), len(config.frequencies))
    test, radius, scaling = (one.reshape(shape) for one in select_best(table))
    return {
        "accuracy": test,
        "best_radius": radii[radius.astype(int)],
        "best_scaling": scalings[scaling.astype(int)],
        "by_radius": accuracy_by_radius(table),
    }


def _by_protocol(config: Config, results: list[Result | None]) -> dict[str, Floats]:
    """Arrays (networks, models, protocols, ...).

    The usual networks fill the first two protocols, the large ones the third.
    """
    maps = (len(SELECTIONS), len(config.delays), len(config.frequencies))
    cut, names = config.networks * len(MODELS), ("accuracy", "best_radius", "best_scaling")
    most = max(config.networks, config.large_networks)
    filled = {name: np.full((most, len(MODELS), 3, *maps), np.nan) for name in names}
    filled["by_radius"] = np.full((most, len(MODELS), 3, config.points), np.nan)
    shapes = {**dict.fromkeys(names, (2, *maps)), "by_radius": (2, config.points)}
    for name, array in with_holes(results[:cut], shapes).items():
        usual = array.reshape(config.networks, len(MODELS), *array.shape[1:])
        filled[name][: config.networks, :, :2] = usual
    for name, array in with_holes(results[cut:], dict.fromkeys(names, (1, *maps))).items():
        large = array.reshape(config.large_networks, len(MODELS), *array.shape[1:])
        filled[name][: config.large_networks, :, 2:] = large
    return filled


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Maps by network, model, protocol and selection, and the bound of every linear network."""
    arrays = _by_protocol(config, results)
    first, last = ("network", "model", "protocol"), ("selection", "delay", "frequency")
    return xr.Dataset(
        {
            **{name: ((*first, *last), arrays[name]) for name in arrays if name != "by_radius"},
            "by_radius": ((*first, "point"), arrays["by_radius"]),
            "linear_bound": ("frequency", analysis.linear_bound(list(config.frequencies))),
        },
        {
            "model": list(MODELS),
            "protocol": list(PROTOCOLS),
            "selection": list(SELECTIONS),
            "delay": list(config.delays),
            "frequency": list(config.frequencies),
        },
        {"units": config.units, "train": config.train, "large_units": config.large_units},
    )


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Twelve maps per model, and the maps of winners."""
    figures = {f"tradeoff_{m}": _draw_model(dataset.sel(model=m), m) for m in FIGURES}
    return {**figures, "tradeoff_winner": draw_winner_figure(dataset)}


def _draw_model(dataset: xr.Dataset, model: str) -> Figure:
    figure = Figure(figsize=(11.5, 9.6))
    axes = figure.subplots(4, 3, sharex=True, sharey=True)
    figure.subplots_adjust(left=0.07, right=0.9, top=0.9, bottom=0.05, hspace=0.14, wspace=0.06)
    paper, authors = (dataset.sel(protocol=name) for name in ("paper", "authors"))
    largest = {"tanh": 3.0, "linear": 1.5, "spherical": 10.0}[model]
    error: dict[str, Any] = {"vmin": 0, "vmax": 1, "cmap": "cividis"}
    scaling = {"norm": LogNorm(0.01, 2.0), "cmap": "viridis"}
    radius = {"vmin": 0.2, "vmax": largest, "cmap": "viridis"}
    rows: list[tuple[str, xr.DataArray, dict[str, Any]]] = [
        ("test error, NRMSE", 1.0 - paper.accuracy, error),
        ("best input scaling", paper.best_scaling, scaling),
        ("best spectral radius", paper.best_radius, radius),
        ("test error, “authors”", 1.0 - authors.accuracy, error),
    ]
    for row, (name, values, style) in zip(axes, rows, strict=True):
        for axis, selection in zip(row, dataset.selection.values, strict=True):
            mesh = draw_map(axis, median(values.sel(selection=selection), "network"), **style)
        place = row[-1].get_position()
        bar = figure.add_axes((0.915, place.y0, 0.013, place.height))
        figure.colorbar(mesh, cax=bar, label=name)
        row[0].set_ylabel("nonlinearity ν")
    _write_headings(figure, axes, dataset, model)
    return figure


def _write_headings(figure: Figure, axes: Any, dataset: xr.Dataset, model: str) -> None:
    for row, protocol in ((0, "paper"), (3, "authors")):
        for axis, selection in zip(axes[row], dataset.selection.values, strict=True):
            accuracy = dataset.accuracy.sel(selection=selection, protocol=protocol)
            mean = float(median(accuracy, "network").mean())
            first = f"{CHOSEN[str(selection)]}\n" if row == 0 else ""
            axis.set_title(f"{first}“{protocol}”: mean γ = {mean:.3f}", fontsize=9, pad=3)
    for axis in axes[-1]:
        axis.set_xlabel("memory τ", labelpad=1)
    networks = dataset.sizes["network"]
    size = f"N = {dataset.units}, median of {networks} network{'s' if networks > 1 else ''}"
    title = f"{FIGURES[model]}, {model}: {size}"
    if model == "spherical":
        title += ";\non the sphere all points of one ratio scaling/radius are equal, "
        title += "the middle one is shown"
    figure.suptitle(title, fontsize=11, y=0.985)


LONG, STRONG = 10, 1.5  # a task needs memory from this delay on, nonlinearity from this frequency
WEAKLY = (
    "mean over all tasks, scaling chosen on validation rows; holds if the worst spectral radius "
    "loses at most .05 against the best, partly if the median one does"
)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Nine sentences, in protocol "paper".

    Unless the rule says otherwise they are about single networks whose hyper-parameters were
    chosen on validation rows.
    """
    ours = dataset.sel(protocol="paper")
    if not bool(np.isfinite(median(dataset.accuracy, "network")).all()):
        return []  # a comparison of three needs all three
    chosen = median(ours.accuracy, "network").sel(selection="validation")
    return drop_unmeasured([
        _judge_best_when_both(dataset), _judge_nonlinear(ours, chosen), _judge_no_role(ours),
        _judge_weak_dependency(chosen), _judge_linear_delay(chosen), _judge_tanh_error(chosen),
        _judge_tanh_radius(ours), _judge_tanh_scaling(ours), _judge_linear_weak(ours),
    ])  # fmt: skip


def _judge_best_when_both(dataset: xr.Dataset) -> Claim:
    won = find_winner(dataset)
    region = won.where((won.delay >= LONG) & (won.frequency >= STRONG), drop=True)
    spherical = list(dataset.model.values).index("spherical")
    evidence: Evidence = {}
    for protocol in dataset.protocol.values:
        for selection in dataset.selection.values:
            cells = region.sel(protocol=protocol, selection=selection).values
            wins, solved = (cells == spherical).sum(), (cells > -2).sum()
            evidence[f"{protocol}_{selection}"] = float(wins / solved) if solved else 0.0
    names = [str(selection) for selection in dataset.selection.values]
    shares = [float(evidence[f"paper_{name}"]) for name in names]
    large = [float(evidence[f"paper, large_{name}"]) for name in names]
    return Claim(
        "best-when-both-memory-and-nonlinearity", "Figs. 7-9", "fig:spherical",
        "The proposed model denotes the best performance when the task requires both memory and "
        "nonlinearity, i.e., when both τ and ν are large.",
        f"share of tasks with τ >= {LONG} and ν >= {STRONG} that spherical wins: "
        + ", ".join(f"{s:.0%} ({name} selection)" for name, s in zip(names, shares, strict=True))
        + f"; with N = {dataset.large_units} units, which can learn the training rows by heart: "
        + ", ".join(f"{share:.0%} ({name})" for name, share in zip(names, large, strict=True)),
        "a win is a median accuracy more than .01 above both others, tasks that nobody solves (γ "
        "< .05) left out; holds if spherical wins more than half under all three selections, "
        "partly if under one of them, at either size",
        verdict(min(shares) > 0.5, max(*shares, *large) > 0.5), evidence,
    )  # fmt: skip


def _judge_nonlinear(ours: xr.Dataset, accuracy: xr.DataArray) -> Claim:
    hard = accuracy.where(accuracy.frequency >= 1.0, drop=True)
    gain = hard - ours.linear_bound.sel(frequency=hard.frequency)
    ours_above, tanh_above = (float((gain.sel(model=m) > 0.02).mean()) for m in MODELS[:2])
    most = gain.sel(model="spherical").max("frequency")
    reach = float(most.delay.where(most > 0.02).max()) if bool((most > 0.02).any()) else -1.0
    best = float(most.max())
    return Claim(
        "able-to-perform-nonlinear-computations", "Fig. 9", "fig:spherical",
        "At the same time, it is also able to perform nonlinear computations.",
        "spherical exceeds the bound of linear networks by more than .02 in "
        f"{ours_above:.0%} of the tasks with ν >= 1 (tanh {tanh_above:.0%}), by {best:.2f} at "
        f"most, up to τ = {reach:.0f}",
        "holds if in at least a quarter of these tasks, partly if in any",
        verdict(ours_above >= 0.25, ours_above > 0.0),
        {"share_above_bound_spherical": ours_above, "share_above_bound_tanh": tanh_above,
        "largest_gain": best, "largest_delay": reach},
    )  # fmt: skip


def _judge_no_role(ours: xr.Dataset) -> Claim:
    lost = {str(m): _losses(ours, str(m)) for m in ours.model.values}
    evidence: Evidence = {}
    for m, (worst, middle) in lost.items():
        evidence |= {f"{m}_worst": worst, f"{m}_median": middle}
    return Claim(
        "spectral-radius-plays-no-role", "Fig. 9", "fig:spherical",
        "The spectral radius does not [seem] to play any role in the network performance.",
        "mean accuracy lost at the worst and at the median spectral radius, the scaling chosen "
        "anew at each: "
        + ", ".join(f"{m} {worst:.3f} and {middle:.3f}" for m, (worst, middle) in lost.items())
        + ". On the sphere states depend on scaling/radius alone",
        WEAKLY, verdict(lost["spherical"][0] <= 0.05, lost["spherical"][1] <= 0.05), evidence,
    )  # fmt: skip


def _losses(ours: xr.Dataset, model: str) -> tuple[float, float]:
    """The mean accuracy that the worst and the median spectral radius lose against the best."""
    means = median(ours.by_radius, "network").sel(model=model)
    return float(means.max() - means.min()), float(means.max() - means.quantile(0.5))


def _drop(accuracy: xr.DataArray, model: str) -> float:
    mean = accuracy.sel(model=model).mean("frequency")
    return float(mean.max() - mean.min())


def _judge_weak_dependency(accuracy: xr.DataArray) -> Claim:
    drop, low = _drop(accuracy, "spherical"), float((accuracy.sel(model="spherical") < 0.3).mean())
    return Claim(
        "spherical-weak-dependency-on-memory", "Fig. 9", "fig:spherical",
        "The network performs reasonably well for all the tasks displaying only a weak dependency "
        "on the memory.",
        f"mean accuracy changes by {drop:.3f} over the delays; below .3 in {low:.0%} of the tasks",
        "holds if the change is at most .1 and no task is below .3, partly if one of the two is so",
        verdict(drop <= 0.1 and low == 0.0, drop <= 0.1 or low == 0.0),
        {"change_over_delays": drop, "share_below_.3": low},
    )  # fmt: skip


def _judge_linear_delay(accuracy: xr.DataArray) -> Claim:
    drop = _drop(accuracy, "linear")
    return Claim(
        "linear-delay-has-no-effect", "Fig. 8", "fig:linear",
        "τ seems to have no significant effect on the performance (of linear networks).",
        f"mean accuracy changes by {drop:.3f} over the delays",
        "holds if the change is at most .02, partly if at most .05",
        verdict(drop <= 0.02, drop <= 0.05), {"change_over_delays": drop},
    )  # fmt: skip


def _judge_tanh_error(accuracy: xr.DataArray) -> Claim:
    mean = accuracy.sel(model="tanh").mean("frequency")
    trend, fall = _trend(mean.delay, mean), float(mean[0] - mean[-1])
    return Claim(
        "tanh-error-grows-with-memory", "Fig. 7", "fig:regular",
        "The error grows with the memory required to solve the task.",
        f"mean accuracy falls by {fall:.3f} from the shortest to the longest delay, correlation "
        f"{trend:.2f}",
        "holds if the correlation of mean accuracy and delay is below -.7, partly if below -.3",
        verdict(trend < -0.7, trend < -0.3), {"correlation": trend, "fall": fall},
    )  # fmt: skip


def _judge_tanh_radius(ours: xr.Dataset) -> Claim:
    chosen = ours.best_radius.sel(model="tanh").mean(["network", "frequency"])
    trends = {str(s): _trend(chosen.delay, chosen.sel(selection=s)) for s in ours.selection.values}
    return Claim(
        "tanh-larger-radius-for-more-memory", "Fig. 7", "fig:regular",
        "The choice of the spectral radius displays a pattern, where larger SRs are preferred "
        "when more memory is required.",
        "correlation of delay and mean best spectral radius: "
        + ", ".join(f"{k} {v:.2f}" for k, v in trends.items()) + " (selection)",
        "holds if above .5 under all three selections, partly if under one",
        verdict(min(trends.values()) > 0.5, max(trends.values()) > 0.5), dict(trends),
    )  # fmt: skip


def _judge_tanh_scaling(ours: xr.Dataset) -> Claim:
    scaling = median(ours.best_scaling.sel(model="tanh"), "network")
    small = (scaling <= 0.5).mean(["delay", "frequency"])
    shares = {str(s): float(small.sel(selection=s)) for s in ours.selection.values}
    return Claim(
        "tanh-scaling-small", "Fig. 7", "fig:regular",
        "The scaling factor tends to be small for almost every configuration.",
        "share of tasks with best scaling <= .5: "
        + ", ".join(f"{k} {v:.0%}" for k, v in shares.items()) + " (selection)",
        "holds if at least nine tasks in ten under all three selections, partly if at least three "
        "in four under one",
        verdict(min(shares.values()) >= 0.9, max(shares.values()) >= 0.75), dict(shares),
    )  # fmt: skip


def _judge_linear_weak(ours: xr.Dataset) -> Claim:
    worst, middle = _losses(ours, "linear")
    return Claim(
        "linear-weakly-influenced-by-hyperparameters", "Fig. 8", "fig:linear",
        "The performance is only weakly influenced by the hyper-parameters.",
        f"mean accuracy lost at the worst spectral radius {worst:.3f}, at the median one "
        f"{middle:.3f}",
        WEAKLY, verdict(worst <= 0.05, middle <= 0.05), {"worst": worst, "median": middle},
    )  # fmt: skip


def _trend(x: xr.DataArray, y: xr.DataArray) -> float:
    return float(np.corrcoef(x.values, y.values)[0, 1]) if float(y.std()) > 0 else 0.0
