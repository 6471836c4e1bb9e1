"""Status codes, a network as the loops take it, and the driver of loops whose rare steps need other
code than the rest; nothing here needs numba.

The types of W and of the activation select the code, so that a loop compiles only what its network
needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

# Codes, since compiled loops take no words: of an activation, and of how a piece of a loop ended
TANH, LINEAR = range(2)
FINE, DEGENERATE, OVERFLOW, RARE, UNSAFE = range(5)

# In standard deviations of the series: an output of this size has diverged, but can still be scaled
# back to the unit of the series.
DIVERGED = 1e100
BEYOND = 0.1  # of the distance of two bounds: no output that leaves them gets farther out
# Numbers on either side of an array that a loop writes to. Where such an array begins less than 256
# bytes behind one that the loop reads, the compiled code takes its sums in another order, so that
# the last bit would depend on where arrays of fewer than 32 units happen to lie in memory.
GUARD = 64

# Squared innovations in units of their variances, whose mean is one while the filter is right.
# Beyond OUTLIER the row counts as an outlier: as so noisy that it is at the limit. Where the
# running mean, of which each row is FRESH, exceeds LOST, the filter has lost the series: what it
# knows is taken to be as uncertain as its innovations say, and at most LOST_MOST times.
OUTLIER, FRESH, LOST, LOST_MOST = 16.0, 0.1, 2.0, 100.0


class Spherical(NamedTuple):
    """OnSphere, with the code for all cases.

    Squares between `low` and `high` neither overflow nor underflow.
    """

    radius: Any
    bend: Any
    leak: Any
    low: Any
    high: Any


class FastSpherical(NamedTuple):
    """OnSphere without leak and without the rare cases.

    The loop stops before a rare step, changes nothing, and returns RARE. The rare cases took three
    quarters of the time to compile the first loop, and hardly any run meets one.
    """

    radius: Any
    bend: Any
    low: Any
    high: Any


class Elementwise(NamedTuple):
    """Tanh or Linear."""

    kind: int
    leak: Any
    low: Any
    high: Any


class Layered(NamedTuple):
    """W of several reservoirs as one: a product for each, on its own share of the state.

    parts: W of each layer in the form of its topology; edges (L + 1,): where the shares begin.
    """

    parts: Any
    edges: Any


class Stacked(NamedTuple):
    """The activations of several reservoirs as one, and how one layer drives another.

    A layer whose signal is the new state of earlier ones adds feeds[l] x[sources[l, 0] :
    sources[l, 1]] to its pre-activation before it is activated; a feed without columns adds
    nothing.
    """

    acts: Any
    feeds: Any
    sources: Any
    edges: Any
    low: Any
    high: Any


class Network(NamedTuple):
    """W in the form of its topology, W_inᵀ (d, N), b (N,), and the activation with the leak.

    A compiled loop unpacks it in its first line: inside the loop, numba would count the references
    to each array at every step, which took a tenth of the time of 20 units.
    """

    recurrent: Any
    inputs: Any
    bias: Any
    activation: Any


Piece = Callable[[Network, int, int], tuple[int, int]]


class Track(NamedTuple):
    """What is known after a row; the loop changes it in place.

    state, base (N,): of the network, before the newest and before the oldest of the recent values
    enters it; recent (n,): the last p values of m columns, the newest first, n = pm; beside (p, e):
    the exogenous columns at their times; covariance (n, n): of the values; slopes (n + m, N): the
    derivative of the state with respect to them, and room for the next; surprise (1,): the running
    mean of the squared innovations.
    """

    state: Any
    base: Any
    recent: Any
    beside: Any
    covariance: Any
    slopes: Any
    surprise: Any


class Passed(NamedTuple):
    """What a pass over T rows writes; an array without rows is not written.

    filtered, deviations (T, m): the newest value after its row; expected (T, m): before it.
    smoothed, smoothed_deviations (p + T, m): all values when they leave `recent`, from the oldest
    of its beginning on. innovations, variances (T, m): of the columns one after the other, NaN
    where nothing was measured; gains (T, m, n): how they correct. forward (T, m, n): the derivative
    of the forecast with respect to `recent`; states (T, N): from which it was read out.
    """

    filtered: Any
    deviations: Any
    expected: Any
    smoothed: Any
    smoothed_deviations: Any
    innovations: Any
    variances: Any
    gains: Any
    forward: Any
    states: Any


def guarded(shape: tuple[int, ...], dtype: Any) -> Any:
    """An empty array that no other array comes near."""
    size = math.prod(shape)
    return np.empty(size + 2 * GUARD, dtype)[GUARD : GUARD + size].reshape(shape)


def fast_path(network: Network) -> Network:
    """The network to start a loop with: with FastSpherical where its activation allows that."""
    return network._replace(activation=_fast(network.activation))


def _fast(act: Any) -> Any:
    """The activation, as FastSpherical where it allows that; of several, all or none."""
    if isinstance(act, Stacked):
        found = tuple(_fast(one) for one in act.acts)
        alike = not any(isinstance(one, Spherical) for one in found)
        return act._replace(acts=found) if alike else act
    plain = (
        isinstance(act, Spherical)
        and act.leak == 1
        and act.low < act.radius * act.radius < act.high
    )
    return FastSpherical(act.radius, act.bend, act.low, act.high) if plain else act


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
