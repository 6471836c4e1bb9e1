"""A model of the user's own: what it says of the next row, beside what a network learns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import BadInput, sentence
from ._validation import Floats
from .series.scaling import Scaler

TRIED_ROWS = 4  # by which a function shows whether it takes several rows at once
SLOPE_STEP = 1e-6  # deviations, of finite differences: about the cube root of their rounding


@dataclass(frozen=True, eq=False)
class Physics:
    """f(row, exogenous) -> the next row, as a map of standardised rows.

    rows, beside: the scales of rows and of exogenous columns. at_once: whether f takes rows (R, m).

    >>> units, none = Scaler(np.ones(1), np.ones(1)), Scaler.identity(0)
    >>> double = Physics(lambda row, _: 2.0 * row, units, none)
    >>> double(np.array([[0.5]]), np.zeros((1, 0)))  # 1.5 becomes 3, which is 2 above the mean
    array([[2.]])
    """

    function: Callable[[Any, Any], Any]
    rows: Scaler
    beside: Scaler
    at_once: bool = False

    @staticmethod
    def of(
        function: Any, rows: Scaler, beside: Scaler, known: Floats, exogenous: Floats
    ) -> Physics:
        """The map, tried on standardised rows; it must have a number for each of them."""
        if not callable(function):
            raise BadInput(
                "physics must be a function of a row and its exogenous columns, got "
                f"{type(function).__name__}; pass one that returns the next row"
            )
        one = Physics(function, rows, beside)
        few = known[:TRIED_ROWS], exogenous[:TRIED_ROWS]
        several = Physics(function, rows, beside, at_once=True)
        expected = one(*few)
        try:
            same = len(few[0]) > 1 and np.array_equal(several(*few), expected)
        except BadInput:
            same = False
        return several if same else one

    def __call__(self, rows: Floats, beside: Floats) -> Floats:
        """The next rows (R, m) by f, of rows (R, m) and their exogenous columns (R, e)."""
        found = self.of_any(rows, beside)
        if not np.isfinite(found).all():
            place = int(np.argmin(np.isfinite(found).all(axis=1)))
            raise BadInput(
                "physics must return finite numbers, got "
                f"{self.rows.backward(found)[place].tolist()} after the row "
                f"{self.rows.backward(rows)[place].tolist()}; correct it there"
            )
        return found

    def of_any(self, rows: Floats, beside: Floats) -> Floats:
        """The same, where the next row of some may be no number."""
        given, others = self.rows.backward(rows), self.beside.backward(beside)
        if self.at_once:
            found = self._asked(given, others, given.shape)
        else:
            found = np.empty_like(given)
            for k, (row, other) in enumerate(zip(given, others, strict=True)):
                found[k] = self._asked(row, other, row.shape)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray((found - self.rows.mean) / self.rows.scale)

    def _asked(self, row: Floats, beside: Floats, shape: tuple[int, ...]) -> Floats:
        try:
            found = np.asarray(self.function(row.copy(), beside.copy()), dtype=np.float64)
        except Exception as error:  # whatever a function of the user's own may raise
            reason = sentence(error) or type(error).__name__
            raise BadInput(
                f"physics must return the next row of each row, got {type(error).__name__} "
                f"({reason}) after {row.tolist()[:3]}; correct it there"
            ) from error
        if found.shape != shape:
            raise BadInput(
                f"physics must return rows of shape {shape}, got shape {found.shape}; return the "
                "next row, with the columns of the series"
            )
        return found

    def slopes(self, row: Floats, beside: Floats) -> Floats:
        """The derivative (m, m) by the row, by central differences."""
        m = len(row)
        moved = np.vstack([row + SLOPE_STEP * np.eye(m), row - SLOPE_STEP * np.eye(m)])
        found = self(moved, np.broadcast_to(beside, (2 * m, len(beside))))
        return np.asarray((found[:m] - found[m:]).T / (2.0 * SLOPE_STEP))
