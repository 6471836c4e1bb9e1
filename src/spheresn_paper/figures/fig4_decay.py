"""Fig. 4: the predicted decay of memory, and the sensitivity |dx_n/ds_k| that was measured."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from spheresn import analysis, datasets, sphere
from spheresn._validation import Floats
from spheresn.activations import Linear, OnSphere, Tanh
from spheresn.driving import drive
from spheresn.plotting import COLOURS
from spheresn.reservoir import Reservoir, random_reservoir

from ..claim import DETAIL, Claim, Evidence, all_of, all_or_some, drop_unmeasured, verdict
from ..interval import Interval, jackknife, of_mean
from .common import (
    Result,
    dense,
    legend_below,
    median,
    of_part,
    panels,
    quantiles,
    stream,
    with_holes,
)

NAME, FIGURE = "decay", "Fig. 4"
TITLE = "Decay of memory: the paper's scalar laws beside the exact sensitivity"
CAPTIONS = {
    "decay": "How the trace of one input fades. (a) The three laws of the paper. (b, c) The laws "
    "(dashed) against the exact sensitivity |dxₙ/dsₙ₋ₖ| of networks (solid: median, band: 10th to "
    "90th percentile of {networks} networks of N = {units}), relative to the newest input. The "
    "paper does not say what its figure was measured on.",
}
SIZES = "N = {units}, {networks} networks, {steps} steps"
KINDS = ("spherical", "orthogonal", "linear", "tanh")  # "orthogonal": spherical, orthogonal W


@dataclass(frozen=True)
class Config:
    """Hyper-parameters of the memory tasks; input white noise of unit variance.

    The paper states no α for its Fig. 4. Protocol "paper" measures it, α = ρ/δ. Protocol "authors"
    draws the laws whose end points can be read off the published figure: spherical .85 and linear
    .91 at 100 steps, hence α = 615 and ρ = .999; tanh with ρ = .95.
    strong_radii: spectral radii that test "perfect memory for an infinitely large one".
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


PRESETS = {
    "smoke": Config(units=60, networks=2, steps=400, times=4),
    "quick": Config(units=200, networks=24, steps=1000, times=10),
    "paper": Config(),
}
LOOKS = {"quick": {"networks": (6, 24)}}


def tasks(config: Config) -> list[dict[str, Any]]:
    """One unit per network, one for the laws and the exact statements."""
    return [*({"part": "network", "network": n} for n in range(config.networks)), {"part": "laws"}]


def run(config: Config, task: dict[str, Any], seed: int) -> Result:
    """The numbers of one unit."""
    if task["part"] == "network":
        return _network(config, stream(seed, 1, task["network"]))
    return {**_laws(config), **_closed_form(stream(seed, 2))}


