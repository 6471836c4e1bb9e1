"""Numbers as people read them, and names that do no harm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import printable


def rounded(value: float, digits: int = 4) -> str:
    """A number with few digits.

    >>> rounded(1234.567), rounded(0.000012345), rounded(float("inf")), rounded(2.0)
    ('1235', '1.234e-05', 'infinite', '2')
    """
    return (
        f"{value:.{digits}g}"
        if math.isfinite(value)
        else "infinite"
        if value > 0
        else "-infinite"
        if value < 0
        else "unknown"
    )


def with_interval(value: float, half: float) -> str:
    """A value with as many digits as its interval allows.

    >>> with_interval(5.8531234, 0.00021), with_interval(134.4, 2.81), with_interval(2.0, 0.0)
    ('5.85312 ± 0.00021', '134.4 ± 2.8', '2 ± 0')
    """
    digits = (
        math.ceil(math.log10(abs(value) / half)) + 1
        if half > 0.0 and value != 0.0 and abs(value) / half < math.inf
        else 4
    )
    return f"{rounded(value, min(max(digits, 4), 9))} ± {rounded(half, 2)}"


def shown(name: str, longest: int = 48) -> str:
    r"""A name from a file, safe for a terminal: control characters are spelled out, long ones cut.

    >>> shown("a\x1b[31m"), shown("tide in m")
    ('a\\x1b[31m', 'tide in m')
    """
    safe = printable(name)
    return safe if len(safe) <= longest else f"{safe[: longest - 1]}…"


def plain(value: Any) -> Any:
    """For JSON, which knows no numpy and no infinity."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(one) for one in value]
    number = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(number, float) and not math.isfinite(number) else number
