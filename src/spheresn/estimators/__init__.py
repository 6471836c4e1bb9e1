"""Estimators in the manners of scikit-learn."""

from .forecaster import ESNForecaster
from .regressor import ESNRegressor

__all__ = ["ESNForecaster", "ESNRegressor"]
