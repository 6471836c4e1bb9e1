"""Measures of a system: exponents, echo state, memory and capacity.

Each is a function that returns numbers together with their evidence.
"""

from .._errors import MeaninglessPrediction
from .capacity import InformationProcessingCapacity, information_processing_capacity
from .decomposition import memory_matrix, memory_terms, norm_factors
from .echo import EchoState, OutsideSphere, echo_state, pre_activation_outside_sphere
from .local import LocalExponents, local_exponents
from .lyapunov import (
    LyapunovSpectrum,
    MaxLyapunov,
    autonomous_exponents,
    lyapunov_spectrum,
    max_lyapunov,
)
from .memory import MemoryCapacity, MemoryCurve, memory_capacity, memory_curve
from .prediction import MemoryRate, memory_loss, memory_rate, predicted_memory
from .sensitivity import MemoryProfile, memory_profile
from .tradeoff import Tradeoff, linear_bound, memory_nonlinearity

__all__ = [
    "EchoState",
    "InformationProcessingCapacity",
    "LocalExponents",
    "LyapunovSpectrum",
    "MaxLyapunov",
    "MeaninglessPrediction",
    "MemoryCapacity",
    "MemoryCurve",
    "MemoryProfile",
    "MemoryRate",
    "OutsideSphere",
    "Tradeoff",
    "autonomous_exponents",
    "echo_state",
    "information_processing_capacity",
    "linear_bound",
    "local_exponents",
    "lyapunov_spectrum",
    "max_lyapunov",
    "memory_capacity",
    "memory_curve",
    "memory_loss",
    "memory_matrix",
    "memory_nonlinearity",
    "memory_profile",
    "memory_rate",
    "memory_terms",
    "norm_factors",
    "pre_activation_outside_sphere",
    "predicted_memory",
]
