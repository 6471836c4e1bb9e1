"""How good would the forecasts have been? Rolling origins, and intervals from the errors.

Methods are fitted to the rows before a fold of origins and forecast from these. `backtest` judges
methods in this way, `combine` weights them, and both derive the width of intervals from the errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._errors import BadInput
from .._formatting import format_number
from .._validation import Floats, one_of, real, table, whole
from ..selection.free_runs import evenly_spaced
from ..series.form import SeriesForm
from ..series.scaling import Scaler
from ..series.statistics import autocorrelations
from .defaults import SERIES_DEFAULTS
from .methods import Forecasts, Method

# From less than the first two a mean error says little; more origins than the last only take time
LEAST_BACKTEST_ROWS, LEAST_BACKTEST_ORIGINS, MOST_BACKTEST_ORIGINS = 60, 10, 100
BACKTEST_STEPS = 200  # ahead where nobody sets them, at most
INTERVAL_LEVEL = 0.9  # of an interval, unless the user gives another
SHOWN_BEST = 4  # methods in a `repr`
BELOW_NEXT_RANK = 1.0 - 1e-12  # so that 18.000000000000004 of 19 errors are 18
NEIGHBOURING_HORIZONS = 0.2  # errors at horizons nearer or farther by this share count too

Fit = Callable[[Floats], Method]


@dataclass(frozen=True, eq=False)
class Backtest:
    """Forecasts of several methods from the same origins, beside the true rows.

    origins (K,): the first rows forecast; folds: the origins at which the methods were fitted
    again; forecasts: of each method (K, H, d); truth (K, H, d): the true rows; diverged: of each
    method, which forecasts (K,) diverged, so that the mean replaces them from there on; form: that
    of the series, if it is known. All values are in deviations of the columns, so that columns can
    be compared; `scaler.backward` brings them to the units of the series.

    >>> from spheresn.forecasting import Naive, backtest
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
    form: SeriesForm | None = None

    def to_frame(self) -> Any:
        """A pandas DataFrame in the units of the series: a row for each forecast, step and column,
        with the time of that step, the truth and what each method forecast.

        >>> from spheresn.forecasting import Naive, backtest
        >>> test = backtest(np.arange(90.0), 2, {"naive": Naive.fit})
        >>> test.to_frame().iloc[:2].to_dict("list")
        {'origin': [60, 60], 'step': [1, 2], 'truth': [60.0, 61.0], 'naive': [59.0, 59.0]}
        """
        import pandas as pd

        count, steps, columns = self.truth.shape
        origin = np.repeat(self.origins, steps * columns)
        step = np.tile(np.repeat(np.arange(1, steps + 1), columns), count)
        found: dict[str, Any] = {"origin": origin, "step": step}
        index = None if self.form is None else self.form.index
        if index is not None and self.origins[-1] + steps <= len(index):
            found["origin"], found["time"] = index[origin], index[origin + step - 1]
        if columns > 1:
            names = range(columns) if self.form is None else self.form.names
            found["column"] = np.tile(np.array(list(names), dtype=object), count * steps)
        parts = {"truth": self.truth, **self.forecasts}
        values = {name: self.scaler.backward(part).ravel() for name, part in parts.items()}
        return pd.DataFrame({**found, **values})

    def summary(self) -> Any:
        """A pandas DataFrame with a row for each method, the best first: the mean of |e|, the root
        mean square error and the mean of e, in the units of the series, for each column, and the
        mean of |e| relative to that of the naive method, if that is there.

        >>> from spheresn.forecasting import Mean, Naive, backtest
        >>> test = backtest(np.arange(90.0), 2, {"mean": Mean.fit, "naive": Naive.fit})
        >>> test.summary().loc["naive"].round(9).tolist()
        [1.5, 1.58113883, -1.5, 1.0]
        """
        import pandas as pd

        names = self._column_names
        naive = next((one for one in ("seasonal naive", "naive") if one in self.forecasts), None)
        sizes = {name: np.abs(self.errors(name)).mean() for name in self.forecasts}
        rows = {}
        for name in sorted(sizes, key=lambda one: float(sizes[one])):
            errors = self.errors(name) * self.scaler.scale
            parts = {
                "mean |e|": np.abs(errors).mean(axis=(0, 1)),
                "rmse": np.sqrt(np.square(errors).mean(axis=(0, 1))),
                "bias": errors.mean(axis=(0, 1)),
            }
            row = {
                part if len(names) == 1 else (part, one): float(value)
                for part, values in parts.items()
                for one, value in zip(names, values, strict=True)
            }
            if naive is not None and sizes[naive] > 0.0:
                key = f"|e| / {naive}"
                row[key if len(names) == 1 else (key, "")] = float(sizes[name] / sizes[naive])
            rows[name] = row
        return pd.DataFrame.from_dict(rows, orient="index")

    def plot(self, axes: Any = None, name: str | None = None, column: int = 0) -> Any:
        """Draw one column of the series and the forecasts of a method that do not overlap, by
        default of the one with the least error; returns the axes.
        """
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.gca()
        chosen = str(self.summary().index[0]) if name is None else name
        one_of("name", chosen, tuple(self.forecasts))
        steps = self.truth.shape[1]
        truth = self.scaler.backward(self.truth)[:, :, column]
        runs = self.scaler.backward(self.forecasts[chosen])[:, :, column]
        rows = {
            int(origin) + step: truth[k, step]
            for k, origin in enumerate(self.origins)
            for step in range(steps)
        }
        places = sorted(rows)
        axes.plot(places, [rows[place] for place in places], color="0.55", label="data")
        last = -1
        label: str | None = chosen
        for origin, run in zip(self.origins.tolist(), runs, strict=True):
            if origin > last:
                axes.plot(np.arange(origin, origin + steps), run, color="#0072B2", label=label)
                last, label = origin + steps - 1, None
        axes.set(xlabel="row", ylabel=str(self._column_names[column]))
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        return axes

    def __repr__(self) -> str:
        """How many forecasts of what, and the errors of the best methods."""
        count, steps, columns = self.truth.shape
        naive = next((one for one in ("seasonal naive", "naive") if one in self.forecasts), None)
        sizes = {name: float(np.abs(self.errors(name)).mean()) for name in self.forecasts}
        best = sorted(sizes, key=lambda one: sizes[one])
        unit = " deviations"
        if naive is not None and sizes[naive] > 0.0:
            sizes = {name: size / sizes[naive] for name, size in sizes.items()}
            unit = f" of {naive}"
        listed = ", ".join(f"{name} {format_number(sizes[name], 3)}" for name in best[:SHOWN_BEST])
        more = f" and {len(best) - SHOWN_BEST} more" if len(best) > SHOWN_BEST else ""
        return (
            f"Backtest of {len(best)} method{'s' if len(best) > 1 else ''}: {count} forecasts, "
            f"{steps} step{'s' if steps > 1 else ''} ahead, of {columns} "
            f"column{'s' if columns > 1 else ''}\nmean |e|{unit}: {listed}{more}"
        )

    def _repr_html_(self) -> str:
        """The table of `summary`."""
        title = escape(repr(self).splitlines()[0])
        return f"<p>{title}</p>{self.summary().to_html(float_format=format_number)}"

    @property
    def _column_names(self) -> tuple[Any, ...]:
        columns = self.truth.shape[2]
        names = tuple(range(columns)) if self.form is None else self.form.names
        return tuple("value" if name is None else name for name in names)

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

    def half_widths(self, name: str, level: float = INTERVAL_LEVEL) -> Floats:
        """Half the width (H, d) of an interval around a forecast, in the units of the series."""
        return np.asarray(half_widths(self.errors(name), level) * self.scaler.scale)


