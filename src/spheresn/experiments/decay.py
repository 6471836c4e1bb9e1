"""Fig. 4: the predicted decay of memory, and the sensitivity |dx_n/ds_k| that it stands for, measured."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from .. import analysis, datasets, sphere
from .._validation import Floats
from ..activations import Linear, OnSphere, Tanh
from ..driving import drive
from ..reservoir import Reservoir, random_reservoir
from ._decay_claims import claims
from ._decay_plot import CAPTIONS, plot
from ._shared import Result, dense, of_part, stream, with_holes

NAME, FIGURE = "decay", "Fig. 4"
TITLE = "Decay of memory: the paper's scalar laws beside the exact sensitivity"
KINDS = ("spherical", "orthogonal", "linear", "tanh")  # "orthogonal": spherical with an orthogonal W
__all__ = ["CAPTIONS", "FIGURE", "NAME", "PRESETS", "TITLE", "Config", "claims", "collect", "plot", "run", "tasks"]


@dataclass(frozen=True)
class Config:
    """Hyper-parameters of the memory tasks; input white noise of unit variance.

    The paper states no α for its Fig. 4: protocol "paper" measures it, α = ρ/δ; protocol "authors" draws the laws whose end points
    can be read off the published figure (spherical .85 and linear .91 at 100 steps: α = 615, ρ = .999; tanh with ρ = .95).
    strong_radii: spectral radii at which "perfect memory for an infinitely large one" is tested.
    """

    units: int = 500
    networks: int = 10
    delays: int = 100
    steps: int = 1500
    times: int = 20
    spectral_radius: float = 15.0
    input_scaling: float = 0.01
    plain_radius: float = 0.95
    authors_alpha: float = 615.0
    authors_radius: float = 0.999
    strong_radii: tuple[float, ...] = (15.0, 150.0, 1500.0)


PRESETS = {"smoke": Config(60, 2, steps=400, times=4), "quick": Config(200, 6, steps=1000, times=10), "paper": Config()}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per network, one for the laws and the exact statements."""
    return [*({"part": "network", "network": n} for n in range(config.networks)), {"part": "laws"}]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    if task["part"] == "network":
        return _network(config, stream(seed, 1, task["network"]))
    return {**_laws(config), **_closed_form(stream(seed, 2))}


def _networks(config: Config, rng: np.random.Generator) -> dict[str, Reservoir]:
    """The four kinds at the spectral radius of the memory tasks; random W and its plain versions share W."""
    base = dense(config.units, rng)
    orthogonal = random_reservoir(config.units, topology="rotation", rng=rng)
    plain = base.rescaled(config.plain_radius)
    return {
        "spherical": base.rescaled(config.spectral_radius, config.input_scaling),
        "orthogonal": orthogonal.rescaled(config.spectral_radius, config.input_scaling),
        "linear": replace(plain, activation=Linear()),
        "tanh": replace(plain, activation=Tanh()),
    }


