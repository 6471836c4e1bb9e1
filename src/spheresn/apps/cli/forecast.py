"""`spheresn forecast`: choose a network, test it, forecast, and take intervals from the test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from ..._errors import BadInput
from ..._validation import Floats, whole
from ...estimators import ESNForecaster
from ...forecasting.backtesting import (
    FOLDS,
    Backtest,
    Fit,
    backtest,
    first_origin,
    half_widths,
    horizon,
)
from ...forecasting.lagged import Autoregression
from ...forecasting.methods import Forecasts, Naive
from ...forecasting.network import RULES, NetworkSettings, Report, select_network
from ..tables import TimeSeries

NETWORK, PERSISTENCE, LINEAR = "network", "persistence", "linear"
STAGES = len(RULES) + FOLDS + 1  # how often `forecast` calls `report`


@dataclass(frozen=True, eq=False)
class Outlook:
    """A forecast and everything needed to judge it.

    `values`, `lower` and `upper` (H, d) are the forecast and its interval in the units of the data.
    The backtest is in standard deviations of the columns; `scale` (d,) holds these deviations.
    """

    series: TimeSeries
    recipe: NetworkSettings
    model: ESNForecaster
    test: Backtest
    scale: Floats
    values: Floats
    lower: Floats
    upper: Floats

    @property
    def steps(self) -> int:
        """The number of steps that are forecast."""
        return len(self.values)

    @property
    def times(self) -> list[str]:
        """The time of each forecast."""
        return self.series.ahead(self.steps)


def forecast(
    series: TimeSeries,
    steps: int | None,
    units: int,
    seed: int,
    report: Report = lambda stage: None,
) -> Outlook:
    """Choose the settings on the rows before the backtest, test these settings, and fit them to
    the whole series. `report` is called with the name of each stage that begins.
    """
    whole("--units", units, 1)
    whole("--seed", seed, 0)
    rows = len(series.values)
    ahead, before = horizon(rows, steps, ("FILE", "--steps")), first_origin(rows)
    series = without_constant_columns(series, before)
    with threadpool_limits(1):  # the matrices are small: threads would wait for each other
        # The choice must not depend on the rows of the backtest, not even through their spread.
        recipe = select_network(series.values[:before], ahead, units, seed, report)
        return by_recipe(series, ahead, recipe, report)


def by_recipe(
    series: TimeSeries, steps: int, recipe: NetworkSettings, report: Report = lambda stage: None
) -> Outlook:
    """Backtest the recipe and two simple methods, then forecast; the intervals come from the
    errors in the backtest.
    """
    methods: dict[str, Fit] = {
        NETWORK: recipe.fit,
        PERSISTENCE: Naive.fit,
        LINEAR: Autoregression().fit,
    }
    test = backtest(series.values, steps, methods, report)
    report("forecasting")
    rows = test.scaler.forward(series.values)
    final = recipe.fit(rows)
    ahead, widths = final.forecast(rows, [len(rows)], steps), half_widths(test.errors(NETWORK))
    series = replace(series, notes=(*series.notes, *_runaway_notes(ahead, test)))
    values = ahead.values[0]
    parts = (test.scaler.backward(part) for part in (values, values - widths, values + widths))
    return Outlook(series, recipe, final.model, test, test.scaler.scale, *parts)


def without_constant_columns(series: TimeSeries, rows: int) -> TimeSeries:
    """The series without the columns that are constant over the first rows; a note names them."""
    largest = np.maximum(np.abs(series.values).max(axis=0), np.finfo(float).tiny)
    varies = np.ptp(series.values[:rows] / largest, axis=0) > 0.0
    constant = [name for name, moves in zip(series.names, varies, strict=True) if not moves]
    if not varies.any():
        raise BadInput(
            f"columns must vary, got the same number in the first {rows} rows of {constant[0]!r}; "
            "choose others with --column"
        )
    note = f"left out, constant over the first {rows} rows: {', '.join(constant)}"
    return replace(
        series,
        names=tuple(name for name in series.names if name not in constant),
        values=np.ascontiguousarray(series.values[:, varies]),
        notes=(*series.notes, *([note] if constant else [])),
    )


def _runaway_notes(ahead: Forecasts, test: Backtest) -> list[str]:
    """What to say about free runs that left the range of the data."""
    away, notes = int(test.diverged[NETWORK].sum()), []
    if away:
        notes.append(
            f"{away} of the {len(test.origins)} forecasts of the network in the backtest left the "
            "range of the data; from there on the mean of the data replaces them"
        )
    if ahead.diverged[0]:
        notes.append(
            "the forecast leaves the range of the data; from there on the mean of the data "
            "replaces it, so do not trust it"
        )
    return notes
