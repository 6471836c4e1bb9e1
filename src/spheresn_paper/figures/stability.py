"""What the Discussion promises: chaos on the sphere, and echo states that the printed condition
excludes.

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

from ..claim import FIRST, MAIN, Claim, Evidence, all_or_some, drop_unmeasured, verdict
from ..interval import of_mean, of_share
from .common import (
    Result,
    dense,
    finding,
    legend_below,
    median,
    of_part,
    panels,
    stream,
    with_holes,
)

NAME, FIGURE = "stability", "Counterexamples"
TITLE = "Never chaotic, always an echo state? Counterexamples, and what typical networks do"
CAPTIONS = {
    "stability_finding": "Chaos with proof: two units, constant input. The state is a point on the "
    "circle, t its angle. A step maps each half of the arc, left and right, onto the whole arc, as "
    "the tent map does (Theorem 6). Thin line: 60 steps of the network.",
    "stability": "(a) Six networks on the sphere in which states 10⁻¹² apart separate for good: "
    "chaos. That of “N = 2, proved” is proved (Theorem 6 of the theory page). That of 500 units "
    "contains the first one: beside it stands .05 times an orthogonal "
    "block, and a random rotation of the units makes the matrix dense. (b) Networks that meet the "
    "paper's condition for the echo state property and never forget where they started. (c) "
    "Largest exponents of random networks, {random_networks} of each size, N = {random_units}. "
    "(d) Two starts under the same white noise at the paper's setting, {setting_networks} networks "
    "of N = {setting_units}.",
}
SIZES = "6 chaotic networks; {random_networks} random ones of each N = {random_units}"
CASES = (
    *("N = 2, constant input", "N = 2, a rotation", "N = 2, noisy input", "N = 4, condition met"),
    *("2R(1), no input", "−2I", "2R(2)"),
    "N = 500",
    "N = 2, proved",
)
CHAOTIC = (*CASES[:4], *CASES[7:])
PROVED = 0.5 * np.log(1.0 + np.sqrt(2.0))  # its exponent is at least this (Theorem 6, s = 1/√2)
CLEAR = 0.02  # an exponent is clearly positive above this and above five standard errors


@dataclass(frozen=True)
class Config:
    """steps: for the exponents of the counterexamples, large_steps: for that of 500 units; pairs:
    steps of two compared trajectories.

    random_units, random_networks: Gaussian networks under constant input and under white noise of
    several strengths; they show what is typical. setting_units: networks at the paper's own
    setting (spectral radius 15, scaling .01, white noise of unit variance).
    """

    steps: int = 100_000
    large_steps: int = 20_000
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
        steps=4000, large_steps=2000, pairs=300, random_units=(10, 30), random_networks=4,
        random_steps=1000, strengths=(0.2, 1.0), setting_units=60, setting_networks=2,
        setting_steps=600,
    ),
    "quick": Config(
        steps=40_000, large_steps=8000, random_networks=10, random_steps=2000,
        setting_units=300, setting_networks=12, setting_steps=4000,
    ),
    "paper": Config(),
}  # fmt: skip
LOOKS = {"quick": {"setting_networks": (3, 12)}}


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
    if name == CASES[7]:
        return hidden_chaos(500, np.random.default_rng(500))
    wide = 11.0 * np.array(
        [
            [4.81, -2.49, 1.38, 4.54],
            [-1.41, 2.18, -4.03, -2.15],
            [6.41, 0.34, 2.95, 4.43],
            [-2.84, -1.68, -2.84, 1.56],
        ]
    )
    root = np.sqrt(2.0)
    cases: dict[str, tuple[Any, list[float]]] = {
        CASES[0]: ([[-0.096, 1.270], [-0.112, 0.241]], [1.0, 0.0]),
        CASES[1]: (0.995 * _rotation(1.6668), [1.0, 0.0]),
        CASES[2]: ([[-1.611, 1.545], [-1.645, 0.929]], [1.0, 0.0]),
        CASES[3]: (wide, [11.0, 0.0, 0.0, 0.0]),
        CASES[4]: (2.0 * _rotation(1.0), [0.0, 0.0]),
        CASES[5]: (-2.0 * np.eye(2), [0.5, 0.0]),
        CASES[6]: (2.0 * _rotation(2.0), [0.5, 0.0]),
        CASES[8]: ([[0.0, 0.0], [4.0 + 2.0 * root, 0.0]], [1.0, -3.0 - 2.0 * root]),
    }
    matrix, inputs = cases[name]
    network = Reservoir(recurrent=np.array(matrix), inputs=np.array(inputs))
    start = [0.8, 0.6] if name == CASES[8] else np.arange(1.0, network.units + 1)
    return network, sphere.project(np.array(start), 1.0)


def hidden_chaos(units: int, rng: np.random.Generator) -> tuple[Reservoir, Floats]:
    """The first counterexample inside of a large network whose matrix is dense.

    W = Q diag(W₂, .05 O) Qᵀ with random orthogonal Q and O. The orthogonal block shrinks what is in
    its space faster than the states of the small network do, so these are what remains.
    """
    small, _ = counterexample(CASES[0])
    q, o = (np.linalg.qr(rng.standard_normal((n, n)))[0] for n in (units, units - small.units))
    block = np.zeros((units, units))
    block[:2, :2], block[2:, 2:] = small.recurrent.toarray(), 0.05 * o
    network = Reservoir(recurrent=q @ block @ q.T, inputs=q[:, :2] @ small.inputs[:, 0])
    return network, sphere.random_point(units, rng)


def _rotation(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def signal_of(name: str, steps: int, rng: np.random.Generator) -> Floats:
    """The constant 1; for the noisy case 1 + .1 times standard normal noise."""
    return np.ones(steps) + (0.1 * rng.standard_normal(steps) if name == CASES[2] else 0.0)


def _measure_case(config: Config, name: str, rng: np.random.Generator) -> Result:
    """Exponent, the printed condition, the proof about echo states, and two pairs of states."""
    network, start = counterexample(name)
    steps = config.large_steps if name == CASES[7] else config.steps
    signal = signal_of(name, steps + 500, rng)
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
    strong = config.spectral_radius * noise[:500]  # forgets its start within some tens of steps
    turned = drive(base, np.array([strong, -strong]), np.tile(starts[0], (2, 1)))[:, -1]
    outside = analysis.pre_activation_outside_sphere(ours, noise)
    return {
        "smallest": np.array(outside.smallest_singular_value),
        "needed": np.array(outside.needed),
        "distance": _distances(base, noise, config.input_scalings, starts),
        "oddness": np.array(np.linalg.norm(turned[0] + turned[1])),
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
            {"smallest": (), "needed": (), "distance": (k, 200), "oddness": ()},
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
    return {"stability_finding": _draw_finding(), "stability": figure}


def _draw_finding() -> Figure:
    """The map that Theorem 6 proves to be chaotic, and steps of the network along it."""
    network, start = counterexample(CASES[8])
    figure, axes = finding("next angle", "angle t of the state")
    for side, colour, word in ((-1.0, "#A3160E", "left half"), (1.0, "#1D2329", "right half")):
        t = side * np.linspace(0.0, np.pi / 4, 100)
        after = [network.step(np.array([np.cos(x), np.sin(x)]), np.ones(1)) for x in t]
        axes.plot(t, [np.arctan2(*x[::-1]) for x in after], color=colour, lw=2.2)
        axes.text(0.6 * side, 1.06, word, color=colour, ha="center", va="center", fontsize=11)
    states = drive(network, np.ones(60), start)
    path = np.repeat(np.arctan2(states[:, 1], states[:, 0]), 2)
    axes.plot(path[:-1], path[1:], color="0.75", lw=0.6, zorder=0)
    ends = [-np.pi / 4, 0.0, np.pi / 4]
    axes.set_xticks(ends, ["−π/4", "0", "π/4"])
    axes.set_yticks(ends, ["−π/4", "0", "π/4"])
    axes.set(xlim=(-1.0, 1.0), ylim=(-0.85, 1.2))
    for end in ends:
        axes.axvline(end, ymax=0.8, **ZERO)
    return figure


def _draw_chaos(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, name in zip(ACCENTS, CHAOTIC, strict=False):
        one = dataset.sel(case=name)
        label = f"{name}: exponent {float(one.exponent):+.2f} ± {float(one.exponent_error):.1g}"
        distance = np.maximum(one.close_pair, FLOOR)
        axes.semilogy(one.step, distance, color=colour, lw=1.2, label=label)
    axes.set(xlabel="step", ylabel="distance of two states")
    axes.set(ylim=(1e-13, 5), xlim=(0, min(300, int(dataset.step[-1]))))
    axes.set_title("(a) chaos on the sphere: states 10⁻¹² apart separate", fontsize=10)
    legend_below(axes, 2)


def _draw_echo(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, name in zip(ACCENTS, dataset.case.values[3:7], strict=False):
        one = dataset.sel(case=name)
        network = str(name).removesuffix(", condition met")
        label = f"{network}: condition {'met' if float(one.condition) == 1.0 else 'not met'}"
        axes.plot(one.step, one.far_pair, color=colour, lw=0.8, label=label)
    axes.set(xlabel="step", ylabel="distance of two trajectories")
    axes.set(ylim=(0, 2.05), xlim=(0, min(120, int(dataset.step[-1]))))
    axes.set_title("(b) the printed condition holds, and the start is never forgotten", fontsize=10)
    legend_below(axes, 2)


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
    axes.set(xlabel="step", ylabel="distance of two trajectories", ylim=(FLOOR / 3, 5))
    setting = f"N = {dataset.setting_units}, ρ = {dataset.spectral_radius:g}"
    axes.set_title(f"(d) the paper's setting, {setting}: two starts, same input", fontsize=10)
    legend_below(axes, 3)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Six sentences."""
    judges = (
        _judge_never, _judge_large, _judge_condition, _judge_universal, _judge_global,
        _judge_properly,
    )  # fmt: skip
    return drop_unmeasured([judge(dataset) for judge in judges])


