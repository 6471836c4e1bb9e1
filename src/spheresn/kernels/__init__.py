"""Compiled loops (numba, cached): one loop for every topology and activation, and a batch as one
matrix product per step.
"""

from ._jit import DEGENERATE, FINE, LINEAR, OVERFLOW, TANH
from .batch import batch_loop
from .codes import Elementwise, Spherical
from .loop import open_loop
from .sensitivity import sensitivity_loop
from .tangent_loop import tangent_block_loop, tangent_vector_loop

__all__ = [
    "DEGENERATE",
    "FINE",
    "LINEAR",
    "OVERFLOW",
    "TANH",
    "Elementwise",
    "Spherical",
    "batch_loop",
    "open_loop",
    "sensitivity_loop",
    "tangent_block_loop",
    "tangent_vector_loop",
]
