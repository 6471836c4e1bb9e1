"""Argument checks: the only place where input is checked.

A `BadInput` reads *name must rule, got value; what to do*.
"""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._errors import BadInput

Floats = NDArray[Any]  # float64 or float32; so users may call it either, also in protocols


def whole(name: str, value: object, minimum: int) -> int:
    """`value` as an int of at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < minimum:
        raise BadInput(
            f"{name} must be a whole number of at least {minimum}, got {value!r}; pass such a "
            "number"
        )
    return int(value)


def fitting(name: str, value: object, minimum: int, each: float = 1.0, power: int = 1) -> int:
    """`value` as an int of at least `minimum`, and so small that the memory of this machine holds
    `each` times value^power floats.

    >>> try:
    ...     fitting("steps", 10**18, 1)
    ... except BadInput as error:
    ...     print(str(error).split(", ")[1])
    got 1000000000000000000; ask for fewer
    """
    count = whole(name, value, minimum)
    most = max(int((_memory() / (8.0 * max(each, 1.0))) ** (1.0 / power)), minimum)
    if count > most:
        raise BadInput(
            f"{name} must be a whole number of at most {most} for the memory of this machine, got "
            f"{count}; ask for fewer"
        )
    return count


def _memory() -> int:
    """The memory of this machine in bytes, or where it is unknown, all that an address reaches."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # pragma: no cover - not on Unix
        return 2**47


def real(
    name: str, value: object, low: float = -np.inf, high: float = np.inf, *, above: bool = False
) -> float:
    """`value` as a finite float in [low, high], or in (low, high] with `above`."""
    number = _as_float(name, value)
    if not np.isfinite(number) or number > high or number < low or (above and number == low):
        raise BadInput(
            f"{name} must be {_rule(low, high, above)}, got {value!r}; pass such a number"
        )
    return number


def _as_float(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise BadInput(f"{name} must be a real number, got {value!r}; pass a float")
    try:
        return float(value)
    except OverflowError:  # a whole number or fraction larger than every float
        return float(np.inf)


def _rule(low: float, high: float, above: bool) -> str:
    if low == -np.inf and high == np.inf:
        return "a finite number"
    if high == np.inf:
        return f"finite and {'greater than' if above else 'at least'} {low:g}"
    return f"in {'(' if above else '['}{low:g}, {high:g}]"


def one_of(name: str, value: object, choices: Iterable[str]) -> str:
    """`value`, which must be one of the names in `choices`."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise BadInput(
            f"{name} must be one of {', '.join(known)}, got {value!r}; choose one of these"
        )
    return value


def float_type(name: str, value: DTypeLike) -> np.dtype[Any]:
    """float32 or float64, the two types that the library uses."""
    kind = np.dtype(value)
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise BadInput(f"{name} must be float32 or float64, got {kind}; choose one of these")
    return kind


def generator(rng: object) -> np.random.Generator:
    """A Generator, from a Generator or a seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, numbers.Integral) and not isinstance(rng, bool) and int(rng) >= 0:
        return np.random.default_rng(int(rng))
    raise BadInput(
        f"rng must be a numpy Generator or a seed, got {rng!r}; pass np.random.default_rng(0), say"
    )


def finite(name: str, values: Floats) -> Floats:
    """`values`, none of which may be NaN or infinite."""
    if not np.isfinite(values).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise BadInput(
            f"{name} must be finite, got {values[where]} at index {where}; fill or drop such "
            "values first"
        )
    return values


def array(name: str, values: ArrayLike, ndim: int, dtype: DTypeLike = np.float64) -> Floats:
    """`values` as a finite C-contiguous float array of `ndim` dimensions."""
    return finite(name, floats(name, values, (ndim,), dtype))


def table(
    name: str, values: ArrayLike, columns: int | None = None, dtype: DTypeLike = np.float64
) -> Floats:
    """`values` as a finite array (T, columns); a vector is one column."""
    rows = floats(name, values, (1, 2), dtype)
    rows = rows[:, None] if rows.ndim == 1 else rows
    if columns is not None and rows.shape[1] != columns:
        raise BadInput(
            f"{name} must have {columns} column(s), got shape {rows.shape}; one row per time "
            "step, one column per input"
        )
    return finite(name, rows)


def at_least(name: str, length: int, minimum: int, why: str) -> None:
    """Require that `name`, which has `length` rows, has at least `minimum`."""
    if length < minimum:
        raise BadInput(
            f"{name} must have at least {minimum} rows {why}, got {length}; pass a longer one"
        )


def same_shape(name: str, values: Floats, other_name: str, other: Floats) -> None:
    """Require that two arrays have the same shape."""
    if values.shape != other.shape:
        raise BadInput(
            f"{name} must have the shape of {other_name}, {other.shape}, got {values.shape}; "
            "align the two"
        )


def same_length(name: str, values: Floats, other_name: str, other: Floats) -> None:
    """Require that two arrays have the same number of rows."""
    if len(values) != len(other):
        raise BadInput(
            f"{name} must have as many rows as {other_name}, {len(other)}, got {len(values)}; "
            "align the two"
        )


def floats(name: str, values: ArrayLike, ndims: tuple[int, ...], dtype: DTypeLike) -> Floats:
    """`values` as a C-contiguous float array with one of these numbers of dimensions.

    NaN and infinities are accepted.
    """
    unmasked(name, values)
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "biufO":
            raise TypeError
        with np.errstate(over="ignore"):
            result = np.ascontiguousarray(given, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(
            f"{name} must be an array of real numbers, got {type(values).__name__}; convert it "
            "first"
        ) from None
    if given.ndim not in ndims:
        shape = " or ".join(str(n) for n in ndims)
        raise BadInput(
            f"{name} must have {shape} dimension(s), got shape {given.shape}; reshape it"
        )
    _check_range(name, given, result)
    return result


def unmasked(name: str, values: Any) -> None:
    """Require that no value is masked: what lies below a mask is no number to compute with."""
    if np.ma.is_masked(values):
        raise BadInput(
            f"{name} must have no masked values, got {int(np.sum(values.mask))}; fill or drop "
            "such values first"
        )


def _check_range(name: str, given: NDArray[Any], result: Floats) -> None:
    """Require that no finite value has become infinite in a narrower type."""
    if given.dtype.itemsize > result.dtype.itemsize and np.isinf(result).any():
        lost = np.isinf(result) & (given.astype(np.longdouble) != result)
        if lost.any():
            raise BadInput(
                f"{name} must fit into {result.dtype}, got {given[lost].flat[0]}; scale it down, "
                "or use a wider type"
            )
