"""Plots of the measures, each on a given matplotlib Axes.

This module does not import matplotlib; the caller does.
"""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import BadInput
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
from .analysis.climates import delay_of
from .metrics import Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"spherical": "#0072B2", "tanh": "#D55E00", "linear": "#555555", "bent": "#009E73"}
# The colours of Okabe and Ito, which colour-blind people can distinguish
ACCENTS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
# How the line at zero is drawn
ZERO: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "zorder": 0}
FLOOR = 1e-16  # smaller distances are rounding errors


def plot_spectrum(axes: Axes, result: LyapunovSpectrum, exact: Any = None, **style: Any) -> None:
    """The exponents in decreasing order with a band of two standard errors.

    A closed form `exact` (k,) is a thin line.

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> matrix = np.diag([4.0, 2.0, 1.0])
    >>> reservoir = sn.Reservoir(recurrent=matrix, inputs=np.zeros(3))
    >>> found = sn.analysis.lyapunov_spectrum(reservoir, 600)
    >>> plot_spectrum(axes, found, exact=sn.analysis.autonomous_exponents(matrix))
    >>> bool(np.allclose(axes.lines[0].get_ydata(), axes.lines[1].get_ydata()))
    True
    """
    index = np.arange(1, len(result.exponents) + 1)
    errors = 2 * np.nan_to_num(result.standard_errors, posinf=0.0)  # no band where it is unknown
    (line,) = axes.plot(index, result.exponents, ".", markersize=4, **style)
    axes.fill_between(
        index,
        result.exponents - errors,
        result.exponents + errors,
        color=line.get_color(),
        alpha=0.25,
        linewidth=0,
    )
    if exact is not None:
        axes.plot(index, exact, color="black", linewidth=0.8, label="closed form")
    axes.axhline(0, **ZERO)
    axes.set(xlabel="index", ylabel="Lyapunov exponent per step")


