"""What the paper says about stability, and what was measured."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ._claim import Claim
from ._shared import judged, median, verdict

FIGURE = "beyond the paper"
CLEAR = 0.02  # an exponent is clearly positive above this and above five standard errors


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Five sentences."""
    return judged([_never(dataset), _typical(dataset), _condition(dataset), _properly(dataset), _global(dataset)])


def _never(dataset: xr.Dataset) -> Claim:
    clear = (dataset.exponent > CLEAR) & (dataset.exponent > 5 * dataset.exponent_error)
    evidence: dict[str, float | str] = {str(name): float(dataset.exponent.sel(case=name)) for name in dataset.case.values[:4]}
    return Claim(
        "never-chaotic", FIGURE, "Discussion",
        "The behavior of the resulting network is never chaotic, regardless of the setting of the main hyper-parameters.",
        f"{int(clear.sum())} networks with a clearly positive exponent: " + ", ".join(f"{k} {v:+.3f}" for k, v in evidence.items()),
        f"fails if one network has an exponent above {CLEAR:g} and above five standard errors; holds otherwise",
        verdict(int(clear.sum()) == 0),
        {**evidence, "standard_error": float(dataset.exponent_error.max())},
    )  # fmt: skip


def _typical(dataset: xr.Dataset) -> Claim:
    clear = ((dataset.typical > CLEAR) & (dataset.typical > 5 * dataset.typical_error)).sum()
    count, highest = float(dataset.typical.count()), float(dataset.typical.max())
    runs = count if count == dataset.typical.size else np.nan
    return Claim(
        "large-networks-cannot-be-chaotic", FIGURE, "eqn:LLE",
        "When the number of neurons in the network is large, the maximum (local) Lyapunov exponent cannot be positive.",
        f"random Gaussian networks, constant and white-noise input: {int(clear)} of {count:.0f} runs clearly positive, "
        f"largest exponent {highest:+.4f}",
        f"holds if no run is above {CLEAR:g} and above five standard errors, partly if at most 1 % are "
        "(typical networks; special ones exist)",
        verdict(int(clear) == 0, float(clear) <= 0.01 * count), {"clearly_positive": float(clear), "runs": runs, "largest": highest},
    )  # fmt: skip


def _condition(dataset: xr.Dataset) -> Claim:
    met = dataset.condition == 1.0
    refuted, count = float((met & (dataset.refuted == 1.0)).sum()), float(met.sum())
    apart = float(dataset.far_pair.isel(step=slice(-100, None)).max("step").where(met).max())
    missing = np.nan if bool(dataset.condition.isnull().any()) else 0.0
    return Claim(
        "condition-implies-echo-state", FIGURE, "eqn:condition",
        "The system grants the contractivity condition (and so the ESP) provided that σ_min(W) >= 1 + |W_in| s_max/r.",
        f"the condition is met in {count:.0f} examples; the echo state property is proved impossible in {refuted:.0f} of them, and states "
        f"stay up to {apart:.2f} apart. Under the condition every step maps the sphere onto itself one to one",
        "fails if one network meets the condition and its echo state property is refuted by proof; holds otherwise",
        verdict(refuted == 0), {"met": count, "refuted": refuted, "distance_at_the_end": apart, "units_missing": missing},
    )  # fmt: skip


def _properly(dataset: xr.Dataset) -> Claim:
    smallest, needed = float(median(dataset.smallest, "network")), float(median(dataset.needed, "network"))
    met = float((dataset.smallest >= dataset.needed).mean())
    return Claim(
        "condition-must-be-satisfied", FIGURE, "eqn:condition (footnote)",
        "Condition (eqn:condition) must be satisfied in order for the network to work properly.",
        f"at the paper's setting σ_min(W) = {smallest:.2g} where {needed:.2f} is needed: met in {met:.0%} of the networks, "
        "and these are the networks that solve the memory tasks",
        "holds if the networks of the paper's own experiments meet the condition, partly if half of them do",
        verdict(met == 1.0, met >= 0.5),
        {"smallest_singular_value": smallest, "needed": needed, "share_met": met},
    )  # fmt: skip


def _global(dataset: xr.Dataset) -> Claim:
    last = median(dataset.distance.isel(time=-1), "network")
    evidence: dict[str, float | str] = {f"scaling_{float(s):g}": float(last.sel(scaling=s)) for s in dataset.scaling.values}
    met = [float(value) < 1e-6 for value in evidence.values()]
    return Claim(
        "globally-stable-for-any-configuration", FIGURE, "Discussion",
        "Networks which are (globally) stable for any hyper-parameter configurations, regardless of the particular input signal.",
        f"two starts, same white noise, distance after {int(dataset.time[-1])} steps: "
        + ", ".join(f"{float(value):.1g} at {name.replace('_', ' ')}" for name, value in evidence.items()),
        "holds if two trajectories have met (median distance below 1e-6) at every input scaling, partly if at some",
        verdict(all(met), any(met)), evidence,
    )  # fmt: skip
