"""Compiled loops: one for every topology and activation, and a batch as one matrix product per
step.

They are imported when one of them is first asked for: importing numba takes as long as a third of
all the rest, and not everybody drives.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .codes import DEGENERATE, ENDLESS, FINE, LINEAR, OVERFLOW, TANH, Elementwise, Spherical

if TYPE_CHECKING:
    from .batch import batch_loop
    from .centre import centre_rows
    from .closed import closed_loop, taught_loop
    from .givens import absorb_rows
    from .loop import open_loop
    from .sensitivity import sensitivity_loop
    from .tangent_loop import tangent_block_loop, tangent_vector_loop

HOMES = {
    "absorb_rows": "givens",
    "batch_loop": "batch",
    "centre_rows": "centre",
    "closed_loop": "closed",
    "open_loop": "loop",
    "sensitivity_loop": "sensitivity",
    "tangent_block_loop": "tangent_loop",
    "tangent_vector_loop": "tangent_loop",
    "taught_loop": "closed",
}


def __getattr__(name: str) -> Any:
    """The loop, from the module that holds it; asked once, it then stands here."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f".{HOMES[name]}", __name__), name))


__all__ = [
    "DEGENERATE",
    "ENDLESS",
    "FINE",
    "LINEAR",
    "OVERFLOW",
    "TANH",
    "Elementwise",
    "Spherical",
    "absorb_rows",
    "batch_loop",
    "centre_rows",
    "closed_loop",
    "open_loop",
    "sensitivity_loop",
    "tangent_block_loop",
    "tangent_vector_loop",
    "taught_loop",
]
