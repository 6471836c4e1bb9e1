"""Echo state networks whose state lives on a hyper-sphere.

x_k = r a_k/|a_k|, a_k = W x_{k-1} + W_in s_k [VAL19], beside tanh and linear networks: drive them, measure them, forecast with them.
"""

from . import analysis, datasets, metrics, sphere, topology
from ._checks import DegenerateStep, NoDirection, StateOverflow
from .activations import Linear, OnSphere, Tanh
from .drive import drive, drive_chunks
from .grid import drive_grid
from .reservoir import Reservoir, random_reservoir
from .system import System

__version__ = "0.1.0"

__all__ = [
    "DegenerateStep",
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
    "metrics",
    "random_reservoir",
    "sphere",
    "topology",
]
