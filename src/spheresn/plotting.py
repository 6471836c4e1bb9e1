"""Short plots of the measures, each on a given matplotlib Axes. Matplotlib itself is never imported here: the caller has it."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from .analysis import (
    EchoState,
    InformationProcessingCapacity,
    LyapunovSpectrum,
    MaxLyapunov,
    MemoryCurve,
    MemoryProfile,
    Tradeoff,
    linear_bound,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ZERO: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "zorder": 0}
FLOOR = 1e-16  # rounding; smaller distances mean nothing


def plot_spectrum(axes: Axes, result: LyapunovSpectrum, exact: Any = None, **style: Any) -> None:
    """The exponents in decreasing order, twice their standard error as a band, and a closed form `exact` (k,) as a thin line."""
    index, errors = np.arange(1, len(result.exponents) + 1), 2 * result.standard_errors
    (line,) = axes.plot(index, result.exponents, ".", markersize=4, **style)
    axes.fill_between(index, result.exponents - errors, result.exponents + errors, color=line.get_color(), alpha=0.25, linewidth=0)
    if exact is not None:
        axes.plot(index, exact, color="black", linewidth=0.8, label="closed form")
    axes.axhline(0, **ZERO)
    axes.set(xlabel="index", ylabel="Lyapunov exponent per step")


def plot_convergence(axes: Axes, result: LyapunovSpectrum | MaxLyapunov, **style: Any) -> None:
    """The running mean of the exponents against the number of steps."""
    (line, *_) = axes.plot(result.steps, result.history, linewidth=1, **style)
    if isinstance(result, MaxLyapunov):
        low, high = (result.exponent + sign * 2 * result.standard_error for sign in (-1, 1))
        axes.axhspan(low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.axhline(0, **ZERO)
    axes.set(xlabel="steps", ylabel="running mean of the exponent", xscale="log")


def plot_echo_state(axes: Axes, result: EchoState, **style: Any) -> None:
    """How the distance between trajectories shrinks: measured for a test, the proved factor for a certificate."""
    drawn = result.distances if result.distances is not None else result.contraction
    if drawn is None:
        axes.text(0.5, 0.5, fill(result.reason, 36), ha="center", va="center", transform=axes.transAxes)
        axes.set(title=result.verdict, xticks=[], yticks=[])
        return
    measured = result.distances is not None
    heights = np.maximum(drawn if measured else np.exp(drawn), FLOOR)
    axes.loglog(np.arange(1, len(drawn) + 1), heights, **{"linewidth": 1, **style})
    label = "largest distance between trajectories" if measured else "proved contraction factor"
    axes.set(xlabel="step", ylabel=label, title=result.verdict)


def plot_memory_curve(axes: Axes, result: MemoryCurve, **style: Any) -> None:
    """Accuracy against delay: test solid, training dashed."""
    order = np.argsort(result.delays)
    (line,) = axes.plot(result.delays[order], result.test[order], **style)
    axes.plot(result.delays[order], result.train[order], "--", color=line.get_color(), linewidth=0.8)
    axes.set(xlabel="delay τ", ylabel="accuracy γ  (solid: test, dashed: training)", ylim=(-0.02, 1.02))


def plot_memory_profile(axes: Axes, result: MemoryProfile, predicted: Any = None, **style: Any) -> None:
    """Sensitivity relative to delay 0, logarithmic; a predicted law (D + 1,) as a thin line, scaled alike."""
    relative = result.sensitivity / result.sensitivity[0]
    axes.semilogy(result.delays, relative, **style)
    if predicted is not None:
        law = np.asarray(predicted)
        axes.semilogy(result.delays, law / law[0], color="black", linewidth=0.8, label="predicted")
    axes.set(xlabel="delay", ylabel="sensitivity |dx_n/ds_{n-delay}|, relative")


def plot_capacity(axes: Axes, results: dict[str, InformationProcessingCapacity]) -> None:
    """Capacity by degree, one stacked bar per name; a tick marks the rank, which is the ceiling."""
    names, bottom = list(results), np.zeros(len(results))
    degrees = max(len(result.by_degree) for result in results.values())
    for degree in range(degrees):
        heights = np.array([r.by_degree[degree] if degree < len(r.by_degree) else 0.0 for r in results.values()])
        axes.bar(names, heights, bottom=bottom, width=0.6, label=f"degree {degree + 1}")
        bottom += heights
    ranks = [result.rank for result in results.values()]
    axes.plot(names, ranks, linestyle="", marker="_", markersize=30, color="black", label="rank")
    axes.set(ylabel="information processing capacity")
    axes.legend(frameon=False, ncols=degrees + 1, loc="lower center", bbox_to_anchor=(0.5, 1.0), handlelength=1.0, markerscale=0.5)


def plot_tradeoff(axes: Axes, result: Tradeoff, **style: Any) -> Any:
    """Test accuracy over delay and frequency as a map, with the contour where it equals the bound of linear networks."""
    edges = result.delays, result.frequencies
    mesh = axes.pcolormesh(*edges, result.test.T, **{"vmin": 0, "vmax": 1, "shading": "nearest", **style})
    gain = result.test - linear_bound(result.frequencies)
    if gain.min() < 0 < gain.max() and min(gain.shape) > 1:
        axes.contour(*edges, gain.T, levels=[0.0], colors="white", linewidths=1)
    axes.set(xlabel="delay τ", ylabel="frequency ν")
    return mesh


def plot_linear_bound(axes: Axes, frequencies: Any, **style: Any) -> None:
    """The best accuracy of any linear network on sin(ν u) against ν."""
    nus = np.asarray(frequencies, float)
    axes.plot(nus, linear_bound(nus), **{"color": "black", "linewidth": 0.8, "label": "any linear network", **style})
    axes.set(xlabel="frequency ν", ylabel="accuracy γ", ylim=(-0.02, 1.02))
