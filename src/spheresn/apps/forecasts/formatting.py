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


def format_interval(value: float, lower: float, upper: float) -> str:
    """A value and its interval, with as many digits as the width of the interval justifies.

    >>> format_interval(5.8531234, 5.85291, 5.85334), format_interval(134.4, 131.6, 137.2)
    ('5.85312 (5.85291 to 5.85334)', '134.4 (131.6 to 137.2)')
    >>> format_interval(2.0, 2.0, 2.0), format_interval(0.02, 0.0, 3.0)
    ('2 (2 to 2)', '0.02 (0 to 3)')
    """
    half, largest = 0.5 * upper - 0.5 * lower, max(abs(lower), abs(upper))
    digits = math.ceil(math.log10(largest / half)) + 1 if half > 0.0 and largest / half < 1e9 else 4
    parts = (format_number(part, min(max(digits, 4), 9)) for part in (value, lower, upper))
    return "{} ({} to {})".format(*parts)


def format_name(name: str, longest: int = 48) -> str:
    r"""A name from a file, safe for a terminal: control characters are escaped, a long name is cut.

    >>> format_name("a\x1b[31m"), format_name("tide in m")
    ('a\\x1b[31m', 'tide in m')
    """
    safe = printable(name)
    return safe if len(safe) <= longest else f"{safe[: longest - 1]}…"
