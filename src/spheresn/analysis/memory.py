"""Memory: how many steps back a linear readout can recall the input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation
from .._errors import BadInput
from .._numerics import power_of_two
from .._validation import Floats
from ..compose import Driven, check_driven
from ..driving import drive, rows_of
from ..metrics import nrmse_of_each
from ..readout import Gram, solve


@dataclass(frozen=True, eq=False)
class MemoryCurve:
    """The accuracy γ = max(1 - NRMSE, 0) of recalling the input `delays` (D,) steps back.

    train and test (D,): on the training rows and on the test rows. In the example the state is the
    input itself.

    >>> signal = np.random.default_rng(0).uniform(-1, 1, 500)
    >>> found = memory_curve(signal[:, None], signal, [0])
    >>> found.delays, found.train.round(6), found.test.round(6)
    (array([0]), array([1.]), array([1.]))
    """

    delays: NDArray[np.int64]
    train: Floats
    test: Floats


@dataclass(frozen=True, eq=False)
class MemoryCapacity:
    """Σ_τ R²(τ) on the test run, and its terms for the delays 0..max_delay (D + 1,).

    train_total: the same sum on the training run.

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
    """The accuracy of recalling s_{k-τ} from x_k by ridge regression [VAL19, fig:memory].

    One factorisation suffices for all delays τ. states (T, N) and signal (T, d) or (T,) have the
    same rows. The first max(washout, longest delay) rows are left out. The next `train` rows (by
    default 5/7 of the rest) are for training, and all others for the test. penalty: that of |Y - X
    B|² + penalty |B|², with a free intercept.

    >>> import spheresn as sn
    >>> signal = sn.datasets.white_noise(500, rng=0)
    >>> line = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[:, 0], sn.Linear())
    >>> memory_curve(sn.drive(line, signal), signal, [0, 4, 5]).test.round(6)
    array([1., 1., 0.])
    """
    x, s = _validation.table("states", states), _validation.table("signal", signal)
    lags = whole_delays(delays)
    rows = split_rows(x, s, max(lags), washout, train)
    on_train, on_test = scores(x, delayed(s, lags), rows, penalty)
    return MemoryCurve(np.array(lags), on_train, on_test)


def memory_capacity(
    reservoir: Driven,
    signal: ArrayLike,
    test_signal: ArrayLike,
    max_delay: int | None = None,
    *,
    washout: int = 100,
    penalty: float = 1e-8,
) -> MemoryCapacity:
    """MC = Σ_{τ=0..max_delay} R²(τ), R² = max(1 - Σ|s_{k-τ} - ŷ_k|²/Σ|s - ⟨s⟩|², 0) [JAE02].

    MC is at most N for independent inputs. The readout is trained on `signal` and tested on
    `test_signal`, a separate run from the same start. Delays that cannot be recalled therefore
    contribute nothing, where on one run they would contribute chance correlations. Delay 0 counts,
    because x_k depends on s_k. max_delay: N by default. Several inputs add up.

    >>> import spheresn as sn
    >>> line = sn.Reservoir(sn.topology.delay_line(5), np.eye(5)[:, 0], sn.Linear())
    >>> one, two = (sn.datasets.white_noise(1000, rng=seed) for seed in (0, 1))
    >>> round(memory_capacity(line, one, two, max_delay=20).total, 6)
    5.0
    """
    check_driven(reservoir)
    longest = reservoir.units if max_delay is None else _validation.whole("max_delay", max_delay, 0)
    first = max(_validation.whole("washout", washout, 0), longest)
    unit = power_of_two(rows_of(reservoir, signal))
    pairs = [
        _states_and_targets(reservoir, s, name, longest, first, unit)
        for name, s in (("signal", signal), ("test_signal", test_signal))
    ]
    readout = solve(Gram.of(*pairs[0]), penalty)
    on_train, on_test = (_r_squared(y, readout(x)) for x, y in pairs)
    per_delay = on_test.reshape(longest + 1, -1).sum(axis=1)
    return MemoryCapacity(float(per_delay.sum()), per_delay, float(on_train.sum()))


def _states_and_targets(
    reservoir: Driven, signal: ArrayLike, name: str, longest: int, first: int, unit: float
) -> tuple[Floats, Floats]:
    """The states, and the delayed inputs (T', (max_delay + 1) d) in a unit with safe squares."""
    rows = rows_of(reservoir, signal, name)
    _validation.at_least(name, len(rows), first + 2, f"after {first} of washout and delay")
    targets = delayed(rows / unit, list(range(longest + 1)))[first:]
    return drive(reservoir, rows)[first:], targets.reshape(len(targets), -1)


def _r_squared(target: Floats, guess: Floats) -> Floats:
    """R² of each column, at least 0."""
    spread = ((target - target.mean(axis=0)) ** 2).sum(axis=0)
    if not (np.ptp(target, axis=0).all() and spread.all()):
        raise BadInput("signal must vary, got a constant column; its memory cannot be measured")
    with np.errstate(over="ignore"):
        return np.asarray(np.maximum(1.0 - ((target - guess) ** 2).sum(axis=0) / spread, 0.0))


def whole_delays(delays: object) -> list[int]:
    """The delays as a list of at least one whole number, each at least zero."""
    listed = [
        _validation.whole("delays", delay, 0)
        for delay in np.atleast_1d(np.asarray(delays)).ravel().tolist()
    ]
    _validation.at_least("delays", len(listed), 1, "to look back to")
    return listed


def split_rows(
    states: Floats, signal: Floats, longest: int, washout: int, train: int | None
) -> tuple[slice, slice]:
    """The training rows and the test rows, after the washout and after the longest delay."""
    _validation.same_length("states", states, "signal", signal)
    first = max(_validation.whole("washout", washout, 0), longest)
    _validation.at_least(
        "signal",
        len(signal),
        first + 4,
        f"to train and test after {first} rows of washout and delay",
    )
    size = (len(signal) - first) * 5 // 7 if train is None else _validation.whole("train", train, 2)
    _validation.at_least(
        "signal",
        len(signal),
        first + size + 2,
        f"to test on two after {first} of washout and delay and {size} of training",
    )
    return slice(first, first + size), slice(first + size, len(signal))


def delayed(signal: Floats, delays: list[int]) -> Floats:
    """s_{k-τ} for every delay (T, D, d); entries from before the first row are zero."""
    shifted = np.zeros((len(signal), len(delays), signal.shape[1]))
    for i, delay in enumerate(delays):
        shifted[delay:, i] = signal[: len(signal) - delay]
    return shifted


def scores(
    states: Floats, targets: Floats, rows: tuple[slice, slice], penalty: float
) -> tuple[Floats, Floats]:
    """The accuracy on the training rows and on the test rows (D,), for targets (T, D, m)."""
    train = rows[0]
    # The accuracy has no unit, and squares of 1e200 would overflow
    targets = targets / power_of_two(targets)
    flat = targets.reshape(len(targets), -1)
    readout = solve(Gram.of(states[train], flat[train]), penalty)
    shape = targets.shape[1:]
    on_train, on_test = (
        1.0 - nrmse_of_each(targets[part], readout(states[part]).reshape(-1, *shape))
        for part in rows
    )
    return np.maximum(on_train, 0.0), np.maximum(on_test, 0.0)
