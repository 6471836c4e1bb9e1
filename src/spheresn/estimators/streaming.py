"""Rows in, sums out: what a fit keeps of a series of any length."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._validation import Floats
from ..readout import Sample
from ..readout.gram import Sums, block_rows
from .features import Frame


@dataclass(eq=False)
class Stream:
    """One series, taken in piece by piece.

    Rows are driven and summed in blocks that begin at multiples of `block_rows` from the start of
    the series, so that the sums are the same to the last bit however the series is cut.
    """

    frame: Frame
    washout: int
    outputs: int
    sampled: bool  # whether rows are kept to choose a penalty by
    sums: Sums = field(init=False)
    sample: Sample = field(init=False)
    state: Floats | None = None
    seen: int = 0
    pending: tuple[Floats, Floats] | None = None

    def __post_init__(self) -> None:
        self.sums, self.sample = (
            Sums.empty(self.frame.width, self.outputs),
            Sample.empty(self.frame.width, self.outputs),
        )

    def take(self, rows: Floats, targets: Floats) -> Stream:
        """Take in the rows that come next. Rows after the last whole block wait for more."""
        if self.pending is not None:
            rows, targets = (
                np.vstack([self.pending[0], rows]),
                np.vstack([self.pending[1], targets]),
            )
        whole = len(rows) - len(rows) % block_rows(self.frame.width)
        self._absorb(rows[:whole], targets[:whole])
        self.pending = rows[whole:].copy(), targets[whole:].copy()
        return self

    def finished(self) -> Stream:
        """A copy that has taken in the waiting rows too; this stream can still go on."""
        done = Stream(self.frame, self.washout, self.outputs, self.sampled, self.state, self.seen)
        done.sums, done.sample = self.sums.copy(), self.sample
        if self.pending is not None and len(self.pending[0]):
            done._absorb(*self.pending)
        return done

    def _absorb(self, rows: Floats, targets: Floats) -> None:
        for states, wanted in self.frame.pieces(rows, targets, self.state, kept=False):
            self.state = states[-1].copy()
            skip = min(max(self.washout - self.seen, 0), len(states))
            self.seen += len(states)
            if skip < len(states):
                features = self.frame.features(states[skip:])
                self.sums.take(features, wanted[skip:])
                if self.sampled:
                    self.sample = self.sample.taking(features, wanted[skip:])
