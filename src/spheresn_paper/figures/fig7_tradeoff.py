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
from matplotlib.patches import Patch, Rectangle
from scipy import stats

from spheresn import analysis, datasets
from spheresn._validation import Floats
from spheresn.plotting import COLOURS

from ..claim import (
    DETAIL,
    FIRST,
    MAIN,
    Claim,
    Evidence,
    all_of,
    all_or_some,
    any_of,
    drop_unmeasured,
    graded,
    verdict,
)
from ..interval import Interval, jackknife, of_mean
from .common import MODELS, Result, dense, finding, median, stream, with_holes
from .grid_search import (
    SELECTIONS,
    TaskData,
    accuracy_by_radius,
    accuracy_by_scaling,
    linear_table,
    ratios_to_grid,
    select_best,
    sphere_table,
    tanh_table,
)
from .task_maps import (
    CHOSEN,
    NOBODY,
    TIE,
    draw_map,
    draw_winner_figure,
    draw_winners,
    find_winner,
)

NAME, FIGURE = "tradeoff", "Figs. 7-9"
TITLE = (
    "Memory against nonlinearity: three networks on a grid of tasks, "
    "three ways to choose their hyper-parameters"
)
PROTOCOLS = ("paper", "authors", "paper, large")
BEST = ("best_radius", "best_scaling", "best_ratio")
LOSSES = ("by_radius", "by_scaling")
FIGURES = {"tanh": "Fig. 7", "linear": "Fig. 8", "spherical": "Fig. 9"}
SIZES = "N = {units}, {networks} networks, {points} × {points} hyper-parameters"
_CAPTION = (
    "The {} network on the tasks sin(ν uₖ₋τ), median of {{networks}} networks of N = {{units}}, "
    "{{train}} training rows, the best of {{points}} × {{points}} hyper-parameters. Columns: they "
    "are chosen on training, validation or test rows. Rows: test error, {}, and the error in "
    "protocol “authors” (penalty .01)."
)
_GRID = "the input scaling and spectral radius that were chosen"
_RATIO = (
    "the ratio of input scaling to spectral radius that was chosen (on the sphere nothing else "
    "matters)"
)
CAPTIONS = {
    "tradeoff_finding": "Who wins each task, by memory and nonlinearity; the box holds the tasks "
    "that need both.",
    **{f"tradeoff_{m}": _CAPTION.format(m, _GRID) for m in ("tanh", "linear")},
    "tradeoff_spherical": _CAPTION.format("spherical", _RATIO),
    "tradeoff_winner": "Who wins each task: a median accuracy more than .01 above both others. "
    "Above the black lines no linear network can exceed accuracy .9, .5, .1; a cross marks a "
    "winner (not a tie) that exceeds the linear bound by more than .02. {networks} networks of "
    "N = {units}; last row: as many units as training rows, {large_units}, and {large_networks} "
    "networks.",
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
        units=50, networks=2, delays=(0, 4, 8, 12), points=4, ratios=10,
        frequencies=tuple(float(nu) for nu in np.logspace(-2.5, 1.0, 6)),
        washout=100, train=100, large_units=100, large_networks=1, large_points=3,
    ),
    "quick": Config(points=10, ratios=40, large_networks=1, large_points=4),
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
    ratio = None
    if model == "spherical":
        ratios = np.geomspace(scalings[0] / radii[-1], scalings[-1] / radii[0], config.ratios)
        found = sphere_table(network, data, ratios, penalties)
        table = ratios_to_grid(found, ratios, list(radii), scalings)
        ratio = ratios[select_best(found[:, :, None])[1].astype(int)]
    else:
        compute = tanh_table if model == "tanh" else linear_table
        table = compute(network, data, list(radii), scalings, penalties)
    shape = (-1, len(SELECTIONS), len(config.delays), len(config.frequencies))
    test, i, j = (one.reshape(shape) for one in select_best(table))
    radius, scaling = radii[i.astype(int)], scalings[j.astype(int)]
    return {
        "accuracy": test,
        "best_radius": radius,
        "best_scaling": scaling,
        "best_ratio": scaling / radius if ratio is None else ratio.reshape(shape),
        "by_radius": accuracy_by_radius(table),
        "by_scaling": accuracy_by_scaling(table),
    }


