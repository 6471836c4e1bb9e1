"""Forecast many shops by one model that learns from all of them, new ones among them."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

from spheresn.forecasting import PanelForecaster

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SHOPS, DAYS, AHEAD = 60, 280, 14


def sales() -> pd.DataFrame:
    """Shops of all sizes with a week, promotions and slow changes of their own; made up."""
    rng = np.random.default_rng(1)
    days = pd.date_range("2024-01-01", periods=DAYS + AHEAD)
    week = np.array([0.9, 0.8, 0.9, 1.0, 1.3, 1.5, 0.6])[np.asarray(days.day_of_week)]
    promotion = np.repeat(rng.uniform(size=(DAYS + AHEAD) // 7 + 1) < 0.3, 7)[: len(days)]
    parts = []
    for shop in range(SHOPS):
        level = np.exp(rng.normal(4, 1) + np.cumsum(0.02 * rng.standard_normal(len(days))))
        values = level * week ** rng.uniform(0.5, 1.5) * (1 + 0.4 * promotion)
        values = rng.poisson(values).astype(float)
        begin = rng.integers(0, DAYS - 60)  # not all shops opened at the beginning
        columns = {"unique_id": f"shop {shop:03}", "ds": days, "y": values, "promotion": promotion}
        parts.append(pd.DataFrame(columns).iloc[begin:])
    return pd.concat(parts, ignore_index=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    table = sales()
    ahead = table["ds"] > table["ds"].max() - pd.Timedelta(days=AHEAD)
    past, future = table[~ahead], table[ahead]
    model = PanelForecaster(horizon=AHEAD, verbose=False).fit(past, exogenous="promotion")
    forecast = model.forecast(AHEAD, exogenous=future.drop(columns="y"))

    shown = past.groupby("unique_id").size().sort_values().index[[0, 10, 20, 30, 45, -1]]
    figure, axes = plt.subplots(2, 3, figsize=(10, 4.6), layout="constrained")
    forecast.plot(shown, axes)
    for panel, shop in zip(axes.ravel(), shown, strict=True):
        truth = future[future["unique_id"] == shop]
        panel.plot(truth["ds"], truth["y"], ".", color="0.2", markersize=3)
    figure.suptitle("Six of 60 shops: sales, forecast with a 90 % interval, and what came (dots)")
    figure.savefig(out / "forecast_shops.png", dpi=100)

    both = forecast.to_frame().merge(future, on=["unique_id", "ds"])
    inside = ((both["lower"] <= both["y"]) & (both["y"] <= both["upper"])).mean()
    wape = (both["mean"] - both["y"]).abs().sum() / both["y"].sum()
    print(f"errors are {100 * wape:.0f} % of all sales; {100 * inside:.0f} % of days inside")
    print(model.describe())


if __name__ == "__main__":
    main()
