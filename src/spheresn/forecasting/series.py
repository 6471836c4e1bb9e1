"""Forecasts of ordinary series: many methods, combined by their record, with intervals."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from .._errors import BadInput
from .._formatting import noise_sentence
from .._running import Progress, all_or_nothing
from .._validation import Floats, at_least, whole
from ..estimators.forecaster import ESNForecaster
from ..estimators.outcomes import Forecast, levels_of
from ..series.observed import exogenous_columns, following, observed
from ..series.scaling import Scaler
from .backtesting import INTERVAL_LEVEL, Backtest, Fit, backtest, most_steps
from .combination import COMBINATION, FittedCombination, combine, record_origins
from .defaults import SERIES_DEFAULTS
from .intervals import outcomes_of
from .lagged import Autoregression, DirectAutoregression
from .methods import LogScale, Mean, Naive, SeasonalNaive, Shifted, Theta
from .network import FittedNetwork, NetworkSettings
from .saving import read_series, write_series
from .seasons import given_seasons, seasons_of, suggested_by

NETWORK = "echo state network"  # of one large network in the record
FORECAST_STAGES = SERIES_DEFAULTS.folds + 1  # how often `fit` calls `report`

Report = Callable[[str], None]


def _at_most_rows(name: str, count: int, rows: int) -> None:
    if count > rows:
        raise BadInput(
            f"{name} must be at most {rows}, the rows of the series, got {count}; ask for fewer"
        )


def family_of(method: str) -> str:
    """The kind of a method, without what it is applied to.

    >>> family_of("networks on seasonal changes, of logarithms")
    'networks'
    """
    return method.partition(",")[0].partition(" of ")[0].partition(" on ")[0].partition(" from ")[0]


def shares(weights: Mapping[str, Any]) -> dict[str, float]:
    """The share of each kind of method in a combination, averaged over columns; the largest first.

    >>> shares({"theta": 0.25, "networks on values": 0.5, "networks on changes": 0.25})
    {'networks': 0.75, 'theta': 0.25}
    """
    found: dict[str, float] = {}
    for name, weight in weights.items():
        family = family_of(name)
        found[family] = found.get(family, 0.0) + float(np.mean(weight))
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


class SeriesForecaster(BaseEstimator):  # type: ignore[misc]
    """Forecasts of sales, demand, temperatures: a combination of methods by their record.

    Naive methods, the theta method, linear autoregressions, echo state networks that also see past
    values, and readouts for each horizon are all judged by forecasts from origins within the
    series, of rows that they had not seen; those that did well are averaged. If one-step forecasts
    follow the series closely, as with chaotic ones, a larger network takes part. If the series is
    noisy and a small network forecasts it better than a linear map, one that filters the noise
    does.

    season: rows of a season, or several; None for none; "auto" takes those that the dates suggest
    and the data confirm, or without dates the strongest one in the data. horizon: steps by which
    methods are judged; by default two seasons, or 24, or a tenth of a long series that a one-step
    forecast follows closely, at most 200. fill: "linear" interpolates what is missing,
    "skip" counts the rows as evenly spaced where dates are missing.

    Learned: weights_ (the weight of each method), record_ (a `Backtest` of all methods and of
    their combination), seasons_, observation_noise_ (d,): the deviation of the noise in each column
    that the larger network found; 0 where there is none.

    >>> import numpy as np
    >>> sales = 100 + np.arange(96) + 10 * np.sin(2 * np.pi * np.arange(96) / 12)
    >>> forecast = SeriesForecaster(season=12).fit(sales).forecast(12)
    >>> coming = 100 + np.arange(96, 108) + 10 * np.sin(2 * np.pi * np.arange(96, 108) / 12)
    >>> bool(np.abs(forecast.mean - coming).max() < 1)
    True
    """

    def __init__(
        self,
        season: Any = "auto",
        *,
        horizon: int | None = None,
        fill: str | None = None,
        random_state: int = 0,
        verbose: bool = True,
    ) -> None:
        self.season = season
        self.horizon = horizon
        self.fill = fill
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self, series: Any, y: Any = None, exogenous: Any = None, report: Report | None = None
    ) -> Self:
        """Judge all methods on the series and fit those that did well. `y` is not used.

        series: (T,) or (T, d), an array, a list, or a pandas or polars object; exogenous (T, e):
        columns whose future will be known; report: called with the name of each stage that begins.
        """
        found = observed(series, self.fill)
        self._form, self._values, self.notes_ = found.form, found.values, found.notes
        at_least(
            "series", len(found.values), SERIES_DEFAULTS.least_rows, "for a forecast and its record"
        )
        whole("random_state", self.random_state, 0)
        self._exogenous, self._exogenous_names = exogenous_columns(
            exogenous, len(found.values), None, None, found.form.index, _numbers
        )
        self.scale_ = Scaler.of(found.values).scale
        self._rows = found.values / self.scale_
        self.seasons_ = self._find_seasons()
        self.horizon_ = (
            self._usual_steps() if self.horizon is None else whole("horizon", self.horizon, 1)
        )
        _at_most_rows("horizon", self.horizon_, len(self._rows))
        self._network: NetworkSettings | None = None
        self._fitted = self._combine(self.horizon_, report)
        self._show_weights()
        return self

    def forecast(
        self, steps: int | None = None, level: Any = INTERVAL_LEVEL, exogenous: Any = None
    ) -> Forecast:
        """The next `steps` rows, by default as many as the horizon, with intervals.

        level: of the intervals, .8 or 80, or several. Columns that count few events have
        distributions of counts. `exogenous` (steps, e): the columns of fit at these rows. For more
        steps than the horizon the methods are judged again, for this forecast alone; set `horizon`
        to judge them once.
        """
        check_is_fitted(self, "weights_")
        count = self.horizon_ if steps is None else whole("steps", steps, 1)
        levels = levels_of(level)
        rows = len(self._rows)
        _at_most_rows("steps", count, rows)
        index, columns = self._form.coming(count), self._exogenous.shape[1]
        known, _ = exogenous_columns(
            exogenous, count, columns, self._exogenous_names, index, _numbers
        )
        ahead = max(count, self.horizon_)
        found = self._fitted if ahead == self.horizon_ else self._combine(ahead)
        # All of the horizon is forecast, so that fewer steps are the first of more; what is known
        # ends earlier, and its last row stands in where nothing is read
        after = np.repeat(known[-1:], ahead - count, axis=0)
        final = found.given(np.vstack([self._exogenous, known, after]))
        mean = self.scale_ * final.forecast(self._rows, [rows], ahead).values[0, :count]
        outcomes = outcomes_of(self._in_deviations(found.record), self._values, mean)
        low = np.where((self._values >= 0.0).all(axis=0), 0.0, -np.inf)
        return Forecast(levels[0], index, self._form, self._values, mean, outcomes, low, levels)

    def predict(self, steps: int | None = None, exogenous: Any = None) -> Any:
        """The next `steps` rows without their intervals: `forecast(steps).mean`."""
        return self.forecast(steps, exogenous=exogenous).mean

    @all_or_nothing
    def update(self, rows: Any, exogenous: Any = None) -> Self:
        """Go on after more rows, without a new search: methods, weights and the record stay, and
        the methods learn from all rows.

        rows: those that follow, in the form of the series; exogenous: the columns of fit there.

        >>> wave = np.sin(0.5 * np.arange(80.0))
        >>> model = SeriesForecaster().fit(wave[:70]).update(wave[70:])
        >>> bool(np.abs(model.predict(5) - np.sin(0.5 * np.arange(80.0, 85.0))).max() < 0.01)
        True
        """
        check_is_fitted(self, "weights_")
        found = observed(np.atleast_1d(rows) if np.isscalar(rows) else rows, self.fill, "rows")
        following(self._form, found.form)
        columns = self._exogenous.shape[1]
        index = self._form.coming(len(found.values))
        beside, _ = exogenous_columns(
            exogenous, len(found.values), columns, self._exogenous_names, index, _numbers
        )
        self._form = self._form.after(len(found.values))
        self._values = np.vstack([self._values, found.values])
        self._exogenous = np.vstack([self._exogenous, beside])
        self._rows = self._values / self.scale_
        self._learn_again()
        return self

    def fitted_values(self) -> Any:
        """One-step forecasts of the rows, in their form; NaN at the beginning, where too few rows
        are before. The methods have learned from these rows, all but an echo state network, which
        learns from the first half and forecasts the other one. So errors of new rows are larger;
        `record_` has such errors.
        """
        check_is_fitted(self, "weights_")
        rows = len(self._rows)
        methods = dict(self._fitted.methods)
        if NETWORK in methods and self._network is not None:
            methods[NETWORK] = self._network.fit(self._rows[: rows // 2])
        first = max(getattr(method, "earliest", 1) for method in methods.values())
        fitted = replace(self._fitted, methods=methods)
        found = np.full(self._rows.shape, np.nan)
        with threadpool_limits(1):
            ahead = fitted.forecast(self._rows, np.arange(first, rows), 1).values[:, 0]
        found[first:] = ahead * self.scale_
        index = self._form.index
        return self._form.shaped(found if index is None else found[-len(index) :], index)

    def residuals(self) -> Any:
        """The rows minus `fitted_values`."""
        fitted, index = self.fitted_values(), self._form.index
        values = self._values if index is None else self._values[-len(index) :]
        return self._form.shaped(values - np.asarray(fitted).reshape(values.shape), index)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rows, the record and the weights to one file, whole or not at all. It holds no
        code and no weights of methods: these learn again from the rows when it is loaded.
        """
        check_is_fitted(self, "weights_")
        write_series(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SeriesForecaster:
        """The forecaster that `save` wrote; its forecasts are the same to the last bit.

        >>> import tempfile
        >>> model = SeriesForecaster().fit(np.sin(0.5 * np.arange(60.0)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(folder + "/m.spheresn")
        ...     again = SeriesForecaster.load(folder + "/m.spheresn")
        >>> bool((again.predict(5) == model.predict(5)).all())
        True
        """
        model = cls()
        read_series(model, path)
        model._learn_again()
        return model

    def _show_weights(self) -> None:
        """The lines of `repr`: the weights that are not zero, the largest first, and the record."""
        weights = sorted(self._fitted.weights.items(), key=lambda pair: -float(np.mean(pair[1])))
        flat = self._rows.shape[1] == 1
        self.weights_ = {
            name: float(weight[0]) if flat else weight for name, weight in weights if weight.any()
        }
        self.record_ = self._in_deviations(self._fitted.record)

    @property
    def observation_noise_(self) -> Floats:
        """The deviation (d,) of the noise of each column, 0 where no network found any."""
        network = self._fitted.methods.get(NETWORK)
        if not isinstance(network, FittedNetwork) or NETWORK not in self.weights_:
            return np.zeros_like(self.scale_)
        return np.asarray(self.scale_ * network.model.observation_noise_)

    def _learn_again(self) -> None:
        """Fit the methods that have a weight to all rows."""
        recipes = self._recipes(self._rows, self.horizon_, logarithms=True)
        if self._network is not None:
            recipes[NETWORK] = self._network.fit
        used = [name for name, weight in self._fitted.weights.items() if weight.any()]
        with threadpool_limits(1):
            methods = {name: recipes[name](self._rows) for name in used}
        self._fitted = replace(self._fitted, methods=methods)

    def backtest(self, steps: int | None = None) -> Backtest:
        """How good these forecasts would have been over the last third of the series.

        Everything but the seasons is fitted again to the rows before each of four groups of
        origins: the record and the weights too, so that no forecast is judged by rows that chose
        its weights. The result has the seasonal naive method too.
        """
        check_is_fitted(self, "weights_")
        longest = most_steps(len(self._rows))
        ahead = min(self.horizon_, max(longest, 1)) if steps is None else whole("steps", steps, 1)
        scaler = Scaler.of(self._values)
        shift = (
            scaler.mean / scaler.scale
        )  # a backtest centres the rows; logarithms need them whole

        def fit(rows: Floats) -> Shifted:
            whole_rows = rows + shift
            found = combine(whole_rows, ahead, self._methods(whole_rows, ahead))
            return Shifted(found, shift)

        simple = self._simple()
        naive = list(simple)[-1]
        with threadpool_limits(1):
            found = backtest(self._values, ahead, {COMBINATION: fit, naive: simple[naive]})
        return replace(found, form=self._form)

    def describe(self) -> str:
        """One sentence: what the forecast is made of, and how it compares with the naive method."""
        check_is_fitted(self, "weights_")
        largest = shares(self.weights_).items()
        parts = [f"{100 * share:.0f} % {name}" for name, share in largest if share >= 0.005]
        names = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
        naive = "seasonal naive" if "seasonal naive" in self.record_.forecasts else "naive"
        ratio = self.relative_error(COMBINATION, naive)
        outcome = f"their combination had {ratio:.2g} times the error of the {naive} method"
        if np.isinf(ratio):  # a series that repeats itself exactly
            error = np.abs(self.record_.errors(COMBINATION)).mean()
            outcome = f"the {naive} method had no error, their combination {error:.2g} deviations"
        return (
            f"The forecast is {names}. In {len(self.record_.origins)} forecasts of rows that they "
            f"had not seen, {outcome}. {self._why()} {self.describe_noise()}".rstrip()
        )

    def describe_noise(self) -> str:
        """One sentence: how noisy the rows look; empty where no network found any noise."""
        check_is_fitted(self, "weights_")
        deviations = Scaler.of(self._values).scale
        return noise_sentence((self.observation_noise_ / deviations).tolist())

    def _why(self) -> str:
        """Why these methods, and with these weights."""
        worst, errors = SERIES_DEFAULTS.worst, self.record_.forecasts
        left = sum(name not in self.weights_ for name in errors if name != COMBINATION)
        rule = f"errors there are at most {worst:g} times the least"
        if not left:
            return f"All methods count, because their {rule}."
        return (
            f"They are the methods whose {rule}; a smaller error gives more weight, and {left} "
            f"other method{'s' if left > 1 else ''} had larger ones."
        )

    def relative_error(self, name: str, other: str) -> float:
        """Mean of |e| of one method in the record, relative to that of another."""
        one, two = (np.abs(self.record_.errors(which)).mean() for which in (name, other))
        return float(one / two) if two > 0.0 else (1.0 if one == 0.0 else float("inf"))

    def _find_seasons(self) -> tuple[int, ...]:
        first = int(record_origins(len(self._rows), 1)[0][0])
        if self.season == "auto":
            found = seasons_of(self._rows, suggested_by(self._form.calendar))
        else:
            found = given_seasons(self.season)
            if found and found[0] > len(self._rows) // 2:
                raise BadInput(
                    f"season must be at most {len(self._rows) // 2}, half of the rows, got "
                    f"{found[0]}; pass a longer series or a shorter season"
                )
        return tuple(season for season in found if season + SERIES_DEFAULTS.least_rows <= first)

    def _usual_steps(self) -> int:
        rows = len(self._rows)
        if self.seasons_:
            usual = min(2 * self.seasons_[0], SERIES_DEFAULTS.most_steps)
        elif self._is_clean(self._rows[: int(record_origins(rows, 1)[0][0])]):
            usual = max(min(SERIES_DEFAULTS.most_steps, rows // 10), SERIES_DEFAULTS.steps)
        else:
            usual = SERIES_DEFAULTS.steps
        return int(max(min(usual, rows // 4), 1))

    def _combine(self, steps: int, report: Report | None = None) -> FittedCombination:
        progress = Progress(self.verbose and report is None, "stage")
        progress.expect(FORECAST_STAGES)
        try:
            with threadpool_limits(1):  # the matrices are small: threads would wait for each other
                methods = self._methods(self._rows, steps)
                return combine(
                    self._rows, steps, methods, report or (lambda stage: progress.advance())
                )
        finally:
            progress.close()

    def _in_deviations(self, record: Backtest) -> Backtest:
        scaler = Scaler(np.zeros_like(self.scale_), self.scale_)
        return replace(record, scaler=scaler, form=self._form)

    def _simple(self) -> dict[str, Fit]:
        found: dict[str, Fit] = {"naive": Naive.fit}
        if self.seasons_:
            found["seasonal naive"] = SeasonalNaive(self.seasons_[0]).fit
        return found

    def _methods(self, rows: Floats, steps: int) -> dict[str, Fit]:
        """All methods that are tried on rows (T, d)."""
        found = self._recipes(rows, steps, bool((rows > 0.0).all(axis=0).any()))
        precise = self._precise(rows, steps)
        if precise is not None:
            found[NETWORK] = precise
        return found

    def _recipes(self, rows: Floats, steps: int, logarithms: bool) -> dict[str, Fit]:
        """All methods that need no search."""
        seasons, seed = self.seasons_, self.random_state
        main = seasons[0] if seasons else 1
        shared = {"seasons": seasons, "exogenous": self._exogenous, "seed": seed}
        found: dict[str, Fit] = {"mean": Mean.fit, **self._simple()}
        scaled: dict[str, Fit] = {"theta": Theta(main).fit}
        kinds = {"values": 0, "changes": 1, **({"seasonal changes": main} if seasons else {})}
        for kind, difference in kinds.items():
            linear = Autoregression(difference, **shared)  # type: ignore[arg-type]
            networks = Autoregression(difference, units=SERIES_DEFAULTS.units, **shared)  # type: ignore[arg-type]
            scaled[f"linear autoregression of {kind}"] = linear.fit
            scaled[f"networks on {kind}"] = networks.fit
        for kind, season in {"last value": 1, **({"last season": main} if seasons else {})}.items():
            direct = DirectAutoregression(steps, season, seasons)
            scaled[f"direct readouts from the {kind}"] = direct.fit
        found |= scaled
        if logarithms:
            found |= {f"{name}, of logarithms": LogScale(fit).fit for name, fit in scaled.items()}
        return found

    def _precise(self, rows: Floats, steps: int) -> Fit | None:
        """A larger network, with settings chosen before the record, where one may pay."""
        first = int(record_origins(len(rows), steps)[0][0])
        early = rows[:first]
        clean = self._is_clean(early)
        if not (clean or self._is_nonlinear(early)):
            return None
        chosen = ESNForecaster(
            SERIES_DEFAULTS.clean_units,
            observation_noise=0.0 if clean else "auto",
            long_runs=False,  # forecasts of ordinary series are short
            random_state=self.random_state,
            verbose=False,
        ).fit(early)
        same = NetworkSettings.of(chosen)
        if rows is self._rows:  # and not a part of them, in a backtest
            self._network = same

        def fit(part: Floats) -> FittedNetwork:
            return FittedNetwork(chosen, part) if len(part) == len(early) else same.fit(part)

        return fit

    def _is_clean(self, rows: Floats) -> bool:
        """Whether one-step forecasts of many rows (T, d) are so good that a larger network pays."""
        if not self._may_be_dynamics(rows):
            return False
        changes = Scaler.of(np.diff(rows, axis=0)).scale
        return self._one_step_error(rows) <= SERIES_DEFAULTS.clean * float(
            np.min(changes / Scaler.of(rows).scale)
        )

    def _is_nonlinear(self, rows: Floats) -> bool:
        """Whether networks forecast one step of many rows (T, d) better than a linear map does:
        then they are dynamics under noise, which a filter may find.
        """
        if not self._may_be_dynamics(rows):
            return False
        linear = Autoregression(seed=self.random_state).fit(rows).error
        return self._one_step_error(rows) <= SERIES_DEFAULTS.nonlinear * linear

    def _may_be_dynamics(self, rows: Floats) -> bool:
        """Whether rows are many, and nothing else drives them."""
        return len(rows) >= SERIES_DEFAULTS.clean_rows and not self._exogenous.size

    def _one_step_error(self, rows: Floats) -> float:
        """That of a small network beside past values, for rows left out, in deviations."""
        return Autoregression(units=SERIES_DEFAULTS.units, seed=self.random_state).fit(rows).error


def _numbers(exogenous: Any) -> Floats:
    return observed(exogenous, None, "exogenous").values
