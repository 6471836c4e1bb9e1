"""A classifier of whole series, or of every step of a series."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .. import _validation
from .._atomic import all_or_nothing
from .._errors import BadInput
from .._validation import Floats
from ..readout import Gram, Sample, factor, leave_one_out
from ..readout.cases import CaseReadout
from ..selection.plan import Plan, plan_of
from .base import BaseESN, seed_of, with_limited_threads
from .cases import as_cases, is_cases, refuse_wide
from .ensemble import CLASSIFICATION, blocks, fit_ensemble, with_length
from .probability import fit_sharpness, probabilities
from .scoring import judged, judged_weights
from .validation import as_series, is_list, validated

CASE_UNITS, STEP_UNITS = 2000, 500  # where nobody sets them
RATIO = CLASSIFICATION["spherical"][0].bias_ratio
CHANGING = ("weights_", "penalty_", "loo_error_", "sharpness_")  # with every batch


@dataclass(eq=False, repr=False)
class ESNClassifier(ClassifierMixin, BaseESN):  # type: ignore[misc]
    """Echo state networks with a ridge readout on indicators of the classes.

    The class with the largest output wins.

    *Whole series*: X is a list of arrays (time, channels) of any lengths, an array (cases,
    channels, time) as aeon and sktime have it, or a data frame with an index of case and time; y
    has one label per series. Several networks follow each series, at strides of 1, 3, 9, ... rows,
    and hear its values, its changes over a stride and the changes of these. They share the
    `units`. A series is described by how often each unit leads or trails the units beside it. Where
    series differ in size, half of the networks hear them in their own deviations. time_axis: 0 or
    1, the axis of time within one case; needed only where a case has more channels than steps.

    *Steps*: X is one table (T, d) with one label per row, or a list of tables with a list of
    labels each. Each step is classified by the state of one network.

    units: in all; "auto" means 2,000 for whole series and 500 for steps. memory: one that is given
    holds for all networks, and their stride is one. features and components concern steps only.
    n_jobs: networks that follow series in parallel (joblib). The other parameters are those of
    ESNRegressor without readout.

    Learned: classes_, penalty_, loo_error_; for whole series ensemble_, typical_length_
    (above 0 where the length tells the class), and memory_ (in steps of the series), lyapunov_ and
    bend_ of each network; for steps the attributes of ESNRegressor.

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

    _late = CHANGING

    units: int | str = "auto"  # type: ignore[assignment]  # of two kinds of networks
    time_axis: int | None = None
    n_jobs: int | None = None

    @all_or_nothing
    @with_limited_threads
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the networks, let them follow the series, solve for the readout."""
        self._learned: CaseReadout | tuple[Gram, Sample] | None = None
        self.whole_series_ = is_cases(X, y)
        return self._take(X, y, None)._refresh()

    @all_or_nothing
    @with_limited_threads
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from a batch of whole series, or from a batch of series with a label per step.

        The first batch chooses the networks; `classes` must name all classes then, unless the first
        batch has them all. The readout is that of one fit to all batches. It is computed when a
        method needs it.
        """
        if getattr(self, "_learned", None) is None and hasattr(self, "weights_"):
            raise BadInput(
                "partial_fit must continue with what it has learned, got a model loaded from a "
                "file, which keeps the readout only; fit it again"
            )
        if not hasattr(self, "_learned"):
            self._learned = None
        if self._learned is None:
            self.whole_series_ = is_cases(X, y)
        return self._take(X, y, classes)

    def _take(self, X: Any, y: Any, classes: Any) -> Self:
        """Learn from a batch, the first one where nothing was learned before."""
        first, whole = self._learned is None, is_cases(X, y)
        if whole != self.whole_series_:
            raise BadInput(
                "y must have one label per series in all batches, or one per step in all of them, "
                "got both; fit two classifiers"
            )
        if whole:
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
        (self._take_cases if whole else self._take_steps)(
            series, [self._indicators(one) for one in labels]
        )
        self._outdate(CHANGING)
        return self

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

        Of steps, the first `washout_` of each series, but at most a quarter of it, are left out,
        and their weights: what they depend on is not known.
        """
        predicted = self.predict(X)
        if self.whole_series_:
            return float(np.average(predicted == np.asarray(y), weights=sample_weight))
        parts, labels = (predicted, y) if isinstance(predicted, list) else ([predicted], [y])
        weights = judged_weights(sample_weight, parts, self.washout_)
        found, wanted = (
            judged([np.asarray(one) for one in group], self.washout_) for group in (parts, labels)
        )
        return float(np.average(found == wanted, weights=weights))

    def _outputs(self, X: Any) -> Any:
        """Outputs (n, classes) of whole series, (T, classes) of steps, or a list of the latter."""
        check_is_fitted(self, "classes_")
        self._refresh()
        if self.whole_series_:
            cases = as_cases(self, X, self.time_axis, reset=False)
            return np.vstack(
                [
                    self.weights_(with_length(cases[place], features, self.typical_length_))
                    for place, features in self._described(cases)
                ]
            )
        outputs = [
            self.frame_.read(rows, self.weights_, limits=(0.0, 1.0))
            for rows in as_series(self, X, reset=False)
        ]
        return outputs if is_list(X) else outputs[0]

    def _narrow(self, outputs: Floats) -> Floats:
        return outputs[:, 1] - outputs[:, 0] if len(self.classes_) == 2 else outputs

    def _take_cases(self, cases: list[Floats], targets: list[Floats]) -> None:
        if self._learned is None:
            self._begin_cases(cases)
            self.typical_length_, self._learned = self._choose_length(cases, targets[0])
            return
        assert isinstance(self._learned, CaseReadout)
        for place, features in self._described(cases):
            told = with_length(cases[place], features, self.typical_length_)
            self._learned = self._learned.taking(told, targets[0][place])

    def _choose_length(self, cases: list[Floats], targets: Floats) -> tuple[float, CaseReadout]:
        """The median length where lengths differ and tell the class, otherwise 0; with what a
        readout needs of the cases.
        """
        lengths = [len(rows) for rows in cases]
        tried = [0.0] if min(lengths) == max(lengths) else [0.0, float(np.median(lengths))]
        learned = {
            typical: CaseReadout(self.ensemble_.width, len(self.classes_)) for typical in tried
        }
        for place, features in self._described(cases):
            for typical, readout in learned.items():
                told = with_length(cases[place], features, typical)
                learned[typical] = readout.taking(told, targets[place])
        if len(tried) == 1:
            return 0.0, learned[0.0]
        return min(learned.items(), key=lambda one: one[1].fit(self._penalty()).error)

    def _begin_cases(self, cases: list[Floats]) -> None:
        """The networks for these cases."""
        if self.features == "quadratic":
            raise BadInput(
                "features must be 'linear' for whole series, got 'quadratic'; what they tell is "
                "not linear in the states anyway"
            )
        self._check_readout()
        asked = CASE_UNITS if self.units == "auto" else self.units
        units = _validation.fitting("units", asked, 1, 10)  # each has several features
        self.washout_ = (
            0 if self.washout == "auto" else _validation.whole("washout", self.washout, 0)
        )
        seeds = np.random.SeedSequence(seed_of(self.random_state)).generate_state(units)
        given = self.spectral_radius is not None or self.input_scaling is not None
        self.ensemble_ = fit_ensemble(
            cases,
            lambda number, size: plan_of(self, int(seeds[number]), size),
            lambda plan: self._candidates(plan, CLASSIFICATION)[0],
            units,
            free=self.memory == "auto" and not given,
            divided=isinstance(self.topology, str),
        )
        networks = self.ensemble_.networks
        self.memory_ = np.array([one.memory for one in networks])
        self.lyapunov_ = np.array([one.exponent for one in networks])
        self.bend_ = np.array([one.bend for one in networks])
        self.bias_ratio_ = RATIO if self.bias_ratio == "auto" else float(self.bias_ratio)

    def _penalty(self) -> float | None:
        return None if self.penalty == "loo" else float(self.penalty)

    def _plan(self) -> Plan:
        """The plan of the network that classifies steps."""
        self._check_readout()
        units = STEP_UNITS if self.units == "auto" else self.units
        return plan_of(self, seed_of(self.random_state), units)

    def _take_steps(self, series: list[Floats], targets: list[Floats]) -> None:
        if self._learned is None:
            self.frame_ = self._choose_frame(series, targets)
            self.reservoir_, self.washout_ = self.frame_.reservoir, self.frame_.washout
            self._learned = self._accumulate(self.frame_, series, targets)
            return
        assert isinstance(self._learned, tuple)
        gram, sample = self._accumulate(self.frame_, series, targets)
        self._learned = self._learned[0] + gram, self._learned[1].joined(sample)

    def _described(self, cases: list[Floats]) -> Iterator[tuple[slice, Floats]]:
        """The features of the cases, a block of them at a time."""
        shortest = min(len(rows) for rows in cases)
        _validation.at_least(
            "each series",
            shortest,
            self.washout_ + 1,
            f"to leave one after a washout of {self.washout_}",
        )
        for place in blocks(cases):
            yield place, self.ensemble_.features(cases[place], self.washout_, self.n_jobs)

    def _refresh(self) -> Self:
        """Solve for the readout if something was learned since the last time."""
        return self._learn() if self._stale else self

    @all_or_nothing
    @with_limited_threads
    def _learn(self) -> Self:
        if isinstance(self._learned, CaseReadout):
            fitted = self._learned.fit(self._penalty())
            self.weights_, self.penalty_ = fitted.weights, fitted.penalty
            self.loo_error_, outputs, targets = fitted.error, fitted.outputs, fitted.targets
        else:
            assert self._learned is not None
            gram, sample = self._learned
            self.weights_ = self._solve(gram, sample)
            errors = leave_one_out(factor(gram, self.penalty_), sample.states, sample.targets)
            outputs, targets = sample.targets - errors, sample.targets
        self.sharpness_ = fit_sharpness(outputs, targets)
        self._stale = False
        return self

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
