"""A forecaster that runs free: taught one step ahead, it hears its own forecasts."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..driving import drive_chunks
from ..readout import Gram, Sample, Weights, solve
from ..readout.loo import choose_penalty
from .base import SETTLE, Network, light
from .calibration import Dialled
from .candidates import FORECAST, Plan, Setting, ladder
from .closed_loop import ClosedLoop
from .search import FEWEST, MOST, PENALTY_SHARES, Lesson, Windows
from .streaming import Frame, Scaler
from .validation import validated

Choice = tuple[Setting, float, float]
OUTSIDE = 0.1  # of the training range: a forecast farther out than this is reported


class OutOfRange(RuntimeWarning):
    """A free run left the range of the training series."""


class ESNForecaster(Network):
    """Echo state network that continues a series: ŝ_{k+1} = s_k + b + Wᵀ x_k, or without s_k,
    closed upon itself.

    `fit(series)` takes (T,) or (T, d), rows in the order of time, and `known` (T, e), columns whose
    future will be known. Parameters as in ESNRegressor, except: memory, bend and penalty "auto"
    choose by free runs over held-out windows of the series, since one-step errors say little about
    how long a free run stays true; noise: deviation of white noise added to the standardised input
    while the readout is learned. It is tiny, and it matters: without it a readout that is right to
    six digits on the attractor may push nearby states away from it (Rössler: a spurious transverse
    exponent of +3 per unit of time).

    Learned: as in ESNRegressor, closed_loop_ (a `System`) and score_, the mean logarithm of the
    valid steps in the held-out windows.

    >>> import spheresn as sn
    >>> wave = sn.datasets.mso(1500)
    >>> forecaster = ESNForecaster(units=200, bend=0, memory=30, random_state=0).fit(wave[:1000])
    >>> bool(np.abs(forecaster.forecast(300) - wave[1000:1300]).max() < 0.2)
    True
    """

    _penalty_rules = ("loo", "auto")

    def __init__(
        self,
        units: int = 500,
        *,
        activation: str = "spherical",
        topology: Any = "ring",
        density: float | None = None,
        bend: float | str = "auto",
        memory: float | str = "auto",
        spectral_radius: float | None = None,
        input_scaling: float | None = None,
        bias_ratio: float = 3.0,
        leak: float = 1.0,
        penalty: float | str = "auto",
        noise: float = 1e-5,
        features: str = "linear",
        components: int | None = None,
        washout: int | str = "auto",
        random_state: Any = None,
    ) -> None:
        super().__init__(
            units, activation=activation, topology=topology, density=density, bend=bend, memory=memory, spectral_radius=spectral_radius,
            input_scaling=input_scaling, bias_ratio=bias_ratio, leak=leak, penalty=penalty, features=features, components=components,
            washout=washout, random_state=random_state,
        )  # fmt: skip
        self.noise = noise

    @light
    def fit(self, X: Any, y: Any = None, known: Any = None) -> Self:
        """Choose the network, teach it the series, and stand at its end. `y` is not used."""
        series = self._table(X, reset=True)
        beside = self._known(known, len(series), reset=True)
        self._one_column = np.ndim(X) == 1
        self.scaler_, self.known_scaler_ = Scaler.of(series), Scaler.of(beside)
        self.low_, self.high_ = series.min(axis=0), series.max(axis=0)
        plan = self._plan()
        rng = np.random.default_rng([plan.seed, 1])
        noise = _validation.real("noise", self.noise, 0.0)
        lesson = Lesson.of(
            self.scaler_.forward(series), self.known_scaler_.forward(beside), noise, rng
        )
        setting, share, carry = self._choice(plan, lesson)
        dialled = plan.final(lesson.rows, setting)
        frame = self._frame(dialled, lesson)
        weights = self._weights(*self._sums(frame, [lesson.taught], [lesson.answers]), share)
        self.closed_loop_ = _loop(frame, weights, carry)
        self.reservoir_, self.washout_ = frame.reservoir, frame.washout
        self._remember(setting, dialled)
        self.last_ = lesson.series[-1].copy()
        self.state_ = self._heard(None, lesson.rows)
        return self

    def forecast(self, steps: int, known: Any = None) -> Floats:
        """The next `steps` rows (steps, d); `known` (steps, e) is what is known of them. The
        forecaster stays where it is.
        """
        check_is_fitted(self)
        count = _validation.whole("steps", steps, 1)
        beside = self.known_scaler_.forward(self._known(known, count, reset=False))
        outputs, finite = self.closed_loop_.run(
            count, self.state_, self.last_, np.ascontiguousarray(beside)
        )
        result = self.scaler_.backward(outputs)
        if not np.isfinite(result).all():
            finite = int(np.argmin(np.isfinite(result).all(axis=1)))
            result[finite:] = result[finite - 1] if finite else self.scaler_.backward(self.last_)
        self._report(result, finite)
        return result[:, 0] if self._one_column else result

    def update(self, X: Any, known: Any = None) -> Self:
        """Take in rows that came after the fit or the last update; forecasts begin after them. The
        readout stays as it is.
        """
        check_is_fitted(self)
        series = self.scaler_.forward(self._table(X, reset=False))
        beside = self.known_scaler_.forward(self._known(known, len(series), reset=False))
        heard = np.vstack([self.last_, series[:-1]])
        self.state_ = self._heard(self.state_, np.hstack([heard, beside]))
        self.last_ = series[-1].copy()
        return self

    def predict(self, X: Any, known: Any = None) -> Floats:
        """For each row of a series (T, d) the forecast of the next one, from a fresh start; `known`
        (T, e) belongs to the row forecast.
        """
        check_is_fitted(self)
        series = self.scaler_.forward(self._table(X, reset=False))
        beside = self.known_scaler_.forward(self._known(known, len(series), reset=False))
        frame = Frame(
            _identity(self.reservoir_.n_inputs),
            self.reservoir_,
            self.washout_,
            self.closed_loop_.quadratic,
        )
        outputs = frame.read(np.hstack([series, beside]), self.closed_loop_.weights)
        result = _validation.finite(
            "the prediction", self.scaler_.backward(self.closed_loop_.carry * series + outputs)
        )
        return result[:, 0] if self._one_column else result

    def _choice(self, plan: Plan, lesson: Lesson) -> Choice:
        """The setting, the penalty as a share of the trace, and the carry whose free runs stay true
        longest in the held-out windows.
        """
        rungs = ladder(FORECAST, self.activation, self.memory, self.bend)[
            : 1 if plan.scalings else None
        ]
        if len(lesson.series) < FEWEST:
            return rungs[len(rungs) // 2], PENALTY_SHARES[-1], 1.0
        taught, windows = Windows.of(lesson.last(MOST) if len(lesson.rows) > MOST else lesson)
        scores: dict[Choice, tuple[float, float]] = {}
        for rung in rungs:
            dialled = plan.searched(lesson.rows, rung)
            if dialled is not None:
                frame = self._frame(dialled, taught)
                scores |= {
                    (rung, *how): score
                    for how, score in self._scores(frame, taught, windows).items()
                }
        if not scores:
            plan.final(lesson.rows, rungs[0])  # raises, and says what can be reached
        best = max(scores, key=lambda one: scores[one])
        self.score_ = scores[best][0]
        return best

    def _scores(
        self, frame: Frame, taught: Lesson, windows: Windows
    ) -> dict[tuple[float, float], tuple[float, float]]:
        """For each penalty and carry that is to be tried, the score."""
        gram, sample = self._sums(frame, [taught.taught], [taught.answers])
        if self.penalty == "auto":
            solutions = {share: solve(gram, share * gram.trace) for share in PENALTY_SHARES}
        else:
            solutions = {0.0: self._weights(gram, sample, 0.0)}
        states = windows.states(frame.reservoir)
        tried = [(share, carry) for share in solutions for carry in (1.0, 0.0)]
        return {
            (share, carry): windows.score(_loop(frame, solutions[share], carry), states)
            for share, carry in tried
        }

    def _weights(self, gram: Gram, sample: Sample, share: float) -> Weights:
        if self.penalty == "loo":
            self.penalty_, _, weights = choose_penalty(gram, sample)
            return weights
        self.penalty_ = share * gram.trace if self.penalty == "auto" else float(self.penalty)
        return solve(gram, self.penalty_)

    def _frame(self, dialled: Dialled, lesson: Lesson) -> Frame:
        frame = Frame(
            _identity(lesson.rows.shape[1]),
            dialled.reservoir,
            self._washout(dialled.exponent, len(lesson.rows)),
        )
        if self.features == "linear":
            return frame
        return self._with_products(frame, [lesson.taught[:SETTLE]], [lesson.answers[:SETTLE]])

    def _heard(self, state: Floats | None, rows: Floats) -> Floats:
        for states in drive_chunks(self.reservoir_, rows, start=state):
            state = states[-1].copy()
        assert state is not None  # there is at least one row
        return state

    def _table(self, X: Any, *, reset: bool) -> Floats:
        one_column = reset or self.n_features_in_ == 1
        rows = X.reshape(-1, 1) if isinstance(X, np.ndarray) and X.ndim == 1 and one_column else X
        rows = rows.to_frame() if hasattr(rows, "to_frame") else rows
        table: Floats = validated(self, rows, reset=reset, ensure_min_samples=3 if reset else 1)
        return table

    def _known(self, known: Any, rows: int, *, reset: bool) -> Floats:
        table = (
            np.zeros((rows, 0)) if known is None else _validation.table("known", np.asarray(known))
        )
        columns = table.shape[1] if reset else len(self.known_scaler_.mean)
        if table.shape != (rows, columns):
            raise BadInput(
                f"known must have shape ({rows}, {columns}), got {table.shape}; one row for each "
                "time, the columns of fit"
            )
        return table

    def _report(self, result: Floats, finite: int) -> None:
        with np.errstate(over="ignore"):
            margin = OUTSIDE * (self.high_ - self.low_)
            outside = (result < self.low_ - margin) | (result > self.high_ + margin)
        if finite < len(result) or outside.any():
            step = int(np.argmax(outside.any(axis=1))) if outside.any() else finite
            sentence = (
                f"the forecast leaves the range of the training series at step {step}; do not "
                "trust it from there"
            )
            warnings.warn(sentence, OutOfRange, stacklevel=3)


def _loop(frame: Frame, weights: Weights, carry: float) -> ClosedLoop:
    """Closed over the half of the readout that gives steps (carry 1) or values (carry 0)."""
    columns = len(weights.intercept) // 2
    half = slice(0, columns) if carry else slice(columns, None)
    return ClosedLoop(frame.reservoir, weights.outputs(half), carry, frame.quadratic)


def _identity(columns: int) -> Scaler:
    return Scaler(np.zeros(columns), np.ones(columns))
