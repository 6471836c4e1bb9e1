"""What the paper says about exponents, and what was measured."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ._claim import Claim
from ._shared import judged, median, verdict

FIGURE = "Fig. 3"
NEAR_ZERO = 1e-3  # per step; over the paper's 7000 steps this is still a factor of a thousand


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Six sentences."""
    return judged(
        [_lle_zero(dataset), _always_zero(dataset), _same_orbit(dataset), _edge(dataset), _jacobian(dataset), _approximation(dataset)]
    )


def _lle_zero(dataset: xr.Dataset) -> Claim:
    mean, spread = np.abs(dataset.printed.mean("network")), dataset.printed.std("network")
    covered, largest = float((mean <= 2 * spread).mean()), float(mean.max())
    return Claim(
        "lle-not-different-from-zero", FIGURE, "fig:Lyapunov",
        "Results show that the LLE is not significantly different from zero.",
        f"printed measure: zero lies within two standard deviations at {covered:.0%} of the spectral radii; largest |mean| {largest:.2g}",
        "holds if zero lies within two standard deviations of the mean at every spectral radius, partly if at nine in ten",
        verdict(covered == 1.0, covered >= 0.9), {"share_covering_zero": covered, "largest_mean": largest},
    )  # fmt: skip


def _always_zero(dataset: xr.Dataset) -> Claim:
    exponents = dataset.closed_form.values.ravel()
    zero, lowest = float((np.abs(exponents) < 1e-9).mean()), float(exponents.min())
    return Claim(
        "largest-exponent-always-zero", FIGURE, "fig:Lyapunov",
        "Note that the largest exponent is always zero.",
        f"zero in {zero:.0%} of {exponents.size} networks without input (a complex pair leads), below zero in the others, "
        f"down to {lowest:.3f}",
        "true exponents log|λ₂/λ₁|; holds if zero in every network, partly if in at least half",
        verdict(zero == 1.0, zero >= 0.5), {"share_zero": zero, "lowest": lowest},
    )  # fmt: skip


def _same_orbit(dataset: xr.Dataset) -> Claim:
    gap = float(dataset.rescaling_gap)
    return Claim(
        "spectral-radius-does-not-alter-autonomous-dynamics", FIGURE, "eqn:evolution_general",
        "A system described by matrix W and a system characterized by W' = aW coincide.",
        f"largest difference of states over 200 steps between W rescaled to all spectral radii: {gap:.1g}",
        "holds if the orbits agree to 1e-9 (for a > 0)", verdict(gap < 1e-9), {"largest_difference": gap},
    )  # fmt: skip


def _edge(dataset: xr.Dataset) -> Claim:
    middle = median(dataset.driven, "network")
    near, strongest = float((np.abs(middle) < NEAR_ZERO).mean()), float(middle.min())
    positive = float(((dataset.driven - 3 * dataset.driven_error) > NEAR_ZERO).sum())
    return Claim(
        "always-at-the-edge-of-criticality", FIGURE, "Discussion",
        "The maximum Lyapunov exponent is always zero, implying that the proposed model always operates on the EoC.",
        f"driven by white noise the true exponent is within {NEAR_ZERO:g} of zero in {near:.0%} of the settings and reaches "
        f"{strongest:.2g}; clearly positive in {positive:.0f} runs",
        f"median over networks; holds if within {NEAR_ZERO:g} of zero for every input scaling and spectral radius, "
        "partly if for at least half",
        verdict(near == 1.0, near >= 0.5), {"share_near_zero": near, "most_negative": strongest, "clearly_positive": positive},
    )  # fmt: skip


def _jacobian(dataset: xr.Dataset) -> Claim:
    errors = {f"N={int(n)}": float(e) for n, e in zip(dataset.size_names, dataset.jacobian_error, strict=True)}
    return Claim(
        "printed-jacobian", FIGURE, "eqn:jacobian",
        "The Jacobian matrix reads J_ij = W_ij/|a| (1 - a_i a_j/|a|²).",
        "relative difference from finite differences, indices put right: " + _listed(errors),
        "holds if the difference is below 1e-6 for every N", verdict(max(errors.values()) < 1e-6), dict(errors),
    )  # fmt: skip


def _approximation(dataset: xr.Dataset) -> Claim:
    errors = {f"N={int(n)}": float(e) for n, e in zip(dataset.size_names, dataset.approximation_error, strict=True)}
    last = list(errors.values())[-1]
    return Claim(
        "jacobian-for-large-networks", FIGURE, "eqn:jacobian_approx",
        "Asymptotically for large networks the Jacobian matrix reduces to W/|Wx|.",
        "relative difference from finite differences in operator norm: " + _listed(errors),
        "holds if the difference is below .1 for the largest N, partly if it has at least halved from the smallest to the largest",
        verdict(last < 0.1, last < 0.5 * next(iter(errors.values()))), dict(errors),
    )  # fmt: skip


def _listed(errors: dict[str, float]) -> str:
    return ", ".join(f"{value:.2g} at {name}" for name, value in errors.items())
