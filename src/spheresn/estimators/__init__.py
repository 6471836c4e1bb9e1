"""Estimators that follow the conventions of scikit-learn, and the calibration of their memory."""

from ..selection.calibration import Calibrated, MemoryOutOfReach, calibrate
from ..selection.staying import LearnedClimate
from .classifier import ESNClassifier
from .field import ESNFieldForecaster
from .forecaster import ESNForecaster, OutOfClimate, OutOfRange
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
    "LearnedClimate",
    "MemoryOutOfReach",
    "OutOfClimate",
    "OutOfRange",
    "Surprise",
    "calibrate",
]
