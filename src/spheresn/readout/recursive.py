"""Recursive least squares with forgetting, and FORCE, which trains a closed loop with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular

from .. import _validation, kernels
from .._errors import StateOverflow
from .._validation import Floats
from ..compose import Driven, check_driven
from ..driving import network_of, starts_of
from .ridge import Weights


class RecursiveLeastSquares:
    """min Σ_k forgetting^{n-k} |y_k - b - Wᵀx_k|² + penalty |(b, W)|², updated row by row.

    The object keeps the triangle R with RᵀR = Σ forgetting^{n-k} z zᵀ + penalty I, z = (1, x), and
    updates it by plane rotations [GOL13]. No matrix is inverted or subtracted, so rounding errors
    do not grow however long it runs. Forgetting also shrinks the penalty, and R would become
    singular while the signal is constant; so each row restores the penalty of one coordinate, in
    turn.

    >>> rls = RecursiveLeastSquares(1, 1, penalty=1e-9)
    >>> rls.update(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [4.0], [7.0]]))
    >>> rls.weights(np.array([[4.0]])).round(6)
    array([[13.]])
    """

    def __init__(
        self, states: int, targets: int, penalty: float = 1e-6, forgetting: float = 1.0
    ) -> None:
        self.forgetting = _validation.real("forgetting", forgetting, 0.0, 1.0, above=True)
        self.penalty = _validation.real("penalty", penalty, 0.0, above=True)
        size = _validation.whole("states", states, 1) + 1
        self._triangle = np.sqrt(self.penalty) * np.eye(size)
        self._right = np.zeros((size, _validation.whole("targets", targets, 1)))
        self._seen = 0

    def update(self, states: Floats, targets: Floats) -> None:
        """Add rows (T, N) with their targets (T, m)."""
        size, outputs = self._right.shape
        rows = _validation.table("states", states, size - 1)
        expected = _validation.table("targets", targets, outputs)
        _validation.same_length("targets", expected, "states", rows)
        kernels.absorb_rows(
            self._triangle, self._right, rows, expected, self.forgetting, self.penalty, self._seen
        )
        self._seen += len(rows)

    @property
    def factors(self) -> tuple[Floats, Floats]:
        """R and Z, which the compiled loops change in place."""
        return self._triangle, self._right

    @property
    def weights(self) -> Weights:
        """The present readout."""
        solution: Any = solve_triangular(self._triangle, self._right)
        return Weights(solution[1:], solution[0])


@dataclass(frozen=True, eq=False)
class ForceResult:
    """The trained readout, the outputs (T, m) during training, and the last state (N,).

    >>> from spheresn import random_reservoir
    >>> trained = force(random_reservoir(20, rng=0), np.ones(50))
    >>> trained.weights.matrix.shape, trained.outputs.shape, trained.state.shape
    ((20, 1), (50, 1), (20,))
    """

    weights: Weights
    outputs: Floats
    state: Floats


def force(
    reservoir: Driven,
    target: ArrayLike,
    signal: ArrayLike | None = None,
    *,
    penalty: float = 1.0,
    forgetting: float = 1.0,
    every: int = 1,
    start: ArrayLike | None = None,
) -> ForceResult:
    """Train a network in closed loop to produce target (T, m) [SUS09].

    Its output is fed back into its last m inputs; the other inputs receive signal (T, d - m). Every
    `every` steps recursive least squares corrects the readout. The output therefore stays near the
    target during training, and the network learns to be stable with its own small errors.

    >>> from spheresn import random_reservoir, Tanh
    >>> wave = np.sin(0.3 * np.arange(600.0))[:, None]
    >>> reservoir = random_reservoir(100, activation=Tanh(), spectral_radius=0.9, rng=0)
    >>> trained = force(reservoir, wave, penalty=0.01)
    >>> bool(np.abs(trained.outputs[-100:] - wave[-100:]).max() < 0.05)
    True
    """
    check_driven(reservoir)
    expected = _validation.table("target", target)
    outputs = expected.shape[1]
    others = _validation.table(
        "signal",
        np.zeros((len(expected), 0)) if signal is None else signal,
        reservoir.n_inputs - outputs,
    )
    _validation.same_length("signal", others, "target", expected)
    learner = RecursiveLeastSquares(reservoir.units, outputs, penalty, forgetting)
    produced = np.zeros_like(expected)
    first = starts_of(reservoir, start, 1)[0]
    interval = _validation.whole("every", every, 1)
    network = network_of(reservoir)
    if network is None:
        return _force_by_steps(reservoir, expected, others, learner, interval, first)
    learning = (interval, learner.forgetting, learner.penalty)
    steps, state = kernels.force_loop(
        network, others, expected, learning, learner.factors, first, produced
    )
    if steps < len(expected):
        raise StateOverflow(
            f"the network overflowed at step {steps} of the training; lower the spectral radius or "
            "raise the penalty"
        )
    return ForceResult(learner.weights, produced, state)


def _force_by_steps(
    reservoir: Driven,
    expected: Floats,
    others: Floats,
    learner: RecursiveLeastSquares,
    every: int,
    state: Floats,
) -> ForceResult:
    """`force` for a topology or an activation of the user's own."""
    produced = np.zeros_like(expected)
    output, weights = produced[0], learner.weights
    for k in range(len(expected)):
        state = reservoir.step(state, np.concatenate([others[k], output]))
        if k % every == 0:
            learner.update(state[None], expected[k : k + 1])
            weights = learner.weights
        produced[k] = output = weights(state[None])[0]
    return ForceResult(learner.weights, produced, state)
