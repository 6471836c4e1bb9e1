"""A forecaster that knows how noisy its rows are: filter, learning from innovations, and whether
that pays.

Rows are as noisy as their likelihood says (`assimilation.tracking.measured`). Where the model's own
error is larger than the noise, or the noise is that of rounding, the rows are better than the model
and are trusted as they are. Otherwise the readout learns from the innovations, and forecasts begin
at the filtered state. Held-out windows have the last word: what was learned must not run worse from
its filtered states than the network as it was from the raw rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._validation import Floats
from ..assimilation.innovations import learn_from_innovations
from ..assimilation.tracking import MOST_LAGS, Rows, Tracker, can_track, measured
from ..kernels.tracking import Track
from .forecast_search import ForecastChoice, Windows

# Deviations of the series. Less noise than this costs a forecast less than the errors of a model.
LEAST_NOISE = 1e-4
LEAST_TRACKED = 150  # rows after the washout; fewer do not tell noise from what the model lacks
NOISE_IN_SCATTER = 0.3  # of the noise: about what the filter leaves of it
WORSE = 0.05  # e-folds by which the held-out windows may be worse


@dataclass(frozen=True, eq=False)
class Followed:
    """A tracker, what it knows after the rows, and the rows as it sees them (T, d).

    trusted: whether the rows are better than the model, so that forecasts begin at them. score:
    that of the held-out windows; log_likelihood: of a row.
    """

    tracker: Tracker
    track: Track | None
    smoothed: Floats
    trusted: bool
    score: float | None
    log_likelihood: float


def follow(
    choice: ForecastChoice, series: Rows, noise: Floats | None, *, needed: bool
) -> Followed | None:
    """The rows followed by the network of a choice; None where they are too few, or where the
    network is one's own and has no derivative that is compiled.

    noise (d,): the variances of the noise where the user gave them. needed: the rows have gaps, so
    that they cannot be trusted.
    """
    recent, asked = _recent(choice, series), needed or noise is not None
    enough = recent.skip + (2 * MOST_LAGS if asked else LEAST_TRACKED)
    if not can_track(choice.loop) or len(recent.rows) < enough:
        return None
    tracker = measured(choice.loop, recent, noise)
    if not asked and _trusted(tracker):
        return _trusting(tracker, series)
    scatter = choice.learned.moments(NOISE_IN_SCATTER * float(np.sqrt(tracker.noise.mean())))
    learned = learn_from_innovations(tracker, recent, scatter)
    for found in (learned.tracker, tracker):
        score = _score(found, recent, choice.windows)
        if asked or score is None or choice.score is None or score >= choice.score - WORSE:
            track, passed = series.passed(found)
            smoothed = series.smoothed(passed)
            return Followed(found, track, smoothed, False, score, learned.score)
    return _trusting(tracker, series)


def _trusting(tracker: Tracker, series: Rows) -> Followed:
    """Rows that are trusted need no filter."""
    return Followed(tracker, None, series.filled, True, None, -np.inf)


def _trusted(tracker: Tracker) -> bool:
    """Whether the rows are more precise than the model, or hardly noisy at all."""
    return bool(
        (tracker.drift >= tracker.noise).all() or (np.sqrt(tracker.noise) < LEAST_NOISE).all()
    )


def _recent(choice: ForecastChoice, series: Rows) -> Rows:
    """The rows of the windows, which are the last ones of a long series."""
    return series if choice.windows is None else series.last(len(choice.windows.data.series))


def _score(tracker: Tracker, series: Rows, windows: Windows | None) -> float | None:
    """That of free runs from the filtered states at the starts of the windows."""
    if windows is None:
        return None
    track, first = series.begin(tracker), series.first(tracker)
    states, lasts = [], []
    for start in windows.starts:
        if start >= first:
            track, _ = tracker.follow(track, *series.part(first, start + 1))
            first = start + 1
        states.append(track.state)
        lasts.append(track.recent[: tracker.loop.outputs])
    return windows.score(tracker.loop, np.array(states), np.array(lasts)).folds