def _clearly_positive(exponent: xr.DataArray, error: xr.DataArray) -> xr.DataArray:
    return (exponent > CLEAR) & (exponent > 5 * error)


def _judge_never(dataset: xr.Dataset) -> Claim:
    chaotic = dataset.sel(case=list(CHAOTIC))
    clear = _clearly_positive(chaotic.exponent, chaotic.exponent_error)
    evidence: Evidence = {name: float(chaotic.exponent.sel(case=name)) for name in CHAOTIC}
    measured = ", ".join(f"{k} {v:+.3f}" for k, v in evidence.items())
    return Claim(
        "never-chaotic", FIGURE, "Discussion",
        "the behavior of the resulting network is never chaotic, regardless of the setting of the "
        "main hyper-parameters affecting its behavior in phase space.",
        "proved for networks of every size and spectral radius (Theorem 6 of the theory page): "
        f"“{CASES[8]}” has an exponent of at least {PROVED:.3f}. {int(clear.sum())} networks have "
        f"a clearly positive one: {measured}",
        f"by proof and example: fails if one network has an exponent above {CLEAR:g} and above "
        "five standard errors; holds otherwise",
        verdict(int(clear.sum()) == 0),
        {**evidence, "standard_error": float(chaotic.exponent_error.max())},
        quoted=True, weight=FIRST,
    )  # fmt: skip


