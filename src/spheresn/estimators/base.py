"""What the three estimators share: parameters, series in many shapes, and the choice of a
network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from numbers import Integral
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from .. import _validation
from .._errors import BadInput
from .._numerics import limit_threads
from .._validation import Floats
from ..readout import Gram, Quadratic, Sample, Weights, solve
from ..readout.loo import choose_penalty
from .accumulate import sums_of
from .calibration import Dialled
from .candidates import REGRESSION, Plan, Setting, ladder, plan_of
from .streaming import Frame, Scaler

# Rows after which a network is chosen for good; a stream waits for them, a fit looks at no more
SETTLE = 5000
FEW_SERIES = 20  # of fewer than these a network is not chosen
PROBE_UNITS = 300  # a smaller network stands in for a large one while memory and bend are chosen
THREADS_PAY = 800  # units; all products of a fit are those of one library
WASHOUT_MEMORIES = 10  # times the memory: e^-10 of a start is left


Method = TypeVar("Method", bound=Callable[..., Any])


def light(method: Method) -> Method:
    """With one thread for linear algebra where the network is small."""

    @wraps(method)
    def call(self: Network, *arguments: Any, **options: Any) -> Any:
        with limit_threads(self.units if isinstance(self.units, Integral) else 0, THREADS_PAY):
            return method(self, *arguments, **options)

    return cast(Method, call)


class Network(BaseEstimator):  # type: ignore[misc]
    """Parameters of the network and of its readout."""

    _penalty_rules: tuple[str, ...] = ("loo",)

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
        penalty: float | str = "loo",
        features: str = "linear",
        components: int | None = None,
        washout: int | str = "auto",
        readout: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.units = units
        self.activation = activation
        self.topology = topology
        self.density = density
        self.bend = bend
        self.memory = memory
        self.spectral_radius = spectral_radius
        self.input_scaling = input_scaling
        self.bias_ratio = bias_ratio
        self.leak = leak
        self.penalty = penalty
        self.features = features
        self.components = components
        self.washout = washout
        self.readout = readout
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _plan(self) -> Plan:
        _validation.one_of("features", self.features, ("linear", "quadratic"))
        if self.penalty not in self._penalty_rules:
            _validation.real("penalty", self.penalty, 0.0)
        return plan_of(self, _seed(self.random_state))

    def _settle(self, series: Sequence[Floats], targets: Sequence[Floats]) -> Frame:
        """Scaling, network, washout and features from the first rows of one series, or from some of
        many.
        """
        series, targets = _some(series), _some(targets)
        plan, rows = self._plan(), np.vstack(series)
        scaler = Scaler.of(rows)
        rungs = ladder(REGRESSION, self.activation, self.memory, self.bend)[
            : 1 if plan.scalings else None
        ]
        setting = rungs[0] if len(rungs) == 1 else self._best(plan, scaler, rungs, series, targets)
        dialled = plan.final(scaler.forward(rows), setting)
        frame = Frame(scaler, dialled.reservoir, self._washout(dialled.exponent, len(rows)))
        self._remember(setting, dialled)
        return frame if self.features == "linear" else self._with_products(frame, series, targets)

    def _best(
        self,
        plan: Plan,
        scaler: Scaler,
        rungs: list[Setting],
        series: Sequence[Floats],
        targets: Sequence[Floats],
    ) -> Setting:
        """The rung with the least leave-one-out error, measured with a network of at most
        PROBE_UNITS units.
        """
        small = plan.with_units(min(plan.units, PROBE_UNITS))
        signal, errors = scaler.forward(np.vstack(series)), {}
        for rung in rungs:
            dialled = small.searched(signal, rung)
            if dialled is not None:
                frame = Frame(
                    scaler, dialled.reservoir, self._washout(dialled.exponent, len(signal))
                )
                gram, sample = self._sums(frame, series, targets)
                errors[rung] = choose_penalty(gram, sample)[1]
        if not errors:
            plan.final(signal, rungs[0])  # raises, and says what can be reached
        return min(errors, key=lambda rung: errors[rung])

    def _remember(self, setting: Setting, dialled: Dialled) -> None:
        self.lyapunov_ = dialled.exponent
        self.memory_ = -1.0 / dialled.exponent if dialled.exponent < 0.0 else np.inf
        self.bend_ = setting.bend

    def _washout(self, exponent: float, rows: int) -> int:
        if self.washout != "auto":
            return _validation.whole("washout", self.washout, 0)
        limit = min(rows, SETTLE) // 4
        return limit if exponent >= 0.0 else min(int(np.ceil(-WASHOUT_MEMORIES / exponent)), limit)

    def _with_products(
        self, frame: Frame, series: Sequence[Floats], targets: Sequence[Floats]
    ) -> Frame:
        """Quadratic features, their number chosen by the leave-one-out error where it is not
        given.
        """
        # Of the states, whatever the readout sees of them
        gram, _ = Network._sums(self, frame, series, targets)
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
        return min(frames, key=lambda one: choose_penalty(*self._sums(one, series, targets))[1])

    def _sums(
        self, frame: Frame, series: Sequence[Floats], targets: Sequence[Floats]
    ) -> tuple[Gram, Sample]:
        """Gram matrix and sample of all series, each from its own start."""
        lessons = [
            (x, y, self._washout_of(frame, len(x))) for x, y in zip(series, targets, strict=True)
        ]
        gram, sample = sums_of(frame, lessons, self.n_jobs)
        return with_rows(gram), sample

    def _washout_of(self, frame: Frame, length: int) -> int:
        return frame.washout if self.washout != "auto" else frame.washout_for(length)

    def _solve(self, gram: Gram, sample: Sample) -> Weights:
        """The readout of the sums."""
        if self.penalty == "loo":
            self.penalty_, self.loo_error_, weights = choose_penalty(gram, sample)
            return weights
        self.penalty_ = float(self.penalty)
        return solve(gram, self.penalty_)


def _seed(random_state: Any) -> int:
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError:
        rule = "random_state must be a whole number of at least 0, None or a numpy RandomState"
        raise BadInput(f"{rule}, got {random_state!r}; pass a number") from None


def with_rows(gram: Gram) -> Gram:
    """A fit that washout leaves without rows has nothing to learn from."""
    if gram.count == 0:
        raise BadInput(
            "the series must be longer than the washout, got no rows after it; pass longer ones "
            "or lower washout"
        )
    return gram


def _some(series: Sequence[Floats]) -> list[Floats]:
    """About SETTLE rows, of every n-th series, so that no kind that comes late is missed; of few
    long ones the first rows of each.
    """
    stride = -(-sum(len(rows) for rows in series) // SETTLE)
    if stride <= 1 or len(series) >= FEW_SERIES * stride:
        return list(series[::stride])
    kept = series[:: -(-len(series) // FEW_SERIES)]
    return [rows[: SETTLE // len(kept)] for rows in kept]
