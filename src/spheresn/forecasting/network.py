"""What is to be fitted: chosen once on early rows, then taught any number of rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats
from ..estimators import ESNForecaster, OutOfRange
from ..estimators.calibration import MemoryOutOfReach
from .runaway import Runs, tamed

# Rules for the penalty and deviations of the noise while learning: for clean, for noisy, and for
# series whose free runs tend to run away.
RULES = (("auto", 1e-5), ("loo", 1e-5), ("loo", 0.1))
HELD_OUT, RUNS = 0.25, 12

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """Everything that a forecaster needs besides the rows."""

    units: int
    seed: int
    penalty: str = "auto"
    noise: float = 1e-5
    memory: float | str = "auto"
    bend: float | str = "auto"

    def learn(self, rows: Any) -> ESNForecaster:
        """A forecaster taught these rows; should they not allow the memory, with another one."""
        model = ESNForecaster(
            self.units, penalty=self.penalty, noise=self.noise, random_state=self.seed
        )
        try:
            model.set_params(memory=self.memory, bend=self.bend).fit(rows)
        except MemoryOutOfReach:
            model.set_params(memory="auto", bend="auto").fit(rows)
        return model


@dataclass(frozen=True, eq=False)
class Trained:
    """The network and the rows that it was taught, as a method that a backtest can ask."""

    model: ESNForecaster
    rows: Floats

    @staticmethod
    def of(recipe: Recipe, rows: Floats) -> Trained:
        """Taught all of these rows."""
        return Trained(recipe.learn(rows), rows)

    def runs(self, series: Floats, origins: NDArray[np.int64], steps: int) -> Runs:
        """Free runs (K, steps, d) from growing origins, all after what was taught; each has heard
        the series up to its origin.
        """
        found, heard = [], len(self.rows)
        for origin in origins:
            if origin > heard:
                self.model.update(series[heard:origin])
                heard = int(origin)
            found.append(self._free_run(steps))
        return tamed(np.array(found), self.rows)

    def ahead(self, steps: int) -> Runs:
        """One free run (1, steps, d) from where the model stands."""
        return tamed(self._free_run(steps)[None], self.rows)

    def _free_run(self, steps: int) -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OutOfRange)  # counted and told with the errors
            return np.asarray(self.model.forecast(steps))


def choose(
    rows: Floats, steps: int, units: int, seed: int, tell: Tell = lambda doing: None
) -> Recipe:
    """Memory, bend, the rule for the penalty and the noise whose free runs over the last quarter of
    the rows have the least error.
    """
    taught = int(len(rows) * (1.0 - HELD_OUT))
    ahead = max(min(steps, (len(rows) - taught) // 2), 1)
    origins = np.unique(np.linspace(taught, len(rows) - ahead, RUNS).astype(int))
    answers = np.array([rows[origin : origin + ahead] for origin in origins])
    errors: dict[Recipe, float] = {}
    for rule in RULES:
        tell("choosing a network")
        tried = Recipe(units, seed, *rule)
        trained = Trained.of(tried, rows[:taught])
        fixed = replace(tried, memory=float(trained.model.memory_), bend=float(trained.model.bend_))
        errors[fixed] = float(
            np.mean(np.square(trained.runs(rows, origins, ahead).values - answers))
        )
    return min(errors, key=lambda one: errors[one])
