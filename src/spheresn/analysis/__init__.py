"""Measures of a system: exponents, echo state, memory and capacity.

Each is a function that returns numbers together with their evidence.
"""

from .._errors import MeaninglessPrediction
from .capacity import InformationProcessingCapacity, information_processing_capacity
from .climates import Climate, Climatology, Distances, climate
from .cocycle import cocycle_exponents
from .decomposition import memory_matrix, memory_terms, norm_factors
from .echo import EchoState, OutsideSphere, echo_state, pre_activation_outside_sphere
from .equilibria import FixedPoints, fixed_points
from .field_climates import FieldClimate, field_climate
from .fisher import fisher_memory
from .isotropic import isotropic_exponents
from .layers import LayerMemory, memory_by_layer
from .local import LocalExponents, local_exponents
from .lyapunov import (
    KaplanYorke,
    LyapunovSpectrum,
    MaxLyapunov,
    autonomous_exponents,
    kaplan_yorke_dimension,
    lyapunov_spectrum,
    max_lyapunov,
)
from .memory import MemoryCapacity, MemoryCurve, memory_capacity, memory_curve
from .orthogonal import (
    ExponentBounds,
    exponent_bounds,
    forgetting_rate,
    uniform_noise_threshold,
)
from .prediction import MemoryRate, memory_loss, memory_rate, predicted_memory
from .sensitivity import MemoryProfile, memory_profile
from .tradeoff import Tradeoff, linear_bound, memory_nonlinearity

__all__ = [
    "Climate",
    "Climatology",
    "Distances",
    "EchoState",
    "ExponentBounds",
    "FieldClimate",
    "FixedPoints",
    "InformationProcessingCapacity",
    "KaplanYorke",
    "LayerMemory",
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
    "climate",
    "cocycle_exponents",
    "echo_state",
    "exponent_bounds",
    "field_climate",
    "fisher_memory",
    "fixed_points",
    "forgetting_rate",
    "information_processing_capacity",
    "isotropic_exponents",
    "kaplan_yorke_dimension",
    "linear_bound",
    "local_exponents",
    "lyapunov_spectrum",
    "max_lyapunov",
    "memory_by_layer",
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
    "uniform_noise_threshold",
]
