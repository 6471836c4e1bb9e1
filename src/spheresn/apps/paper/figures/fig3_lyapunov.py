"""Fig. 3: the printed "maximum LLE" over the spectral radius, and the true exponents."""

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
from spheresn.plotting import ACCENTS, ZERO
from spheresn.reservoir import Reservoir

from ..claim import Claim, drop_unmeasured, verdict
from .common import Result, dense, median, of_part, panels, quantiles, stream, with_holes

NAME, FIGURE = "lyapunov", "Fig. 3"
TITLE = "Lyapunov exponents against the spectral radius: printed and true"
CAPTIONS = {
    "lyapunov": "(a) The paper's measure of the largest exponent without input, as printed and "
    "with the right Jacobian, beside the true one, log|λ₂/λ₁|. (b) All exponents of single "
    "networks: measured by tangent vectors, in closed form, and by the printed Jacobian. (c) The "
    "true largest exponent under white noise; bars: two standard errors, band: quartiles over "
    "networks.",
}
NEAR_ZERO = 1e-3  # per step; over the paper's 7000 steps this is still a factor of a thousand


@dataclass(frozen=True)
class Config:
    """The authors' sizes: 500 units, 10 networks per spectral radius, no input, 500 steps to settle
    and 1000 to measure.

    samples: steps at which the eigenvalues of a Jacobian are computed; without input they change in
    the seventh digit only. input_scalings: strengths of the white noise (unit variance) under
    which we also measure the true exponent.
    """

    units: int = 500
    networks: int = 10
    spectral_radii: tuple[float, ...] = tuple(1.0 + 0.5 * i for i in range(18))
    settle: int = 500
    steps: int = 1000
    samples: int = 1
    input_scalings: tuple[float, ...] = (0.01, 0.1, 1.0)
    spectrum_units: int = 100
    spectrum_radii: tuple[float, ...] = (2.0, 8.0, 15.0, 20.0)
    spectrum_steps: int = 4000
    jacobian_units: tuple[int, ...] = (5, 50, 200)


