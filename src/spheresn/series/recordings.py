"""Several recordings of one system: those to learn from, and those by which settings are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._errors import BadInput
from .._validation import Floats

FEWEST_IN_RECORDING = 10  # rows; of fewer, a start with an unknown past leaves too few
FULL_PART = 500  # rows of a recording that say what it is like, before others are left out


def recordings_in(X: Any, name: str = "X") -> list[Any] | None:
    """The recordings of a list or tuple of arrays or data frames; None if it is one series.

    Numbers, and rows of numbers, are one series. Arrays of one axis and of one length may be the
    rows of one series or recordings of one column: they are rows where there are more of them than
    each has values, and refused otherwise.

    >>> recordings_in([[1.0, 2.0], [3.0, 4.0]]) is None, recordings_in([1.0, 2.0]) is None
    (True, True)
    >>> len(recordings_in([np.zeros((9, 2)), np.zeros((5, 2))]))
    2
    """
    if not isinstance(X, (list, tuple)) or not len(X):
        return None
    axes = [len(getattr(one, "shape", ())) for one in X]
    if 0 in axes:
        if max(axes) > 0:
            raise BadInput(
                f"{name} must be one series or a list of recordings, got a list of both; pass "
                "arrays (rows, columns) only"
            )
        return None
    if max(axes) > 1:
        return list(X)
    lengths = {len(one) for one in X}
    if len(lengths) > 1:
        return list(X)
    if len(X) > lengths.pop():
        return None
    raise BadInput(
        f"{name} must say whether its {len(X)} arrays are recordings or the rows of one series, "
        f"got arrays of {len(X[0])} values each; pass arrays (rows, 1) for recordings, "
        f"numpy.array({name}) for rows"
    )


def beside_each(given: Any, count: int, name: str = "exogenous") -> list[Any]:
    """What stands beside each of so many recordings.

    >>> beside_each(None, 2)
    [None, None]
    """
    if given is None:
        return [None] * count
    if not isinstance(given, (list, tuple)) or len(given) != count:
        got = len(given) if isinstance(given, (list, tuple)) else type(given).__name__
        raise BadInput(
            f"{name} must be a list with one table for each of {count} recordings, got {got}; "
            "pass them in the same order"
        )
    return list(given)


def joined(parts: Sequence[Floats]) -> Floats:
    """The rows of all parts, one after the other; a single one as it is."""
    return parts[0] if len(parts) == 1 else np.vstack(parts)


def shares(lengths: Sequence[int], rows: int) -> list[tuple[int, int]]:
    """The recordings that stand for all, and how many rows of each, where `rows` in all do.

    They are spread evenly, and as many as have FULL_PART rows or all of theirs.

    >>> shares([5000], 2000), shares([5000, 5000], 2000), shares([100] * 6, 300)
    ([(0, 2000)], [(0, 1000), (1, 1000)], [(1, 100), (3, 100), (5, 100)])
    """
    if sum(lengths) <= rows:
        return list(enumerate(lengths))
    full = max(min(int(np.median(lengths)), FULL_PART), 1)
    count = int(np.clip(rows // full, 1, len(lengths)))
    chosen = [(place * len(lengths)) // count - 1 for place in range(1, count + 1)]
    return [(place, min(lengths[place], rows // count)) for place in chosen]


def named(places: Iterable[int]) -> str:
    """Recordings by their places in the list, in words.

    >>> named([1, 4])
    'X[1], X[4]'
    """
    return ", ".join(f"X[{place}]" for place in places)
