"""Compiled loops (numba, cached on disk) for every topology and activation of the library."""

from ._jit import DEGENERATE, FINE, LINEAR, OVERFLOW, TANH, Elementwise, Spherical
from .loop import batch_loop, open_loop
from .tangent_loop import sensitivity_loop, tangent_block_loop, tangent_vector_loop

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
