"""Numbers as people read them, and names that are safe to print: one rule for terminal, page,
explorer and `repr`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ._errors import printable

LARGEST_PLAIN, LEAST_PLAIN = 1e15, 1e-4  # beyond, powers of ten are easier to read than zeros
MOST_DIGITS = 9  # of a number with its interval
# A deviation whose first digits are below this has two of them, as .12; others have one, as .7
TWO_DIGITS = 3.55


def format_number(value: float, digits: int = 4) -> str:
    """A number with few digits.

    >>> format_number(1234.567), format_number(0.000012345), format_number(float("inf"))
    ('1,235', '1.234e-05', 'infinite')
    >>> format_number(2.0), format_number(float("nan")), format_number(129_973.2, 3)
    ('2', 'unknown', '130,000')
    """
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    if value and not LEAST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return f"{value:.{digits}g}"
    return _plain(value, digits - 1 - (math.floor(math.log10(abs(value))) if value else 0))


def format_interval(value: float, lower: float, upper: float) -> str:
    """A value and its interval, with as many digits as the width of the interval justifies: as few
    as say the half width to some tenths, the same place for all three.

    >>> format_interval(5.8531234, 5.85291, 5.85334), format_interval(134.4, 131.6, 137.2)
    ('5.85312 (5.85291 to 5.85334)', '134.4 (131.6 to 137.2)')
    >>> format_interval(129_973.2, 129_651.0, 131_152.0), format_interval(4.7e-232, -1.0, 1.0)
    ('130,000 (129,700 to 131,200)', '0 (-1 to 1)')
    >>> format_interval(2.0, 2.0, 2.0), format_interval(0.02, 0.0, 3.0)
    ('2 (2 to 2)', '0 (0 to 3)')
    """
    parts = [_rounded(part, lower, upper) for part in (value, lower, upper)]
    return "{} ({} to {})".format(*parts)


def _rounded(part: float, lower: float, upper: float) -> str:
    half, largest = 0.5 * upper - 0.5 * lower, max(abs(lower), abs(upper), abs(part))
    if not (half > 0.0 and math.isfinite(largest) and largest < 10.0**MOST_DIGITS * half):
        return format_number(part)
    power = math.floor(math.log10(half))
    places = (1 if half / 10.0**power < TWO_DIGITS else 0) - power
    if LEAST_PLAIN <= largest < LARGEST_PLAIN:
        return _plain(part, places)
    top = math.floor(math.log10(largest))
    return f"{part / 10.0**top:.{max(places + top, 0)}f}e{top:+03d}" if part else "0"


def _plain(value: float, places: int) -> str:
    """A number rounded to so many places behind the point, or before it if there are less than
    none; with commas between thousands and without zeros at the end.
    """
    text = f"{round(value, places) + 0.0:,.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def noise_sentence(shares: Sequence[float]) -> str:
    """How noisy rows look, from the noise of each column in deviations; empty where they are clean.

    >>> noise_sentence([0.041]), noise_sentence([0.012, 0.0391])
    ('The rows look noisy: about 4 % of their deviation.', 'The rows look noisy: about 1 to 4 % of \
their deviation.')
    >>> noise_sentence([0.004, 0.0]), noise_sentence([0.0])
    ('The rows look noisy: about 0 to 0.4 % of their deviation.', '')
    """
    least, most = (f"{100.0 * share:.1g}" if share < 0.095 else f"{100.0 * share:.0f}"
                   for share in (min(shares), max(shares)))  # fmt: skip
    if not max(shares) > 0.0:
        return ""
    range_ = most if least == most else f"{least} to {most}"
    return f"The rows look noisy: about {range_} % of their deviation."


def format_name(name: str, longest: int = 48) -> str:
    r"""A name from a file, safe for a terminal: control characters are escaped, a long name is cut.

    >>> format_name("a\x1b[31m"), format_name("tide in m")
    ('a\\x1b[31m', 'tide in m')
    """
    safe = printable(name)
    return safe if len(safe) <= longest else f"{safe[: longest - 1]}…"
