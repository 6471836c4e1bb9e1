"""How good would the forecasts have been? Forecasts from many origins by methods that saw only the
rows before them, and intervals from their errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._errors import BadInput
from .._validation import Floats, one_of, real, table, whole
from ..series.autocorrelation import autocorrelations
from ..series.scaling import Scaler
from ..series.windows import evenly_spaced
from .methods import Forecasts, Method

FEWEST_ROWS, FEWEST_ORIGINS, MOST_ORIGINS = 60, 10, 100
SHARE = 3  # one row in so many is kept for the backtest
FOLDS = 4  # times that every method is fitted anew, to all rows before its origins
USUAL_STEPS = 200
LEVEL = 0.9
ROUNDING = 1.0 - 1e-12  # so that 18.000000000000004 of 19 errors are 18
NEIGHBOURS = 0.2  # horizons this much nearer or farther lend their errors

Fit = Callable[[Floats], Method]


@dataclass(frozen=True, eq=False)
class Backtest:
    """Forecasts of several methods from the same origins, beside the true rows.

    origins (K,): the first rows forecast; folds: the origins at which the methods were fitted
    again; forecasts: of each method (K, H, d); truth (K, H, d): the true rows; diverged: of each
    method, which forecasts (K,) diverged, so that the mean replaces them from there on. All values
    are in deviations of the columns, so that columns can be compared; `scaler.backward` brings them
    to the units of the series.

    >>> from spheresn.forecasting import Naive
    >>> test = backtest(np.sin(0.3 * np.arange(120.0)), 5, {"naive": Naive.fit})
    >>> test.forecasts["naive"].shape, len(test.rmse_by_step("naive"))
    ((36, 5, 1), 5)
    """

    origins: NDArray[np.int64]
    folds: tuple[int, ...]
    forecasts: dict[str, Floats]
    truth: Floats
    scaler: Scaler
    diverged: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def errors(self, name: str) -> Floats:
        """Forecast minus truth (K, H, d), in deviations of the columns."""
        one_of("name", name, tuple(self.forecasts))
        return np.asarray(self.forecasts[name] - self.truth)

    def rmse_by_step(self, name: str) -> Floats:
        """Root mean square error at each horizon (H,), over origins and columns."""
        return np.asarray(np.sqrt(np.mean(np.square(self.errors(name)), axis=(0, 2))))

    def rmse(self, name: str) -> float:
        """Root mean square error over everything; the mean of the series has 1."""
        return float(np.sqrt(np.mean(np.square(self.errors(name)))))

    def half_widths(self, name: str, level: float = LEVEL) -> Floats:
        """Half the width (H, d) of an interval around a forecast, in the units of the series."""
        return np.asarray(half_widths(self.errors(name), level) * self.scaler.scale)


def backtest(
    series: ArrayLike,
    steps: int,
    methods: Mapping[str, Fit],
    report: Callable[[str], None] = lambda doing: None,
) -> Backtest:
    """Forecasts of `steps` rows by every method from many origins in the last third of a series.

    series (T,) or (T, d), with at least 60 rows; the methods see it standardised. Each method is a
    function that fits rows and returns a `Method`. It is called up to four times, each time with
    all rows before the first origin of the next fold: no forecast uses a row that it is tested on.
    `report` is called with the name of each stage that begins.

    >>> from spheresn.forecasting import Autoregression, Naive
    >>> wave = np.sin(0.3 * np.arange(150.0))
    >>> methods = {"naive": Naive.fit, "linear": Autoregression().fit}
    >>> test = backtest(wave, 10, methods)
    >>> min(methods, key=test.rmse), bool(test.rmse("linear") < 0.01)
    ('linear', True)
    """
    values = table("series", series)
    ahead = horizon(len(values), steps)
    scaler = Scaler.of(values)
    rows = scaler.forward(values)
    folds = [fold for fold in np.array_split(origins_of(len(rows), ahead), FOLDS) if len(fold)]
    parts: dict[str, list[Forecasts]] = {name: [] for name in methods}
    for number, fold in enumerate(folds, 1):
        report(f"backtest {number} of {len(folds)}")
        for name, fit in methods.items():
            parts[name].append(fit(rows[: fold[0]]).forecast(rows, fold, ahead))
    origins = np.concatenate(folds)
    truth = np.array([rows[origin : origin + ahead] for origin in origins])
    return Backtest(
        origins,
        tuple(int(fold[0]) for fold in folds),
        {name: np.concatenate([part.values for part in found]) for name, found in parts.items()},
        truth,
        scaler,
        {name: np.concatenate([part.diverged for part in found]) for name, found in parts.items()},
    )


def horizon(rows: int, asked: int | None, names: tuple[str, str] = ("series", "steps")) -> int:
    """The steps to forecast: as asked, or by default so many that a backtest has enough origins.

    `names` are those of the series and of the steps in messages.
    """
    if rows < FEWEST_ROWS:
        raise BadInput(
            f"{names[0]} must have at least {FEWEST_ROWS} rows for a forecast and its backtest, "
            f"got {rows}; collect more"
        )
    longest = most_steps(rows)
    if asked is None:
        return min(USUAL_STEPS, rows // 5, longest)
    if whole(names[1], asked, 1) > longest:
        raise BadInput(
            f"{names[1]} must be at most {longest} for a backtest within {rows} rows, got {asked}; "
            "ask for fewer"
        )
    return int(asked)


def most_steps(rows: int) -> int:
    """The most steps ahead with which a backtest within so many rows has enough origins."""
    return rows // SHARE - FEWEST_ORIGINS + 1


def first_origin(rows: int) -> int:
    """The first row of the backtest of a series: settings must be chosen by the rows before it.

    >>> first_origin(300)
    200
    """
    return rows - rows // SHARE


def origins_of(rows: int, steps: int) -> NDArray[np.int64]:
    """Origins, evenly spaced over the backtest."""
    first, last = first_origin(rows), rows - steps
    return np.unique(evenly_spaced(first, last, min(MOST_ORIGINS, last - first + 1)))


def half_widths(errors: Floats, level: float = LEVEL) -> Floats:
    """For each horizon the half width that covers an error with probability `level`.

    errors (K, H) of K successive origins give (H,), and (K, H, d) give (H, d). The half width is
    the quantile of |e| at the level (1 + 1/k) `level`, which k exchangeable errors need to cover
    one more [VOV05]. Errors that overlap in time count for less than one each in k.

    >>> half_widths(np.array([[1.0], [-3.0], [2.0]]), level=0.5).tolist()
    [2.0]
    """
    real("level", level, 0.0, 1.0, above=True)
    if errors.ndim == 3:
        columns = range(errors.shape[2])
        return np.column_stack([half_widths(errors[:, :, one], level) for one in columns])
    sizes = np.abs(errors)
    widths = np.empty(sizes.shape[1])
    for step in range(sizes.shape[1]):
        reach = int(NEIGHBOURS * (step + 1))
        near = sizes[:, max(step - reach, 0) : step + reach + 1]
        quantile = min(level * (1.0 + 1.0 / effective_count(sizes[:, step])), 1.0)
        widths[step] = np.quantile(near, quantile * ROUNDING, method="inverted_cdf")
    return widths


def effective_count(values: Floats) -> float:
    """The number of independent values that these successive ones are worth.

    K/(1 + 2 Σ ρ_j), with the sum up to the first correlation below zero.
    """
    if len(values) < 3:
        return float(len(values))
    correlation = autocorrelations(values, len(values) - 1)
    below = np.flatnonzero(correlation <= 0.0)
    inflation = 1.0 + 2.0 * float(correlation[1 : below[0] if len(below) else None].sum())
    return len(values) / max(inflation, 1.0)
