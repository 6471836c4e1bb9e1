"""Drawing Fig. 5."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ._shared import COLOURS, GAMMA, MODELS, band, median, missing, panels

NAMES = {
    "white_noise": "white noise",
    "mso": "multiple superimposed oscillators",
    "lorenz": "Lorenz, x",
    "mackey_glass": "Mackey-Glass",
    "santa_fe_laser": "Santa Fe laser",
}


_CAPTION = (
    "Accuracy γ of recalling the input τ steps back, with sizes and settings of the {}: median over networks with mean ± one standard "
    "deviation; thin lines: the authors' published curves. The paper gives neither the step of Lorenz nor whether signals were centred: "
    ".005 and centring were chosen because tanh then fades as published."
)
CAPTIONS = {"memory_paper": _CAPTION.format("text"), "memory_authors": _CAPTION.format("published code")}


@cache
def published() -> dict[str, Any]:
    """The authors' arrays: accuracy by kind, signal and model for delays 0..99."""
    content: dict[str, Any] = json.loads(Path(__file__).with_name("authors_memory.json").read_text())
    return content


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The paper's six panels, once per protocol."""
    return {f"memory_{protocol}": _one(dataset.sel(protocol=protocol), str(protocol)) for protocol in dataset.protocol.values}


def _one(dataset: xr.Dataset, protocol: str) -> Figure:
    figure, axes = panels(2, 3, 4.4, 3.3, sharey=True, sharex=True)
    for letter, axis, signal in zip("abcde", axes, dataset.signal.values, strict=False):
        _panel(axis, dataset.sel(signal=signal), str(signal))
        axis.set_title(f"({letter}) {NAMES[str(signal)]}", fontsize=10)
    for axis in axes[3:5]:
        axis.set_xlabel("delay τ")
    for axis in axes[::3]:
        axis.set_ylabel("accuracy γ")
    count = int(np.isfinite(dataset.test.sel(signal="white_noise", model="linear").isel(delay=0)).sum())
    _legend(axes[5], f"protocol “{protocol}”\nN = {dataset.units}, {count} networks\n{GAMMA}")
    return figure


def _panel(axes: Axes, dataset: xr.Dataset, signal: str) -> None:
    if not np.isfinite(dataset.test).any():
        missing(axes, NAMES[signal])
    asked = dataset.delay[np.isfinite(dataset.test).any(["network", "model"])]
    for model in MODELS:
        one = dataset.sel(model=model, delay=asked)
        band(axes, asked, one.test.values, color=COLOURS[model], lw=2)
        if np.isfinite(one.train).any():
            axes.plot(asked, median(one.train, "network"), color=COLOURS[model], lw=1, ls="--")
        theirs = published()["test_accuracy_by_delay"][signal][model]
        axes.plot(range(len(theirs)), theirs, color=COLOURS[model], lw=0.9, ls=(0, (1, 1)))
    axes.set(xlim=(0, int(dataset.delay[-1])), ylim=(-0.02, 1.04))


def _legend(axes: Axes, text: str) -> None:
    axes.axis("off")
    lines = [Line2D([], [], color=COLOURS[model], lw=2, label=f"{model}, test, median") for model in MODELS]
    lines += [
        Line2D([], [], color="0.3", lw=1, ls="--", label="training, median"),
        Line2D([], [], color="0.3", lw=0.9, ls=(0, (1, 1)), label="authors' published test curves"),
    ]
    axes.legend(handles=[*lines, Patch(color="0.8", label="mean ± standard deviation")], frameon=False, loc="upper left", fontsize=9)
    axes.text(0.03, 0.02, text, transform=axes.transAxes, fontsize=9, va="bottom")
