"""A forecaster that runs free: it learns one step ahead, then its forecasts become its input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _validation
from .._errors import BadInput
from .._plain import Parts, Saved, Tensors, Values
from .._running import Progress, all_or_nothing
from .._validation import Floats, real, whole
from ..assimilation.tracking import Recordings, Rows, one_step_errors
from ..closed_loop import beside_with_physics
from ..physics import Physics
from ..selection.calibration import Calibrated
from ..selection.plan import FORECAST, STEADY_FORECAST, Chosen
from ..selection.staying import LearnedClimate
from ..series.form import SeriesForm
from ..series.gaps import guessed
from ..series.observed import exogenous_columns, same_dates
from ..series.recordings import joined, shares
from ..series.scaling import Scaler, bounds_around
from .base import BaseESN, with_limited_threads
from .estimates import Estimates, one_step_ahead, tracker_of
from .examples import Examples
from .features import FeatureMap
from .following import Followed, follow, settle
from .forecast_search import FORECAST_DEFAULTS, ForecastChoice, ForecastSearch
from .forecast_warnings import (
    LeftOut,
    OutOfClimate,
    OutOfRange,
    ShortStart,
    report_climate,
    report_range,
    report_start,
    too_long,
)
from .forecaster_file import parts_of, set_parts
from .learning import TrainingData
from .lessons import Lessons
from .outcomes import inside_one
from .outlook import PATHS, Outlook
from .own_physics import with_physics
from .present import Present
from .reading import Names, Reader, Recording, numbers, starts_in, trusting, variances_of
from .regression_search import REGRESSION_DEFAULTS
from .surprise import LEARNED_ROWS, Surprise, next_rows, surprises

__all__ = ["ESNForecaster", "LeftOut", "OutOfClimate", "OutOfRange", "ShortStart"]

# Searches at most, where rows have gaps: each fills them better for the next
ROUNDS = 3


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

    observation_noise: deviation of the noise that the rows themselves have, in their own units, one
    number or one per column. "auto" finds it by the likelihood of the rows; 0 trusts them. Where
    there is noise, the readout learns from what a Kalman filter of the network is surprised by, and
    forecasts begin at the filtered state. Missing values (NaN) are filled by the network, unless
    the rows are to be trusted.

    physics: a function f(row, exogenous) that gives the next row, from equations that are nearly
    right. It becomes an input of the network, and the readout may learn what it leaves over. The
    search takes it where free runs are better with it: physics_share_ says how far it is trusted,
    from 0, not at all, to 1. Noisy rows are not filtered then.

    long_runs: whether free runs of many thousand steps from all over the series must stay in its
    climate; of the settings whose runs do, the best is taken. climate_ says what such runs are like
    (`LearnedClimate`): verdict, distances, and how long none leaves. Of several recordings it is
    that of the longest.

    Learned: as in ESNRegressor, closed_loop_ (a `System`), noise_, bias_ratio_, candidates_ (the
    best settings that were tried), and score_: by how many e-folds the error in the held-out
    windows stays below one deviation, averaged over their steps. observation_noise_ (d,): 0 where
    the rows are trusted. smoothed_ (T, d): the rows as the model sees them, with nothing missing.

    >>> import spheresn as sn
    >>> wave = sn.datasets.mso(1500)
    >>> forecaster = ESNForecaster(units=200, bend=0, memory=30, random_state=0).fit(wave[:1000])
    >>> bool(np.abs(forecaster.forecast(300) - wave[1000:1300]).max() < 0.2)
    True
    """

    _penalty_rules = ("loo", "auto")
    _saved = Saved(
        "_one_column",
        ("bias_ratio_", "noise_", "score_", "physics_share_"),
        ("state_", "last_", "low_", "high_"),
    )

    bias_ratio: float | str = "auto"
    penalty: float | str = "auto"
    noise: float | str = "auto"
    observation_noise: Any = "auto"
    physics: Any = None
    reservoir: Any = None
    n_jobs: int | None = None
    verbose: bool = True
    long_runs: bool = True

    @all_or_nothing
    @with_limited_threads
    def fit(self, X: Any, y: Any = None, exogenous: Any = None) -> Self:
        """Choose the network and learn the series; forecasts begin at its end. `y` is not used.

        NaN, masked values and dates that are absent from an even calendar are missing. A list of
        tables is several recordings, each with its own start, and `exogenous` a list of as many.
        Forecasts begin at the end of the last one.
        """
        given = self._read(X, exogenous)
        series = [guessed(one.rows) for one in given]
        known = joined(series)
        self.scaler_ = Scaler.of(known)
        self.exogenous_scaler_ = Scaler.of(joined([one.beside for one in given]))
        self.low_, self.high_ = bounds_around(self.scaler_.mean, known, len(known) // 4)
        noise = variances_of(self.observation_noise, self.scaler_)
        examples = Examples(
            [self.scaler_.forward(one.rows) for one in given],
            [self.scaler_.forward(one) for one in series],
            [self.exogenous_scaler_.forward(one.beside) for one in given],
        )
        choice, followed, examples = self._best_round(examples, noise)
        self.__dict__.pop("climate_", None)  # that of an earlier fit
        self.physics_share_ = 0.0
        beside_physics = self._with_physics(examples, choice, followed)
        if beside_physics is not None:
            choice, followed, examples = beside_physics
        elif self.long_runs:
            seen = self._after(_longest(choice), examples)
            choice, followed, self.climate_ = settle(choice, followed, seen, noise)
        self._adopt(choice, followed, examples)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not trusting(self.observation_noise)
        return tags

    @property
    def _reader(self) -> Reader:
        return Reader(self, trusting(self.observation_noise))

    def _read(
        self, X: Any, exogenous: Any, like: Recording | None = None, names: Names = None
    ) -> list[Recording]:
        """The recordings to learn from. The form of forecasts is that of the last."""
        found = self._reader.recordings(X, exogenous, like, names)
        last = found.recordings[-1]
        self._form, self._rows_seen = last.form, len(last.rows)
        self._several, self._one_column = found.several, found.one_column
        self._exogenous_names = found.names
        return found.recordings

    def _best_round(
        self, examples: Examples, noise: Floats | None
    ) -> tuple[ForecastChoice, Followed | None, Examples]:
        """The choice, what it makes of noisy rows, and the guesses in gaps after the last round."""
        missing, choice, followed = examples.missing, None, None
        for _ in range(ROUNDS if missing else 1):
            found = self._choose(examples)
            again = self._follow(found, examples, noise, missing)
            if followed and again and again.log_likelihood <= followed.log_likelihood:
                break
            choice, followed = found if again is None else again.choice, again
            if followed is None or followed.trusted:
                break
            examples = examples.guessed_as(followed.smoothed)
        assert choice is not None  # there is at least one round
        return choice, followed, examples

    def _with_physics(
        self, examples: Examples, choice: ForecastChoice, followed: Followed | None
    ) -> tuple[ForecastChoice, Followed | None, Examples] | None:
        """The choice with the user's own model, and what it learns from; None where the network
        alone is better.
        """
        if self.physics is None:
            return None
        known = joined(examples.filled), joined(examples.beside)
        physics = Physics.of(self.physics, self.scaler_, self.exogenous_scaler_, *known)
        found = self._choose(examples.taken_as(examples.filled), physics)
        better = with_physics(found, choice, followed, examples)
        if better is None:
            return None
        self.physics_share_, told = better
        return found, None, told

    def _choose(self, examples: Examples, physics: Physics | None = None) -> ForecastChoice:
        """The network and its readout."""
        plan = self._plan()
        data = examples.data(plan.seed, physics)
        if self.noise != "auto":
            real("noise", self.noise, 0.0)
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
            physics,
        )
        try:
            return search.best(
                self._candidates(plan, FORECAST), self._candidates(plan, STEADY_FORECAST)
            )
        finally:
            search.progress.close()

    def _follow(
        self, choice: ForecastChoice, examples: Examples, noise: Floats | None, missing: bool
    ) -> Followed | None:
        """What the network makes of noisy rows; None where they are trusted."""
        if noise is not None and not noise.any():
            return None
        series = self._after(_longest(choice), examples)
        return follow(choice, series, noise, needed=missing, long_runs=self.long_runs)

    def _after(self, feature_map: FeatureMap, examples: Examples) -> Recordings:
        """The recordings, each with the washout that the network needs there."""
        return examples.after(lambda length: self._washout_of(feature_map, length))

    def _adopt(self, choice: ForecastChoice, followed: Followed | None, examples: Examples) -> None:
        """Set what is learned; forecasts begin at the end of the last recording."""
        trial, score = choice.trial, choice.score
        self.closed_loop_, self.penalty_ = choice.loop, choice.penalty
        self.noise_, self.candidates_ = choice.setting.noise, choice.table
        found = Chosen.of(trial.candidate, trial.calibrated)
        self._remember(found, trial.feature_map.reservoir, trial.feature_map.washout)
        series = self._after(trial.feature_map, examples)
        tracker = None if followed is None else followed.tracker
        noise = np.zeros(examples.rows[0].shape[1])
        if followed is not None and not followed.trusted:
            self.closed_loop_, noise = followed.tracker.loop, followed.tracker.noise
            score = score if followed.score is None else followed.score
        smoothed = examples.filled if followed is None else followed.smoothed
        drift = one_step_errors(choice.loop, series) if tracker is None else tracker.drift
        track = None if followed is None else followed.track
        self._be_at(Present.of(self.closed_loop_, series.parts[-1], drift, tracker, track))
        if followed is None or followed.trusted:
            self._lessons = Lessons.of_choice(choice, self.penalty)
        else:
            data = examples.taken_as(smoothed).data()
            washouts = [one.skip for one in series.parts]
            self._lessons = Lessons.of_taught(choice, self.closed_loop_, data, washouts)
        self.observation_noise_ = np.sqrt(noise) * self.scaler_.scale
        seen = [self.scaler_.backward(one) for one in smoothed]
        self.smoothed_ = seen if self._several else seen[0]
        self.__dict__.pop("score_", None)  # that of an earlier fit
        if score is not None:
            self.score_ = score

    def _be_at(self, present: Present) -> None:
        """Forecasts begin there."""
        self._present, self.state_, self.last_ = present, present.state, present.last

    def forecast(
        self,
        steps: int,
        exogenous: Any = None,
        level: float | None = None,
        *,
        start: Any = None,
        start_exogenous: Any = None,
    ) -> Any:
        """The next `steps` rows (steps, d), with the exogenous columns (steps, e) of these rows.

        After a fit to a pandas object with dates they have the dates that follow. The next call
        begins at the same row. This is one free run: it follows the series longer than the mean of
        many does.

        level: of the interval of a `Forecast`, which is returned instead. Its mean is that of
        `sample_paths`, which errs least on average, also where nothing is known any more.

        start: rows after which to begin, and start_exogenous, the columns beside them; the model
        stays as it is. Of a list of such tables there is one forecast each, with lists of exogenous
        columns beside it, or with the same columns for all.
        """
        check_is_fitted(self)
        starts = starts_in(start, start_exogenous, exogenous)
        if starts is None:
            outlook = self._outlook(start, start_exogenous, "start")
            return self._forecast_from(outlook, steps, exogenous, level)
        return [
            self._forecast_from(self._outlook(one, beside, name), steps, future, level)
            for name, one, beside, future in starts
        ]

    def _forecast_from(
        self, outlook: Outlook, steps: int, exogenous: Any, level: float | None
    ) -> Any:
        """The forecast from there."""
        if level is not None:
            share = inside_one("level", level)
            return outlook.forecast(share, self._paths(outlook, steps, PATHS, exogenous))
        width = 3 * self.n_features_in_ + len(self.exogenous_scaler_.mean)
        count = _validation.fitting("steps", steps, 1, width)
        beside = self._exogenous(exogenous, count, outlook.coming(count))
        result, finite = outlook.run(self.closed_loop_, count, beside)
        report_range(result, finite, self.low_, self.high_, stacklevel=4)
        climate: LearnedClimate | None = getattr(self, "climate_", None)
        if climate and too_long(count, climate) and self.__dict__.get("_warned") is not climate:
            self._warned = climate  # once
            report_climate(count, climate, stacklevel=4)
        return outlook.form.shaped(result, outlook.form.coming(count))

    def sample_paths(
        self,
        steps: int,
        n: int = 100,
        exogenous: Any = None,
        *,
        start: Any = None,
        start_exogenous: Any = None,
    ) -> Floats:
        """Ways (n, steps, d) in which the series may go on, each as likely as the others.

        Each begins at a state that the rows leave possible, and each step errs as the model does.
        The next call gives the same ones. start, start_exogenous: as in `forecast`, one table.
        """
        check_is_fitted(self)
        outlook = self._outlook(start, start_exogenous, "start")
        return self._paths(outlook, steps, n, exogenous)

    def _paths(self, outlook: Outlook, steps: int, n: int, exogenous: Any) -> Floats:
        count = whole("n", n, 1)
        width = 3 * self.n_features_in_ * count + len(self.exogenous_scaler_.mean)
        steps = _validation.fitting("steps", steps, 1, width)
        beside = self._exogenous(exogenous, steps, outlook.coming(steps))
        return outlook.paths(steps, count, beside)

    def _outlook(self, start: Any, exogenous: Any, name: str) -> Outlook:
        """From the end of some rows, or of those of fit and update."""
        if start is None:
            if exogenous is not None:
                raise BadInput("start_exogenous must come with start, got no start; pass both")
            return Outlook(self._present, self.scaler_, self._shape, self._form is not None)
        try:
            rows, form = self._reader.rows(start, reset=False)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
        shape = form or SeriesForm.of_array(rows.shape[1], np.ndim(start) == 1, len(rows))
        index = None if form is None else form.index
        beside = self._exogenous(exogenous, len(rows), index, f"{name}_exogenous")
        report_start(name, len(rows), self.memory_, self.washout_, stacklevel=5)
        rows = self.scaler_.forward(rows)
        beside = beside_with_physics(self.closed_loop_, guessed(rows), beside)
        present = self._present.elsewhere(rows, beside, self.washout_)
        return Outlook(present, self.scaler_, shape, form is not None)

    @property
    def _shape(self) -> SeriesForm:
        """The form of forecasts."""
        return self._form or SeriesForm.of_array(self._columns, self._one_column, self._rows_seen)

    @all_or_nothing
    @with_limited_threads
    def partial_fit(
        self, X: Any, y: Any = None, exogenous: Any = None, forgetting: float = 1.0
    ) -> Self:
        """Learn from one more recording, or several; forecasts begin at the end of the last.

        The network stays, and its readout is solved from the sums over all rows; where that runs
        worse over the new rows than before, with more noise or penalty. `forgetting`, for
        systems that drift: each row counts that much less than the one after it, so that about
        1/(1 - forgetting) rows are remembered. A recording has its own start: `update` goes on
        after the newest rows, and learns nothing. Without a fit, this is one. `y` is not used.

        >>> import spheresn as sn
        >>> rows = sn.datasets.lorenz(1500)
        >>> model = ESNForecaster(units=50, random_state=0).fit(rows[:500])
        >>> model = model.partial_fit(rows[500:], forgetting=0.999)
        >>> bool(np.abs(model.forecast(5) - sn.datasets.lorenz(1505)[1500:]).max() < 0.5)
        True
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, exogenous=exogenous)
        memory = real("forgetting", forgetting, 0.0, 1.0, above=True)
        lessons = getattr(self, "_lessons", None)
        if lessons is None:
            raise BadInput(
                "partial_fit must continue with what the model has learned, got a model loaded "
                "from a file; fit it again"
            )
        like = Recording(self.last_[None], np.zeros((1, len(self.exogenous_scaler_.mean))), None)
        taken = []
        for given in self._read(X, exogenous, like, self._exogenous_names):
            rows = self.scaler_.forward(given.rows)
            beside = self.exogenous_scaler_.forward(given.beside)
            skip = self._washout_of(lessons.feature_map, len(rows))
            series = Rows(rows, guessed(rows), beside, skip)
            smoothed = self._present.as_seen(series)
            (data,) = Examples([smoothed], [smoothed], [beside]).data(physics=lessons.physics)
            series = replace(
                series, beside=beside_with_physics(self.closed_loop_, series.filled, beside)
            )
            lessons = lessons.taking(data, skip, memory)
            taken.append(data)
            self._widen(self.scaler_.backward(smoothed))
        limits = self.scaler_.forward(self.low_), self.scaler_.forward(self.high_)
        grid = FORECAST_DEFAULTS.first_grid
        self._lessons = lessons.checked(taken, self.closed_loop_, limits, grid)
        self.closed_loop_, self.penalty_ = self._lessons.loop(limits)
        self.noise_ = self._lessons.setting.noise
        self._be_at(self._present.relearned(self.closed_loop_, series))
        return self

    def _widen(self, rows: Floats) -> None:
        """Let forecasts go where such rows may go."""
        low, high = bounds_around(self.scaler_.mean, rows, len(rows) // 4)
        self.low_, self.high_ = np.minimum(self.low_, low), np.maximum(self.high_, high)

    @all_or_nothing
    def update(self, X: Any, exogenous: Any = None) -> Self:
        """Observe rows that came after the fit or the last update; forecasts begin after them.

        The readout stays as it is.
        """
        check_is_fitted(self)
        series = self.scaler_.forward(self._reader.rows(X, reset=False)[0])
        if self._form is not None:
            same_dates("X", X, self._form.coming(len(series)))
        beside = self._exogenous(exogenous, len(series), self._coming(len(series)))
        told = beside_with_physics(self.closed_loop_, guessed(series), beside, self.last_)
        self._be_at(self._present.after(series, told))
        self._rows_seen += len(series)
        if self._form is not None:
            self._form = self._form.after(len(series))
        return self

    def watch(
        self,
        X: Any,
        exogenous: Any = None,
        *,
        level: float = 0.001,
        patience: float = 100_000.0,
        learned: int = LEARNED_ROWS,
    ) -> Iterator[Surprise]:
        """Each row that comes after the fit or the last update, beside the forecast of it.

        X: rows (T, d), or an iterator of such pieces without end; exogenous in the same way. The
        model stays as it is, rows are taken as they are, and a cell that is NaN counts as its
        forecast. A `Surprise` has the interval, the probability of an error at least as large, an
        alarm where this is at most `level`, and a change where surprise stays. While nothing is
        wrong, a share `level` of rows are alarms, and changes are `patience` rows apart or more in
        the mean. The first `learned` rows say how large errors usually are, so nothing should be
        wrong with them.

        >>> import spheresn as sn
        >>> wave = sn.datasets.mso(3000)
        >>> model = sn.ESNForecaster(units=50, observation_noise=0, random_state=0).fit(wave[:1000])
        >>> wave[2500] += 0.5
        >>> 1500 in [one.row for one in model.watch(wave[1000:]) if one.alarm]
        True
        """
        check_is_fitted(self)
        level, learned = inside_one("level", level), whole("learned", learned, 2)
        patience = real("patience", patience, 1.0, above=True)
        reader = self._reader
        pieces = X if hasattr(X, "__next__") else iter([X])
        beside = exogenous if hasattr(exogenous, "__next__") else repeat(exogenous)
        series = (
            (self.scaler_.forward(rows), self._exogenous(given, len(rows), None))
            for rows, given in zip(
                (reader.table(piece, reset=False, holes=True) for piece in pieces),
                beside,
                strict=False,
            )
        )
        pairs = next_rows(self.closed_loop_, self.state_, self.last_, series)
        return surprises(pairs, self.scaler_, level, patience, learned)

    def smooth(self, X: Any, exogenous: Any = None, return_std: bool = False) -> Any:
        """Rows (T, d) as the model sees them, with what is missing filled in, in the same form.

        Each row is estimated from those before it and some after it, from a fresh start: the first
        `washout_` rows stay as they are. return_std: also give the deviations of the estimates.
        """
        return self._estimates(X, exogenous).smoothed(return_std)

    def filter(self, X: Any, exogenous: Any = None, return_std: bool = False) -> Any:
        """As `smooth`, but each row is estimated from itself and those before it alone."""
        return self._estimates(X, exogenous).filtered(return_std)

    def _estimates(self, X: Any, exogenous: Any) -> Estimates:
        """The rows and what estimates them."""
        check_is_fitted(self)
        rows, form = self._reader.rows(X, reset=False)
        form = form or SeriesForm.of_array(rows.shape[1], np.ndim(X) == 1)
        rows = self.scaler_.forward(rows)
        beside = self._exogenous(exogenous, len(rows), None)
        series = Rows(rows, guessed(rows), beside, self.washout_)
        tracker = tracker_of(self._present, self.closed_loop_, rows.shape[1])
        return Estimates(series, form, self.scaler_, tracker, self._present.honest(tracker))

    def predict(self, X: Any, exogenous: Any = None) -> Floats:
        """For each row of a series (T, d) the forecast of the next one, from a fresh start.

        The exogenous columns (T, e) belong to the rows that are forecast. The first `washout_`
        rows, whose past is unknown, stay within `low_` and `high_`. What is missing in a row is
        taken as `filter` has it.
        """
        check_is_fitted(self)
        rows, _ = self._reader.rows(X, reset=False)
        missing = np.isnan(rows).any()
        series = self._estimates(X, exogenous).filled() if missing else self.scaler_.forward(rows)
        beside = self._exogenous(exogenous, len(series), None)
        loop = self.closed_loop_
        found = self.scaler_.backward(one_step_ahead(loop, series, beside, self.washout_))
        result = _validation.finite("the prediction", found)
        result[: self.washout_] = result[: self.washout_].clip(self.low_, self.high_)
        return result[:, 0] if self._one_column else result

    def _feature_map(self, calibrated: Calibrated, data: list[TrainingData]) -> FeatureMap:
        lengths = [len(one.inputs) for one in data]
        feature_map = FeatureMap(
            Scaler.identity(data[0].inputs.shape[1]),
            calibrated.reservoir,
            self._washout(calibrated.exponent, max(lengths)),
        )
        if self.features == "linear":
            return feature_map
        first = [data[i].first(rows) for i, rows in shares(lengths, REGRESSION_DEFAULTS.rows)]
        return self._with_products(
            feature_map, [one.inputs for one in first], [one.targets for one in first]
        )

    @property
    def _columns(self) -> int:
        return len(self.last_)

    def _to_parts(self) -> Parts:
        return parts_of(self)

    def _from_parts(self, found: Values, values: Values, tensors: Tensors) -> None:
        if self.noise != "auto":
            real("noise", self.noise, 0.0)
        self.__dict__.update(found)
        set_parts(self, values, tensors)

    def _exogenous(self, exogenous: Any, rows: int, index: Any, name: str = "exogenous") -> Floats:
        """Exogenous columns with those of fit, in units of their deviations."""
        scaler = self.exogenous_scaler_
        # A model that was loaded knows no names
        names = getattr(self, "_exogenous_names", None)
        table, _ = exogenous_columns(exogenous, rows, len(scaler.mean), names, index, numbers, name)
        return scaler.forward(table)

    def _coming(self, rows: int) -> Any:
        """The index of the next rows."""
        return None if self._form is None else self._form.coming(rows)


def _longest(choice: ForecastChoice) -> FeatureMap:
    """Of all networks that were tried, the one with the longest washout."""
    maps = [one.trial.feature_map for one in choice.finalists]
    return max(maps, key=lambda one: one.washout)
