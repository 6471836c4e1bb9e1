"""What a classifier has learned from, cases or steps, the readout for it, and the probabilities
that its outputs stand for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from .._running import limit_threads
from .._validation import Floats
from ..readout import Moments, Sample, factor, leave_one_out
from ..readout.cases import CaseReadout
from .solution import THREADS_PAY, Solution

# At the one all classes are nearly as likely, at the other the largest output is nearly certain
BLUNTEST, SHARPEST = np.log(1e-2), np.log(1e3)


def probabilities(outputs: Floats, sharpness: float) -> Floats:
    """softmax(sharpness · outputs) of the rows (n, classes)."""
    return np.asarray(softmax(sharpness * outputs, axis=1))


def fit_sharpness(outputs: Floats, indicators: Floats) -> float:
    """The sharpness with the largest likelihood on outputs of rows that were left out.

    The targets are drawn towards each other as if one more case had come out wrong, so that no
    number of cases makes certain [PLA99]. On these rows the Brier score is never worse than that of
    the softmax of the outputs as they are: where it would be, the sharpness is one.
    """
    finite = np.isfinite(outputs).all(axis=1)
    count = max(int(finite.sum()), 1)
    doubt = 1.0 / (count + 1.0)
    targets = (1.0 - doubt) * indicators[finite] + doubt / indicators.shape[1]

    def loss(logarithm: float) -> float:
        return -float((targets * log_softmax(np.exp(logarithm) * outputs[finite], axis=1)).sum())

    def brier(sharpness: float) -> float:
        errors = probabilities(outputs[finite], sharpness) - indicators[finite]
        return float(np.square(errors).sum())

    found = minimize_scalar(loss, bounds=(BLUNTEST, SHARPEST), method="bounded")
    return min(float(np.exp(found.x)), 1.0, key=brier)


@dataclass(frozen=True, eq=False)
class LabelledCases:
    """Cases by their features, and the readout of them once it is needed.

    units: of all networks, 0 where nobody set them; they decide the threads.
    """

    readout: CaseReadout
    penalty: float | str
    units: int

    def taking(self, features: Floats, targets: Floats) -> LabelledCases:
        """With more cases."""
        return replace(self, readout=self.readout.taking(features, targets))

    @cached_property
    def solution(self) -> Solution:
        """The readout of all cases so far."""
        with limit_threads(self.units, THREADS_PAY):
            found = self.readout.fit(None if self.penalty == "loo" else float(self.penalty))
            sharpness = fit_sharpness(found.outputs, found.targets)
        return Solution(found.weights, found.penalty, found.error, sharpness=sharpness)


@dataclass(frozen=True, eq=False)
class LabelledSteps:
    """The sums of labelled steps, and the readout of them once it is needed."""

    moments: Moments
    sample: Sample
    penalty: float | str
    units: int

    def joined(self, moments: Moments, sample: Sample) -> LabelledSteps:
        """With the sums of more steps, of the same kind."""
        both: Any = (self.moments, moments)
        return replace(self, moments=both[0] + both[1], sample=self.sample.joined(sample))

    @cached_property
    def solution(self) -> Solution:
        """The readout of all steps so far."""
        with limit_threads(self.units, THREADS_PAY):
            found = Solution.of(self.moments, self.sample, self.penalty)
            assert found.penalty is not None
            root, targets = factor(self.moments, found.penalty), self.sample.targets
            outputs = targets - leave_one_out(root, self.sample.states, targets)
            return replace(found, sharpness=fit_sharpness(outputs, targets))
