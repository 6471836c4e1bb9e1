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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats
from ..assimilation.innovations import Found, learn_from_innovations, optimism
from ..assimilation.tracking import (
    DRIFT_RATIOS,
    MOST_LAGS,
    Recordings,
    Rows,
    Tracker,
    can_track,
    likeliest,
    one_step_errors,
)
from ..closed_loop import ClosedLoop
from ..driving import drive
from ..kernels.codes import Track
from .forecast_search import ForecastChoice
from .windows import Windows

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
    """A network, its tracker, what that knows after the last recording, and the rows (T, d) of each
    recording as it sees them.

    trusted: whether the rows are better than the model, so that forecasts begin at them. score:
    that of the held-out windows; log_likelihood: to be expected of a new row.
    """

    choice: ForecastChoice
    tracker: Tracker
    track: Track | None
    smoothed: list[Floats]
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
    choice: ForecastChoice, series: Recordings, noise: Floats | None, *, needed: bool
) -> Followed | None:
    """The rows followed by a network of the search; None where they are too few, where there are
    too many columns, or where the network is one's own and has no derivative that is compiled.

    noise (d,): the variances of the noise where the user gave them. needed: the rows have gaps, so
    that they cannot be trusted.
    """
    recent, asked = _recent(choice, series), needed or noise is not None
    enough = 2 * MOST_LAGS if asked else LEAST_TRACKED
    wide = choice.loop.outputs > MOST_COLUMNS
    if wide or not can_track(choice.loop) or recent.known < enough:
        return None
    errors = one_step_errors(choice.loop, recent)
    if not recent.judged(Tracker(choice.loop, errors, errors)):
        return None
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
    passes = [one.smoothed_by(found.tracker) for one in series.parts]
    track, smoothed = passes[-1][0], [rows for _, rows in passes]
    return Followed(start.choice, found.tracker, track, smoothed, False, score, expected)


def _start(choice: ForecastChoice, series: Recordings, noise: Floats | None) -> Start:
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


def _cost(freedom: float, series: Recordings, loop: ClosedLoop) -> float:
    """How far the log-likelihood per row of a loop with so many degrees of freedom is too high."""
    return float(optimism(freedom, series.known, loop.outputs))


def _learned(start: Start, series: Recordings, *, fixed: bool) -> Found:
    """What the innovations teach."""
    deviation = float(np.sqrt(start.tracker.noise.mean()))
    scatter = start.choice.learned.moments(NOISE_IN_SCATTER * deviation)
    return learn_from_innovations(start.tracker, series, scatter, fixed=fixed)


def _trusting(choice: ForecastChoice, series: Recordings, errors: Floats) -> Followed:
    """Rows that are trusted need no filter; one is kept for rows that are missing later."""
    tracker = Tracker(choice.loop, np.full(len(errors), TRUSTED), errors)
    filled = [one.filled for one in series.parts]
    return Followed(choice, tracker, None, filled, True, None, -np.inf)


def _recent(choice: ForecastChoice, series: Recordings) -> Recordings:
    """The rows of the windows, which are the last ones of a long series."""
    parts = [series.parts[place].last(inputs + 1) for place, inputs in choice.kept]
    return Recordings(tuple(parts))


def _score(tracker: Tracker, series: Recordings, windows: Windows | None) -> float | None:
    """That of free runs from the filtered states at the starts of the windows."""
    if windows is None:
        return None
    states, lasts = [], []
    for place in np.unique(windows.which):
        starts = windows.starts[windows.which == place]
        for state, last in _filtered_at(tracker, series.parts[place], starts):
            states.append(state)
            lasts.append(last)
    return windows.score(tracker.loop, np.array(states), np.array(lasts)).folds


def _filtered_at(
    tracker: Tracker, series: Rows, starts: NDArray[np.int64]
) -> Iterator[tuple[Floats, Floats]]:
    """The state and the value that the filter gives at each of these rows, which rise; before it
    has enough rows to begin, those of the rows as they are.
    """
    first = series.first(tracker)
    if starts[0] < first - 1:
        inputs = np.hstack([series.filled[:-1], series.beside[1:]])
        states = drive(tracker.loop.reservoir, inputs)
        yield from ((states[start - 1], series.filled[start]) for start in starts)
        return
    track = series.begin(tracker)
    for start in starts:
        if start >= first:
            track, _ = tracker.follow(track, *series.part(first, start + 1))
            first = start + 1
        yield track.state, track.recent[: tracker.loop.outputs]
