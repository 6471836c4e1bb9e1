"""The decorators that compile the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit

from ._parts import INNER_COMPILER, LoopCompiler
from .cache import KernelCache
from .codes import GUARD

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered, so that they run in vector registers. Infinities and NaN keep their
# meaning: otherwise an overflow would not be noticed.
FASTMATH = {"reassoc", "contract", "nsz"}

# Only the functions marked `entry` are called from Python. The others need no code that unpacks
# Python objects, and no machine code of their own, which would take time to compile.
INNER: Any = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": INNER_COMPILER,
}
CHOSEN: Any = {"error_model": "numpy", "fastmath": FASTMATH, **INNER}
INLINED: Any = {**CHOSEN, "forceinline": True}


def compiled(function: Function) -> Function:
    """`function` compiled into the loops that call it, without the interpreter's lock."""
    return cast(Function, _jit(function, **INNER))


def inlined(function: Function) -> Function:
    """`compiled` and inlined: for a short function whose call would cost as much as its work."""
    return cast(Function, _jit(function, forceinline=True, **INNER))


def entry(function: Function) -> Function:
    """A loop that Python calls: compiled at its first call and cached on disk."""
    jitted = _jit(function, no_cfunc_wrapper=True, pipeline_class=LoopCompiler)
    jitted._cache = KernelCache(function)
    return cast(Function, jitted)


def _jit(function: Any, **options: Any) -> Any:
    return njit(nogil=True, error_model="numpy", fastmath=FASTMATH, **options)(function)


@compiled
def guarded_like(values: Any) -> Any:
    """`codes.guarded` inside compiled loops, for a vector like `values`."""
    return np.empty(len(values) + 2 * GUARD, values.dtype)[GUARD : GUARD + len(values)]


@compiled
def copy_row(values: Any, out: Any) -> None:
    """out = values.

    Assigning a slice would make numba compile an error message about shapes, which takes a third
    of the compilation time.
    """
    for i in range(len(out)):
        out[i] = values[i]
