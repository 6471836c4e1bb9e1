"""Beyond the paper: linear and nonlinear units in one network, on the tasks of Figs. 7-9.

The paper leaves to future work what is gained where both stand side by side, "so that the network
can exploit a combination of them according to the problem at hand". All kinds of networks have as
many units, and as many settings are tried with each.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from spheresn import datasets
from spheresn._validation import Floats
from spheresn.activations import Activation, Linear, OnSphere, Tanh
from spheresn.compose import parallel
from spheresn.driving import drive
from spheresn.readout import solve
from spheresn.reservoir import Reservoir, random_reservoir

from ..claim import OURS, Claim, Evidence, all_or_some, drop_unmeasured, graded, verdict
from ..interval import Interval, of_mean
from .common import MODELS, Result, panels, stream, with_holes
from .fig7_tradeoff import LONG, STRONG
from .grid_search import TaskData
from .task_maps import NOBODY, TIE, draw_map

NAME, FIGURE = "mixture", "beyond the paper"
TITLE = "Mixtures of linear, tanh and spherical units on the tasks of memory and nonlinearity"
KINDS = tuple("+".join(names) for size in (1, 2, 3) for names in combinations(MODELS, size))
MIXTURES = KINDS[len(MODELS) :]
SIZES = "N = {units}, {networks} networks of each kind, {draws} settings tried with each"
CAPTIONS = {
    "mixture": "The accuracy of a mixture on sin(ν uₖ₋τ) less that of its best part, both chosen "
    "on validation rows; mean of {networks} networks. Every network has N = {units} units in all "
    "and {draws} settings to choose from. A dot: a difference of more than .01 that is not zero "
    "with 95 % confidence, for this task alone. The box: tasks that need both.",
}


@dataclass(frozen=True)
class Config:
    """Ranges, tasks, rows and penalty of Figs. 7-9, protocol "paper".

    units: of all kinds alike; the parts of a mixture have equal shares. draws: settings that are
    tried, each a spectral radius and an input scaling for each part, uniform in their ranges. Of
    several parts they are drawn together, so that a mixture is searched no longer than its parts.
    Linear units stay at spectral radii of at most 1: beyond, their state explodes beside the
    others.
    """

    units: int = 198
    networks: int = 12
    draws: int = 100
    delays: tuple[int, ...] = tuple(range(20))
    frequencies: tuple[float, ...] = tuple(float(nu) for nu in np.logspace(-2.5, 1.0, 20))
    tanh_radii: tuple[float, float] = (0.2, 3.0)
    linear_radii: tuple[float, float] = (0.2, 1.0)
    spherical_radii: tuple[float, float] = (0.2, 10.0)
    scalings: tuple[float, float] = (0.01, 2.0)
    penalty: float = 1e-8
    washout: int = 200
    train: int = 500
    validation: int = 200
    test: int = 200


PRESETS = {
    "smoke": Config(
        units=30, networks=2, draws=4, delays=(0, 4, 8, 12), washout=100, train=100,
        frequencies=tuple(float(nu) for nu in np.logspace(-2.5, 1.0, 6)),
    ),
    "quick": Config(
        units=96, networks=10, draws=30, delays=tuple(range(0, 20, 2)),
        frequencies=tuple(float(nu) for nu in np.logspace(-2.5, 1.0, 10)),
    ),
    "paper": Config(),
}  # fmt: skip
LOOKS = {"quick": {"networks": (4, 10)}}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per network and kind; all kinds of one network see the same signal."""
    return [{"network": n, "kind": kind} for n in range(config.networks) for kind in KINDS]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The accuracy (tasks,) on validation and test rows of the setting with the best validation."""
    data = _data(config, stream(seed, task["network"], len(MODELS)))
    names = task["kind"].split("+")
    parts = [_Part.of(config, name, len(names), seed, task["network"]) for name in names]
    best = np.full((2, data.targets.shape[1]), -1.0)
    for k in range(config.draws):
        states = drive(parallel(*(part.network(k) for part in parts)), data.signal)
        _, *found = data.scores(states, solve(data.gram(states), config.penalty))
        better = found[0] > best[0]
        best[:, better] = np.array(found)[:, better]
    shape = (len(config.delays), len(config.frequencies))
    return {"validation": best[0].reshape(shape), "test": best[1].reshape(shape)}


def _data(config: Config, rng: np.random.Generator) -> TaskData:
    sizes = (config.train, config.validation, config.test)
    signal = datasets.white_noise(config.washout + sum(sizes), rng)[:, 0]
    return TaskData.of(signal, config.delays, config.frequencies, config.washout, sizes)


@dataclass(frozen=True, eq=False)
class _Part:
    """A share of the units, all of one kind, and the settings (draws, 2) that are tried."""

    base: Reservoir
    settings: Floats

    @staticmethod
    def of(config: Config, name: str, parts: int, seed: int, network: int) -> _Part:
        """Alone or in a mixture, a kind has the same settings; its links depend on its size."""
        kinds: dict[str, Activation] = {
            "spherical": OnSphere(),
            "tanh": Tanh(),
            "linear": Linear(),
        }
        rng = stream(seed, network, MODELS.index(name))
        ends = np.array([getattr(config, f"{name}_radii"), config.scalings])
        settings = rng.uniform(ends[:, 0], ends[:, 1], (config.draws, 2))
        base = random_reservoir(
            config.units // parts, activation=kinds[name], spectral_radius=1.0, rng=rng
        )
        return _Part(base, settings)

    def network(self, k: int) -> Reservoir:
        """With the k-th setting."""
        return self.base.rescaled(*self.settings[k])


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Accuracies by network, kind and task."""
    shape = (len(config.delays), len(config.frequencies))
    arrays = with_holes(results, {"validation": shape, "test": shape})
    dims = ("network", "kind", "delay", "frequency")
    return xr.Dataset(
        {
            name: (dims, one.reshape(config.networks, len(KINDS), *shape))
            for name, one in arrays.items()
        },
        {
            "kind": list(KINDS),
            "delay": list(config.delays),
            "frequency": list(config.frequencies),
        },
        {"units": config.units, "draws": config.draws},
    )


