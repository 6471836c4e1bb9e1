"""What a forecaster learns from: its recordings, standardised and with guesses in their gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .._validation import Floats
from ..assimilation.tracking import Recordings, Rows
from ..closed_loop import ClosedLoop, beside_with_physics
from ..physics import Physics
from ..series.recordings import joined
from .learning import TrainingData


@dataclass(frozen=True, eq=False)
class Examples:
    """Standardised tables, one of each kind for every recording.

    rows (T, d): as they were measured, NaN where one is missing. filled (T, d): without gaps.
    beside (T, e): what stands beside them, the exogenous columns.
    """

    rows: list[Floats]
    filled: list[Floats]
    beside: list[Floats]

    @property
    def missing(self) -> bool:
        """Whether any number is."""
        return any(np.isnan(one).any() for one in self.rows)

    def guessed_as(self, smoothed: list[Floats]) -> Examples:
        """With the gaps filled by these rows."""
        pairs = zip(self.rows, smoothed, strict=True)
        return replace(self, filled=[np.where(np.isnan(one), smooth, one) for one, smooth in pairs])

    def taken_as(self, rows: list[Floats]) -> Examples:
        """As if these rows had been measured."""
        return replace(self, rows=rows, filled=rows)

    def told(self, loop: ClosedLoop) -> list[Floats]:
        """What stands beside the rows where the loop has the user's own model."""
        return [
            beside_with_physics(loop, *pair) for pair in zip(self.filled, self.beside, strict=True)
        ]

    def inputs(self) -> Floats:
        """The inputs of all steps, one recording after the other."""
        pairs = zip(self.filled, self.beside, strict=True)
        return joined([np.hstack([one[:-1], other[1:]]) for one, other in pairs])

    def data(self, seed: int = 0, physics: Physics | None = None) -> list[TrainingData]:
        """The recordings as the search has them."""
        rng = np.random.default_rng([seed, 1])
        return [
            TrainingData.of(known, others, rng, one if np.isnan(one).any() else None, physics)
            for known, others, one in zip(self.filled, self.beside, self.rows, strict=True)
        ]

    def after(self, washout: Callable[[int], int]) -> Recordings:
        """The recordings, each with the washout that a network needs for its length."""
        parts = zip(self.rows, self.filled, self.beside, strict=True)
        return Recordings(tuple(Rows(*part, washout(len(part[0]))) for part in parts))
