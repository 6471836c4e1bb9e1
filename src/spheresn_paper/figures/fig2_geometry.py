"""Fig. 2: the map in two dimensions, and how often the linear step ends inside the sphere.

[VAL19, fig:diag, eqn:condition]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from spheresn import sphere
from spheresn._validation import Floats
from spheresn.activations import OnSphere
from spheresn.analysis import pre_activation_outside_sphere
from spheresn.reservoir import Reservoir

from ..claim import DETAIL, Claim, all_or_some, verdict
from ..interval import of_mean
from .common import with_holes

NAME, FIGURE = "geometry", "Fig. 2"
TITLE = "The map in two dimensions: a linear step, then back to the circle"
CAPTIONS = {
    "geometry": "Blue: the linear step a = W x + W_in s. Dashed: its projection back onto the "
    "circle of radius r. Red: the step that the state really makes. Under the paper's condition "
    "every blue arrow ends outside of the circle.",
    "geometry_inside": "How often the linear step ends inside of the sphere, against the strength "
    "of W relative to that of the input, for Gaussian W driven by {length} steps of white noise: "
    "median over {networks} networks of each size, with the range from the 10th to the 90th "
    "percentile.",
}
SIZES = "N = {units}, {networks} networks of each size, {length} steps"
LINEAR, ACTUAL = "#0072B2", "#C8102E"
BACK: dict[str, Any] = {"color": "0.35", "linestyle": (0, (3, 2)), "linewidth": 1.1}
HUES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#555555")
ROUNDING, RARE = 1e-9, 0.01


@dataclass(frozen=True)
class Config:
    """A driven trajectory in the plane, and networks of several sizes.

    strengths: values of |W| r / std|W_in s|. vectors: pairs of random vectors, of each size, on
    which the contractivity inequality is tried.
    """

    steps: int = 5
    radius: float = 1.0
    units: tuple[int, ...] = (2, 10, 100)
    strengths: tuple[float, ...] = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.3, 16.0)
    networks: int = 20
    length: int = 1000
    vectors: int = 100_000


PRESETS = {
    "smoke": Config(networks=3, length=200, vectors=1000),
    "quick": Config(),
    "paper": Config(networks=50),
}


def tasks(config: Config) -> list[dict[str, Any]]:
    """The trajectory, then all networks of one size."""
    networks = ({"part": "networks", "units": units} for units in config.units)
    return [{"part": "trajectory"}, *networks]


def run(config: Config, task: dict[str, Any], seed: int) -> dict[str, Floats]:
    """The points of the drawing, or the measurements on all networks of one size."""
    if task["part"] == "trajectory":
        return _trajectory(config)
    streams = np.random.SeedSequence([seed, task["units"]]).spawn(config.networks)
    each = [_network(config, task["units"], np.random.default_rng(stream)) for stream in streams]
    return {name: np.stack([one[name] for one in each]) for name in each[0]}


def _trajectory(config: Config) -> dict[str, Floats]:
    """States x_0 … x_n and linear steps a_1 … a_n.

    The network turns and stretches, so that the arrows do not cover each other.
    """
    turn = np.deg2rad(67.0)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    matrix = np.array([[1.75, 0.0], [0.0, 1.5]]) @ rotation
    network = Reservoir(matrix, inputs=[0.3, 0.2], activation=OnSphere(config.radius))
    signal = np.array([0.9, -0.6, 0.3, -0.8, 0.7])[np.arange(config.steps) % 5]
    states, linear = [sphere.project(np.array([1.0, -0.25]), config.radius)], []
    for s in signal[:, None]:
        linear.append(network.pre_activation(states[-1], s))
        states.append(network.step(states[-1], s))
    margin = pre_activation_outside_sphere(network, signal)
    return {
        "state": np.array(states),
        "linear": np.array(linear),
        "margin": np.array([margin.smallest_singular_value, margin.needed]),
    }


def _network(config: Config, units: int, rng: np.random.Generator) -> dict[str, Floats]:
    """For one W: the steps that end inside by strength, and the shortest |a|/r under the condition.

    |W| = |W_in| = r = 1; for |s| < 1 the condition just holds if the smallest singular value is 2.
    """
    matrix, inputs = rng.standard_normal((units, units)), rng.standard_normal(units)
    signal = rng.standard_normal(config.length)
    matrix, inputs = matrix / np.linalg.norm(matrix, 2), inputs / np.linalg.norm(inputs)
    start = sphere.random_point(units, rng)
    lengths = _lengths(np.array(config.strengths), matrix, inputs, signal, start)
    smallest = np.linalg.svd(matrix, compute_uv=False)[-1]
    just = np.array([2.0 / smallest])
    random = _lengths(just, matrix, inputs, np.tanh(signal), start)
    worst = _lengths(just, matrix, inputs, None, start, config.length)
    return {
        "inside": (lengths < 1.0).mean(axis=0),
        "never": (lengths >= 1.0).all(axis=0),
        "meets": np.array(config.strengths) * smallest >= 1.0 + np.abs(signal).max(),
        "shortest": np.array([random.min(), worst.min()]),
        "contraction": _contraction(config, units, rng),
    }


def _contraction(config: Config, units: int, rng: np.random.Generator) -> Floats:
    """The largest |φ(x) - φ(y)| / |x - y| over random x and y outside of the unit sphere."""
    count = max(config.vectors // config.networks, 1)
    lengths = 1.0 + rng.exponential(0.3, (2, count, 1))
    unit = rng.standard_normal((2, count, units))
    unit /= np.linalg.norm(unit, axis=-1, keepdims=True)
    # Half of the pairs are close to each other, where the ratio is largest
    unit[1, ::2] = unit[0, ::2] + 1e-3 * unit[1, ::2]
    unit[1] /= np.linalg.norm(unit[1], axis=-1, keepdims=True)
    x, y = lengths * unit
    ratio = np.linalg.norm(unit[0] - unit[1], axis=-1) / np.linalg.norm(x - y, axis=-1)
    return np.array(ratio.max())


def _lengths(
    strengths: Floats,
    matrix: Floats,
    inputs: Floats,
    signal: Floats | None,
    start: Floats,
    length: int = 0,
) -> Floats:
    """|a_k|/r (T, strengths) of networks that differ in strength only.

    All strengths share each product with W, hence the step by hand. Without a signal, the input
    at each step is the one that opposes W x most: it depends on W x, so `drive` cannot compute it.
    """
    state, norms = np.repeat(start[:, None], len(strengths), axis=1), []
    for k in range(len(signal) if signal is not None else length):
        linear = strengths * (matrix @ state)
        if signal is None:
            s = np.clip(-(inputs @ linear), -1.0, 1.0)
        else:
            s = np.full(len(strengths), signal[k])
        linear = linear + np.multiply.outer(inputs, s)
        norms.append(np.linalg.norm(linear, axis=0))
        state = linear / norms[-1]
    return np.array(norms)


def collect(config: Config, results: list[dict[str, Floats] | None]) -> xr.Dataset:
    """Everything with names; NaN where a unit failed."""
    strengths, count = len(config.strengths), config.networks
    lines = {"state": (config.steps + 1, 2), "linear": (config.steps, 2), "margin": (2,)}
    trajectory = {name: array[0] for name, array in with_holes(results[:1], lines).items()}
    shapes = dict.fromkeys(("inside", "never", "meets"), (count, strengths))
    networks = with_holes(results[1:], {**shapes, "shortest": (count, 2), "contraction": (count,)})
    by_strength = ("units", "network", "strength")
    named = {
        "margin": (("side",), "both sides of the condition for the drawn network"),
        "inside": (by_strength, "share of steps that end inside"),
        "never": (by_strength, "1 where no step ended inside"),
        "meets": (by_strength, "1 where the condition holds"),
        "shortest": (("units", "network", "input"), "shortest |a|/r when the condition holds"),
        "contraction": (
            ("units", "network"),
            "largest |φ(x) - φ(y)|/|x - y| outside of the sphere",
        ),
    }
    arrays = {**trajectory, **networks}
    return xr.Dataset(
        {
            "state": (("moment", "axis"), trajectory["state"]),
            "linear": (("step", "axis"), trajectory["linear"]),
            **{name: (dims, arrays[name], {"long_name": s}) for name, (dims, s) in named.items()},
        },
        coords={
            "units": list(config.units),
            "strength": list(config.strengths),
            "input": ["random", "worst"],
            "side": ["σ_min(W)", "needed"],
        },
        attrs={"radius": config.radius, "vectors": config.vectors},
    )


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The paper's drawing, and how often its condition is broken."""
    return {"geometry": _draw_steps(dataset), "geometry_inside": _draw_inside(dataset)}


