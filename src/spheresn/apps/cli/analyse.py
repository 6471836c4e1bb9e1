"""`spheresn analyse`: measures of a network while the user's data drive it, and their figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from ..._formatting import format_number
from ..._validation import Floats, at_least
from ...analysis import (
    EchoState,
    InformationProcessingCapacity,
    LyapunovSpectrum,
    MemoryCapacity,
    MemoryProfile,
    echo_state,
    information_processing_capacity,
    lyapunov_spectrum,
    memory_capacity,
    memory_profile,
)
from ...datasets import white_noise
from ...driving import drive
from ...estimators import ESNForecaster
from ...forecasting.series import Report
from ...plotting import plot_echo_state, plot_memory_profile, plot_spectrum
from ...reservoir import Reservoir
from .._json import plain
from ..forecasts.summary import fitted
from ..tables import TimeSeries

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The measures use the last rows of a longer table
LEAST_ROWS_TO_MEASURE, MOST_ROWS_TO_MEASURE = 300, 5000
# Leading exponents; times at which the memory profile is averaged; rows of noise for the capacity,
# and its longest delays for degrees one and two
EXPONENTS_SHOWN, PROFILE_TIMES, NOISE_ROWS, CAPACITY_DELAYS = 10, 50, 5000, (50, 15)
LONGEST_DELAY = 100  # of the memory profile: more is not seen in a picture
ANALYSIS_STAGES = 4  # how often `analyse` calls `report`
BLUE = "#0072B2"
LEAST_INFLUENCE = 1e-16  # smaller relative influences are rounding errors


@dataclass(frozen=True, eq=False)
class Analysis:
    """Measures of one network on one series; `capacity`, measured with white noise, is None if the
    network has several inputs.
    """

    series: TimeSeries
    model: Any
    rows: int
    exponents: LyapunovSpectrum
    echo: EchoState
    profile: MemoryProfile
    recall: MemoryCapacity
    capacity: InformationProcessingCapacity | None


def analyse(model: Any, series: TimeSeries, report: Report = lambda stage: None) -> Analysis:
    """Measure the network of a fitted model on the last rows of a series, scaled as in the fit.
    `report` is called with the name of each stage that begins.
    """
    at_least("FILE", len(series.values), LEAST_ROWS_TO_MEASURE, "to measure a network on")
    network, signal = model.reservoir_, scaled_input(model, series)[-MOST_ROWS_TO_MEASURE:]
    transient, delays = len(signal) // 5, min(LONGEST_DELAY, len(signal) // 10)
    with threadpool_limits(1):
        report("Lyapunov exponents")
        exponents = lyapunov_spectrum(
            network, signal, min(EXPONENTS_SHOWN, network.tangent_dim), transient
        )
        report("echo state")
        echo = echo_state(network, signal, transient=transient)
        report("memory")
        profile = memory_profile(network, signal, delays, min(PROFILE_TIMES, len(signal) - delays))
        half = len(signal) // 2
        recall = memory_capacity(
            network, signal[:half], signal[half:], delays, washout=delays, penalty=1e-6
        )
        report("capacity")
        capacity = white_noise_capacity(network) if network.n_inputs == 1 else None
    return Analysis(series, model, len(signal), exponents, echo, profile, recall, capacity)


def scaled_input(model: Any, series: TimeSeries) -> Floats:
    """The rows in standard deviations, as the network gets them."""
    scaler = model.scaler_ if isinstance(model, ESNForecaster) else model.frame_.scaler
    return np.ascontiguousarray(scaler.forward(series.values))


def white_noise_capacity(network: Reservoir) -> InformationProcessingCapacity:
    """The capacity for independent inputs as strong as the data: uniform, with standard deviation
    one.
    """
    edge = float(np.sqrt(3.0))
    noise = white_noise(NOISE_ROWS, 0, low=-edge, high=edge)
    return information_processing_capacity(
        drive(network, noise), noise, CAPACITY_DELAYS, bounds=(-edge, edge)
    )


def measures(found: Analysis) -> dict[str, Any]:
    """All numbers, for JSON."""
    content = {
        "source": found.series.source,
        "columns": list(found.series.names),
        "rows": found.rows,
        "notes": list(found.series.notes),
        "fitted": fitted(found.model),
        "exponents": found.exponents.exponents,
        "standard_errors": found.exponents.standard_errors,
        "echo_state": {
            "verdict": found.echo.verdict,
            "reason": found.echo.reason,
            "washout": found.echo.washout,
        },
        "memory_profile": found.profile.relative,
        "recall": {"total": found.recall.total, "per_delay": found.recall.per_delay},
        "capacity": found.capacity
        and {
            "total": found.capacity.total,
            "by_degree": found.capacity.by_degree,
            "rank": found.capacity.rank,
        },
    }
    return dict(plain(content))


def figure(found: Analysis) -> Figure:
    """Four panels, each with its result in the title: exponents, echo state, memory profile,
    recall.
    """
    from matplotlib.figure import Figure  # here, since only this function needs it

    drawing = Figure(figsize=(8.0, 6.4), layout="constrained")
    axes = drawing.subplots(2, 2)
    plot_spectrum(axes[0, 0], found.exponents, color=BLUE)
    largest = float(found.exponents.exponents[0])
    axes[0, 0].set_title(
        f"largest exponent {format_number(largest, 3)}: "
        + ("the past fades" if largest < 0 else "the past does not fade")
    )
    plot_echo_state(axes[0, 1], found.echo, color=BLUE)
    axes[0, 1].set_title(f"echo state: {found.echo.verdict}")
    plot_memory_profile(axes[1, 0], found.profile, color=BLUE)
    axes[1, 0].set(
        xlabel="steps back", ylabel="influence on the state, relative", ylim=(LEAST_INFLUENCE, 3.0)
    )
    axes[1, 0].set_xlim(
        0,
        max(
            int((found.profile.sensitivity > LEAST_INFLUENCE * found.profile.sensitivity[0]).sum()),
            2,
        ),
    )
    axes[1, 0].set_title("how fast an input fades")
    _draw_recall(axes[1, 1], found)
    for panel in axes.flat:
        panel.title.set_fontsize(9.5)
        panel.spines[["top", "right"]].set_visible(False)
    return drawing


def _draw_recall(axes: Axes, found: Analysis) -> None:
    per_delay, inputs = found.recall.per_delay, found.model.reservoir_.n_inputs
    axes.plot(np.arange(len(per_delay)), per_delay / inputs, color=BLUE)
    axes.set(xlabel="steps back", ylabel="share recalled (R²)", ylim=(-0.02, 1.02))
    axes.set_title("recall of your data from the state")
