"""What a score judges: the rows whose past is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import BadInput
from .._validation import array, same_length
from .validation import is_list


def judged(series: Sequence[Any], washout: int) -> Any:
    """The rows of all series without the washout of each, of which it is at most a quarter."""
    return np.concatenate([rows[min(washout, len(rows) // 4) :] for rows in series])


def judged_weights(weights: Any, series: Sequence[Any], washout: int) -> Any:
    """The weights of the rows that `judged` keeps, from those of all rows or a list per series."""
    if weights is None:
        return None
    flat = np.concatenate(weights) if is_list(weights) else np.asarray(weights)
    ends = np.cumsum([len(rows) for rows in series])
    same_length("sample_weight", flat, "X", range(ends[-1]))  # type: ignore[arg-type]
    return judged(np.split(flat, ends[:-1]), washout)


def share_right(predicted: Any, labels: Any, weights: Any) -> float:
    """The share of series with the predicted label, each with its weight.

    >>> share_right(np.array([0, 1, 1]), [0, 0, 1], [1.0, 2.0, 1.0])
    0.5
    """
    labels = np.asarray(labels)
    same_length("y", labels, "X", predicted)
    if weights is None:
        return float(np.average(predicted == labels))
    found = array("sample_weight", weights, 1)
    same_length("sample_weight", found, "X", predicted)
    if (found < 0.0).any() or not found.any():
        raise BadInput(
            "sample_weight must be at least 0, and not 0 for all series, got "
            f"{float(found.min()):g} as the least; pass such weights"
        )
    largest = found.max()  # by which they are divided first, so that no sum overflows
    return float(np.average(predicted == labels, weights=found / largest))
