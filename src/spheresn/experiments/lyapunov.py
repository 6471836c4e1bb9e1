"""Fig. 3: the printed "maximum LLE" over the spectral radius, and what the exponents really are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from .. import analysis, datasets, sphere
from .._validation import Floats
from ..driving import drive
from ..reservoir import Reservoir
from ._lyapunov_claims import claims
from ._lyapunov_plot import CAPTIONS, plot
from ._shared import Result, dense, of_part, stream, with_holes

NAME, FIGURE = "lyapunov", "Fig. 3"
TITLE = "Lyapunov exponents against the spectral radius: as printed, and as they are"
__all__ = ["CAPTIONS", "FIGURE", "NAME", "PRESETS", "TITLE", "Config", "claims", "collect", "plot", "run", "tasks"]


@dataclass(frozen=True)
class Config:
    """The authors' sizes: 500 units, 10 networks per spectral radius, no input, 500 steps to settle and 1000 to measure.

    looks: steps at which the eigenvalues of a Jacobian are computed; without input they change in the seventh digit only.
    input_scalings: strengths of the unit-variance white noise under which the true exponent is measured as well.
    """

    units: int = 500
    networks: int = 10
    spectral_radii: tuple[float, ...] = tuple(1.0 + 0.5 * i for i in range(18))
    settle: int = 500
    steps: int = 1000
    looks: int = 1
    input_scalings: tuple[float, ...] = (0.01, 0.1, 1.0)
    spectrum_units: int = 100
    spectrum_radii: tuple[float, ...] = (2.0, 8.0, 15.0, 20.0)
    spectrum_steps: int = 4000
    jacobian_units: tuple[int, ...] = (5, 50, 200)


PRESETS = {
    "smoke": Config(60, 3, (1.0, 5.0, 9.5), 100, 200, 2, (0.01, 1.0), 20, (2.0, 15.0), 600, (5, 20)),
    "quick": Config(200, 6, tuple(1.0 + i for i in range(9)), 300, 600, 3, spectrum_steps=1500),
    "paper": Config(),
}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per spectral radius and network; one per spectrum; one for the exact statements."""
    radii = [
        {"part": "radius", "radius": i, "network": n, "spectral_radius": rho}
        for i, rho in enumerate(config.spectral_radii)
        for n in range(config.networks)
    ]
    spectra = [{"part": "spectrum", "radius": i, "spectral_radius": rho} for i, rho in enumerate(config.spectrum_radii)]
    return [*radii, *spectra, {"part": "exact"}]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    if task["part"] == "radius":
        return _at_radius(config, task["spectral_radius"], stream(seed, 1, task["radius"], task["network"]))
    if task["part"] == "spectrum":
        return _spectrum(config, task["spectral_radius"], stream(seed, 2, task["radius"]))
    return _exact(config, stream(seed, 3))


