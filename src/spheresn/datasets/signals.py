"""Signals from noise and sines: white_noise, mso, narma."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation
from .._errors import StateOverflow
from .._validation import Floats

FLOAT_IN_LIST_MEMORY = 4  # times the memory of a float in an array that one in a list takes


def white_noise(
    steps: int,
    rng: np.random.Generator | int,
    *,
    low: float = -1.0,
    high: float = 1.0,
    columns: int = 1,
) -> Floats:
    """Independent uniform numbers in [low, high), shape (steps, columns) [VAL19, White noise].

    Mean (low + high)/2, variance (high − low)²/12.

    >>> white_noise(1000, 0, columns=2).shape
    (1000, 2)
    """
    start = _validation.real("low", low)
    stop = _validation.real("high", high, start, above=True)
    width = _validation.fitting("columns", columns, 1)
    shape = (_validation.fitting("steps", steps, 1, width), width)
    return _validation.generator(rng).uniform(start, stop, shape)


def mso(steps: int, frequencies: ArrayLike = (0.2, 0.311, 0.42)) -> Floats:
    """Multiple superimposed oscillators, uₖ = Σ_ω sin(ω k), shape (steps, 1) [VAL19, eqn:MSO].

    k = 0 … steps − 1. A sum of m frequencies obeys a linear recurrence of order 2m. The paper calls
    its three frequencies incommensurable; they are multiples of 1/1000, so the sum has the period
    2000 π ≈ 6283.19 steps.

    >>> mso(3, [np.pi / 2]).ravel().round(12)
    array([0., 1., 0.])
    """
    omega = _validation.array("frequencies", frequencies, 1)
    _validation.at_least("frequencies", len(omega), 1, "for a sum of sines")
    k = np.arange(_validation.fitting("steps", steps, 1, 2 * len(omega)))
    return np.asarray(np.sin(np.outer(k, omega)).sum(axis=1, keepdims=True))


def narma(steps: int, rng: np.random.Generator | int, *, order: int = 10) -> tuple[Floats, Floats]:
    """Input u and target y of the nonlinear autoregressive moving average, both (steps, 1) [ATI00].

    yₖ₊₁ = .3 yₖ + .05 yₖ Σᵢ₌₀ⁿ⁻¹ yₖ₋ᵢ + 1.5 uₖ₋ₙ₊₁ uₖ + .1, with n = order, u uniform in [0, .5),
    and u = y = 0 before the start. Row k of the target depends on the input up to row k − 1.

    The recursion can escape to infinity. At n = 10 this happens about once in 200 000 steps, at
    n = 11 within 5000 steps for most inputs, and sooner for larger n. From n = 25 on there is no
    equilibrium, and every input escapes. An escape raises `StateOverflow`. Nothing is clipped or
    drawn again, because that would change the distribution of the input.

    >>> signal, target = narma(500, 0)
    >>> bool((signal >= 0).all() and (signal < 0.5).all()), target[:2].ravel()
    (True, array([0. , 0.1]))
    """
    count = _validation.fitting("steps", steps, 1, 2 * FLOAT_IN_LIST_MEMORY)
    depth = int(_validation.real("order", _validation.whole("order", order, 1), 1, 24))
    signal = _validation.generator(rng).uniform(0.0, 0.5, count)
    return signal[:, None], _narma_target(signal, depth)[:, None]


def _narma_target(signal: Floats, order: int) -> Floats:
    # With y = c in the whole window and zero input, c -> .05 n c² + .3 c + .1. This grows for c
    # above its larger fixed point. The map increases in all its arguments, so once a whole window
    # lies above that point, no input brings the series back.
    no_return = (0.7 + np.sqrt(0.49 - 0.02 * order)) / (0.1 * order)
    # u[k] is the input order - 1 steps before u[k + order - 1]
    u = [0.0] * (order - 1) + signal.tolist()
    y = [0.0] * order
    for k in range(signal.size - 1):
        window = y[-order:]
        if min(window) > no_return:
            raise StateOverflow(
                f"target must stay bounded, got an escape by step {k} at order {order}; draw "
                "again or lower order"
            )
        y.append(0.3 * y[-1] + 0.05 * y[-1] * sum(window) + 1.5 * u[k] * u[k + order - 1] + 0.1)
    return np.array(y[order - 1 :])
