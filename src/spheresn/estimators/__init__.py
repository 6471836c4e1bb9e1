"""Estimators that follow the conventions of scikit-learn, and the calibration of their memory."""

from ..selection.calibration import Calibrated, MemoryOutOfReach, calibrate
from .classifier import ESNClassifier
from .field import ESNFieldForecaster
from .forecaster import ESNForecaster, OutOfRange
from .regressor import ESNRegressor
from .series_regressor import ESNSeriesRegressor
from .surprise import Surprise

__all__ = [
    "Calibrated",
    "ESNClassifier",
    "ESNFieldForecaster",
    "ESNForecaster",
    "ESNRegressor",
    "ESNSeriesRegressor",
    "MemoryOutOfReach",
    "OutOfRange",
    "Surprise",
    "calibrate",
]
