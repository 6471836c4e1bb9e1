"""A forecaster that runs free: it learns one step ahead, then its forecasts become its input."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _validation
from .._errors import BadInput
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
from ..assimilation.tracking import Recordings, Rows, Tracker, can_track, one_step_errors
from ..closed_loop import ClosedLoop
from ..selection.calibration import Calibrated
from ..selection.plan import FORECAST, STEADY_FORECAST, Chosen
from ..selection.staying import LearnedClimate
from ..series.form import SeriesForm
from ..series.gaps import guessed
from ..series.observed import exogenous_columns, has_form, observed, same_dates
from ..series.recordings import (
    FEWEST_IN_RECORDING,
    beside_each,
    joined,
    named,
    recordings_in,
    shares,
)
from ..series.scaling import LARGEST_FLOAT, Scaler, bounds_around
from .base import BaseESN, with_limited_threads
from .features import FeatureMap
from .following import TRUSTED, Followed, follow, settle
from .forecast_search import FORECAST_DEFAULTS, ForecastChoice, ForecastSearch
from .learning import TrainingData
from .lessons import Lessons
from .outcomes import Forecast, Paths, inside_one
from .present import Present
from .regression_search import REGRESSION_DEFAULTS
from .surprise import LEARNED_ROWS, Surprise, next_rows, surprises
from .validation import validated

# Steps: held-out windows judge shorter forecasts
LEAST_LONG = 1000
# Searches at most, where rows have gaps: each fills them better for the next
ROUNDS = 3
PATHS = 200  # of an interval
LEAST_MEASURED = 0.08  # of the rows of each column: one in ten, and some of these lost


class OutOfRange(RuntimeWarning):
    """A free run left the range of the training series and was kept near it."""


class OutOfClimate(RuntimeWarning):
    """A forecast is longer than free runs of the model stay what the series is."""


class LeftOut(UserWarning):
    """Recordings that are too short were not learned from."""


class ShortStart(UserWarning):
    """A forecast begins after fewer rows than the network remembers."""


class Known(NamedTuple):
    """Where a forecast begins, and the form of what comes; dated: whether that has an index of its
    own.
    """

    present: Present
    form: SeriesForm
    dated: bool

    def coming(self, rows: int) -> Any:
        """The index of the next rows, None if they are only counted."""
        return self.form.coming(rows) if self.dated else None


class Recording(NamedTuple):
    """A table as it was given: its rows (T, d), NaN where one is missing, the exogenous columns
    (T, e), and its form.
    """

    rows: Floats
    beside: Floats
    form: SeriesForm | None


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
        ("bias_ratio_", "noise_", "score_"),
        ("state_", "last_", "low_", "high_"),
    )

    bias_ratio: float | str = "auto"
    penalty: float | str = "auto"
    noise: float | str = "auto"
    observation_noise: Any = "auto"
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
        given = self._recordings(X, exogenous)
        series = [guessed(one.rows) for one in given]
        known = joined(series)
        self.scaler_ = Scaler.of(known)
        self.exogenous_scaler_ = Scaler.of(joined([one.beside for one in given]))
        self.low_, self.high_ = bounds_around(self.scaler_.mean, known, len(known) // 4)
        noise = self._given_noise(known.shape[1])
        beside = [self.exogenous_scaler_.forward(one.beside) for one in given]
        rows = [self.scaler_.forward(one.rows) for one in given]
        filled = [self.scaler_.forward(one) for one in series]
        missing = any(np.isnan(one).any() for one in rows)
        choice, followed = None, None
        for _ in range(ROUNDS if missing else 1):
            found = self._choose(filled, beside, rows)
            again = self._follow(found, rows, filled, beside, noise, missing)
            if followed and again and again.log_likelihood <= followed.log_likelihood:
                break
            choice, followed = found if again is None else again.choice, again
            if followed is None or followed.trusted:
                break
            pairs = zip(rows, followed.smoothed, strict=True)
            filled = [np.where(np.isnan(one), smooth, one) for one, smooth in pairs]
        assert choice is not None  # there is at least one round
        self.__dict__.pop("climate_", None)  # that of an earlier fit
        if self.long_runs:
            seen = self._rows_of(_longest(choice), rows, filled, beside)
            choice, followed, self.climate_ = settle(choice, followed, seen, noise)
        self._adopt(choice, followed, rows, filled, beside)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self._trusting
        return tags

    @property
    def _trusting(self) -> bool:
        """Whether the user trusts the rows."""
        given = self.observation_noise
        return not isinstance(given, str) and not np.any(given)

    def _recordings(
        self, X: Any, exogenous: Any, like: list[Recording] | None = None
    ) -> list[Recording]:
        """The recordings to learn from, with the columns of those that they are to be like. The
        form of forecasts is that of the last.
        """
        several = recordings_in(X)
        self._several = several is not None
        if like is None:
            self._exogenous_names: tuple[Any, ...] | None = None
        tables = [X] if several is None else several
        besides = [exogenous] if several is None else beside_each(exogenous, len(tables))
        kept = list(range(len(tables))) if several is None else self._long_enough(tables)
        found: list[Recording] = []
        for place in kept:
            try:
                found.append(self._recording(tables[place], besides[place], like or found))
            except BadInput as error:
                if several is None:
                    raise
                raise BadInput(f"recording X[{place}]: {error}") from None
        last = found[-1]
        self._form, self._rows_seen = last.form, len(last.rows)
        self._one_column = np.ndim(tables[kept[-1]]) == 1
        return found

    def _recording(self, X: Any, exogenous: Any, before: list[Recording]) -> Recording:
        """A table and what belongs to it, with the columns of those before it."""
        if before and np.shape(X)[1:] != () and np.shape(X)[1] != before[0].rows.shape[1]:
            raise BadInput(
                f"it must have {before[0].rows.shape[1]} column(s), as the first one has, got "
                f"{np.shape(X)[1]}; pass recordings of the same columns"
            )
        rows, form = self._rows(X, reset=not before)
        columns = before[0].beside.shape[1] if before else None
        names = self._exogenous_names if before else None
        index = None if form is None else form.index
        beside, found = exogenous_columns(exogenous, len(rows), columns, names, index, _numbers)
        self._exogenous_names = names if before else found
        return Recording(rows, beside, form)

    def _long_enough(self, tables: list[Any]) -> list[int]:
        """The places of recordings that something can be learned from; a warning names others."""
        given = 0 if self.washout == "auto" else whole("washout", self.washout, 0)
        fewest = max(FEWEST_IN_RECORDING, given + 2)
        lengths = [len(one) for one in tables]
        short = [place for place, length in enumerate(lengths) if length < fewest]
        if len(short) == len(tables):
            raise BadInput(
                f"X must have a recording of at least {fewest} rows, got at most {max(lengths)}; "
                "pass longer ones"
            )
        if short:
            warnings.warn(
                f"recordings of fewer than {fewest} rows are left out: {named(short)}",
                LeftOut,
                stacklevel=6,
            )
        return [place for place in range(len(tables)) if place not in short]

    def _choose(
        self, filled: list[Floats], beside: list[Floats], rows: list[Floats]
    ) -> ForecastChoice:
        """The network and its readout; `rows` have NaN where `filled` was guessed."""
        plan = self._plan()
        data = self._training_data(filled, beside, rows, plan.seed)
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
            return search.best(
                self._candidates(plan, FORECAST), self._candidates(plan, STEADY_FORECAST)
            )
        finally:
            search.progress.close()

    def _training_data(
        self, filled: list[Floats], beside: list[Floats], rows: list[Floats], seed: int = 0
    ) -> list[TrainingData]:
        """The recordings as the search has them."""
        rng = np.random.default_rng([seed, 1])
        return [
            TrainingData.of(known, others, rng, one if np.isnan(one).any() else None)
            for known, others, one in zip(filled, beside, rows, strict=True)
        ]

    def _follow(
        self,
        choice: ForecastChoice,
        rows: list[Floats],
        filled: list[Floats],
        beside: list[Floats],
        noise: Floats | None,
        missing: bool,
    ) -> Followed | None:
        """What the network makes of noisy rows; None where they are trusted."""
        if noise is not None and not noise.any():
            return None
        series = self._rows_of(_longest(choice), rows, filled, beside)
        return follow(choice, series, noise, needed=missing, long_runs=self.long_runs)

    def _rows_of(
        self,
        feature_map: FeatureMap,
        rows: list[Floats],
        filled: list[Floats],
        beside: list[Floats],
    ) -> Recordings:
        """The recordings, each with the washout that the network needs there."""
        parts = zip(rows, filled, beside, strict=True)
        return Recordings(
            tuple(Rows(*part, self._washout_of(feature_map, len(part[0]))) for part in parts)
        )

    def _adopt(
        self,
        choice: ForecastChoice,
        followed: Followed | None,
        rows: list[Floats],
        filled: list[Floats],
        beside: list[Floats],
    ) -> None:
        """Set what is learned; forecasts begin at the end of the last recording."""
        trial, score = choice.trial, choice.score
        self.closed_loop_, self.penalty_ = choice.loop, choice.penalty
        self.noise_, self.candidates_ = choice.setting.noise, choice.table
        found = Chosen.of(trial.candidate, trial.calibrated)
        self._remember(found, trial.feature_map.reservoir, trial.feature_map.washout)
        series = self._rows_of(trial.feature_map, rows, filled, beside)
        tracker = None if followed is None else followed.tracker
        noise = np.zeros(rows[0].shape[1])
        if followed is not None and not followed.trusted:
            self.closed_loop_, noise = followed.tracker.loop, followed.tracker.noise
            score = score if followed.score is None else followed.score
        smoothed = filled if followed is None else followed.smoothed
        drift = one_step_errors(choice.loop, series) if tracker is None else tracker.drift
        track = None if followed is None else followed.track
        self._be_at(Present.of(self.closed_loop_, series.parts[-1], drift, tracker, track))
        if followed is None or followed.trusted:
            self._lessons = Lessons.of_choice(choice, self.penalty)
        else:
            data = self._training_data(smoothed, beside, smoothed)
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

    def _given_noise(self, columns: int) -> Floats | None:
        """The variances of the noise of standardised rows, None if they are to be found."""
        if isinstance(self.observation_noise, str):
            _validation.one_of("observation_noise", self.observation_noise, ("auto",))
            return None
        given = _validation.floats("observation_noise", self.observation_noise, (0, 1), np.float64)
        if given.size not in (1, columns) or not (_validation.finite("it", given) >= 0.0).all():
            raise BadInput(
                f'observation_noise must be "auto", a deviation of at least 0, or one for each of '
                f"{columns} columns, got {self.observation_noise!r}; pass such numbers"
            )
        return np.asarray(np.square(np.broadcast_to(given, columns) / self.scaler_.scale))

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
        starts = None if start is None else recordings_in(start, "start")
        if starts is None:
            known = self._known(start, start_exogenous, "start")
            return self._forecast_from(known, steps, exogenous, level)
        besides = beside_each(start_exogenous, len(starts), "start_exogenous")
        table = isinstance(exogenous, (list, tuple)) and recordings_in(exogenous, "exogenous")
        futures = beside_each(exogenous, len(starts)) if table else [exogenous] * len(starts)
        return [
            self._forecast_from(self._known(one, beside, f"start[{place}]"), steps, future, level)
            for place, (one, beside, future) in enumerate(
                zip(starts, besides, futures, strict=True)
            )
        ]

    def _forecast_from(self, known: Known, steps: int, exogenous: Any, level: float | None) -> Any:
        """The forecast from what is known of some rows."""
        if level is not None:
            return self._forecast_object(known, steps, exogenous, level)
        width = 3 * self.n_features_in_ + len(self.exogenous_scaler_.mean)
        count = _validation.fitting("steps", steps, 1, width)
        beside = self._exogenous(exogenous, count, known.coming(count))
        present = known.present
        outputs, finite = self.closed_loop_.run(
            count, present.state, present.last, np.ascontiguousarray(beside)
        )
        result = self.scaler_.backward(outputs)
        if not np.isfinite(result).all():
            finite = int(np.argmin(np.isfinite(result).all(axis=1)))
            result[finite:] = result[finite - 1] if finite else self.scaler_.backward(present.last)
        report_range(result, finite, self.low_, self.high_, stacklevel=4)
        self._report_climate(count)
        return known.form.shaped(result, known.form.coming(count))

    def _report_climate(self, steps: int) -> None:
        """Warn, once, of more steps than long runs of this model are worth."""
        found = getattr(self, "climate_", None)
        if found is None or found.stays or steps <= max(found.lasting, LEAST_LONG):
            return
        if self.__dict__.get("_warned") is found:
            return
        self._warned = found
        warnings.warn(
            f"a forecast of {steps:,} steps is longer than this model stays what the series was "
            f"({found}); trust no statistics of it beyond that",
            OutOfClimate,
            stacklevel=4,
        )

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
        return self._paths(self._known(start, start_exogenous, "start"), steps, n, exogenous)

    def _paths(self, known: Known, steps: int, n: int, exogenous: Any) -> Floats:
        count = whole("n", n, 1)
        width = 3 * self.n_features_in_ * count + len(self.exogenous_scaler_.mean)
        steps = _validation.fitting("steps", steps, 1, width)
        beside = self._exogenous(exogenous, steps, known.coming(steps))
        rng = np.random.default_rng(0)
        paths = known.present.paths(steps, count, np.ascontiguousarray(beside), rng)
        return self.scaler_.backward(paths).clip(-LARGEST_FLOAT, LARGEST_FLOAT)

    def _forecast_object(self, known: Known, steps: int, exogenous: Any, level: float) -> Forecast:
        share = inside_one("level", level)
        paths = self._paths(known, steps, PATHS, exogenous)
        form = known.form
        rows = self.scaler_.backward(guessed(known.present.rows))
        return Forecast(share, form.coming(steps), form, rows, paths.mean(axis=0), Paths(paths))

    def _known(self, start: Any, exogenous: Any, name: str) -> Known:
        """What is known at the end of some rows, or of those of fit and update."""
        if start is None:
            if exogenous is not None:
                raise BadInput("start_exogenous must come with start, got no start; pass both")
            return Known(self._present, self._shape, self._form is not None)
        try:
            rows, form = self._rows(start, reset=False)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
        names = tuple(range(rows.shape[1]))
        shape = form or SeriesForm("numpy", names, np.ndim(start) == 1, None, len(rows))
        index = None if form is None else form.index
        beside = self._exogenous(exogenous, len(rows), index, f"{name}_exogenous")
        if len(rows) < self.memory_:
            left = np.exp(-len(rows) / self.memory_)
            warnings.warn(
                f"{name} has {len(rows)} row(s), fewer than the memory of the network, "
                f"{self.memory_:.3g}: {left:.0%} of an unknown past is left in its state; pass "
                f"{self.washout_} rows to forget it",
                ShortStart,
                stacklevel=4,
            )
        present = self._present.elsewhere(self.scaler_.forward(rows), beside, self.washout_)
        return Known(present, shape, form is not None)

    @property
    def _shape(self) -> SeriesForm:
        """The form of forecasts."""
        if self._form is not None:
            return self._form
        names = tuple(range(self.n_features_in_))
        return SeriesForm("numpy", names, self._one_column, None, self._rows_seen)

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
        known = self._present.tracker if self._present.track is not None else None
        taken = []
        for given in self._recordings(X, exogenous, [like]):
            rows, beside = (
                self.scaler_.forward(given.rows),
                self.exogenous_scaler_.forward(given.beside),
            )
            skip = self._washout_of(lessons.feature_map, len(rows))
            series = Rows(rows, guessed(rows), beside, skip)
            smoothed = self._as_seen(series, known)
            (data,) = self._training_data([smoothed], [beside], [smoothed])
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

    def _as_seen(self, series: Rows, tracker: Tracker | None) -> Floats:
        """The rows to learn from: smoothed where they are noisy, filled where some are missing."""
        if tracker is None and not np.isnan(series.rows).any():
            return series.rows
        tracker = self._present.tracker if tracker is None else tracker
        if tracker is None:
            self._present.elsewhere(series.rows, series.beside, series.skip)  # raises, says why
        assert tracker is not None
        return series.smoothed_by(tracker)[1]

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
        series = self.scaler_.forward(self._rows(X, reset=False)[0])
        if self._form is not None:
            same_dates("X", X, self._form.coming(len(series)))
        beside = self._exogenous(exogenous, len(series), self._coming(len(series)))
        self._be_at(self._present.after(series, beside))
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
        pieces = X if hasattr(X, "__next__") else iter([X])
        beside = exogenous if hasattr(exogenous, "__next__") else repeat(exogenous)
        series = (
            (self.scaler_.forward(rows), self._exogenous(given, len(rows), None))
            for rows, given in zip(
                (self._table(piece, reset=False, holes=True) for piece in pieces),
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
        series, shape, tracker = self._to_estimate(X, exogenous)
        _, passed = series.passed(tracker)
        _, honest = series.passed(self._present.honest(tracker))
        return self._estimated(
            series, tracker, passed.smoothed, honest.smoothed_deviations, shape, return_std
        )

    def filter(self, X: Any, exogenous: Any = None, return_std: bool = False) -> Any:
        """As `smooth`, but each row is estimated from itself and those before it alone."""
        series, shape, tracker = self._to_estimate(X, exogenous)
        _, passed = series.passed(tracker)
        _, honest = series.passed(self._present.honest(tracker))
        return self._estimated(
            series, tracker, passed.filtered, honest.deviations, shape, return_std
        )

    def _to_estimate(self, X: Any, exogenous: Any) -> tuple[Rows, SeriesForm, Tracker]:
        """The rows, their form, and the tracker that estimates them."""
        check_is_fitted(self)
        rows, form = self._rows(X, reset=False)
        if form is None:
            form = SeriesForm("numpy", tuple(range(rows.shape[1])), np.ndim(X) == 1)
        rows = self.scaler_.forward(rows)
        beside = self._exogenous(exogenous, len(rows), None)
        series = Rows(rows, guessed(rows), beside, self.washout_)
        tracker = self._present.tracker
        if tracker is None:
            if not can_track(self.closed_loop_):
                raise BadInput(
                    "a model with a topology or an activation of one's own has no filter; use one "
                    "of the library's to smooth rows"
                )
            tracker = Tracker(
                self.closed_loop_, np.full(rows.shape[1], TRUSTED), self._present.drift
            )
        _validation.at_least("X", len(rows), tracker.lags + 1, "to be filtered")
        return series, form, tracker

    def _estimated(
        self,
        series: Rows,
        tracker: Tracker,
        found: Floats,
        deviations: Floats,
        shape: SeriesForm,
        return_std: bool,
    ) -> Any:
        """Estimates of the last rows behind the rows as they are, and their deviations."""
        before = len(series.rows) - len(found)
        known = np.isfinite(series.rows[:before])
        first = np.where(known, np.sqrt(tracker.noise), 1.0)
        index = shape.index
        rows = shape.shaped(
            self.scaler_.backward(np.vstack([series.filled[:before], found])), index
        )
        if not return_std:
            return rows
        return rows, shape.shaped(self.scaler_.scale * np.vstack([first, deviations]), index)

    def predict(self, X: Any, exogenous: Any = None) -> Floats:
        """For each row of a series (T, d) the forecast of the next one, from a fresh start.

        The exogenous columns (T, e) belong to the rows that are forecast. The first `washout_`
        rows, whose past is unknown, stay within `low_` and `high_`. What is missing in a row is
        taken as `filter` has it.
        """
        check_is_fitted(self)
        rows, _ = self._rows(X, reset=False)
        if np.isnan(rows).any():
            holed, _, tracker = self._to_estimate(X, exogenous)
            _, passed = holed.passed(tracker)
            known = np.vstack([holed.filled[: -len(passed.filtered)], passed.filtered])
            series = np.where(np.isnan(rows), known, holed.rows)
        else:
            series = self.scaler_.forward(rows)
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

    def _rows(self, X: Any, *, reset: bool) -> tuple[Floats, SeriesForm | None]:
        """The rows of a series, with NaN where one is missing, and their form."""
        trusted = self._trusting
        given = observed(X, "never" if trusted else "keep", "X") if has_form(X) else None
        if np.ma.is_masked(X) and not trusted:
            X = np.where(np.ma.getmaskarray(X), np.nan, X.data)
        table = self._table(X, reset=reset, holes=not trusted)
        rows = table if given is None or given.form.calendar is None else given.values
        if reset and np.isnan(rows).any():
            _check_gaps(rows)
        return rows, None if given is None else given.form

    def _table(self, X: Any, *, reset: bool, holes: bool = False) -> Floats:
        one_column = reset or self.n_features_in_ == 1
        rows = np.asarray(X, np.float64) if isinstance(X, (list, tuple)) else X
        if isinstance(rows, np.ndarray) and rows.ndim == 1 and one_column:
            rows = rows.reshape(-1, 1)
        rows = rows.to_frame() if hasattr(rows, "to_frame") else rows
        table: Floats = validated(
            self,
            rows,
            reset=reset,
            ensure_min_samples=3 if reset else 1,
            ensure_all_finite="allow-nan" if holes else True,
        )
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
            "rows": int(self._rows_seen),
            "climate": self.climate_.plain() if hasattr(self, "climate_") else None,
        }, {
            **tensors,
            **arrays,
            **self._present.tensors(),
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
        loop, state, last = self.closed_loop_, self.state_, self.last_
        self._present = Present.from_tensors(tensors, loop, state, last, self.washout_)
        self._rows_seen = whole("rows", values.get("rows", 0), 0)
        if values.get("climate") is not None:
            self.climate_ = LearnedClimate.from_plain(values["climate"])
        form = values.get("form")
        self._form = None if form is None else SeriesForm.from_plain(form)

    def _exogenous(self, exogenous: Any, rows: int, index: Any, name: str = "exogenous") -> Floats:
        """Exogenous columns with those of fit, in units of their deviations."""
        scaler = self.exogenous_scaler_
        # A model that was loaded knows no names
        names = getattr(self, "_exogenous_names", None)
        table, _ = exogenous_columns(
            exogenous, rows, len(scaler.mean), names, index, _numbers, name
        )
        return scaler.forward(table)

    def _coming(self, rows: int) -> Any:
        """The index of the next rows."""
        return None if self._form is None else self._form.coming(rows)


def _longest(choice: ForecastChoice) -> FeatureMap:
    """Of all networks that were tried, the one with the longest washout."""
    maps = [one.trial.feature_map for one in choice.finalists]
    return max(maps, key=lambda one: one.washout)


def _check_gaps(rows: Floats) -> None:
    """Whether enough of each column was measured."""
    seen = np.isfinite(rows).sum(axis=0)
    if (seen < LEAST_MEASURED * len(rows)).any():
        column = int(np.argmin(seen))
        raise BadInput(
            f"X must be measured in at least {LEAST_MEASURED:.0%} of the rows of each column, got "
            f"{seen[column]} of {len(rows)} in column {column}; drop this column, or the stretches "
            "without it"
        )


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
