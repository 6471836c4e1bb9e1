"""FORCE: teaching a network that hears its own output [SUS09]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation, kernels
from .._validation import Floats, StateOverflow
from ..driving import loop_arguments, starts_of
from ..reservoir import Reservoir
from .recursive import RecursiveLeastSquares
from .ridge import Weights


@dataclass(frozen=True, eq=False)
class Taught:
    """What FORCE leaves: the readout, the outputs (T, m) heard during teaching, and the last
    state.
    """

    weights: Weights
    outputs: Floats
    state: Floats


def force(
    reservoir: Reservoir,
    target: ArrayLike,
    signal: ArrayLike | None = None,
    *,
    penalty: float = 1.0,
    forgetting: float = 1.0,
    every: int = 1,
    start: ArrayLike | None = None,
) -> Taught:
    """Teach the network to produce target (T, m) while its last m inputs hear its output; the
    inputs before those hear signal (T, d - m).

    Each `every` steps recursive least squares corrects the readout, so the output stays near the
    target all along and the network learns to be stable with its own small errors in the loop.

    >>> from spheresn import random_reservoir, Tanh
    >>> wave = np.sin(0.3 * np.arange(600.0))[:, None]
    >>> taught = force(random_reservoir(100, activation=Tanh(), spectral_radius=0.9, rng=0), wave, penalty=0.01)
    >>> bool(np.abs(taught.outputs[-100:] - wave[-100:]).max() < 0.05)
    True
    """
    wanted = _validation.table("target", target)
    outputs = wanted.shape[1]
    heard = _validation.table(
        "signal",
        np.zeros((len(wanted), 0)) if signal is None else signal,
        reservoir.n_inputs - outputs,
    )
    _validation.same_length("signal", heard, "target", wanted)
    learner = RecursiveLeastSquares(reservoir.units, outputs, penalty, forgetting)
    produced = np.zeros_like(wanted)
    beginning = starts_of(reservoir, start, 1)[0]
    pause = _validation.whole("every", every, 1)
    arguments = loop_arguments(reservoir)
    if arguments is None:
        return _force_by_steps(reservoir, wanted, heard, learner, pause, beginning)
    matrix, inputs, bias, act = arguments
    learning = (pause, learner.forgetting, learner.penalty)
    steps, state = kernels.taught_loop(
        matrix, inputs, bias, act, heard, wanted, learning, learner.factors, beginning, produced
    )
    if steps < len(wanted):
        raise StateOverflow(
            f"the taught network overflowed at step {steps}; lower the spectral radius or raise "
            "the penalty"
        )
    return Taught(learner.weights, produced, state)


def _force_by_steps(
    reservoir: Reservoir,
    wanted: Floats,
    heard: Floats,
    learner: RecursiveLeastSquares,
    every: int,
    state: Floats,
) -> Taught:
    """For a topology or an activation of the user's own."""
    produced = np.zeros_like(wanted)
    output, weights = produced[0], learner.weights
    for k in range(len(wanted)):
        state = reservoir.step(state, np.concatenate([heard[k], output]))
        if k % every == 0:
            learner.update(state[None], wanted[k : k + 1])
            weights = learner.weights
        produced[k] = output = weights(state[None])[0]
    return Taught(learner.weights, produced, state)
