"""Sums over many series, short or long, in the memory of a few of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from .._validation import Floats
from ..readout import Gram, Sample
from ..readout.gram import Sums, block_rows
from .streaming import Frame

# Rows whose products cost far more than the N × N matrix that one group of series needs
GROUP = 4096

Piece = tuple[Floats, Floats]  # features (T, n) and targets (T, m)
Lesson = tuple[Floats, Floats, int]  # rows (T, d), targets (T, m), and how many of them are washout


def sums_of(frame: Frame, lessons: Sequence[Lesson], n_jobs: Any) -> tuple[Gram, Sample]:
    """Gram matrix and sample of all series, each from its own start.

    Groups of series are taken in parallel and added up in their order, each as it comes: the sums
    do not depend on who computed them.
    """
    parts = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_taken)(frame, group) for group in _groups(lessons)
    )
    gram, sample = next(parts)
    for more, others in parts:
        gram, sample = gram + more, sample.joined(others)
    return gram, sample


def gathered(pieces: Iterable[Piece], features: int, outputs: int) -> tuple[Gram, Sample]:
    """Gram matrix and sample of pieces as they come."""
    sums, sample = Sums.empty(features, outputs), Sample.empty(features, outputs)
    for states, wanted in _blocks(pieces, block_rows(features)):
        sums.take(states, wanted)
        sample = sample.taking(states, wanted)
    return sums.gram, sample


def _groups(lessons: Sequence[Lesson]) -> Iterator[Sequence[Lesson]]:
    """In their order, about GROUP rows each."""
    first, count = 0, 0
    for place, (rows, _, _) in enumerate(lessons, 1):
        count += len(rows)
        if count >= GROUP or place == len(lessons):
            yield lessons[first:place]
            first, count = place, 0


def _taken(frame: Frame, group: Sequence[Lesson]) -> tuple[Gram, Sample]:
    return gathered(
        (piece for lesson in group for piece in _pieces(frame, *lesson)),
        frame.width,
        group[0][1].shape[1],
    )


def _pieces(frame: Frame, rows: Floats, targets: Floats, washout: int) -> Iterator[Piece]:
    """Of one series, a block at a time, as a stream takes them."""
    for states, wanted in frame.pieces(rows, targets):
        if washout < len(states):
            yield frame.features(states[max(washout, 0) :]), wanted[max(washout, 0) :]
        washout -= len(states)


def _blocks(pieces: Iterable[Piece], most: int) -> Iterator[Piece]:
    """Short pieces put together to `most` rows at most: products of few rows are slow."""
    held: list[Piece] = []
    count = 0
    for piece in pieces:
        if held and count + len(piece[0]) > most:
            yield _joined(held)
            held, count = [], 0
        held.append(piece)
        count += len(piece[0])
    if held:
        yield _joined(held)


def _joined(held: list[Piece]) -> Piece:
    return (
        held[0]
        if len(held) == 1
        else (np.vstack([x for x, _ in held]), np.vstack([y for _, y in held]))
    )
