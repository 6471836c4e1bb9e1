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
from league.ngrc import NextGeneration
from league.systems import Floats

from .earlier import Earlier
from .rivals import EnsembleFilter, Smoothed
from .settings import SETTINGS

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


METHODS: dict[str, Callable[..., Fitted]] = {
    "spheresn": Ours,
    "0.2.0": Earlier,
    "reservoirpy bias": league.METHODS["reservoirpy bias"],
    "reservoirpy bias, smoothed": Smoothed,
    "NG-RC": lambda train, seed, *setting: NextGeneration(train, *map(int, setting)),
    "ensemble Kalman filter": EnsembleFilter,
}
KEEP_GAPS = ("spheresn", "ensemble Kalman filter")
EQUATIONS = ("limit", "true equations, raw start")  # measured by `limit`, not fitted
ONE_NETWORK = (*EQUATIONS, "NG-RC")  # no network, so no seed


def method(name: str, columns: str, noise: float) -> Callable[[Floats, int], Fitted]:
    """A method by name, with the setting that was chosen for these columns and this noise, or with
    the one in brackets behind its name: "NG-RC [2 4 3]".
    """
    plain, _, given = name.rstrip("]").partition(" [")
    if given:
        setting = tuple(map(float, given.split()))
    else:
        setting = SETTINGS.get(plain, {}).get((columns, noise), ())
    return lambda train, seed: METHODS[plain](train, seed, *setting)
