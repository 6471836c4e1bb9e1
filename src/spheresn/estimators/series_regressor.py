"""A regressor of one number, or a few, from a whole series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from .. import _validation
from .._numerics import power_of_two
from .._plain import Parts, Saved, Tensors, Values
from .._running import all_or_nothing
from ..readout import Weights
from .base import with_limited_threads
from .cases import as_cases
from .ensemble import ensemble_parts
from .solution import Final, Solution, Solved
from .whole_series import WholeSeries


@dataclass(eq=False, repr=False)
class ESNSeriesRegressor(RegressorMixin, WholeSeries):  # type: ignore[misc]
    """A number, or several, for each whole series: the networks of `ESNClassifier`, a ridge
    readout.

    X has the forms of whole series of `ESNClassifier`; y is (n,) or (n, m), with one row per
    series. The readout is a ridge regression of the shares of time that units lead and trail; the
    penalty has the least leave-one-out error.

    Learned: penalty_, loo_error_ (in deviations of y), weights_, ensemble_, typical_length_,
    sampling_step_, memory_, lyapunov_ and bend_, as for the classifier.

    >>> rng = np.random.default_rng(0)
    >>> speeds = rng.uniform(0.2, 0.6, 60)
    >>> waves = [np.sin(w * np.arange(80.0) + rng.uniform(0, 6))[:, None] for w in speeds]
    >>> model = ESNSeriesRegressor(units=100, random_state=0).fit(waves[:40], speeds[:40])
    >>> bool(model.score(waves[40:], speeds[40:]) > 0.8)
    True
    """

    _saved = Saved(
        "_one_output",
        ("bias_ratio_", "loo_error_", "typical_length_", "sampling_step_"),
        needed=("penalty_", "n_features_in_"),
    )

    weights_ = Solved[Weights](lambda fit: fit.solution.weights)
    penalty_ = Solved[float](lambda fit: fit.solution.penalty)
    loo_error_ = Solved[float](lambda fit: fit.solution.loo_error)

    @all_or_nothing
    @with_limited_threads
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the networks, let them follow the series, solve for the readout."""
        self.__dict__.pop("_learned", None)  # that of an earlier fit
        cases = as_cases(self, X, self.time_axis, reset=True)
        targets = _validation.table("y", np.asarray(y))
        _validation.same_length("y", targets, "X", cases)  # type: ignore[arg-type]
        _validation.at_least("y", len(targets), 2, "to learn from")
        self._one_output = np.ndim(y) == 1
        unit = power_of_two(targets)  # so that their squares are numbers; no digit changes
        self._begin_cases(cases)
        self.typical_length_, readout = self._choose_length(cases, targets / unit)
        found = readout.fit(None if self.penalty == "loo" else float(self.penalty))
        solution = Solution(found.weights.times(unit), found.penalty, found.error)
        self._learned = Final(solution)
        return self

    def predict(self, X: Any) -> Any:
        """The numbers (n,) or (n, m) of the series."""
        outputs = self._case_outputs(X)
        return outputs[:, 0] if self._one_output else outputs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _fitted(self) -> Final:
        return self._learned

    def _to_parts(self) -> Parts:
        values, tensors = ensemble_parts(self.ensemble_, self.weights_)
        return {**values, "washout": int(self.washout_)}, tensors

    def _from_parts(self, found: Values, values: Values, tensors: Tensors) -> None:
        weights = self._cases_from(found, values, tensors)
        if self._one_output and len(weights.intercept) != 1:
            raise ValueError("the readout has more outputs than one")
        penalty, error = found.pop("penalty_"), found.pop("loo_error_", None)
        self._learned = Final(Solution(weights, penalty, error))
        self.__dict__.update(found)
