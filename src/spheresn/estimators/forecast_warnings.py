"""What a forecaster warns of: forecasts not to be trusted, and rows that it did not use."""

from __future__ import annotations

import warnings

import numpy as np

from .._validation import Floats
from ..selection.staying import LearnedClimate
from ..series.recordings import named

# Steps: held-out windows judge shorter forecasts
LEAST_LONG = 1000


class OutOfRange(RuntimeWarning):
    """A free run left the range of the training series and was kept near it."""


class OutOfClimate(RuntimeWarning):
    """A forecast is longer than free runs of the model stay what the series is."""


class LeftOut(UserWarning):
    """Recordings that are too short were not learned from."""


class ShortStart(UserWarning):
    """A forecast begins after fewer rows than the network remembers."""


def report_range(
    result: Floats, finite: int, low: Floats, high: Floats, kept: bool = True, stacklevel: int = 3
) -> None:
    """Warn of a forecast (steps, d) outside the bounds of the training series.

    `kept`: whether it was bent back towards them.
    """
    outside = (result < low) | (result > high)
    if finite < len(result) or outside.any():
        step = int(np.argmax(outside.any(axis=1))) if outside.any() else finite
        sentence = (
            f"the forecast leaves the range of the training series at step {step}"
            f"{' and is kept near it' if kept else ''}; do not trust it from there"
        )
        warnings.warn(sentence, OutOfRange, stacklevel=stacklevel)


def too_long(steps: int, climate: LearnedClimate) -> bool:
    """Whether these are more steps than long runs of a model are worth."""
    return not climate.stays and steps > max(climate.lasting, LEAST_LONG)


def report_climate(steps: int, climate: LearnedClimate, stacklevel: int = 3) -> None:
    """Warn of a forecast that is `too_long`."""
    warnings.warn(
        f"a forecast of {steps:,} steps is longer than this model stays what the series was "
        f"({climate}); trust no statistics of it beyond that",
        OutOfClimate,
        stacklevel=stacklevel,
    )


def report_start(name: str, rows: int, memory: float, washout: int, stacklevel: int = 3) -> None:
    """Warn of a start with fewer rows than the memory of the network."""
    if rows >= memory:
        return
    left = np.exp(-rows / memory)
    warnings.warn(
        f"{name} has {rows} row(s), fewer than the memory of the network, "
        f"{memory:.3g}: {left:.0%} of an unknown past is left in its state; pass "
        f"{washout} rows to forget it",
        ShortStart,
        stacklevel=stacklevel,
    )


def report_left_out(short: list[int], fewest: int, stacklevel: int = 3) -> None:
    """Warn of recordings, by their places, that have fewer rows than this."""
    if short:
        warnings.warn(
            f"recordings of fewer than {fewest} rows are left out: {named(short)}",
            LeftOut,
            stacklevel=stacklevel,
        )