def _judge_large(dataset: xr.Dataset) -> Claim:
    large = dataset.sel(case=CASES[7])
    chaotic = bool(_clearly_positive(large.exponent, large.exponent_error))
    clear = float(_clearly_positive(dataset.typical, dataset.typical_error).sum())
    count, highest = float(dataset.typical.count()), float(dataset.typical.max())
    share = of_share(clear, count)
    return Claim(
        "large-networks-cannot-be-chaotic", FIGURE, "eqn:LLE",
        "when the number of neurons in the network is large, the maximum (local) Lyapunov "
        "exponent cannot be positive",
        f"of {count:.0f} runs of random Gaussian networks, N = "
        f"{', '.join(str(n) for n in dataset.units.values)}, constant and white-noise input, "
        f"{clear:.0f} are clearly positive (at most {share.high:.2%} with 95 % confidence), the "
        f"largest exponent is {highest:+.4f}. But the sentence is about all networks: a dense one "
        f"of 500 units has the exponent {float(large.exponent):+.3f} ± "
        f"{float(large.exponent_error):.1g}, and Theorem 6 of the theory page proves chaos for "
        "every number of units",
        f"fails if a network of 500 units has an exponent above {CLEAR:g} and above five standard "
        "errors; otherwise holds if no random one has, partly if at most 1 % have",
        "fails" if chaotic else verdict(clear == 0, clear <= 0.01 * count),
        {"dense_500": float(large.exponent), "standard_error": float(large.exponent_error),
        "clearly_positive": clear, "largest": highest,
        "runs": count if count == dataset.typical.size else np.nan},
        quoted=True, weight=MAIN,
    )  # fmt: skip


