"""What the three estimators share: parameters, the choice of a network, and the sums of a fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import wraps
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from .. import _validation
from .._errors import BadInput
from .._numerics import limit_threads
from .._validation import Floats
from ..driving import drive_into
from ..readout import Gram, Quadratic, Sample, Weights, solve
from ..readout.gram import Sums
from ..readout.loo import START, choose_penalty, screen_penalty, search_decades
from ..readout.ridge import solve_within
from ..series.scaling import Scaler
from .accumulate import TrainingSeries, accumulate_series
from .calibration import Calibrated, Point
from .candidates import REGRESSION, Candidate, Plan, candidates, plan_of
from .features import Frame
from .pasts import Pasts

# Rows by which a network is chosen; a stream waits for them, a fit looks at no more
SELECTION_ROWS = 5000
FEW_SERIES = 20  # series by which a network is chosen where each of them is long
PROBE_UNITS = 300  # a smaller network stands in for a large one while memory and bend are chosen
# All candidates are compared on windows of the series with so many rows together
WINDOW, SCREEN_ROWS, ROWS_PER_UNIT = 500, 500, 5
WORSE = 2.0  # times the least error on these rows; the candidates below it are compared on all rows
SCREEN_DECADE = -11  # few rows of a smooth series seem to bear smaller penalties than all rows do
# The candidates that are compared on all rows: for a small network they cost more than its fit
FEW_UNITS, FEWEST, FINALISTS = 200, 2, 4
# Smaller errors are those of rows left out, and more candidates are compared by them: sums, and few
# rows, say little about them
PRECISE = 0.01
THREADS_PAY = 800  # units; all products of a fit are those of one library
WASHOUT_MEMORIES = 10  # times the memory: e^-10 of a start is left


Method = TypeVar("Method", bound=Callable[..., Any])


def with_limited_threads(method: Method) -> Method:
    """The method, run with one thread for linear algebra where the network is small."""

    @wraps(method)
    def call(self: BaseESN, *arguments: Any, **options: Any) -> Any:
        with limit_threads(self.units if isinstance(self.units, Integral) else 0, THREADS_PAY):
            return method(self, *arguments, **options)

    return cast(Method, call)


# A dataclass, so that each parameter stands once: scikit-learn reads the signature of `__init__`,
# which an estimator inherits and extends by fields of its own.
@dataclass(eq=False, repr=False)
class BaseESN(BaseEstimator):  # type: ignore[misc]
    """Parameters of the network and of its readout."""

    _penalty_rules: ClassVar[tuple[str, ...]] = ("loo",)
    # What is learned only when somebody needs it, after `partial_fit`
    _late: ClassVar[tuple[str, ...]] = ()

    units: int = 500
    _: KW_ONLY
    activation: str = "spherical"
    topology: Any = "ring"
    density: float | None = None
    bend: float | str = "auto"
    memory: float | str = "auto"
    spectral_radius: float | None = None
    input_scaling: float | None = None
    bias_ratio: float | str = 3.0
    leak: float = 1.0
    penalty: float | str = "loo"
    features: str = "linear"
    components: int | None = None
    washout: int | str = "auto"
    random_state: Any = None

    # With `__getattr__`, a type checker would accept every name.
    if not TYPE_CHECKING:  # pragma: no branch - type checkers only, never at run time

        def __getattr__(self, name: str) -> Any:
            if name in self._late and vars(self).get("_stale", False):
                self._refresh()
            if name in vars(self):
                return vars(self)[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _outdate(self, names: Sequence[str]) -> None:
        """More rows have come: what these attributes hold is learned again when it is needed."""
        for name in names:
            self.__dict__.pop(name, None)
        self._stale = True

    def _plan(self) -> Plan:
        self._check_readout()
        return plan_of(self, seed_of(self.random_state), self.units)

    def _check_readout(self) -> None:
        _validation.one_of("features", self.features, ("linear", "quadratic"))
        if self.penalty not in self._penalty_rules:
            _validation.real("penalty", self.penalty, 0.0)

    def _candidates(self, plan: Plan, table: dict[str, list[Candidate]]) -> list[Candidate]:
        """The candidates of a table; given scalings leave nothing to choose."""
        found = candidates(table, plan.activation, self.memory, self.bend, self.bias_ratio)
        return found[:1] if plan.scalings else found

    def _choose_frame(self, series: Sequence[Floats], targets: Sequence[Floats]) -> Frame:
        """Scaling, network, washout and features, chosen by some of the rows."""
        lengths = [len(one) for one in series]
        series, targets = _selection(series), _selection(targets)
        plan, rows = self._plan(), np.vstack(series)
        scaler = Scaler.of(rows)
        found = self._candidates(plan, REGRESSION)
        best, near = found[0], None
        if len(found) > 1:
            best, near = self._best(plan, scaler, found, series, targets)
        # More rows than in the search may put a memory that nobody set out of reach
        calibrated = plan.final(
            scaler.forward(rows), best, nearest=self.memory == "auto", near=near
        )
        frame = Frame(scaler, calibrated.reservoir, self._washout(calibrated.exponent, len(rows)))
        self._remember(best, calibrated)
        if self.features != "linear":
            frame = self._with_products(frame, series, targets)
        # As many rows as the readout does not learn from, in the median series
        early = int(np.median([self._washout_of(frame, length) for length in lengths]))
        signals = [scaler.forward(one) for one in series]
        return replace(frame, pasts=Pasts.of(frame.reservoir, signals, early))

    def _best(
        self,
        plan: Plan,
        scaler: Scaler,
        found: list[Candidate],
        series: Sequence[Floats],
        targets: Sequence[Floats],
    ) -> tuple[Candidate, Point | None]:
        """The candidate with the least error on rows left out, and a point near its calibration.

        The error is measured with a network of at most PROBE_UNITS units. All candidates are
        compared on few rows and with approximate memories, the best of them on all rows.
        """
        small = plan.with_units(min(plan.units, PROBE_UNITS))
        signal = scaler.forward(np.vstack(series))
        points = small.approximate(signal, found)
        screened = self._screen(small, scaler, points, series, targets)
        least = min(error for _, error in screened.values())
        precise = least < PRECISE
        most = FEWEST if small.units < FEW_UNITS and not precise else FINALISTS
        errors: dict[Candidate, tuple[float, Point | None]] = {}
        for candidate, (decade, error) in screened.items():
            if len(errors) == most or (len(errors) > 1 and error > WORSE * least):
                break
            calibrated = small.search(signal, candidate, near=points[candidate])
            if calibrated is not None:
                washout = self._washout(calibrated.exponent, len(signal))
                frame = Frame(scaler, calibrated.reservoir, washout)
                gram, sample = self._accumulate_steps(frame, series, targets, sampled=precise)
                if precise:
                    error = search_decades(gram, sample, decade, (1,))[1]
                else:
                    error = screen_penalty(gram, decade, 1)[1]
                errors[candidate] = error, calibrated.point
        # Without an error there is only one memory, out of reach: the caller says so
        best = min(errors, key=lambda one: errors[one][0], default=found[0])
        return best, errors[best][1] if errors else None

    def _screen(
        self,
        plan: Plan,
        scaler: Scaler,
        points: dict[Candidate, Point],
        series: Sequence[Floats],
        targets: Sequence[Floats],
    ) -> dict[Candidate, tuple[int, float]]:
        """The candidates with the decades of their penalties and their errors on few rows.

        They come in the order of their errors. But few rows speak against long memories, so the
        best candidate is followed by the one with the next longer memory.
        """
        rows = max(SCREEN_ROWS, ROWS_PER_UNIT * plan.units)
        windows = [scaler.forward(one) for one in _windows(series, rows)]
        wanted = _windows(targets, rows)
        states = np.empty((max(len(x) for x in windows), plan.units))
        found = {}
        for candidate, network in plan.networks(points, windows[0].shape[1]).items():
            washout = self._washout(points[candidate].exponent, rows)
            sums = Sums.empty(plan.units, wanted[0].shape[1])
            for x, y in zip(windows, wanted, strict=True):
                skip = min(washout, len(x) // 4)
                sums.take(drive_into(network, x, states[: len(x)])[skip:], y[skip:])
            found[candidate] = screen_penalty(sums.moments, START, 3, SCREEN_DECADE)
        best, *others = sorted(found, key=lambda one: found[one][1])
        longer = [one.memory for one in others if one.memory > best.memory]
        second = replace(best, memory=min(longer, default=best.memory))
        order = [best, *sorted(others, key=lambda one: one != second)]
        return {one: found[one] for one in order}

    def _remember(self, candidate: Candidate, calibrated: Calibrated) -> None:
        self.lyapunov_: Any = calibrated.exponent
        self.memory_: Any = -1.0 / calibrated.exponent if calibrated.exponent < 0.0 else np.inf
        self.bend_: Any = candidate.bend
        self.bias_ratio_ = candidate.bias_ratio

    def _washout(self, exponent: float, rows: int) -> int:
        if self.washout != "auto":
            return _validation.whole("washout", self.washout, 0)
        limit = min(rows, SELECTION_ROWS) // 4
        return limit if exponent >= 0.0 else min(int(np.ceil(-WASHOUT_MEMORIES / exponent)), limit)

    def _with_products(
        self, frame: Frame, series: Sequence[Floats], targets: Sequence[Floats]
    ) -> Frame:
        """The frame with quadratic features; the leave-one-out error chooses how many, unless
        `components` says so.
        """
        gram, _ = self._accumulate_steps(frame, series, targets)
        counts = (
            [2, 5, 10, 20]
            if self.components is None
            else [_validation.whole("components", self.components, 0)]
        )
        frames = [
            Frame(frame.scaler, frame.reservoir, frame.washout, Quadratic.of(gram, count))
            for count in counts
        ]
        if len(frames) == 1:
            return frames[0]
        return min(
            frames, key=lambda one: choose_penalty(*self._accumulate(one, series, targets))[1]
        )

    def _accumulate(
        self, frame: Frame, series: Sequence[Floats], targets: Sequence[Floats]
    ) -> tuple[Gram, Sample]:
        """Gram matrix and sample of what the readout is fitted to: here, every step."""
        return self._accumulate_steps(frame, series, targets)

    def _accumulate_steps(
        self,
        frame: Frame,
        series: Sequence[Floats],
        targets: Sequence[Floats],
        *,
        sampled: bool = True,
    ) -> tuple[Gram, Sample]:
        """Gram matrix and sample of all steps of all series, each from its own start."""
        parts = [
            TrainingSeries(x, y, self._washout_of(frame, len(x)))
            for x, y in zip(series, targets, strict=True)
        ]
        gram, sample = accumulate_series(frame, parts, getattr(self, "n_jobs", None), sampled)
        return with_rows(gram), sample

    def _washout_of(self, frame: Frame, length: int) -> int:
        """The rows to leave out of one series: unless given, at most a quarter of it."""
        return frame.washout if self.washout != "auto" else min(frame.washout, length // 4)

    def _solve(
        self, gram: Gram, sample: Sample, again: Callable[[], Gram] | None = None
    ) -> Weights:
        """The readout of the sums.

        `again` makes the same sums once more. With it, these may be overwritten.
        """
        if self.penalty == "loo":
            self.penalty_, self.loo_error_, weights = choose_penalty(gram, sample)
            return weights
        self.penalty_ = float(self.penalty)
        self.__dict__.pop("loo_error_", None)  # that of an earlier fit
        if again is None:
            return solve(gram, self.penalty_)
        return solve_within(gram, self.penalty_) or solve(again(), self.penalty_)


def seed_of(random_state: Any) -> int:
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError:
        rule = "random_state must be a whole number of at least 0, None or a numpy RandomState"
        raise BadInput(f"{rule}, got {random_state!r}; pass a number") from None


def with_rows(gram: Gram) -> Gram:
    """The sums, of at least one row: the washout must leave something to learn from."""
    if gram.count == 0:
        raise BadInput(
            "the series must be longer than the washout, got no rows after it; pass longer ones "
            "or lower washout"
        )
    return gram


def _selection(series: Sequence[Floats]) -> list[Floats]:
    """About SELECTION_ROWS rows of the series.

    Of many series, every n-th, so that no kind is missed that comes late; of few long ones, the
    first rows of each.
    """
    stride = -(-sum(len(rows) for rows in series) // SELECTION_ROWS)
    if stride <= 1 or len(series) >= FEW_SERIES * stride:
        return list(series[::stride])
    kept = series[:: -(-len(series) // FEW_SERIES)]
    return [rows[: SELECTION_ROWS // len(kept)] for rows in kept]


def _windows(series: Sequence[Floats], rows: int) -> list[Floats]:
    """About so many rows of the series, in windows of at most WINDOW rows spread over them."""
    stride = -(-sum(len(one) for one in series) // rows)
    windows = [part for one in series for part in np.array_split(one, -(-len(one) // WINDOW))]
    return windows[::stride]
