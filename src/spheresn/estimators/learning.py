"""What the readout of a forecaster is learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats
from ..readout import Sample, Triangle
from ..readout.triangle import GrowingTriangle
from ..series.gaps import LEAST_USED, learnable
from ..series.recordings import shares
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

    @property
    def seen(self) -> NDArray[np.bool_]:
        """The cells (T, d) that were measured."""
        known = self.series if self.measured is None else self.measured
        return np.asarray(np.isfinite(known))

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

    def joined(self, other: Learned) -> Learned:
        """What the rows of both give."""
        response = self.response
        if response is not None and other.response is not None:
            response = response + other.response
        return Learned(self.rows + other.rows, response, self.sample.joined(other.sample))


class Stretch(NamedTuple):
    """Inputs `first` up to `stop` of one recording."""

    recording: int
    first: int
    stop: int


def whole(data: Sequence[TrainingData]) -> list[Stretch]:
    """All inputs of all recordings."""
    return [Stretch(i, 0, len(one.inputs)) for i, one in enumerate(data)]


def first_inputs(data: Sequence[TrainingData], rows: int) -> Floats:
    """The first inputs of recordings that stand for all, one after the other; of one recording, all
    of them.
    """
    if len(data) == 1:
        return data[0].inputs
    found = shares([len(one.inputs) for one in data], rows)
    return np.vstack([data[i].inputs[:count] for i, count in found])


def learn(
    feature_map: FeatureMap,
    data: Sequence[TrainingData],
    washouts: Sequence[int],
    stages: Sequence[Sequence[Stretch]],
    *,
    noisy: bool,
    apart: bool = False,
) -> list[Learned]:
    """What each stage and those before it give, in one pass; or what each gives `apart`.

    Each recording has its own start, and its first rows, as many as its washout, are left out.
    `noisy`: whether the response to noise is measured too.
    """
    taken = [stretch for stage in (stages if apart else stages[:1]) for stretch in stage]
    rows = sum(one.stop - max(one.first, washouts[one.recording]) for one in taken)
    stride = max(rows // max(RESPONSES_PER_FEATURE * feature_map.width, LEAST_RESPONSES), 1)
    sums, found = _Sums(feature_map, data, washouts, stride, noisy), []
    for stage in stages:
        for stretch in stage:
            sums.take(stretch)
        found.append(sums.learned)
        if apart:
            sums.clear()
    return found


def learn_on(
    before: Learned,
    feature_map: FeatureMap,
    data: TrainingData,
    washout: int,
    forgetting: float,
    beyond: Callable[[Piece], Piece],
) -> Learned:
    """What was learned before and one more recording give. A row counts `forgetting` times as much
    as the one after it. beyond: what of a piece is to be learned.
    """
    sums = _Sums(feature_map, [data], [washout], 1, before.response is not None)
    found = before
    for piece, moved in sums.pieces(*whole([data])):
        clean = beyond(piece)
        found = Learned(
            _fading(found.rows, clean, forgetting),
            None if moved is None else _fading(found.response, moved, forgetting),
            found.sample.taking(*clean),
        )
    return found


def _fading(before: Triangle | None, piece: Piece, forgetting: float) -> Triangle:
    """A triangle with the rows that come next."""
    count = len(piece[0])
    assert before is not None
    if not count:
        return before
    weights = forgetting ** np.arange(count - 1.0, -1.0, -1.0)
    return before.faded(forgetting**count) + Triangle.weighted(*piece, weights)


class _Sums:
    """The sums of a pass over recordings, and the state that each recording has reached."""

    def __init__(
        self,
        feature_map: FeatureMap,
        data: Sequence[TrainingData],
        washouts: Sequence[int],
        stride: int,
        noisy: bool,
    ) -> None:
        self.feature_map, self.data, self.washouts = feature_map, data, washouts
        self.stride, self.noisy = stride, noisy
        self.usable = [one.usable(skip) for one, skip in zip(data, washouts, strict=True)]
        self.states: dict[int, list[Floats]] = {}
        self.clear()

    def clear(self) -> None:
        """Begin with no rows."""
        width, outputs = self.feature_map.width, self.data[0].targets.shape[1]
        self.rows, self.response = (GrowingTriangle.empty(width, outputs) for _ in range(2))
        self.sample = Sample.empty(width, outputs)

    @property
    def learned(self) -> Learned:
        """What was taken so far."""
        response = self.response.moments if self.noisy else None
        return Learned(self.rows.moments, response, self.sample)

    def take(self, stretch: Stretch) -> None:
        """Add the rows of a stretch, which begins at the start of its recording or where the one
        before it ended.
        """
        for clean, moved in self.pieces(stretch):
            self.rows.take(*clean)
            self.sample = self.sample.taking(*clean)
            if moved is not None:
                self.response.take(*moved)

    def pieces(self, stretch: Stretch) -> Iterator[tuple[Piece, Piece | None]]:
        """Features and targets of a stretch, and their responses to noise."""
        features_of = self.feature_map.features
        washout, usable = self.washouts[stretch.recording], self.usable[stretch.recording]
        scale, seen = np.sqrt(self.stride) / NOISE_PROBE, stretch.first
        for clean, moved in self._blocks(stretch):
            skip = max(washout - seen, 0)
            features, targets = features_of(clean[0][skip:]), clean[1][skip:]
            used = slice(None) if usable is None else usable[seen + skip : seen + len(clean[0])]
            response = None
            if moved is not None:
                kept = slice(-(seen + skip) % self.stride, None, self.stride)
                response = (
                    scale * (features_of(moved[0][skip:]) - features)[kept],
                    scale * (moved[1][skip:] - targets)[kept],
                )
            yield (features[used], targets[used]), response
            seen += len(clean[0])

    def _blocks(self, stretch: Stretch) -> Iterator[tuple[Piece, Piece | None]]:
        """States and targets, clean and with a trace of noise."""
        place, first, stop = stretch
        data = self.data[place]
        tables = [(data.inputs, data.targets)]
        if self.noisy:
            tables.append((data.noisy_inputs, data.noisy_targets))
        states = self.states.get(place, [None] * len(tables)) if first else [None] * len(tables)
        parts = [
            self.feature_map.pieces(inputs[first:stop], targets[first:stop], state)
            for (inputs, targets), state in zip(tables, states, strict=True)
        ]
        for pieces in zip(*parts, strict=True):
            yield pieces[0], pieces[1] if self.noisy else None
            self.states[place] = [piece[0][-1].copy() for piece in pieces]
