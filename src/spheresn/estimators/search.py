"""Choosing a network for forecasting by what it is for: free runs over held-out windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats
from ..driving import drive
from ..reservoir import Reservoir
from .closed_loop import ClosedLoop

PENALTY_SHARES = (1e-14, 1e-10, 1e-6)  # of the trace of the scatter
HELD_OUT, HORIZON, LONGEST, WINDOWS = 0.25, 0.64, 1000, 8
THRESHOLD = 0.4  # deviations of the series: where a forecast stops being valid
FEWEST = 40  # rows; a shorter series cannot spare any to choose by
MOST = 10_000  # rows; a longer series is represented by its last ones


def first_held_out(rows: int) -> int:
    """The row from which on a series is held out: the last quarter."""
    return int(rows * (1.0 - HELD_OUT))


def evenly_spaced(first: int, last: int, count: int) -> NDArray[np.int64]:
    """`count` rows from `first` to `last`; a short stretch has some of them twice."""
    return np.linspace(first, last, count).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Inputs and targets of a forecaster, all standardised: inputs[k] = (s_k, e_{k+1}) -> s_{k+1}.

    s is the series, e the exogenous columns. `noisy_inputs` have noise added to s_k. `targets`
    (T - 1, 2d) hold the steps s_{k+1} - s_k, as seen from the noisy s_k, and the values s_{k+1}
    themselves. Which of the two is better to learn depends on the series: steps on flows, values
    on regular waves, where summing steps drifts.
    """

    series: Floats
    inputs: Floats
    noisy_inputs: Floats
    targets: Floats

    @staticmethod
    def of(
        series: Floats, exogenous: Floats, noise: float, rng: np.random.Generator
    ) -> TrainingData:
        """From the standardised series (T, d) and the exogenous columns (T, e)."""
        noisy = series[:-1] + noise * rng.standard_normal(series[:-1].shape)
        inputs, noisy_inputs = (np.hstack([s, exogenous[1:]]) for s in (series[:-1], noisy))
        targets = np.hstack([series[1:] - noisy, series[1:]])
        return TrainingData(series, inputs, noisy_inputs, targets)

    @property
    def exogenous(self) -> Floats:
        """The exogenous columns at the time of each target (T - 1, e)."""
        return self.inputs[:, self.series.shape[1] :]

    def first(self, rows: int) -> TrainingData:
        """The first rows."""
        return TrainingData(
            self.series[: rows + 1],
            self.inputs[:rows],
            self.noisy_inputs[:rows],
            self.targets[:rows],
        )

    def last(self, rows: int) -> TrainingData:
        """The last rows."""
        return TrainingData(
            self.series[-rows - 1 :],
            self.inputs[-rows:],
            self.noisy_inputs[-rows:],
            self.targets[-rows:],
        )


@dataclass(frozen=True, eq=False)
class Windows:
    """Free runs that begin at `starts`, evenly spaced over the held-out end of a series."""

    data: TrainingData
    starts: NDArray[np.int64]
    horizon: int

    @staticmethod
    def of(data: TrainingData) -> tuple[TrainingData, Windows]:
        """The part to train on, and the windows in the rest."""
        total = len(data.series)
        first = first_held_out(total)
        horizon = max(min(int(HORIZON * HELD_OUT * total), LONGEST), 1)
        starts = evenly_spaced(first, total - 1 - horizon, WINDOWS)
        return data.first(first - 1), Windows(data, starts, horizon)

    def states(self, reservoir: Reservoir) -> Floats:
        """The states before each start, driven by the true series."""
        return np.asarray(drive(reservoir, self.data.inputs)[self.starts - 1])

    def score(self, loop: ClosedLoop, states: Floats) -> tuple[float, float]:
        """Mean of log(1 + valid steps); where that ties, the mean error counts."""
        runs = [self._run(loop, x, int(t)) for x, t in zip(states, self.starts, strict=True)]
        return float(np.mean([np.log1p(valid) for valid, _ in runs])), -float(
            np.mean([error for _, error in runs])
        )

    def _run(self, loop: ClosedLoop, state: Floats, start: int) -> tuple[int, float]:
        """The valid steps of one free run, and its mean error, at most one deviation a step."""
        series, ahead = self.data.series, slice(start, start + self.horizon)
        outputs, finite = loop.run(
            self.horizon, state, series[start], np.ascontiguousarray(self.data.exogenous[ahead])
        )
        squares = np.square(
            np.clip(outputs - series[start + 1 : start + 1 + self.horizon], -1e3, 1e3)
        )
        errors = np.minimum(np.sqrt(squares.mean(axis=1)), 1.0)
        wrong = errors > THRESHOLD
        valid = int(np.argmax(wrong)) if wrong.any() else self.horizon
        return min(valid, finite), float(errors.mean())
