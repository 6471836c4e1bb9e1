"""Errors of a prediction: nrmse, accuracy, valid_time; time is axis 0 of both arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _validation
from ._errors import BadInput
from ._numerics import power_of_two
from ._validation import Floats


def nrmse(target: ArrayLike, prediction: ArrayLike) -> float:
    """The normalised root mean square error: 0 is perfect, 1 is the error of predicting the mean.

    NRMSE = √( ⟨|yₖ − ŷₖ|²⟩ / ⟨|yₖ − ⟨y⟩|²⟩ ), averaged over the given rows [VAL19, eqn:error]. With
    several columns it is the root mean square error over the root of the mean column variance, so a
    column that varies little has little weight. Both arrays are (T,) or (T, m).

    >>> nrmse([0.0, 1.0, 2.0, 3.0], [1.5, 1.5, 1.5, 1.5])
    1.0
    """
    rows, unit, spread = _scaled_target(target)
    guess = _validation.table("prediction", prediction)
    _validation.same_shape("prediction", guess, "target", rows)
    with np.errstate(over="ignore"):
        return _rms(rows - guess / unit) / spread


def accuracy(target: ArrayLike, prediction: ArrayLike) -> float:
    """γ = max(1 − NRMSE, 0): 1 is perfect, 0 is no better than the mean [VAL19, eqn:error].

    Both arrays are (T,) or (T, m).

    >>> accuracy([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])
    1.0
    """
    return max(1.0 - nrmse(target, prediction), 0.0)


def valid_time(
    target: ArrayLike, prediction: ArrayLike, threshold: float = 0.4, dt: float = 1.0
) -> float:
    """The time until the normalised error of a forecast first exceeds the threshold.

    dt times the number of rows before |yₖ − ŷₖ| / √⟨|y − ⟨y⟩|²⟩ > threshold, for all columns
    together; T dt if it never does. Both arrays are (T,) or (T, m). NaN or infinity in the
    prediction exceeds every threshold, because closed loops can diverge.

    >>> valid_time([0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.5, 1.0], dt=0.1)
    0.2
    """
    rows, unit, spread = _scaled_target(target)
    # not table(), which rejects NaN
    guess = _validation.floats("prediction", prediction, (1, 2), np.float64)
    guess = guess.reshape(-1, 1) if guess.ndim == 1 else guess
    _validation.same_shape("prediction", guess, "target", rows)
    limit = _validation.real("threshold", threshold, 0, above=True)
    step = _validation.real("dt", dt, 0, above=True)
    with np.errstate(over="ignore", invalid="ignore"):
        errors = (rows - guess / unit) / spread / np.sqrt(rows.shape[1])
        valid = np.linalg.norm(errors, axis=1) <= limit  # False for NaN
    return step * float(valid.size if valid.all() else valid.argmin())


def _scaled_target(target: ArrayLike) -> tuple[Floats, float, float]:
    """The target (T, m) in a unit of about its size, that unit, and the spread in that unit.

    The spread is the root of the mean column variance, which must not be zero.
    """
    rows = _validation.table("target", target)
    _validation.at_least("target", len(rows), 2, "to have a variance")
    if not (rows != rows[0]).any():
        raise BadInput(
            f"target must vary, got {rows[0].tolist()} in every row; a constant has no variance "
            "to measure errors by"
        )
    unit = power_of_two(rows)
    rows = rows / unit
    return rows, unit, _rms(rows - rows.mean(axis=0))


def _rms(rows: Floats) -> float:
    """The root mean square of all entries; squares of entries like 1e±200 are safe."""
    scale = float(np.abs(rows).max())
    return scale * float(np.sqrt(np.mean((rows / scale) ** 2))) if 0.0 < scale < np.inf else scale