def _draw_steps(dataset: xr.Dataset) -> Figure:
    """Circle, linear steps, projections, and the steps really made."""
    figure = Figure(figsize=(5.2, 5.4), layout="constrained")
    axes, radius = figure.add_subplot(), float(dataset.attrs["radius"])
    angle = np.linspace(0, 2 * np.pi, 400)
    axes.fill(radius * np.cos(angle), radius * np.sin(angle), color="0.96", zorder=0)
    axes.plot(radius * np.cos(angle), radius * np.sin(angle), color="0.55", linewidth=1.2, zorder=1)
    x, y = radius * np.cos(2.5), radius * np.sin(2.5)
    spoke = {"arrowstyle": "->", "color": "0.55", "linewidth": 1}
    axes.annotate("", (x, y), (0, 0), arrowprops=spoke)
    axes.text(0.5 * x + 0.04, 0.5 * y + 0.05, "$r$", color="0.4", fontsize=12)
    states, linear = dataset["state"].values, dataset["linear"].values
    for k, (before, after, step) in enumerate(zip(states[:-1], states[1:], linear, strict=True)):
        _draw_arrow(axes, before, step, LINEAR, 1.6)
        axes.plot(*np.stack([step, after], axis=1), zorder=2, **BACK)
        _draw_arrow(axes, before, after, ACTUAL, 2.2)
        x, y = step * (1 + 0.13 / np.linalg.norm(step))
        axes.text(x, y, f"$a_{{{k + 1}}}$", color=LINEAR, ha="center", va="center", fontsize=12)
    axes.scatter(states[:, 0], states[:, 1], s=26, color="black", zorder=5)
    for k, state in enumerate(states):
        x, y = 0.86 * state
        axes.text(x, y, f"$x_{{{k}}}$", ha="center", va="center", fontsize=12, zorder=6)
    axes.set(aspect="equal")
    axes.axis("off")
    figure.legend(handles=_legend(), loc="outside lower center", frameon=False, fontsize=10)
    return figure