def _at_radius(config: Config, rho: float, rng: np.random.Generator) -> Result:
    """A fresh network, as in the paper: its printed and exact "LLE" without input, its true exponents without and with input."""
    network = dense(config.units, rng).rescaled(rho)
    start, length = sphere.random_point(config.units, rng), config.settle + config.steps
    options: dict[str, Any] = {"transient": config.settle, "start": start}
    every = max(config.steps // config.looks, 1)
    local = {kind: analysis.local_exponents(network, length, kind, every=every, **options).exponents[0] for kind in ("printed", "exact")}
    noise = np.sqrt(3.0) * datasets.white_noise(length, rng)
    driven = [analysis.max_lyapunov(network.rescaled(inputs=scaling), noise, **options) for scaling in config.input_scalings]
    return {
        "printed": np.array(local["printed"]),
        "exact_local": np.array(local["exact"]),
        "closed_form": np.array(analysis.autonomous_exponents(network.recurrent)[0]),
        "tangent": np.array(analysis.max_lyapunov(network, length, **options).exponent),
        "driven": np.array([one.exponent for one in driven]),
        "driven_error": np.array([one.standard_error for one in driven]),
    }


def _spectrum(config: Config, rho: float, rng: np.random.Generator) -> Result:
    """All exponents of one network: tangents and QR, closed form, and the mean log |eigenvalue| of the printed Jacobian."""
    network = dense(config.spectrum_units, rng).rescaled(rho)
    options: dict[str, Any] = {"transient": config.settle, "start": sphere.random_point(config.spectrum_units, rng)}
    length = config.settle + config.spectrum_steps
    printed = analysis.local_exponents(network, length, "printed", config.spectrum_units, max(config.spectrum_steps // 50, 1), **options)
    return {
        "spectrum": analysis.lyapunov_spectrum(network, length, **options).exponents,
        "spectrum_closed": analysis.autonomous_exponents(network.recurrent),
        "spectrum_printed": printed.exponents[:-1],
    }


def _exact(config: Config, rng: np.random.Generator) -> Result:
    """Statements without statistics: W and aW give one orbit; the printed Jacobian is not the derivative, whatever N."""
    network = dense(config.spectrum_units, rng)
    start = sphere.random_point(config.spectrum_units, rng)
    orbits = [drive(network.rescaled(rho), np.zeros(200), start) for rho in (1.0, *config.spectral_radii)]
    errors = [_jacobian_errors(dense(size, rng), sphere.random_point(size, rng)) for size in config.jacobian_units]
    return {
        "rescaling_gap": np.array(max(np.abs(orbit - orbits[0]).max() for orbit in orbits)),
        "jacobian_error": np.array([one[0] for one in errors]),
        "approximation_error": np.array([one[1] for one in errors]),
    }


def _jacobian_errors(network: Reservoir, state: Floats) -> tuple[float, float]:
    """Relative error of the printed Jacobian (Frobenius, its indices put right) and of W/|Wx| (operator norm), by central differences."""
    step, zero = 1e-6, np.zeros(1)
    moved = step * np.eye(network.units)
    true = np.array([network.step(state + d, zero) - network.step(state - d, zero) for d in moved]).T / (2 * step)
    w, a = network.recurrent.toarray(), network.pre_activation(state, zero)
    size, unit = sphere.norm(a), sphere.unit(a)
    printed = w / size * (1.0 - np.outer(unit, unit))
    wrong = np.linalg.norm(printed - true) / np.linalg.norm(true)
    return float(wrong), float(np.linalg.norm(w / size - true, 2) / np.linalg.norm(true, 2))


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Exponents by spectral radius and network, spectra by spectral radius, and the exact statements."""
    units, r, n, k = tasks(config), len(config.spectral_radii), config.networks, len(config.input_scalings)
    single = dict.fromkeys(("printed", "exact_local", "closed_form", "tangent"), ())
    one = with_holes(of_part(units, results, "radius"), {**single, "driven": (k,), "driven_error": (k,)})
    values = {
        name: (("radius", "network", "scaling")[: array.ndim + 1], array.reshape(r, n, *array.shape[1:])) for name, array in one.items()
    }
    names = ("spectrum", "spectrum_closed", "spectrum_printed")
    spectra = with_holes(of_part(units, results, "spectrum"), dict.fromkeys(names, (config.spectrum_units - 1,)))
    m = len(config.jacobian_units)
    exact = with_holes(of_part(units, results, "exact"), {"rescaling_gap": (), "jacobian_error": (m,), "approximation_error": (m,)})
    return xr.Dataset(
        {
            **values,
            **{name: (("spectrum_radius", "index"), array) for name, array in spectra.items()},
            "rescaling_gap": exact["rescaling_gap"][0],
            **{name: ("size", exact[name][0]) for name in ("jacobian_error", "approximation_error")},
        },
        {
            "radius": list(config.spectral_radii),
            "scaling": list(config.input_scalings),
            "spectrum_radius": list(config.spectrum_radii),
            "index": np.arange(1, config.spectrum_units),
            "size_names": ("size", list(config.jacobian_units)),
        },
        {"units": config.units, "spectrum_units": config.spectrum_units, "steps": config.steps},
    )