def gain(dataset: xr.Dataset, mixture: str) -> xr.DataArray:
    """Test accuracy of a mixture less that of its best part, which validation rows choose."""
    gained: xr.DataArray = dataset.test.sel(kind=mixture, drop=True) - _best_part(dataset, mixture)
    return gained


def _best_part(dataset: xr.Dataset, mixture: str) -> xr.DataArray:
    parts = dataset.sel(kind=mixture.split("+"))
    chosen = parts.validation.fillna(-1.0).argmax("kind")
    best: xr.DataArray = parts.test.isel(kind=chosen).drop_vars("kind")
    return best


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """What each mixture gains over the best of its parts, task by task."""
    figure, axes = panels(2, 2, 5.2, 3.7)
    for axis, mixture in zip(axes, MIXTURES, strict=True):
        mesh = _draw_gain(axis, dataset, mixture)
    bar = figure.colorbar(mesh, ax=axes, shrink=0.8)
    bar.set_label("accuracy γ gained over the best part (orange: the mixture is better)")
    return {"mixture": figure}


def _draw_gain(axes: Axes, dataset: xr.Dataset, mixture: str) -> Any:
    gains = gain(dataset, mixture)
    mesh = draw_map(axes, gains.mean("network"), vmin=-0.2, vmax=0.2, cmap="PuOr_r")
    clear = [
        (int(tau), float(np.log10(nu)))
        for tau in dataset.delay.values
        for nu in dataset.frequency.values
        if _is_clear(of_mean(gains.sel(delay=tau, frequency=nu)))
    ]
    if clear:
        axes.plot(*zip(*clear, strict=True), ".", color="black", ms=2)
    box: dict[str, Any] = {"fill": False, "ec": "black", "lw": 1.6}
    last = float(dataset.delay[-1])
    edge = np.log10(STRONG)
    axes.add_patch(Rectangle((LONG - 0.5, edge), last - LONG + 1, 1.1 - edge, **box))
    axes.set(xlabel="memory τ", ylabel="nonlinearity ν")
    mean = of_mean(_of_all(gains)).text("+.3f")
    axes.set_title(f"{_words(mixture)}: {mean} over all", fontsize=9)
    return mesh


def _is_clear(one: Interval) -> bool:
    return abs(one.centre) > TIE and (one.low > 0.0 or one.high < 0.0)


def _words(kind: str) -> str:
    names = {"spherical": "sphere", "tanh": "tanh", "linear": "linear"}
    return " + ".join(names[name] for name in kind.split("+"))