def _judge_condition(dataset: xr.Dataset) -> Claim:
    met = dataset.condition == 1.0
    refuted, count = float((met & (dataset.refuted == 1.0)).sum()), float(met.sum())
    apart = float(dataset.far_pair.isel(step=slice(-100, None)).max("step").where(met).max())
    missing = np.nan if bool(dataset.condition.isnull().any()) else 0.0
    return Claim(
        "condition-implies-echo-state", FIGURE, "eqn:condition",
        "The system grants the contractivity condition, and so the echo state property, provided "
        "that σ_min(W) >= 1 + |W_in| s_max/r.",
        f"the condition is met in {count:.0f} examples; the echo state property is proved "
        f"impossible in {refuted:.0f} of them, and states stay up to {apart:.2f} apart. Under the "
        "condition every step maps the sphere onto itself one to one. What the condition does "
        "ensure is that steps stay outside of the sphere (condition-not-necessary)",
        "by proof: fails if one network meets the condition and its echo state property is "
        "refuted; holds otherwise",
        verdict(refuted == 0),
        {"met": count, "refuted": refuted, "distance_at_the_end": apart, "units_missing": missing},
        weight=FIRST,
    )  # fmt: skip


def _judge_universal(dataset: xr.Dataset) -> Claim:
    odd = float(dataset.oddness.max(skipna=False))
    return Claim(
        "universal-approximator", FIGURE, "Discussion",
        "we first proved that the proposed model is a universal approximator just like regular "
        "ESNs",
        "the equations as printed have no bias, which tanh networks need too: with one the "
        "sentence is neither proved nor refuted. The proof rests on the echo state property, which "
        "its condition excludes (condition-implies-echo-state). Without a bias a network that "
        "forgets its start is an odd function of its input, and so is every linear readout up to a "
        "constant: u² is missed by half of its range. Under white noise with scaling "
        f"{dataset.spectral_radius:g} the states under s and under -s, from the same start, add up "
        f"to {odd:.1g} after some hundred steps",
        "by proof and example: fails if networks that forget their start are odd (sum of the "
        "states below 1e-6); holds otherwise",
        verdict(odd >= 1e-6), {"sum_of_states": odd}, quoted=True, weight=MAIN,
    )  # fmt: skip


def _judge_properly(dataset: xr.Dataset) -> Claim:
    smallest = float(median(dataset.smallest, "network"))
    needed = float(median(dataset.needed, "network"))
    share = of_mean(dataset.smallest / dataset.needed)
    return Claim(
        "condition-must-be-satisfied", FIGURE, "footnote on eqn:condition",
        "condition (eqn:condition) must be satisfied in order for the network to work properly",
        f"at the paper's setting σ_min(W) = {smallest:.2g} where {needed:.2f} is needed, a share "
        f"of {share.text()}; and these are the networks that solve the memory tasks",
        "holds if σ_min(W) reaches what the condition needs in the networks of the paper's own "
        "experiments, fails if not",
        share.judge(lambda value: verdict(value >= 1.0)),
        {"smallest_singular_value": smallest, "needed": needed, **share.evidence("share")},
        quoted=True, networks="setting_networks",
    )  # fmt: skip


def _judge_global(dataset: xr.Dataset) -> Claim:
    last = np.log10(dataset.distance.isel(time=-1).clip(FLOOR))
    logs = {float(s): of_mean(last.sel(scaling=s)) for s in dataset.scaling.values}
    evidence = {
        k: v for s, o in logs.items() for k, v in o.evidence(f"log10_scaling_{s:g}").items()
    }
    return Claim(
        "globally-stable-for-any-configuration", FIGURE, "Discussion",
        "networks which are (globally) stable for any hyper-parameter configurations, regardless "
        "of the particular input signal driving the network",
        f"two starts, same white noise, distance after {int(dataset.time[-1])} steps: "
        + ", ".join(
            f"{10**one.centre:.1g} ({10**one.low:.1g} to {10**one.high:.1g}) at scaling {s:g}"
            for s, one in logs.items()
        ),
        "geometric mean over networks; holds if two trajectories have met (distance at most 1e-6) "
        "at every input scaling, partly if at some",
        all_or_some([one.below(-6.0) for one in logs.values()]), evidence,
        quoted=True, weight=MAIN, networks="setting_networks",
    )  # fmt: skip
