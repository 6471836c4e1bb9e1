"""A forecaster that knows how noisy its rows are: filter, learning from innovations, and whether
that pays.

Free runs that begin at noisy rows cannot tell which readout is best. The filter can: of all
networks of the search and of penalties from weak to strong it takes the loop that makes the rows
likeliest, less its degrees of freedom, as in the criterion of Akaike [AKA74], corrected for short
series [HUR89]. From there the readout learns from its innovations.

Rows that are clean to the last digits are trusted at once, and so are rows of which that filter
makes less than one-step errors do: then the model errs by more than the noise. Held-out windows
have the last word: what was learned must not run worse from its filtered states than the network as
it was from the raw rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._validation import Floats
from ..assimilation.innovations import Found, learn_from_innovations, optimism
from ..assimilation.tracking import (
    DRIFT_RATIOS,
    MOST_LAGS,
    Rows,
    Tracker,
    can_track,
    likeliest,
    one_step_errors,
)
from ..closed_loop import ClosedLoop
from ..kernels.codes import Track
from .forecast_search import ForecastChoice, Windows

TRUSTED = 1e-24  # the variance of the noise of standardised rows that are trusted: rounding
# Deviations of the series. Less noise than this costs a forecast less than the errors of a model.
LEAST_NOISE = 1e-4
# Penalties as shares of the trace: with weaker ones the readout has learned the noise of the rows
# in directions that the innovations never mend
SHARES = tuple(10.0**decade for decade in (-14, -12, -11, -10, -9, -8, -7, -6))
# Of the log-likelihood per row. On noisy rows the filter begins at most .4 below one-step errors
# and ends above them; on clean ones it begins 4 below.
MOST_BELOW = 1.0
MOST_COLUMNS = 12  # the time of a filter grows with the third power of the columns
LEAST_TRACKED = 150  # rows after the washout; fewer do not tell noise from what the model lacks
NOISE_IN_SCATTER = 0.3  # of the noise: about what the filter leaves of it
WORSE = 0.05  # e-folds by which the held-out windows may be worse


@dataclass(frozen=True, eq=False)
class Followed:
    """A network, its tracker, what that knows after the rows, and the rows as it sees them (T, d).

    trusted: whether the rows are better than the model, so that forecasts begin at them. score:
    that of the held-out windows; log_likelihood: to be expected of a new row.
    """

    choice: ForecastChoice
    tracker: Tracker
    track: Track | None
    smoothed: Floats
    trusted: bool
    score: float | None
    log_likelihood: float


class Start(NamedTuple):
    """A loop to learn from innovations with; its log-likelihood, less `optimism` per row."""

    score: float
    choice: ForecastChoice
    tracker: Tracker
    optimism: float


def follow(
    choice: ForecastChoice, series: Rows, noise: Floats | None, *, needed: bool
) -> Followed | None:
    """The rows followed by a network of the search; None where they are too few, where there are
    too many columns, or where the network is one's own and has no derivative that is compiled.

    noise (d,): the variances of the noise where the user gave them. needed: the rows have gaps, so
    that they cannot be trusted.
    """
    recent, asked = _recent(choice, series), needed or noise is not None
    enough = recent.skip + (2 * MOST_LAGS if asked else LEAST_TRACKED)
    wide = choice.loop.outputs > MOST_COLUMNS
    if wide or not can_track(choice.loop) or len(recent.rows) < enough:
        return None
    errors = one_step_errors(choice.loop, recent)
    if not asked and (np.sqrt(errors) < LEAST_NOISE).all():
        return _trusting(choice, series, errors)
    trusting = -0.5 * float((np.log(errors) + 1.0).sum()) - _cost(
        choice.freedom, recent, choice.loop
    )
    start = _start(choice, recent, noise)
    if not asked and start.score < trusting - MOST_BELOW:
        return _trusting(choice, series, errors)
    found = _learned(start, recent, fixed=noise is not None)
    expected = found.score - start.optimism
    if not asked and expected < trusting:
        return _trusting(choice, series, errors)
    score = _score(found.tracker, recent, choice.windows)
    if not (asked or score is None or choice.score is None or score >= choice.score - WORSE):
        return _trusting(choice, series, errors)
    track, passed = series.passed(found.tracker)
    return Followed(
        start.choice, found.tracker, track, series.smoothed(passed), False, score, expected
    )


def _start(choice: ForecastChoice, series: Rows, noise: Floats | None) -> Start:
    """The likeliest loop of all networks and penalties."""
    best: Start | None = None
    for finalist in choice.finalists:
        for setting, solved, freedom in finalist.loops(SHARES):
            cost = _cost(solved.loop.outputs * freedom, series, solved.loop)
            tracker, fits = likeliest(solved.loop, series, noise, DRIFT_RATIOS[:1])
            if best is None or fits - cost > best.score:
                network = choice.of(finalist, setting, solved)
                best = Start(fits - cost, network, tracker, cost)
    assert best is not None  # there is at least one network
    tracker, fits = likeliest(best.tracker.loop, series, noise, DRIFT_RATIOS)
    return best._replace(tracker=tracker, score=fits - best.optimism)


def _cost(freedom: float, series: Rows, loop: ClosedLoop) -> float:
    """How far the log-likelihood per row of a loop with so many degrees of freedom is too high."""
    return float(optimism(freedom, len(series.rows) - series.skip, loop.outputs))


def _learned(start: Start, series: Rows, *, fixed: bool) -> Found:
    """What the innovations teach."""
    deviation = float(np.sqrt(start.tracker.noise.mean()))
    scatter = start.choice.learned.moments(NOISE_IN_SCATTER * deviation)
    return learn_from_innovations(start.tracker, series, scatter, fixed=fixed)


def _trusting(choice: ForecastChoice, series: Rows, errors: Floats) -> Followed:
    """Rows that are trusted need no filter; one is kept for rows that are missing later."""
    tracker = Tracker(choice.loop, np.full(len(errors), TRUSTED), errors)
    return Followed(choice, tracker, None, series.filled, True, None, -np.inf)


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
