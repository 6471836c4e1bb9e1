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

What was learned must also stay on the attractor in long free runs. Where it does not, the same
network learns once more, from a start with a stronger penalty: often runs escape by what a weak one
learned of the noise. Else a network of the search that stays is followed as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from ..selection.engine import Entry, lower_of_two
from ..selection.staying import TOO_SHORT, LearnedClimate, LongRuns
from .forecast_search import Finalist, ForecastChoice
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
# Where long runs leave: times the penalty, and its least share of the trace. On five development
# series of one column with 5 % noise the loops that were learned from there were likelier.
STRONGER, STRONG = 1e2, 1e-10


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
    finalist: Finalist


def follow(
    choice: ForecastChoice,
    series: Recordings,
    noise: Floats | None,
    *,
    needed: bool,
    long_runs: bool = False,
) -> Followed | None:
    """The rows followed by a network of the search; None where they are too few, where there are
    too many columns, or where the network is one's own and has no derivative that is compiled.

    noise (d,): the variances of the noise where the user gave them. needed: the rows have gaps, so
    that they cannot be trusted. long_runs: whether these have to stay.
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
    first = _start(choice, recent, noise)
    if not asked and first.score < trusting - MOST_BELOW:
        return _trusting(choice, series, errors)
    start, found = _staying(first, choice, recent, noise, long_runs=long_runs)
    expected = found.score - start.optimism
    if not asked and expected < trusting:
        return _trusting(choice, series, errors)
    score = _score(found.tracker, recent, choice.windows)
    if not (asked or score is None or choice.score is None or score >= choice.score - WORSE):
        return _trusting(choice, series, errors)
    return _following(start.choice, found.tracker, series, score, expected)


def _start(choice: ForecastChoice, series: Recordings, noise: Floats | None) -> Start:
    """The likeliest loop of all networks and penalties."""
    best: Start | None = None
    for finalist in choice.finalists:
        for start in _starts(finalist, SHARES, choice, series, noise):
            if best is None or start.score > best.score:
                best = start
    assert best is not None  # there is at least one network
    tracker, fits = likeliest(best.tracker.loop, series, noise, DRIFT_RATIOS)
    return best._replace(tracker=tracker, score=fits - best.optimism)


def _starts(
    finalist: Finalist,
    shares: Sequence[float],
    choice: ForecastChoice,
    series: Recordings,
    noise: Floats | None,
) -> Iterator[Start]:
    """The loops of a network with these penalties."""
    for setting, solved, freedom in finalist.loops(shares):
        cost = _cost(solved.loop.outputs * freedom, series, solved.loop)
        tracker, fits = likeliest(solved.loop, series, noise, DRIFT_RATIOS[:1])
        network = choice.of(finalist, setting, solved)
        yield Start(fits - cost, network, tracker, cost, finalist)


def _staying(
    first: Start,
    choice: ForecastChoice,
    series: Recordings,
    noise: Floats | None,
    *,
    long_runs: bool,
) -> tuple[Start, Found]:
    """The start and what the innovations teach: the first whose long free runs stay."""

    def entries() -> Iterator[Entry[Any]]:
        yield Entry(first.score, first, None)
        share = first.choice.setting.share
        if first.finalist.fixed or share is None:
            return
        more = max(STRONGER * share, STRONG)
        for start in _starts(first.finalist, [more], choice, series, noise):
            yield Entry(start.score, start, None)

    def learn_again(entry: Entry[Any]) -> tuple[tuple[Start, Found], float]:
        found = _learned(entry.trial, series, fixed=noise is not None)
        return (entry.trial, found), found.score - entry.trial.optimism

    def survives(learned: tuple[Start, Found]) -> bool:
        if not long_runs:
            return True
        tracker, longest = learned[1].tracker, _longest(series)
        runs = _runs_beside(longest, longest.smoothed_by(tracker)[1], tracker.drift)
        return runs is None or runs.stays(tracker.loop)

    return lower_of_two(entries(), learn_again, survives, enough=1).learned


def settle(
    choice: ForecastChoice,
    followed: Followed | None,
    series: Recordings,
    noise: Floats | None,
) -> tuple[ForecastChoice, Followed | None, LearnedClimate]:
    """The network, its tracker, and the climate of its long free runs; where these leave, another
    network of the search whose runs stay, if there is one.
    """
    recent = _recent(choice, series)
    longest, loop = _longest(recent), choice.loop
    if followed is None or followed.trusted:
        errors, smoothed = one_step_errors(loop, recent), longest.filled
    else:
        loop, errors = followed.tracker.loop, followed.tracker.drift
        smoothed = longest.smoothed_by(followed.tracker)[1]
    runs = _runs_beside(longest, smoothed, errors)
    if runs is None:
        return choice, followed, TOO_SHORT
    found = runs.climate(loop)
    other = None if found.stays else choice.staying(runs.stays)
    if other is None:
        return choice, followed, found
    if followed is not None and followed.trusted:
        followed = _trusting(other, series, one_step_errors(other.loop, recent))
    elif followed is not None:
        followed = _unlearned(other, series, noise)
    return other, followed, runs.climate(other.loop)


def _unlearned(choice: ForecastChoice, series: Recordings, noise: Floats | None) -> Followed:
    """The rows followed by a network that learns nothing from its innovations."""
    recent = _recent(choice, series)
    tracker, fits = likeliest(choice.loop, recent, noise, DRIFT_RATIOS)
    return _following(choice, tracker, series, _score(tracker, recent, choice.windows), fits)


def _following(
    choice: ForecastChoice,
    tracker: Tracker,
    series: Recordings,
    score: float | None,
    log_likelihood: float,
) -> Followed:
    """All recordings as a tracker sees them."""
    passes = [one.smoothed_by(tracker) for one in series.parts]
    track, smoothed = passes[-1][0], [rows for _, rows in passes]
    return Followed(choice, tracker, track, smoothed, False, score, log_likelihood)


def _runs_beside(series: Rows, smoothed: Floats, errors: Floats) -> LongRuns | None:
    """Long free runs beside the rows as a model sees them."""
    return LongRuns.of(smoothed, series.beside, series.skip, errors)


def _longest(series: Recordings) -> Rows:
    """The recording whose climate is compared."""
    return max(series.parts, key=lambda one: len(one.rows))


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
