"""Values for JSON, which knows neither numpy nor NaN."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """The value as JSON can say it: numpy's numbers and arrays as Python's, NaN and infinities as
    null, mappings and sequences item by item.

    >>> import numpy as np
    >>> plain({"a": np.float64("nan"), "b": (np.int64(2), [1.5]), "c": np.ones(2)})
    {'a': None, 'b': [2, [1.5]], 'c': [1.0, 1.0]}
    """
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
