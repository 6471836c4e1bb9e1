"""Rows in, sums out: what a fit keeps of a series of any length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from .._errors import BadInput
from .._validation import Floats
from ..driving import drive, drive_chunks
from ..readout import Quadratic, Sample
from ..readout.gram import Sums, block_rows
from ..reservoir import Reservoir


@dataclass(frozen=True, eq=False)
class Scaler:
    """Columns to mean 0 and deviation 1; a constant column keeps its scale."""

    mean: Floats
    scale: Floats

    @staticmethod
    def of(rows: Floats) -> Scaler:
        """From rows (T, d), scaled first so that squares neither over- nor underflow."""
        largest = np.abs(rows).max(axis=0)
        safe = np.where(largest > 0.0, largest, 1.0)
        mean = (rows / safe).mean(axis=0)
        deviation = (rows / safe).std(axis=0)
        varies = (deviation > 4.0 * np.finfo(float).eps) & (deviation * safe > 0.0)
        return Scaler(mean * safe, np.where(varies, deviation * safe, safe))

    def forward(self, rows: Floats) -> Floats:
        """In units of the deviation."""
        with np.errstate(over="ignore"):
            scaled = np.asarray((rows - self.mean) / self.scale)
        if not np.isfinite(scaled).all():
            row, column = (int(i) for i in np.argwhere(~np.isfinite(scaled))[0])
            off = (
                f"got {rows[row, column]:.3g} in row {row} against a deviation of "
                f"{self.scale[column]:.3g}"
            )
            raise BadInput(
                f"a row must be within 1e308 deviations of the rows of fit, {off}; clip such "
                "values first"
            )
        return scaled

    def backward(self, rows: Floats) -> Floats:
        """In the units of the data; infinite where that leaves the range of numbers."""
        with np.errstate(over="ignore"):
            return np.asarray(rows * self.scale + self.mean)


@dataclass(frozen=True, eq=False)
class Frame:
    """All that turns rows of input into rows of features: scaling, network, features, washout."""

    scaler: Scaler
    reservoir: Reservoir
    washout: int
    quadratic: Quadratic | None = None

    def states(self, rows: Floats, start: Floats | None = None) -> Floats:
        """States (T, N) of raw rows (T, d)."""
        return np.asarray(drive(self.reservoir, self.scaler.forward(rows), start))

    def features(self, states: Floats) -> Floats:
        """What the readout sees."""
        return states if self.quadratic is None else self.quadratic(states)

    def read(
        self, rows: Floats, readout: Callable[[Floats], Floats], start: Floats | None = None
    ) -> Floats:
        """Outputs (T, m) of raw rows (T, d), a chunk of states at a time: all states of a long
        series may not fit into memory.
        """
        chunks = drive_chunks(self.reservoir, self.scaler.forward(rows), start=start)
        return np.concatenate([readout(self.features(states)) for states in chunks])

    def pieces(
        self, rows: Floats, targets: Floats, start: Floats | None = None
    ) -> Iterator[tuple[Floats, Floats]]:
        """States and targets, a block at a time."""
        first = 0
        for states in drive_chunks(
            self.reservoir, self.scaler.forward(rows), block_rows(self.width), start
        ):
            yield states, targets[first : first + len(states)]
            first += len(states)

    @property
    def width(self) -> int:
        """The number of features."""
        n = self.reservoir.units
        c = 0 if self.quadratic is None else len(self.quadratic.components)
        return n + c * (c + 1) // 2

    def washout_for(self, length: int | None) -> int:
        """The rows to leave out at the start of a series, never more than a quarter of a short
        one.
        """
        return self.washout if length is None else min(self.washout, length // 4)


@dataclass(eq=False)
class Stream:
    """One series taken in piece by piece. Rows are driven and summed in blocks that begin at
    multiples of `block_rows` from its start, so that the sums are the same to the last bit however
    the series is cut.
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
        """Take in the rows that come next; whole blocks at once, the rest with the next ones."""
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
        """With the rest taken in too; this one can still go on."""
        done = Stream(self.frame, self.washout, self.outputs, self.sampled, self.state, self.seen)
        done.sums, done.sample = self.sums, self.sample
        if self.pending is not None and len(self.pending[0]):
            done.sums = self.sums.copy()
            done._absorb(*self.pending)
        return done

    def _absorb(self, rows: Floats, targets: Floats) -> None:
        for states, wanted in self.frame.pieces(rows, targets, self.state):
            self.state = states[-1].copy()
            skip = min(max(self.washout - self.seen, 0), len(states))
            self.seen += len(states)
            if skip < len(states):
                features = self.frame.features(states[skip:])
                self.sums.take(features, wanted[skip:])
                if self.sampled:
                    self.sample = self.sample.taking(features, wanted[skip:])
