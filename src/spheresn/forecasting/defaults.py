"""The numbers of `SeriesForecaster`: of its methods, its combination and its seasons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SeriesDefaults:
    """The numbers by which an ordinary series is forecast.

    Those of the combination and of its methods were chosen on the development half of
    benchmarks/series. The others state what they are for.
    """

    # A series and its horizon
    least_rows: int = 10  # for a forecast and its record
    steps: int = 24  # the horizon of a series without a season: a day of hours
    most_steps: int = 200  # of a horizon that the user leaves open

    # The record: forecasts from origins within the series
    late_share: int = 3  # one row in so many, at the end of a series, is forecast
    folds: int = 4  # times that every method is fitted again, to all rows before a fold of origins
    record_origins: int = 24  # forecasts of each method, at most
    reach: int = 6  # one row in so many is the longest forecast

    # The weights
    power: float = 4.0  # weights are errors to the power of minus this
    worst: float = 1.3  # times the least error: a method with a larger one gets no weight
    recent: float = 1.5  # the last forecast counts e^recent times as much as the first
    outlier: float = 1.5  # times the least error: a forecast that far from the others is left out
    negligible: float = 1e-9  # deviations: smaller errors are equal, so that none is divided by 0
    # The weights were chosen by the errors from which the interval comes, so these are too small.
    # This factor gives the right coverage.
    wider: float = 1.1

    # Networks
    units: int = 50  # of a network that also sees past values
    clean: float = 0.1  # of a step: one-step errors below which a series may be deterministic
    # Of the one-step error of a linear autoregression: below, a series is nonlinear dynamics, maybe
    # noisy. Lorenz, Rössler, Mackey-Glass and Hénon with 1 to 10 % noise have .46 to .93; random
    # walks, seasons, trends, counts and linear autoregressions .999 to 1.006.
    nonlinear: float = 0.95
    clean_rows: int = 300  # a clean series of fewer rows is too short for a larger network
    clean_units: int = 300  # of that network

    # Seasons
    confidence: float = 1.645  # deviations above zero of an autocorrelation: chance gives 5 %
    strong: float = 0.3  # autocorrelation of a season that no date suggests
    repeats: int = 3  # a season that no date suggests must fit so often into the series
    rounding: float = 1e-12  # of the largest value: smaller variation is rounding


SERIES_DEFAULTS = SeriesDefaults()
