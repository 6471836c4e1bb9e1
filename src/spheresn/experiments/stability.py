"""Beyond the paper: chaos on the sphere, echo states that the printed condition excludes, and what typical networks do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from .. import analysis, datasets, sphere
from .._validation import Floats
from ..driving import drive
from ..reservoir import Reservoir, random_reservoir
from ._shared import Result, dense, of_part, stream, with_holes
from ._stability_claims import claims
from ._stability_plot import CAPTIONS, plot

NAME, FIGURE = "stability", "beyond the paper"
TITLE = "Never chaotic, always an echo state? Counterexamples, and what typical networks do"
__all__ = ["CAPTIONS", "FIGURE", "NAME", "PRESETS", "TITLE", "Config", "claims", "collect", "plot", "run", "tasks"]


@dataclass(frozen=True)
class Config:
    """steps: of the exponents of the counterexamples; pairs: steps over which two trajectories are compared.

    random_units and random_networks: Gaussian networks under constant input and white noise of several strengths, to see what is typical.
    setting_units: size of the networks at the paper's own setting (spectral radius 15, scaling .01, unit-variance white noise).
    """

    steps: int = 100_000
    pairs: int = 1000
    random_units: tuple[int, ...] = (10, 30, 100)
    random_networks: int = 60
    random_steps: int = 4000
    strengths: tuple[float, ...] = (0.05, 0.2, 1.0, 2.0)
    setting_units: int = 1000
    setting_networks: int = 6
    setting_steps: int = 7000
    spectral_radius: float = 15.0
    input_scalings: tuple[float, ...] = (0.01, 0.1, 1.0)


PRESETS = {
    "smoke": Config(4000, 300, (10, 30), 4, 1000, (0.2, 1.0), 60, 2, 600),
    "quick": Config(40_000, 1000, (10, 30, 100), 10, 2000, (0.05, 0.2, 1.0, 2.0), 300, 3, 4000),
    "paper": Config(),
}
CASES = ("N = 2, constant input", "N = 2, a rotation", "N = 2, noisy input", "N = 4, condition met", "2R(1), no input", "−2I", "2R(2)")


def counterexample(name: str) -> tuple[Reservoir, Floats]:
    """A network with its input vector as W_in, and a start away from its special points; inputs come from `signal_of`."""
    wide = 11.0 * np.array([[4.81, -2.49, 1.38, 4.54], [-1.41, 2.18, -4.03, -2.15], [6.41, 0.34, 2.95, 4.43], [-2.84, -1.68, -2.84, 1.56]])
    cases: dict[str, tuple[Any, list[float]]] = {
        CASES[0]: ([[-0.096, 1.270], [-0.112, 0.241]], [1.0, 0.0]),
        CASES[1]: (0.995 * _turn(1.6668), [1.0, 0.0]),
        CASES[2]: ([[-1.611, 1.545], [-1.645, 0.929]], [1.0, 0.0]),
        CASES[3]: (wide, [11.0, 0.0, 0.0, 0.0]),
        CASES[4]: (2.0 * _turn(1.0), [0.0, 0.0]),
        CASES[5]: (-2.0 * np.eye(2), [0.5, 0.0]),
        CASES[6]: (2.0 * _turn(2.0), [0.5, 0.0]),
    }
    matrix, inputs = cases[name]
    network = Reservoir(recurrent=np.array(matrix), inputs=np.array(inputs))
    return network, sphere.project(np.arange(1.0, network.units + 1), 1.0)


def _turn(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def signal_of(name: str, steps: int, rng: np.random.Generator) -> Floats:
    """The constant 1; for the noisy case 1 + .1 times standard normal noise."""
    return np.ones(steps) + (0.1 * rng.standard_normal(steps) if name == CASES[2] else 0.0)


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per counterexample, per size of random networks, and per network at the paper's setting."""
    cases = [{"part": "case", "case": name} for name in CASES]
    typical = [{"part": "typical", "units": n} for n in config.random_units]
    return [*cases, *typical, *({"part": "setting", "network": n} for n in range(config.setting_networks))]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    if task["part"] == "case":
        return _case(config, task["case"], stream(seed, 1, CASES.index(task["case"])))
    if task["part"] == "typical":
        return _typical(config, task["units"], stream(seed, 2, task["units"]))
    return _setting(config, stream(seed, 3, task["network"]))


