"""How good would the forecasts have been? Methods forecast the last third of a series."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._errors import BadInput
from .._validation import table, whole
from ..series.scaling import Scaler
from .defaults import SERIES_DEFAULTS
from .rolling import Backtest, Fit, roll, spread_origins

# From less than the first two a mean error says little; more origins than the last only take time
LEAST_BACKTEST_ROWS, LEAST_BACKTEST_ORIGINS, MOST_BACKTEST_ORIGINS = 60, 10, 100
BACKTEST_STEPS = 200  # ahead where nobody sets them, at most


def backtest(
    series: ArrayLike,
    steps: int,
    methods: Mapping[str, Fit],
    report: Callable[[str], None] = lambda stage: None,
) -> Backtest:
    """Forecasts of `steps` rows by every method from many origins in the last third of a series.

    series (T,) or (T, d), with at least 60 rows; the methods see it standardised. Each method is a
    function that fits rows and returns a `Method`. It is called up to four times, each time with
    all rows before the first origin of the next fold: no forecast uses a row that it is tested on.
    `report` is called with the name of each stage that begins.

    >>> from spheresn.forecasting import Autoregression, Naive
    >>> wave = np.sin(0.3 * np.arange(150.0))
    >>> methods = {"naive": Naive.fit, "linear": Autoregression().fit}
    >>> test = backtest(wave, 10, methods)
    >>> min(methods, key=test.rmse), bool(test.rmse("linear") < 0.01)
    ('linear', True)
    """
    values = table("series", series)
    ahead = horizon(len(values), steps)
    scaler = Scaler.of(values)
    rows = scaler.forward(values)
    origins = origins_of(len(rows), ahead)
    return roll(rows, origins, ahead, methods, scaler, lambda fold: report(f"backtest {fold}"))


def horizon(rows: int, steps: int | None, names: tuple[str, str] = ("series", "steps")) -> int:
    """The steps to forecast; by default so many that a backtest has enough origins.

    `names` are those of the series and of the steps in messages.
    """
    if rows < LEAST_BACKTEST_ROWS:
        raise BadInput(
            f"{names[0]} must have at least {LEAST_BACKTEST_ROWS} rows for a forecast and its "
            f"backtest, got {rows}; collect more"
        )
    longest = most_steps(rows)
    if steps is None:
        return min(BACKTEST_STEPS, rows // 5, longest)
    if whole(names[1], steps, 1) > longest:
        raise BadInput(
            f"{names[1]} must be at most {longest} for a backtest within {rows} rows, got {steps}; "
            "ask for fewer"
        )
    return int(steps)


def most_steps(rows: int) -> int:
    """The most steps ahead with which a backtest within so many rows has enough origins."""
    return rows // SERIES_DEFAULTS.late_share - LEAST_BACKTEST_ORIGINS + 1


def first_origin(rows: int) -> int:
    """The first row of the backtest of a series: settings must be chosen by the rows before it.

    >>> first_origin(300)
    200
    """
    return rows - rows // SERIES_DEFAULTS.late_share


def origins_of(rows: int, steps: int) -> NDArray[np.int64]:
    """Origins, evenly spaced over the backtest."""
    first, last = first_origin(rows), rows - steps
    return spread_origins(first, last, MOST_BACKTEST_ORIGINS)
