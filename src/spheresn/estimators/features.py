"""From rows of input to the features that a readout sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._plain import (
    Parts,
    Tensors,
    Values,
    readout_from,
    readout_parts,
    reservoir_from,
    reservoir_parts,
    scaler_from,
)
from .._validation import Floats, whole
from ..compose import Driven
from ..driving import drive, drive_blocks, drive_chunks
from ..readout import Quadratic, Weights
from ..readout.gram import block_rows
from ..series.scaling import Scaler
from .pasts import Pasts

EARLY_CHUNK = 512  # rows; the states of all pasts are held at a time, as many as in a chunk


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """The map from rows of input to rows of features: scaling, network, features, washout; and
    pasts of the training series for a series without a start.
    """

    scaler: Scaler
    reservoir: Driven
    washout: int
    quadratic: Quadratic | None = None
    pasts: Pasts | None = None

    def states(self, rows: Floats, start: Floats | None = None) -> Floats:
        """States (T, N) of raw rows (T, d)."""
        return np.asarray(drive(self.reservoir, self.scaler.forward(rows), start))

    def features(self, states: Floats) -> Floats:
        """What the readout sees."""
        return states if self.quadratic is None else self.quadratic(states)

    def read(
        self,
        rows: Floats,
        readout: Callable[[Floats], Floats],
        start: Floats | None = None,
        limits: tuple[Any, Any] = (-np.inf, np.inf),
    ) -> Floats:
        """Outputs (T, m) of raw rows (T, d).

        Without a start, the first rows are the mean over several pasts of outputs within `limits`.
        One chunk of states is held at a time: all states of a long series may not fit into memory.
        """
        signal = self.scaler.forward(rows)
        chunks = drive_chunks(self.reservoir, signal, start=start)
        outputs = np.concatenate([readout(self.features(states)) for states in chunks])
        if start is not None or self.pasts is None:
            return outputs
        early = self._read_early(signal[: self.pasts.rows], self.pasts, readout, limits)
        return np.concatenate([early, outputs[len(early) :]])

    def states_from_pasts(self, rows: Floats) -> Floats:
        """`states`, where those of the first rows follow the likeliest past, not an empty start."""
        states = self.states(rows)
        if self.pasts is not None:
            early = self.scaler.forward(rows[: self.pasts.rows])
            states[: len(early)] = drive(self.reservoir, early, self.pasts.nearest(early[0], 1)[0])
        return states

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

    def _read_early(
        self,
        signal: Floats,
        pasts: Pasts,
        readout: Callable[[Floats], Floats],
        limits: tuple[Any, Any],
    ) -> Floats:
        """Outputs of a standardised signal, the mean over the pasts that it may have had."""
        starts, means = pasts.nearest(signal[0]), []
        for first in range(0, len(signal), EARLY_CHUNK):
            piece = signal[first : first + EARLY_CHUNK]
            states = drive(self.reservoir, np.stack([piece] * len(starts)), starts)
            found = [np.clip(readout(self.features(one)), *limits) for one in states]
            means.append(np.mean(found, axis=0))
            starts = states[:, -1].copy()
        return np.concatenate(means)


def feature_map_parts(feature_map: FeatureMap, weights: Weights) -> Parts:
    """A feature map and the readout of its features as plain values and arrays."""
    values, tensors = readout_parts(weights, feature_map.quadratic)
    network, arrays = reservoir_parts(feature_map.reservoir)
    tensors |= {**arrays, "mean": feature_map.scaler.mean, "scale": feature_map.scaler.scale}
    if feature_map.pasts is not None:
        values["past_rows"] = int(feature_map.pasts.rows)
        tensors |= {"pasts": feature_map.pasts.states, "following": feature_map.pasts.following}
    return {**values, "reservoir": network, "washout": int(feature_map.washout)}, tensors


def feature_map_from(values: Values, tensors: Tensors) -> tuple[FeatureMap, Weights]:
    """What `feature_map_parts` described."""
    reservoir = reservoir_from(values["reservoir"], tensors)
    scaler = scaler_from(tensors["mean"], tensors["scale"], reservoir.n_inputs)
    weights, quadratic = readout_from(values, tensors, reservoir.units)
    washout = whole("washout", values["washout"], 0)
    pasts = _pasts_from(values, tensors, reservoir)
    return FeatureMap(scaler, reservoir, washout, quadratic, pasts), weights


def _pasts_from(values: Values, tensors: Tensors, reservoir: Driven) -> Pasts | None:
    """The pasts of the training series; files of version 0.2 have none."""
    if "pasts" not in tensors:
        return None
    states, following = tensors["pasts"], tensors["following"]
    count = len(states) if states.ndim == 2 else 0
    shapes = (states.shape, following.shape)
    if not count or shapes != ((count, reservoir.units), (count, reservoir.n_inputs)):
        raise ValueError("the pasts do not fit the network")
    return Pasts(states, following, whole("past_rows", values["past_rows"], 1))
