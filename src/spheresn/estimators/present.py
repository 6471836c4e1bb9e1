"""The state at which the forecasts of a forecaster begin, and its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._errors import BadInput
from .._plain import Tensors
from .._validation import Floats
from ..assimilation.tracking import Recordings, Rows, Tracker, one_step_errors
from ..closed_loop import ClosedLoop
from ..driving import drive_chunks
from ..kernels.codes import Track
from ..series.gaps import guessed

KEPT_ROWS = 300  # the last rows, from which the filter can begin again
# Deviations of the noise: a map that was learned from noisy rows errs by more than its innovations
# show, because it was fitted to them. With an error of this size at each step the deviations of the
# filter were those of its true errors. It is for intervals only: forecasts from the filter that is
# likeliest last longer.
LEAST_DRIFT = 0.09


@dataclass(frozen=True, eq=False)
class Present:
    """The newest rows, standardised, and the state of the network after them.

    state (N,), last (m,): where forecasts begin. rows (K, m), beside (K, e): the last rows as they
    were measured, NaN where they were not, and their exogenous columns; skip: how many of them the
    network needs to forget its start. drift (m,): variances of the error of the loop in one
    step. tracker: the filter, None where there is none; track: its estimate, None while the rows
    are taken as exact.
    """

    loop: ClosedLoop
    state: Floats
    last: Floats
    rows: Floats
    beside: Floats
    skip: int
    drift: Floats
    tracker: Tracker | None = None
    track: Track | None = None

    @staticmethod
    def of(
        loop: ClosedLoop, series: Rows, drift: Floats, tracker: Tracker | None, track: Track | None
    ) -> Present:
        """At the end of the training rows."""
        kept = max(KEPT_ROWS, 2 * series.skip)
        rows, beside = series.rows[-kept:], series.beside[-kept:]
        if track is not None and tracker is not None:
            state, last = track.state, track.recent[: loop.outputs]
        else:
            inputs = np.hstack([series.filled[:-1], series.beside[1:]])
            state, last = _state_after(loop, None, inputs), series.filled[-1]
        return Present(loop, state, last.copy(), rows, beside, series.skip, drift, tracker, track)

    def after(self, rows: Floats, beside: Floats) -> Present:
        """When more rows (T, m) have come.

        What is missing can only be filtered, and so is all that comes after it.
        """
        kept = len(self.rows)
        newest = replace(
            self,
            rows=np.vstack([self.rows, rows])[-kept:],
            beside=np.vstack([self.beside, beside])[-kept:],
        )
        track = self.track
        if track is None and np.isnan(rows).any():
            track = self._begun()
        if track is None:
            inputs = np.hstack([np.vstack([self.last, rows[:-1]]), beside])
            return replace(
                newest, state=_state_after(self.loop, self.state, inputs), last=rows[-1].copy()
            )
        assert self.tracker is not None  # it made the track
        track, _ = self.tracker.follow(track, rows, beside)
        last = track.recent[: self.loop.outputs].copy()
        return replace(newest, track=track, state=track.state, last=last)

    def relearned(self, loop: ClosedLoop, series: Rows) -> Present:
        """At the end of these rows, with a loop that has learned from them."""
        tracker = None if self.tracker is None else replace(self.tracker, loop=loop)
        drift = self.drift
        if self.track is None:
            drift = one_step_errors(loop, Recordings((series,)))
            tracker = None if tracker is None else replace(tracker, drift=drift)
        now = replace(self, loop=loop, tracker=tracker, drift=drift)
        return now.elsewhere(series.rows, series.beside, series.skip)

    def elsewhere(self, rows: Floats, beside: Floats, skip: int) -> Present:
        """At the end of other rows (T, m), which have a start of their own."""
        skip = min(skip, len(rows) // 4)
        known = replace(self, rows=rows, beside=beside, skip=skip, track=None)
        series = Rows(rows, guessed(rows), beside, skip)
        tracker = self.tracker if self.track is not None or np.isnan(rows).any() else None
        enough = self.tracker is not None and len(rows) > series.first(self.tracker)
        if np.isnan(rows).any() and not enough:
            known._begun()  # raises, and says why
        track = series.passed(tracker)[0] if tracker is not None and enough else None
        return Present.of(self.loop, series, self.drift, self.tracker, track)

    def as_seen(self, series: Rows) -> Floats:
        """Rows to learn from: smoothed where they are noisy, filled where some are missing."""
        if self.track is None and not np.isnan(series.rows).any():
            return series.rows
        if self.tracker is None:
            self.elsewhere(series.rows, series.beside, series.skip)  # raises, and says why
        assert self.tracker is not None
        return series.smoothed_by(self.tracker)[1]

    def _begun(self) -> Track:
        """What the filter knows after rows that were trusted."""
        if self.tracker is None or len(self.rows) < self.tracker.lags:
            raise BadInput(
                "X must have a number in every row, got NaN, which a model without a filter cannot "
                "fill (few rows, a topology of your own, or observation_noise=0); fill it first"
            )
        return self.tracker.begin(guessed(self.rows), self.beside)

    def starts(self, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """States (count, N) and last values (count, m) from which the series may go on."""
        if self.track is None or self.tracker is None:
            return np.repeat(self.state[None], count, 0), np.repeat(self.last[None], count, 0)
        tracker = self.honest(self.tracker)
        series = Rows(self.rows, guessed(self.rows), self.beside, self.skip)
        known, _ = series.passed(tracker)
        return tracker.sample(self.track._replace(covariance=known.covariance), count, rng)

    def paths(self, steps: int, count: int, beside: Floats, rng: np.random.Generator) -> Floats:
        """Ways (count, steps, m) in which the series may go on."""
        states, lasts = self.starts(count, rng)
        shocks = rng.standard_normal((count, steps, len(self.last))) * np.sqrt(self._true_drift())
        exogenous = np.broadcast_to(beside, (count, *beside.shape))
        return self.loop.runs(steps, states, lasts, exogenous, shocks)[0]

    def honest(self, tracker: Tracker) -> Tracker:
        """The tracker with an error of the model whose deviations are those of its true errors."""
        return replace(tracker, drift=np.maximum(tracker.drift, LEAST_DRIFT**2 * tracker.noise))

    def _true_drift(self) -> Floats:
        if self.track is None or self.tracker is None:
            return self.drift
        return self.honest(self.tracker).drift

    def tensors(self) -> Tensors:
        """All that a file needs besides the loop."""
        found = {
            "recent_rows": np.nan_to_num(self.rows),
            "recent_missing": np.isnan(self.rows).astype(float),  # a file has finite numbers only
            "recent_beside": self.beside,
            "drift": self.drift,
        }
        if self.tracker is not None:
            found["observation_variance"] = self.tracker.noise
        if self.track is not None:
            found |= {f"track_{name}": part for name, part in self.track._asdict().items()}
        return found

    @staticmethod
    def from_tensors(
        tensors: Tensors, loop: ClosedLoop, state: Floats, last: Floats, skip: int
    ) -> Present:
        """What `tensors` described; files of version 0.2 have the state alone."""
        m, e = loop.outputs, loop.reservoir.n_inputs - loop.outputs
        rows = tensors.get("recent_rows", np.zeros((0, m)))
        rows = np.where(tensors.get("recent_missing", np.zeros((0, m))) > 0.0, np.nan, rows)
        beside, drift = (
            tensors.get("recent_beside", np.zeros((0, e))),
            tensors.get("drift", np.zeros(m)),
        )
        tracker, track = None, None
        if "observation_variance" in tensors:
            tracker = Tracker(loop, tensors["observation_variance"], drift)
        if tracker is not None and "track_state" in tensors:
            track = Track(*(tensors[f"track_{name}"] for name in Track._fields))
            tracker.check(track)
        fits = rows.shape == (len(rows), m) and beside.shape == (len(rows), e)
        if not fits or drift.shape != (m,) or (tracker and tracker.noise.shape != (m,)):
            raise ValueError("what is known of the newest rows does not fit the network")
        return Present(loop, state, last, rows, beside, skip, drift, tracker, track)


def _state_after(loop: ClosedLoop, state: Floats | None, inputs: Floats) -> Floats:
    """The state after these inputs."""
    for states in drive_chunks(loop.reservoir, inputs, start=state):
        state = states[-1].copy()
    assert state is not None  # there is at least one row
    return state
