"""The exact influence of past inputs on the state: |dx_n/ds_k|."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation, kernels, sphere
from .._numerics import power_of_two
from .._validation import Floats
from ..compose import Driven, check_driven
from ..driving import drive_chunks, network_of
from ._common import Signal, check_status, input_rows, start_state


@dataclass(frozen=True, eq=False)
class MemoryProfile:
    """The sensitivity at each delay 0..max_delay (D + 1,).

    It is the mean of `sensitivities` (times, D + 1), which has one row for each of the last steps.

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
        """The sensitivity relative to delay 0; unchanged if that is zero."""
        with np.errstate(over="ignore"):
            return np.asarray(self.sensitivity / (self.sensitivity[0] or 1.0))


def memory_profile(
    reservoir: Driven,
    signal: Signal,
    max_delay: int,
    times: int = 1,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int = 0,
) -> MemoryProfile:
    """The exact |dx_n/ds_{n-j}| = |J_n ... J_{n-j+1} B_{n-j}|_F for j = 0..max_delay.

    B is the derivative of a step in its input, and n is the last step of the signal, or each of the
    last `times` steps. The paper's memory describes this quantity [VAL19, eqn:impact]. One forward
    pass carries the d columns of every delay as one block, which takes (max_delay +
    times)(max_delay + 1) d products with W. The adjoint would carry N rows back from every n: it
    costs more unless max_delay exceeds N, and gives only one n at a time.

    >>> import spheresn as sn
    >>> halving = sn.Reservoir(recurrent=[[0.5]], inputs=[1.0], activation=sn.Linear())
    >>> memory_profile(halving, np.ones(20), 3).sensitivity
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    check_driven(reservoir)
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


def _sizes(reservoir: Driven, rows: Floats, state: Floats, times: int, slots: int) -> Floats:
    network = network_of(reservoir)
    if network is None:
        return _sizes_by_steps(reservoir, rows, state, times, slots)
    sizes = np.empty((times, slots))
    check_status(*kernels.sensitivity_loop(network, rows, state, sizes))
    return sizes


def _sizes_by_steps(
    reservoir: Driven, rows: Floats, state: Floats, times: int, slots: int
) -> Floats:
    """The definition, for a topology or an activation of the user's own; newest columns first."""
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
