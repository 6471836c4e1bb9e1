"""Beyond the paper: chaos on the sphere, and echo states that the printed condition excludes.

Counterexamples stand beside typical networks, to show which is which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spheresn import analysis, datasets, sphere
from spheresn._validation import Floats
from spheresn.driving import drive
from spheresn.plotting import ACCENTS, FLOOR, ZERO
from spheresn.reservoir import Reservoir, random_reservoir

from ..claim import Claim, Evidence, drop_unmeasured, verdict
from .common import Result, dense, median, of_part, panels, stream, with_holes

NAME, FIGURE = "stability", "beyond the paper"
TITLE = "Never chaotic, always an echo state? Counterexamples, and what typical networks do"
CAPTIONS = {
    "stability": "(a) Four networks on the sphere in which states 10⁻¹² apart separate for good: "
    "chaos. (b) Networks that meet the paper's condition for the echo state property and never "
    "forget where they started. (c) Largest exponents of random networks: none is positive. "
    "(d) Two starts under the same white noise at the paper's setting.",
}
CASES = (
    *("N = 2, constant input", "N = 2, a rotation", "N = 2, noisy input", "N = 4, condition met"),
    *("2R(1), no input", "−2I", "2R(2)"),
)
CLEAR = 0.02  # an exponent is clearly positive above this and above five standard errors


@dataclass(frozen=True)
class Config:
    """steps: for the exponents of the counterexamples; pairs: steps of two compared trajectories.

    random_units, random_networks: Gaussian networks under constant input and under white noise of
    several strengths; they show what is typical. setting_units: networks at the paper's own
    setting (spectral radius 15, scaling .01, white noise of unit variance).
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
    "smoke": Config(
        steps=4000, pairs=300, random_units=(10, 30), random_networks=4, random_steps=1000,
        strengths=(0.2, 1.0), setting_units=60, setting_networks=2, setting_steps=600,
    ),
    "quick": Config(
        steps=40_000, random_networks=10, random_steps=2000,
        setting_units=300, setting_networks=3, setting_steps=4000,
    ),
    "paper": Config(),
}  # fmt: skip


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per counterexample, size of random networks, and network at the paper's setting."""
    return [
        *({"part": "case", "case": name} for name in CASES),
        *({"part": "typical", "units": n} for n in config.random_units),
        *({"part": "setting", "network": n} for n in range(config.setting_networks)),
    ]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    if task["part"] == "case":
        return _measure_case(config, task["case"], stream(seed, 1, CASES.index(task["case"])))
    if task["part"] == "typical":
        return _measure_typical(config, task["units"], stream(seed, 2, task["units"]))
    return _measure_setting(config, stream(seed, 3, task["network"]))


def counterexample(name: str) -> tuple[Reservoir, Floats]:
    """A network, and a start away from its special points; `signal_of` gives its input."""
    wide = 11.0 * np.array(
        [
            [4.81, -2.49, 1.38, 4.54],
            [-1.41, 2.18, -4.03, -2.15],
            [6.41, 0.34, 2.95, 4.43],
            [-2.84, -1.68, -2.84, 1.56],
        ]
    )
    cases: dict[str, tuple[Any, list[float]]] = {
        CASES[0]: ([[-0.096, 1.270], [-0.112, 0.241]], [1.0, 0.0]),
        CASES[1]: (0.995 * _rotation(1.6668), [1.0, 0.0]),
        CASES[2]: ([[-1.611, 1.545], [-1.645, 0.929]], [1.0, 0.0]),
        CASES[3]: (wide, [11.0, 0.0, 0.0, 0.0]),
        CASES[4]: (2.0 * _rotation(1.0), [0.0, 0.0]),
        CASES[5]: (-2.0 * np.eye(2), [0.5, 0.0]),
        CASES[6]: (2.0 * _rotation(2.0), [0.5, 0.0]),
    }
    matrix, inputs = cases[name]
    network = Reservoir(recurrent=np.array(matrix), inputs=np.array(inputs))
    return network, sphere.project(np.arange(1.0, network.units + 1), 1.0)