def _network(config: Config, rng: np.random.Generator) -> Result:
    networks = _networks(config, rng)
    noise = np.sqrt(3.0) * datasets.white_noise(config.steps, rng)
    rates = [analysis.memory_rate(networks[kind], noise, config.steps // 3) for kind in ("spherical", "orthogonal")]
    strong = [
        [_profile(config, networks[kind].rescaled(rho / config.spectral_radius), noise)[[0, -1]] for kind in ("spherical", "orthogonal")]
        for rho in config.strong_radii
    ]
    return {
        "sensitivity": np.array([_profile(config, networks[kind], noise) for kind in KINDS]),
        "alpha": np.array([rate.alpha for rate in rates]),
        "geometric_alpha": np.array([rate.geometric_alpha for rate in rates]),
        "strong": np.array(strong),
    }


def _profile(config: Config, network: Reservoir, noise: Floats) -> Floats:
    return analysis.memory_profile(network, noise, config.delays, config.times).sensitivity


def _laws(config: Config) -> Result:
    """The curves of the published figure, and its spherical law far in the past."""
    delays = np.arange(config.delays + 1)
    laws = [
        analysis.predicted_memory("spherical", delays, alpha=config.authors_alpha),
        analysis.predicted_memory("linear", delays, spectral_radius=config.authors_radius),
        analysis.predicted_memory("tanh", delays, spectral_radius=config.plain_radius),
    ]
    far = analysis.predicted_memory("spherical", [1e6], alpha=config.authors_alpha)
    return {"authors_law": np.array(laws), "far_past": far[0]}


def _closed_form(rng: np.random.Generator) -> Result:
    """Relative error of x_n = M(n,0) x_0 + Σ M(n,k) u_k as printed, for r = 1 and r = 2.5."""
    errors = []
    for radius in (1.0, 2.5):
        network = replace(dense(30, rng).rescaled(3.0, 0.5), activation=OnSphere(radius))
        start, signal = sphere.random_point(30, rng, radius), datasets.white_noise(12, rng)
        factors = analysis.norm_factors(network, signal, start)
        unit = replace(network, activation=OnSphere())  # the printed M(n,k) knows no r
        drives = [start, *(signal @ network.inputs.T)]
        printed = np.sum([analysis.memory_matrix(unit, factors, k) @ u for k, u in enumerate(drives)], axis=0)
        truth = drive(network, signal, start)[-1]
        errors.append(np.linalg.norm(printed - truth) / radius)
    return {"closed_form_error": np.array(errors)}


def predictions(config: Config, alpha: Floats) -> Floats:
    """The paper's laws at the measured α, (networks, kinds, delays): NaN where α <= 0 makes the law meaningless, or a hole unknown."""
    delays = np.arange(config.delays + 1)
    plain = {"linear": analysis.predicted_memory("linear", delays, spectral_radius=config.plain_radius)}
    plain["tanh"] = analysis.predicted_memory("tanh", delays, spectral_radius=config.plain_radius)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", analysis.MeaninglessPrediction)
        sphere_laws = [[_spherical(delays, a) for a in row] for row in alpha]
    return np.array([[*pair, plain["linear"], plain["tanh"]] for pair in sphere_laws])


def _spherical(delays: ArrayLike, alpha: float) -> Floats:
    return np.full(np.shape(delays), np.nan) if np.isnan(alpha) else analysis.predicted_memory("spherical", delays, alpha=alpha)


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Sensitivities relative to the newest input, beside the laws."""
    units, d, s = tasks(config), config.delays + 1, len(config.strong_radii)
    shapes = {"sensitivity": (len(KINDS), d), "alpha": (2,), "geometric_alpha": (2,), "strong": (s, 2, 2)}
    one = with_holes(of_part(units, results, "network"), shapes)
    laws = with_holes(of_part(units, results, "laws"), {"authors_law": (3, d), "far_past": (), "closed_form_error": (2,)})
    per_kind = ("network", "kind", "delay")
    return xr.Dataset(
        {
            "sensitivity": (per_kind, one["sensitivity"] / one["sensitivity"][..., :1]),
            "predicted": (per_kind, predictions(config, one["alpha"])),
            "corrected": (per_kind[::2], predictions(config, one["geometric_alpha"])[:, 0]),
            "alpha": (("network", "matrix"), one["alpha"]),
            "strong_relative": (("network", "strong_radius", "matrix"), one["strong"][..., 1] / one["strong"][..., 0]),
            "strong_newest": (("network", "strong_radius", "matrix"), one["strong"][..., 0]),
            "authors_law": (("law", "delay"), laws["authors_law"][0]),
            "far_past": laws["far_past"][0],
            "closed_form_error": ("sphere_radius", laws["closed_form_error"][0]),
        },
        {
            "kind": list(KINDS),
            "delay": np.arange(d),
            "matrix": ["random", "orthogonal"],
            "law": ["spherical", "linear", "tanh"],
            "strong_radius": list(config.strong_radii),
            "sphere_radius": [1.0, 2.5],
        },
        {"units": config.units, "spectral_radius": config.spectral_radius, "input_scaling": config.input_scaling},
    )
