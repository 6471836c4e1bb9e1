"""The exact influence of past inputs on the state: |dx_n/ds_k|."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation, kernels, sphere
from .._scale import power_of_two
from .._validation import Floats
from ..driving import drive_chunks, loop_arguments
from ..reservoir import Reservoir
from ._setting import Signal, input_rows, judge, start_state


@dataclass(frozen=True, eq=False)
class MemoryProfile:
    """Sensitivity at each delay 0..max_delay (D + 1,), the mean of `sensitivities` (times, D + 1),
    one row for each of the last n.

    >>> import spheresn as sn
    >>> line = sn.Reservoir(sn.topology.delay_line(2), np.eye(2)[:, 0], sn.Linear())
    >>> found = memory_profile(line, np.ones(10), 3, times=2)
    >>> found.delays, found.sensitivity, found.sensitivities.shape
    (array([0, 1, 2, 3]), array([1., 1., 0., 0.]), (2, 4))
    """

    delays: NDArray[np.int64]
    sensitivity: Floats
    sensitivities: Floats

    @property
    def relative(self) -> Floats:
        """Relative to delay 0, for plots; as it is where the newest input moves nothing."""
        with np.errstate(over="ignore"):
            return np.asarray(self.sensitivity / (self.sensitivity[0] or 1.0))


def memory_profile(
    reservoir: Reservoir,
    signal: Signal,
    max_delay: int,
    times: int = 1,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> MemoryProfile:
    """|dx_n/ds_{n-j}| = |J_n ... J_{n-j+1} B_{n-j}|_F for j = 0..max_delay, exact: B is the
    derivative of a step in its input.

    For the last n of the signal, or for each of the last `times`. What the paper's memory stands
    for [VAL19, eqn:impact]. One forward pass carries the d columns of every delay as one block,
    (max_delay + times)(max_delay + 1) d products with W: the adjoint would carry N rows back from
    every n, which costs more unless max_delay exceeds N, and serves one n at a time.

    >>> import spheresn as sn
    >>> halving = sn.Reservoir(recurrent=[[0.5]], inputs=[1.0], activation=sn.Linear())
    >>> memory_profile(halving, np.ones(20), 3).sensitivity
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    rows, longest = input_rows(reservoir, signal), _validation.whole("max_delay", max_delay, 0)
    number = _validation.whole("times", times, 1)
    _validation.at_least(
        "signal", len(rows), longest + number, f"to look back {longest} from the last {number}"
    )
    state = start_state(reservoir, start, _validation.generator(rng))
    first = len(rows) - longest - number
    for states in drive_chunks(reservoir, rows[:first], start=state):
        state = states[-1].copy()
    sizes = _sizes(reservoir, rows[first:], state, number, longest + 1)
    unit = power_of_two(sizes)
    return MemoryProfile(np.arange(longest + 1), unit * (sizes / unit).mean(axis=0), sizes)


def _sizes(reservoir: Reservoir, rows: Floats, state: Floats, times: int, slots: int) -> Floats:
    arguments = loop_arguments(reservoir)
    if arguments is None:
        return _sizes_by_steps(reservoir, rows, state, times, slots)
    matrix, inputs, bias, act = arguments
    sizes = np.empty((times, slots))
    judge(*kernels.sensitivity_loop(matrix, inputs, bias, act, rows, state, sizes))
    return sizes


def _sizes_by_steps(
    reservoir: Reservoir, rows: Floats, state: Floats, times: int, slots: int
) -> Floats:
    """The definition, for an activation of the user's own: newest columns first."""
    width = reservoir.n_inputs
    columns: Floats = np.empty((reservoir.units, 0))
    found = []
    for row in rows:
        moved = np.hstack([np.eye(width), np.zeros((width, columns.shape[1]))])
        state, columns = reservoir.tangent_step(
            state, row, np.hstack([np.zeros((reservoir.units, width)), columns]), moved
        )
        columns = columns[:, : slots * width]
        found.append(sphere.norms(columns.T.reshape(-1, width * reservoir.units)))
    return np.array(found[len(found) - times :])
