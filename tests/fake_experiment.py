"""A small experiment that can pause, fail and kill its worker on demand: what the tests of sweep, command line and report run."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from spheresn.experiments import Claim

NAME, FIGURE, TITLE = "fake", "Fig. 0", "Eigenvalues of <random> & small matrices"
CAPTIONS = {"fake": "The <b>largest</b> eigenvalue of each unit"}


@dataclass(frozen=True)
class Config:
    """`fails`: units that raise; `kills`: units that kill their worker, only once when the file `once` can be made."""

    units: int = 6
    size: int = 60
    pause: float = 0.0
    fails: tuple[int, ...] = ()
    kills: tuple[int, ...] = ()
    once: str = ""


PRESETS = {"smoke": Config(), "quick": Config(units=12, pause=0.3), "paper": Config(units=6, fails=(2,))}


def tasks(config: Config) -> list[dict[str, Any]]:
    return [{"index": index, "protocol": "paper"} for index in range(config.units)]


def run(config: Config, task: dict[str, Any], seed: int) -> dict[str, np.ndarray]:
    time.sleep(config.pause)
    index = task["index"]
    if index in config.fails:
        raise ValueError("this unit\nfails on demand")
    if index in config.kills and not (config.once and Path(config.once).exists()):
        if config.once:
            Path(config.once).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    matrix = np.random.default_rng([seed, index]).standard_normal((config.size, config.size))
    return {"values": np.linalg.eigvalsh(matrix @ matrix.T), "count": np.array(index)}


def collect(config: Config, results: list[dict[str, np.ndarray] | None]) -> xr.Dataset:
    rows = [np.full(config.size, np.nan) if result is None else result["values"] for result in results]
    return xr.Dataset({"values": (("unit", "index"), np.array(rows), {"long_name": "eigenvalues <i>"})})


def plot(dataset: xr.Dataset) -> dict[str, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.add_subplot(xlabel="unit", ylabel="largest eigenvalue", title="a <b> & c")
    axes.plot(dataset["values"].max("index"))
    return {"fake": figure}


def claims(dataset: xr.Dataset) -> list[Claim]:
    smallest = float(dataset["values"].min())
    words = {
        "says": "No eigenvalue is <negative> & all is well.",
        "measured": f"smallest {smallest:.3g}",
        "rule": "holds if smallest > -1e-9",
    }
    return [
        Claim(
            "fake-positive", FIGURE, "eqn:fake", verdict="holds" if smallest > -1e-9 else "fails", evidence={"smallest": smallest}, **words
        )
    ]
