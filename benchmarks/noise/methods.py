"""The methods, each at one setting. `METHODS[name](train, seed)` fits standardised rows (T, d), as
in the league; `KEEP_GAPS` of them take rows with missing cells (NaN), the others get them filled
by straight lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from league import methods as league
from league.methods import Fitted
from league.systems import Floats

UNITS = league.UNITS


class Ours(league.Ours):
    """ESNForecaster, with what it says of the noise and of its own errors."""

    @property
    def noise(self) -> Floats:
        """The deviation (d,) of the noise that it found, in units of the rows."""
        return np.atleast_1d(self.forecaster.observation_noise_)

    def interval(self, steps: int, level: float) -> tuple[Floats, Floats]:
        """The ends (steps, d) of the interval after the rows that it has seen."""
        found = self.forecaster.forecast(steps, level=level)
        return _table(found.lower), _table(found.upper)

    def paths(self, steps: int, count: int) -> Floats:
        return np.asarray(self.forecaster.sample_paths(steps, count))


def _table(rows: Any) -> Floats:
    return np.asarray(rows).reshape(len(rows), -1)


METHODS: dict[str, Callable[[Floats, int], Fitted]] = {
    "spheresn": Ours,
    "spheresn, rows trusted": lambda train, seed: Ours(train, seed, observation_noise=0),
}
KEEP_GAPS = ("spheresn",)
EQUATIONS = ("limit", "true equations, raw start")  # measured by `limit`, not fitted
ONE_NETWORK = EQUATIONS  # no network, so no seed


def filled(rows: Floats) -> Floats:
    """Missing cells on the straight line between their neighbours, or as the nearest one."""
    places, found = np.arange(len(rows)), rows.copy()
    for column in found.T:
        missing = np.isnan(column)
        if missing.any():
            column[missing] = np.interp(places[missing], places[~missing], column[~missing])
    return found
