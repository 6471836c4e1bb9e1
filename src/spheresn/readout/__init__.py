"""Linear readouts: ridge from an accumulated Gram matrix, recursive least squares, and features of
the states.
"""

from .features import Quadratic
from .force import force
from .gram import Gram
from .loo import Sample, leave_one_out
from .recursive import RecursiveLeastSquares
from .ridge import Eigen, Weights, factor, solve

__all__ = [
    "Eigen",
    "Gram",
    "Quadratic",
    "RecursiveLeastSquares",
    "Sample",
    "Weights",
    "factor",
    "force",
    "leave_one_out",
    "solve",
]
