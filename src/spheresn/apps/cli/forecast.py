"""The main job on a series of one's own: choose, backtest, forecast, with intervals from the
backtest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from ..._errors import BadInput
from ..._validation import Floats, whole
from ...estimators import ESNForecaster
from ...forecasting.backtest import FOLDS, Backtest, Teach, backtest, first_origin, horizon
from ...forecasting.baselines import Linear, Persistence
from ...forecasting.intervals import half_widths
from ...forecasting.network import RULES, Recipe, Tell, Trained, choose
from ...forecasting.runaway import Runs
from ..tables import Series

NETWORK, PERSISTENCE, LINEAR = "network", "persistence", "linear"
STAGES = len(RULES) + FOLDS + 1  # how often a job tells what it is doing


@dataclass(frozen=True, eq=False)
class Outlook:
    """Forecast (H, d) with its interval, in the units of the data; the backtest is in deviations of
    the columns, `scale` (d,) each.
    """

    series: Series
    recipe: Recipe
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
    series: Series, steps: int | None, units: int, seed: int, tell: Tell = lambda doing: None
) -> Outlook:
    """Settings are chosen on the rows before the backtest; the same settings are then tested, and
    taught the whole series.
    """
    whole("--units", units, 1)
    whole("--seed", seed, 0)
    ahead, before = horizon(len(series.values), steps), first_origin(len(series.values))
    series = varying(series, before)
    # The choice must not know the backtest, not even its spread
    centre, scale = centre_and_scale(series.values[:before])
    with threadpool_limits(1):  # these matrices are small: threads would wait for each other
        recipe = choose((series.values[:before] - centre) / scale, ahead, units, seed, tell)
        return by_recipe(series, ahead, recipe, tell)


def by_recipe(
    series: Series, steps: int, recipe: Recipe, tell: Tell = lambda doing: None
) -> Outlook:
    """The backtest of a recipe beside the simple methods, and its forecast with intervals from the
    errors of that backtest.
    """
    centre, scale = centre_and_scale(series.values)
    rows = (series.values - centre) / scale
    methods: dict[str, Teach] = {
        NETWORK: lambda taught: Trained.of(recipe, taught),
        PERSISTENCE: lambda taught: Persistence(),
        LINEAR: Linear.of,
    }
    test = backtest(rows, steps, methods, tell)
    tell("forecasting")
    final = Trained.of(recipe, rows)
    ahead, errors = final.ahead(steps), test.errors(NETWORK)
    widths = np.column_stack([half_widths(errors[:, :, column]) for column in range(rows.shape[1])])
    series = replace(series, notes=(*series.notes, *_escapes(ahead, test)))
    values = ahead.values[0]
    parts = (part * scale + centre for part in (values, values - widths, values + widths))
    return Outlook(series, recipe, final.model, test, scale, *parts)


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


def centre_and_scale(values: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation, by way of the largest value, whose square might overflow."""
    largest = np.abs(values).max(axis=0)
    return (values / largest).mean(axis=0) * largest, (values / largest).std(axis=0) * largest


def _escapes(ahead: Runs, test: Backtest) -> list[str]:
    """Free runs that left the range of the data and were ended in its mean."""
    away = int(test.away[NETWORK].sum())
    found = (
        [
            f"{away} of the {len(test.origins)} backtest runs of the network ran away and were "
            "ended in the mean"
        ]
        if away
        else []
    )
    if ahead.away[0]:
        found.append(
            "the forecast ran away and ends in the mean of the data: do not trust it from there"
        )
    return found