def _by_protocol(config: Config, results: list[Result | None]) -> dict[str, Floats]:
    """Arrays (networks, models, protocols, ...).

    The usual networks fill the first two protocols, the large ones the third.
    """
    maps = (len(SELECTIONS), len(config.delays), len(config.frequencies))
    cut, names = config.networks * len(MODELS), ("accuracy", *BEST)
    most = max(config.networks, config.large_networks)
    shapes = {**dict.fromkeys(names, maps), **dict.fromkeys(LOSSES, (config.points,))}
    filled = {k: np.full((most, len(MODELS), 3, *one), np.nan) for k, one in shapes.items()}
    twice = {name: (2, *shape) for name, shape in shapes.items()}
    for name, array in with_holes(results[:cut], twice).items():
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
            **{name: ((*first, *last), arrays[name]) for name in ("accuracy", *BEST)},
            **{name: ((*first, "point"), arrays[name]) for name in LOSSES},
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
    """The maps of each model, and the maps of winners."""
    figures = {f"tradeoff_{m}": _draw_model(dataset.sel(model=m), m) for m in FIGURES}
    won = draw_winner_figure(dataset)
    return {"tradeoff_finding": _draw_finding(dataset), **figures, "tradeoff_winner": won}


def _draw_finding(dataset: xr.Dataset) -> Figure:
    figure, axes = finding("nonlinearity ν", "memory τ")
    won = find_winner(dataset).sel(protocol="paper", selection="validation")
    draw_winners(axes, won, [str(name) for name in dataset.model.values])
    last = float(dataset.delay[-1])
    box: dict[str, Any] = {"fill": False, "ec": "black", "lw": 2}
    axes.add_patch(
        Rectangle((LONG - 0.5, np.log10(STRONG)), last - LONG + 1, 1.1 - np.log10(STRONG), **box)
    )
    axes.spines[["top", "right"]].set_visible(True)
    names = {"linear": "linear", "tanh": "tanh", "spherical": "sphere"}
    handles = [Patch(color=COLOURS[model], label=name) for model, name in names.items()]
    handles.append(Patch(color="#E8E8E8", label="tie"))
    style: dict[str, Any] = {"handlelength": 0.8, "handletextpad": 0.4, "columnspacing": 0.8}
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False, **style)
    return figure


def _draw_model(dataset: xr.Dataset, model: str) -> Figure:
    paper, authors = (dataset.sel(protocol=name) for name in ("paper", "authors"))
    largest = {"tanh": 3.0, "linear": 1.5, "spherical": 10.0}[model]
    error: dict[str, Any] = {"vmin": 0, "vmax": 1, "cmap": "cividis"}
    scaling = {"norm": LogNorm(0.01, 2.0), "cmap": "viridis"}
    radius = {"vmin": 0.2, "vmax": largest, "cmap": "viridis"}
    ratio = {"norm": LogNorm(1e-3, 10.0), "cmap": "viridis"}
    chosen: list[tuple[str, xr.DataArray, dict[str, Any]]] = [
        ("best input scaling", paper.best_scaling, scaling),
        ("best spectral radius", paper.best_radius, radius),
    ]
    if model == "spherical":
        chosen = [("best scaling/radius", paper.best_ratio, ratio)]
    rows: list[tuple[str, xr.DataArray, dict[str, Any]]] = [
        ("test error, NRMSE", 1.0 - paper.accuracy, error),
        *chosen,
        ("test error, “authors”", 1.0 - authors.accuracy, error),
    ]
    figure = Figure(figsize=(11.5, 2.4 * len(rows)))
    axes = figure.subplots(len(rows), 3, sharex=True, sharey=True)
    figure.subplots_adjust(left=0.07, right=0.9, top=0.88, bottom=0.06, hspace=0.16, wspace=0.06)
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
    for row, protocol in ((0, "paper"), (-1, "authors")):
        for axis, selection in zip(axes[row], dataset.selection.values, strict=True):
            accuracy = dataset.accuracy.sel(selection=selection, protocol=protocol)
            mean = float(median(accuracy, "network").mean())
            first = f"{CHOSEN[str(selection)]}\n" if row == 0 else ""
            axis.set_title(f"{first}“{protocol}”: mean γ = {mean:.3f}", fontsize=9, pad=3)
    for axis in axes[-1]:
        axis.set_xlabel("memory τ", labelpad=1)
    networks = dataset.sizes["network"]
    size = f"N = {dataset.units}, median of {networks} network{'s' if networks > 1 else ''}"
    figure.suptitle(f"{FIGURES[model]}, {model}: {size}", fontsize=11, y=0.985)


