"""Pasts of the training series, for a series that begins in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._validation import Floats
from ..compose import Driven
from ..driving import drive_blocks
from ..readout.gram import block_rows
from ..selection.free_runs import evenly_spaced

PASTS, NEAREST = 64, 8  # chosen by benchmarks/unknown_pasts.py


@dataclass(frozen=True, eq=False)
class Pasts:
    """States of the training series, each with the row that came next.

    A series does not show what was before its first row. The states (P, N) whose next rows (P, d),
    standardised, are nearest to this first row are pasts that it may have had. The readout has not
    learned from the first `rows` rows after an empty start; there these pasts replace that start.
    """

    states: Floats
    following: Floats
    rows: int

    @staticmethod
    def of(
        reservoir: Driven, signals: Sequence[Floats], rows: int, forgotten: int | None = None
    ) -> Pasts | None:
        """Pasts that are spread evenly over standardised signals (T, d), after their first rows.

        None if no past is needed, or if no row has one. forgotten: rows after which a start is
        forgotten; those before them are not driven.
        """
        first = [min(rows, len(signal) // 2) for signal in signals]
        ends = np.cumsum([max(len(x) - 1 - k, 0) for x, k in zip(signals, first, strict=True)])
        if rows == 0 or ends[-1] == 0:
            return None
        chosen = np.unique(evenly_spaced(0, ends[-1] - 1, PASTS))
        parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        places = [
            part - begin + k for part, begin, k in zip(parts, [0, *ends[:-1]], first, strict=True)
        ]
        used = [(x, place) for x, place in zip(signals, places, strict=True) if len(place)]
        return Pasts(
            np.vstack([_states_at(reservoir, x, place, forgotten) for x, place in used]),
            np.vstack([x[place + 1] for x, place in used]),
            rows,
        )

    def nearest(self, row: Floats, count: int = NEAREST) -> Floats:
        """States (K, N), at most `count` of them, that may have come before a row (d,)."""
        # The largest difference, halved: neither it nor its square may overflow
        distances = np.abs(self.following / 2.0 - row / 2.0).max(axis=1)
        return self.states[np.argsort(distances, kind="stable")[:count]]


def _states_at(reservoir: Driven, signal: Floats, places: Floats, forgotten: int | None) -> Floats:
    """The states after the rows at these places, in the memory of a block of rows."""
    kept, first = [], 0
    if forgotten is not None and forgotten * len(places) < len(signal):
        before = np.unique(np.clip(places[:, None] - np.arange(forgotten), 0, None))
        signal, places = signal[before], np.searchsorted(before, places)
    for states in drive_blocks(reservoir, signal[: places[-1] + 1], block_rows(reservoir.units)):
        stop = first + len(states)
        kept.append(states[places[(places >= first) & (places < stop)] - first])
        first = stop
    return np.vstack(kept)
