"""How good would the forecasts have been: free runs from many origins, by methods that knew only
the rows before them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .._errors import BadInput
from .._validation import Floats, whole
from .baselines import Method
from .runaway import Runs

FEWEST_ROWS, FEWEST_ORIGINS, MOST_ORIGINS = 60, 10, 100
SHARE = 3  # one row in so many is kept for the backtest
FOLDS = 4  # times that every method is taught anew, on all rows before its origins
USUAL_STEPS = 200

Teach = Callable[[Floats], Method]


@dataclass(frozen=True, eq=False)
class Backtest:
    """Origins (K,), the first rows forecast; forecasts of each method (K, H, d), what came (K, H,
    d), and which ran away (K,).
    """

    origins: NDArray[np.int64]
    folds: tuple[int, ...]
    runs: dict[str, Floats]
    truth: Floats
    away: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def errors(self, name: str) -> Floats:
        """Forecast minus what came (K, H, d)."""
        return np.asarray(self.runs[name] - self.truth)

    def error(self, name: str) -> Floats:
        """Root mean square error at each horizon (H,), over origins and columns."""
        return np.asarray(np.sqrt(np.mean(np.square(self.errors(name)), axis=(0, 2))))

    def total(self, name: str) -> float:
        """Root mean square error over everything."""
        return float(np.sqrt(np.mean(np.square(self.errors(name)))))


def horizon(rows: int, asked: int | None) -> int:
    """The steps to forecast, so many that the backtest still has origins to spread over."""
    if rows < FEWEST_ROWS:
        raise BadInput(
            f"FILE must have at least {FEWEST_ROWS} rows for a forecast and its backtest, got "
            f"{rows}; collect more"
        )
    longest = rows // SHARE - FEWEST_ORIGINS + 1
    if asked is None:
        return min(USUAL_STEPS, rows // 5, longest)
    if whole("--steps", asked, 1) > longest:
        raise BadInput(
            f"--steps must be at most {longest} for a backtest within {rows} rows, got {asked}; "
            "ask for fewer"
        )
    return asked


def first_origin(rows: int) -> int:
    """The first row of the backtest: nothing from here on is seen before it is forecast."""
    return rows - rows // SHARE


def origins_of(rows: int, steps: int) -> NDArray[np.int64]:
    """Evenly spread over the backtest."""
    first, last = first_origin(rows), rows - steps
    return np.unique(np.linspace(first, last, min(MOST_ORIGINS, last - first + 1)).astype(np.int64))


def backtest(
    series: Floats, steps: int, methods: Mapping[str, Teach], tell: Callable[[str], None]
) -> Backtest:
    """Every method from every origin; taught FOLDS times, each time on exactly the rows before the
    first origin of the fold.
    """
    folds = [fold for fold in np.array_split(origins_of(len(series), steps), FOLDS) if len(fold)]
    parts: dict[str, list[Runs]] = {name: [] for name in methods}
    for number, fold in enumerate(folds, 1):
        tell(f"backtest {number} of {len(folds)}")
        for name, teach in methods.items():
            parts[name].append(teach(series[: fold[0]]).runs(series, fold, steps))
    origins = np.concatenate(folds)
    truth = np.array([series[origin : origin + steps] for origin in origins])
    runs = {name: np.concatenate([part.values for part in found]) for name, found in parts.items()}
    away = {name: np.concatenate([part.away for part in found]) for name, found in parts.items()}
    return Backtest(origins, tuple(int(fold[0]) for fold in folds), runs, truth, away)
