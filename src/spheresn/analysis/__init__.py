"""Measures of a system: exponents, echo state, memory and capacity; each a function that returns numbers with their evidence."""

from .autonomous import autonomous_exponents
from .local import LocalExponents, local_exponents
from .lyapunov import LyapunovSpectrum, MaxLyapunov, lyapunov_spectrum, max_lyapunov

__all__ = [
    "LocalExponents",
    "LyapunovSpectrum",
    "MaxLyapunov",
    "autonomous_exponents",
    "local_exponents",
    "lyapunov_spectrum",
    "max_lyapunov",
]
