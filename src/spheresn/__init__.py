"""Echo state networks whose state lives on a hyper-sphere.

x_k = r a_k/|a_k|, a_k = W x_{k-1} + W_in s_k [VAL19], beside tanh and linear networks: drive them, measure them, forecast with them.
"""

from . import analysis, datasets, metrics, sphere, topology
from ._checks import DegenerateStep, NoDirection, StateOverflow
from ._version import __version__ as __version__
from .activations import Linear, OnSphere, Tanh
from .drive import drive, drive_chunks
from .estimators import ESNClassifier, ESNForecaster, ESNRegressor
from .grid import drive_grid
from .persistence import load, save
from .reservoir import Reservoir, random_reservoir
from .system import System

__all__ = [
    "DegenerateStep",
    "ESNClassifier",
    "ESNForecaster",
    "ESNRegressor",
    "Linear",
    "NoDirection",
    "OnSphere",
    "Reservoir",
    "StateOverflow",
    "System",
    "Tanh",
    "analysis",
    "datasets",
    "drive",
    "drive_chunks",
    "drive_grid",
    "load",
    "metrics",
    "random_reservoir",
    "save",
    "sphere",
    "topology",
]
