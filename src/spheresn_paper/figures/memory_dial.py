"""Beyond the paper: does `memory` mean what it says?

We ask for a memory, measure it on fresh data, and look at the trace of an input and at recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spheresn import analysis, datasets
from spheresn._validation import Floats
from spheresn.estimators import ESNRegressor, MemoryOutOfReach
from spheresn.plotting import ACCENTS

from ..claim import OURS, Claim, all_of, drop_unmeasured, graded, verdict
from ..interval import of_mean, of_share
from .common import Result, accuracies, delayed, legend_below, median, panels, stream, with_holes

NAME, FIGURE = "dial", "beyond the paper"
TITLE = "The parameter memory: requested, measured, and its effect on recall"
CAPTIONS = {
    "dial": "(a) The requested memory against −1/(largest exponent) measured on fresh data. (b) "
    "The exact trace of an input against exp(−k/memory). (c) Recall of "
    "white noise by delay, for each requested memory. {networks} networks of N = {units} of each "
    "kind, {train} rows.",
}
SIZES = "N = {units}, {networks} networks of each kind, {train} rows"
MARKS = {"ring": "o", "gaussian": "s", "rotation": "^", "uniform": "v", "sparse": "D"}


@dataclass(frozen=True)
class Config:
    """A network is calibrated on `train` rows and measured on as many fresh ones.

    Memory is in steps, -1/(largest Lyapunov exponent).
    """

    units: int = 300
    networks: int = 5
    topologies: tuple[str, ...] = ("ring", "gaussian")
    bends: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0)
    memories: tuple[float, ...] = (1.0, 3.0, 10.0, 30.0, 100.0)
    train: int = 5000
    delays: tuple[int, ...] = tuple(range(0, 301, 5))
    profile: int = 60


PRESETS = {
    "smoke": Config(
        units=60,
        networks=1,
        bends=(0.0, 0.5),
        memories=(1.0, 10.0),
        train=1200,
        delays=tuple(range(0, 61, 10)),
        profile=20,
    ),
    "quick": Config(units=200, networks=1, train=3000, delays=tuple(range(0, 301, 10))),
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
    """For each requested memory: exponent and its error on fresh rows, trace of input, recall."""
    rng = stream(seed, task["network"])
    series = datasets.white_noise(2 * config.train, rng)
    seeds = [(memory, int(rng.integers(2**31))) for memory in config.memories]
    found = [_measure(config, task, memory, series, state) for memory, state in seeds]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def _measure(
    config: Config, task: dict[str, Any], memory: float, series: Floats, state: int
) -> Result:
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
        none, recall = np.full(config.profile + 1, np.nan), np.full(len(config.delays), np.nan)
        return {"exponent": none[0], "error": none[0], "trace": none, "recall": recall}
    mean, deviation = series[fit].mean(axis=0), series[fit].std(axis=0)
    rows = (series[fresh] - mean) / deviation  # as the model sees them
    measured = analysis.max_lyapunov(model.reservoir_, rows)
    profile = analysis.memory_profile(model.reservoir_, rows[:1500], config.profile, times=20)
    settled = config.train // 3
    recall = accuracies(targets[fresh][settled:], model.predict(series[fresh])[settled:])
    return {
        "exponent": np.array(measured.exponent),
        "error": np.array(measured.standard_error),
        "trace": profile.sensitivity / profile.sensitivity[0],
        "recall": recall,
    }


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """By topology, bend, network and requested memory."""
    m = len(config.memories)
    shapes = {
        "exponent": (m,),
        "error": (m,),
        "trace": (m, config.profile + 1),
        "recall": (m, len(config.delays)),
    }
    places = (len(config.topologies), len(config.bends), config.networks)
    dims = ("topology", "bend", "network", "memory")
    last = {"trace": ("age",), "recall": ("delay",)}
    arrays = with_holes(results, shapes)
    return xr.Dataset(
        {
            name: ((*dims, *last.get(name, ())), array.reshape(*places, *array.shape[1:]))
            for name, array in arrays.items()
        },
        {
            "topology": list(config.topologies),
            "bend": list(config.bends),
            "memory": list(config.memories),
            "age": np.arange(config.profile + 1),
            "delay": list(config.delays),
        },
        {"units": config.units, "train": config.train},
    )


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Requested against measured; the trace of an input; the effect on recall."""
    figure, (left, middle, right) = panels(1, 3, 4.7, 4.0)
    _draw_measured(left, dataset)
    _draw_traces(middle, dataset)
    _draw_recall(right, dataset)
    return {"dial": figure}