def _networks(config: Config, rng: np.random.Generator) -> dict[str, Reservoir]:
    """The four kinds; all but "orthogonal" share W."""
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
    on_sphere = [networks[kind] for kind in ("spherical", "orthogonal")]
    rates = [analysis.memory_rate(one, noise, config.steps // 3) for one in on_sphere]
    strong = []
    for rho in config.strong_radii:
        scaled = [one.rescaled(rho / config.spectral_radius) for one in on_sphere]
        strong.append([_profile(config, one, noise)[[0, -1]] for one in scaled])
    return {
        "sensitivity": np.array([_profile(config, networks[kind], noise) for kind in KINDS]),
        "alpha": np.array([rate.alpha for rate in rates]),
        "geometric_alpha": np.array([rate.geometric_alpha for rate in rates]),
        "gelfand": np.array([_gelfand(one, config.delays) for one in on_sphere]),
        "uneven": np.array(_uneven(config, networks["spherical"], noise)),
        "strong": np.array(strong),
    }


def _gelfand(network: Reservoir, power: int) -> float:
    """|Wⁿ|/ρⁿ in operator norm."""
    matrix = network.recurrent.toarray() / network.recurrent.spectral_radius()
    return float(np.linalg.norm(np.linalg.matrix_power(matrix, power), 2))


def _uneven(config: Config, network: Reservoir, noise: Floats) -> float:
    """By how much δ_l = N_l - ρ varies along a run: its deviation over the size of its mean."""
    factors = analysis.norm_factors(
        network, noise, sphere.random_point(network.units, np.random.default_rng(0))
    )[config.steps // 3 :]
    deltas = factors - network.recurrent.spectral_radius()
    return float(deltas.std() / abs(deltas.mean()))


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
        terms = [analysis.memory_matrix(unit, factors, k) @ u for k, u in enumerate(drives)]
        printed = np.sum(terms, axis=0)
        truth = drive(network, signal, start)[-1]
        errors.append(np.linalg.norm(printed - truth) / radius)
    return {"closed_form_error": np.array(errors)}


def predictions(config: Config, alpha: Floats) -> Floats:
    """The paper's laws at the measured α, (networks, kinds, delays).

    NaN where α <= 0 makes the law meaningless, or where a unit failed.
    """
    delays, rho = np.arange(config.delays + 1), config.plain_radius
    linear = analysis.predicted_memory("linear", delays, spectral_radius=rho)
    tanh = analysis.predicted_memory("tanh", delays, spectral_radius=rho)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", analysis.MeaninglessPrediction)
        spherical = [[_spherical_law(delays, a) for a in row] for row in alpha]
    return np.array([[*pair, linear, tanh] for pair in spherical])


def _spherical_law(delays: NDArray[Any], alpha: float) -> Floats:
    if np.isnan(alpha):
        return np.full(delays.shape, np.nan)
    return analysis.predicted_memory("spherical", delays, alpha=alpha)


def collect(config: Config, results: list[Result | None]) -> xr.Dataset:
    """Sensitivities relative to the newest input, beside the laws."""
    units, d, s = tasks(config), config.delays + 1, len(config.strong_radii)
    names = ("alpha", "geometric_alpha", "gelfand")
    shapes: dict[str, tuple[int, ...]] = {**dict.fromkeys(names, (2,)), "uneven": ()}
    shapes |= {"sensitivity": (len(KINDS), d), "strong": (s, 2, 2)}
    one = with_holes(of_part(units, results, "network"), shapes)
    shapes = {"authors_law": (3, d), "far_past": (), "closed_form_error": (2,)}
    laws = with_holes(of_part(units, results, "laws"), shapes)
    newest, oldest = one["strong"][..., 0], one["strong"][..., 1]
    per_kind, per_radius = ("network", "kind", "delay"), ("network", "strong_radius", "matrix")
    return xr.Dataset(
        {
            "sensitivity": (per_kind, one["sensitivity"] / one["sensitivity"][..., :1]),
            "predicted": (per_kind, predictions(config, one["alpha"])),
            "corrected": (per_kind[::2], predictions(config, one["geometric_alpha"])[:, 0]),
            "alpha": (("network", "matrix"), one["alpha"]),
            "gelfand": (("network", "matrix"), one["gelfand"]),
            "uneven": ("network", one["uneven"]),
            "strong_relative": (per_radius, oldest / newest),
            "strong_newest": (per_radius, newest),
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
        {k: getattr(config, k) for k in ("units", "spectral_radius", "input_scaling")},
    )


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The figure as published, then law and truth: for the sphere, and for linear and tanh."""
    figure, (left, middle, right) = panels(1, 3, 4.6, 4.2, sharey=True)
    _draw_published(left, dataset)
    spherical = ("random W", COLOURS["spherical"])
    kinds = {"spherical": spherical, "orthogonal": ("orthogonal W", "#CC79A7")}
    _draw_against(middle, dataset, kinds)
    middle.set_title(f"(b) spherical, N = {dataset.units}: law and truth", fontsize=10)
    _draw_against(right, dataset, {name: (name, COLOURS[name]) for name in ("linear", "tanh")})
    right.set_title("(c) linear and tanh: law and truth", fontsize=10)
    left.set(ylabel="memory of an input, relative to the newest", ylim=(-0.02, 1.12))
    return {"decay": figure}


def _draw_published(axes: Axes, dataset: xr.Dataset) -> None:
    for law in (str(law) for law in dataset.law.values):
        curve = dataset.authors_law.sel(law=law)
        axes.plot(dataset.delay, curve, color=COLOURS[law], lw=2, label=law)
    axes.set_title("(a) predicted, as in the paper's figure", fontsize=10)
    axes.set(xlabel="steps k since the input")
    axes.legend(frameon=False, fontsize=9)


def _draw_against(axes: Axes, dataset: xr.Dataset, kinds: dict[str, tuple[str, str]]) -> None:
    for kind, (label, colour) in kinds.items():
        one = dataset.sel(kind=kind)
        low, centre, high = quantiles(one.sensitivity, [0.1, 0.5, 0.9], "network")
        axes.plot(dataset.delay, centre, color=colour, lw=2, label=f"{label}: measured")
        axes.fill_between(dataset.delay, low, high, color=colour, alpha=0.2, linewidth=0)
        law = one.predicted
        if kind in ("spherical", "orthogonal"):  # without a positive α the law has no meaning
            matrix = "random" if kind == "spherical" else "orthogonal"
            law = law.where(one.alpha.sel(matrix=matrix) > 0)
        style: dict[str, Any] = {"color": colour, "lw": 1.2, "ls": "--"}
        axes.plot(dataset.delay, median(law, "network"), label=f"{label}: predicted", **style)
    axes.set(xlabel="steps k since the input")
    legend_below(axes, 2)


LAWS = ("spherical", "linear", "tanh")  # those of the paper, whose W is random


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Six sentences."""
    judges = (
        _judge_consistent, _judge_perfect, _judge_infinite_past, _judge_closed_form,
        _judge_gelfand, _judge_even,
    )  # fmt: skip
    return drop_unmeasured([judge(dataset) for judge in judges])


def _off(dataset: xr.Dataset, kind: str) -> Interval:
    """The largest log of the factor between law and truth, delays 1 and more."""

    def gap(some: xr.Dataset) -> float:
        one = some.sel(kind=kind).isel(delay=slice(1, None))
        law, truth = (median(one[name], "network") for name in ("predicted", "sensitivity"))
        ratio = law.clip(1e-6) / truth.clip(1e-6)
        return float(abs(xr.apply_ufunc(np.log, ratio)).max("delay", skipna=False))

    return jackknife(dataset[["predicted", "sensitivity"]], gap)


def _judge_consistent(dataset: xr.Dataset) -> Claim:
    off = {str(kind): _off(dataset, str(kind)) for kind in dataset.kind.values}
    factors = {
        k: Interval(*(float(np.exp(one)) for one in (v.centre, v.low, v.high)))
        for k, v in off.items()
    }
    meaningless = float((dataset.alpha.sel(matrix="random") <= 0).mean())
    evidence: Evidence = {}
    for kind, factor in factors.items():
        evidence |= factor.evidence(kind)
    return Claim(
        "decay-consistent-with-predictions", FIGURE, "fig:memory-theor",
        "In all cases, the decay is consistent with the predictions.",
        "largest factor between law and measured sensitivity: "
        + ", ".join(f"{kind} {factors[kind].text('.3g')}" for kind in LAWS)
        + "; with an orthogonal W, which the paper does not use, "
        f"{factors['orthogonal'].centre:.3g}. α is not positive in {meaningless:.0%} of the random "
        "networks, where the law has no meaning",
        "medians over networks, delays 1..100, values below 1e-6 counted as 1e-6; a law is "
        "consistent if it is within a factor of 1.5 at every delay; holds if all three of the "
        "paper's are, partly if at least one is",
        all_or_some([factors[kind].below(1.5) for kind in LAWS]),
        {**evidence, "share_alpha_not_positive": meaningless}, quoted=True,
    )  # fmt: skip


def _judge_infinite_past(dataset: xr.Dataset) -> Claim:
    far = float(dataset.far_past)
    measured = float(median(dataset.sensitivity.sel(kind="spherical").isel(delay=-1), "network"))
    return Claim(
        "infinite-past-not-null", FIGURE, "eqn:memory_loss",
        "the impact of an input that is infinitely far in the past is not null compared with one "
        "that is only a < ∞ steps behind the current state.",
        f"the law itself gives {far:.1g} for an input 10⁶ steps back (α of the published figure); "
        f"measured sensitivity {measured:.2f} after {int(dataset.delay[-1])} steps. The limit in "
        "the text is the memory of the recent input; that of the old one is what vanishes",
        "exact: holds if the paper's own law leaves more than 1e-6 of an input 10⁶ steps back",
        verdict(far > 1e-6), {"law_after_a_million_steps": far, "measured_at_last_delay": measured},
        quoted=True,
    )  # fmt: skip


def _judge_perfect(dataset: xr.Dataset) -> Claim:
    last = dataset.strong_relative.isel(strong_radius=-1)
    random, orthogonal = (of_mean(last.sel(matrix=name)) for name in ("random", "orthogonal"))
    newest = median(dataset.strong_newest.sel(matrix="random"), "network")
    fall = float(newest[0] / newest[-1])
    return Claim(
        "perfect-memory-for-infinite-spectral-radius", FIGURE, "eqn:impact",
        "for an infinitely large SR the network perfectly remembers its past inputs, regardless "
        "of their occurrence in the past.",
        f"at spectral radius {float(dataset.strong_radius[-1]):g} an input "
        f"{int(dataset.delay[-1])} steps old keeps {orthogonal.text('.2f')} of its first influence "
        f"for orthogonal W, {random.text('.2f')} for random W; the influence of the newest input "
        f"itself falls {fall:.0f}-fold on the way",
        "holds if more than .95 of the influence is left at the largest spectral radius for both "
        "kinds of W, partly if for one",
        all_or_some([random.above(0.95), orthogonal.above(0.95)]),
        {**random.evidence("random"), **orthogonal.evidence("orthogonal"), "fall_of_newest": fall},
        quoted=True,
    )  # fmt: skip


def _judge_closed_form(dataset: xr.Dataset) -> Claim:
    one, other = (float(error) for error in dataset.closed_form_error)
    return Claim(
        "state-as-sum-over-inputs", FIGURE, "eqn:final_state",
        "The state is x_n = M(n,0) x_0 + Σ M(n,k) u_k with M(n,k) = W^(n-k)/Π N_l.",
        f"relative error {one:.1g} for r = 1, which the text assumes, {other:.2g} for r = 2.5, "
        "where M lacks powers of r",
        "an identity: holds if the relative error is below 1e-9 for r = 1",
        verdict(one < 1e-9), {"error_r_1": one, "error_r_2.5": other},
    )  # fmt: skip


def _geometric(values: xr.DataArray) -> Interval:
    """The geometric mean over networks."""
    logs = of_mean(np.log(values))
    return Interval(*(float(np.exp(one)) for one in (logs.centre, logs.low, logs.high)))


def _judge_gelfand(dataset: xr.Dataset) -> Claim:
    random, orthogonal = (
        _geometric(dataset.gelfand.sel(matrix=name)) for name in ("random", "orthogonal")
    )
    power = int(dataset.delay[-1])
    return Claim(
        "norm-of-powers-by-gelfand", FIGURE, "Memory of past inputs",
        "|W^(n-k)| is about ρ^(n-k) for large n - k, thanks to Gelfand's formula.",
        f"|W^{power}|/ρ^{power} = {random.text('.2f')} for random W, {orthogonal.text('.2f')} for "
        f"orthogonal W. The formula is about the root |W^k|^(1/k), which is "
        f"{random.centre ** (1 / power):.3f} ρ; it allows any constant factor",
        "geometric mean over networks; holds if the ratio is between 1/1.5 and 1.5 for random W",
        all_of([random.above(1 / 1.5), random.below(1.5)]),
        {**random.evidence("random"), **orthogonal.evidence("orthogonal")}, weight=DETAIL,
    )  # fmt: skip


def _judge_even(dataset: xr.Dataset) -> Claim:
    ratio = _geometric(dataset.uneven)  # of the deviation of δ to the size of its mean, ρ/|α|
    share = _geometric(dataset.uneven / abs(dataset.alpha.sel(matrix="random")))
    return Claim(
        "each-input-has-a-similar-effect", FIGURE, "eqn:module",
        "Each input produces a similar effect on the state, δ_l = δ for every l; this is "
        "reasonable for inputs that are symmetrically distributed with a small variance.",
        "white noise at the paper's setting: along a run N_l deviates by "
        f"{share.text('.1%')} of ρ: the factors of the law are similar indeed. The δ_l "
        "themselves are not: their mean is near zero, and they deviate by "
        f"{ratio.text('.3g')} times its size",
        "geometric means over networks; holds if N_l deviates by at most 5 % of ρ, and δ_l by at "
        "most half of its mean, partly if one of the two",
        all_or_some([share.below(0.05), ratio.below(0.5)]),
        {**ratio.evidence("ratio"), **share.evidence("share_of_radius")}, weight=DETAIL,
    )  # fmt: skip
