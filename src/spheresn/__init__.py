"""Echo state networks whose state lives on a hyper-sphere.

x_k = r a_k/|a_k|, a_k = W x_{k-1} + W_in s_k [VAL19]. tanh and linear networks are here as well.
Drive these networks, measure them, and forecast with them.
"""

import importlib
import typing

from ._version import __version__ as __version__

# The names that `__getattr__` finds, for editors and type checkers; a test compares the two
if typing.TYPE_CHECKING:
    from . import analysis, datasets, topology
    from . import estimators as estimators
    from . import forecasting as forecasting
    from . import io as io
    from . import metrics as metrics
    from . import plotting as plotting
    from . import readout as readout
    from . import sphere as sphere
    from ._errors import BadInput, DegenerateStep, NoDirection, StateOverflow
    from .activations import Linear, OnSphere, Tanh
    from .compose import chain, parallel
    from .driving import drive, drive_chunks
    from .estimators import ESNClassifier, ESNFieldForecaster, ESNForecaster, ESNRegressor
    from .grid import drive_grid
    from .io import export, load, save
    from .reservoir import Reservoir, random_reservoir
    from .system import System

__all__ = [
    "BadInput",
    "DegenerateStep",
    "ESNClassifier",
    "ESNFieldForecaster",
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
    "chain",
    "datasets",
    "drive",
    "drive_chunks",
    "drive_grid",
    "export",
    "load",
    "parallel",
    "random_reservoir",
    "save",
    "topology",
]

# These are imported at first use, because importing numba and scikit-learn takes seconds. No module
# has the name of a function here: importing such a module would replace the function.
_NAMES = {
    "_errors": ("BadInput", "DegenerateStep", "NoDirection", "StateOverflow"),
    "activations": ("Linear", "OnSphere", "Tanh"),
    "compose": ("chain", "parallel"),
    "driving": ("drive", "drive_chunks"),
    "estimators": ("ESNClassifier", "ESNFieldForecaster", "ESNForecaster", "ESNRegressor"),
    "grid": ("drive_grid",),
    "io": ("export", "load", "save"),
    "reservoir": ("Reservoir", "random_reservoir"),
    "system": ("System",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
_PARTS = (
    "analysis",
    "datasets",
    "estimators",
    "forecasting",
    "io",
    "metrics",
    "plotting",
    "readout",
    "sphere",
    "topology",
)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


# With `__getattr__`, a type checker would accept every name.
if not typing.TYPE_CHECKING:  # pragma: no branch - type checkers only, never at run time

    def __getattr__(name: str) -> object:
        if name in _PARTS:
            return importlib.import_module(f"{__name__}.{name}")
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value  # the next access finds it without this function
        return value
