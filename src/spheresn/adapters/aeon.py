"""The classifier as an estimator of aeon, for its pipelines, ensembles and benchmarks.

`pip install aeon` first; nothing else of this library needs it. aeon's own checks
(`aeon.testing.estimator_checking.check_estimator`) pass.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from aeon.classification.base import BaseClassifier

from ..estimators import ESNClassifier


class AeonESNClassifier(BaseClassifier):  # type: ignore[misc]
    """`ESNClassifier` of whole series for aeon.

    X: (cases, channels, time), or a list of arrays (channels, time) of any lengths. The parameters
    are those of ESNClassifier with the same names; all others have its defaults.
    """

    _tags: ClassVar[dict[str, Any]] = {
        "capability:multivariate": True,
        "capability:unequal_length": True,
        "capability:multithreading": True,
        "algorithm_type": "convolution",
        "X_inner_type": ["np-list", "numpy3D"],
        "python_dependencies": "spheresn",
    }

    def __init__(
        self,
        units: int | str = "auto",
        memory: float | str = "auto",
        bend: float | str = "auto",
        penalty: float | str = "loo",
        random_state: Any = None,
        n_jobs: int = 1,
    ) -> None:
        self.units = units
        self.memory = memory
        self.bend = bend
        self.penalty = penalty
        self.random_state = random_state
        self.n_jobs = n_jobs
        super().__init__()

    def _fit(self, X: Any, y: Any) -> Self:
        self.model_ = ESNClassifier(
            self.units,
            memory=self.memory,
            bend=self.bend,
            penalty=self.penalty,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            time_axis=1,
        ).fit(X, y)
        return self

    def _predict(self, X: Any) -> Any:
        return self.model_.predict(X)

    def _predict_proba(self, X: Any) -> Any:
        return np.asarray(self.model_.predict_proba(X))

    @classmethod
    def _get_test_params(cls, parameter_set: str = "default") -> dict[str, Any]:
        return {"units": 30}
