"""Beyond the paper: the theorems of docs/theory.md against simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from spheresn import analysis, datasets, sphere
from spheresn._validation import Floats
from spheresn.driving import drive
from spheresn.plotting import ACCENTS, FLOOR, ZERO
from spheresn.reservoir import Reservoir, random_reservoir

from ..claim import OURS, Claim, drop_unmeasured, verdict
from ..interval import of_share
from .common import Result, median, of_part, panels, quantiles, stream, with_holes

NAME, FIGURE = "theorems", "beyond the paper"
TITLE = "What can be proved: exponents, memory and forgetting of orthogonal networks"
CAPTIONS = {
    "theorems": "Lines are theorems, dots are simulations. (a) All exponents of a network with "
    "orthogonal W under isotropic input (Theorem 1). (b) The largest exponent over the size of the "
    "input; grey: the limit of many units. (c) Exponents of a Gaussian network from tangents and "
    "from a product of plain matrices (Theorem 2). (d) Where the largest exponent lies between its "
    "lower bound and the paper's law of memory, the upper one (Theorem 3). (e) Antipodal starts "
    "under isotropic input weaker than W: each pair meets, at the rate of the exponent, although "
    "after any number of steps some states are 2r apart (Theorem 5). (f) One-dimensional noise, "
    "which is not isotropic: the rate at which antipodal starts meet, against the bound from the "
    "norm factors (Lemma 2).",
}
MET = 1e-6  # two trajectories have met below this distance
SIGMAS = 5.0  # about a hundred numbers are compared, so that four would happen by chance


@dataclass(frozen=True)
class Config:
    """units, ratios: the spectra, at |u|/(r ρ) = ratios; curve_units: sizes of the curves over b.

    steps: of every exponent. pairs: antipodal pairs under isotropic input of size pair_ratio.
    scalar_units, scalar_strengths, scalar_networks, scalar_steps: rotations under scalar noise of
    at most these strengths relative to r ρ.
    """

    units: int = 20
    ratios: tuple[float, ...] = (0.5, 1.0, 2.0)
    curve_units: tuple[int, ...] = (2, 3, 10, 100)
    curve_ratios: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
    steps: int = 20_000
    bound_units: tuple[int, ...] = (2, 3, 10, 100)
    bound_scalings: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0, 2.0)
    pairs: int = 400
    pair_units: int = 3
    pair_ratio: float = 0.5
    scalar_units: tuple[int, ...] = (2, 3, 10, 100)
    scalar_strengths: tuple[float, ...] = (0.3, 0.9)
    scalar_networks: int = 100
    scalar_steps: int = 10_000


PRESETS = {
    "smoke": Config(
        units=6, ratios=(1.0,), curve_units=(2, 3), curve_ratios=(0.5, 2.0), steps=2000,
        bound_units=(2, 3), bound_scalings=(0.5, 1.0), pairs=20,
        scalar_units=(3,), scalar_strengths=(0.9,), scalar_networks=4, scalar_steps=1500,
    ),
    "quick": Config(steps=5000, pairs=100, scalar_networks=20, scalar_steps=6000),
    "paper": Config(),
}  # fmt: skip


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per spectrum, curve, set of bounds and size of scalar networks."""
    return [
        *({"part": "spectrum", "ratio": ratio} for ratio in config.ratios),
        *({"part": "curve", "units": units} for units in config.curve_units),
        {"part": "cocycle"},
        *({"part": "bounds", "units": units} for units in config.bound_units),
        {"part": "pairs"},
        *({"part": "scalar", "units": units} for units in config.scalar_units),
    ]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    part = task["part"]
    if part == "spectrum":
        rng = stream(seed, 1, config.ratios.index(task["ratio"]))
        return _measure_spectrum(config, task["ratio"], rng)
    if part == "curve":
        return _measure_curve(config, task["units"], stream(seed, 2, task["units"]))
    if part == "cocycle":
        return _measure_cocycle(config, stream(seed, 3))
    if part == "bounds":
        return _measure_bounds(config, task["units"], stream(seed, 4, task["units"]))
    if part == "pairs":
        return _measure_pairs(config, stream(seed, 5))
    return _measure_scalar(config, task["units"], stream(seed, 6, task["units"]))


