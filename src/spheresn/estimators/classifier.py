"""A classifier of whole series, or of every step of a series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .. import _validation
from .._errors import BadInput
from .._plain import Parts, Saved, Tensors, Values, classes_from, classes_parts
from .._running import all_or_nothing
from .._validation import Floats, real
from ..compose import Driven
from ..readout import Triangle, Weights
from ..selection.plan import Plan, plan_of
from .base import seed_of, with_limited_threads
from .cases import as_cases, is_cases
from .ensemble import ensemble_parts, with_length
from .features import FeatureMap, feature_map_from, feature_map_parts
from .labelled import LabelledCases, LabelledSteps, probabilities
from .scoring import judged, judged_weights, share_right
from .solution import Final, Solution, Solved
from .validation import as_series, is_list, refuse_wide, validated
from .whole_series import WholeSeries

Learned = LabelledCases | LabelledSteps | Final

STEP_UNITS = 500  # where nobody sets them


@dataclass(eq=False, repr=False)
class ESNClassifier(ClassifierMixin, WholeSeries):  # type: ignore[misc]
    """Echo state networks with a ridge readout on indicators of the classes.

    The class with the largest output wins.

    *Whole series*: X is a list of arrays (time, channels) of any lengths or of data frames, an
    array (cases, channels, time) as aeon and sktime have it, or a data frame with an index of case
    and time; y has one label per series. Missing values (NaN) are guessed from those beside them;
    rows without any at either end are cut off. Frames with dates, or with times as index, are
    brought to the step that most of them have in fit. Several networks follow each series, at
    strides of 1, 3, 9, ... rows, and take its values, its changes over a stride and the changes of
    these as inputs. They share the `units`. A series is described by how often each unit leads or
    trails the units beside it. Where series differ in size, half of the networks take them in their
    own deviations. time_axis: 0 or 1, the axis of time within one case; needed only where a case
    has more channels than steps.

    *Steps*: X is one table (T, d) with one label per row, or a list of tables with a list of
    labels each. Each step is classified by the state of one network.

    units: in all; "auto" means 2,000 for whole series and 500 for steps. memory: one that is given
    holds for all networks, and their stride is one. features, components and reservoir concern
    steps only.
    n_jobs: networks that follow series in parallel (joblib). The other parameters are those of
    ESNRegressor without readout.

    Learned: classes_, penalty_, loo_error_; for whole series ensemble_, typical_length_ (above 0
    where the length says something of the class), sampling_step_ (0 without times), and memory_ (in
    steps of the series), lyapunov_ and bend_ of each network; for steps the attributes of
    ESNRegressor.

    >>> rng = np.random.default_rng(0)
    >>> slow, fast = (
    ...     [np.sin(w * np.arange(80.0) + rng.uniform(0, 6))[:, None] for _ in range(20)]
    ...     for w in (0.2, 0.3)
    ... )
    >>> model = ESNClassifier(units=100, random_state=0)
    >>> model = model.fit(slow[:15] + fast[:15], [0] * 15 + [1] * 15)
    >>> model.score(slow[15:] + fast[15:], [0] * 5 + [1] * 5)
    1.0
    """

    _saved = Saved("whole_series_", ("bias_ratio_", "loo_error_", "sharpness_"))
    # Its numbers of each network are among the parts
    _saved_series: ClassVar[Saved] = Saved(
        "whole_series_",
        ("bias_ratio_", "loo_error_", "sharpness_", "typical_length_", "sampling_step_"),
        needed=("penalty_", "n_features_in_"),
        since=2,
    )

    weights_ = Solved[Weights](lambda fit: fit.solution.weights)
    penalty_ = Solved[float](lambda fit: fit.solution.penalty)
    loo_error_ = Solved[float](lambda fit: fit.solution.loo_error)
    sharpness_ = Solved[float](lambda fit: fit.solution.sharpness)

    reservoir: Any = None

    @all_or_nothing
    @with_limited_threads
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the networks, let them follow the series, solve for the readout."""
        self.__dict__.pop("_learned", None)  # that of an earlier fit
        self._take(X, y, None)
        _ = self._learned.solution  # what fails, fails in the fit
        return self

    @all_or_nothing
    @with_limited_threads
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from a batch of whole series, or from a batch of series with a label per step.

        The first batch chooses the networks; `classes` must name all classes then, unless the first
        batch has them all. The readout is that of one fit to all batches. It is computed when a
        method needs it.
        """
        if isinstance(vars(self).get("_learned"), Final):
            raise BadInput(
                "partial_fit must continue with what it has learned, got a model loaded from a "
                "file, which keeps the readout only; fit it again"
            )
        self._take(X, y, classes)
        return self

    def _take(self, X: Any, y: Any, classes: Any) -> None:
        """Learn from a batch, the first one where nothing was learned before."""
        first, cases = "_learned" not in vars(self), is_cases(X, y)
        if first:
            self.whole_series_ = cases
        if cases != self.whole_series_:
            raise BadInput(
                "y must have one label per series in all batches, or one per step in all of them, "
                "got both; fit two classifiers"
            )
        if cases:
            series = as_cases(self, X, self.time_axis, reset=first)
            labels = [self._case_labels(y, len(series))]
        else:
            series, labels = self._checked_steps(X, y, reset=first)
        found = np.concatenate(labels)
        if first:
            self.classes_ = _classes(found if classes is None else np.asarray(classes))
        unknown = np.setdiff1d(found, self.classes_)
        if len(unknown):
            raise BadInput(
                f"y must have the classes of the first batch, got {unknown.tolist()[0]!r} too; "
                "name all classes in the first call, partial_fit(X, y, classes=...)"
            )
        targets = [self._indicators(one) for one in labels]
        if first:
            self._learned: Learned = self._begun(series, targets)
        else:
            self._learned = replace(self._taken(series, targets), penalty=self.penalty)

    def decision_function(self, X: Any) -> Any:
        """Outputs per series (n, classes), or per step (T, classes), a list for several series.

        For two classes there is one number instead of two, the difference of the outputs.
        """
        return _each(self._narrow, self._outputs(X))

    def predict(self, X: Any) -> Any:
        """The class of each series, or of each step (a list for several series)."""
        return _each(lambda one: self.classes_[one.argmax(axis=1)], self._outputs(X))

    def predict_proba(self, X: Any) -> Any:
        """Probabilities (n, classes) of the classes, or (T, classes) for steps.

        They are the softmax of the outputs times `sharpness_`, which has the largest likelihood on
        training cases that were left out one at a time.
        """
        outputs = self._outputs(X)
        return _each(lambda one: probabilities(one, self.sharpness_), outputs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of series, or of steps, that are classified correctly.

        For steps, the first `washout_` rows of each series (at most a quarter of it) are left out
        with their weights, because their past is not known.
        """
        predicted = self.predict(X)
        if self.whole_series_:
            return share_right(predicted, y, sample_weight)
        parts, labels = (predicted, y) if isinstance(predicted, list) else ([predicted], [y])
        weights = judged_weights(sample_weight, parts, self.washout_)
        found, wanted = (
            judged([np.asarray(one) for one in group], self.washout_) for group in (parts, labels)
        )
        return float(np.average(found == wanted, weights=weights))

    def _outputs(self, X: Any) -> Any:
        """Outputs (n, classes) of whole series, (T, classes) of steps, or a list of the latter."""
        check_is_fitted(self, "classes_")
        if self.whole_series_:
            return self._case_outputs(X)
        outputs = [
            self.frame_.read(rows, self.weights_, limits=(0.0, 1.0))
            for rows in as_series(self, X, reset=False)
        ]
        return outputs if is_list(X) else outputs[0]

    def _narrow(self, outputs: Floats) -> Floats:
        return outputs[:, 1] - outputs[:, 0] if len(self.classes_) == 2 else outputs

    def _begun(self, series: list[Floats], targets: list[Floats]) -> LabelledCases | LabelledSteps:
        """What is learned from the first batch, which chooses the networks."""
        size = self.units if isinstance(self.units, Integral) else 0
        if self.whole_series_:
            if self.reservoir is not None:
                raise BadInput(
                    "reservoir must be left out for whole series, got a "
                    f"{type(self.reservoir).__name__}; several networks of their own follow them"
                )
            self._begin_cases(series)
            self.typical_length_, readout = self._choose_length(series, targets[0])
            return LabelledCases(readout, self.penalty, size)
        network = self._choose_network(series, targets)
        self.frame_: FeatureMap = network.feature_map
        self._remember(network.chosen, self.frame_.reservoir, self.frame_.washout)
        learned = self._accumulate(self.frame_, series, targets, precise=network.precise)
        return LabelledSteps(*learned, self.penalty, size)

    def _taken(self, series: list[Floats], targets: list[Floats]) -> LabelledCases | LabelledSteps:
        """What is learned from all batches when another one has come."""
        learned = self._learned
        if isinstance(learned, LabelledSteps):
            precise = isinstance(learned.moments, Triangle)
            return learned.joined(*self._accumulate(self.frame_, series, targets, precise=precise))
        assert isinstance(learned, LabelledCases)
        for place, features in self._described(series):
            scaled = with_length(series[place], features, self.typical_length_)
            learned = learned.taking(scaled, targets[0][place])
        return learned

    def _plan(self) -> Plan:
        """The plan of the network that classifies steps."""
        self._check_readout()
        units = STEP_UNITS if self.units == "auto" else self.units
        return plan_of(self, seed_of(self.random_state), units)

    def _fitted(self) -> Learned:
        return self._learned

    @property
    def _networks(self) -> Sequence[Driven]:
        return super()._networks if self.whole_series_ else [self.reservoir_]

    def _what_is_saved(self) -> Saved:
        return self._saved_series if self.whole_series_ else self._saved

    def _to_parts(self) -> Parts:
        if self.whole_series_:
            values, tensors = ensemble_parts(self.ensemble_, self.weights_)
            values["washout"] = int(self.washout_)
        else:
            values, tensors = feature_map_parts(self.frame_, self.weights_)
        return {**classes_parts(self.classes_), **values}, tensors

    def _from_parts(self, found: Values, values: Values, tensors: Tensors) -> None:
        if self.whole_series_:
            weights = self._cases_from(found, values, tensors)
        else:
            self.frame_, weights = feature_map_from(values, tensors)
            self.reservoir_, self.washout_ = self.frame_.reservoir, self.frame_.washout
        self.classes_ = classes_from(values, len(weights.intercept))
        # A file of version 0.1 has no sharpness
        sharpness = real("sharpness_", found.pop("sharpness_", 1.0), 0.0)
        penalty, error = found.pop("penalty_"), found.pop("loo_error_", None)
        self._learned = Final(Solution(weights, penalty, error, sharpness=sharpness))
        self.__dict__.update(found)

    def _case_labels(self, y: Any, count: int) -> Any:
        if y is None or len(y) != count:
            raise BadInput(
                f"y must have one entry per series, {count}, got another number; pass a "
                "list as long as X"
            )
        labels = column_or_1d(np.asarray(y))
        missing = [label is None or label != label for label in labels.tolist()]
        if any(missing):
            at = missing.index(True)
            raise BadInput(
                f"y must have a label for every series, got {labels[at]!r} at {at}; leave such "
                "series out"
            )
        # Numbers of which no two are the same are measurements
        if labels.dtype.kind == "f" and len(np.unique(labels)) == len(labels):
            check_classification_targets(labels)
        return labels

    def _checked_steps(self, X: Any, y: Any, *, reset: bool) -> tuple[list[Floats], list[Any]]:
        if not is_list(X):
            rows, labels = validated(self, X, y, reset=reset, ensure_min_samples=1 + reset)
            refuse_wide(rows)
            check_classification_targets(labels)
            return [rows], [labels]
        series = as_series(self, X, reset=reset)
        if y is None or len(y) != len(series):
            raise BadInput(
                f"y must have one entry per series, {len(series)}, got another number; pass a "
                "list as long as X"
            )
        labels = [np.asarray(one) for one in y]
        for i, (one, rows) in enumerate(zip(labels, series, strict=True)):
            _validation.same_length(f"y[{i}]", one, f"X[{i}]", rows)
        return series, labels

    def _indicators(self, labels: Any) -> Floats:
        """Rows of zeros with a one for the class."""
        return np.asarray(np.asarray(labels)[:, None] == self.classes_[None, :], dtype=np.float64)


def _each(function: Any, outputs: Any) -> Any:
    return [function(one) for one in outputs] if isinstance(outputs, list) else function(outputs)


def _classes(labels: Any) -> Any:
    try:
        classes = np.unique(labels)
    except TypeError:  # None beside text, say
        kinds = ", ".join(sorted({type(one).__name__ for one in labels}))
        raise BadInput(
            f"y must have labels of one kind, got {kinds}; convert or drop some"
        ) from None
    if classes.dtype.kind == "f" and np.isnan(classes).any():
        raise BadInput("y must have a label everywhere, got nan; drop what has none")
    if len(classes) < 2:
        raise BadInput(
            f"y must have at least two classes, got one class, {classes.tolist()[0]!r}; pass "
            "series of another class too"
        )
    return classes
