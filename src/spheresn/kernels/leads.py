"""How often each unit leads its group along many series, without keeping the states."""

from __future__ import annotations

from typing import Any

from ._jit import copy_row, entry, inlined
from .activate import activate
from .codes import FINE
from .preactivation import preactivation


@inlined
def extremes(values: Any) -> Any:
    """The largest and the smallest value."""
    top = bottom = values[0]
    for i in range(1, len(values)):
        top = values[i] if values[i] > top else top
        bottom = values[i] if values[i] < bottom else bottom
    return top, bottom


@inlined
def count_leads(z: Any, edges: Any, counts: Any) -> None:
    """Add one to counts[0] of the unit with the largest z of each group, to counts[1] of the unit
    with the smallest.
    """
    one, zero = z.dtype.type(1), z.dtype.type(0)
    for g in range(len(edges) - 1):
        part = z[edges[g] : edges[g + 1]]
        above, below = counts[0, edges[g] : edges[g + 1]], counts[1, edges[g] : edges[g + 1]]
        top, bottom = extremes(part)
        for i in range(len(part)):
            above[i] += one if part[i] >= top else zero
            below[i] += one if part[i] <= bottom else zero


@entry
def lead_loop(
    network: Any,
    signal: Any,
    starts: Any,
    stride: int,
    skip: int,
    rest: Any,
    gains: Any,
    offsets: Any,
    edges: Any,
    work: Any,
    counts: Any,
) -> int:
    """counts[c, 0, i], counts[c, 1, i]: steps of case c at which unit i leads or trails its group.

    It leads if gains[i] state[i] - offsets[i] is the largest among the units edges[g] to
    edges[g + 1], and trails if it is the smallest. Case c has the rows starts[c] to starts[c + 1]
    of the signal. The state after a row depends on that row and on the state `stride` rows before,
    or on `rest` where there is none. The first `skip` rows of a case are not counted. Returns FINE,
    or the status of the first step that needs another loop; the counts are of no use then. `work`
    (4, N) is overwritten.
    """
    recurrent, inputs, bias, act = network
    for c in range(len(starts) - 1):
        for first in range(starts[c], min(starts[c] + stride, starts[c + 1])):
            previous, state, a, z = work[0], work[1], work[2], work[3]
            copy_row(rest, previous)
            for k in range(first, starts[c + 1], stride):
                squares = preactivation(recurrent, previous, inputs, bias, signal[k], a)
                status = activate(act, a, squares, previous, state)
                if status != FINE:
                    return status
                if k - starts[c] >= skip:
                    for i in range(len(z)):
                        z[i] = gains[i] * state[i] - offsets[i]
                    count_leads(z, edges, counts[c])
                previous, state = state, previous
    return FINE
