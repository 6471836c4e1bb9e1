"""Drawing the dial, and judging it."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ._claim import Claim
from ._shared import ACCENTS, judged, median, panels, verdict

FIGURE = "beyond the paper"
MARKS = {"ring": "o", "gaussian": "s", "rotation": "^", "uniform": "v", "sparse": "D"}
CAPTIONS = {
    "dial": "(a) The memory asked for against −1/(largest exponent) measured on fresh data. (b) The exact trace of an input against "
    "exp(−k/memory). (c) What a setting of the dial buys: recall of white noise by delay.",
}


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Asked against measured; the trace of an input; what it buys in recall."""
    figure, (left, middle, right) = panels(1, 3, 4.7, 4.0)
    _measured(left, dataset)
    _traces(middle, dataset)
    _recall(right, dataset)
    return {"dial": figure}


def _measured(axes: Axes, dataset: xr.Dataset) -> None:
    for i, bend in enumerate(dataset.bend.values):
        for j, topology in enumerate(dataset.topology.values):
            one = -1.0 / dataset.exponent.sel(bend=bend, topology=topology)
            x = np.repeat(dataset.memory.values[None] * 1.06 ** (i - 1.5 + 0.4 * j), one.sizes["network"], axis=0)
            style: dict[str, Any] = {"marker": MARKS[str(topology)], "color": ACCENTS[i], "ms": 4, "ls": "", "alpha": 0.7}
            axes.plot(x.ravel(), one.values.ravel(), label=f"bend {bend:g}, {topology}", **style)
    ends = np.array([dataset.memory.values[0] / 1.6, dataset.memory.values[-1] * 1.6])
    axes.plot(ends, ends, color="0.5", lw=0.8, zorder=0)
    axes.fill_between(ends, ends / 1.2, ends * 1.2, color="0.9", zorder=0, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="memory asked for (steps)", ylabel="−1/exponent on fresh data (steps)")
    axes.set_title(f"(a) asked and measured, N = {dataset.units} (grey: ± 20 %)", fontsize=10)
    axes.legend(frameon=False, fontsize=7, loc="upper left")


def _traces(axes: Axes, dataset: xr.Dataset) -> None:
    """Relative to each network's own 1/e law, so that one line serves all memories."""
    one = dataset.isel(topology=0, bend=0)
    for colour, memory in zip(ACCENTS, dataset.memory.values, strict=False):
        trace = median(one.trace.sel(memory=memory), "network")
        axes.semilogy(dataset.age, np.maximum(trace, 1e-12), color=colour, lw=1.8, label=f"memory {memory:g}")
        axes.semilogy(dataset.age, np.maximum(np.exp(-dataset.age / memory), 1e-12), color="black", lw=0.8, ls="--")
    axes.plot([], [], color="black", lw=0.8, ls="--", label="exp(−k/memory)")
    axes.set(xlabel="steps k since the input", ylabel="|dxₙ/dsₙ₋ₖ|, relative", ylim=(1e-8, 2))
    axes.set_title(f"(b) the trace of an input: {dataset.topology.values[0]}, bend {dataset.bend.values[0]:g}", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def _recall(axes: Axes, dataset: xr.Dataset) -> None:
    one = dataset.isel(topology=0)
    for j, bend in enumerate(dataset.bend.values[[0, min(2, dataset.sizes["bend"] - 1)]]):
        for colour, memory in zip(ACCENTS, dataset.memory.values, strict=False):
            curve = median(one.recall.sel(memory=memory, bend=bend), "network")
            label = f"memory {memory:g}" if j == 0 else None
            axes.plot(dataset.delay, curve, color=colour, lw=1.8 if j == 0 else 1.0, ls="-" if j == 0 else ":", label=label)
    axes.set(xlabel="delay τ", ylabel="accuracy γ of recalling white noise", ylim=(-0.02, 1.02))
    bends = dataset.bend.values[[0, min(2, dataset.sizes["bend"] - 1)]]
    axes.set_title(f"(c) what it buys: solid bend {bends[0]:g}, dotted bend {bends[1]:g}", fontsize=10)
    axes.legend(frameon=False, fontsize=8)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Two sentences of this library, judged like those of the paper."""
    return judged([_means_it(dataset), _trades(dataset)])


def _means_it(dataset: xr.Dataset) -> Claim:
    off = np.abs(-1.0 / dataset.exponent / dataset.memory - 1.0)
    reached = float(off.count())
    within, middle = float((off <= 0.2).sum()) / max(reached, 1.0), float(off.quantile(0.5)) if reached else np.nan
    return Claim(
        "memory-dial-means-what-it-says", FIGURE, "this library",
        "The trace of an input decays by 1/e every `memory` steps.",
        f"on fresh data {within:.0%} of {reached:.0f} networks are within 20 % of the memory asked for; median deviation {middle:.1%}",
        "holds if nine networks in ten are within 20 % on data they were not calibrated on, partly if half are",
        verdict(within >= 0.9, within >= 0.5), {"share_within_20_percent": within, "median_deviation": middle, "networks": reached},
    )  # fmt: skip


def _trades(dataset: xr.Dataset) -> Claim:
    recall = median(dataset.recall.isel(topology=0, bend=0), "network")
    reach = (recall >= 0.5).sum("delay").values * float(dataset.delay[1] - dataset.delay[0])
    evidence: dict[str, float | str] = {f"memory_{m:g}": float(r) for m, r in zip(dataset.memory.values, reach, strict=True)}
    missing = np.nan if bool(recall.isnull().any()) else 0.0
    steps = np.diff(reach)
    return Claim(
        "more-memory-recalls-farther", FIGURE, "this library", "A larger `memory` recalls inputs from farther back.",
        "delays recalled with accuracy .5 or more: "
        + ", ".join(f"{value:.0f} at {name.replace('_', ' ')}" for name, value in evidence.items()),
        "ring without bend; holds if every larger memory recalls farther, partly if the largest recalls farther than the smallest",
        verdict(bool((steps > 0).all()), bool(reach[-1] > reach[0])), {**evidence, "units_missing": missing},
    )  # fmt: skip
