"""What the paper says about the decay of memory, and what was measured."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ._claim import Claim
from ._shared import judged, median, verdict

FIGURE = "Fig. 4"


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Four sentences."""
    return judged([_consistent(dataset), _infinite_past(dataset), _perfect(dataset), _closed_form(dataset)])


def _consistent(dataset: xr.Dataset) -> Claim:
    predicted, measured = (median(dataset[name], "network") for name in ("predicted", "sensitivity"))
    gaps = abs(xr.apply_ufunc(np.log, predicted.clip(1e-6) / measured.clip(1e-6))).isel(delay=slice(1, None)).max("delay")
    factors = {str(kind): float(np.exp(gaps.sel(kind=kind))) for kind in dataset.kind.values}
    good = sum(factor <= 1.5 for factor in factors.values())
    meaningless = float((dataset.alpha.sel(matrix="random") <= 0).mean())
    return Claim(
        "decay-consistent-with-predictions", FIGURE, "fig:memory-theor",
        "In all cases, the decay is consistent with the predictions.",
        "largest factor between law and measured sensitivity: " + ", ".join(f"{kind} {factor:.3g}" for kind, factor in factors.items())
        + f"; α is not positive in {meaningless:.0%} of the random networks, where the law has no meaning",
        "medians over networks, delays 1..100, values below 1e-6 counted as 1e-6; a law is consistent if it is within a factor of 1.5 at "
        "every delay; holds if all four are, partly if at least one is",
        verdict(good == len(factors), good > 0), {**factors, "share_alpha_not_positive": meaningless},
    )  # fmt: skip


def _infinite_past(dataset: xr.Dataset) -> Claim:
    far = float(dataset.far_past)
    measured = float(median(dataset.sensitivity.sel(kind="spherical").isel(delay=-1), "network"))
    return Claim(
        "infinite-past-not-null", FIGURE, "eqn:memory_loss",
        "The impact of an input that is infinitely far in the past is not null compared with one that is only a < ∞ steps behind.",
        f"the law itself gives {far:.1g} for an input 10⁶ steps back (α of the published figure); measured sensitivity {measured:.2f} "
        f"after {int(dataset.delay[-1])} steps. The limit in the text is the memory of the recent "
        "input; that of the old one is what vanishes",
        "holds if the paper's own law leaves more than 1e-6 of an input 10⁶ steps back", verdict(far > 1e-6),
        {"law_after_a_million_steps": far, "measured_at_last_delay": measured},
    )  # fmt: skip


def _perfect(dataset: xr.Dataset) -> Claim:
    last = median(dataset.strong_relative.isel(strong_radius=-1), "network")
    random, orthogonal = (float(last.sel(matrix=name)) for name in ("random", "orthogonal"))
    newest = median(dataset.strong_newest.sel(matrix="random"), "network")
    fall = float(newest[0] / newest[-1])
    return Claim(
        "perfect-memory-for-infinite-spectral-radius", FIGURE, "eqn:impact",
        "For an infinitely large SR the network perfectly remembers its past inputs, regardless of their occurrence in the past.",
        f"at spectral radius {float(dataset.strong_radius[-1]):g} an input {int(dataset.delay[-1])} steps old keeps {orthogonal:.2f} of "
        f"its first influence for orthogonal W, {random:.2f} for random W; the influence of the newest input itself falls "
        f"{fall:.0f}-fold on the way",
        "holds if at least .95 of the influence is left at the largest spectral radius for both kinds of W, partly if for one",
        verdict(min(random, orthogonal) >= 0.95, max(random, orthogonal) >= 0.95),
        {"random": random, "orthogonal": orthogonal, "fall_of_newest": fall},
    )  # fmt: skip


def _closed_form(dataset: xr.Dataset) -> Claim:
    one, other = (float(error) for error in dataset.closed_form_error)
    return Claim(
        "state-as-sum-over-inputs", FIGURE, "eqn:final_state",
        "The state is x_n = M(n,0) x_0 + Σ M(n,k) u_k with M(n,k) = W^(n-k)/Π N_l.",
        f"relative error {one:.1g} for r = 1, which the text assumes, {other:.2g} for r = 2.5, where M lacks powers of r",
        "holds if the relative error is below 1e-9 for r = 1", verdict(one < 1e-9), {"error_r_1": one, "error_r_2.5": other},
    )  # fmt: skip
