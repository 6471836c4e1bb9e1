"""The main job on a series of one's own: choose, backtest, forecast, with intervals from the
backtest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from ..._validation import BadInput, Floats, whole
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
from ...forecasting.methods import Forecasts, LinearAutoregression, Naive
from ...forecasting.network import RULES, NetworkSettings, Report, select_network
from ..tables import Series

NETWORK, PERSISTENCE, LINEAR = "network", "persistence", "linear"
STAGES = len(RULES) + FOLDS + 1  # how often a job tells what it is doing


@dataclass(frozen=True, eq=False)
class Outlook:
    """Forecast (H, d) with its interval, in the units of the data; the backtest is in deviations of
    the columns, `scale` (d,) each.
    """

    series: Series
    recipe: NetworkSettings
    model: ESNForecaster
    test: Backtest
    scale: Floats
    values: Floats
    lower: Floats
    upper: Floats

    @property
    def steps(self) -> int:
        """How far ahead."""
        return len(self.values)

    @property
    def times(self) -> list[str]:
        """The time of each forecast."""
        return self.series.ahead(self.steps)


def forecast(
    series: Series, steps: int | None, units: int, seed: int, tell: Report = lambda doing: None
) -> Outlook:
    """Settings are chosen on the rows before the backtest; the same settings are then tested, and
    taught the whole series.
    """
    whole("--units", units, 1)
    whole("--seed", seed, 0)
    ahead, before = (
        horizon(len(series.values), steps, ("FILE", "--steps")),
        first_origin(len(series.values)),
    )
    series = varying(series, before)
    with threadpool_limits(1):  # these matrices are small: threads would wait for each other
        # The choice must not know the backtest, not even its spread
        recipe = select_network(series.values[:before], ahead, units, seed, tell)
        return by_recipe(series, ahead, recipe, tell)


def by_recipe(
    series: Series, steps: int, recipe: NetworkSettings, tell: Report = lambda doing: None
) -> Outlook:
    """The backtest of a recipe beside the simple methods, and its forecast with intervals from the
    errors of that backtest.
    """
    methods: dict[str, Fit] = {
        NETWORK: recipe.fit,
        PERSISTENCE: Naive.fit,
        LINEAR: LinearAutoregression.fit,
    }
    test = backtest(series.values, steps, methods, tell)
    tell("forecasting")
    rows = test.scaler.forward(series.values)
    final = recipe.fit(rows)
    ahead, widths = final.forecast(rows, [len(rows)], steps), half_widths(test.errors(NETWORK))
    series = replace(series, notes=(*series.notes, *_escapes(ahead, test)))
    values = ahead.values[0]
    parts = (test.scaler.backward(part) for part in (values, values - widths, values + widths))
    return Outlook(series, recipe, final.model, test, test.scaler.scale, *parts)


def varying(series: Series, rows: int) -> Series:
    """Without the columns that are constant over the first rows, which leave nothing to learn."""
    varies = (
        np.ptp(
            series.values[:rows]
            / np.maximum(np.abs(series.values).max(axis=0), np.finfo(float).tiny),
            axis=0,
        )
        > 0.0
    )
    still = [name for name, moves in zip(series.names, varies, strict=True) if not moves]
    if not varies.any():
        raise BadInput(
            f"columns must vary, got the same number in the first {rows} rows of {still[0]!r}; "
            "choose others with --column"
        )
    note = (f"left out, constant over the first {rows} rows: {', '.join(still)}",) if still else ()
    names = tuple(name for name in series.names if name not in still)
    return replace(
        series,
        names=names,
        values=np.ascontiguousarray(series.values[:, varies]),
        notes=(*series.notes, *note),
    )


def _escapes(ahead: Forecasts, test: Backtest) -> list[str]:
    """Free runs that left the range of the data and were ended in its mean."""
    away = int(test.diverged[NETWORK].sum())
    found = (
        [
            f"{away} of the {len(test.origins)} backtest runs of the network ran away and were "
            "ended in the mean"
        ]
        if away
        else []
    )
    if ahead.diverged[0]:
        found.append(
            "the forecast ran away and ends in the mean of the data: do not trust it from there"
        )
    return found
