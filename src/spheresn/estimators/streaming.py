"""Rows in, sums out: what a fit keeps of a series of any length."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._running import limit_threads
from .._validation import Floats
from ..readout import Sample
from ..readout.gram import Sums, block_rows
from ..readout.triangle import GrowingTriangle
from .accumulate import growing, with_rows
from .features import FeatureMap
from .solution import THREADS_PAY, Network, Solution


@dataclass(frozen=True, eq=False)
class Waiting:
    """Rows and targets of a stream that has no network yet; `taking` gives a new one."""

    pieces: tuple[tuple[Floats, Floats], ...] = ()

    def taking(self, rows: Floats, targets: Floats) -> Waiting:
        """With the rows that come next."""
        return Waiting((*self.pieces, (rows, targets)))

    @property
    def count(self) -> int:
        """The number of rows."""
        return sum(len(rows) for rows, _ in self.pieces)

    @property
    def outputs(self) -> int:
        """The columns of the targets."""
        return int(self.pieces[0][1].shape[1])


@dataclass(frozen=True, eq=False)
class Stream:
    """One series, taken in piece by piece; `taking` gives a new stream, and this one stays.

    Rows are driven and summed in blocks that begin at multiples of `block_rows` from the start of
    the series, so that the sums are the same to the last bit however the series is cut.
    """

    feature_map: FeatureMap
    washout: int
    sampled: bool  # whether rows are kept to choose a penalty by
    pending: tuple[Floats, Floats]
    precise: bool = False  # whether the readout is orthogonal
    sums: Sums | GrowingTriangle | None = None  # none before the first whole block
    sample: Sample | None = None
    state: Floats | None = None
    seen: int = 0

    @property
    def outputs(self) -> int:
        """The columns of the targets."""
        return int(self.pending[1].shape[1])

    def taking(self, rows: Floats, targets: Floats) -> Stream:
        """The stream with the rows that come next. Rows that do not fill a block wait for more.

        The sums are copied, once for so many rows that the products of these cost far more.
        """
        if len(self.pending[0]):  # else nothing is copied: targets may be many
            rows, targets = (
                np.vstack([waiting, more])
                for waiting, more in zip(self.pending, (rows, targets), strict=True)
            )
        block = block_rows(self.feature_map.width)
        whole = (
            0 if len(rows) < max(block, self.feature_map.width) else len(rows) - len(rows) % block
        )
        before = self._absorbed(rows[:whole], targets[:whole]) if whole else self
        return replace(before, pending=(rows[whole:].copy(), targets[whole:].copy()))

    def finished(self) -> tuple[Sums | GrowingTriangle, Sample, Floats]:
        """Sums and sample of all rows, as copies, and the state after the last row."""
        done = self._absorbed(*self.pending)
        assert done.sums is not None and done.sample is not None and done.state is not None
        return done.sums, done.sample, done.state

    def _absorbed(self, rows: Floats, targets: Floats) -> Stream:
        width, state, seen = self.feature_map.width, self.state, self.seen
        sums = growing(width, self.outputs, self.precise) if self.sums is None else self.sums.copy()
        sample = self.sample or Sample.empty(width, self.outputs)
        pieces = self.feature_map.pieces(rows, targets, state, kept=False) if len(rows) else ()
        for states, wanted in pieces:
            state = states[-1].copy()
            skip = min(max(self.washout - seen, 0), len(states))
            seen += len(states)
            if skip < len(states):
                features = self.feature_map.features(states[skip:])
                sums.take(features, wanted[skip:])
                if self.sampled:
                    sample = sample.taking(features, wanted[skip:])
        return replace(self, sums=sums, sample=sample, state=state, seen=seen)


@dataclass(frozen=True, eq=False)
class StreamFit:
    """A network, its sums over a stream, and their readout once it is needed.

    unit: of the targets.
    """

    network: Network
    stream: Stream
    penalty: float | str
    unit: float

    @property
    def outputs(self) -> int:
        """The columns of the targets."""
        return self.stream.outputs

    @cached_property
    def solution(self) -> Solution:
        """The readout of all rows so far."""
        with limit_threads(self.network.feature_map.reservoir.units, THREADS_PAY):
            sums, sample, state = self.stream.finished()
            found = Solution.of(
                with_rows(sums.moments),
                sample,
                self.penalty,
                again=lambda: self.stream.finished()[0].moments,
            )
            return replace(found.times(self.unit), state=state)
