"""Sums over many series, short or long, in the memory of a few of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from joblib import Parallel, delayed

from .._errors import BadInput
from .._running import environment
from .._validation import Floats
from ..readout import Gram, Moments, Sample, Triangle
from ..readout.gram import Sums, block_rows
from ..readout.triangle import GrowingTriangle
from .features import FeatureMap

# Rows whose products cost far more than the N × N matrix that one group of series needs
GROUPED_ROWS = 4096

AnyMoments = TypeVar("AnyMoments", Gram, Triangle, Gram | Triangle)
Piece = tuple[Floats, Floats]  # features (T, n) and targets (T, m)


class TrainingSeries(NamedTuple):
    """One series: its rows (T, d), its targets (T, m), and how many rows of it are washout."""

    rows: Floats
    targets: Floats
    washout: int


def accumulate_series(
    feature_map: FeatureMap,
    series: Sequence[TrainingSeries],
    n_jobs: int | None,
    sampled: bool = True,
    precise: bool = False,
) -> tuple[Moments, Sample]:
    """Gram matrix, or triangle if `precise`, and sample (empty unless `sampled`) of the features of
    all series, each from its own start.

    Groups of series are computed in parallel and added in their order, so that the sums do not
    depend on the number of workers.
    """
    groups = list(_groups(series))
    if len(groups) == 1:  # nothing to share out, and joblib's own work would show
        return _accumulate_group(feature_map, series, sampled, precise)
    with environment():
        parts = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(_accumulate_group)(feature_map, group, sampled, precise) for group in groups
        )
    moments, sample = next(parts)
    for more, others in parts:
        moments, sample = moments + more, sample.joined(others)
    return moments, sample


def accumulate(
    pieces: Iterable[Piece],
    features: int,
    outputs: int,
    sampled: bool = True,
    precise: bool = False,
) -> tuple[Moments, Sample]:
    """Gram matrix or triangle, and sample, of pieces, one after the other."""
    sums, sample = growing(features, outputs, precise), Sample.empty(features, outputs)
    for states, targets in _blocks(pieces, block_rows(features)):
        sums.take(states, targets)
        if sampled:
            sample = sample.taking(states, targets)
    return sums.moments, sample


def _groups(series: Sequence[TrainingSeries]) -> Iterator[Sequence[TrainingSeries]]:
    """Neighbouring series with about GROUPED_ROWS rows together."""
    first, count = 0, 0
    for place, one in enumerate(series, 1):
        count += len(one.rows)
        if count >= GROUPED_ROWS or place == len(series):
            yield series[first:place]
            first, count = place, 0


def _accumulate_group(
    feature_map: FeatureMap, group: Sequence[TrainingSeries], sampled: bool, precise: bool
) -> tuple[Moments, Sample]:
    pieces = (piece for one in group for piece in _pieces(feature_map, one))
    return accumulate(pieces, feature_map.width, group[0].targets.shape[1], sampled, precise)


def _pieces(feature_map: FeatureMap, series: TrainingSeries) -> Iterator[Piece]:
    """Features and targets of one series, in the same blocks as a stream has them.

    A whole block is overwritten by the next one: `_blocks` passes it on at once.
    """
    washout, block = series.washout, block_rows(feature_map.width)
    kept = len(series.rows) <= block
    for states, targets in feature_map.pieces(series.rows, series.targets, kept=kept):
        if washout < len(states):
            features, wanted = (
                feature_map.features(states[max(washout, 0) :]),
                targets[max(washout, 0) :],
            )
            yield features if kept or len(features) == block else features.copy(), wanted
        washout -= len(states)


def _blocks(pieces: Iterable[Piece], most: int) -> Iterator[Piece]:
    """Short pieces joined to at most `most` rows, because products of few rows are slow."""
    held: list[Piece] = []
    count = 0
    for piece in pieces:
        if held and count + len(piece[0]) > most:
            yield _join(held)
            held, count = [], 0
        if len(piece[0]) == most:
            yield piece
            continue
        held.append(piece)
        count += len(piece[0])
    if held:
        yield _join(held)


def _join(pieces: list[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    return np.vstack([x for x, _ in pieces]), np.vstack([y for _, y in pieces])


def growing(features: int, outputs: int, precise: bool) -> Sums | GrowingTriangle:
    """The moments of no rows."""
    return (GrowingTriangle if precise else Sums).empty(features, outputs)


def with_rows(gram: AnyMoments) -> AnyMoments:
    """The sums, of at least one row: the washout must leave something to learn from."""
    if gram.count == 0:
        raise BadInput(
            "the series must be longer than the washout, got no rows after it; pass longer ones "
            "or lower washout"
        )
    return gram
