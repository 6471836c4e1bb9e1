"""How good is a prediction: nrmse, accuracy, valid_time. Pure functions of two arrays, time on axis
0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from spheresn import _validation
from spheresn._scale import power_of_two
from spheresn._validation import BadInput, Floats


def nrmse(target: ArrayLike, prediction: ArrayLike) -> float:
    """Error of `prediction` in units of the spread of `target`: 0 is perfect, 1 is as good as
    always saying the mean.

    NRMSE = √( ⟨|yₖ − ŷₖ|²⟩ / ⟨|yₖ − ⟨y⟩|²⟩ ), the averages over the rows given [VAL19, eqn:error].
    Several columns count together: root mean square error over the root of the mean column
    variance, so a column that varies little weighs little. Both arrays (T,) or (T, m).

    >>> nrmse([0.0, 1.0, 2.0, 3.0], [1.5, 1.5, 1.5, 1.5])
    1.0
    """
    rows, unit, spread = _varying(target)
    guess = _validation.table("prediction", prediction)
    _validation.same_shape("prediction", guess, "target", rows)
    with np.errstate(over="ignore"):
        return _rms(rows - guess / unit) / spread


def accuracy(target: ArrayLike, prediction: ArrayLike) -> float:
    """The paper's γ = max(1 − NRMSE, 0): 1 is perfect, 0 is no better than the mean [VAL19,
    eqn:error]. Both (T,) or (T, m).

    >>> accuracy([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])
    1.0
    """
    return max(1.0 - nrmse(target, prediction), 0.0)


def valid_time(
    target: ArrayLike, prediction: ArrayLike, threshold: float = 0.4, dt: float = 1.0
) -> float:
    """Time until a forecast first leaves its target: dt times the number of rows before |yₖ − ŷₖ| /
    √⟨|y − ⟨y⟩|²⟩ > threshold.

    All columns count together, both arrays are (T,) or (T, m), and a forecast that never leaves is
    valid for T dt. NaN or infinity in the prediction is a forecast that has left, since free runs
    diverge.

    >>> valid_time([0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.5, 1.0], dt=0.1)
    0.2
    """
    rows, unit, spread = _varying(target)
    # table() would refuse NaN, which is an answer here
    guess = _validation.floats("prediction", prediction, (1, 2), np.float64)
    guess = guess.reshape(-1, 1) if guess.ndim == 1 else guess
    _validation.same_shape("prediction", guess, "target", rows)
    limit = _validation.real("threshold", threshold, 0, above=True)
    step = _validation.real("dt", dt, 0, above=True)
    with np.errstate(over="ignore", invalid="ignore"):
        # False for NaN
        valid = (
            np.linalg.norm((rows - guess / unit) / spread / np.sqrt(rows.shape[1]), axis=1) <= limit
        )
    return step * float(valid.size if valid.all() else valid.argmin())


def _varying(target: ArrayLike) -> tuple[Floats, float, float]:
    """The target (T, m) in a unit of about its size, that unit, and the root of its mean column
    variance, which must not vanish.
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
    """Root mean square of all entries, scaled first so that the squares of 1e±200 neither overflow
    nor vanish.
    """
    scale = float(np.abs(rows).max())
    return scale * float(np.sqrt(np.mean((rows / scale) ** 2))) if 0.0 < scale < np.inf else scale
