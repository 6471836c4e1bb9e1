"""The methods that are compared. Each takes the rows before a hold-out, those of it without their
values, and its panel, and gives quantiles (n, H, 1 + 5) of the series in the order of their names:
the point forecast, and then SHARES; NaN where a method says nothing about a quantile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from .sources import PanelSource

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
LEVELS = (50, 90)  # the intervals whose ends are these quantiles
RECENT = 400  # rows of a series that statsforecast sees, at most: its searches take minutes on more
SAMPLED = {"AutoARIMA": 6, "AutoETS": 60, "AutoTheta": 60}  # series of a panel at most: slow ones
Answer = np.ndarray


def _shaped(table: pd.DataFrame, column: str) -> np.ndarray:
    count = table["unique_id"].nunique()
    return table.sort_values(["unique_id", "ds"])[column].to_numpy(float).reshape(count, -1)


def _with_levels(table: pd.DataFrame, name: str) -> Answer:
    """The point forecast and the ends of its intervals, as mlforecast and statsforecast name
    them."""
    point = _shaped(table, name)
    found = np.full((*point.shape, 1 + len(SHARES)), np.nan)
    found[:, :, 0] = point
    if f"{name}-lo-{LEVELS[0]}" in table.columns:
        ends = [f"{name}-lo-90", f"{name}-lo-50", "", f"{name}-hi-50", f"{name}-hi-90"]
        for place, end in enumerate(ends, 1):
            found[:, :, place] = _shaped(table, end) if end else point
    return found


def spheresn(source: PanelSource, rows: pd.DataFrame, ahead: pd.DataFrame) -> Answer:
    """This library, with the season that its rivals are given."""
    from spheresn.forecasting import PanelForecaster

    model = PanelForecaster(
        source.season if source.season > 1 else None, horizon=source.steps, verbose=False
    ).fit(rows, exogenous=source.known)
    known = ahead.drop(columns="y") if source.known else None
    forecast = model.forecast(source.steps, exogenous=known)
    parts = [forecast.mean, *(forecast.quantile(share) for share in SHARES)]
    count = rows["unique_id"].nunique()
    return np.stack([np.asarray(part).reshape(count, -1) for part in parts], axis=2)


def seasonal_naive(source: PanelSource, rows: pd.DataFrame, ahead: pd.DataFrame) -> Answer:
    """The last season repeated."""
    place = np.arange(source.steps) % source.season
    points = np.array(
        [one.to_numpy()[-source.season :][place] for _, one in rows.groupby("unique_id")["y"]]
    )
    return np.concatenate(
        [points[:, :, None], np.full((*points.shape, len(SHARES)), np.nan)], axis=2
    )


def _stats(make: Callable[[int], Any], intervals: bool) -> Callable[..., Answer]:
    def forecast(source: PanelSource, rows: pd.DataFrame, ahead: pd.DataFrame) -> Answer:
        from statsforecast import StatsForecast
        from statsforecast.models import SeasonalNaive

        shortest = int(rows.groupby("unique_id").size().min())
        season = source.season if 2 * source.season < shortest else 1
        recent = rows.groupby("unique_id").tail(RECENT)[["unique_id", "ds", "y"]]
        engine = StatsForecast(
            models=[make(season)],
            freq=source.frequency,
            n_jobs=1,
            fallback_model=SeasonalNaive(season),
        )
        levels = {"level": list(LEVELS)} if intervals else {}
        found = engine.forecast(df=recent, h=source.steps, **levels)
        name = next(column for column in found.columns if column not in ("unique_id", "ds"))
        return _with_levels(found.reset_index(drop=True), name)

    return forecast


def _ets(season: int) -> Any:
    from statsforecast.models import AutoETS

    return AutoETS(season_length=season)


def _theta(season: int) -> Any:
    from statsforecast.models import AutoTheta

    return AutoTheta(season_length=season)


def _arima(season: int) -> Any:
    from statsforecast.models import AutoARIMA

    return AutoARIMA(season_length=season)


def _croston(season: int) -> Any:
    from statsforecast.models import CrostonSBA

    return CrostonSBA()


def _tsb(season: int) -> Any:
    from statsforecast.models import TSB

    return TSB(0.1, 0.1)


DATES = {
    "D": ["dayofweek", "day", "month", "week"],
    "MS": ["month"],
    "QS": ["quarter"],
}


def _boosted(transform: str, objective: str, leaves: int, intervals: bool) -> Callable[..., Answer]:
    """LightGBM by mlforecast: lags of the last season and those before, smoothed and rolling means,
    features of the dates, and the known columns; logarithms, differences or standardised values.
    """

    def forecast(source: PanelSource, rows: pd.DataFrame, ahead: pd.DataFrame) -> Answer:
        from lightgbm import LGBMRegressor
        from mlforecast import MLForecast
        from mlforecast.lag_transforms import ExponentiallyWeightedMean, RollingMean
        from mlforecast.target_transforms import (
            Differences,
            GlobalSklearnTransformer,
            LocalStandardScaler,
        )
        from mlforecast.utils import PredictionIntervals
        from sklearn.preprocessing import FunctionTransformer

        season = source.season
        lags = sorted({*range(1, min(season, 12) + 1), season, 2 * season}) if season > 1 else []
        lags = lags or [1, 2, 3, 4, 5]
        smooth: list[Any] = [ExponentiallyWeightedMean(0.3)]
        smooth += [RollingMean(season)] if season > 1 else []
        transforms: list[Any] = []
        if transform.startswith("log"):
            transforms.append(GlobalSklearnTransformer(FunctionTransformer(np.log1p, np.expm1)))
        change = Differences([season])
        transforms.append(change if transform.endswith("diff") else LocalStandardScaler())
        trees = LGBMRegressor(
            objective=objective,
            num_leaves=leaves,
            n_estimators=200,
            learning_rate=0.05,
            min_child_samples=10,
            n_jobs=1,
            verbose=-1,
        )
        model = MLForecast(
            {"lgbm": trees},
            freq=source.frequency,
            lags=lags,
            lag_transforms={1: smooth},
            target_transforms=transforms,
            date_features=DATES.get(source.frequency, []),
            num_threads=1,
        )
        asked: dict[str, Any] = {}
        if intervals:
            windows = PredictionIntervals(n_windows=2, h=source.steps)
            asked = {"prediction_intervals": windows}
        columns = ["unique_id", "ds", "y", *source.known]
        model.fit(rows[columns], static_features=[], **asked)
        known = ahead[["unique_id", "ds", *source.known]] if source.known else None
        levels = {"level": list(LEVELS)} if intervals else {}
        return _with_levels(model.predict(source.steps, X_df=known, **levels), "lgbm")

    return forecast


BOOSTED = {
    f"LightGBM {transform} {objective}": (transform, objective, 31)
    for transform in ("diff", "logdiff", "std", "logstd")
    for objective in ("l1", "l2")
}
METHODS: dict[str, Callable[..., Answer]] = {
    "PanelForecaster": spheresn,
    "seasonal naive": seasonal_naive,
    "AutoETS": _stats(_ets, True),
    "AutoTheta": _stats(_theta, True),
    "AutoARIMA": _stats(_arima, True),
    "Croston": _stats(_croston, False),
    "TSB": _stats(_tsb, False),
    **{name: _boosted(*setting, False) for name, setting in BOOSTED.items()},
}


def with_intervals(name: str) -> Callable[..., Answer]:
    """A setting of LightGBM with the conformal intervals of mlforecast."""
    return _boosted(*BOOSTED[name], True)


def takes(name: str, source: PanelSource) -> bool:
    """Whether a method is for this panel."""
    return source.counts or name not in ("Croston", "TSB")


def sampled(name: str, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the series that a method forecasts: all, or some, evenly spread, for a slow
    one.
    """
    most = SAMPLED.get(name)
    if most is None:
        return rows
    ids = sorted(rows["unique_id"].unique())
    return rows[rows["unique_id"].isin(ids[:: max(len(ids) // most, 1)][:most])]
