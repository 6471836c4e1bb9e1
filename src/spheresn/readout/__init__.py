"""Linear readouts: ridge regression, recursive least squares, FORCE, and quadratic features."""

from .features import Quadratic
from .gram import Gram
from .loo import Sample, leave_one_out
from .recursive import ForceResult, RecursiveLeastSquares, force
from .ridge import Eigen, Weights, factor, solve

__all__ = [
    "Eigen",
    "ForceResult",
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
