"""A small experiment that can pause, wait, fail and kill its worker on demand: what the tests of
runner, command line and report run.

FAKE_DEATH: a path; the first worker, which makes a file there, dies inside the write that makes a
file longer than it may be. Later workers are refused that write.

FAKE_DEATH_DRAFT: a path; the first worker, which makes a file there, is killed when it has written
the file of a unit and not yet renamed it.

FAKE_GATE: a path; units from number FAKE_AFTER on wait until a file is there, so that a test can do
something in the middle of a run however fast or slow the machine is. It is no part of the
configuration, which results are kept by.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from spheresn_paper.figures import Claim
from spheresn_paper.runner import unit

NAME, FIGURE, TITLE = "fake", "Fig. 0", "Eigenvalues of <random> & small matrices"
CAPTIONS = {"fake": "The <b>largest</b> eigenvalue of each unit"}


class BackwardClock(datetime):
    """A clock of the day that goes back by FAKE_CLOCK seconds at every look."""

    looks = 0

    @classmethod
    def now(cls, tz=UTC):
        cls.looks += 1
        return datetime(2030, 1, 1, tzinfo=tz) - cls.looks * timedelta(
            seconds=float(os.environ["FAKE_CLOCK"])
        )


if "FAKE_CLOCK" in os.environ:
    unit.datetime = BackwardClock
if "FAKE_DEATH" in os.environ and not Path(os.environ["FAKE_DEATH"]).exists():
    Path(os.environ["FAKE_DEATH"]).touch()
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


@dataclass(frozen=True)
class Config:
    """`fails`: units that raise; `kills`: those that kill their worker, once if the file `once` can
    be made; `padding`: more numbers.
    """

    units: int = 6
    size: int = 60
    pause: float = 0.0
    fails: tuple[int, ...] = ()
    kills: tuple[int, ...] = ()
    once: str = ""
    padding: int = 0


PRESETS = {
    "smoke": Config(),
    "quick": Config(units=12, pause=0.3),
    "paper": Config(units=6, fails=(2,)),
}


def tasks(config: Config) -> list[dict[str, Any]]:
    return [{"index": index, "protocol": "paper"} for index in range(config.units)]


def run(config: Config, task: dict[str, Any], seed: int) -> dict[str, np.ndarray]:
    time.sleep(config.pause)
    index = task["index"]
    while (
        "FAKE_GATE" in os.environ
        and index >= int(os.environ["FAKE_AFTER"])
        and not Path(os.environ["FAKE_GATE"]).exists()
    ):
        time.sleep(0.01)
    if index in config.fails:
        raise ValueError("this unit\nfails on demand")
    if index in config.kills and not (config.once and Path(config.once).exists()):
        if config.once:
            Path(config.once).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if "FAKE_DEATH_DRAFT" in os.environ and not Path(os.environ["FAKE_DEATH_DRAFT"]).exists():
        Path(os.environ["FAKE_DEATH_DRAFT"]).touch()
        os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
    rng = np.random.default_rng([seed, index])
    matrix = rng.standard_normal((config.size, config.size))
    return {
        "values": np.linalg.eigvalsh(matrix @ matrix.T),
        "count": np.array(index),
        "padding": rng.standard_normal(config.padding),
    }


def collect(config: Config, results: list[dict[str, np.ndarray] | None]) -> xr.Dataset:
    rows = [
        np.full(config.size, np.nan) if result is None else result["values"] for result in results
    ]
    return xr.Dataset(
        {"values": (("unit", "index"), np.array(rows), {"long_name": "eigenvalues <i>"})}
    )


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
            "fake-positive",
            FIGURE,
            "eqn:fake",
            verdict="holds" if smallest > -1e-9 else "fails",
            evidence={"smallest": smallest},
            **words,
        )
    ]