def _draw_arrow(axes: Axes, start: Any, end: Any, colour: str, width: float) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "mutation_scale": 13}
    axes.annotate("", end, start, arrowprops={**style, "shrinkA": 3, "shrinkB": 3}, zorder=3)


def _legend() -> list[Line2D]:
    linear = "linear step: $a_k = W x_{k-1} + W_{in} s_k$"
    return [
        Line2D([], [], color=LINEAR, linewidth=1.6, label=linear),
        Line2D([], [], label="projection: $x_k = r\\,a_k/|a_k|$", **BACK),
        Line2D([], [], color=ACTUAL, linewidth=2.2, label="step really made: $x_{k-1}$ to $x_k$"),
    ]


def _draw_inside(dataset: xr.Dataset) -> Figure:
    """Share of steps inside against the strength of W, one line per size."""
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes, strength = figure.add_subplot(), dataset["strength"].values
    for colour, units in zip(HUES, dataset["units"].values, strict=False):
        shares = dataset["inside"].sel(units=units)
        low, middle, high = shares.quantile([0.1, 0.5, 0.9], "network", skipna=False).values
        axes.fill_between(strength, low, high, color=colour, alpha=0.18, linewidth=0)
        style: dict[str, Any] = {"color": colour, "markersize": 4, "linewidth": 1.6}
        axes.plot(strength, middle, "o-", label=f"N = {units}", **style)
    ratio = r"$\|W\|\,r\,/\,\mathrm{std}|W_{in}s|$"
    axes.set_xlabel(f"strength of the network over that of the input,  {ratio}")
    axes.set(xscale="log", ylim=(-0.02, 1.02))
    axes.set_ylabel("share of linear steps that\nend inside of the sphere")
    axes.set_xticks([0.5, 1, 2, 4, 8, 16], ["0.5", "1", "2", "4", "8", "16"])
    axes.minorticks_off()
    axes.grid(color="0.92")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure


