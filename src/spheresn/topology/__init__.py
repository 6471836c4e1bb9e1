"""Recurrent matrices: how the units of a reservoir are linked.

Each one multiplies (`matvec`, `rmatvec`), knows its spectral radius exactly, can be rescaled, and
hands its numbers to the kernels.
"""

from ._dense import Dense
from ._protocol import Recurrent
from ._rotation import Rotation
from ._shift import Shift
from ._sparse import Sparse
from ._spectrum import spectral_radius
from .build import TOPOLOGIES, as_recurrent, delay_line, gaussian, ring, rotation, sparse, uniform

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
