"""What a forecaster has learned from, kept so that it can go on learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._validation import Floats
from ..closed_loop import ClosedLoop
from ..readout import Sample, Weights
from .accumulate import Piece
from .features import FeatureMap
from .forecast_search import ForecastChoice, Setting, closed, half, solved_for
from .learning import Learned, TrainingData, learn, learn_on, whole
from .windows import Windows

WORSE = 0.05  # e-folds by which free runs may become worse


@dataclass(frozen=True, eq=False)
class Lessons:
    """The sums of all rows, from which the readout of a setting follows.

    taught: a readout that was learned in another way, from the innovations of a filter. Then the
    sums are those of what it leaves to be explained, which for the rows of the fit is nothing: they
    only say how sure it is.
    """

    feature_map: FeatureMap
    learned: Learned
    setting: Setting
    penalty: float | str
    taught: Weights | None = None

    @staticmethod
    def of_choice(choice: ForecastChoice, penalty: float | str) -> Lessons:
        """Those of least squares."""
        return Lessons(choice.trial.feature_map, choice.learned, choice.setting, penalty)

    @staticmethod
    def of_taught(
        choice: ForecastChoice,
        loop: ClosedLoop,
        data: Sequence[TrainingData],
        washouts: Sequence[int],
    ) -> Lessons:
        """Those of a readout that was learned from the innovations of these rows."""
        feature_map, outputs = choice.trial.feature_map, loop.outputs
        (learned,) = learn(feature_map, data, washouts, [whole(data)], noisy=False)
        rows = learned.rows.explained(outputs)
        sums = Learned(rows, None, Sample.empty(feature_map.width, outputs))
        setting = choice.setting._replace(carry=loop.carry, noise=0.0)
        return Lessons(feature_map, sums, setting, choice.penalty, loop.weights)

    def taking(self, data: TrainingData, washout: int, forgetting: float) -> Lessons:
        """With one more recording, of which older rows count less."""
        learned = learn_on(self.learned, self.feature_map, data, washout, forgetting, self._beyond)
        return replace(self, learned=learned)

    def checked(
        self,
        data: Sequence[TrainingData],
        before: ClosedLoop,
        limits: tuple[Floats, Floats],
        grid: Sequence[tuple[float, float]],
    ) -> Lessons:
        """The same, with a more robust setting where the readout of all rows runs worse over the
        newest ones than the one before it, which had not seen them.
        """
        windows = Windows.of(data)
        states = windows.states(self.feature_map.reservoir)
        least = windows.score(replace(before, low=limits[0], high=limits[1]), states).folds - WORSE

        def folds(lessons: Lessons) -> float:
            return windows.score(lessons.loop(limits)[0], states).folds

        if self.setting.share is None or folds(self) >= least:
            return self
        noisy = self.learned.response is not None
        others = [
            replace(self, setting=self.setting._replace(noise=noise, share=share))
            for noise, share in grid
            if noise == 0.0 or noisy
        ]
        return max([self, *others], key=folds)

    def loop(self, limits: tuple[Floats, Floats]) -> tuple[ClosedLoop, float]:
        """The closed loop that these rows give, and its penalty."""
        moments = self.learned.moments(self.setting.noise)
        share = self.setting.share
        weights, penalty = solved_for(moments, self.learned.sample, share, self.penalty)
        if self.taught is None:
            return closed(self.feature_map, weights, self.setting.carry, limits), penalty
        both = Weights(
            self.taught.matrix + weights.matrix, self.taught.intercept + weights.intercept
        )
        network, quadratic = self.feature_map.reservoir, self.feature_map.quadratic
        return ClosedLoop(network, both, self.setting.carry, quadratic, *limits), penalty

    def _beyond(self, piece: Piece) -> Piece:
        """What of a piece is to be learned."""
        if self.taught is None:
            return piece
        features, targets = piece
        own = targets[:, half(len(self.taught.intercept), self.setting.carry)]
        return features, np.asarray(own - self.taught(features))
