"""A forecaster that runs free: it learns one step ahead, then its forecasts become its input."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..driving import drive_chunks
from ..readout import Weights, solve
from .base import SELECTION_ROWS, BaseESN, with_limited_threads
from .calibration import Calibrated
from .candidates import FORECAST, Candidate, Plan
from .closed_loop import ClosedLoop
from .features import Frame
from .scaling import Scaler
from .search import FEWEST, MOST, PENALTY_SHARES, TrainingData, Windows
from .validation import validated

Choice = tuple[Candidate, float, float]  # with the penalty as a share of the trace, and the carry
MARGIN = 0.1  # of the range of a series: a forecast farther outside has left it


class OutOfRange(RuntimeWarning):
    """A free run left the range of the training series."""


@dataclass(eq=False, repr=False)
class ESNForecaster(BaseESN):
    """Echo state network that continues a series, its output closed upon its input.

    ŝ_{k+1} = s_k + b + Wᵀ x_k, or the same without s_k. `fit(series)` takes (T,) or (T, d), rows in
    the order of time, and `exogenous` (T, e), columns whose future will be known. Parameters as in
    ESNRegressor, except: memory, bend and penalty "auto" choose by free runs over held-out windows
    of the series, because one-step errors say little about how long a free run stays accurate;
    noise: deviation of white noise added to the standardised input while the readout is learned. It
    is tiny, and it matters: without it a readout that is right to six digits on the attractor may
    push nearby states away from it (Rössler: a spurious transverse exponent of +3 per unit of
    time).

    Learned: as in ESNRegressor, closed_loop_ (a `System`) and score_, the mean logarithm of the
    valid steps in the held-out windows.

    >>> import spheresn as sn
    >>> wave = sn.datasets.mso(1500)
    >>> forecaster = ESNForecaster(units=200, bend=0, memory=30, random_state=0).fit(wave[:1000])
    >>> bool(np.abs(forecaster.forecast(300) - wave[1000:1300]).max() < 0.2)
    True
    """

    _penalty_rules = ("loo", "auto")

    penalty: float | str = "auto"
    noise: float = 1e-5

    @with_limited_threads
    def fit(self, X: Any, y: Any = None, exogenous: Any = None) -> Self:
        """Choose the network, learn the series, and stand at its end. `y` is not used."""
        series = self._table(X, reset=True)
        beside = self._exogenous(exogenous, len(series), reset=True)
        self._one_column = np.ndim(X) == 1
        self.scaler_, self.exogenous_scaler_ = Scaler.of(series), Scaler.of(beside)
        self.low_, self.high_ = series.min(axis=0), series.max(axis=0)
        plan = self._plan()
        rng = np.random.default_rng([plan.seed, 1])
        noise = _validation.real("noise", self.noise, 0.0)
        data = TrainingData.of(
            self.scaler_.forward(series), self.exogenous_scaler_.forward(beside), noise, rng
        )
        candidate, share, carry = self._choose(plan, data)
        calibrated = plan.final(data.inputs, candidate)
        frame = self._frame(calibrated, data)
        sums = self._accumulate(frame, [data.noisy_inputs], [data.targets])
        self.closed_loop_ = _loop(frame, self._solve(*sums, share), carry)
        self.reservoir_, self.washout_ = frame.reservoir, frame.washout
        self._remember(candidate, calibrated)
        self.last_ = data.series[-1].copy()
        self.state_ = self._observe(None, data.inputs)
        return self

    def forecast(self, steps: int, exogenous: Any = None) -> Floats:
        """The next `steps` rows (steps, d), with the exogenous columns (steps, e) of these rows.

        The forecaster itself stays where it is.
        """
        check_is_fitted(self)
        count = _validation.whole("steps", steps, 1)
        beside = self.exogenous_scaler_.forward(self._exogenous(exogenous, count, reset=False))
        outputs, finite = self.closed_loop_.run(
            count, self.state_, self.last_, np.ascontiguousarray(beside)
        )
        result = self.scaler_.backward(outputs)
        if not np.isfinite(result).all():
            finite = int(np.argmin(np.isfinite(result).all(axis=1)))
            result[finite:] = result[finite - 1] if finite else self.scaler_.backward(self.last_)
        self._report(result, finite)
        return result[:, 0] if self._one_column else result

    def update(self, X: Any, exogenous: Any = None) -> Self:
        """Observe rows that came after the fit or the last update; forecasts begin after them.

        The readout stays as it is.
        """
        check_is_fitted(self)
        series = self.scaler_.forward(self._table(X, reset=False))
        beside = self.exogenous_scaler_.forward(
            self._exogenous(exogenous, len(series), reset=False)
        )
        before = np.vstack([self.last_, series[:-1]])
        self.state_ = self._observe(self.state_, np.hstack([before, beside]))
        self.last_ = series[-1].copy()
        return self

    def predict(self, X: Any, exogenous: Any = None) -> Floats:
        """For each row of a series (T, d) the forecast of the next one, from a fresh start.

        The exogenous columns (T, e) belong to the rows that are forecast.
        """
        check_is_fitted(self)
        series = self.scaler_.forward(self._table(X, reset=False))
        beside = self.exogenous_scaler_.forward(
            self._exogenous(exogenous, len(series), reset=False)
        )
        frame = Frame(
            Scaler.identity(self.reservoir_.n_inputs),
            self.reservoir_,
            self.washout_,
            self.closed_loop_.quadratic,
        )
        outputs = frame.read(np.hstack([series, beside]), self.closed_loop_.weights)
        result = _validation.finite(
            "the prediction", self.scaler_.backward(self.closed_loop_.carry * series + outputs)
        )
        return result[:, 0] if self._one_column else result

    def _choose(self, plan: Plan, data: TrainingData) -> Choice:
        """What makes free runs stay accurate longest in the held-out windows."""
        found = self._candidates(plan, FORECAST)
        if len(data.series) < FEWEST:
            return found[len(found) // 2], PENALTY_SHARES[-1], 1.0
        training, windows = Windows.of(data.last(MOST) if len(data.inputs) > MOST else data)
        scores: dict[Choice, tuple[float, float]] = {}
        for candidate in found:
            calibrated = plan.search(data.inputs, candidate)
            if calibrated is not None:
                frame = self._frame(calibrated, training)
                scores |= {
                    (candidate, *how): score
                    for how, score in self._scores(frame, training, windows).items()
                }
        if not scores:
            plan.final(data.inputs, found[0])  # raises, and says what can be reached
        best = max(scores, key=lambda one: scores[one])
        self.score_ = scores[best][0]
        return best

    def _scores(
        self, frame: Frame, training: TrainingData, windows: Windows
    ) -> dict[tuple[float, float], tuple[float, float]]:
        """The score of each penalty and carry."""
        gram, sample = self._accumulate(frame, [training.noisy_inputs], [training.targets])
        if self.penalty == "auto":
            solutions = {share: solve(gram, share * gram.trace) for share in PENALTY_SHARES}
        else:
            solutions = {0.0: self._solve(gram, sample)}
        states = windows.states(frame.reservoir)
        return {
            (share, carry): windows.score(_loop(frame, weights, carry), states)
            for share, weights in solutions.items()
            for carry in (1.0, 0.0)
        }

    def _frame(self, calibrated: Calibrated, data: TrainingData) -> Frame:
        frame = Frame(
            Scaler.identity(data.inputs.shape[1]),
            calibrated.reservoir,
            self._washout(calibrated.exponent, len(data.inputs)),
        )
        if self.features == "linear":
            return frame
        first = data.first(SELECTION_ROWS)
        return self._with_products(frame, [first.noisy_inputs], [first.targets])

    def _observe(self, state: Floats | None, rows: Floats) -> Floats:
        """The state after these rows."""
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

    def _exogenous(self, exogenous: Any, rows: int, *, reset: bool) -> Floats:
        table = (
            np.zeros((rows, 0))
            if exogenous is None
            else _validation.table("exogenous", np.asarray(exogenous))
        )
        columns = table.shape[1] if reset else len(self.exogenous_scaler_.mean)
        if table.shape != (rows, columns):
            raise BadInput(
                f"exogenous must have shape ({rows}, {columns}), got {table.shape}; pass one row "
                "for each time, with the columns of fit"
            )
        return table

    def _report(self, result: Floats, finite: int) -> None:
        """Warn of a forecast outside the range of the training series.

        A backtest judges by other bounds (`forecasting.methods.clip_divergent`): it has the series
        at hand, and lets a trend go on.
        """
        with np.errstate(over="ignore"):
            margin = MARGIN * (self.high_ - self.low_)
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
