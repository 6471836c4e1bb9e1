"""What a score judges: the rows whose past is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._validation import same_length
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