LONG, STRONG = 10, 1.5  # a task needs memory from this delay on, nonlinearity from this frequency
WEAKLY = (
    "mean over all tasks, the other hyper-parameter chosen on validation rows; holds if the worst "
    "value loses at most .05 against the best, partly if the median value does"
)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """What is said of the three maps, in protocol "paper".

    Unless the rule says otherwise the claims are about medians over networks whose hyper-parameters
    were chosen on validation rows.
    """
    if not bool(np.isfinite(median(dataset.accuracy, "network")).all()):
        return []  # a comparison of three needs all three
    ours = dataset.sel(protocol="paper")
    ours = ours.isel(network=np.isfinite(ours.accuracy).all(
        ["model", "selection", "delay", "frequency"]
    ).values)  # fmt: skip
    return drop_unmeasured([
        _judge_best_when_both(dataset), _judge_critical(ours), _judge_nonlinear(ours),
        _judge_no_role(ours), _judge_weak_dependency(ours), _judge_alike(ours),
        _judge_linear_delay(ours), _judge_linear_errors(ours), _judge_linear_weak(ours),
        _judge_tanh_error(ours), _judge_tanh_radius(ours), _judge_tanh_scaling(ours),
        _judge_agreement(ours),
    ])  # fmt: skip


def _chosen(ours: xr.Dataset, model: str) -> xr.DataArray:
    """The map of accuracies, median over networks."""
    return median(ours.accuracy.sel(selection="validation", model=model), "network")


def _share_won(accuracy: xr.DataArray) -> Interval:
    """The share of the tasks that need both which spherical wins, mean over networks."""
    both = (accuracy.delay >= LONG) & (accuracy.frequency >= STRONG)
    hard = accuracy.where(both, drop=True).dropna("network", how="any")
    spherical = hard.sel(model="spherical")
    others = hard.sel(model=["tanh", "linear"]).max("model")
    solved = hard.max("model") >= NOBODY
    won = (solved & (spherical - others > TIE)).sum(["delay", "frequency"])
    return of_mean(won / solved.sum(["delay", "frequency"]).clip(1)).as_share()


def _judge_best_when_both(dataset: xr.Dataset) -> Claim:
    evidence: Evidence = {}
    text = {}
    for protocol in PROTOCOLS:
        words = []
        for selection in SELECTIONS:
            won = _share_won(dataset.accuracy.sel(protocol=protocol, selection=selection))
            usual = "large" not in protocol  # two networks have no interval worth showing
            name = f"{protocol}_{selection}"
            evidence |= won.evidence(name) if usual else {name: won.centre}
            words.append(f"{won.text('.0%') if usual else f'{won.centre:.0%}'} ({selection})")
        text[protocol] = ", ".join(words)
    fair = _share_won(dataset.accuracy.sel(protocol="paper", selection="validation"))
    return Claim(
        "best-when-both-memory-and-nonlinearity", "Figs. 7-9", "fig:spherical",
        "the proposed model denotes the best performance when the task requires both memory and "
        "nonlinearity, i.e., when both τ and ν are large.",
        f"share of tasks with τ >= {LONG} and ν >= {STRONG} that spherical wins, by the rows that "
        f"choose the hyper-parameters: {text['paper']}. The paper's own are the training rows, "
        f"which {_decides(dataset)}; the verdict is that of the validation rows. In protocol "
        f"“authors”, with the penalty of their code, {text['authors']}; with N = "
        f"{dataset.large_units} units, which can learn the training rows by heart, "
        f"{text['paper, large']}",
        f"a win is an accuracy more than {TIE:g} above both others in the same network, tasks that "
        f"nobody solves (γ < {NOBODY:g}) left out; mean over networks, chosen on validation rows; "
        "holds if spherical wins more than half, partly if more than a quarter",
        fair.judge(lambda share: verdict(share > 0.5, share > 0.25)), evidence,
        quoted=True, weight=FIRST,
    )  # fmt: skip


def _decides(dataset: xr.Dataset) -> str:
    """What the paper's own selection says of the claim, in words."""
    won = _share_won(dataset.accuracy.sel(protocol="paper", selection="train"))
    word = won.judge(lambda share: verdict(share > 0.5, share > 0.25))
    return "leave it open" if word == "open" else f"say {word!r}"


