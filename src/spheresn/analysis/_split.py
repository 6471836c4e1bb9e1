"""One factorisation, many targets: the rows that are learned from, the rows that are judged."""

from __future__ import annotations

import numpy as np

from .. import _validation
from .._scale import power_of_two
from .._validation import Floats
from ..metrics import accuracy
from ..readout import Gram, solve


def whole_delays(delays: object) -> list[int]:
    """The delays as whole numbers of at least zero, at least one of them."""
    listed = [
        _validation.whole("delays", delay, 0)
        for delay in np.atleast_1d(np.asarray(delays)).ravel().tolist()
    ]
    _validation.at_least("delays", len(listed), 1, "to look back to")
    return listed


def split_rows(
    states: Floats, signal: Floats, longest: int, washout: int, train: int | None
) -> tuple[slice, slice]:
    """The rows to train on and the rest to test on, after `washout` rows and where every delay
    exists.
    """
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
    """s_{k-τ} for every delay (T, D, d); rows before the first are filled with zeros and must not
    be used.
    """
    shifted = np.zeros((len(signal), len(delays), signal.shape[1]))
    for i, delay in enumerate(delays):
        shifted[delay:, i] = signal[: len(signal) - delay]
    return shifted


def scores(
    states: Floats, targets: Floats, rows: tuple[slice, slice], penalty: float
) -> tuple[Floats, Floats]:
    """Accuracy on the training and on the test rows for targets (T, D, m), each of the D judged
    with its m columns together.
    """
    train = rows[0]
    # Accuracy has no unit, and squares of 1e200 do not fit
    targets = targets / power_of_two(targets)
    flat = targets.reshape(len(targets), -1)
    readout = solve(Gram.of(states[train], flat[train]), penalty)
    guesses = [readout(states[part]).reshape(-1, *targets.shape[1:]) for part in rows]
    judged = [
        np.array([accuracy(targets[part, i], guess[:, i]) for i in range(targets.shape[1])])
        for part, guess in zip(rows, guesses, strict=True)
    ]
    return judged[0], judged[1]