def roll(
    rows: Floats,
    origins: NDArray[np.int64],
    steps: int,
    methods: Mapping[str, Fit],
    scaler: Scaler,
    report: Callable[[str], None] = lambda fold: None,
) -> Backtest:
    """Forecasts of `steps` rows by every method from every origin.

    The origins are divided into folds. For each fold every method is fitted to the rows (T, d)
    before its first origin, so no method learns a row that it forecasts. `scaler` brings the rows
    to the units of the series; `report` is called with "1 of 4" and so on as a fold begins.

    >>> from spheresn.forecasting import Mean
    >>> rows = np.arange(12.0)[:, None]
    >>> found = roll(rows, np.arange(4, 12), 1, {"mean": Mean.fit}, Scaler.identity(1))
    >>> found.folds, found.forecasts["mean"].ravel().tolist()
    ((4, 6, 8, 10), [1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5, 4.5])
    """
    folds = [fold for fold in np.array_split(origins, SERIES_DEFAULTS.folds) if len(fold)]
    parts: dict[str, list[Forecasts]] = {name: [] for name in methods}
    for number, fold in enumerate(folds, 1):
        report(f"{number} of {len(folds)}")
        for name, fit in methods.items():
            parts[name].append(fit(rows[: fold[0]]).forecast(rows, fold, steps))
    return Backtest(
        origins,
        tuple(int(fold[0]) for fold in folds),
        {name: np.concatenate([part.values for part in found]) for name, found in parts.items()},
        np.array([rows[origin : origin + steps] for origin in origins]),
        scaler,
        {name: np.concatenate([part.diverged for part in found]) for name, found in parts.items()},
    )


