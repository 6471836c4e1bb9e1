"""What the paper says about memory against nonlinearity, and what was measured."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ._claim import Claim
from ._shared import judged, median, verdict
from ._tradeoff_plot import winner

LONG, STRONG = 10, 1.5  # delays and frequencies from which a task counts as needing memory, and nonlinearity
WEAKLY = (
    "mean over all tasks, scaling chosen on validation rows; holds if the worst spectral radius loses at most .05 against the best, "
    "partly if the median one does"
)


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Nine sentences, in protocol "paper"; single networks with validation-chosen hyper-parameters unless the rule says otherwise."""
    ours = dataset.sel(protocol="paper")
    if not bool(np.isfinite(median(dataset.accuracy, "network")).all()):
        return []  # a comparison of three needs all three
    honest = median(ours.accuracy, "network").sel(selection="validation")
    return judged(
        [
            _best_when_both(dataset), _nonlinear(ours, honest), _no_role(ours), _weak_dependency(honest), _linear_delay(honest),
            _tanh_error(honest), _tanh_radius(ours), _tanh_scaling(ours), _linear_weak(ours),
        ]
    )  # fmt: skip


def _best_when_both(dataset: xr.Dataset) -> Claim:
    won = winner(dataset)
    region = won.where((won.delay >= LONG) & (won.frequency >= STRONG), drop=True)
    spherical = list(dataset.model.values).index("spherical")
    evidence: dict[str, float | str] = {}
    for protocol in dataset.protocol.values:
        for selection in dataset.selection.values:
            cells = region.sel(protocol=protocol, selection=selection).values
            solved = (cells > -2).sum()
            evidence[f"{protocol}_{selection}"] = float((cells == spherical).sum() / solved) if solved else 0.0
    names = [str(selection) for selection in dataset.selection.values]
    shares, large = ([float(evidence[f"{protocol}_{name}"]) for name in names] for protocol in ("paper", "paper, large"))
    return Claim(
        "best-when-both-memory-and-nonlinearity", "Figs. 7-9", "fig:spherical",
        "The proposed model denotes the best performance when the task requires both memory and nonlinearity, "
        "i.e., when both τ and ν are large.",
        f"share of tasks with τ >= {LONG} and ν >= {STRONG} that spherical wins: "
        + ", ".join(f"{share:.0%} ({name} selection)" for name, share in zip(names, shares, strict=True))
        + f"; with N = {dataset.large_units} units, which can learn the training rows by heart: "
        + ", ".join(f"{share:.0%} ({name})" for name, share in zip(names, large, strict=True)),
        "a win is a median accuracy more than .01 above both others, tasks that nobody solves (γ < .05) left out; holds if spherical wins "
        "more than half under all three selections, partly if under one of them, at either size",
        verdict(min(shares) > 0.5, max(*shares, *large) > 0.5), evidence,
    )  # fmt: skip


def _nonlinear(ours: xr.Dataset, honest: xr.DataArray) -> Claim:
    hard = honest.where(honest.frequency >= 1.0, drop=True)
    gain = hard - ours.linear_bound.sel(frequency=hard.frequency)
    shares = {f"share_above_bound_{m}": float((gain.sel(model=m) > 0.02).mean()) for m in ("spherical", "tanh")}
    most = gain.sel(model="spherical").max("frequency")
    reach = float(most.delay.where(most > 0.02).max()) if bool((most > 0.02).any()) else -1.0
    best = float(most.max())
    return Claim(
        "able-to-perform-nonlinear-computations", "Fig. 9", "fig:spherical",
        "At the same time, it is also able to perform nonlinear computations.",
        f"spherical exceeds the bound of linear networks by more than .02 in {shares['share_above_bound_spherical']:.0%} of the tasks with "
        f"ν >= 1 (tanh {shares['share_above_bound_tanh']:.0%}), by {best:.2f} at most, up to τ = {reach:.0f}",
        "holds if in at least a quarter of these tasks, partly if in any",
        verdict(shares["share_above_bound_spherical"] >= 0.25, shares["share_above_bound_spherical"] > 0.0),
        {**shares, "largest_gain": best, "largest_delay": reach},
    )  # fmt: skip


def _no_role(ours: xr.Dataset) -> Claim:
    lost = {str(m): _losses(ours, str(m)) for m in ours.model.values}
    return Claim(
        "spectral-radius-plays-no-role", "Fig. 9", "fig:spherical",
        "The spectral radius does not [seem] to play any role in the network performance.",
        "mean accuracy lost at the worst and at the median spectral radius, the scaling chosen anew at each: "
        + ", ".join(f"{m} {worst:.3f} and {middle:.3f}" for m, (worst, middle) in lost.items())
        + ". On the sphere states depend on scaling/radius alone",
        WEAKLY, _weakly(*lost["spherical"]),
        {f"{m}_{where}": value for m, pair in lost.items() for where, value in zip(("worst", "median"), pair, strict=True)},
    )  # fmt: skip


