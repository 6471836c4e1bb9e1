"""From rows of input to the features that a readout sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .._validation import Floats
from ..driving import drive, drive_blocks, drive_chunks
from ..readout import Quadratic
from ..readout.gram import block_rows
from ..reservoir import Reservoir
from ..series.scaling import Scaler


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
        """Outputs (T, m) of raw rows (T, d).

        One chunk of states is held at a time: all states of a long series may not fit into memory.
        """
        chunks = drive_chunks(self.reservoir, self.scaler.forward(rows), start=start)
        return np.concatenate([readout(self.features(states)) for states in chunks])

    def pieces(
        self, rows: Floats, targets: Floats, start: Floats | None = None, *, kept: bool = True
    ) -> Iterator[tuple[Floats, Floats]]:
        """States and targets, a block at a time; unless they are `kept`, each block overwrites the
        states of the one before it.
        """
        first, drive_pieces = 0, drive_chunks if kept else drive_blocks
        for states in drive_pieces(
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
