"""Forecasts that people can rely on: combinations of methods, backtests, intervals."""

from ..estimators.outcomes import Forecast
from .backtesting import Backtest, backtest, first_origin, half_widths
from .combination import FittedCombination, combine
from .lagged import Autoregression, DirectAutoregression
from .methods import Forecasts, LogScale, Mean, Method, Naive, SeasonalNaive, Theta
from .network import FittedNetwork, NetworkSettings
from .panel import PanelBacktest, PanelForecast, PanelForecaster
from .series import SeriesForecaster

__all__ = [
    "Autoregression",
    "Backtest",
    "DirectAutoregression",
    "FittedCombination",
    "FittedNetwork",
    "Forecast",
    "Forecasts",
    "LogScale",
    "Mean",
    "Method",
    "Naive",
    "NetworkSettings",
    "PanelBacktest",
    "PanelForecast",
    "PanelForecaster",
    "SeasonalNaive",
    "SeriesForecaster",
    "Theta",
    "backtest",
    "combine",
    "first_origin",
    "half_widths",
]