def spread_origins(first: int, last: int, most: int) -> NDArray[np.int64]:
    """At most so many origins, evenly spaced from the first to the last.

    >>> spread_origins(10, 20, 3).tolist(), spread_origins(10, 12, 5).tolist()
    ([10, 15, 20], [10, 11, 12])
    """
    return np.unique(evenly_spaced(first, last, min(most, last - first + 1)))


def backtest(
    series: ArrayLike,
    steps: int,
    methods: Mapping[str, Fit],
    report: Callable[[str], None] = lambda stage: None,
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
    origins = origins_of(len(rows), ahead)
    return roll(rows, origins, ahead, methods, scaler, lambda fold: report(f"backtest {fold}"))


def horizon(rows: int, steps: int | None, names: tuple[str, str] = ("series", "steps")) -> int:
    """The steps to forecast; by default so many that a backtest has enough origins.

    `names` are those of the series and of the steps in messages.
    """
    if rows < LEAST_BACKTEST_ROWS:
        raise BadInput(
            f"{names[0]} must have at least {LEAST_BACKTEST_ROWS} rows for a forecast and its "
            f"backtest, got {rows}; collect more"
        )
    longest = most_steps(rows)
    if steps is None:
        return min(BACKTEST_STEPS, rows // 5, longest)
    if whole(names[1], steps, 1) > longest:
        raise BadInput(
            f"{names[1]} must be at most {longest} for a backtest within {rows} rows, got {steps}; "
            "ask for fewer"
        )
    return int(steps)


def most_steps(rows: int) -> int:
    """The most steps ahead with which a backtest within so many rows has enough origins."""
    return rows // SERIES_DEFAULTS.late_share - LEAST_BACKTEST_ORIGINS + 1


def first_origin(rows: int) -> int:
    """The first row of the backtest of a series: settings must be chosen by the rows before it.

    >>> first_origin(300)
    200
    """
    return rows - rows // SERIES_DEFAULTS.late_share


def origins_of(rows: int, steps: int) -> NDArray[np.int64]:
    """Origins, evenly spaced over the backtest."""
    first, last = first_origin(rows), rows - steps
    return spread_origins(first, last, MOST_BACKTEST_ORIGINS)


def half_widths(errors: Floats, level: float = INTERVAL_LEVEL) -> Floats:
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
        reach = int(NEIGHBOURING_HORIZONS * (step + 1))
        near = sizes[:, max(step - reach, 0) : step + reach + 1]
        quantile = min(level * (1.0 + 1.0 / effective_count(sizes[:, step])), 1.0)
        widths[step] = np.quantile(near, quantile * BELOW_NEXT_RANK, method="inverted_cdf")
    return widths


def effective_count(values: Floats) -> float:
    """How many independent values have as precise a mean as these successive ones.

    K/(1 + 2 Σ ρ_j), with the sum up to the first correlation below zero.
    """
    if len(values) < 3:
        return float(len(values))
    correlation = autocorrelations(values, len(values) - 1)
    below = np.flatnonzero(correlation <= 0.0)
    inflation = 1.0 + 2.0 * float(correlation[1 : below[0] if len(below) else None].sum())
    return len(values) / max(inflation, 1.0)


def spread_by_step(errors: Floats, steps: int) -> tuple[Floats, float]:
    """The deviation of errors (K, H) at each of `steps` horizons, and its degrees of freedom.

    The deviation is that of a normal variable with the same mean of |e|, later forecasts counting
    for more. Horizons are smoothed towards a power law, which also continues them.
    """
    ages = np.exp(np.linspace(-2.0, 0.0, len(errors)))
    sizes = np.sqrt(np.pi / 2.0) * (ages @ np.abs(errors) / ages.sum())
    safe = np.maximum(sizes, np.finfo(float).tiny)
    horizons = np.arange(1.0, len(sizes) + 1.0)
    logs, places = np.log(safe), np.log(horizons)
    power = 0.5
    if len(sizes) > 3:
        power = float(np.clip(np.polyfit(places, logs, 1)[0], 0.0, 1.0))
        law = logs.mean() + power * (places - places.mean())
        safe = np.exp(0.5 * (logs + law))
    count = effective_count((np.abs(errors) / safe).mean(axis=1))
    beyond = np.arange(len(sizes) + 1.0, steps + 1.0) / len(sizes)
    found = np.concatenate([safe, safe[-1] * np.sqrt(beyond)])[:steps]
    return np.where(sizes.any(), found, 0.0), max(count, 2.0)
