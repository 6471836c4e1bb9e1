"""A forecaster that runs free: it learns one step ahead, then its forecasts become its input."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _validation
from .._plain import (
    Parts,
    Saved,
    Tensors,
    Values,
    readout_from,
    readout_parts,
    reservoir_from,
    reservoir_parts,
    scaler_from,
)
from .._running import Progress, all_or_nothing
from .._validation import Floats, real, whole
from ..driving import drive_chunks
from ..selection.calibration import Calibrated
from ..selection.plan import FORECAST, Chosen
from ..series.form import SeriesForm
from ..series.observed import exogenous_columns, has_form, observed, same_dates
from ..series.scaling import Scaler, bounds_around
from .base import BaseESN, with_limited_threads
from ..closed_loop import ClosedLoop
from .features import FeatureMap
from .forecast_search import ForecastSearch
from .learning import TrainingData
from .regression_search import REGRESSION_DEFAULTS
from .validation import validated


class OutOfRange(RuntimeWarning):
    """A free run left the range of the training series and was kept near it."""


@dataclass(eq=False, repr=False)
class ESNForecaster(BaseESN):
    """Echo state network that forecasts a series; each forecast becomes its next input.

    ŝ_{k+1} = s_k + b + Wᵀ x_k, or the same without s_k. `fit(series)` takes (T,) or (T, d), rows in
    the order of time, and `exogenous` (T, e), columns whose future will be known. Parameters as in
    ESNRegressor, except: memory, bend, bias_ratio, penalty and noise "auto" choose by free runs
    over held-out windows of the series, because one-step errors say little about how long a free
    run stays accurate. noise: deviation of white noise in the standardised input, whose effect on
    the readout is computed, not drawn. Noise of 1e-2 teaches a readout to return to the attractor;
    without noise it is more precise. n_jobs: networks tried in parallel (joblib). verbose: whether
    a terminal shows the progress of a fit beyond two seconds.

    Learned: as in ESNRegressor, closed_loop_ (a `System`), noise_, bias_ratio_, candidates_ (the
    best settings that were tried), and score_: by how many e-folds the error in the held-out
    windows stays below one deviation, averaged over their steps.

    >>> import spheresn as sn
    >>> wave = sn.datasets.mso(1500)
    >>> forecaster = ESNForecaster(units=200, bend=0, memory=30, random_state=0).fit(wave[:1000])
    >>> bool(np.abs(forecaster.forecast(300) - wave[1000:1300]).max() < 0.2)
    True
    """

    _penalty_rules = ("loo", "auto")
    _saved = Saved(
        "_one_column",
        ("bias_ratio_", "noise_", "score_"),
        ("state_", "last_", "low_", "high_"),
    )

    bias_ratio: float | str = "auto"
    penalty: float | str = "auto"
    noise: float | str = "auto"
    n_jobs: int | None = None
    verbose: bool = True

    @all_or_nothing
    @with_limited_threads
    def fit(self, X: Any, y: Any = None, exogenous: Any = None) -> Self:
        """Choose the network and learn the series; forecasts begin at its end. `y` is not used."""
        self._form = observed(X, "never", "X").form if has_form(X) else None
        series = self._table(X, reset=True)
        index = None if self._form is None else self._form.index
        beside, self._exogenous_names = exogenous_columns(
            exogenous, len(series), None, None, index, _numbers
        )
        self._one_column = np.ndim(X) == 1
        self.scaler_, self.exogenous_scaler_ = Scaler.of(series), Scaler.of(beside)
        self.low_, self.high_ = bounds_around(self.scaler_.mean, series, len(series) // 4)
        plan = self._plan()
        data = TrainingData.of(
            self.scaler_.forward(series),
            self.exogenous_scaler_.forward(beside),
            np.random.default_rng([plan.seed, 1]),
        )
        if self.noise != "auto":
            _validation.real("noise", self.noise, 0.0)
        search = ForecastSearch(
            plan,
            data,
            lambda calibrated: self._feature_map(calibrated, data),
            (self.scaler_.forward(self.low_), self.scaler_.forward(self.high_)),
            self._washout_of,
            self.noise,
            self.penalty,
            self.n_jobs,
            Progress(self.verbose),
        )
        try:
            chosen = search.best(self._candidates(plan, FORECAST))
        finally:
            search.progress.close()
        self.closed_loop_, self.penalty_ = chosen.loop, chosen.penalty
        self.noise_, self.candidates_ = chosen.setting.noise, chosen.table
        self.__dict__.pop("score_", None)  # that of an earlier fit
        if chosen.score is not None:
            self.score_ = chosen.score
        trial = chosen.trial
        found = Chosen.of(trial.candidate, trial.calibrated)
        self._remember(found, trial.feature_map.reservoir, trial.feature_map.washout)
        self.last_ = data.series[-1].copy()
        self.state_ = self._observe(None, data.inputs)
        return self

    def forecast(self, steps: int, exogenous: Any = None) -> Any:
        """The next `steps` rows (steps, d), with the exogenous columns (steps, e) of these rows.

        After a fit to a pandas object with dates they have the dates that follow. The next call
        begins at the same row.
        """
        check_is_fitted(self)
        width = 3 * self.n_features_in_ + len(self.exogenous_scaler_.mean)
        count = _validation.fitting("steps", steps, 1, width)
        beside = self._exogenous(exogenous, count, self._coming(count))
        outputs, finite = self.closed_loop_.run(
            count, self.state_, self.last_, np.ascontiguousarray(beside)
        )
        result = self.scaler_.backward(outputs)
        if not np.isfinite(result).all():
            finite = int(np.argmin(np.isfinite(result).all(axis=1)))
            result[finite:] = result[finite - 1] if finite else self.scaler_.backward(self.last_)
        report_range(result, finite, self.low_, self.high_)
        if self._form is not None:
            return self._form.shaped(result, self._form.coming(count))
        return result[:, 0] if self._one_column else result

    @all_or_nothing
    def update(self, X: Any, exogenous: Any = None) -> Self:
        """Observe rows that came after the fit or the last update; forecasts begin after them.

        The readout stays as it is.
        """
        check_is_fitted(self)
        series = self.scaler_.forward(self._table(X, reset=False))
        if self._form is not None:
            same_dates("X", X, self._form.coming(len(series)))
        beside = self._exogenous(exogenous, len(series), self._coming(len(series)))
        before = np.vstack([self.last_, series[:-1]])
        self.state_ = self._observe(self.state_, np.hstack([before, beside]))
        self.last_ = series[-1].copy()
        if self._form is not None:
            self._form = self._form.after(len(series))
        return self

    def predict(self, X: Any, exogenous: Any = None) -> Floats:
        """For each row of a series (T, d) the forecast of the next one, from a fresh start.

        The exogenous columns (T, e) belong to the rows that are forecast. The first `washout_`
        rows, whose past is unknown, stay within `low_` and `high_`.
        """
        check_is_fitted(self)
        series = self.scaler_.forward(self._table(X, reset=False))
        beside = self._exogenous(exogenous, len(series), None)
        feature_map = FeatureMap(
            Scaler.identity(self.reservoir_.n_inputs),
            self.reservoir_,
            self.washout_,
            self.closed_loop_.quadratic,
        )
        outputs = feature_map.read(np.hstack([series, beside]), self.closed_loop_.weights)
        result = _validation.finite(
            "the prediction", self.scaler_.backward(self.closed_loop_.carry * series + outputs)
        )
        result[: self.washout_] = result[: self.washout_].clip(self.low_, self.high_)
        return result[:, 0] if self._one_column else result

    def _feature_map(self, calibrated: Calibrated, data: TrainingData) -> FeatureMap:
        feature_map = FeatureMap(
            Scaler.identity(data.inputs.shape[1]),
            calibrated.reservoir,
            self._washout(calibrated.exponent, len(data.inputs)),
        )
        if self.features == "linear":
            return feature_map
        first = data.first(REGRESSION_DEFAULTS.rows)
        return self._with_products(feature_map, [first.inputs], [first.targets])

    def _observe(self, state: Floats | None, rows: Floats) -> Floats:
        """The state after these rows."""
        for states in drive_chunks(self.reservoir_, rows, start=state):
            state = states[-1].copy()
        assert state is not None  # there is at least one row
        return state

    def _table(self, X: Any, *, reset: bool) -> Floats:
        one_column = reset or self.n_features_in_ == 1
        rows = np.asarray(X, np.float64) if isinstance(X, (list, tuple)) else X
        if isinstance(rows, np.ndarray) and rows.ndim == 1 and one_column:
            rows = rows.reshape(-1, 1)
        rows = rows.to_frame() if hasattr(rows, "to_frame") else rows
        table: Floats = validated(self, rows, reset=reset, ensure_min_samples=3 if reset else 1)
        return table

    @property
    def _columns(self) -> int:
        return len(self.last_)

    def _to_parts(self) -> Parts:
        loop = self.closed_loop_
        values, tensors = readout_parts(loop.weights, loop.quadratic)
        reservoir, arrays = reservoir_parts(self.reservoir_)
        form = None if self._form is None else self._form.plain()
        beside = self.exogenous_scaler_
        return {
            "form": form,
            **values,
            "carry": float(loop.carry),
            "reservoir": reservoir,
            "washout": int(self.washout_),
        }, {
            **tensors,
            **arrays,
            "mean": self.scaler_.mean,
            "scale": self.scaler_.scale,
            "exogenous_mean": beside.mean,
            "exogenous_scale": beside.scale,
        }

    def _from_parts(self, found: Values, values: Values, tensors: Tensors) -> None:
        if self.noise != "auto":
            real("noise", self.noise, 0.0)
        self.__dict__.update(found)
        reservoir = reservoir_from(values["reservoir"], tensors)
        weights, quadratic = readout_from(values, tensors, reservoir.units)
        columns = len(weights.intercept)
        self.scaler_ = scaler_from(tensors["mean"], tensors["scale"], columns)
        self.exogenous_scaler_ = scaler_from(
            tensors["exogenous_mean"], tensors["exogenous_scale"], reservoir.n_inputs - columns
        )
        ends = (self.last_, self.low_, self.high_)
        if self.state_.shape != (reservoir.units,) or any(one.shape != (columns,) for one in ends):
            raise ValueError("state and series do not fit the network")
        limits = (self.scaler_.forward(end) for end in (self.low_, self.high_))
        carry = real("carry", values["carry"])
        self.closed_loop_ = ClosedLoop(reservoir, weights, carry, quadratic, *limits)
        self.reservoir_, self.washout_ = reservoir, whole("washout", values["washout"], 0)
        form = values.get("form")
        self._form = None if form is None else SeriesForm.from_plain(form)

    def _exogenous(self, exogenous: Any, rows: int, index: Any) -> Floats:
        """Exogenous columns with those of fit, in units of their deviations."""
        scaler = self.exogenous_scaler_
        # A model that was loaded knows no names
        names = getattr(self, "_exogenous_names", None)
        table, _ = exogenous_columns(exogenous, rows, len(scaler.mean), names, index, _numbers)
        return scaler.forward(table)

    def _coming(self, rows: int) -> Any:
        """The index of the next rows."""
        return None if self._form is None else self._form.coming(rows)


def _numbers(exogenous: Any) -> Floats:
    return _validation.table("exogenous", np.asarray(exogenous))


def report_range(
    result: Floats, finite: int, low: Floats, high: Floats, kept: bool = True, stacklevel: int = 3
) -> None:
    """Warn of a forecast (steps, d) outside the bounds of the training series.

    `kept`: whether it was bent back towards them.
    """
    outside = (result < low) | (result > high)
    if finite < len(result) or outside.any():
        step = int(np.argmax(outside.any(axis=1))) if outside.any() else finite
        sentence = (
            f"the forecast leaves the range of the training series at step {step}"
            f"{' and is kept near it' if kept else ''}; do not trust it from there"
        )
        warnings.warn(sentence, OutOfRange, stacklevel=stacklevel)
