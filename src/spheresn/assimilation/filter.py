"""The extended Kalman filter of a system with a known derivative, and its fixed-lag smoother.

    predict:  z ← F(z),  S ← (DF S, G)
    correct:  c = h·h + R,  z ← z + S h (y - z_i)/c,  S ← S - S h hᵀ/(c + √(R c)),  h = S_i

The covariance of the state is S Sᵀ, that of the error of the model G Gᵀ, and R is the
variance of the noise of one column, which measures the component z_i; S_i is a row of S. The
columns of a row correct one after the other [AND68]; a missing value corrects nothing. The
likelihood of the rows is the product of those of the innovations y - z_i, each normal with
variance c.

S has few columns. Where there are more than twice as many as the `rank`, S is turned to its
principal axes, of which the longest are kept [VER97]. A value of the past that is still to be
smoothed is one more row of S and is corrected together with the state. Its part along a dropped
axis stays as it is, because later rows cannot correct directions in which the state does not move.
On a linear system, if no axis is dropped along which the state moves, filter and smoother are
exact: those of Kalman, and of Rauch, Tung and Striebel [KAL60, RTS65].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..reservoir import check_system
from ..system import System
from .estimate import Estimate, principal_axes


@dataclass(frozen=True, eq=False)
class Assimilated:
    """Estimates of the components that rows (T, q) measure.

    filtered, smoothed (T, q): their means, from the rows up to each time, and from `lag` rows more.
    filtered_covariances, smoothed_covariances (T, q, q). innovations (T, q): rows minus their
    forecasts, NaN where nothing was measured, and their `variances`. last: the state after
    the last row. log_likelihood: that of all rows.

    >>> import spheresn as sn
    >>> half = sn.Reservoir([[0.5]], inputs=[0.0], activation=sn.Linear())
    >>> known, step = Estimate(np.zeros(1), np.ones((1, 1))), np.ones((1, 1))
    >>> found = assimilate(half, [[1.0], [2.0]], [0], [1.0], step, known, inputs=np.zeros((2, 1)))
    >>> found.innovations.ravel().tolist(), found.variances.ravel().round(3).tolist()
    ([1.0, 1.75], [2.0, 2.125])
    >>> round(found.log_likelihood, 3)
    -3.532
    """

    filtered: Floats
    filtered_covariances: Floats
    smoothed: Floats
    smoothed_covariances: Floats
    innovations: Floats
    variances: Floats
    last: Estimate

    @property
    def log_likelihood(self) -> float:
        """log p(rows) = -½ Σ (log 2πc + e²/c) over all innovations e with their variances c."""
        seen = np.isfinite(self.innovations)
        c, e = self.variances[seen], self.innovations[seen]
        return float(-0.5 * (np.log(2.0 * np.pi * c) + e * e / c).sum())


def advance(system: System, known: Estimate, inputs: Floats, process: Floats) -> Estimate:
    """The estimate of the state one step later, before its row.

    inputs (d,): of the step; process (n, k): the factor G of what the step adds to the covariance.

    >>> import spheresn as sn
    >>> half = sn.Reservoir([[0.5]], inputs=[0.0], activation=sn.Linear())
    >>> later = advance(half, Estimate(np.ones(1), np.ones((1, 1))), np.zeros(1), np.ones((1, 1)))
    >>> later.mean.tolist(), later.covariance.tolist()
    ([0.5], [[1.25]])
    """
    mean, carried = system.tangent_step(known.mean, inputs, known.factor)
    return Estimate(np.asarray(mean), np.hstack([carried, process]))


def assimilate(
    system: System,
    rows: Floats,
    places: Floats,
    observation: Floats,
    process: Floats,
    start: Estimate,
    *,
    inputs: Floats | None = None,
    rank: int | None = None,
    lag: int = 0,
    retract: Callable[[Floats], Floats] | None = None,
) -> Assimilated:
    """Filter and smooth rows (T, q), in which NaN is missing.

    places (q,): the components of the state that the columns measure; observation (q,): the
    variances of their noise; process (n, k): the factor G of what each step adds to the covariance;
    start: the estimate of the state at the first row, before that row; inputs (T, d): row k drives
    the step from row k to the next. rank: of the covariance, by default that of all n directions.
    lag: rows after a time that smooth it. retract: brings a corrected state back to where states
    can be, such as the sphere.

    A system at rest, measured once with noise of the variance of its estimate:

    >>> class Still:
    ...     tangent_dim = 1
    ...     def step(self, x, s):
    ...         return x
    ...     def tangent_step(self, x, s, v):
    ...         return x, v
    >>> known = Estimate(np.zeros(1), np.ones((1, 1)))
    >>> rows = np.array([[1.0], [np.nan]])
    >>> found = assimilate(Still(), rows, [0], [1.0], np.zeros((1, 1)), known)
    >>> found.filtered.ravel(), found.filtered_covariances.ravel().round(12)
    (array([0.5, 0.5]), array([0.5, 0.5]))
    """
    check_system(system)
    run = _Pass(rows, places, observation, process, start, rank, lag)
    steps = np.zeros((len(run.rows), 0)) if inputs is None else np.asarray(inputs)
    _validation.same_length("inputs", steps, "rows", run.rows)
    for k in range(len(run.rows)):
        if k:
            run.predict(*system.tangent_step(run.mean, steps[k - 1], run.state_factor))
        run.correct(k)
        if retract is not None:
            run.mean[:] = retract(run.mean)
        run.keep(k)
    return run.finished()


class _Pass:
    """The arrays of one pass. The factor has the rows of the state, then those of the past values
    (lag + 1 rows of q), the newest first.
    """

    def __init__(
        self,
        rows: Floats,
        places: Floats,
        observation: Floats,
        process: Floats,
        start: Estimate,
        rank: int | None,
        lag: int,
    ) -> None:
        n = len(start.mean)
        self.rows = np.asarray(rows, dtype=np.float64)
        self.places = np.asarray(places, dtype=np.int64)
        q = len(self.places)
        if self.rows.ndim != 2 or self.rows.shape[1] != q:
            raise BadInput(
                f"rows must have one column for each of the {q} places, got shape "
                f"{self.rows.shape}; pass such rows"
            )
        if np.isinf(self.rows).any():
            raise BadInput(
                "rows must be numbers, or NaN where they are missing, got infinity; correct it"
            )
        outside = self.places[(self.places < 0) | (self.places >= n)]
        if len(outside):
            raise BadInput(
                f"places must be components of the state, 0 to {n - 1}, got {outside[0]}; pass "
                "such numbers"
            )
        self.noise = np.asarray(observation, dtype=np.float64)
        self.process = np.asarray(process, dtype=np.float64)
        if self.noise.shape != (q,) or not (self.noise >= 0.0).all():
            raise BadInput(
                f"observation must hold a variance of at least 0 for each of {q} columns, got "
                f"{self.noise}; pass such variances"
            )
        if self.process.ndim != 2 or len(self.process) != n:
            raise BadInput(
                f"process must be a factor of {n} rows, got shape {self.process.shape}; pass such "
                "a factor"
            )
        self.rank = n if rank is None else _validation.whole("rank", rank, 1)
        self.lag = _validation.whole("lag", lag, 0)
        self.n, self.q = n, q
        T = len(self.rows)
        self.mean = start.mean.astype(np.float64).copy()
        self.past = np.zeros((self.lag + 1) * q)
        columns = start.factor.shape[1]
        self.factor = np.zeros((n + len(self.past), columns))
        self.factor[:n] = start.factor
        self.settled = np.zeros((self.lag + 1, q, q))
        self.filtered, self.smoothed = np.empty((T, q)), np.empty((T, q))
        self.filtered_covariances, self.smoothed_covariances = (
            np.empty((T, q, q)),
            np.empty((T, q, q)),
        )
        self.innovations, self.variances = np.full((T, q), np.nan), np.full((T, q), np.nan)

    @property
    def state_factor(self) -> Floats:
        """The rows of the factor that belong to the state."""
        return np.asarray(self.factor[: self.n])

    def predict(self, mean: Floats, carried: Floats) -> None:
        """The state and its covariance one step later; the past values move back by one."""
        q, n, k_new = self.q, self.n, self.process.shape[1]
        factor = np.zeros((len(self.factor), carried.shape[1] + k_new))
        factor[:n, : carried.shape[1]] = carried
        factor[:n, carried.shape[1] :] = self.process
        factor[n + q :, : carried.shape[1]] = self.factor[n:-q] if self.lag else 0.0
        self.mean, self.factor = np.array(mean), factor
        self.past[q:] = self.past[:-q].copy() if self.lag else self.past[q:]
        self.settled[1:] = self.settled[:-1].copy()
        self.settled[0] = 0.0
        if factor.shape[1] > 2 * min(self.rank, n) + k_new:
            self._reduce()

    def _reduce(self) -> None:
        """Turn the factor to its principal axes and keep the longest."""
        turned = self.factor @ principal_axes(self.factor[: self.n])
        kept = min(self.rank, self.n)
        dropped = turned[self.n :, kept:].reshape(self.lag + 1, self.q, -1)
        self.settled += dropped @ dropped.transpose(0, 2, 1)
        self.factor = turned[:, :kept].copy()

    def correct(self, k: int) -> None:
        """Correct state and past values by what row k measured, one column after the other."""
        n, q = self.n, self.q
        # The newest value is the state's own
        self.past[:q], self.factor[n : n + q] = self.mean[self.places], self.factor[self.places]
        for i, (place, value) in enumerate(zip(self.places, self.rows[k], strict=True)):
            if not np.isfinite(value):
                continue
            h = self.factor[place].copy()
            c = float(h @ h + self.noise[i])
            gap = float(value - self.mean[place])
            self.innovations[k, i], self.variances[k, i] = gap, c
            if c == 0.0:
                continue
            along = self.factor @ h
            self.mean += along[:n] * (gap / c)
            self.past += along[n:] * (gap / c)
            self.factor -= np.outer(along, h / (c + np.sqrt(self.noise[i] * c)))

    def keep(self, k: int) -> None:
        """Note the filtered value, and the smoothed one that no later row will correct."""
        self.filtered[k], self.filtered_covariances[k] = self._value(0)
        if k >= self.lag:
            self.smoothed[k - self.lag], self.smoothed_covariances[k - self.lag] = self._value(
                self.lag
            )

    def _value(self, back: int) -> tuple[Floats, Floats]:
        """Mean and covariance of the value so many rows back."""
        part = slice(back * self.q, (back + 1) * self.q)
        rows = self.factor[self.n :][part]
        return self.past[part], rows @ rows.T + self.settled[back]

    def finished(self) -> Assimilated:
        """The result; the last rows are smoothed by fewer than `lag` others."""
        T = len(self.rows)
        for back in range(min(self.lag, T)):
            self.smoothed[T - 1 - back], self.smoothed_covariances[T - 1 - back] = self._value(back)
        return Assimilated(
            self.filtered,
            self.filtered_covariances,
            self.smoothed,
            self.smoothed_covariances,
            self.innovations,
            self.variances,
            Estimate(self.mean, self.state_factor),
        )
