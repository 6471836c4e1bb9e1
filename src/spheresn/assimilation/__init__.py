"""What noisy and partial rows tell of the state of a system: filter, smoother, likelihood.

All functions take a `System`, a map with a known derivative, and know of no estimator.
"""

from .estimate import Estimate
from .filter import Assimilated, advance, assimilate

__all__ = ["Assimilated", "Estimate", "advance", "assimilate"]
