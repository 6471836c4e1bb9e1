"""What a classifier has learned from, cases or steps, and the readout for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from .._running import limit_threads
from .._validation import Floats
from ..readout import Gram, Sample, factor, leave_one_out
from ..readout.cases import CaseReadout
from .probability import fit_sharpness
from .solution import THREADS_PAY, Solution


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

    gram: Gram
    sample: Sample
    penalty: float | str
    units: int

    def joined(self, gram: Gram, sample: Sample) -> LabelledSteps:
        """With the sums of more steps."""
        return replace(self, gram=self.gram + gram, sample=self.sample.joined(sample))

    @cached_property
    def solution(self) -> Solution:
        """The readout of all steps so far."""
        with limit_threads(self.units, THREADS_PAY):
            found = Solution.of(self.gram, self.sample, self.penalty)
            assert found.penalty is not None
            root, targets = factor(self.gram, found.penalty), self.sample.targets
            outputs = targets - leave_one_out(root, self.sample.states, targets)
            return replace(found, sharpness=fit_sharpness(outputs, targets))