def _losses(ours: xr.Dataset, model: str, name: str = "by_radius") -> tuple[Interval, Interval]:
    """The mean accuracy that the worst and the median value lose against the best."""

    def lost(some: xr.DataArray, share: float) -> float:
        means = median(some, "network")
        return float(means.max() - means.quantile(share))

    table = ours[name].sel(model=model)
    return jackknife(table, lambda some: lost(some, 0.0)), jackknife(table, lambda t: lost(t, 0.5))


def _weakly(worst: Interval, middle: Interval) -> str:
    return graded(worst.below(0.05), middle.below(0.05))


def _judge_critical(ours: xr.Dataset) -> Claim:
    lost = {
        name: {m: _losses(ours, m, f"by_{name}") for m in ("spherical", "tanh")}
        for name in ("radius", "scaling")
    }
    text = []
    evidence: Evidence = {}
    for name, models in lost.items():
        for m, (worst, middle) in models.items():
            text.append(f"{name}, {m}: {worst.text()} and {middle.text()}")
            evidence |= worst.evidence(f"{name}_{m}_worst") | middle.evidence(f"{name}_{m}_median")
    spherical = [models["spherical"] for models in lost.values()]
    return Claim(
        "eliminates-critical-dependence", "Figs. 7-9", "Abstract",
        "eliminates critical dependence on hyper-parameters",
        "mean accuracy lost at the worst and at the median value of one hyper-parameter, the other "
        "chosen anew at each: " + "; ".join(text),
        "mean over all tasks, the other hyper-parameter chosen on validation rows; holds if the "
        "worst spectral radius and the worst scaling lose at most .05 on the sphere, partly if the "
        "median one of either does",
        graded(
            all_of([worst.below(0.05) for worst, _ in spherical]),
            any_of([middle.below(0.05) for _, middle in spherical]),
        ),
        evidence, quoted=True, weight=MAIN,
    )  # fmt: skip


def _judge_nonlinear(ours: xr.Dataset) -> Claim:
    def gain(some: xr.Dataset, model: str) -> xr.DataArray:
        accuracy = _chosen(some, model)
        hard = accuracy.where(accuracy.frequency >= 1.0, drop=True)
        bound: xr.DataArray = some.linear_bound.sel(frequency=hard.frequency)
        return hard - bound

    def share(some: xr.Dataset) -> float:
        return float((gain(some, "spherical") > 0.02).mean())

    above = jackknife(ours[["accuracy", "linear_bound"]], share).as_share()
    tanh = float((gain(ours, "tanh") > 0.02).mean())
    most = gain(ours, "spherical").max("frequency")
    reach = float(most.delay.where(most > 0.02).max()) if bool((most > 0.02).any()) else -1.0
    best = float(most.max())
    return Claim(
        "able-to-perform-nonlinear-computations", "Fig. 9", "fig:spherical",
        "at the same time, it is also able to perform nonlinear computations.",
        "spherical exceeds the bound of linear networks by more than .02 in "
        f"{above.text('.0%')} of the tasks with ν >= 1 (tanh {tanh:.0%}), by {best:.2f} at "
        f"most, up to τ = {reach:.0f}",
        "holds if in at least a quarter of these tasks, partly if in any",
        above.judge(lambda value: verdict(value >= 0.25, value > 0.0)),
        {**above.evidence("share_above_bound_spherical"), "share_above_bound_tanh": tanh,
        "largest_gain": best, "largest_delay": reach},
        quoted=True, weight=MAIN,
    )  # fmt: skip


def _judge_no_role(ours: xr.Dataset) -> Claim:
    lost = {str(m): _losses(ours, str(m)) for m in ours.model.values}
    evidence: Evidence = {}
    for m, (worst, middle) in lost.items():
        evidence |= worst.evidence(f"{m}_worst") | middle.evidence(f"{m}_median")
    return Claim(
        "spectral-radius-plays-no-role", "Fig. 9", "fig:spherical",
        "the spectral radius does not to play any role in the network performance.",
        "mean accuracy lost at the worst and at the median spectral radius, the scaling chosen "
        "anew at each: "
        + ", ".join(f"{m} {worst.text()} and {mid.text()}" for m, (worst, mid) in lost.items())
        + ". On the sphere states depend on scaling/radius alone",
        WEAKLY, _weakly(*lost["spherical"]), evidence, quoted=True,
    )  # fmt: skip


def _drop(ours: xr.Dataset, model: str) -> Interval:
    """By how much the mean accuracy changes over the delays."""

    def change(some: xr.Dataset) -> float:
        mean = _chosen(some, model).mean("frequency")
        return float(mean.max() - mean.min())

    return jackknife(ours[["accuracy"]], change)


