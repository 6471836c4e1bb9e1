"""Benchmark series: every function returns float64 arrays (T, d), time on axis 0."""

from .chaos import henon, lorenz, mackey_glass, rossler
from .fields import kuramoto_sivashinsky, kuramoto_sivashinsky_2d, lorenz96
from .measured import santa_fe_laser
from .signals import mso, narma, white_noise

__all__ = [
    "henon",
    "kuramoto_sivashinsky",
    "kuramoto_sivashinsky_2d",
    "lorenz",
    "lorenz96",
    "mackey_glass",
    "mso",
    "narma",
    "rossler",
    "santa_fe_laser",
    "white_noise",
]