def plot_convergence(axes: Axes, result: LyapunovSpectrum | MaxLyapunov, **style: Any) -> None:
    """The running mean of the exponents against the number of steps.

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> halving = sn.Reservoir(recurrent=[[0.5]], inputs=[1.0], activation=sn.Linear())
    >>> plot_convergence(axes, sn.analysis.max_lyapunov(halving, 600))
    >>> round(float(axes.lines[0].get_ydata()[-1]), 6)
    -0.693147
    """
    (line, *_) = axes.plot(result.steps, result.history, linewidth=1, **style)
    if (
        isinstance(result, MaxLyapunov)
        and np.isfinite([result.exponent, result.standard_error]).all()
    ):
        low, high = (result.exponent + sign * 2 * result.standard_error for sign in (-1, 1))
        axes.axhspan(low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.axhline(0, **ZERO)
    # An axis without points cannot be logarithmic
    scale = "log" if np.isfinite(result.history).any() else "linear"
    axes.set(xlabel="steps", ylabel="running mean of the exponent", xscale=scale)


def plot_echo_state(axes: Axes, result: EchoState, **style: Any) -> None:
    """The distance between trajectories (of a test), or the proved contraction (of a certificate).

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> turn = sn.Reservoir(recurrent=[[0.0, -2.0], [2.0, 0.0]], inputs=[1.0, 0.0])
    >>> plot_echo_state(axes, sn.analysis.echo_state(turn, np.full(10, 5.0)))
    >>> axes.get_title(), bool((np.diff(axes.lines[0].get_ydata()) < 0).all())
    ('certified', True)
    """
    drawn = result.distances if result.distances is not None else result.contraction
    if drawn is None:
        axes.text(
            0.5, 0.5, fill(result.reason, 36), ha="center", va="center", transform=axes.transAxes
        )
        axes.set(title=result.verdict, xticks=[], yticks=[])
        return
    measured = result.distances is not None
    heights = np.maximum(drawn if measured else np.exp(drawn), FLOOR)
    axes.loglog(np.arange(1, len(drawn) + 1), heights, **{"linewidth": 1, **style})
    label = "largest distance between trajectories" if measured else "proved contraction factor"
    axes.set(xlabel="step", ylabel=label, title=result.verdict)


def plot_memory_curve(axes: Axes, result: MemoryCurve, **style: Any) -> None:
    """Accuracy against delay: solid on the test rows, dashed on the training rows.

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> signal = sn.datasets.white_noise(500, rng=0)
    >>> line = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[:, 0], sn.Linear())
    >>> plot_memory_curve(axes, sn.analysis.memory_curve(sn.drive(line, signal), signal, [0, 4, 5]))
    >>> axes.lines[0].get_ydata().round(6)
    array([1., 1., 0.])
    """
    order = np.argsort(result.delays)
    (line,) = axes.plot(result.delays[order], result.test[order], **style)
    axes.plot(
        result.delays[order], result.train[order], "--", color=line.get_color(), linewidth=0.8
    )
    axes.set(
        xlabel="delay τ", ylabel="accuracy γ  (solid: test, dashed: training)", ylim=(-0.02, 1.02)
    )


def plot_memory_profile(
    axes: Axes, result: MemoryProfile, predicted: Any = None, **style: Any
) -> None:
    """Sensitivity relative to delay 0, on a logarithmic axis.

    A predicted law (D + 1,), also relative to delay 0, is a thin line.

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> halving = sn.Reservoir(recurrent=[[0.5]], inputs=[3.0], activation=sn.Linear())
    >>> plot_memory_profile(axes, sn.analysis.memory_profile(halving, np.ones(20), 3))
    >>> axes.lines[0].get_ydata()
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    # If no input moves the state, all values are zero and have no logarithm
    draw = axes.semilogy if result.relative.any() else axes.plot
    draw(result.delays, result.relative, **style)
    if predicted is not None:
        law = np.asarray(predicted)
        axes.semilogy(result.delays, law / law[0], color="black", linewidth=0.8, label="predicted")
    axes.set(xlabel="delay", ylabel="sensitivity |dx_n/ds_{n-delay}|, relative")


def plot_capacity(axes: Axes, results: dict[str, InformationProcessingCapacity]) -> None:
    """Capacity by degree, one stacked bar per name; a tick marks the upper bound, the rank.

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> signal = sn.datasets.white_noise(3000, rng=0)
    >>> line = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[:, 0], sn.Linear())
    >>> states = sn.drive(line, signal)
    >>> found = sn.analysis.information_processing_capacity(states, signal, (10, 5))
    >>> plot_capacity(axes, {"delay line": found})
    >>> [round(float(bar.get_height()), 6) for bar in axes.patches]  # degree 1, degree 2
    [5.0, 0.0]
    """
    names, bottom = list(results), np.zeros(len(results))
    degrees = max(len(result.by_degree) for result in results.values())
    for degree in range(degrees):
        heights = np.array(
            [r.by_degree[degree] if degree < len(r.by_degree) else 0.0 for r in results.values()]
        )
        axes.bar(names, heights, bottom=bottom, width=0.6, label=f"degree {degree + 1}")
        bottom += heights
    ranks = [result.rank for result in results.values()]
    axes.plot(names, ranks, linestyle="", marker="_", markersize=30, color="black", label="rank")
    axes.set(ylabel="information processing capacity")
    axes.legend(
        frameon=False,
        ncols=degrees + 1,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        handlelength=1.0,
        markerscale=0.5,
    )


def plot_tradeoff(axes: Axes, result: Tradeoff, **style: Any) -> Any:
    """Test accuracy over delay and frequency; a contour marks the bound of linear networks.

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> signal = sn.datasets.white_noise(700, rng=0)
    >>> line = sn.Reservoir(sn.topology.delay_line(3), np.eye(3)[:, 0], sn.Linear())
    >>> states = sn.drive(line, signal)
    >>> found = sn.analysis.memory_nonlinearity(states, signal, [0, 1, 2], [0.01, 2.5])
    >>> mesh = plot_tradeoff(axes, found)
    >>> mesh.get_array().shape  # frequencies, delays
    (2, 3)
    """
    edges = result.delays, result.frequencies
    mesh = axes.pcolormesh(
        *edges, result.test.T, **{"vmin": 0, "vmax": 1, "shading": "nearest", **style}
    )
    gain = result.test - linear_bound(result.frequencies)
    if gain.min() < 0 < gain.max() and min(gain.shape) > 1:
        axes.contour(*edges, gain.T, levels=[0.0], colors="white", linewidths=1)
    axes.set(xlabel="delay τ", ylabel="frequency ν")
    return mesh


def plot_field(
    axes: Any, truth: Any, forecast: Any, dt: float = 1.0, length: float = 1.0, **style: Any
) -> Any:
    """Truth, forecast and error of a field (T, cells) on three Axes, over space and time.

    dt: time from one row to the next; in units of the Lyapunov time if it is given in these.
    length: of all cells together. The three share one scale of colours, symmetric about the middle
    of the truth. Of a field with more axes pass a cut, for example field[:, :, 0].

    >>> from matplotlib.figure import Figure
    >>> truth = np.sin(np.arange(12.0)).reshape(4, 3)
    >>> meshes = plot_field(Figure().subplots(3), truth, truth + 0.1, dt=0.5)
    >>> [bool(np.allclose(mesh.get_array(), row)) for mesh, row in zip(meshes, (truth.T, 0.1))]
    [True, False]
    >>> meshes[2].get_array().round(12).min()
    np.float64(0.1)
    """
    seen, predicted = (np.asarray(one, dtype=float) for one in (truth, forecast))
    if seen.ndim != 2 or predicted.shape != seen.shape:
        raise BadInput(
            f"truth and forecast must have one shape (T, cells), got {seen.shape} and "
            f"{predicted.shape}; pass a cut through a field with more axes"
        )
    middle = float(np.nanmean(seen))  # masked cells are NaN, and are not drawn
    half = float(np.nanmax(np.abs(seen - middle))) or 1.0
    time = dt * np.arange(1, len(seen) + 1)
    place = length * (np.arange(seen.shape[1]) + 0.5) / seen.shape[1]
    meshes = []
    names = ("truth", "forecast", "error")
    for ax, rows, centre, name in zip(
        axes, (seen, predicted, predicted - seen), (middle, middle, 0.0), names, strict=True
    ):
        options = {"cmap": "RdBu_r", "vmin": centre - half, "vmax": centre + half, **style}
        meshes.append(ax.pcolormesh(time, place, rows.T, shading="nearest", **options))
        ax.set(ylabel="space", title=name)
    axes[-1].set(xlabel="time")
    return meshes


def attractor(
    axes: Any, truth: Any, run: Any, delay: int | None = None, **style: Any
) -> tuple[Any, Any]:
    """A series (T, d) and a free run (S, d) side by side on two Axes, in the space of the columns.

    Of a series of two columns and more the first two are drawn, of two Axes in space
    (`projection="3d"`) the first three. One column is drawn against itself `delay` rows earlier, by
    default the first lag at which its autocorrelation is below 1 - 1/e [ROS93]. Both share the
    limits of the truth; what leaves them is drawn at the edge.

    >>> from matplotlib.figure import Figure
    >>> wave = np.sin(2 * np.pi * np.arange(600) / 60)
    >>> left, right = attractor(Figure().subplots(1, 2), wave[:300], wave[300:])
    >>> bool(np.allclose(left.get_data(), right.get_data()))
    True
    """
    rows, other = (np.asarray(one, dtype=float).reshape(len(one), -1) for one in (truth, run))
    if rows.shape[1] != other.shape[1] or not rows.shape[1] or not np.isfinite(rows).all():
        raise BadInput(
            f"truth and run must be finite and have the same columns, got shapes {rows.shape} and "
            f"{other.shape}; pass (T, d) and (S, d)"
        )
    space = getattr(axes[0], "name", "") == "3d"
    if rows.shape[1] == 1:
        lag = delay_of(rows[:, 0]) if delay is None else delay
        count = 3 if space and len(rows) > 2 * lag and len(other) > 2 * lag else 2
        names = ["value", *(f"value {k * lag} rows before" for k in range(1, count))]
        rows, other = (
            np.column_stack([one[(count - 1 - k) * lag : len(one) - k * lag] for k in range(count)])
            for one in (rows, other)
        )
    else:
        count = min(rows.shape[1], 3 if space else 2)
        names = [f"column {k}" for k in range(count)]
        rows, other = rows[:, :count], other[:, :count]
    low, high = rows.min(axis=0), rows.max(axis=0)
    margin = 0.05 * np.where(high > low, high - low, 1.0)
    other = np.clip(np.nan_to_num(other, nan=np.inf), low - margin, high + margin)
    lines = []
    for ax, points, title in zip(axes, (rows, other), ("truth", "free run"), strict=True):
        options = {"color": ACCENTS[0], "linewidth": 0.4, **style}
        (line,) = ax.plot(*points.T, **options)
        ax.set(title=title, **dict(zip(("xlabel", "ylabel", "zlabel"), names, strict=False)))
        ends = zip(low - margin, high + margin, strict=True)
        ax.set(**dict(zip(("xlim", "ylim", "zlim"), ends, strict=False)))
        lines.append(line)
    return lines[0], lines[1]


def plot_reliability(axes: Axes, result: Reliability, **style: Any) -> None:
    """The share of cases that came as predicted against the probability that they were given.

    Points on the diagonal are what the probabilities promise; bars are 95 % intervals.

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> shares = np.repeat([[0.75, 0.25]], 4, axis=0)
    >>> plot_reliability(axes, sn.metrics.reliability(shares, [0, 0, 1, 0], [0, 1], bins=1))
    >>> axes.lines[0].get_xydata().tolist()
    [[0.75, 0.75]]
    """
    errors = [
        np.maximum(result.observed - result.lower, 0.0),
        np.maximum(result.upper - result.observed, 0.0),
    ]
    options = {"fmt": "o", "color": ACCENTS[0], "capsize": 2, **style}
    axes.errorbar(result.predicted, result.observed, yerr=errors, label="95 % interval", **options)
    low = min(float(result.predicted.min()), float(result.lower.min()))
    axes.plot([low, 1.0], [low, 1.0], color="0.6", linewidth=0.8, zorder=0, label="as promised")
    axes.set(
        xlabel="probability of the predicted class",
        ylabel="share that came so",
        title=f"Brier score {result.brier:.3f}",
    )
    axes.legend(frameon=False)


def plot_linear_bound(axes: Axes, frequencies: Any, **style: Any) -> None:
    """The best accuracy of any linear network on the task sin(ν u), against ν.

    >>> from matplotlib.figure import Figure
    >>> import spheresn as sn
    >>> axes = Figure().add_subplot()
    >>> plot_linear_bound(axes, [1.0, 2.5, 4.0])
    >>> axes.lines[0].get_ydata().round(3)
    array([0.954, 0.642, 0.047])
    """
    nus = np.asarray(frequencies, float)
    axes.plot(
        nus,
        linear_bound(nus),
        **{"color": "black", "linewidth": 0.8, "label": "any linear network", **style},
    )
    axes.set(xlabel="frequency ν", ylabel="accuracy γ", ylim=(-0.02, 1.02))


def plot_forecast(axes: Axes, forecast: Any, known: Any, past: int | None = None) -> None:
    """The end of a series and a `forecasting.Forecast` of it, with its interval.

    known: the series that was fitted; past: its last rows that are drawn, by default three times as
    many as are forecast.

    >>> from matplotlib.figure import Figure
    >>> from spheresn.forecasting import SeriesForecaster
    >>> axes, wave = Figure().add_subplot(), np.sin(0.3 * np.arange(100.0))
    >>> plot_forecast(axes, SeriesForecaster().fit(wave).forecast(10), wave)
    >>> [len(line.get_xdata()) for line in axes.lines]
    [30, 11]
    """
    values = np.asarray(known).reshape(len(known), -1)
    mean, lower, upper = (
        np.asarray(part).reshape(len(forecast.index), -1)
        for part in (forecast.mean, forecast.lower, forecast.upper)
    )
    rows = min(past or 3 * len(mean), len(values))
    times = _drawable(getattr(known, "index", np.arange(len(values))))[-rows:]
    coming = _drawable(forecast.index)
    names = getattr(known, "columns", [getattr(known, "name", None)] * values.shape[1])
    for column, name in enumerate(names):
        colour = ACCENTS[column % len(ACCENTS)]
        label = "forecast" if name is None else f"{name}, forecast"
        before = "0.55" if values.shape[1] == 1 else colour
        axes.plot(times, values[-rows:, column], color=before, linewidth=1.1)
        joined = np.append(times[-1:], coming)
        path = np.append(values[-1:, column], mean[:, column])
        axes.plot(joined, path, color=colour, linewidth=1.6, label=label)
        axes.fill_between(
            coming,
            lower[:, column],
            upper[:, column],
            color=colour,
            alpha=0.18,
            linewidth=0,
            label=f"{100 * forecast.level:g} % interval" if column == 0 else None,
        )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)


def _drawable(index: Any) -> Any:
    """Times for an axis: periods as the dates at which they begin, dates without time zone."""
    if hasattr(index, "to_timestamp"):
        index = index.to_timestamp()
    if getattr(index, "tz", None) is not None:
        index = index.tz_localize(None)
    return np.asarray(index)