def _judge_weak_dependency(ours: xr.Dataset) -> Claim:
    drop = _drop(ours, "spherical")
    low = jackknife(
        ours[["accuracy"]], lambda some: float((_chosen(some, "spherical") < 0.3).mean())
    ).as_share()
    return Claim(
        "spherical-weak-dependency-on-memory", "Fig. 9", "fig:spherical",
        "the network performs reasonably well for all the tasks displaying only a weak dependency "
        "on the memory.",
        f"mean accuracy changes by {drop.text()} over the delays; below .3 in {low.text('.0%')} of "
        "the tasks",
        "holds if the change is at most .1 and no task is below .3, partly if one of the two is so",
        all_or_some([drop.below(0.1), low.below(0.0)]),
        {**drop.evidence("change_over_delays"), **low.evidence("share_below_.3")}, quoted=True,
    )  # fmt: skip


def _judge_alike(ours: xr.Dataset) -> Claim:
    def correlation(some: xr.Dataset) -> float:
        chosen = some.sel(selection="validation")
        one = median(chosen.best_ratio.sel(model="spherical"), "network").values.ravel()
        other = median(chosen.best_scaling.sel(model="tanh"), "network").values.ravel()
        if one.std() == 0.0 or other.std() == 0.0:
            return 0.0
        return float(stats.spearmanr(one, other).statistic)

    found = jackknife(ours[["best_ratio", "best_scaling"]], correlation)
    return Claim(
        "spherical-scaling-like-tanh", "Fig. 9", "fig:spherical",
        "The choice of the scaling factor denotes similar patterns with the hyperbolic tangent "
        "case.",
        "rank correlation over the tasks between the best ratio of scaling to radius on the sphere "
        "(the scaling alone has no meaning there) and the best scaling of tanh: "
        f"{found.text('.2f')}",
        "holds if above .5, partly if above .3",
        found.judge(lambda value: verdict(value > 0.5, value > 0.3)), found.evidence("correlation"),
        quoted=True, weight=DETAIL,
    )  # fmt: skip


def _judge_linear_delay(ours: xr.Dataset) -> Claim:
    drop = _drop(ours, "linear")
    return Claim(
        "linear-delay-has-no-effect", "Fig. 8", "fig:linear",
        "τ seems to have no significant effect on the performance.",
        f"linear networks: mean accuracy changes by {drop.text()} over the delays",
        "holds if the change is at most .02, partly if at most .05",
        drop.judge(lambda value: verdict(value <= 0.02, value <= 0.05)),
        drop.evidence("change_over_delays"), quoted=True, weight=DETAIL,
    )  # fmt: skip


def _judge_linear_errors(ours: xr.Dataset) -> Claim:
    def error(some: xr.Dataset) -> float:
        accuracy = _chosen(some, "linear")
        return 1.0 - float(accuracy.where(accuracy.frequency >= 4.0, drop=True).mean())

    found = jackknife(ours[["accuracy"]], error)
    return Claim(
        "linear-large-errors-at-high-nonlinearity", "Fig. 8", "fig:linear",
        "we note very large errors when the nonlinearity of the task is high.",
        f"linear networks: mean error (NRMSE, at most 1) of the tasks with ν >= 4 {found.text()}; "
        "every linear network is bounded there",
        "holds if the mean error is above .8, partly if above .5",
        found.judge(lambda value: verdict(value > 0.8, value > 0.5)), found.evidence("error"),
        quoted=True, weight=DETAIL,
    )  # fmt: skip


def _judge_tanh_error(ours: xr.Dataset) -> Claim:
    def by_delay(some: xr.Dataset) -> xr.DataArray:
        return _chosen(some, "tanh").mean("frequency")

    trend = jackknife(ours[["accuracy"]], lambda some: _trend(some.delay, by_delay(some)))
    fall = jackknife(ours[["accuracy"]], lambda s: float(by_delay(s)[0] - by_delay(s)[-1]))
    return Claim(
        "tanh-error-grows-with-memory", "Fig. 7", "fig:regular",
        "the error grows with the memory required to solve the task.",
        f"mean accuracy falls by {fall.text()} from the shortest to the longest delay, correlation "
        f"{trend.text('.2f')}",
        "holds if the correlation of mean accuracy and delay is below -.7, partly if below -.3",
        trend.judge(lambda value: verdict(value < -0.7, value < -0.3)),
        {**trend.evidence("correlation"), **fall.evidence("fall")}, quoted=True, weight=DETAIL,
    )  # fmt: skip