def claims(dataset: xr.Dataset) -> list[Claim]:
    """The four claims; none where the numbers are missing."""
    if dataset["inside"].isnull().any():
        return []
    return [
        _judge_contractivity(dataset), _judge_outside(dataset), _judge_not_necessary(dataset),
        _judge_unlikely(dataset),
    ]  # fmt: skip


def _judge_contractivity(dataset: xr.Dataset) -> Claim:
    largest = float(dataset["contraction"].max())
    return Claim(
        "contractivity-inequality", FIGURE, "eqn:contractivity",
        "Outside of the sphere the projection does not lengthen distances: |φ(x) - φ(y)| <= |x - y|"
        " for |x|, |y| > r.",
        f"largest ratio of the two sides {largest:.6f} over {dataset.attrs['vectors']:,} random "
        "pairs of each size. It is a statement on pre-activations; the step of the network also "
        "multiplies distances by W",
        "an inequality: holds if no ratio exceeds 1 (to 1e-9), else fails",
        verdict(largest <= 1 + ROUNDING), {"largest_ratio": largest},
    )  # fmt: skip


def _judge_outside(dataset: xr.Dataset) -> Claim:
    random, worst = (float(dataset["shortest"].sel(input=k).min()) for k in ("random", "worst"))
    networks = int(dataset["shortest"].isel(input=0).size)
    return Claim(
        "condition-keeps-outside", FIGURE, "fig:diag",
        "Note that condition (eqn:condition) accounts for the fact that the linear step must never "
        "bring the system state inside the hyper-sphere.",
        f"shortest |a|/r = {random:.4f} with random input and {worst:.4f} with the input that "
        f"opposes the state most, over {networks} networks that just meet the condition",
        "an inequality: holds if no |a|/r is below 1 (to 1e-9), partly if only the worst input "
        "gets inside, else fails",
        verdict(worst >= 1 - ROUNDING, random >= 1 - ROUNDING),
        {"shortest_random": random, "shortest_worst": worst, "networks": float(networks)},
        quoted=True, weight=DETAIL,
    )  # fmt: skip


def _judge_not_necessary(dataset: xr.Dataset) -> Claim:
    unmet, met = dataset["meets"] == 0, dataset["meets"] == 1
    count, total = int((unmet & (dataset["never"] == 1)).sum()), int(unmet.sum())
    inside = int((met & (dataset["never"] == 0)).sum())
    return Claim(
        "condition-not-necessary", FIGURE, "eqn:condition",
        "Eq. (eqn:condition) results in a sufficient yet not necessary condition that may be "
        "understood as requiring that the input will never be strong enough to contrast the "
        "expansive dynamics of the system, leading the network state inside the hyper-sphere of "
        "radius r.",
        f"for steps that stay outside of the sphere: {inside} of {int(met.sum())} driven networks "
        f"that meet the condition ever step inside, and {count} of {total} that do not meet it "
        "never do. Echo states are another matter: for them the condition is not sufficient "
        "(condition-implies-echo-state)",
        "about steps that stay outside: holds if no network that meets the condition steps inside "
        "and at least one that does not meet it never does, else fails",
        verdict(inside == 0 and count > 0),
        {"inside_though_met": float(inside), "never_inside": float(count),
        "networks_unmet": float(total)},
        quoted=True, weight=DETAIL,
    )  # fmt: skip


def _judge_unlikely(dataset: xr.Dataset) -> Claim:
    strongest = dataset["inside"].isel(strength=-1)
    shares = {int(n): of_mean(strongest.sel(units=n)) for n in dataset["units"].values}
    listed = ", ".join(f"{share.text('.2%')} at N = {n}" for n, share in shares.items())
    evidence = {k: v for n, one in shares.items() for k, v in one.evidence(f"share_{n}").items()}
    return Claim(
        "inside-is-unlikely", FIGURE, "eqn:condition",
        "it will very likely not bring the system inside the hyper-sphere as long as the norm of W "
        "is large enough compared to the signal variance.",
        f"with |W| r at {float(dataset['strength'][-1]):g} times the input's standard deviation, "
        f"the mean share of steps inside is {listed}",
        "holds if the mean share is at most 1% for every size, partly for some sizes, else fails",
        all_or_some([share.below(RARE) for share in shares.values()]), evidence,
        quoted=True, weight=DETAIL,
    )  # fmt: skip
