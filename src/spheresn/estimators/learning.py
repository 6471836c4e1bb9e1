"""What the readout of a forecaster is learned from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats
from ..readout import Sample, Triangle
from ..readout.triangle import GrowingTriangle
from ..series.gaps import LEAST_USED, learnable
from .accumulate import Piece
from .features import FeatureMap

NOISE_PROBE = 1e-6  # deviations of the noise by which the response to noise is measured
# Rows from which the scatter of the response is estimated: times the features, and at least
RESPONSES_PER_FEATURE, LEAST_RESPONSES = 2, 1000


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Inputs and targets of a forecaster, all standardised: inputs[k] = (s_k, e_{k+1}) -> s_{k+1}.

    s is the series, e the exogenous columns. `targets` (T - 1, 2d) hold the steps s_{k+1} - s_k and
    the values s_{k+1} themselves. Which of the two is better to learn depends on the series: steps
    on flows, values on regular waves, where summing steps drifts. `noise` (T - 1, d) is white, of
    deviation one; learning adds it to s_k in any strength. `measured` (T, d) is the series with NaN
    where it was guessed, or None if it is complete.
    """

    series: Floats
    inputs: Floats
    targets: Floats
    noise: Floats
    measured: Floats | None = None

    @staticmethod
    def of(
        series: Floats,
        exogenous: Floats,
        rng: np.random.Generator,
        measured: Floats | None = None,
    ) -> TrainingData:
        """From the standardised series (T, d) and the exogenous columns (T, e)."""
        before, after = series[:-1], series[1:]
        inputs, targets = np.hstack([before, exogenous[1:]]), np.hstack([after - before, after])
        noise = rng.standard_normal(before.shape)
        return TrainingData(series, inputs, targets, noise, measured)

    @property
    def exogenous(self) -> Floats:
        """The exogenous columns at the time of each target (T - 1, e)."""
        return self.inputs[:, self.series.shape[1] :]

    @property
    def noisy_inputs(self) -> Floats:
        """The inputs with a trace of noise."""
        beside = np.zeros_like(self.exogenous)
        return np.asarray(self.inputs + NOISE_PROBE * np.hstack([self.noise, beside]))

    @property
    def noisy_targets(self) -> Floats:
        """The targets as seen from the noisy inputs: the step begins at the noisy value."""
        return self.targets - NOISE_PROBE * np.hstack([self.noise, np.zeros_like(self.noise)])

    def first(self, rows: int) -> TrainingData:
        """The first rows."""
        return self._part(slice(None, rows + 1), slice(None, rows))

    def last(self, rows: int) -> TrainingData:
        """The last rows."""
        return self._part(slice(-rows - 1, None), slice(-rows, None))

    def usable(self, memory: int) -> NDArray[np.bool_] | None:
        """The inputs (T - 1,) to learn from: none within `memory` rows after a long gap.

        None if all are, and also if less than half would be left.
        """
        if self.measured is None:
            return None
        known = learnable(self.measured)
        lost = np.convolve(~known, np.ones(memory + 2))[: len(known)] > 0.0
        return ~lost[1:] if (~lost).mean() >= LEAST_USED else known[1:] & known[:-1]

    def outside_gaps(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """These rows, those in a long gap moved back to the last row before it."""
        if self.measured is None:
            return rows
        places = np.where(learnable(self.measured), np.arange(len(self.series)), 0)
        return np.asarray(np.maximum(np.maximum.accumulate(places)[rows], 1))

    def _part(self, values: slice, steps: slice) -> TrainingData:
        measured = None if self.measured is None else self.measured[values]
        return TrainingData(
            self.series[values],
            self.inputs[steps],
            self.targets[steps],
            self.noise[steps],
            measured,
        )


@dataclass(frozen=True, eq=False)
class Learned:
    """Features and targets of some rows as a triangle, from which a readout follows for any noise.

    Noise of deviation ε in the input moves features and targets by ε times their `response`. To
    first order, and averaged over the noise, learning from noisy rows adds ε² times the scatter of
    the response to that of the rows [BIS95, WIK24]. So nothing has to be drawn or learned again for
    another ε, and no chance is left in the readout.
    """

    rows: Triangle
    response: Triangle | None
    sample: Sample

    def moments(self, noise: float) -> Triangle:
        """What rows with noise of this deviation would give."""
        return self.rows if self.response is None else self.rows.with_scatter(self.response, noise)


def learn(
    feature_map: FeatureMap, data: TrainingData, washout: int, stops: Sequence[int], noisy: bool
) -> list[Learned]:
    """What the rows before each of `stops` give, in one pass over them.

    The first `washout` rows are left out. `noisy`: whether the response to noise is measured too.
    """
    width, outputs = feature_map.width, data.targets.shape[1]
    rows, response = (GrowingTriangle.empty(width, outputs) for _ in range(2))
    sample = Sample.empty(width, outputs)
    stride = max((stops[0] - washout) // max(RESPONSES_PER_FEATURE * width, LEAST_RESPONSES), 1)
    scale = np.sqrt(stride) / NOISE_PROBE
    found: list[Learned] = []
    usable = data.usable(washout)
    seen = 0
    for last, clean, moved in _blocks(feature_map, data, stops, noisy):
        skip = max(washout - seen, 0)
        features, targets = feature_map.features(clean[0][skip:]), clean[1][skip:]
        used = slice(None) if usable is None else usable[seen + skip : seen + len(clean[0])]
        rows.take(features[used], targets[used])
        sample = sample.taking(features[used], targets[used])
        if moved is not None:
            kept = slice(-(seen + skip) % stride, None, stride)
            response.take(
                scale * (feature_map.features(moved[0][skip:]) - features)[kept],
                scale * (moved[1][skip:] - targets)[kept],
            )
        seen += len(clean[0])
        if last:
            found.append(Learned(rows.moments, response.moments if noisy else None, sample))
    return found


def _blocks(
    feature_map: FeatureMap, data: TrainingData, stops: Sequence[int], noisy: bool
) -> Iterator[tuple[bool, Piece, Piece | None]]:
    """States and targets, clean and with a trace of noise; whether a block ends at a stop."""
    tables = [(data.inputs, data.targets)]
    if noisy:
        tables.append((data.noisy_inputs, data.noisy_targets))
    states: list[Floats | None] = [None] * len(tables)
    for first, stop in pairwise([0, *stops]):
        parts = [
            feature_map.pieces(inputs[first:stop], targets[first:stop], state)
            for (inputs, targets), state in zip(tables, states, strict=True)
        ]
        seen = first
        for pieces in zip(*parts, strict=True):
            seen += len(pieces[0][0])
            yield seen == stop, pieces[0], pieces[1] if noisy else None
        states = [piece[0][-1].copy() for piece in pieces]
