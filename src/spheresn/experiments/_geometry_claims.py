"""What the paper says about eqn:condition and the inside of the sphere, against `geometry`."""

from __future__ import annotations

import xarray as xr

from ._claim import Claim

ROUNDING, RARE = 1e-9, 0.01


def judge(dataset: xr.Dataset) -> list[Claim]:
    """The three claims; none where the numbers are missing."""
    if dataset["inside"].isnull().any():
        return []
    return [_outside(dataset), _not_necessary(dataset), _unlikely(dataset)]


def _outside(dataset: xr.Dataset) -> Claim:
    shortest = {str(kind): float(dataset["shortest"].sel(input=kind).min()) for kind in dataset["input"].values}
    networks = int(dataset["shortest"].isel(input=0).size)
    return Claim(
        id="condition-keeps-outside",
        figure="Fig. 2",
        source="fig:diag",
        says="Note that condition (eqn:condition) accounts for the fact that the linear step must never bring the system state inside the "
        "hyper-sphere.",
        measured=f"shortest |a|/r = {shortest['random']:.4f} with random input and {shortest['worst']:.4f} with the input that opposes the "
        f"state most, over {networks} networks that just meet the condition",
        rule="holds if no |a|/r is below 1 (to 1e-9), partly if only the worst input gets inside, else fails",
        verdict=_graded(shortest["worst"] >= 1 - ROUNDING, shortest["random"] >= 1 - ROUNDING),
        evidence={"shortest_random": shortest["random"], "shortest_worst": shortest["worst"], "networks": float(networks)},
    )


def _not_necessary(dataset: xr.Dataset) -> Claim:
    unmet = dataset["meets"] == 0
    count, total = int((unmet & (dataset["never"] == 1)).sum()), int(unmet.sum())
    return Claim(
        id="condition-not-necessary",
        figure="Fig. 2",
        source="eqn:condition",
        says="Eq. (eqn:condition) results in a sufficient yet not necessary condition.",
        measured=f"{count} of {total} driven networks that do not meet the condition never step inside",
        rule="holds if at least one network that does not meet the condition never steps inside, else fails",
        verdict="holds" if count else "fails",
        evidence={"never_inside": float(count), "networks_unmet": float(total)},
    )


def _unlikely(dataset: xr.Dataset) -> Claim:
    strongest = dataset["inside"].isel(strength=-1)
    shares = {int(n): float(strongest.sel(units=n).mean()) for n in dataset["units"].values}
    told = ", ".join(f"{100 * share:.2g}% (N = {n})" for n, share in shares.items())
    return Claim(
        id="inside-is-unlikely",
        figure="Fig. 2",
        source="eqn:condition",
        says="It will very likely not bring the system inside the hyper-sphere as long as the norm of W is large enough compared to the "
        "signal variance.",
        measured=f"with |W| r at {float(dataset['strength'][-1]):g} times the input's standard deviation, the mean share of steps inside "
        f"is {told}",
        rule="holds if the mean share is below 1% for every size, partly for some sizes, else fails",
        verdict=_graded(all(s < RARE for s in shares.values()), any(s < RARE for s in shares.values())),
        evidence={f"share_{n}": share for n, share in shares.items()},
    )


def _graded(whole: bool, part: bool) -> str:
    return "holds" if whole else "partly" if part else "fails"
