"""An experiment whose networks are computed in rounds: each is one random number, and the claims
are about their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from spheresn_paper.figures import Claim
from spheresn_paper.interval import of_mean

NAME, FIGURE, TITLE = "rounds", "Fig. 0", "Means of random numbers"
CAPTIONS = {"rounds": "{networks} networks and {others} others"}
SIZES = "{networks} networks, {others} others"


@dataclass(frozen=True)
class Config:
    networks: int = 24
    others: int = 6
    mean: float = 0.7


PRESETS = {"smoke": Config(networks=3, others=2), "quick": Config(), "paper": Config()}
LOOKS = {"quick": {"networks": (3, 6, 12, 24), "others": (2, 6)}}


def tasks(config: Config) -> list[dict[str, Any]]:
    kinds = (("networks", config.networks), ("others", config.others))
    return [{"kind": kind, "network": n} for kind, count in kinds for n in range(count)]


def run(config: Config, task: dict[str, Any], seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, task["network"], len(task["kind"])])
    return {"value": np.array(config.mean + rng.standard_normal())}


def collect(config: Config, results: list[dict[str, Any] | None]) -> xr.Dataset:
    values = np.array([np.nan if one is None else float(one["value"]) for one in results])
    return xr.Dataset(
        {"networks": ("network", values[: config.networks])}
        | {"others": ("other", values[config.networks :])}
    )


def plot(dataset: xr.Dataset) -> dict[str, Any]:
    from matplotlib.figure import Figure

    figure = Figure()
    figure.add_subplot().plot(dataset.networks)
    return {"rounds": figure}


def claims(dataset: xr.Dataset) -> list[Claim]:
    found = []
    for name in ("networks", "others"):
        mean = of_mean(dataset[name])
        words = {"source": "eqn:a", "says": "It is positive.", "rule": "r", "networks": name}
        found.append(
            Claim(
                id=name,
                figure=FIGURE,
                measured=mean.text(),
                verdict=mean.above(0.0),
                evidence=mean.evidence("mean"),
                **words,
            )
        )
    return found
