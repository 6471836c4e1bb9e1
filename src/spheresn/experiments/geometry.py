"""Fig. 2: the map in two dimensions, and how often the linear step ends inside of the sphere [VAL19, fig:diag, eqn:condition]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from spheresn import sphere
from spheresn._validation import Floats
from spheresn.analysis import pre_activation_outside_sphere
from spheresn.reservoir import Reservoir

from ._claim import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, FIGURE, TITLE = "geometry", "Fig. 2", "The map in two dimensions: a linear step, then back to the circle"
CAPTIONS = {
    "geometry": "Blue: the linear step a = W x + W_in s. Dashed: its projection back onto the circle of radius r. "
    "Red: the step that the state really makes. Under the paper's condition every blue arrow ends outside of the circle.",
    "geometry_inside": "How often the linear step ends inside of the sphere, against the strength of W relative to that of the input, "
    "for Gaussian W driven by white noise: median over networks, with the range from the 10th to the 90th percentile.",
}


@dataclass(frozen=True)
class Config:
    """A driven trajectory in the plane, and networks of several sizes over a range of strengths |W| r / std|W_in s|."""

    steps: int = 5
    radius: float = 1.0
    units: tuple[int, ...] = (2, 10, 100)
    strengths: tuple[float, ...] = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.3, 16.0)
    networks: int = 20
    length: int = 1000


PRESETS = {"smoke": Config(networks=3, length=200), "quick": Config(), "paper": Config(networks=50)}


def tasks(config: Config) -> list[dict[str, Any]]:
    """The trajectory, then all networks of one size."""
    return [{"part": "trajectory"}, *({"part": "networks", "units": units} for units in config.units)]


def run(config: Config, task: dict[str, Any], seed: int) -> dict[str, Floats]:
    """The points of the drawing, or what the networks of one size did."""
    if task["part"] == "trajectory":
        return _trajectory(config)
    streams = np.random.SeedSequence([seed, task["units"]]).spawn(config.networks)
    each = [_network(config, task["units"], np.random.default_rng(stream)) for stream in streams]
    return {name: np.stack([one[name] for one in each]) for name in each[0]}


def _trajectory(config: Config) -> dict[str, Floats]:
    """States x_0 … x_n and linear steps a_1 … a_n of a network that turns and stretches, so that the arrows do not cover each other."""
    turn = np.deg2rad(67.0)
    matrix = np.array([[1.75, 0.0], [0.0, 1.5]]) @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    network = Reservoir(recurrent=matrix, inputs=[0.3, 0.2])
    signal = np.array([0.9, -0.6, 0.3, -0.8, 0.7])[np.arange(config.steps) % 5]
    states, linear = [sphere.project(np.array([1.0, -0.25]), config.radius)], []
    for s in signal:
        linear.append(network.pre_activation(states[-1], np.array([s])))
        states.append(sphere.project(linear[-1], config.radius))
    margin = pre_activation_outside_sphere(network, signal)
    return {"state": np.array(states), "linear": np.array(linear), "margin": np.array([margin.smallest_singular_value, margin.needed])}


def _network(config: Config, units: int, rng: np.random.Generator) -> dict[str, Floats]:
    """For one W: the share of steps that end inside for each strength, and the shortest |a|/r when the paper's condition holds."""
    matrix, inputs, signal = rng.standard_normal((units, units)), rng.standard_normal(units), rng.standard_normal(config.length)
    matrix, drive = matrix / np.linalg.norm(matrix, 2), inputs / np.linalg.norm(inputs)
    start = sphere.random_point(units, rng)
    lengths = _lengths(np.array(config.strengths), matrix, drive, signal, start)
    smallest = np.linalg.svd(matrix, compute_uv=False)[-1]
    meets = np.array(config.strengths) * smallest >= 1.0 + np.abs(signal).max()
    bounded, just = np.tanh(signal), np.array([2.0 / smallest])  # with |W_in| = r and |s| < 1, 2 is the σ_min that just meets the condition
    random, worst = _lengths(just, matrix, drive, bounded, start), _lengths(just, matrix, drive, None, start, config.length)
    never, shortest = (lengths >= 1.0).all(axis=0), np.array([random.min(), worst.min()])
    return {"inside": (lengths < 1.0).mean(axis=0), "never": never, "meets": meets, "shortest": shortest}


def _lengths(strengths: Floats, matrix: Floats, drive: Floats, signal: Floats | None, start: Floats, length: int = 0) -> Floats:
    """|a_k|/r (T, strengths) of networks that differ in strength only, side by side; without a signal, the input that opposes W x most."""
    state, norms = np.repeat(start[:, None], len(strengths), axis=1), []
    for k in range(len(signal) if signal is not None else length):
        linear = strengths * (matrix @ state)
        s = np.full(len(strengths), signal[k]) if signal is not None else np.clip(-(drive @ linear), -1.0, 1.0)
        linear = linear + np.multiply.outer(drive, s)
        norms.append(np.linalg.norm(linear, axis=0))
        state = linear / norms[-1]
    return np.array(norms)


def collect(config: Config, results: list[dict[str, Floats] | None]) -> xr.Dataset:
    """Everything with names; NaN where a unit failed."""
    sizes, strengths, count = len(config.units), len(config.strengths), config.networks
    trajectory = results[0] or {
        "state": np.full((config.steps + 1, 2), np.nan),
        "linear": np.full((config.steps, 2), np.nan),
        "margin": np.full(2, np.nan),
    }
    blank = {"inside": (count, strengths), "never": (count, strengths), "meets": (count, strengths), "shortest": (count, 2)}
    parts = [found or {name: np.full(shape, np.nan) for name, shape in blank.items()} for found in results[1 : sizes + 1]]
    stacked = {name: np.stack([np.asarray(part[name], float) for part in parts]) for name in blank}
    return xr.Dataset(
        {
            "state": (("moment", "axis"), trajectory["state"]),
            "linear": (("step", "axis"), trajectory["linear"]),
            "margin": (("side",), trajectory["margin"], {"long_name": "both sides of the condition for the drawn network"}),
            "inside": (("units", "network", "strength"), stacked["inside"], {"long_name": "share of steps that end inside"}),
            "never": (("units", "network", "strength"), stacked["never"], {"long_name": "1 where no step ended inside"}),
            "meets": (("units", "network", "strength"), stacked["meets"], {"long_name": "1 where the condition holds"}),
            "shortest": (("units", "network", "input"), stacked["shortest"], {"long_name": "shortest |a|/r when the condition holds"}),
        },
        coords={
            "units": list(config.units),
            "strength": list(config.strengths),
            "input": ["random", "worst"],
            "side": ["σ_min(W)", "needed"],
        },
        attrs={"radius": config.radius},
    )


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The paper's drawing, and how often its condition is broken."""
    from ._geometry_plot import plot_inside, plot_steps

    return {"geometry": plot_steps(dataset), "geometry_inside": plot_inside(dataset)}


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Three sentences around eqn:condition."""
    from ._geometry_claims import judge

    return judge(dataset)
