"""Driving a reservoir, or several as one: from a signal to states, by the fastest loop."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _validation, kernels
from ._errors import BadInput, DegenerateStep, StateOverflow
from ._validation import Floats
from .activations import Linear, OnSphere, Tanh
from .compose import Composition, Driven, check_driven
from .reservoir import Reservoir
from .topology import Dense, Rotation, Shift, Sparse

DRIVEN_ROWS = 4096  # rows; 16 MB of states at 500 units
# Rows by which the layers of a composition follow each other: their states are still in the cache
# when the next layer reads them, and when they are put beside those of the others
LAYER_ROWS = 256
# The types of W that the compiled loops can multiply by; a subclass may define its own product
COMPILED = (Dense, Sparse, Shift, Rotation)


def drive(reservoir: Driven, signal: Any, start: ArrayLike | None = None) -> Any:
    """The states x_k = F(x_{k-1}, s_k) along a signal, from the state `start` (zero by default).

    signal (T, d) or (T,) -> states (T, N). A list of such arrays, of any lengths -> a list of
    states. A batch (B, T, d) -> (B, T, N); with a dense W each step is one matrix product. For
    lists and batches `start` may have one row per series. A pre-activation of exactly zero has no
    direction: the state keeps the previous one, and a DegenerateStep warning gives the number of
    such steps. Several reservoirs as one (`parallel`, `chain`) are driven each by its own loop.

    >>> from spheresn import random_reservoir
    >>> states = drive(random_reservoir(50, rng=0), np.cos(np.arange(100.0)))
    >>> states.shape, bool(np.allclose(np.linalg.norm(states, axis=1), 1.0))
    ((100, 50), True)
    """
    check_driven(reservoir)
    if _is_list_of_series(signal):
        starts = starts_of(reservoir, start, len(signal))
        series = [rows_of(reservoir, s, f"signal[{i}]") for i, s in enumerate(signal)]
        return [
            _drive_one(reservoir, rows, state) for rows, state in zip(series, starts, strict=True)
        ]
    if np.ndim(signal) == 3:
        return _drive_batch(reservoir, signal, start)
    return _drive_one(reservoir, rows_of(reservoir, signal), starts_of(reservoir, start, 1)[0])


def drive_chunks(
    reservoir: Driven, signal: Any, chunk: int = DRIVEN_ROWS, start: ArrayLike | None = None
) -> Iterator[Floats]:
    """The states of `drive`, the same to the last bit, in pieces of at most `chunk` rows.

    The memory is bounded. signal: an array (T, d), or an iterable of consecutive arrays (rows, d).

    >>> from spheresn import random_reservoir
    >>> reservoir, signal = random_reservoir(20, rng=0), np.cos(np.arange(100.0))
    >>> pieces = list(drive_chunks(reservoir, signal, chunk=40))
    >>> [len(piece) for piece in pieces]
    [40, 40, 20]
    >>> bool((np.vstack(pieces) == drive(reservoir, signal)).all())
    True
    """
    check_driven(reservoir)
    size = _validation.whole("chunk", chunk, 1)
    state = starts_of(reservoir, start, 1)[0]
    pieces: Iterable[Any] = [signal] if hasattr(signal, "ndim") else signal
    for piece in pieces:
        rows = rows_of(reservoir, piece)
        for first in range(0, len(rows), size):
            states = _drive_one(reservoir, rows[first : first + size], state)
            state = states[-1].copy()
            yield states


def drive_into(reservoir: Driven, signal: Floats, states: Floats) -> Floats:
    """`drive` of one signal (T, d) from zero; the states are written to `states` (T, N)."""
    rows = rows_of(reservoir, signal)
    return _drive_one(reservoir, rows, starts_of(reservoir, None, 1)[0], states)


def drive_blocks(
    reservoir: Driven, signal: Floats, block: int, start: ArrayLike | None = None
) -> Iterator[Floats]:
    """`drive_chunks` of one signal, where each piece overwrites the one before it.

    New memory for every piece costs as much time as driving a small network.
    """
    rows, state = rows_of(reservoir, signal), starts_of(reservoir, start, 1)[0]
    memory = np.empty((min(block, len(rows)), reservoir.units), reservoir.dtype)
    for first in range(0, len(rows), block):
        piece = rows[first : first + block]
        states = _drive_one(reservoir, piece, state, memory[: len(piece)])
        state = states[-1].copy()
        yield states


def network_of(reservoir: Driven) -> kernels.Network | None:
    """The reservoir as the compiled loops take it.

    None if the activation or the topology is the user's own. W_inᵀ has at least one row, of zeros
    without input, because the loops always add a first input.
    """
    if isinstance(reservoir, Composition):
        return _network_of_layers(reservoir)
    act = activation_code(reservoir)
    if act is None or type(reservoir.recurrent) not in COMPILED:
        return None
    inputs = (
        reservoir.inputs.T
        if reservoir.n_inputs
        else np.zeros((1, reservoir.units), reservoir.dtype)
    )
    recurrent, inputs = reservoir.recurrent.kernel_data(), np.ascontiguousarray(inputs)
    return kernels.Network(recurrent, inputs, reservoir.bias, act)


def _network_of_layers(composition: Composition) -> kernels.Network | None:
    """All layers as one network: W has one block for each, and the activation lets a layer drive
    the next.
    """
    layers = composition.layers
    networks = [network_of(one.reservoir) for one in layers]
    if len(networks) == 1:
        return networks[0]
    known = [one for one in networks if one is not None]
    if len(known) < len(networks):
        return None
    inputs = np.zeros((max(composition.n_inputs, 1), composition.units), composition.dtype)
    feeds = []
    for one, network in zip(layers, known, strict=True):
        if one.source is None:
            inputs[:, one.place] = network.inputs
            feeds.append(np.zeros((one.reservoir.units, 0), composition.dtype))
        else:
            feeds.append(one.reservoir.inputs)
    edges = np.array([0, *(one.place.stop for one in layers)])
    sources = np.array(
        [(0, 0) if one.source is None else (one.source.start, one.source.stop) for one in layers]
    )
    act = known[0].activation
    return kernels.Network(
        kernels.Layered(tuple(one.recurrent for one in known), edges),
        inputs,
        np.concatenate([one.bias for one in known]),
        kernels.Stacked(
            tuple(one.activation for one in known), tuple(feeds), sources, edges, act.low, act.high
        ),
    )


def activation_code(reservoir: Reservoir) -> kernels.Spherical | kernels.Elementwise | None:
    """The activation and the leak as numbers; squares between low and high are safe."""
    activation, real = reservoir.activation, reservoir.dtype.type
    low, high = (real(1e-280), real(1e280)) if real is np.float64 else (real(1e-30), real(1e30))
    if type(activation) is OnSphere:
        return kernels.Spherical(
            real(activation.radius), real(activation.bend), real(reservoir.leak), low, high
        )
    if type(activation) in (Tanh, Linear):
        return kernels.Elementwise(
            kernels.TANH if type(activation) is Tanh else kernels.LINEAR,
            real(reservoir.leak),
            low,
            high,
        )
    return None


def _is_list_of_series(signal: Any) -> bool:
    return (
        isinstance(signal, (list, tuple))
        and len(signal) > 0
        and all(getattr(s, "ndim", 0) in (1, 2) for s in signal)
    )


def rows_of(reservoir: Driven, signal: Any, name: str = "signal") -> Floats:
    """The signal as (T, d), checked."""
    return _validation.table(name, signal, reservoir.n_inputs, reservoir.dtype)


def starts_of(reservoir: Driven, start: ArrayLike | None, count: int) -> Floats:
    """One start (N,) for each of `count` series, zero by default."""
    if start is None:
        return np.zeros((count, reservoir.units), reservoir.dtype)
    given = np.asarray(start)
    states = _validation.array("start", given, 2 if given.ndim == 2 else 1, reservoir.dtype)
    if states.shape not in ((reservoir.units,), (count, reservoir.units)):
        raise BadInput(
            f"start must be a state of shape ({reservoir.units},), one per series, got "
            f"{states.shape}; pass such states"
        )
    return np.array(np.broadcast_to(states, (count, reservoir.units)), order="C")


def writable(rows: Floats) -> Floats:
    """The rows, copied if read-only: numba would compile each loop again for such arrays."""
    return rows if rows.flags.writeable else rows.copy()


def _drive_one(reservoir: Driven, rows: Floats, start: Floats, out: Floats | None = None) -> Floats:
    states = np.empty((len(rows), reservoir.units), reservoir.dtype) if out is None else out
    if isinstance(reservoir, Composition):
        degenerate, overflowed = _drive_layers(reservoir, rows, start, states)
    else:
        degenerate, overflowed = _drive_reservoir(reservoir, rows, start, states)
    _report(degenerate, overflowed)
    return states


def _drive_reservoir(
    reservoir: Reservoir, rows: Floats, start: Floats, states: Floats
) -> tuple[int, int]:
    """Write the states; the number of degenerate steps, and the step that overflowed or -1."""
    network = network_of(reservoir)
    if network is None:
        return _drive_by_steps(reservoir, rows, start, states)
    found: tuple[int, int] = kernels.open_loop(network, writable(rows), start, states)
    return found


def _drive_layers(
    composition: Composition, rows: Floats, start: Floats, states: Floats
) -> tuple[int, int]:
    """`_drive_reservoir` of each layer in its turn, a block of rows at a time."""
    degenerate, state = 0, start
    for first in range(0, len(rows), LAYER_ROWS):
        piece, out = rows[first : first + LAYER_ROWS], states[first : first + LAYER_ROWS]
        for one in composition.layers:
            signal = np.ascontiguousarray(one.signal(piece, out))
            driven = np.empty((len(piece), one.reservoir.units), composition.dtype)
            begin = np.ascontiguousarray(state[one.place])
            kept, overflowed = _drive_reservoir(one.reservoir, signal, begin, driven)
            if overflowed >= 0:
                return degenerate, first + overflowed
            degenerate += kept
            out[:, one.place] = driven
        state = out[-1]
    return degenerate, -1


def _drive_by_steps(
    reservoir: Reservoir, rows: Floats, state: Floats, states: Floats
) -> tuple[int, int]:
    degenerate = 0
    for k, row in enumerate(rows):
        mixed = reservoir.activated(reservoir.pre_activation(state, row), state)
        degenerate += reservoir.is_degenerate(mixed)
        states[k] = state = reservoir.projected(mixed, state)
        if not np.isfinite(state).all():
            return degenerate, k
    return degenerate, -1


def _drive_batch(reservoir: Driven, signals: ArrayLike, start: ArrayLike | None) -> Floats:
    rows = _validation.array("signal", signals, 3, reservoir.dtype)
    starts = starts_of(reservoir, start, len(rows))
    if isinstance(reservoir, Composition):
        states = np.empty((*rows.shape[:2], reservoir.units), reservoir.dtype)
        for one in reservoir.layers:
            signal, begin = one.signal(rows, states), starts[:, one.place]
            states[..., one.place] = _drive_batch(one.reservoir, signal, begin)
        return states
    network = network_of(reservoir)
    if (
        network is None
        or not isinstance(reservoir.recurrent, Dense)
        or rows.shape[2] != reservoir.n_inputs
    ):
        states = np.empty((*rows.shape[:2], reservoir.units), reservoir.dtype)
        for series, x, out in zip(rows, starts, states, strict=True):
            _drive_one(reservoir, rows_of(reservoir, series), x, out)
        return states
    shared = network._replace(inputs=network.inputs[None], bias=network.bias[None])
    return run_batch(shared, np.ones(len(rows)), writable(rows), starts)


def run_batch(networks: kernels.Network, scales: Floats, signals: Floats, starts: Floats) -> Floats:
    """`kernels.batch_loop` with a new array of states; errors and warnings are raised."""
    states = np.empty((len(starts), signals.shape[1], starts.shape[1]), starts.dtype)
    degenerate, row, step = kernels.batch_loop(
        networks, scales.astype(starts.dtype), signals, starts, states
    )
    _report(degenerate, step, f" of row {row}")
    return states


def _report(degenerate: int, overflowed: int, where: str = "") -> None:
    if overflowed >= 0:
        raise StateOverflow(
            f"the state left the range of its floating point type at step {overflowed}{where}; "
            "lower the spectral radius (below 1 for a linear network) or the scale of the input"
        )
    if degenerate:
        warnings.warn(
            f"{degenerate} step(s) had a pre-activation of exactly zero and kept the previous "
            "direction; a bias avoids this",
            DegenerateStep,
            stacklevel=4,
        )
