"""Benchmark series. Every function returns (T, d) float64 arrays, time on axis 0, and knows no
reservoir.
"""

from spheresn.datasets.chaos import henon, lorenz, mackey_glass, rossler
from spheresn.datasets.measured import santa_fe_laser
from spheresn.datasets.signals import mso, narma, white_noise

__all__ = [
    "henon",
    "lorenz",
    "mackey_glass",
    "mso",
    "narma",
    "rossler",
    "santa_fe_laser",
    "white_noise",
]