def _draw_measured(axes: Axes, dataset: xr.Dataset) -> None:
    for i, bend in enumerate(dataset.bend.values):
        for j, topology in enumerate(dataset.topology.values):
            one = -1.0 / dataset.exponent.sel(bend=bend, topology=topology)
            shifted = dataset.memory.values[None] * 1.06 ** (i - 1.5 + 0.4 * j)
            x = np.repeat(shifted, one.sizes["network"], axis=0)
            style: dict[str, Any] = {"marker": MARKS[str(topology)], "ms": 4, "ls": ""}
            style |= {"color": ACCENTS[i], "alpha": 0.7, "label": f"bend {bend:g}, {topology}"}
            axes.plot(x.ravel(), one.values.ravel(), **style)
    ends = np.array([dataset.memory.values[0] / 1.6, dataset.memory.values[-1] * 1.6])
    axes.plot(ends, ends, color="0.5", lw=0.8, zorder=0)
    axes.fill_between(ends, ends / 1.2, ends * 1.2, color="0.9", zorder=0, linewidth=0)
    axes.set(xscale="log", yscale="log")
    axes.set(xlabel="requested memory (steps)", ylabel="−1/exponent on fresh data (steps)")
    axes.set_title(f"(a) requested and measured, N = {dataset.units} (grey: ± 20 %)", fontsize=10)
    axes.legend(frameon=False, fontsize=7, loc="upper left")


def _draw_traces(axes: Axes, dataset: xr.Dataset) -> None:
    """The trace of an input for each memory, beside its 1/e law."""
    one = dataset.isel(topology=0, bend=0)
    dashed: dict[str, Any] = {"color": "black", "lw": 0.8, "ls": "--"}
    for colour, memory in zip(ACCENTS, dataset.memory.values, strict=False):
        trace = np.maximum(median(one.trace.sel(memory=memory), "network"), 1e-12)
        axes.semilogy(dataset.age, trace, color=colour, lw=1.8, label=f"memory {memory:g}")
        axes.semilogy(dataset.age, np.maximum(np.exp(-dataset.age / memory), 1e-12), **dashed)
    axes.plot([], [], label="exp(−k/memory)", **dashed)
    axes.set(xlabel="steps k since the input", ylabel="|dxₙ/dsₙ₋ₖ|, relative", ylim=(1e-8, 2))
    network = f"{one.topology.item()}, bend {one.bend.item():g}"
    axes.set_title(f"(b) the trace of an input: {network}", fontsize=10)
    legend_below(axes, 3)


def _draw_recall(axes: Axes, dataset: xr.Dataset) -> None:
    one = dataset.isel(topology=0)
    bends = dataset.bend.values[[0, min(2, dataset.sizes["bend"] - 1)]]
    for bend, width, line in zip(bends, (1.8, 1.0), ("-", ":"), strict=True):
        for colour, memory in zip(ACCENTS, dataset.memory.values, strict=False):
            curve = median(one.recall.sel(memory=memory, bend=bend), "network")
            label = f"memory {memory:g}" if line == "-" else None
            axes.plot(dataset.delay, curve, color=colour, lw=width, ls=line, label=label)
    axes.set(xlabel="delay τ", ylabel="accuracy γ of recalling white noise", ylim=(-0.02, 1.02))
    title = f"(c) recall: solid bend {bends[0]:g}, dotted bend {bends[1]:g}"
    axes.set_title(title, fontsize=10)
    axes.legend(frameon=False, fontsize=8)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Two sentences of this library, judged like those of the paper."""
    return drop_unmeasured([_judge_meaning(dataset), _judge_recall(dataset)])


def _judge_meaning(dataset: xr.Dataset) -> Claim:
    off = np.abs(-1.0 / dataset.exponent / dataset.memory - 1.0)
    reached = float(off.count())
    within = of_share(float((off <= 0.2).sum()), reached)
    middle = float(off.quantile(0.5)) if reached else np.nan
    return Claim(
        "memory-dial-means-what-it-says", FIGURE, OURS,
        "The trace of an input fades to 1/e in as many steps as the parameter memory says.",
        f"on fresh data {within.text('.0%')} of {reached:.0f} networks are within 20 % of the "
        f"requested memory; median deviation {middle:.1%}",
        "holds if nine networks in ten are within 20 % on data they were not calibrated on, "
        "partly if half are",
        within.judge(lambda value: verdict(value >= 0.9, value >= 0.5)),
        {**within.evidence("share_within_20_percent"), "median_deviation": middle,
        "networks": reached},
    )  # fmt: skip


def _judge_recall(dataset: xr.Dataset) -> Claim:
    recall = dataset.recall.isel(bend=0).stack(one=("topology", "network"))
    recall = recall.isel(one=recall.notnull().all(["memory", "delay"]).values)
    spacing = float(dataset.delay[1] - dataset.delay[0])
    reach = (recall >= 0.5).sum("delay") * spacing
    steps = [of_mean(reach[i + 1] - reach[i]) for i in range(reach.sizes["memory"] - 1)]
    whole = of_mean(reach[-1] - reach[0])
    means = {float(m): of_mean(reach.sel(memory=m)) for m in dataset.memory.values}
    evidence = {k: v for m, one in means.items() for k, v in one.evidence(f"memory_{m:g}").items()}
    return Claim(
        "more-memory-recalls-farther", FIGURE, OURS,
        "A larger memory recalls inputs from farther back.",
        "delays recalled with accuracy .5 or more: "
        + ", ".join(f"{one.text('.0f')} at memory {m:g}" for m, one in means.items()),
        "without bend; holds if every larger memory recalls farther, partly if the largest "
        "recalls farther than the smallest",
        graded(all_of([one.above(0.0) for one in steps]), whole.above(0.0)), evidence,
    )  # fmt: skip
