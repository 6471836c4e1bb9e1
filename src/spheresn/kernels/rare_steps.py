"""One driver for all loops whose rare steps need other code than the rest."""

from __future__ import annotations

from collections.abc import Callable

from .codes import FINE, RARE, Network, fast_path

Piece = Callable[[Network, int, int], tuple[int, int]]


def advance(network: Network, piece: Piece, first: int, stop: int) -> tuple[int, int]:
    """The steps from `first` up to `stop`, or to one whose status is not FINE: status and step.

    `piece(network, first, stop)` does the same by a compiled loop, and returns the status and the
    number of steps before it. The loop begins with `fast_path`. A rare step runs alone with the
    code for all cases, which is compiled when the first one occurs.
    """
    fast, k = fast_path(network), first
    while True:
        status, steps = piece(fast, k, stop)
        k += steps
        if status != RARE:
            return status, k
        status, steps = piece(network, k, k + 1)
        k += steps
        if status != FINE:
            return status, k
