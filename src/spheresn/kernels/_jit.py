"""The decorators that the kernels share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from .cache import KernelCache

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered, so that they run in vector registers; infinities and NaN keep their
# meaning, or overflow would go unseen.
FASTMATH = {"reassoc", "contract", "nsz"}

# Only entries are called from Python; for all others the code that unpacks Python's objects would
# be compiled in vain.
INNER: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
CHOSEN: Any = {"error_model": "numpy", "fastmath": FASTMATH, **INNER}
INLINED: Any = {**CHOSEN, "forceinline": True}


def compiled(function: Function) -> Function:
    """`function` compiled into the loops that call it, free of the interpreter's lock."""
    return cast(Function, _jit(function, **INNER))


def inlined(function: Function) -> Function:
    """`compiled`, as part of its caller: for the few short functions whose call would cost as much
    as what they do.
    """
    return cast(Function, _jit(function, forceinline=True, **INNER))


def entry(function: Function) -> Function:
    """A loop that Python calls: compiled at its first call and kept on disk."""
    jitted = _jit(function, no_cfunc_wrapper=True)
    jitted._cache = KernelCache(function)
    return cast(Function, jitted)


def _jit(function: Any, **options: Any) -> Any:
    return njit(nogil=True, error_model="numpy", fastmath=FASTMATH, **options)(function)


@compiled
def copy_row(values: Any, out: Any) -> None:
    """out = values. Assigning a slice would make numba compile the text of an error about shapes: a
    third of all compiling.
    """
    for i in range(len(out)):
        out[i] = values[i]
