"""What a network that filters noise is worth to SeriesForecaster on noisy dynamics of one column.

`python benchmarks/noisy_series.py` prints the error of forecasts of 50 steps against the clean
series, in its deviations, with and without that network: the geometric mean over origins and draws.
"""

from __future__ import annotations

import time
from unittest.mock import patch

import numpy as np

import spheresn as sn
from spheresn.forecasting import SeriesForecaster

ROWS, STEPS, ORIGINS, DRAWS = 2200, 50, (1000, 1600, 2100), 2
SERIES = {
    "Lorenz x": sn.datasets.lorenz(ROWS, dt=0.03)[:, 0],
    "Mackey-Glass": sn.datasets.mackey_glass(ROWS)[:, 0],
    "Rössler x": sn.datasets.rossler(ROWS, dt=0.25)[:, 0],
}


def error(truth: np.ndarray, rows: np.ndarray, origin: int) -> float:
    """The mean of |e| of the forecast from an origin, in deviations of the truth."""
    model = SeriesForecaster(None, horizon=STEPS, verbose=False).fit(rows[:origin])
    gaps = model.forecast(STEPS).mean - truth[origin : origin + STEPS]
    return float(np.abs(gaps).mean() / truth.std())


def measured(truth: np.ndarray, noise: float) -> tuple[float, float]:
    """The error of all draws and origins, and the seconds of a fit."""
    errors, begin = [], time.process_time()
    for draw in range(DRAWS):
        white = np.random.default_rng(draw).standard_normal(len(truth))
        rows = truth + noise * truth.std() * white
        errors += [error(truth, rows, origin) for origin in ORIGINS]
    return float(np.exp(np.log(errors).mean())), (time.process_time() - begin) / len(errors)


def main() -> None:
    print("series, noise: error without, with; seconds without, with")
    for name, truth in SERIES.items():
        for noise in (0.01, 0.05, 0.1):
            with patch.object(SeriesForecaster, "_is_nonlinear", lambda self, rows: False):
                before, quick = measured(truth, noise)
            after, slow = measured(truth, noise)
            print(f"{name}, {noise:g}: {before:.3f}, {after:.3f}; {quick:.1f}, {slow:.1f}")


if __name__ == "__main__":
    main()
