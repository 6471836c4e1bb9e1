"""Compiled loops (numba, cached): one loop for every topology and activation, and a batch as one matrix product per step."""

from .batch import batch_loop
from .loop import open_loop
from .names import BENT, LINEAR, SPHERE, TANH

__all__ = ["BENT", "LINEAR", "SPHERE", "TANH", "batch_loop", "open_loop"]
