"""Measures of a system: exponents, echo state, memory and capacity; each a function that returns numbers with their evidence."""

from .autonomous import autonomous_exponents
from .echo import EchoState, OutsideSphere, echo_state, pre_activation_outside_sphere
from .local import LocalExponents, local_exponents
from .lyapunov import LyapunovSpectrum, MaxLyapunov, lyapunov_spectrum, max_lyapunov

__all__ = [
    "EchoState",
    "LocalExponents",
    "LyapunovSpectrum",
    "MaxLyapunov",
    "OutsideSphere",
    "autonomous_exponents",
    "echo_state",
    "local_exponents",
    "lyapunov_spectrum",
    "max_lyapunov",
    "pre_activation_outside_sphere",
]
