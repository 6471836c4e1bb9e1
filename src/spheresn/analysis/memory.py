"""How far back a linear readout can recall the input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation
from .._scale import power_of_two
from .._validation import BadInput, Floats
from ..driving import drive, rows_of
from ..readout import Gram, solve
from ..reservoir import Reservoir
from ._split import delayed, scores, split_rows, whole_delays


@dataclass(frozen=True, eq=False)
class MemoryCurve:
    """Accuracy γ = max(1 - NRMSE, 0) of recalling the input `delays` (D,) steps back, on training
    rows and on test rows (D,).

    >>> signal = np.random.default_rng(0).uniform(-1, 1, 500)
    >>> found = memory_curve(signal[:, None], signal, [0])  # a state that is the input itself
    >>> found.delays, found.train.round(6), found.test.round(6)
    (array([0]), array([1.]), array([1.]))
    """

    delays: NDArray[np.int64]
    train: Floats
    test: Floats


@dataclass(frozen=True, eq=False)
class MemoryCapacity:
    """Σ_τ R²(τ) on the independent run, its terms per delay 0..max_delay (D + 1,), and the sum on
    the training run.

    >>> import spheresn as sn
    >>> line = sn.Reservoir(sn.topology.delay_line(3), np.eye(3)[:, 0], sn.Linear())
    >>> one, two = (sn.datasets.white_noise(1000, rng=seed) for seed in (0, 1))
    >>> memory_capacity(line, one, two, max_delay=2).per_delay.round(6)
    array([1., 1., 1.])
    """

    total: float
    per_delay: Floats
    train_total: float


def memory_curve(
    states: ArrayLike,
    signal: ArrayLike,
    delays: ArrayLike,
    *,
    washout: int = 0,
    train: int | None = None,
    penalty: float = 1e-8,
) -> MemoryCurve:
    """How well s_{k-τ} is recalled from x_k by ridge regression, for each delay τ; one
    factorisation serves all [VAL19, fig:memory].

    states (T, N) and signal (T, d) or (T,), row by row. The first max(washout, longest delay) rows
    are left out, `train` rows learn (5/7 of the rest by default) and all others judge. penalty:
    that of |Y - X B|² + penalty |B|², intercept free.

    >>> import spheresn as sn
    >>> signal = sn.datasets.white_noise(500, rng=0)
    >>> line = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[:, 0], sn.Linear())
    >>> memory_curve(sn.drive(line, signal), signal, [0, 4, 5]).test.round(6)
    array([1., 1., 0.])
    """
    x, s = _validation.table("states", states), _validation.table("signal", signal)
    asked = whole_delays(delays)
    rows = split_rows(x, s, max(asked), washout, train)
    learned, judged = scores(x, delayed(s, asked), rows, penalty)
    return MemoryCurve(np.array(asked), learned, judged)


def memory_capacity(
    reservoir: Reservoir,
    signal: ArrayLike,
    test_signal: ArrayLike,
    max_delay: int | None = None,
    *,
    washout: int = 100,
    penalty: float = 1e-8,
) -> MemoryCapacity:
    """MC = Σ_{τ=0..max_delay} R²(τ), R² = max(1 - Σ|s_{k-τ} - ŷ_k|²/Σ|s - ⟨s⟩|², 0): at most N for
    independent inputs [JAE02].

    The readout learns on `signal` and is judged on `test_signal`, a run of its own from the same
    start, so that delays that cannot be recalled count as nothing instead of as chance correlation.
    Delay 0 counts: x_k has seen s_k. max_delay: N by default. Several inputs add up.

    >>> import spheresn as sn
    >>> line = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[:, 0], sn.Linear())
    >>> one, two = (sn.datasets.white_noise(1000, rng=seed) for seed in (0, 1))
    >>> round(memory_capacity(line, one, two, max_delay=20).total, 6)
    5.0
    """
    longest = reservoir.units if max_delay is None else _validation.whole("max_delay", max_delay, 0)
    first = max(_validation.whole("washout", washout, 0), longest)
    unit = power_of_two(rows_of(reservoir, signal))
    pairs = [
        _recalled(reservoir, s, name, longest, first, unit)
        for name, s in (("signal", signal), ("test_signal", test_signal))
    ]
    readout = solve(Gram.of(*pairs[0]), penalty)
    learned, judged = (_determination(y, readout(x)) for x, y in pairs)
    per_delay = judged.reshape(longest + 1, -1).sum(axis=1)
    return MemoryCapacity(float(per_delay.sum()), per_delay, float(learned.sum()))


def _recalled(
    reservoir: Reservoir, signal: ArrayLike, name: str, longest: int, first: int, unit: float
) -> tuple[Floats, Floats]:
    """States and the delayed inputs (T', (max_delay + 1) d) that belong to them, in a unit in which
    they can be squared.
    """
    rows = rows_of(reservoir, signal, name)
    _validation.at_least(name, len(rows), first + 2, f"after {first} of washout and delay")
    targets = delayed(rows / unit, list(range(longest + 1)))[first:]
    return drive(reservoir, rows)[first:], targets.reshape(len(targets), -1)


def _determination(target: Floats, guess: Floats) -> Floats:
    """R² of each column, at least 0."""
    spread = ((target - target.mean(axis=0)) ** 2).sum(axis=0)
    if not (np.ptp(target, axis=0).all() and spread.all()):
        raise BadInput("signal must vary, got a constant column; its memory cannot be measured")
    with np.errstate(over="ignore"):
        return np.asarray(np.maximum(1.0 - ((target - guess) ** 2).sum(axis=0) / spread, 0.0))