def _losses(ours: xr.Dataset, model: str) -> tuple[float, float]:
    """What the worst and the median spectral radius lose against the best, in mean accuracy over all tasks."""
    means = median(ours.by_radius, "network").sel(model=model)
    return float(means.max() - means.min()), float(means.max() - means.quantile(0.5))


def _weakly(worst: float, middle: float) -> str:
    return verdict(worst <= 0.05, middle <= 0.05)


def _drop(honest: xr.DataArray, model: str) -> float:
    mean = honest.sel(model=model).mean("frequency")
    return float(mean.max() - mean.min())


def _weak_dependency(honest: xr.DataArray) -> Claim:
    drop, low = _drop(honest, "spherical"), float((honest.sel(model="spherical") < 0.3).mean())
    return Claim(
        "spherical-weak-dependency-on-memory", "Fig. 9", "fig:spherical",
        "The network performs reasonably well for all the tasks displaying only a weak dependency on the memory.",
        f"mean accuracy changes by {drop:.3f} over the delays; below .3 in {low:.0%} of the tasks",
        "holds if the change is at most .1 and no task is below .3, partly if one of the two is so",
        verdict(drop <= 0.1 and low == 0.0, drop <= 0.1 or low == 0.0), {"change_over_delays": drop, "share_below_.3": low},
    )  # fmt: skip


def _linear_delay(honest: xr.DataArray) -> Claim:
    drop = _drop(honest, "linear")
    return Claim(
        "linear-delay-has-no-effect", "Fig. 8", "fig:linear",
        "τ seems to have no significant effect on the performance (of linear networks).",
        f"mean accuracy changes by {drop:.3f} over the delays", "holds if the change is at most .02, partly if at most .05",
        verdict(drop <= 0.02, drop <= 0.05), {"change_over_delays": drop},
    )  # fmt: skip


def _tanh_error(honest: xr.DataArray) -> Claim:
    mean = honest.sel(model="tanh").mean("frequency")
    trend, fall = _trend(mean.delay, mean), float(mean[0] - mean[-1])
    return Claim(
        "tanh-error-grows-with-memory", "Fig. 7", "fig:regular", "The error grows with the memory required to solve the task.",
        f"mean accuracy falls by {fall:.3f} from the shortest to the longest delay, correlation {trend:.2f}",
        "holds if the correlation of mean accuracy and delay is below -.7, partly if below -.3", verdict(trend < -0.7, trend < -0.3),
        {"correlation": trend, "fall": fall},
    )  # fmt: skip


def _tanh_radius(ours: xr.Dataset) -> Claim:
    chosen = ours.best_radius.sel(model="tanh").mean(["network", "frequency"])
    trends = {str(s): _trend(chosen.delay, chosen.sel(selection=s)) for s in ours.selection.values}
    return Claim(
        "tanh-larger-radius-for-more-memory", "Fig. 7", "fig:regular",
        "The choice of the spectral radius displays a pattern, where larger SRs are preferred when more memory is required.",
        "correlation of delay and mean best spectral radius: " + ", ".join(f"{k} {v:.2f}" for k, v in trends.items()) + " (selection)",
        "holds if above .5 under all three selections, partly if under one",
        verdict(min(trends.values()) > 0.5, max(trends.values()) > 0.5), dict(trends),
    )  # fmt: skip


def _tanh_scaling(ours: xr.Dataset) -> Claim:
    small = (median(ours.best_scaling.sel(model="tanh"), "network") <= 0.5).mean(["delay", "frequency"])
    shares = {str(s): float(small.sel(selection=s)) for s in ours.selection.values}
    return Claim(
        "tanh-scaling-small", "Fig. 7", "fig:regular", "The scaling factor tends to be small for almost every configuration.",
        "share of tasks with best scaling <= .5: " + ", ".join(f"{k} {v:.0%}" for k, v in shares.items()) + " (selection)",
        "holds if at least nine tasks in ten under all three selections, partly if at least three in four under one",
        verdict(min(shares.values()) >= 0.9, max(shares.values()) >= 0.75), dict(shares),
    )  # fmt: skip


def _linear_weak(ours: xr.Dataset) -> Claim:
    worst, middle = _losses(ours, "linear")
    return Claim(
        "linear-weakly-influenced-by-hyperparameters", "Fig. 8", "fig:linear",
        "The performance is only weakly influenced by the hyper-parameters.",
        f"mean accuracy lost at the worst spectral radius {worst:.3f}, at the median one {middle:.3f}",
        WEAKLY, _weakly(worst, middle), {"worst": worst, "median": middle},
    )  # fmt: skip


def _trend(x: xr.DataArray, y: xr.DataArray) -> float:
    return float(np.corrcoef(x.values, y.values)[0, 1]) if float(y.std()) > 0 else 0.0
