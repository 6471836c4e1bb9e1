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
from ..readout import Gram, Quadratic, Sample, Weights, solve
from ..readout.loo import choose_penalty
from ..readout.ridge import solve_within
from ..selection.calibration import Calibrated
from ..selection.candidates import REGRESSION, Candidate, candidates
from ..selection.plan import Plan, plan_of
from ..series.scaling import Scaler
from .accumulate import TrainingSeries, accumulate_series
from .features import Frame
from .pasts import Pasts
from .regression_search import DEFAULTS, RegressionSearch, selection

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
        series, targets = selection(series), selection(targets)
        plan, rows = self._plan(), np.vstack(series)
        scaler = Scaler.of(rows)
        found = self._candidates(plan, REGRESSION)
        best, near = found[0], None
        if len(found) > 1:
            search = RegressionSearch(
                plan,
                scaler,
                series,
                targets,
                self._washout,
                lambda frame, sampled: self._accumulate_steps(
                    frame, series, targets, sampled=sampled
                ),
            )
            best, near = search.best(found)
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

    def _remember(self, candidate: Candidate, calibrated: Calibrated) -> None:
        self.lyapunov_: Any = calibrated.exponent
        self.memory_: Any = -1.0 / calibrated.exponent if calibrated.exponent < 0.0 else np.inf
        self.bend_: Any = candidate.bend
        self.bias_ratio_ = candidate.bias_ratio

    def _washout(self, exponent: float, rows: int) -> int:
        if self.washout != "auto":
            return _validation.whole("washout", self.washout, 0)
        limit = min(rows, DEFAULTS.rows) // 4
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