def _rotation(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def signal_of(name: str, steps: int, rng: np.random.Generator) -> Floats:
    """The constant 1; for the noisy case 1 + .1 times standard normal noise."""
    return np.ones(steps) + (0.1 * rng.standard_normal(steps) if name == CASES[2] else 0.0)


def _measure_case(config: Config, name: str, rng: np.random.Generator) -> Result:
    """Exponent, the printed condition, the proof about echo states, and two pairs of states."""
    network, start = counterexample(name)
    signal = signal_of(name, config.steps + 500, rng)
    largest = analysis.max_lyapunov(network, signal, start=start)
    outside = analysis.pre_activation_outside_sphere(network, signal)
    echo = analysis.echo_state(network, signal[:200], transient=50)
    near = sphere.project(start + 1e-12 * np.eye(network.units)[-1], 1.0)
    away = sphere.project(start[::-1] * (-1.0) ** np.arange(network.units), 1.0)
    states, close, far = (drive(network, signal[: config.pairs], x) for x in (start, near, away))
    return {
        "exponent": np.array(largest.exponent),
        "exponent_error": np.array(largest.standard_error),
        "condition": np.array(float(outside.holds)),
        "refuted": np.array(float(echo.verdict == "refuted")),
        "close_pair": np.linalg.norm(states - close, axis=1),
        "far_pair": np.linalg.norm(states - far, axis=1),
    }


def _measure_typical(config: Config, units: int, rng: np.random.Generator) -> Result:
    """Largest exponents (networks, strengths, 2) under constant input and under white noise."""
    steps = config.random_steps
    found = np.empty((config.random_networks, len(config.strengths), 2))
    errors = np.empty_like(found)
    for n in range(config.random_networks):
        network = random_reservoir(units, rng=rng)
        network = network.rescaled(inputs=1.0 / float(np.linalg.norm(network.inputs)))
        inputs = np.ones(steps), np.sqrt(3.0) * datasets.white_noise(steps, rng)
        for i, strength in enumerate(config.strengths):
            for j, signal in enumerate(inputs):
                driven = network.rescaled(inputs=strength)
                one = analysis.max_lyapunov(driven, signal, transient=steps // 4)
                found[n, i, j], errors[n, i, j] = one.exponent, one.standard_error
    return {"typical": found, "typical_error": errors}


def _measure_setting(config: Config, rng: np.random.Generator) -> Result:
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


def _distances(
    network: Reservoir, noise: Floats, scalings: tuple[float, ...], starts: list[Floats]
) -> Floats:
    """Distance of two trajectories per scaling (S, 200), at 200 steps spread over the run.

    All trajectories run together, so that each step reads W once.
    """
    signals = np.repeat([scaling * noise for scaling in scalings], 2, axis=0)
    states = drive(network, signals, np.tile(starts, (len(scalings), 1)))
    shown = states[:, np.linspace(0, len(noise) - 1, 200).astype(int)]
    return np.asarray(np.linalg.norm(shown[::2] - shown[1::2], axis=2))


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Counterexamples, typical networks and the paper's setting."""
    units, p, k = tasks(config), config.pairs, len(config.input_scalings)
    single = dict.fromkeys(("exponent", "exponent_error", "condition", "refuted"), ())
    network = (config.random_networks, len(config.strengths), 2)
    parts: list[tuple[str, tuple[str, ...], dict[str, tuple[int, ...]]]] = [
        ("case", ("case", "step"), {**single, "close_pair": (p,), "far_pair": (p,)}),
        (
            "typical",
            ("units", "sample", "strength", "input"),
            {"typical": network, "typical_error": network},
        ),
        (
            "setting",
            ("network", "scaling", "time"),
            {"smallest": (), "needed": (), "distance": (k, 200)},
        ),
    ]
    return xr.Dataset(
        {
            name: (dims[: array.ndim], array)
            for part, dims, shapes in parts
            for name, array in with_holes(of_part(units, results, part), shapes).items()
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


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Chaos, lost echo states, typical networks, and the paper's own setting."""
    figure, (first, second, third, fourth) = panels(2, 2, 6.2, 3.9)
    _draw_chaos(first, dataset)
    _draw_echo(second, dataset)
    _draw_typical(third, dataset)
    _draw_setting(fourth, dataset)
    return {"stability": figure}


def _draw_chaos(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, name in zip(ACCENTS, dataset.case.values[:4], strict=False):
        one = dataset.sel(case=name)
        label = f"{name}: exponent {float(one.exponent):+.2f} ± {float(one.exponent_error):.1g}"
        distance = np.maximum(one.close_pair, FLOOR)
        axes.semilogy(one.step, distance, color=colour, lw=1.2, label=label)
    axes.set(xlabel="step", ylabel="distance of two states")
    axes.set(ylim=(1e-13, 1e9), xlim=(0, min(300, int(dataset.step[-1]))))
    axes.set_title("(a) chaos on the sphere: states 10⁻¹² apart separate", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def _draw_echo(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, name in zip(ACCENTS, dataset.case.values[3:], strict=False):
        one = dataset.sel(case=name)
        network = str(name).removesuffix(", condition met")
        label = f"{network}: condition {'met' if float(one.condition) == 1.0 else 'not met'}"
        axes.plot(one.step, one.far_pair, color=colour, lw=0.8, label=label)
    axes.set(xlabel="step", ylabel="distance of two trajectories")
    axes.set(ylim=(0, 3.4), xlim=(0, min(120, int(dataset.step[-1]))))
    axes.set_title("(b) the printed condition holds, and the start is never forgotten", fontsize=10)
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="upper right")


def _draw_typical(axes: Axes, dataset: xr.Dataset) -> None:
    axes.axhline(0, **ZERO)
    for j, name in enumerate(dataset.input.values):
        for i, units in enumerate(dataset.units.values):
            values = dataset.typical.sel(units=units, input=name)
            shift = np.exp(0.12 * (i + 4 * j - 3))
            x = np.repeat(dataset.strength.values[None] * shift, values.sizes["sample"], axis=0)
            style: dict[str, Any] = {"ms": 3, "color": ACCENTS[i + 3 * j], "alpha": 0.6}
            label = f"{name}, N = {units}"
            axes.plot(x.ravel(), values.values.ravel(), ".", label=label, **style)
    axes.set_xscale("log")
    axes.set_xticks(dataset.strength.values, [f"{value:g}" for value in dataset.strength.values])
    axes.minorticks_off()
    axes.set_xlabel("size of the input relative to the spectral radius")
    axes.set_ylabel("largest exponent per step")
    axes.set_title("(c) random networks are not chaotic: one dot per network", fontsize=10)
    axes.legend(frameon=False, fontsize=7, ncols=2, loc="lower left", markerscale=2)


def _draw_setting(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, scaling in zip(ACCENTS, dataset.scaling.values, strict=False):
        for n in range(dataset.sizes["network"]):
            label = f"input scaling {scaling:g}" if n == 0 else None
            distance = np.maximum(dataset.distance.sel(scaling=scaling)[n], FLOOR)
            axes.semilogy(dataset.time, distance, color=colour, lw=0.9, label=label)
    axes.set(xlabel="step", ylabel="distance of two trajectories", ylim=(FLOOR / 3, 1e3))
    setting = f"N = {dataset.setting_units}, ρ = {dataset.spectral_radius:g}"
    axes.set_title(f"(d) the paper's setting, {setting}: two starts, same input", fontsize=10)
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper right")


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Five sentences."""
    judges = (_judge_never, _judge_typical, _judge_condition, _judge_properly, _judge_global)
    return drop_unmeasured([judge(dataset) for judge in judges])


def _judge_never(dataset: xr.Dataset) -> Claim:
    clear = (dataset.exponent > CLEAR) & (dataset.exponent > 5 * dataset.exponent_error)
    first = dataset.exponent.isel(case=slice(0, 4))
    evidence: Evidence = {str(name): float(first.sel(case=name)) for name in first.case.values}
    return Claim(
        "never-chaotic", FIGURE, "Discussion",
        "The behavior of the resulting network is never chaotic, regardless of the setting of the "
        "main hyper-parameters.",
        f"{int(clear.sum())} networks with a clearly positive exponent: "
        + ", ".join(f"{k} {v:+.3f}" for k, v in evidence.items()),
        f"fails if one network has an exponent above {CLEAR:g} and above five standard errors; "
        "holds otherwise",
        verdict(int(clear.sum()) == 0),
        {**evidence, "standard_error": float(dataset.exponent_error.max())},
    )  # fmt: skip


def _judge_typical(dataset: xr.Dataset) -> Claim:
    clear = ((dataset.typical > CLEAR) & (dataset.typical > 5 * dataset.typical_error)).sum()
    count, highest = float(dataset.typical.count()), float(dataset.typical.max())
    runs = count if count == dataset.typical.size else np.nan
    return Claim(
        "large-networks-cannot-be-chaotic", FIGURE, "eqn:LLE",
        "When the number of neurons in the network is large, the maximum (local) Lyapunov "
        "exponent cannot be positive.",
        f"random Gaussian networks, constant and white-noise input: {int(clear)} of {count:.0f} "
        f"runs clearly positive, largest exponent {highest:+.4f}",
        f"holds if no run is above {CLEAR:g} and above five standard errors, partly if at most 1 % "
        "are (typical networks; special ones exist)",
        verdict(int(clear) == 0, float(clear) <= 0.01 * count),
        {"clearly_positive": float(clear), "runs": runs, "largest": highest},
    )  # fmt: skip


def _judge_condition(dataset: xr.Dataset) -> Claim:
    met = dataset.condition == 1.0
    refuted, count = float((met & (dataset.refuted == 1.0)).sum()), float(met.sum())
    apart = float(dataset.far_pair.isel(step=slice(-100, None)).max("step").where(met).max())
    missing = np.nan if bool(dataset.condition.isnull().any()) else 0.0
    return Claim(
        "condition-implies-echo-state", FIGURE, "eqn:condition",
        "The system grants the contractivity condition (and so the ESP) provided that σ_min(W) >= "
        "1 + |W_in| s_max/r.",
        f"the condition is met in {count:.0f} examples; the echo state property is proved "
        f"impossible in {refuted:.0f} of them, and states stay up to {apart:.2f} apart. Under the "
        "condition every step maps the sphere onto itself one to one",
        "fails if one network meets the condition and its echo state property is refuted by "
        "proof; holds otherwise",
        verdict(refuted == 0),
        {"met": count, "refuted": refuted, "distance_at_the_end": apart, "units_missing": missing},
    )  # fmt: skip


def _judge_properly(dataset: xr.Dataset) -> Claim:
    smallest = float(median(dataset.smallest, "network"))
    needed = float(median(dataset.needed, "network"))
    met = float((dataset.smallest >= dataset.needed).mean())
    return Claim(
        "condition-must-be-satisfied", FIGURE, "eqn:condition (footnote)",
        "Condition (eqn:condition) must be satisfied in order for the network to work properly.",
        f"at the paper's setting σ_min(W) = {smallest:.2g} where {needed:.2f} is needed: met in "
        f"{met:.0%} of the networks, and these are the networks that solve the memory tasks",
        "holds if the networks of the paper's own experiments meet the condition, partly if half "
        "of them do",
        verdict(met == 1.0, met >= 0.5),
        {"smallest_singular_value": smallest, "needed": needed, "share_met": met},
    )  # fmt: skip


def _judge_global(dataset: xr.Dataset) -> Claim:
    last = median(dataset.distance.isel(time=-1), "network")
    found = {float(s): float(last.sel(scaling=s)) for s in dataset.scaling.values}
    met = [value < 1e-6 for value in found.values()]
    return Claim(
        "globally-stable-for-any-configuration", FIGURE, "Discussion",
        "Networks which are (globally) stable for any hyper-parameter configurations, regardless "
        "of the particular input signal.",
        f"two starts, same white noise, distance after {int(dataset.time[-1])} steps: "
        + ", ".join(f"{value:.1g} at scaling {s:g}" for s, value in found.items()),
        "holds if two trajectories have met (median distance below 1e-6) at every input scaling, "
        "partly if at some",
        verdict(all(met), any(met)), {f"scaling_{s:g}": value for s, value in found.items()},
    )  # fmt: skip
