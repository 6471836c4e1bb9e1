"""Values that JSON can hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """The same value without numpy types; NaN and infinities become None, because JSON has none.

    >>> plain({"error": np.float64("inf"), 1: (np.arange(2), np.array(0.5))})
    {'error': None, '1': [[0, 1], 0.5]}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):  # an array or a number of numpy, or a labelled array
        return plain(np.asarray(value).tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
