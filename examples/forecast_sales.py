"""Forecast monthly sales with dates and intervals, and see what the forecast is made of."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

from spheresn.forecasting import SeriesForecaster

matplotlib.use("Agg")
import matplotlib.pyplot as plt

MONTHS, AHEAD = 108, 24


def sales() -> pd.Series:
    """Growing sales with a season that grows with them, and chance; made up."""
    month = np.arange(MONTHS + AHEAD)
    rng = np.random.default_rng(0)
    season = np.sin(2 * np.pi * month / 12) + 0.4 * np.cos(4 * np.pi * month / 12)
    level = 120 * np.exp(0.008 * month + 0.02 * np.cumsum(rng.standard_normal(len(month))))
    values = level * (1 + 0.18 * season + 0.03 * rng.standard_normal(len(month)))
    return pd.Series(
        values, pd.date_range("2016-01-01", periods=len(month), freq="MS"), name="sales"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    series = sales()
    model = SeriesForecaster(horizon=AHEAD).fit(series[:MONTHS])
    forecast = model.forecast(AHEAD)

    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    forecast.plot(axes, past=72)
    axes.plot(series[MONTHS:], ".", color="0.25", markersize=5, label="what happened")
    axes.legend(frameon=False, loc="upper left")
    axes.set_ylabel("sales")
    figure.savefig(out / "forecast_sales.png", dpi=100)
    inside = (forecast.lower <= series[MONTHS:]) & (series[MONTHS:] <= forecast.upper)
    print(f"season {model.seasons_}; {inside.sum()} of {AHEAD} months inside the interval")
    print(model.describe())


if __name__ == "__main__":
    main()
