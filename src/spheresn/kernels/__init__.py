"""Compiled loops (numba, cached on disk) for every topology and activation of the library.

A loop is imported when it is first asked for: importing numba takes a third as long as all the
rest, and not every program drives a network.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .codes import (
    BEYOND,
    DEGENERATE,
    DIVERGED,
    FINE,
    LINEAR,
    OVERFLOW,
    TANH,
    Elementwise,
    Layered,
    Network,
    Spherical,
    Stacked,
)

if TYPE_CHECKING:
    from .closed import closed_loop, force_loop
    from .least_squares import absorb_rows, centre
    from .loop import batch_loop, lead_loop, open_loop, patch_loop
    from .tangent_loop import sensitivity_loop, tangent_block_loop, tangent_vector_loop
    from .tracking import innovation_slopes, track_loop

MODULES = {
    "absorb_rows": "least_squares",
    "batch_loop": "loop",
    "centre": "least_squares",
    "closed_loop": "closed",
    "force_loop": "closed",
    "open_loop": "loop",
    "patch_loop": "loop",
    "sensitivity_loop": "tangent_loop",
    "lead_loop": "loop",
    "tangent_block_loop": "tangent_loop",
    "tangent_vector_loop": "tangent_loop",
    "innovation_slopes": "tracking",
    "track_loop": "tracking",
}


def __getattr__(name: str) -> Any:
    """The loop called `name`, from its module; it is an attribute of this package from then on."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f".{MODULES[name]}", __name__), name))


__all__ = [
    "BEYOND",
    "DEGENERATE",
    "DIVERGED",
    "FINE",
    "LINEAR",
    "OVERFLOW",
    "TANH",
    "Elementwise",
    "Layered",
    "Network",
    "Spherical",
    "Stacked",
    "absorb_rows",
    "batch_loop",
    "centre",
    "closed_loop",
    "force_loop",
    "innovation_slopes",
    "lead_loop",
    "open_loop",
    "patch_loop",
    "sensitivity_loop",
    "tangent_block_loop",
    "tangent_vector_loop",
    "track_loop",
]