def directions(steps: int, units: int, rng: np.random.Generator) -> Floats:
    """Independent uniform unit vectors (steps, units)."""
    vectors = rng.standard_normal((steps, units))
    return vectors / sphere.norms(vectors)[:, None]


def isotropic(units: int, rng: np.random.Generator) -> Reservoir:
    """An orthogonal W whose input is the vector u_k itself."""
    turn = np.linalg.qr(rng.standard_normal((units, units)))[0]
    return Reservoir(recurrent=turn, inputs=np.eye(units))


def _measure_spectrum(config: Config, ratio: float, rng: np.random.Generator) -> Result:
    inputs = ratio * directions(config.steps + 100, config.units, rng)
    found = analysis.lyapunov_spectrum(isotropic(config.units, rng), inputs, transient=100)
    return {
        "spectrum": found.exponents,
        "spectrum_error": found.standard_errors,
        "spectrum_exact": analysis.isotropic_exponents(config.units, ratio),
    }


def _measure_curve(config: Config, units: int, rng: np.random.Generator) -> Result:
    network, found = isotropic(units, rng), []
    for ratio in config.curve_ratios:
        inputs = ratio * directions(config.steps + 100, units, rng)
        found.append(analysis.max_lyapunov(network, inputs, transient=100))
    return {
        "curve": np.array([one.exponent for one in found]),
        "curve_error": np.array([one.standard_error for one in found]),
        "curve_exact": np.array(
            [analysis.isotropic_exponents(units, b, count=1)[0] for b in config.curve_ratios]
        ),
    }


def _measure_cocycle(config: Config, rng: np.random.Generator) -> Result:
    network = random_reservoir(config.units, rng=rng)
    noise = datasets.white_noise(config.steps + 500, rng)
    by_tangents = analysis.lyapunov_spectrum(network, noise)
    by_matrices = analysis.cocycle_exponents(network, noise)
    return {
        "tangents": by_tangents.exponents,
        "tangents_error": by_tangents.standard_errors,
        "matrices": by_matrices.exponents,
    }


def _measure_bounds(config: Config, units: int, rng: np.random.Generator) -> Result:
    """Lower bound, exponent, its error, and upper bound (scalings, 4) under scalar noise."""
    base = random_reservoir(units, topology="rotation", rng=rng)
    noise = np.sqrt(3.0) * datasets.white_noise(config.steps + 500, rng)
    start, found = sphere.random_point(units, rng), []
    for scaling in config.bound_scalings:
        network = base.rescaled(inputs=scaling / float(np.linalg.norm(base.inputs)))
        bounds = analysis.exponent_bounds(network, noise, start=start)
        largest = analysis.max_lyapunov(network, noise, start=start)
        found.append([bounds.lower, largest.exponent, largest.standard_error, bounds.upper])
    return {"bounds": np.array(found)}


def pair_steps(config: Config) -> int:
    """The steps after which the distance of a typical pair is e⁻¹⁶; rounding begins at e⁻³⁶."""
    rate = analysis.isotropic_exponents(config.pair_units, config.pair_ratio, count=1)[0]
    return int(16 / -rate)


