"""Linear readouts: ridge regression, recursive least squares, FORCE, and quadratic features."""

from .features import Quadratic
from .gram import Gram
from .loo import Sample, leave_one_out
from .recursive import ForceResult, RecursiveLeastSquares, force
from .ridge import Eigen, Moments, Weights, factor, solve
from .triangle import Triangle

__all__ = [
    "Eigen",
    "ForceResult",
    "Gram",
    "Moments",
    "Quadratic",
    "RecursiveLeastSquares",
    "Sample",
    "Triangle",
    "Weights",
    "factor",
    "force",
    "leave_one_out",
    "solve",
]