def _case(config: Config, name: str, rng: np.random.Generator) -> Result:
    """Exponent with its error, whether the printed condition holds, the proof about echo states, and how pairs of states part or meet."""
    network, start = counterexample(name)
    signal = signal_of(name, config.steps + 500, rng)
    largest = analysis.max_lyapunov(network, signal, start=start)
    other = sphere.project(start + 1e-12 * np.eye(network.units)[-1], 1.0)
    close = np.linalg.norm(drive(network, signal[: config.pairs], start) - drive(network, signal[: config.pairs], other), axis=1)
    away = sphere.project(start[::-1] * (-1.0) ** np.arange(network.units), 1.0)
    far = np.linalg.norm(drive(network, signal[: config.pairs], start) - drive(network, signal[: config.pairs], away), axis=1)
    return {
        "exponent": np.array(largest.exponent),
        "exponent_error": np.array(largest.standard_error),
        "condition": np.array(float(analysis.pre_activation_outside_sphere(network, signal).holds)),
        "refuted": np.array(float(analysis.echo_state(network, signal[:200], transient=50).verdict == "refuted")),
        "close_pair": close,
        "far_pair": far,
    }


def _typical(config: Config, units: int, rng: np.random.Generator) -> Result:
    """Largest exponents (networks, strengths, 2) of Gaussian networks under constant input and under white noise."""
    found = np.empty((config.random_networks, len(config.strengths), 2))
    errors = np.empty_like(found)
    for n in range(config.random_networks):
        network = random_reservoir(units, rng=rng)
        network = network.rescaled(inputs=1.0 / float(np.linalg.norm(network.inputs)))
        inputs = np.ones(config.random_steps), np.sqrt(3.0) * datasets.white_noise(config.random_steps, rng)
        for i, strength in enumerate(config.strengths):
            for j, signal in enumerate(inputs):
                one = analysis.max_lyapunov(network.rescaled(inputs=strength), signal, transient=config.random_steps // 4)
                found[n, i, j], errors[n, i, j] = one.exponent, one.standard_error
    return {"typical": found, "typical_error": errors}


def _setting(config: Config, rng: np.random.Generator) -> Result:
    """At the paper's setting: the condition, and two trajectories at three scalings."""
    base = dense(config.setting_units, rng).rescaled(config.spectral_radius)
    noise = np.sqrt(3.0) * datasets.white_noise(config.setting_steps, rng)
    starts = [sphere.random_point(config.setting_units, rng) for _ in range(2)]
    ours = base.rescaled(inputs=config.input_scalings[0])
    outside = analysis.pre_activation_outside_sphere(ours, noise)
    return {
        "smallest": np.array(outside.smallest_singular_value),
        "needed": np.array(outside.needed),
        "distance": _distances(base, noise, config.input_scalings, starts),
    }


def _distances(network: Reservoir, noise: Floats, scalings: tuple[float, ...], starts: list[Floats]) -> Floats:
    """Distance of two trajectories per scaling (S, 200), at 200 steps spread over the run; all of them in one pass through W."""
    signals = np.repeat([scaling * noise for scaling in scalings], 2, axis=0)
    states = drive(network, signals, np.tile(starts, (len(scalings), 1)))
    shown = states[:, np.linspace(0, len(noise) - 1, 200).astype(int)]
    return np.asarray(np.linalg.norm(shown[::2] - shown[1::2], axis=2))


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Counterexamples, typical networks and the paper's setting."""
    units, p, k = tasks(config), config.pairs, len(config.input_scalings)
    single = dict.fromkeys(("exponent", "exponent_error", "condition", "refuted"), ())
    cases = with_holes(of_part(units, results, "case"), {**single, "close_pair": (p,), "far_pair": (p,)})
    shape = (config.random_networks, len(config.strengths), 2)
    typical = with_holes(of_part(units, results, "typical"), {"typical": shape, "typical_error": shape})
    setting = with_holes(of_part(units, results, "setting"), {"smallest": (), "needed": (), "distance": (k, 200)})
    return xr.Dataset(
        {
            **{name: (("case", "step")[: array.ndim], array) for name, array in cases.items()},
            **{name: (("units", "sample", "strength", "input"), array) for name, array in typical.items()},
            **{name: (("network", "scaling", "time")[: array.ndim], array) for name, array in setting.items()},
        },
        {
            "case": list(CASES),
            "step": np.arange(1, p + 1),
            "units": list(config.random_units),
            "strength": list(config.strengths),
            "input": ["constant", "white noise"],
            "scaling": list(config.input_scalings),
            "time": np.linspace(0, config.setting_steps - 1, 200).astype(int) + 1,
        },
        {"setting_units": config.setting_units, "spectral_radius": config.spectral_radius},
    )
