"""How good is a forecast: backtests, simple methods to compare with, intervals."""

from .backtesting import Backtest, backtest, first_origin, half_widths
from .methods import Forecasts, LinearAutoregression, Method, Naive
from .network import FittedNetwork, NetworkSettings, select_network

__all__ = [
    "Backtest",
    "FittedNetwork",
    "Forecasts",
    "LinearAutoregression",
    "Method",
    "Naive",
    "NetworkSettings",
    "backtest",
    "first_origin",
    "half_widths",
    "select_network",
]
