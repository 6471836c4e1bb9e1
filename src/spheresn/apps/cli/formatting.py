"""Numbers with few digits, and names that are safe to print."""

from __future__ import annotations

import math

from ..._errors import printable


def format_number(value: float, digits: int = 4) -> str:
    """A number with few digits.

    >>> format_number(1234.567), format_number(0.000012345), format_number(float("inf"))
    ('1235', '1.234e-05', 'infinite')
    >>> format_number(2.0), format_number(float("nan"))
    ('2', 'unknown')
    """
    if math.isfinite(value):
        return f"{value:.{digits}g}"
    if math.isnan(value):
        return "unknown"
    return "infinite" if value > 0 else "-infinite"


def format_interval(value: float, half: float) -> str:
    """A value and half the width of its interval, with as many digits as the interval justifies.

    >>> format_interval(5.8531234, 0.00021), format_interval(134.4, 2.81), format_interval(2.0, 0.0)
    ('5.85312 ± 0.00021', '134.4 ± 2.8', '2 ± 0')
    """
    digits = (
        math.ceil(math.log10(abs(value) / half)) + 1
        if half > 0.0 and value != 0.0 and abs(value) / half < math.inf
        else 4
    )
    return f"{format_number(value, min(max(digits, 4), 9))} ± {format_number(half, 2)}"


def format_name(name: str, longest: int = 48) -> str:
    r"""A name from a file, safe for a terminal: control characters are escaped, a long name is cut.

    >>> format_name("a\x1b[31m"), format_name("tide in m")
    ('a\\x1b[31m', 'tide in m')
    """
    safe = printable(name)
    return safe if len(safe) <= longest else f"{safe[: longest - 1]}…"
