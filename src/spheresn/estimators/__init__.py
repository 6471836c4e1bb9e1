"""Estimators that follow the conventions of scikit-learn."""

from .classifier import ESNClassifier
from .field import ESNFieldForecaster
from .forecaster import ESNForecaster, OutOfRange
from .regressor import ESNRegressor

__all__ = ["ESNClassifier", "ESNFieldForecaster", "ESNForecaster", "ESNRegressor", "OutOfRange"]