def _by_selection(ours: xr.Dataset, statistic: Any) -> dict[str, Interval]:
    chosen = ours[["best_radius", "best_scaling"]].sel(model="tanh")
    return {str(s): jackknife(chosen.sel(selection=s), statistic) for s in ours.selection.values}


def _judge_tanh_radius(ours: xr.Dataset) -> Claim:
    def trend(some: xr.Dataset) -> float:
        return _trend(some.delay, some.best_radius.mean(["network", "frequency"]))

    trends = _by_selection(ours, trend)
    evidence = {k: v for name, one in trends.items() for k, v in one.evidence(name).items()}
    return Claim(
        "tanh-larger-radius-for-more-memory", "Fig. 7", "fig:regular",
        "The choice of the spectral radius displays a pattern, where larger SRs are preferred "
        "when more memory is required.",
        "correlation of delay and mean best spectral radius: "
        + ", ".join(f"{k} {v.text('.2f')}" for k, v in trends.items()) + " (selection)",
        "holds if above .5 under all three selections, partly if under one",
        all_or_some([one.above(0.5) for one in trends.values()]), evidence,
        quoted=True, weight=DETAIL,
    )  # fmt: skip


def _judge_tanh_scaling(ours: xr.Dataset) -> Claim:
    def small(some: xr.Dataset) -> float:
        return float((median(some.best_scaling, "network") <= 0.5).mean())

    shares = {name: one.as_share() for name, one in _by_selection(ours, small).items()}
    evidence = {k: v for name, one in shares.items() for k, v in one.evidence(name).items()}
    return Claim(
        "tanh-scaling-small", "Fig. 7", "fig:regular",
        "The scaling factor tends to be small for almost every configuration.",
        "share of tasks with best scaling <= .5: "
        + ", ".join(f"{k} {v.text('.0%')}" for k, v in shares.items()) + " (selection)",
        "holds if at least nine tasks in ten under all three selections, partly if at least three "
        "in four under one",
        graded(
            all_of([one.judge(lambda v: verdict(v >= 0.9)) for one in shares.values()]),
            any_of([one.judge(lambda v: verdict(v >= 0.75)) for one in shares.values()]),
        ),
        evidence, quoted=True, weight=DETAIL,
    )  # fmt: skip


def _judge_linear_weak(ours: xr.Dataset) -> Claim:
    worst, middle = _losses(ours, "linear")
    return Claim(
        "linear-weakly-influenced-by-hyperparameters", "Fig. 8", "fig:linear",
        "the performance is only weakly influenced by the hyper-parameters.",
        f"linear networks: mean accuracy lost at the worst spectral radius {worst.text()}, at the "
        f"median one {middle.text()}",
        WEAKLY, _weakly(worst, middle),
        {**worst.evidence("worst"), **middle.evidence("median")}, quoted=True, weight=DETAIL,
    )  # fmt: skip


def _trend(x: xr.DataArray, y: xr.DataArray) -> float:
    return float(np.corrcoef(x.values, y.values)[0, 1]) if float(y.std()) > 0 else 0.0


def _judge_agreement(ours: xr.Dataset) -> Claim:
    accuracy = ours.accuracy.sel(selection="validation")
    lead = accuracy.sel(model="tanh") - accuracy.sel(model="linear")
    nonlinear = (lead.delay < LONG / 2) & (lead.frequency >= STRONG)
    remembering = (lead.delay >= LONG) & (lead.frequency < STRONG)
    short, long = (
        of_mean(lead.where(tasks).mean(["delay", "frequency"]))
        for tasks in (nonlinear, remembering)
    )
    return Claim(
        "agreement-with-inubushi", "Figs. 7-9", "fig:spherical",
        "The simulations agree with those of Inubushi and Yoshimura: nonlinear networks compute, "
        "linear ones remember.",
        f"accuracy of tanh less that of linear networks: {short.text('+.3f')} where τ < "
        f"{LONG // 2} and ν >= {STRONG}, {long.text('+.3f')} where τ >= {LONG} and ν < {STRONG}",
        "means over networks, chosen on validation rows; holds if the first is positive and the "
        "second negative, partly if one of the two is so",
        all_or_some([short.above(0.0), long.below(0.0)]),
        {**short.evidence("short_nonlinear"), **long.evidence("long_linear")}, weight=DETAIL,
    )  # fmt: skip
