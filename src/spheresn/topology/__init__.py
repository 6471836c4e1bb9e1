"""Recurrent matrices: how the units of a reservoir are linked.

Each one multiplies vectors (`matvec`, `rmatvec`), knows its spectral radius exactly, can be
rescaled, and gives its numbers to the compiled loops (`kernel_data`).
"""

from ._spectrum import spectral_radius
from .build import TOPOLOGIES, as_recurrent, delay_line, gaussian, ring, rotation, sparse, uniform
from .matrices import Dense, Recurrent, Rotation, Shift, Sparse

__all__ = [
    "TOPOLOGIES",
    "Dense",
    "Recurrent",
    "Rotation",
    "Shift",
    "Sparse",
    "as_recurrent",
    "delay_line",
    "gaussian",
    "ring",
    "rotation",
    "sparse",
    "spectral_radius",
    "uniform",
]
