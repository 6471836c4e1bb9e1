"""The memory/nonlinearity task y_k = sin(ν u_{k-τ}), and the bound of linear networks on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from .memory import delayed, scores, split_rows, whole_delays


@dataclass(frozen=True, eq=False)
class Tradeoff:
    """The accuracy on the training rows and on the test rows (D, F).

    It is given for every delay τ (D,) and frequency ν (F,).

    >>> signal = np.random.default_rng(0).uniform(-1, 1, 500)
    >>> found = memory_nonlinearity(np.sin(2 * signal)[:, None], signal, [0], [2.0])
    >>> found.delays, found.frequencies, found.test.round(6)
    (array([0]), array([2.]), array([[1.]]))
    """

    delays: NDArray[np.int64]
    frequencies: Floats
    train: Floats
    test: Floats


def memory_nonlinearity(
    states: ArrayLike,
    signal: ArrayLike,
    delays: ArrayLike,
    frequencies: ArrayLike,
    *,
    washout: int = 0,
    train: int | None = None,
    penalty: float = 1e-8,
) -> Tradeoff:
    """The accuracy of computing sin(ν u_{k-τ}) from x_k by ridge regression [INU17, VAL19].

    One factorisation suffices for all τ and ν. states (T, N), signal u (T,) or (T, 1), in [-1, 1]
    for the usual task. The rows are split as in `memory_curve`.

    >>> import spheresn as sn
    >>> signal = sn.datasets.white_noise(700, rng=0)
    >>> line = sn.Reservoir(sn.topology.delay_line(9), np.eye(9)[:, 0], sn.Linear())
    >>> result = memory_nonlinearity(sn.drive(line, signal), signal, [0, 8], [0.001, 2.5])
    >>> bool(np.allclose(result.test, [[1.0, linear_bound(2.5)]] * 2, atol=0.02))
    True
    """
    x, s = _validation.table("states", states), _validation.table("signal", signal, 1)
    lags = whole_delays(delays)
    nus = _validation.array("frequencies", np.atleast_1d(np.asarray(frequencies)), 1)
    if not nus.all() or len(nus) == 0:
        raise BadInput("frequencies must differ from zero, got none or a zero; sin(0 u) is no task")
    rows = split_rows(x, s, max(lags), washout, train)
    targets = np.sin(nus * delayed(s, lags)).reshape(len(s), -1, 1)
    on_train, on_test = (
        score.reshape(len(lags), len(nus)) for score in scores(x, targets, rows, penalty)
    )
    return Tradeoff(np.array(lags), nus, on_train, on_test)


def linear_bound(frequency: ArrayLike) -> Floats | float:
    """The best accuracy of any linear network on sin(ν u), u uniform in [-1, 1]: 1 - √(1 - R²).

    R² = 3 (sin ν/ν² - cos ν/ν)²/(1/2 - sin 2ν/(4ν)) is the squared correlation of u and sin(ν u).
    The bound does not depend on the memory of the network.

    >>> round(linear_bound(2.5), 3)
    0.642
    """
    nu = _validation.finite(
        "frequency", _validation.floats("frequency", frequency, (0, 1, 2), np.float64)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = (
            3.0 * (np.sin(nu) / nu**2 - np.cos(nu) / nu) ** 2 / (0.5 - np.sin(2 * nu) / (4 * nu))
        )
    # For small ν, 1 - R² = ν⁴/525 has four correct digits, more than the differences above
    small = np.abs(nu) < 0.03
    missing = np.where(small, nu**4 / 525.0, 1.0 - squared)
    bound = 1.0 - np.sqrt(np.maximum(missing, 0.0))
    return float(bound.ravel()[0]) if np.ndim(frequency) == 0 else np.asarray(bound)
