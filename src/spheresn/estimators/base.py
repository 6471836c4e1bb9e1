"""What the three estimators share: parameters, the choice of a network, and the sums of a fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial, wraps
from numbers import Integral
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from .. import _validation
from .._errors import BadInput
from .._plain import Saved
from .._running import limit_threads
from .._validation import Floats
from ..compose import Driven
from ..readout import Quadratic, Sample
from ..readout.loo import choose_penalty
from ..selection.plan import GIVEN, STEP_CLASSES, Candidate, Chosen, Plan, candidates, plan_of
from ..series.scaling import Scaler
from .accumulate import TrainingSeries, accumulate_series, with_rows
from .features import FeatureMap
from .pasts import Pasts
from .regression_search import (
    REGRESSION_DEFAULTS,
    RegressionChoice,
    RegressionSearch,
    selection,
)
from .solution import THREADS_PAY, Network

WASHOUT_MEMORIES = 10  # times the memory: e^-10 of a start is left
# The same for orthogonal readouts, which magnify directions in which states hardly vary: with 10,
# the first rows erred a hundred times as much as others (development half of benchmarks/targets)
PRECISE_MEMORIES = 20


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
    _saved: ClassVar[Saved]

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

    def __sklearn_is_fitted__(self) -> bool:
        return "_learned" in vars(self) or "closed_loop_" in vars(self)

    def _what_is_saved(self) -> Saved:
        """The attributes that a file holds by their names."""
        return self._saved

    @property
    def _networks(self) -> Sequence[Driven]:
        """All networks of this estimator."""
        return [self.reservoir_]

    @property
    def _columns(self) -> int:
        """The columns of what the estimator was fitted to."""
        return self._networks[0].n_inputs

    def _plan(self) -> Plan:
        self._check_readout()
        return plan_of(self, seed_of(self.random_state), self.units)

    def _check_readout(self) -> None:
        _validation.one_of("features", self.features, ("linear", "quadratic"))
        if self.penalty not in self._penalty_rules:
            _validation.real("penalty", self.penalty, 0.0)

    def _candidates(self, plan: Plan, table: dict[str, list[Candidate]]) -> list[Candidate]:
        """The candidates of a table; given scalings leave nothing to choose."""
        if plan.given is not None:
            return [GIVEN]
        found = candidates(table, plan.activation, self.memory, self.bend, self.bias_ratio)
        return found[:1] if plan.scalings else found

    def _network_candidates(self, plan: Plan) -> list[Candidate]:
        """What a network that follows rows may be chosen from."""
        return self._candidates(plan, STEP_CLASSES)

    def _choose_network(self, series: Sequence[Floats], targets: Sequence[Floats]) -> Network:
        """Scaling, network, washout and features, chosen by some of the rows."""
        lengths = [len(one) for one in series]
        series, targets = selection(series), selection(targets)
        plan, rows = self._plan(), np.vstack(series)
        scaler = Scaler.of(rows)
        found = self._network_candidates(plan)
        choice = RegressionChoice(found[0])
        free = plan.scalings is None and plan.given is None
        if len(found) > 1 or (free and self.penalty == "loo"):
            search = RegressionSearch(
                plan,
                scaler,
                series,
                targets,
                partial(self._washout, precise=True),
                None if self.penalty == "loo" else float(self.penalty) / sum(lengths),
            )
            choice = search.best(found)
        # More rows than in the search may put a memory that nobody set out of reach
        calibrated = plan.at(choice.candidate.kind).final(
            scaler.forward(rows), choice.candidate, nearest=self.memory == "auto", near=choice.point
        )
        washout = self._washout(calibrated.exponent, len(rows), precise=choice.precise)
        feature_map = FeatureMap(scaler, calibrated.reservoir, washout)
        if self.features != "linear":
            feature_map = self._with_products(feature_map, series, targets)
        # As many rows as the readout does not learn from, in the median series
        early = int(np.median([self._washout_of(feature_map, length) for length in lengths]))
        signals = [scaler.forward(one) for one in series]
        forgotten = max(_forgotten(calibrated.exponent, PRECISE_MEMORIES, len(rows)), 1)
        feature_map = replace(
            feature_map, pasts=Pasts.of(feature_map.reservoir, signals, early, forgotten)
        )
        return Network(
            feature_map, Chosen.of(choice.candidate, calibrated), choice.precise, choice.table
        )

    def _remember(self, chosen: Chosen, reservoir: Driven, washout: int) -> None:
        self.lyapunov_: Any = chosen.lyapunov
        self.memory_: Any = chosen.memory
        self.bend_: Any = chosen.bend
        self.bias_ratio_: Any = chosen.bias_ratio
        self.reservoir_: Any = reservoir
        self.washout_: Any = washout

    def _washout(self, exponent: float, rows: int, *, precise: bool = False) -> int:
        if self.washout != "auto":
            return _validation.whole("washout", self.washout, 0)
        limit = min(rows, REGRESSION_DEFAULTS.rows) // 4
        memories = PRECISE_MEMORIES if precise else WASHOUT_MEMORIES
        return _forgotten(exponent, memories, limit)

    def _with_products(
        self, feature_map: FeatureMap, series: Sequence[Floats], targets: Sequence[Floats]
    ) -> FeatureMap:
        """The feature map with quadratic features; the leave-one-out error chooses how many, unless
        `components` says so.
        """
        gram, _ = self._accumulate(feature_map, series, targets)
        counts = (
            [2, 5, 10, 20]
            if self.components is None
            else [_validation.whole("components", self.components, 0)]
        )
        frames = [
            FeatureMap(
                feature_map.scaler,
                feature_map.reservoir,
                feature_map.washout,
                Quadratic.of(gram, count),
            )
            for count in counts
        ]
        if len(frames) == 1:
            return frames[0]
        return min(
            frames, key=lambda one: choose_penalty(*self._accumulate(one, series, targets))[1]
        )

    def _accumulate(
        self,
        feature_map: FeatureMap,
        series: Sequence[Floats],
        targets: Sequence[Floats],
        *,
        sampled: bool = True,
        precise: bool = False,
    ) -> tuple[Any, Sample]:
        """Gram matrix, or triangle if `precise`, and sample of all steps of all series, each from
        its own start.
        """
        parts = [
            TrainingSeries(x, y, self._washout_of(feature_map, len(x)))
            for x, y in zip(series, targets, strict=True)
        ]
        moments, sample = accumulate_series(
            feature_map, parts, getattr(self, "n_jobs", None), sampled, precise
        )
        return with_rows(moments), sample

    def _washout_of(self, feature_map: FeatureMap, length: int) -> int:
        """The rows to leave out of one series: unless given, at most a quarter of it."""
        return (
            feature_map.washout if self.washout != "auto" else min(feature_map.washout, length // 4)
        )


def _forgotten(exponent: float, memories: int, most: int) -> int:
    """The rows after which a start is forgotten, at most so many."""
    return most if exponent >= 0.0 else min(int(np.ceil(-memories / exponent)), most)


def seed_of(random_state: Any) -> int:
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError:
        rule = "random_state must be a whole number of at least 0, None or a numpy RandomState"
        raise BadInput(f"{rule}, got {random_state!r}; pass a number") from None
