"""A network measured while the user's data drive it: exponents, echo state, memory, capacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

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
from ...forecasting.network import Report
from ...reservoir import Reservoir
from ..tables import Series
from .numbers import plain
from .summary import fitted

FEWEST, MOST = 300, 5000  # rows; of a longer table the last ones are looked at
EXPONENTS, TIMES, NOISE_ROWS, DELAYS = 10, 50, 5000, (50, 15)
FARTHEST = 100  # steps back at most
STAGES = 5


@dataclass(frozen=True, eq=False)
class Analysis:
    """Measures of one network on one series; `capacity` (of white noise) only where the network has
    one input.
    """

    series: Series
    model: Any
    rows: int
    exponents: LyapunovSpectrum
    echo: EchoState
    profile: MemoryProfile
    recall: MemoryCapacity
    capacity: InformationProcessingCapacity | None


def analyse(model: Any, series: Series, tell: Report = lambda doing: None) -> Analysis:
    """The network of a fitted model, driven by the last rows of a series as the model hears
    them.
    """
    at_least("FILE", len(series.values), FEWEST, "to measure a network on")
    network, heard = model.reservoir_, heard_by(model, series)[-MOST:]
    transient, reach = len(heard) // 5, min(FARTHEST, len(heard) // 10)
    with threadpool_limits(1):
        tell("Lyapunov exponents")
        exponents = lyapunov_spectrum(
            network, heard, min(EXPONENTS, network.tangent_dim), transient
        )
        tell("echo state")
        echo = echo_state(network, heard, transient=transient)
        tell("memory")
        profile = memory_profile(network, heard, reach, min(TIMES, len(heard) - reach))
        half = len(heard) // 2
        recall = memory_capacity(
            network, heard[:half], heard[half:], reach, washout=reach, penalty=1e-6
        )
        tell("capacity")
        capacity = white_capacity(network) if network.n_inputs == 1 else None
    return Analysis(series, model, len(heard), exponents, echo, profile, recall, capacity)


def heard_by(model: Any, series: Series) -> Floats:
    """The rows in the deviations that the network was fitted to."""
    scaler = model.scaler_ if isinstance(model, ESNForecaster) else model.frame_.scaler
    return np.ascontiguousarray(scaler.forward(series.values))


def white_capacity(network: Reservoir) -> InformationProcessingCapacity:
    """What the network can compute of independent inputs as strong as the data: uniform, of
    deviation one.
    """
    edge = float(np.sqrt(3.0))
    noise = white_noise(NOISE_ROWS, 0, low=-edge, high=edge)
    return information_processing_capacity(
        drive(network, noise), noise, DELAYS, bounds=(-edge, edge)
    )


def measured(found: Analysis) -> dict[str, Any]:
    """All numbers, as JSON can say them."""
    told = {
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
    return dict(plain(told))