def _of_all(values: xr.DataArray) -> xr.DataArray:
    """The mean over the tasks, network by network."""
    return values.mean(["delay", "frequency"], skipna=False)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Four sentences of this library."""
    judged = _judge_both, _judge_average, _judge_between, _judge_most
    return drop_unmeasured([judge(dataset) for judge in judged])


def _judge_both(dataset: xr.Dataset) -> Claim:
    hard = dataset.sel(delay=dataset.delay >= LONG, frequency=dataset.frequency >= STRONG)
    found = {one: of_mean(_of_all(gain(hard, one)), len(MIXTURES)) for one in MIXTURES}
    with_linear = [found[one] for one in MIXTURES if "linear" in one and one.count("+") == 1]
    evidence: Evidence = {}
    for name, one in found.items():
        evidence |= one.evidence(name)
    return Claim(
        "linear-units-pay-where-both-are-needed", FIGURE, OURS,
        "Where a task needs both memory and nonlinearity, linear and nonlinear units together do "
        "better than the best of them alone.",
        f"mean gain in accuracy over the best part, tasks with τ >= {LONG} and ν >= {STRONG}: "
        + ", ".join(f"{_words(name)} {one.text('+.3f')}" for name, one in found.items()),
        "the same units and settings tried, all chosen on validation rows; holds if linear units "
        f"with tanh and linear units with the sphere both gain more than {TIE:g}, partly if one "
        "of them does",
        all_or_some([one.above(TIE) for one in with_linear]), evidence,
    )  # fmt: skip


def _judge_average(dataset: xr.Dataset) -> Claim:
    mean = {str(kind): _of_all(dataset.test.sel(kind=kind, drop=True)) for kind in KINDS}
    found = {name: of_mean(mean[KINDS[-1]] - mean[name], len(MODELS)) for name in MODELS}
    evidence: Evidence = {f"mean_{name}": float(one.mean()) for name, one in mean.items()}
    for name, one in found.items():
        evidence |= one.evidence(f"lead_over_{name}")
    return Claim(
        "all-kinds-together-are-best-on-average", FIGURE, OURS,
        "Who does not know what a task needs does better with all three kinds of units together "
        "than with any single kind.",
        "mean accuracy over all tasks: "
        + ", ".join(f"{_words(name)} {float(one.mean()):.3f}" for name, one in mean.items())
        + "; lead of all three over "
        + ", ".join(f"{_words(name)} {one.text('+.3f')}" for name, one in found.items()),
        "holds if the lead over every single kind is above zero, partly if that over some is",
        all_or_some([one.above(0.0) for one in found.values()]), evidence,
    )  # fmt: skip


def _judge_between(dataset: xr.Dataset) -> Claim:
    shares = [_share_between(dataset, one) for one in MIXTURES]
    share = of_mean(sum(shares) / len(shares)).as_share()
    return Claim(
        "mixtures-lie-between-their-parts", FIGURE, OURS,
        "On most tasks a mixture lies between its parts.",
        f"of the tasks and mixtures {share.text('.0%')} lie between the worst and the best part",
        f"within {TIE:g}; tasks that neither the mixture nor a part solves (γ < {NOBODY:g}) left "
        "out; mean over networks; holds if more than half, partly if more than a quarter",
        share.judge(lambda value: verdict(value > 0.5, value > 0.25)), share.evidence("share"),
    )  # fmt: skip


def _share_between(dataset: xr.Dataset, mixture: str) -> xr.DataArray:
    parts, own = dataset.test.sel(kind=mixture.split("+")), dataset.test.sel(kind=mixture)
    low, high = parts.min("kind", skipna=False), parts.max("kind", skipna=False)
    solved = np.maximum(own, high) >= NOBODY
    inside = (own >= low - TIE) & (own <= high + TIE)
    share = (solved & inside).sum(["delay", "frequency"]) / solved.sum(["delay", "frequency"])
    known: xr.DataArray = share.where(_of_all(own + low).notnull()).drop_vars("kind")
    return known


def _judge_most(dataset: xr.Dataset) -> Claim:
    """The task is chosen by every other network, and the gain is that of the others."""
    gains = xr.concat([gain(dataset, one) for one in MIXTURES], "mixture")
    gains = gains.isel(network=_of_all(gains).notnull().all("mixture").values)
    first, others = gains.isel(network=slice(0, None, 2)), gains.isel(network=slice(1, None, 2))
    most, mixture, tau, nu = Interval(*[float("nan")] * 3), 0, 0, 0
    if first.sizes["network"]:
        mean = first.mean("network").transpose("mixture", "delay", "frequency")
        mixture, tau, nu = (int(i) for i in np.unravel_index(mean.values.argmax(), mean.shape))
        most = of_mean(others.isel(mixture=mixture, delay=tau, frequency=nu))
    place = dataset.isel(delay=tau, frequency=nu)
    where = {"delay": int(place.delay), "frequency": float(place.frequency)}
    return Claim(
        "a-mixture-gains-much-somewhere", FIGURE, OURS,
        "On some task a mixture gains much over the best of its parts.",
        f"{_words(MIXTURES[mixture])} at τ = {where['delay']}, ν = {where['frequency']:.2g}: "
        f"{most.text('+.3f')}",
        "mixture and task with the largest mean gain of every other network, measured with the "
        "networks between them; holds if more than .05, partly if more than zero",
        graded(most.above(0.05), most.above(0.0)),
        {**most.evidence("gain"), **where, "mixture": MIXTURES[mixture]},
    )  # fmt: skip