def _measure_pairs(config: Config, rng: np.random.Generator) -> Result:
    """Distances of antipodal pairs, each under its own input, and of a pair chosen by the input.

    That pair ends in antipodes: its starts follow backwards from the end, since every step is one
    to one.
    """
    units, steps = config.pair_units, pair_steps(config)
    network, starts = isotropic(units, rng), directions(config.pairs, units, rng)
    inputs = config.pair_ratio * directions(config.pairs * steps, units, rng)
    inputs = inputs.reshape(config.pairs, steps, units)
    states, others = (drive(network, inputs, start) for start in (starts, -starts))
    matrix, ends = network.recurrent.toarray(), np.array([starts[0], -starts[0]])
    chosen = [ends]
    for u in inputs[0][::-1]:
        along = chosen[-1] @ u
        length = along + np.sqrt(along**2 + 1.0 - config.pair_ratio**2)
        chosen.append((length[:, None] * chosen[-1] - u) @ matrix)
    path = np.array(chosen[:-1][::-1])
    return {
        "pair": np.linalg.norm(states - others, axis=2),
        "chosen_pair": np.linalg.norm(path[:, 0] - path[:, 1], axis=1),
    }


def _measure_scalar(config: Config, units: int, rng: np.random.Generator) -> Result:
    """For each network and strength: the rate of meeting, its bound, and the last distance.

    The rate and the bound are means up to the step at which the distance is 1e-10, or the last.
    """
    found = np.empty((config.scalar_networks, len(config.scalar_strengths), 3))
    for n in range(config.scalar_networks):
        base = random_reservoir(units, topology="rotation", rng=rng)
        noise = datasets.white_noise(config.scalar_steps, rng)
        start = sphere.random_point(units, rng)
        for i, strength in enumerate(config.scalar_strengths):
            network = base.rescaled(inputs=strength / float(np.linalg.norm(base.inputs)))
            one, two = (drive(network, noise, x) for x in (start, -start))
            apart = np.linalg.norm(one - two, axis=1)
            last = int(np.argmax(apart < 1e-10)) if apart.min() < 1e-10 else len(apart) - 1
            logs = [np.log(analysis.norm_factors(network, noise, x)) for x in (start, -start)]
            bound = -np.mean(logs, axis=0)[: last + 1].mean()
            found[n, i] = np.log(apart[last] / 2.0) / (last + 1), bound, apart[-1]
    return {"scalar": found}


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """All parts in one data set."""
    units, d = tasks(config), config.units - 1
    ratios, scalings = len(config.curve_ratios), len(config.bound_scalings)
    parts: list[tuple[str, tuple[str, ...], dict[str, tuple[int, ...]]]] = [
        (
            "spectrum",
            ("ratio", "direction"),
            dict.fromkeys(("spectrum", "spectrum_error", "spectrum_exact"), (d,)),
        ),
        (
            "curve",
            ("units", "b"),
            dict.fromkeys(("curve", "curve_error", "curve_exact"), (ratios,)),
        ),
        (
            "cocycle",
            ("one", "direction"),
            dict.fromkeys(("tangents", "tangents_error", "matrices"), (d,)),
        ),
        ("bounds", ("bound_units", "scaling", "bound"), {"bounds": (scalings, 4)}),
        ("pairs", ("one", "pairs", "step"), {"pair": (config.pairs, pair_steps(config))}),
        ("pairs", ("one", "step"), {"chosen_pair": (pair_steps(config),)}),
        (
            "scalar",
            ("scalar_units", "network", "strength", "number"),
            {"scalar": (config.scalar_networks, len(config.scalar_strengths), 3)},
        ),
    ]
    rate = analysis.isotropic_exponents(config.pair_units, config.pair_ratio, count=1)[0]
    return xr.Dataset(
        {
            name: (dims[: array.ndim], array)
            for part, dims, shapes in parts
            for name, array in with_holes(of_part(units, results, part), shapes).items()
        },
        {
            "ratio": list(config.ratios),
            "direction": np.arange(1, d + 1),
            "units": list(config.curve_units),
            "b": list(config.curve_ratios),
            "bound_units": list(config.bound_units),
            "scaling": list(config.bound_scalings),
            "bound": ["lower", "exponent", "error", "upper"],
            "step": np.arange(1, pair_steps(config) + 1),
            "scalar_units": list(config.scalar_units),
            "strength": list(config.scalar_strengths),
            "number": ["rate", "bound", "distance"],
        },
        {
            "pair_rate": float(rate),
            "pair_units": config.pair_units,
            "pair_ratio": config.pair_ratio,
            "network_units": config.units,
            "steps": config.steps,
        },
    )


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """Six panels."""
    figure, axes = panels(3, 2, 5.2, 3.5)
    draw = (
        *(_draw_spectrum, _draw_curve, _draw_cocycle),
        *(_draw_bounds, _draw_pairs, _draw_scalar),
    )
    for one, part in zip(axes, draw, strict=True):
        part(one, dataset)
        if part in (_draw_spectrum, _draw_cocycle):
            one.xaxis.set_major_locator(MaxNLocator(integer=True))
        one.title.set_fontsize(10)
    return {"theorems": figure}


