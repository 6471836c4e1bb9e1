"""The numbers of `PanelForecaster`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PanelDefaults:
    """The numbers by which a panel is forecast.

    Those of the pool were chosen on the development half of the series of benchmarks/panels, at the
    earlier hold-out. The others state what they are for.
    """

    # The panel
    least_rows: int = 4  # of a series: two to see a change, and two to test on
    steps: int = 6  # the horizon without a season, as of yearly values
    sampled_series: int = 200  # that are asked about their season: more cost only time
    agreeing: float = 0.2  # of these series at least must confirm a season that dates suggest
    most_filled: float = 2.0  # times as many rows as there are, where gaps are interpolated
    block: int = 1000  # series that are worked on at once: bounds memory

    # Windows
    seasons: int = 3  # of rows before an origin are inputs
    lags: int = 10  # inputs without a season
    limit: float = 8.0  # units of a window: larger inputs are outliers and count as this
    reach: float = 16.0  # units: the same for targets, which may go farther
    least_spread: float = 0.02  # of the size of a window: a flat one is not divided by nothing
    offset: float = (
        0.1  # of the mean of positive values, which logarithms add where there are zeros
    )

    # Readouts
    windows: int = 20_000  # at most, that a readout learns from: more change its third digit only
    targets: int = 400_000  # at most, windows times steps: bounds the time of long horizons
    smallest_error: float = 0.001  # units: smaller ones weigh no more, or one row would decide
    rounds: int = 4  # of weights 1/|error|
    units: int = 15  # of each network beside the values

    # The pool
    origins: int = 8  # of forecasts that judge the members, at most
    judged: int = 40_000  # such forecasts of a large panel, which needs fewer of each series
    own: float = 0.25  # how much the record of a series itself counts beside that of the panel
    sharpness: float = 8.0  # weights are e to the power of minus this times the logarithm of errors
    cut: float = 0.5  # of that logarithm, above the best: a member beyond has no weight
    smallest_ratio: float = 0.05  # of usual errors: smaller ones in one series prove no more
    negligible: float = (
        1e-9  # of usual errors: smaller ones are equal, so that none is divided by 0
    )
    floor: float = 0.3  # of a seasonal naive error: smaller errors of all members count as equal

    # Intervals
    bins: int = 8  # of how rough a window is
    least_per_bin: int = 400  # windows: fewer cannot tell the ends of an interval


PANEL_DEFAULTS = PanelDefaults()
PENALTIES = (
    1e-9,
    1e-7,
    1e-5,
    1e-3,
    1e-2,
    1e-1,
    1.0,
)  # of readouts, shares of the mean square of inputs
