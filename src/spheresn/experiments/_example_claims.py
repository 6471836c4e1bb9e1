"""What the paper says about the example, and what was measured."""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy import stats

from .._validation import Floats
from ._claim import Claim
from ._example_plot import PUBLISHED
from ._shared import judged, median, verdict

FIGURE = "Fig. 6"


def claims(dataset: xr.Dataset) -> list[Claim]:
    """The three accuracies, and who is best; for the largest N and the unit-variance feed."""
    gamma = dataset.gamma.isel(units=-1).sel(feed="unit variance")
    return judged([*(_accuracy(dataset, gamma, model) for model in PUBLISHED), _outperforms(dataset, gamma)])


def _accuracy(dataset: xr.Dataset, gamma: xr.DataArray, model: str) -> Claim:
    measured = float(median(gamma.sel(model=model), "network"))
    raw = float(median(dataset.gamma.isel(units=-1).sel(model=model, feed="as it is"), "network"))
    middle, reach = float(gamma.sel(model=model).mean()), _reach(gamma.sel(model=model).dropna("network").values)
    inside = reach <= 0.1 and abs(PUBLISHED[model] - middle) <= reach + 0.005
    return Claim(
        f"example-accuracy-{model}", FIGURE, "fig:example", f"The accuracy of the {model} network is γ = {PUBLISHED[model]:.2f}.",
        f"median {measured:.3f}, 95 % of networks within {middle:.3f} ± {reach:.3f}, at N = {int(gamma.units)}; {raw:.3f} if fed u itself; "
        f"best of any linear network {dataset.linear_bound:.3f}",
        "the published number is of one network: holds if it lies, up to its rounding, where 95 % of networks do by Student's law and "
        "that is no wider than ± .1; partly if within .1 of the median",
        verdict(inside, abs(measured - PUBLISHED[model]) <= 0.1),
        {
            "measured": measured, "mean": middle, "prediction_95": reach, "published": PUBLISHED[model], "fed_u_itself": raw,
            "linear_bound": float(dataset.linear_bound),
        },
    )  # fmt: skip


def _reach(values: Floats) -> float:
    """Half the width of the interval in which a further network lies with probability .95."""
    n = len(values)
    return float(stats.t.ppf(0.975, n - 1) * values.std(ddof=1) * np.sqrt(1 + 1 / n)) if n > 1 else np.inf


def _outperforms(dataset: xr.Dataset, gamma: xr.DataArray) -> Claim:
    wins = {f"share_above_{model}": float((gamma.sel(model="spherical") > gamma.sel(model=model)).mean()) for model in ("tanh", "linear")}
    margin = float(median(gamma.sel(model="spherical") - gamma.sel(model="linear"), "network"))
    best = [share >= 0.75 for share in wins.values()]
    return Claim(
        "example-spherical-outperforms-competitors", FIGURE, "fig:example",
        "Predictions for a specific instance requiring both features show how the proposed model outperforms the competitors.",
        f"spherical is above tanh in {wins['share_above_tanh']:.0%} and above linear in {wins['share_above_linear']:.0%} of the networks, "
        f"by {margin:+.3f} over linear in the median; both lie at the bound of linear networks, {dataset.linear_bound:.3f}",
        "holds if spherical is above each competitor in at least three networks of four and by more than .02 over linear in the median, "
        "partly if it is above one of them in three of four",
        verdict(all(best) and margin > 0.02, any(best)), {**wins, "median_margin_over_linear": margin},
    )  # fmt: skip
