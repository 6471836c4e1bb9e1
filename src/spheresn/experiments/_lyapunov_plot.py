"""Drawing Fig. 3."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ._shared import ACCENTS, ZERO, median, panels, quantiles

CAPTIONS = {
    "lyapunov": "(a) The paper's measure of the largest exponent without input, as printed and with the right Jacobian, beside the true "
    "one, log|λ₂/λ₁|. (b) All exponents of single networks: measured by tangent vectors, in closed form, and by the printed "
    "Jacobian. (c) The true largest exponent under white noise; bars: two standard errors, band: quartiles over networks.",
}


def plot(dataset: xr.Dataset) -> dict[str, Figure]:
    """The two panels of the paper with the truth drawn in, and the exponent under input."""
    figure, (left, middle, right) = panels(1, 3, 4.6, 3.9)
    _by_radius(left, dataset)
    _spectra(middle, dataset)
    _driven(right, dataset)
    return {"lyapunov": figure}


def _by_radius(axes: Axes, dataset: xr.Dataset) -> None:
    shown = {
        "printed": ("printed measure (the paper's)", "#0072B2", "o", -0.06),
        "exact_local": ("same measure, right Jacobian", "#E69F00", "s", 0.0),
        "closed_form": ("true exponent log|λ₂/λ₁|", "#000000", "D", 0.06),
    }
    for name, (label, colour, marker, shift) in shown.items():
        mean, spread = dataset[name].mean("network"), dataset[name].std("network")
        axes.errorbar(dataset.radius + shift, mean, spread, fmt=marker, ms=3.5, lw=1, capsize=2, color=colour, label=label)
    axes.axhline(0, **ZERO)
    low = float(np.nan_to_num(min(float(dataset[name].min()) for name in shown)))
    axes.set(xlabel="spectral radius", ylabel="largest exponent per step", ylim=(min(1.15 * low, -0.04), max(-0.8 * low, 0.04)))
    axes.set_title(f"(a) no input, N = {dataset.units}, {dataset.sizes['network']} networks per point", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def _spectra(axes: Axes, dataset: xr.Dataset) -> None:
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


def _driven(axes: Axes, dataset: xr.Dataset) -> None:
    axes.axhline(0, **ZERO)
    for colour, scaling in zip(ACCENTS, dataset.scaling.values, strict=False):
        low, centre, high = quantiles(dataset.driven.sel(scaling=scaling), [0.25, 0.5, 0.75], "network")
        error = 2 * median(dataset.driven_error.sel(scaling=scaling), "network")
        axes.errorbar(dataset.radius, centre, error, fmt="o-", ms=3, lw=1, capsize=2, color=colour, label=f"input scaling {scaling:g}")
        axes.fill_between(dataset.radius, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set_yscale("symlog", linthresh=1e-3)
    axes.set(xlabel="spectral radius", ylabel="true largest exponent per step (± 2 s.e.)", ylim=(None, 3e-2))
    axes.set_title("(c) with white-noise input (median, quartiles)", fontsize=10)
    axes.legend(frameon=False, fontsize=7, loc="upper center", ncols=3, columnspacing=0.8, handlelength=1.2)
