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

from ..claim import MAIN, Claim, Evidence, all_or_some, drop_unmeasured, verdict
from ..interval import jackknife, of_mean, of_share
from .common import Result, dense, median, of_part, panels, quantiles, stream, with_holes

NAME, FIGURE = "lyapunov", "Fig. 3"
TITLE = "Lyapunov exponents against the spectral radius: printed and true"
CAPTIONS = {
    "lyapunov": "(a) The paper's measure of the largest exponent without input, as printed and "
    "with the right Jacobian, beside the true one, log|λ₂/λ₁|: mean and standard deviation over "
    "{networks} networks of N = {units} per spectral radius. Along an orbit log ρ(J) varies as "
    "−log|a| does, so its mean over {steps} steps is that of −log|a| over all of them plus that of "
    "log(ρ(J)|a|) at {samples}. (b) All exponents of single networks: measured by tangent "
    "vectors, in closed form, and by the printed Jacobian. (c) The true largest exponent under "
    "white noise; bars: two standard errors, band: quartiles over networks.",
}
SIZES = "N = {units}, {networks} networks per spectral radius, {steps} steps"
ERRORS = ("printed, Frobenius", "W/|Wx|, Frobenius", "W/|Wx|, operator")
NEAR_ZERO = 1e-3  # per step; over the paper's 7000 steps this is still a factor of a thousand


@dataclass(frozen=True)
class Config:
    """The authors' sizes: 500 units, 10 networks per spectral radius, no input, 500 steps to settle
    and 1000 to measure.

    samples: steps at which the eigenvalues of a Jacobian are computed. Along an orbit log ρ(J)
    varies by several hundredths, almost all of it with log|a|, which is known at every step.
    input_scalings: strengths of the white noise (unit variance) under which we also measure the
    true exponent.
    """

    units: int = 500
    networks: int = 10
    spectral_radii: tuple[float, ...] = tuple(1.0 + 0.5 * i for i in range(18))
    settle: int = 500
    steps: int = 1000
    samples: int = 2
    input_scalings: tuple[float, ...] = (0.01, 0.1, 1.0)
    spectrum_units: int = 100
    spectrum_radii: tuple[float, ...] = (2.0, 8.0, 15.0, 20.0)
    spectrum_steps: int = 4000
    jacobian_units: tuple[int, ...] = (5, 50, 200, 1000)
    jacobian_networks: int = 4


