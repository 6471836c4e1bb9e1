"""A classifier of whole series, or of every step of a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .. import _validation
from .._errors import BadInput
from .._numerics import power_of_two
from .._validation import Floats
from ..readout import Gram, Sample
from .accumulate import accumulate
from .base import BaseESN, with_limited_threads
from .features import Frame
from .validation import as_series, is_list, validated

STILL = 1e-6  # the deviation of a feature that does not vary


@dataclass(eq=False, repr=False)
class ESNClassifier(ClassifierMixin, BaseESN):  # type: ignore[misc]
    """Echo state network with a ridge readout on indicators of the classes.

    The class with the largest output wins. For a list of series X, each (T_i, d), with one label
    each, a series is described by the mean and the logarithm of the deviation of each unit. For one
    table X (T, d) with one label per row, or lists of both, each step is classified by its state.
    The parameters are those of ESNRegressor without readout. The learned attributes are the same
    too, and classes_.

    >>> rng = np.random.default_rng(0)
    >>> slow, fast = (
    ...     [np.sin(w * np.arange(80.0) + rng.uniform(0, 6))[:, None] for _ in range(20)]
    ...     for w in (0.2, 0.3)
    ... )
    >>> model = ESNClassifier(units=50, bend=0.5, memory=5, random_state=0)
    >>> model = model.fit(slow[:15] + fast[:15], [0] * 15 + [1] * 15)
    >>> model.score(slow[15:] + fast[15:], [0] * 5 + [1] * 5)
    1.0
    """

    n_jobs: int | None = None

    @with_limited_threads
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the network, drive it over the series, solve for the readout."""
        series, labels = self._checked(X, y)
        self.whole_series_ = is_list(X) and np.ndim(labels[0]) == 0
        self.classes_ = np.unique(np.concatenate([np.atleast_1d(one) for one in labels]))
        if len(self.classes_) < 2:
            raise BadInput(
                f"y must have at least two classes, got one class, {self.classes_[0]!r}; pass "
                "series of another class too"
            )
        targets = [
            self._indicators(one, len(rows)) for one, rows in zip(labels, series, strict=True)
        ]
        frame = self._choose_frame(series, targets)
        self.frame_, self.weights_ = frame, self._solve(*self._accumulate(frame, series, targets))
        self.reservoir_, self.washout_ = frame.reservoir, frame.washout
        return self

    def decision_function(self, X: Any) -> Any:
        """Outputs per series (n, classes), or per step (T, classes), a list for several series.

        For two classes there is one number instead of two, the difference of the outputs.
        """
        check_is_fitted(self)
        series = as_series(self, X, reset=False)
        if self.whole_series_:
            return self._narrow(
                np.vstack([self.weights_(self._summary(self.frame_, rows)) for rows in series])
            )
        outputs = [self._narrow(self.frame_.read(rows, self.weights_)) for rows in series]
        return outputs if is_list(X) else outputs[0]

    def predict(self, X: Any) -> Any:
        """The class of each series, or of each step (a list for several series)."""
        scores = self.decision_function(X)
        if isinstance(scores, list):
            return [self._class(one) for one in scores]
        return self._class(scores)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of series, or of steps, that are classified correctly."""
        predicted = self.predict(X)
        if isinstance(predicted, list):
            predicted, y = np.concatenate(predicted), np.concatenate([np.asarray(one) for one in y])
        return float(np.average(predicted == np.asarray(y), weights=sample_weight))

    def _class(self, scores: Floats) -> Any:
        return self.classes_[
            (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        ]

    def _narrow(self, outputs: Floats) -> Floats:
        return outputs[:, 1] - outputs[:, 0] if len(self.classes_) == 2 else outputs

    def _checked(self, X: Any, y: Any) -> tuple[list[Floats], list[Any]]:
        if not is_list(X):
            rows, labels = validated(self, X, y, ensure_min_samples=2)
            check_classification_targets(labels)
            return [rows], [labels]
        series = as_series(self, X, reset=True)
        if y is None or len(y) != len(series):
            raise BadInput(
                f"y must have one entry per series, {len(series)}, got another number; pass a "
                "list as long as X"
            )
        labels = list(y)
        if np.ndim(labels[0]) == 0:
            return series, list(column_or_1d(np.asarray(labels)))
        for i, (one, rows) in enumerate(zip(labels, series, strict=True)):
            _validation.same_length(f"y[{i}]", np.asarray(one), f"X[{i}]", rows)
        return series, [np.asarray(one) for one in labels]

    def _indicators(self, label: Any, length: int) -> Floats:
        """Rows of zeros with a one for the class; the label of a series holds for all its rows."""
        labels = np.broadcast_to(label, (length,)) if np.ndim(label) == 0 else label
        return np.asarray(np.asarray(labels)[:, None] == self.classes_[None, :], dtype=np.float64)

    def _summary(self, frame: Frame, rows: Floats) -> Floats:
        """Mean and log deviation of every feature, in units of about one.

        A feature that does not vary gets the deviation STILL.
        """
        washout = self._washout_of(frame, len(rows))
        _validation.at_least(
            "each series", len(rows), washout + 1, f"to leave one after a washout of {washout}"
        )
        states = frame.features(frame.states(rows)[washout:])
        if self.activation == "spherical":
            states = np.sqrt(frame.reservoir.units) * states
        unit = power_of_two(states)
        return np.concatenate(
            [
                unit * (states / unit).mean(axis=0),
                np.log(unit * (states / unit).std(axis=0) + STILL),
            ]
        )[None]

    def _accumulate(self, frame: Frame, series: Any, targets: Any) -> tuple[Gram, Sample]:
        """Gram matrix and sample of the summaries of whole series, or of every step."""
        if not self.whole_series_:
            return self._accumulate_steps(frame, series, targets)
        pieces = (
            (self._summary(frame, rows), one[:1]) for rows, one in zip(series, targets, strict=True)
        )
        return accumulate(pieces, 2 * frame.width, len(self.classes_))