PRESETS = {
    "smoke": Config(
        units=60, networks=3, spectral_radii=(1.0, 5.0, 9.5), settle=100, steps=200, samples=2,
        input_scalings=(0.01, 1.0), spectrum_units=20, spectrum_radii=(2.0, 15.0),
        spectrum_steps=600, jacobian_units=(5, 20),
    ),
    "quick": Config(
        units=200, networks=6, spectral_radii=tuple(1.0 + i for i in range(9)),
        settle=300, steps=600, samples=3, spectrum_steps=1500,
    ),
    "paper": Config(),
}  # fmt: skip


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per spectral radius and network; one per spectrum; one for the exact statements."""
    radii = [
        {"part": "radius", "radius": i, "network": n, "spectral_radius": rho}
        for i, rho in enumerate(config.spectral_radii)
        for n in range(config.networks)
    ]
    spectra = [
        {"part": "spectrum", "radius": i, "spectral_radius": rho}
        for i, rho in enumerate(config.spectrum_radii)
    ]
    return [*radii, *spectra, {"part": "exact"}]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    if task["part"] == "exact":
        return _exact(config, stream(seed, 3))
    rho, radius = task["spectral_radius"], task["radius"]
    if task["part"] == "radius":
        return _at_radius(config, rho, stream(seed, 1, radius, task["network"]))
    return _spectrum(config, rho, stream(seed, 2, radius))


def _at_radius(config: Config, rho: float, rng: np.random.Generator) -> Result:
    """A fresh network, as in the paper.

    Its printed and exact "LLE" without input, its true exponents without and with input.
    """
    network = dense(config.units, rng).rescaled(rho)
    start, length = sphere.random_point(config.units, rng), config.settle + config.steps
    options: dict[str, Any] = {"transient": config.settle, "start": start}
    every = max(config.steps // config.samples, 1)
    printed = analysis.local_exponents(network, length, "printed", every=every, **options)
    exact = analysis.local_exponents(network, length, "exact", every=every, **options)
    noise = np.sqrt(3.0) * datasets.white_noise(length, rng)
    scaled = [network.rescaled(inputs=scaling) for scaling in config.input_scalings]
    driven = [analysis.max_lyapunov(one, noise, **options) for one in scaled]
    return {
        "printed": np.array(printed.exponents[0]),
        "exact_local": np.array(exact.exponents[0]),
        "closed_form": np.array(analysis.autonomous_exponents(network.recurrent)[0]),
        "tangent": np.array(analysis.max_lyapunov(network, length, **options).exponent),
        "driven": np.array([one.exponent for one in driven]),
        "driven_error": np.array([one.standard_error for one in driven]),
    }


def _spectrum(config: Config, rho: float, rng: np.random.Generator) -> Result:
    """All exponents of one network: by tangents and QR, in closed form, by the printed Jacobian.

    The last are the means of log |eigenvalue|.
    """
    units, every = config.spectrum_units, max(config.spectrum_steps // 50, 1)
    network = dense(units, rng).rescaled(rho)
    start, length = sphere.random_point(units, rng), config.settle + config.spectrum_steps
    options: dict[str, Any] = {"transient": config.settle, "start": start}
    printed = analysis.local_exponents(network, length, "printed", units, every, **options)
    return {
        "spectrum": analysis.lyapunov_spectrum(network, length, **options).exponents,
        "spectrum_closed": analysis.autonomous_exponents(network.recurrent),
        "spectrum_printed": printed.exponents[:-1],
    }


def _exact(config: Config, rng: np.random.Generator) -> Result:
    """Statements without statistics.

    W and aW give the same orbit; the printed Jacobian is not the derivative, for any N.
    """
    network = dense(config.spectrum_units, rng)
    start = sphere.random_point(config.spectrum_units, rng)
    scaled = [network.rescaled(rho) for rho in (1.0, *config.spectral_radii)]
    orbits = [drive(one, np.zeros(200), start) for one in scaled]
    sizes = config.jacobian_units
    errors = [_jacobian_errors(dense(n, rng), sphere.random_point(n, rng)) for n in sizes]
    return {
        "rescaling_gap": np.array(max(np.abs(orbit - orbits[0]).max() for orbit in orbits)),
        "jacobian_error": np.array([one[0] for one in errors]),
        "approximation_error": np.array([one[1] for one in errors]),
    }


def _jacobian_errors(network: Reservoir, state: Floats) -> tuple[float, float]:
    """Relative errors of the printed Jacobian and of W/|Wx|; central differences give the truth.

    Frobenius norm for the first, with its indices put right; operator norm for the second.
    """
    step, zero = 1e-6, np.zeros(1)
    moves = step * np.eye(network.units)
    change = [network.step(state + d, zero) - network.step(state - d, zero) for d in moves]
    true = np.array(change).T / (2 * step)
    w, a = network.recurrent.toarray(), network.pre_activation(state, zero)
    size, unit = sphere.norm(a), sphere.unit(a)
    printed = w / size * (1.0 - np.outer(unit, unit))
    wrong = np.linalg.norm(printed - true) / np.linalg.norm(true)
    return float(wrong), float(np.linalg.norm(w / size - true, 2) / np.linalg.norm(true, 2))


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Exponents by spectral radius and network, spectra by spectral radius, exact statements."""
    units, k, m = tasks(config), len(config.input_scalings), len(config.jacobian_units)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(
        ("printed", "exact_local", "closed_form", "tangent"), ()
    )
    shapes |= dict.fromkeys(("driven", "driven_error"), (k,))
    values = {}
    for name, array in with_holes(of_part(units, results, "radius"), shapes).items():
        table = array.reshape(len(config.spectral_radii), config.networks, *array.shape[1:])
        values[name] = (("radius", "network", "scaling")[: table.ndim], table)
    names = ("spectrum", "spectrum_closed", "spectrum_printed")
    shapes = dict.fromkeys(names, (config.spectrum_units - 1,))
    spectra = with_holes(of_part(units, results, "spectrum"), shapes)
    shapes = {"rescaling_gap": (), "jacobian_error": (m,), "approximation_error": (m,)}
    exact = with_holes(of_part(units, results, "exact"), shapes)
    return xr.Dataset(
        {
            **values,
            **{name: (("spectrum_radius", "index"), array) for name, array in spectra.items()},
            "rescaling_gap": exact["rescaling_gap"][0],
            "jacobian_error": ("size", exact["jacobian_error"][0]),
            "approximation_error": ("size", exact["approximation_error"][0]),
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


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The two panels of the paper with the truth drawn in, and the exponent under input."""
    figure, (left, middle, right) = panels(1, 3, 4.6, 3.9)
    _draw_by_radius(left, dataset)
    _draw_spectra(middle, dataset)
    _draw_driven(right, dataset)
    return {"lyapunov": figure}


def _draw_by_radius(axes: Axes, dataset: xr.Dataset) -> None:
    shown = {
        "printed": ("printed measure (the paper's)", "#0072B2", "o", -0.06),
        "exact_local": ("same measure, right Jacobian", "#E69F00", "s", 0.0),
        "closed_form": ("true exponent log|λ₂/λ₁|", "#000000", "D", 0.06),
    }
    for name, (label, colour, marker, shift) in shown.items():
        mean, spread = dataset[name].mean("network"), dataset[name].std("network")
        style: dict[str, Any] = {"fmt": marker, "ms": 3.5, "lw": 1, "capsize": 2, "color": colour}
        axes.errorbar(dataset.radius + shift, mean, spread, label=label, **style)
    axes.axhline(0, **ZERO)
    low = float(np.nan_to_num(min(float(dataset[name].min()) for name in shown)))
    axes.set(xlabel="spectral radius", ylabel="largest exponent per step")
    axes.set_ylim(min(1.15 * low, -0.04), max(-0.8 * low, 0.04))
    size = f"N = {dataset.units}, {dataset.sizes['network']} networks per point"
    axes.set_title(f"(a) no input, {size}", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def _draw_spectra(axes: Axes, dataset: xr.Dataset) -> None:
    for colour, rho in zip(ACCENTS, dataset.spectrum_radius.values, strict=False):
        one = dataset.sel(spectrum_radius=rho)
        axes.plot(one.index, one.spectrum, ".", color=colour, ms=4, label=f"ρ = {rho:g}")
        axes.plot(one.index, one.spectrum_closed, color=colour, lw=0.8)
        axes.plot(one.index, one.spectrum_printed, color=colour, lw=0.8, ls=":")
    axes.axhline(0, **ZERO)
    axes.plot([], [], ".", color="0.4", label="tangents and QR")
    axes.plot([], [], color="0.4", lw=0.8, label="log|λᵢ/λ₁|")
    axes.plot([], [], color="0.4", lw=0.8, ls=":", label="printed Jacobian")
    axes.set(xlabel="index", ylabel="exponent per step")
    axes.set_title(f"(b) all exponents, no input, N = {dataset.spectrum_units}", fontsize=10)
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower left")


def _draw_driven(axes: Axes, dataset: xr.Dataset) -> None:
    axes.axhline(0, **ZERO)
    for colour, scaling in zip(ACCENTS, dataset.scaling.values, strict=False):
        driven, errors = (dataset[name].sel(scaling=scaling) for name in ("driven", "driven_error"))
        low, centre, high = quantiles(driven, [0.25, 0.5, 0.75], "network")
        style: dict[str, Any] = {"fmt": "o-", "ms": 3, "lw": 1, "capsize": 2, "color": colour}
        label = f"input scaling {scaling:g}"
        axes.errorbar(dataset.radius, centre, 2 * median(errors, "network"), label=label, **style)
        axes.fill_between(dataset.radius, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set_yscale("symlog", linthresh=1e-3)
    axes.set(xlabel="spectral radius", ylabel="true largest exponent per step (± 2 s.e.)")
    axes.set_ylim(None, 3e-2)
    axes.set_title("(c) with white-noise input (median, quartiles)", fontsize=10)
    narrow = {"ncols": 3, "columnspacing": 0.8, "handlelength": 1.2}
    axes.legend(frameon=False, fontsize=7, loc="upper center", **narrow)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Six sentences."""
    return drop_unmeasured([
        _judge_lle_zero(dataset), _judge_always_zero(dataset), _judge_same_orbit(dataset),
        _judge_edge(dataset), _judge_jacobian(dataset), _judge_approximation(dataset),
    ])  # fmt: skip


def _judge_lle_zero(dataset: xr.Dataset) -> Claim:
    mean, spread = np.abs(dataset.printed.mean("network")), dataset.printed.std("network")
    covered, largest = float((mean <= 2 * spread).mean()), float(mean.max())
    return Claim(
        "lle-not-different-from-zero", FIGURE, "fig:Lyapunov",
        "Results show that the LLE is not significantly different from zero.",
        f"printed measure: zero lies within two standard deviations at {covered:.0%} of the "
        f"spectral radii; largest |mean| {largest:.2g}",
        "holds if zero lies within two standard deviations of the mean at every spectral radius, "
        "partly if at nine in ten",
        verdict(covered == 1.0, covered >= 0.9),
        {"share_covering_zero": covered, "largest_mean": largest},
    )  # fmt: skip


def _judge_always_zero(dataset: xr.Dataset) -> Claim:
    exponents = dataset.closed_form.values.ravel()
    zero, lowest = float((np.abs(exponents) < 1e-9).mean()), float(exponents.min())
    return Claim(
        "largest-exponent-always-zero", FIGURE, "fig:Lyapunov",
        "Note that the largest exponent is always zero.",
        f"zero in {zero:.0%} of {exponents.size} networks without input (a complex pair leads), "
        f"below zero in the others, down to {lowest:.3f}",
        "true exponents log|λ₂/λ₁|; holds if zero in every network, partly if in at least half",
        verdict(zero == 1.0, zero >= 0.5), {"share_zero": zero, "lowest": lowest},
    )  # fmt: skip


def _judge_same_orbit(dataset: xr.Dataset) -> Claim:
    gap = float(dataset.rescaling_gap)
    return Claim(
        "spectral-radius-does-not-alter-autonomous-dynamics", FIGURE, "eqn:evolution_general",
        "A system described by matrix W and a system characterized by W' = aW coincide.",
        "largest difference of states over 200 steps between W rescaled to all spectral radii: "
        f"{gap:.1g}",
        "holds if the orbits agree to 1e-9 (for a > 0)",
        verdict(gap < 1e-9), {"largest_difference": gap},
    )  # fmt: skip


def _judge_edge(dataset: xr.Dataset) -> Claim:
    middle = median(dataset.driven, "network")
    near, strongest = float((np.abs(middle) < NEAR_ZERO).mean()), float(middle.min())
    positive = float(((dataset.driven - 3 * dataset.driven_error) > NEAR_ZERO).sum())
    return Claim(
        "always-at-the-edge-of-criticality", FIGURE, "Discussion",
        "The maximum Lyapunov exponent is always zero, implying that the proposed model always "
        "operates on the EoC.",
        f"driven by white noise the true exponent is within {NEAR_ZERO:g} of zero in {near:.0%} of "
        f"the settings and reaches {strongest:.2g}; clearly positive in {positive:.0f} runs",
        f"median over networks; holds if within {NEAR_ZERO:g} of zero for every input scaling and "
        "spectral radius, partly if for at least half",
        verdict(near == 1.0, near >= 0.5),
        {"share_near_zero": near, "most_negative": strongest, "clearly_positive": positive},
    )  # fmt: skip


def _judge_jacobian(dataset: xr.Dataset) -> Claim:
    errors = _by_size(dataset, "jacobian_error")
    return Claim(
        "printed-jacobian", FIGURE, "eqn:jacobian",
        "The Jacobian matrix reads J_ij = W_ij/|a| (1 - a_i a_j/|a|²).",
        "relative difference from finite differences, indices put right: " + _listed(errors),
        "holds if the difference is below 1e-6 for every N",
        verdict(max(errors.values()) < 1e-6), dict(errors),
    )  # fmt: skip


def _judge_approximation(dataset: xr.Dataset) -> Claim:
    errors = _by_size(dataset, "approximation_error")
    last = list(errors.values())[-1]
    return Claim(
        "jacobian-for-large-networks", FIGURE, "eqn:jacobian_approx",
        "Asymptotically for large networks the Jacobian matrix reduces to W/|Wx|.",
        "relative difference from finite differences in operator norm: " + _listed(errors),
        "holds if the difference is below .1 for the largest N, partly if it has at least halved "
        "from the smallest to the largest",
        verdict(last < 0.1, last < 0.5 * next(iter(errors.values()))), dict(errors),
    )  # fmt: skip


def _by_size(dataset: xr.Dataset, name: str) -> dict[str, float]:
    pairs = zip(dataset.size_names, dataset[name], strict=True)
    return {f"N={int(n)}": float(error) for n, error in pairs}


def _listed(errors: dict[str, float]) -> str:
    return ", ".join(f"{value:.2g} at {name}" for name, value in errors.items())
