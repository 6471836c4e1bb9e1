"""Names and the decorator that the kernels share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

SPHERE, BENT, TANH, LINEAR = range(4)
FINE, DEGENERATE, OVERFLOW = range(3)

# Sums may be reordered, so that they run in vector registers; infinities and NaN keep their meaning, or overflow would go unseen.
FASTMATH = {"reassoc", "contract", "nsz"}


def compiled(function: Function) -> Function:
    """`function` compiled on first call, kept on disk, and free of the interpreter's lock."""
    jitted: Any = njit(cache=True, nogil=True, error_model="numpy", fastmath=FASTMATH)(function)
    return cast(Function, jitted)