def _draw_spectrum(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, ratio in zip(ACCENTS, dataset.ratio.values, strict=False):
        one = dataset.sel(ratio=ratio)
        axes.plot(
            one.direction, one.spectrum_exact, color=colour, lw=1, label=f"|u| = {ratio:g} rρ"
        )
        axes.plot(one.direction, one.spectrum, "o", ms=3, color=colour)
    axes.set(xlabel="number of the exponent", ylabel="exponent per step", ylim=(None, 0.0))
    axes.set_title(f"(a) all exponents, isotropic input, N = {dataset.network_units}")
    axes.legend(frameon=False, fontsize=8)


def _draw_curve(axes: Axes, dataset: xr.Dataset) -> None:
    grid = np.geomspace(float(dataset.b.min()), float(dataset.b.max()), 60)
    for colour, units in zip(ACCENTS, dataset.units.values, strict=False):
        exact = [-analysis.isotropic_exponents(int(units), b, count=1)[0] for b in grid]
        axes.plot(grid, exact, color=colour, lw=1, label=f"N = {units}")
        axes.plot(dataset.b, -dataset.curve.sel(units=units), "o", ms=3.5, color=colour)
    axes.plot(grid, 0.5 * np.log1p(grid**2), **{**ZERO, "label": "N → ∞"})
    axes.set(xscale="log", yscale="log", xlabel="|u|/(rρ)", ylabel="−λ₁ per step")
    axes.set_title("(b) largest exponent, isotropic input")
    axes.legend(frameon=False, fontsize=8)


def _draw_cocycle(axes: Axes, dataset: xr.Dataset) -> None:
    axes.plot(dataset.direction, dataset.tangents[0], color=ACCENTS[0], lw=1, label="tangents")
    axes.plot(dataset.direction, dataset.matrices[0], "+", color=ACCENTS[1], label="matrices")
    gap = float(abs(dataset.tangents - dataset.matrices).max())
    axes.set(xlabel="number of the exponent", ylabel="exponent per step")
    axes.set_title(f"(c) Gaussian W, N = {dataset.network_units}: largest difference {gap:.0e}")
    axes.legend(frameon=False, fontsize=8)


def _draw_bounds(axes: Axes, dataset: xr.Dataset) -> None:
    lower, upper = (dataset.bounds.sel(bound=name) for name in ("lower", "upper"))
    share = (dataset.bounds.sel(bound="exponent") - lower) / (upper - lower)
    axes.axhline(0, **ZERO)
    axes.axhline(1, **ZERO)
    for colour, units in zip(ACCENTS, dataset.bound_units.values, strict=False):
        one = share.sel(bound_units=units)
        axes.plot(dataset.scaling, one, "o-", ms=3.5, lw=0.8, color=colour, label=f"N = {units}")
    axes.set(xscale="log", xlabel="root mean square of |u|/(rρ)", ylim=(-0.1, 1.1))
    axes.set_yticks([0, 1], ["lower\nbound", "paper's\nlaw"])
    axes.set_title("(d) λ₁ between its bounds; rotations, scalar noise")
    axes.legend(frameon=False, fontsize=8, ncols=2)


def _draw_pairs(axes: Axes, dataset: xr.Dataset) -> None:
    apart = np.maximum(dataset.pair[0], FLOOR)
    low, high = quantiles(apart, 0.1, "pairs"), quantiles(apart, 0.9, "pairs")
    axes.fill_between(dataset.step, low, high, color=ACCENTS[0], alpha=0.25, lw=0, label="10-90 %")
    axes.semilogy(dataset.step, median(apart, "pairs"), color=ACCENTS[0], label="median")
    axes.semilogy(dataset.step, apart.max("pairs"), color=ACCENTS[0], lw=0.6, label="largest")
    slope = 2.0 * np.exp(dataset.pair_rate * dataset.step)
    axes.semilogy(dataset.step, slope, **{**ZERO, "label": "2 exp(λ₁k)"})
    chosen = dataset.chosen_pair[0]
    axes.semilogy(dataset.step, chosen, color=ACCENTS[1], lw=1, label="chosen by the input")
    axes.set(xlabel="step k", ylabel="distance", ylim=(1e-15, 10))
    setting = f"N = {dataset.pair_units}, |u| = {dataset.pair_ratio:g} rρ"
    axes.set_title(f"(e) {dataset.sizes['pairs']} antipodal pairs, {setting}")
    axes.legend(frameon=False, fontsize=8, loc="lower right", ncols=2)


def _draw_scalar(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, units in zip(ACCENTS, dataset.scalar_units.values, strict=False):
        one = dataset.scalar.sel(scalar_units=units)
        bound, rate = (-one.sel(number=name).values.ravel() for name in ("bound", "rate"))
        axes.plot(bound, rate, ".", ms=4, color=colour, alpha=0.7, label=f"N = {units}")
    low, high = axes.get_xlim()
    axes.plot([max(low, 0.0), high], [max(low, 0.0), high], **{**ZERO, "label": "bound"})
    axes.set(xlabel="⟨log N⟩ − log rρ: bound of the rate", ylabel="rate of meeting per step")
    axes.set_title("(f) rotations, scalar noise, antipodal starts")
    axes.legend(frameon=False, fontsize=8)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Five sentences, all of them ours."""
    judges = (_judge_spectrum, _judge_cocycle, _judge_bounds, _judge_pairs, _judge_scalar)
    return drop_unmeasured([judge(dataset) for judge in judges])


def _judge_spectrum(dataset: xr.Dataset) -> Claim:
    scores = [
        abs(dataset[name] - dataset[f"{name}_exact"]) / dataset[f"{name}_error"]
        for name in ("spectrum", "curve")
    ]
    worst = max(float(score.max(skipna=False)) for score in scores)
    gap = float(abs(dataset.spectrum - dataset.spectrum_exact).max(skipna=False))
    count = sum(score.size for score in scores)
    return Claim(
        "theorem-isotropic-spectrum", FIGURE, f"{OURS}, Theorem 1",
        "The exponents of an orthogonal network under isotropic input are an explicit integral.",
        f"{count} exponents of {dataset.steps} steps: at most {worst:.1f} standard errors away, "
        f"{gap:.4f} per step in the spectra",
        f"holds if every measured exponent is within {SIGMAS:g} standard errors",
        verdict(worst < SIGMAS),
        {"standard_errors": worst, "largest_difference": gap, "exponents": float(count)},
    )  # fmt: skip


def _judge_cocycle(dataset: xr.Dataset) -> Claim:
    gaps = abs(dataset.tangents - dataset.matrices)
    gap, error = float(gaps.max(skipna=False)), float(dataset.tangents_error.max(skipna=False))
    worst = float((gaps / dataset.tangents_error).max(skipna=False))
    return Claim(
        "theorem-cocycle", FIGURE, f"{OURS}, Theorem 2",
        "The exponents on the sphere are those of a product of plain matrices, one copy removed.",
        f"N = {dataset.network_units}, Gaussian W, {dataset.steps} steps: largest difference "
        f"{gap:.1e}, where the standard error of an exponent is up to {error:.1e}",
        "holds if every difference is below the standard error of the exponent",
        verdict(worst < 1.0), {"largest_difference": gap, "standard_errors": worst},
    )  # fmt: skip


def _judge_bounds(dataset: xr.Dataset) -> Claim:
    lower, value, error, upper = (dataset.bounds.sel(bound=n) for n in dataset.bound.values)
    above = float((value - upper).max(skipna=False))
    below = float(((lower - value) / error).max(skipna=False))
    width = float((upper - lower).max(skipna=False))
    return Claim(
        "theorem-memory-law", FIGURE, f"{OURS}, Theorem 3",
        "For orthogonal W and any input the paper's law of memory bounds the exponent from above, "
        "and the mean of log|cos φ|/(N - 1) says by how much at most.",
        f"{value.size} runs: at most {max(above, 0.0):.0e} above the upper bound and "
        f"{max(below, 0.0):.1f} standard errors below the lower one; they are up to {width:.2f} "
        "apart",
        "holds if no exponent is above its upper bound by more than 1e-9, which every tangent "
        "obeys, nor below the lower one, which is about the fastest tangent, by more than a "
        "standard error",
        verdict(above < 1e-9 and below < 1.0),
        {"above": above, "standard_errors_below": below, "width": width},
    )  # fmt: skip


def _judge_pairs(dataset: xr.Dataset) -> Claim:
    apart, steps = np.maximum(dataset.pair[0].values, FLOOR), dataset.sizes["step"]
    first = steps // 3
    slopes = np.log(apart[:, -1] / apart[:, first]) / (steps - 1 - first)
    mean, error = float(slopes.mean()), float(slopes.std(ddof=1) / np.sqrt(len(slopes)))
    exact = float(dataset.pair_rate)
    score = abs(mean - exact) / error
    largest, chosen = float(apart[:, -1].max()), float(dataset.chosen_pair[0, -1])
    return Claim(
        "theorem-forgetting", FIGURE, f"{OURS}, Theorem 5",
        "Under isotropic input weaker than W any two given starts meet almost surely, at the rate "
        "of the largest exponent, although after any number of steps some states are antipodal.",
        f"{len(slopes)} antipodal pairs: rate {mean:.4f} ± {error:.4f}, exact {exact:.4f}; largest "
        f"distance {largest:.0e} after {steps} steps; two starts chosen by the input end "
        f"{chosen:.2f} apart",
        f"holds if the mean rate is within {SIGMAS:g} standard errors and the chosen pair ends 2 "
        "apart",
        verdict(score < SIGMAS and chosen > 1.99),
        {"rate": mean, "standard_error": error, "exact": exact, "largest": largest,
         "chosen": chosen},
    )  # fmt: skip


def _judge_scalar(dataset: xr.Dataset) -> Claim:
    last = dataset.scalar.sel(number="distance")
    met = float((last < MET).sum()) if not bool(last.isnull().any()) else np.nan
    farthest = float(last.max())
    rate, bound = (dataset.scalar.sel(number=name) for name in ("rate", "bound"))
    outside = float((rate - bound).max(skipna=False))
    slowest = float(-rate.max(skipna=False))
    strength = float(dataset.strength.max())
    return Claim(
        "forgetting-under-scalar-noise", FIGURE, f"{OURS}, what is open",
        "Antipodal starts of random rotations also meet under one-dimensional noise weaker than W.",
        f"noise of at most {strength:g} rρ: {met:.0f} of {last.size} pairs have met; largest "
        f"distance {farthest:.0e}, slowest rate {slowest:.1e} per step",
        f"observed, not proved: holds if all distances end below {MET:g} and the interval of their "
        "share lies above 99 %, partly if 95 % do",
        of_share(met, last.size).above(0.99)
        if met == last.size
        else verdict(False, met >= 0.95 * last.size),
        {"met": met, "runs": float(last.size), "farthest": farthest, "slowest_rate": slowest,
         "outside_of_the_bound": outside},
    )  # fmt: skip
