"""One model for a whole panel of related series."""

from .evaluation import PanelBacktest
from .forecaster import PanelForecaster
from .outcome import PanelForecast

__all__ = ["PanelBacktest", "PanelForecast", "PanelForecaster"]
