"""The flows of `dysts` as compiled functions.

Most flows of dysts are compiled functions of their columns and parameters. The others are methods
that read their parameters from `self`; their source is compiled again with these as constants.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import cfunc, njit

from .integrate import SIGNATURE, Floats

# What numba does not know, and what says the same
REPLACED = (
    (r"np\.matmul\(", "np.dot("),
    (r"np\.heaviside\(", "heaviside("),
    (r"np\.hstack\(\[(.*)\]\)", r"np.hstack((\1))"),
    (r"np\.min\((.*), axis=1\)", r"row_minimum(\1)"),
    (r"4 \* \[(self\.\w+)\]", r"(\1, \1, \1, \1)"),
    (r"2 \* \[(self\.\w+)\]", r"(\1, \1)"),
)


@njit
def heaviside(x, at_zero):
    return 1.0 if x > 0.0 else (0.0 if x < 0.0 else float(at_zero))


@njit
def row_minimum(matrix):
    found = np.empty(matrix.shape[0])
    for row in range(matrix.shape[0]):
        found[row] = matrix[row].min()
    return found


@dataclass(frozen=True, eq=False)
class Flow:
    """A flow of `dysts`. `function` and `pair`: dx/dt of one state and of two side by side;
    `start` (d,); `wraps` (d,): the period of a column that grows for ever, 0 for the others;
    `observed` maps states (T, d) to the columns that are to be forecast.
    """

    name: str
    function: Any
    pair: Any
    start: Floats
    period: float
    exponent: float
    wraps: Floats
    observed: Callable[[Floats], Floats]


def names() -> list[str]:
    """All flows of dysts, delay equations included."""
    from dysts.systems import get_attractor_list

    return sorted(get_attractor_list(sys_class="continuous", exclude=[]))


def load(name: str) -> Flow:
    """A flow by name; raises ValueError where it is no ordinary differential equation in columns
    that stay bounded.
    """
    import dysts.flows

    system = getattr(dysts.flows, name)()
    if isinstance(system, dysts.flows.DynSysDelay):
        raise ValueError("a delay equation: its state is a piece of its past")
    start = np.array(system.ic, dtype=float).ravel()
    if not np.allclose(system(start, 0.0), system(start, 0.7), rtol=1e-13, atol=0.0):
        raise ValueError("its slope depends on the time itself, which is not among its columns")
    inner = _compiled(system, len(start))
    function = cfunc(SIGNATURE)(inner.py_func)
    _check(system, function, start)
    size = len(start)

    def pair(x, out):
        inner(x[:size], out[:size])
        inner(x[size:], out[size:])

    return Flow(
        name,
        function,
        cfunc(SIGNATURE)(pair),
        start,
        float(system.period),
        float(system.maximum_lyapunov_estimated),
        _wraps(system, start),
        lambda states: _observed(system, states),
    )


def _compiled(system: Any, size: int) -> Any:
    """f(x, out) that writes dx/dt."""
    columns = ", ".join(f"x[{k}]" for k in range(size))
    if type(system).rhs is _base().rhs:
        slope = type(system)._rhs
        if not hasattr(slope, "py_func"):  # dysts compiles all but a few
            slope = _without_self(system, slope)
        space: dict[str, Any] = {"slope": slope}
        space |= {f"p{k}": value for k, value in enumerate(_numbers(system.param_list))}
        given = ", ".join(f"p{k}" for k in range(len(system.param_list)))
        call = f"slope({columns}, 0.0, {given})"
    else:
        space = {"slope": _without_self(system, type(system).rhs)}
        call = "slope(x, 0.0)"
    source = f"def flow(x, out):\n    found = {call}\n"
    source += "".join(f"    out[{k}] = found[{k}]\n" for k in range(size))
    exec(source, space)
    return njit(space["flow"])


def _base() -> Any:
    from dysts.base import DynSys

    return DynSys


def _numbers(values: Any) -> list[Any]:
    """Parameters as numba freezes them: floats, and arrays in C order."""
    return [
        np.ascontiguousarray(one, dtype=float) if np.ndim(one) else float(one) for one in values
    ]


def _without_self(system: Any, method: Any) -> Any:
    """A method as a compiled function whose attributes of `self` are constants."""
    source = textwrap.dedent(inspect.getsource(method)).removeprefix("@staticmethod\n")
    for pattern, text in REPLACED:
        source = re.sub(pattern, text, source)
    space: dict[str, Any] = {"np": np, "heaviside": heaviside, "row_minimum": row_minimum}
    for name in set(re.findall(r"self\.(\w+)", source)):
        value = getattr(type(system), name, None)
        if value is None:
            space[f"self_{name}"] = _numbers([getattr(system, name)])[0]
        elif inspect.isfunction(value):
            space[f"self_{name}"] = _without_self(system, value)
        else:
            space[f"self_{name}"] = value  # compiled by dysts
    source = source.replace("self.", "self_").replace("(self, ", "(")
    source = re.sub(r"^(\s*)(\w+(?:, \w+)+) = X$", _unpacked, source, flags=re.MULTILINE)
    exec(source, space)
    return njit(space[method.__name__])


def _unpacked(found: re.Match[str]) -> str:
    """`x, y = X` column by column, as numba does not know how long X is."""
    columns = found[2].split(", ")
    return found[1] + "; ".join(f"{column} = X[{k}]" for k, column in enumerate(columns))


def _check(system: Any, function: Any, start: Floats) -> None:
    """The compiled slope is that of dysts, near the attractor."""
    found = np.empty(len(start))
    for factor in (1.0, 0.9, 1.05):
        wanted = np.array(system(factor * start, 0.0), dtype=float).ravel()
        njit(lambda f, x, out: f(x, out))(function, factor * start, found)
        if not np.allclose(found, wanted, rtol=1e-11, atol=1e-11 * np.abs(wanted).max()):
            raise ValueError(f"compiled slope {found} is not that of dysts, {wanted}")


def _wraps(system: Any, start: Floats) -> Floats:
    """Periods (d,) of columns that only their sine or cosine matters of: large phases lose digits,
    so these are taken modulo their period.
    """
    found, tau = np.zeros(len(start)), np.ravel(getattr(system, "tau", 1.0))
    for column in range(len(start)):
        for period in (2 * np.pi, *tau, 1.0):  # some flows have a time constant for each column
            moved = start.copy()
            moved[column] += period
            same = np.allclose(system(start, 0.0), system(moved, 0.0), rtol=1e-9, atol=1e-12)
            seen = [_observed(system, one[None])[0] for one in (start, moved)]
            if same and np.allclose(*seen, rtol=1e-9, atol=1e-12):
                found[column] = period
                break
    return found


def _observed(system: Any, states: Floats) -> Floats:
    if getattr(system, "_postprocessing", None) is None:
        return states
    return np.column_stack([np.asarray(one) for one in system._postprocessing(*states.T)])
