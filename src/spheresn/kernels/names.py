"""Names and the decorator that the kernels share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

SPHERE, BENT, TANH, LINEAR = range(4)
FINE, DEGENERATE, OVERFLOW = range(3)

# Sums may be reordered, so that they run in vector registers; infinities and NaN keep their meaning, or overflow would go unseen.
FASTMATH = {"reassoc", "contract", "nsz"}


def compiled(function: Function) -> Function:
    """`function` compiled into the loops that call it, free of the interpreter's lock."""
    return cast(Function, _jit(function))


def inlined(function: Function) -> Function:
    """`compiled`, as part of its caller: for the few short functions whose call would cost as much as what they do."""
    return cast(Function, _jit(function, forceinline=True))


def entry(function: Function) -> Function:
    """A loop that Python calls: compiled at its first call and kept on disk.

    Not when it is defined: numba tries out its cache directory by writing there, and importing must write nothing.
    """
    jitted = cache(lambda: _jit(function, cache=True))

    @wraps(function)
    def call(*arguments: Any) -> Any:
        return jitted()(*arguments)

    return cast(Function, call)


def _jit(function: Any, **options: Any) -> Any:
    return njit(nogil=True, error_model="numpy", fastmath=FASTMATH, **options)(function)


@compiled
def copy_row(values: Any, out: Any) -> None:
    """out = values. Assigning a slice would make numba compile the text of an error about shapes: a third of all compiling."""
    for i in range(len(out)):
        out[i] = values[i]
