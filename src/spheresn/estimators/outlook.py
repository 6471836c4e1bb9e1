"""Where a forecast begins, and what may come from there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._validation import Floats
from ..closed_loop import ClosedLoop
from ..series.form import SeriesForm
from ..series.gaps import guessed
from ..series.scaling import LARGEST_FLOAT, Scaler
from .outcomes import Forecast, Paths
from .present import Present

PATHS = 200  # of an interval


@dataclass(frozen=True, eq=False)
class Outlook:
    """The rows up to now, their scale, and the form of what comes; dated: whether that has an index
    of its own.
    """

    present: Present
    scaler: Scaler
    form: SeriesForm
    dated: bool

    def coming(self, rows: int) -> Any:
        """The index of the next rows, None if they are only counted."""
        return self.form.coming(rows) if self.dated else None

    def run(self, loop: ClosedLoop, steps: int, beside: Floats) -> tuple[Floats, int]:
        """One free run (steps, d), and how many of its rows are finite; the last of these goes
        on.
        """
        last = self.present.last
        outputs, finite = loop.run(steps, self.present.state, last, np.ascontiguousarray(beside))
        result = self.scaler.backward(outputs)
        if not np.isfinite(result).all():
            finite = int(np.argmin(np.isfinite(result).all(axis=1)))
            result[finite:] = result[finite - 1] if finite else self.scaler.backward(last)
        return result, finite

    def paths(self, steps: int, count: int, beside: Floats) -> Floats:
        """Ways (count, steps, d) in which the series may go on; the next call gives the same."""
        rng = np.random.default_rng(0)
        paths = self.present.paths(steps, count, np.ascontiguousarray(beside), rng)
        return self.scaler.backward(paths).clip(-LARGEST_FLOAT, LARGEST_FLOAT)

    def forecast(self, level: float, paths: Floats) -> Forecast:
        """The forecast by these ways."""
        index = self.form.coming(paths.shape[1])
        rows = self.scaler.backward(guessed(self.present.rows))
        return Forecast(level, index, self.form, rows, paths.mean(axis=0), Paths(paths))
