"""The state of a system behind noisy and partial rows: filter, smoother, likelihood.

All functions take a `System`, a map with a known derivative; none needs an estimator.
"""

from .estimate import Estimate
from .filter import Assimilated, advance, assimilate

__all__ = ["Assimilated", "Estimate", "advance", "assimilate"]