PRESETS = {
    "smoke": Config(
        units=60, networks=3, spectral_radii=(1.0, 5.0, 9.5), settle=100, steps=200, samples=2,
        input_scalings=(0.01, 1.0), spectrum_units=20, spectrum_radii=(2.0, 15.0),
        spectrum_steps=600, jacobian_units=(5, 20, 40), jacobian_networks=2,
    ),
    "quick": Config(
        units=200, networks=6, spectral_radii=tuple(1.0 + i for i in range(9)),
        settle=300, steps=600, spectrum_steps=1500, jacobian_units=(5, 50, 200, 500),
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
    printed, exact = (_local(config, network, start, kind) for kind in ("printed", "exact"))
    noise = np.sqrt(3.0) * datasets.white_noise(length, rng)
    scaled = [network.rescaled(inputs=scaling) for scaling in config.input_scalings]
    driven = [analysis.max_lyapunov(one, noise, **options) for one in scaled]
    return {
        "printed": np.array(printed),
        "exact_local": np.array(exact),
        "closed_form": np.array(analysis.autonomous_exponents(network.recurrent)[0]),
        "tangent": np.array(analysis.max_lyapunov(network, length, **options).exponent),
        "driven": np.array([one.exponent for one in driven]),
        "driven_error": np.array([one.standard_error for one in driven]),
    }


def _local(config: Config, network: Reservoir, start: Floats, kind: str) -> float:
    """The mean of log ρ(J) over the measured steps, without input.

    ρ(J)|a| hardly varies along an orbit, unlike each of the two: a few samples of its logarithm
    are enough, if the mean of log|a| over all steps is subtracted.
    """
    length, every = config.settle + config.steps, max(config.steps // config.samples, 1)
    options: dict[str, Any] = {"every": every, "transient": config.settle, "start": start}
    logs = np.log(analysis.norm_factors(network, length, start)[config.settle :])
    found = analysis.local_exponents(network, length, kind, **options).exponents[0]
    return float(found + logs[::every].mean() - logs.mean())


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
    errors = [
        [
            _jacobian_errors(dense(n, rng), sphere.random_point(n, rng))
            for n in config.jacobian_units
        ]
        for _ in range(config.jacobian_networks)
    ]
    return {
        "rescaling_gap": np.array(max(np.abs(orbit - orbits[0]).max() for orbit in orbits)),
        "jacobian_errors": np.array(errors),
    }


def _jacobian_errors(network: Reservoir, state: Floats) -> list[float]:
    """Relative errors: of the printed Jacobian, its indices put right, in Frobenius norm; of W/|Wx|
    in Frobenius and in operator norm. The truth is the exact derivative of the step.
    """
    zero, units = np.zeros(1), network.units
    true = network.tangent_step(state, zero, np.eye(units))[1]
    w, a = network.recurrent.toarray(), network.pre_activation(state, zero)
    size, unit = sphere.norm(a), sphere.unit(a)
    printed = w / size * (1.0 - np.outer(unit, unit))
    off, whole = w / size - true, np.linalg.norm(true)
    return [
        float(np.linalg.norm(printed - true) / whole),
        float(np.linalg.norm(off) / whole),
        float(np.linalg.norm(off, 2) / np.linalg.norm(true, 2)),
    ]


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Exponents by spectral radius and network, spectra by spectral radius, exact statements."""
    units, k = tasks(config), len(config.input_scalings)
    errors = (config.jacobian_networks, len(config.jacobian_units), len(ERRORS))
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
    shapes = {"rescaling_gap": (), "jacobian_errors": errors}
    exact = with_holes(of_part(units, results, "exact"), shapes)
    return xr.Dataset(
        {
            **values,
            **{name: (("spectrum_radius", "index"), array) for name, array in spectra.items()},
            "rescaling_gap": exact["rescaling_gap"][0],
            "jacobian_errors": (("draw", "size", "error"), exact["jacobian_errors"][0]),
        },
        {
            "radius": list(config.spectral_radii),
            "scaling": list(config.input_scalings),
            "spectrum_radius": list(config.spectrum_radii),
            "index": np.arange(1, config.spectrum_units),
            "size": list(config.jacobian_units),
            "error": list(ERRORS),
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
        _judge_edge(dataset), _judge_lle_zero(dataset), _judge_always_zero(dataset),
        _judge_same_orbit(dataset), _judge_jacobian(dataset), _judge_approximation(dataset),
    ])  # fmt: skip


def _judge_lle_zero(dataset: xr.Dataset) -> Claim:
    radii = dataset.sizes["radius"]
    means = [of_mean(dataset.printed.isel(radius=i), tests=radii) for i in range(radii)]
    covered = float(np.mean([one.low <= 0.0 <= one.high for one in means]))
    largest = max(abs(one.centre) for one in means)
    spread = float(dataset.printed.std("network", ddof=1).max(skipna=False))
    known = np.nan if np.isnan([one.low for one in means]).any() else covered
    return Claim(
        "lle-not-different-from-zero", FIGURE, "fig:Lyapunov",
        "Results show that the LLE is not significantly different from zero.",
        f"printed measure: at {covered:.0%} of the {radii} spectral radii the interval of the mean "
        f"contains zero; largest |mean| {largest:.2g}, largest standard deviation {spread:.2g}. It "
        "would be so for any W, chaotic under input or not",
        "intervals by Student's law that hold for all spectral radii together with 95 %: holds if "
        "zero lies in all of them; partly if not but every |mean| is at most .001",
        verdict(covered == 1.0, largest <= NEAR_ZERO),
        {"share_covering_zero": known, "largest_mean": largest, "largest_deviation": spread},
        quoted=True,
    )  # fmt: skip


def _judge_always_zero(dataset: xr.Dataset) -> Claim:
    exponents = dataset.closed_form.values.ravel()
    count, lowest = int((np.abs(exponents) < 1e-9).sum()), float(exponents.min())
    zero = of_share(count, int(np.isfinite(exponents).sum()))
    return Claim(
        "largest-exponent-always-zero", FIGURE, "fig:Lyapunov",
        "Note that the largest exponent is always zero.",
        f"zero in {zero.text('.0%')} of {exponents.size} networks without input (a complex pair "
        f"leads), below zero in the others, down to {lowest:.3f}",
        "true exponents log|λ₂/λ₁|; holds if zero in every network, partly if in at least half",
        "holds" if count == exponents.size else zero.judge(lambda s: verdict(False, s >= 0.5)),
        {**zero.evidence("share_zero"), "lowest": lowest}, quoted=True,
    )  # fmt: skip


def _judge_same_orbit(dataset: xr.Dataset) -> Claim:
    gap = float(dataset.rescaling_gap)
    return Claim(
        "spectral-radius-does-not-alter-autonomous-dynamics", FIGURE, "eqn:evolution_general",
        "note that a system described by matrix W and a system characterized by W' = aW coincide.",
        "largest difference of states over 200 steps between W rescaled to all spectral radii: "
        f"{gap:.1g}",
        "an identity: holds if the orbits agree to 1e-9 (for a > 0)",
        verdict(gap < 1e-9), {"largest_difference": gap}, quoted=True,
    )  # fmt: skip


def _judge_edge(dataset: xr.Dataset) -> Claim:
    def share(driven: xr.DataArray) -> float:
        middle = median(driven, "network")
        near = (abs(middle) < NEAR_ZERO).where(middle.notnull())
        return float(near.mean(skipna=False))

    near = jackknife(dataset.driven, share).as_share()
    strongest = float(median(dataset.driven, "network").min())
    positive = float(((dataset.driven - 3 * dataset.driven_error) > NEAR_ZERO).sum())
    return Claim(
        "always-at-the-edge-of-criticality", FIGURE, "Discussion",
        "the maximun Lyapunov exponent is always zero, implying that the proposed model always "
        "operates on the EoC.",
        f"driven by white noise the true exponent is within {NEAR_ZERO:g} of zero in "
        f"{near.text('.0%')} of the settings and reaches {strongest:.2g}; clearly positive in "
        f"{positive:.0f} runs",
        f"median over networks; holds if within {NEAR_ZERO:g} of zero for every input scaling and "
        "spectral radius, partly if for at least half",
        near.judge(lambda value: verdict(value >= 1.0, value >= 0.5)),
        {**near.evidence("share_near_zero"), "most_negative": strongest,
        "clearly_positive": positive},
        quoted=True, weight=MAIN,
    )  # fmt: skip


def _judge_jacobian(dataset: xr.Dataset) -> Claim:
    errors = _by_size(dataset, ERRORS[0])
    return Claim(
        "printed-jacobian", FIGURE, "eqn:jacobian",
        "The Jacobian matrix is J_ij = W_ij/|a| (1 - a_i a_j/|a|²).",
        "relative difference from the exact derivative in Frobenius norm, indices put right, "
        f"means of {dataset.sizes['draw']} networks: " + _listed(errors),
        "an identity: holds if the difference is below 1e-6 for every N",
        verdict(max(errors.values()) < 1e-6), dict(errors),
    )  # fmt: skip


def _judge_approximation(dataset: xr.Dataset) -> Claim:
    last = dataset.jacobian_errors.isel(size=-1)
    parts = []
    evidence: Evidence = {}
    for name in ERRORS[1:]:
        parts.append(of_mean(last.sel(error=name)))
        norm = name.split(", ")[1]
        evidence |= {f"{norm}_{n}": value for n, value in _by_size(dataset, name).items()}
    return Claim(
        "jacobian-for-large-networks", FIGURE, "eqn:jacobian_approx",
        "Asymptotically, for large networks, the Jacobian matrix reduces to W/|Wx|.",
        f"relative difference from the exact derivative, means of {dataset.sizes['draw']} "
        f"networks: in Frobenius norm {_listed(_by_size(dataset, ERRORS[1]))}, which tends to "
        f"zero; in operator norm {_listed(_by_size(dataset, ERRORS[2]))}, which does not (one "
        "direction of N is lost, and with it a fixed share of |W|)",
        "holds if both differences are at most .1 for the largest N, partly if one is",
        all_or_some([one.below(0.1) for one in parts]), evidence,
    )  # fmt: skip


def _by_size(dataset: xr.Dataset, name: str) -> dict[str, float]:
    means = dataset.jacobian_errors.sel(error=name).mean("draw")
    return {f"N={int(n)}": float(means.sel(size=n)) for n in dataset["size"].values}


def _listed(errors: dict[str, float]) -> str:
    return ", ".join(f"{value:.2g} at {name}" for name, value in errors.items())
