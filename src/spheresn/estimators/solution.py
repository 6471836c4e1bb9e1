"""What a fit has found, and the attributes of an estimator that read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from .._validation import Floats
from ..readout import Moments, Sample, Triangle, solve
from ..readout.loo import choose_penalty, choose_precisely
from ..readout.ridge import solve_within
from ..selection.plan import Chosen
from .features import FeatureMap

THREADS_PAY = 800  # units; all products of a fit are those of one library

Value = TypeVar("Value")


class Network(NamedTuple):
    """A network with its features, and how it was chosen: whether its readout must be orthogonal,
    and what was tried.
    """

    feature_map: FeatureMap
    chosen: Chosen
    precise: bool = False
    tried: Sequence[dict[str, Any]] | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    """A readout, the Weights or a regressor of the user's own, and what was found with it.

    loo_error: where the leave-one-out error chose the penalty. state: after the last row of a
    stream. sharpness: of a classifier's probabilities.
    """

    weights: Any
    penalty: float | None = None
    loo_error: float | None = None
    state: Floats | None = None
    sharpness: float | None = None

    @staticmethod
    def of(
        moments: Moments,
        sample: Sample,
        penalty: float | str,
        again: Callable[[], Moments] | None = None,
    ) -> Solution:
        """The ridge readout of the moments; "loo" chooses the penalty.

        `again` makes the same moments once more. With it, these may be overwritten.
        """
        if penalty == "loo":
            if isinstance(moments, Triangle):
                found = choose_precisely(moments, sample)
            else:
                found = choose_penalty(moments, sample)
            chosen, error, weights = found
            return Solution(weights, chosen, error)
        given = float(penalty)
        if again is None or isinstance(moments, Triangle):
            return Solution(solve(moments, given), given)
        return Solution(solve_within(moments, given) or solve(again(), given), given)

    def times(self, unit: float) -> Solution:
        """The solution for targets in another unit."""
        return replace(self, weights=self.weights.times(unit))


@dataclass(frozen=True, eq=False)
class Final:
    """A solution without its training rows or sums: it cannot learn more."""

    solution: Solution
    network: Network | None = None


class Solved(Generic[Value]):
    """An attribute that is read from the solution of the estimator, which is computed if need be.

    `_fitted()` of the estimator is an immutable value with a cached `solution`. Before a fit there
    is no such attribute.
    """

    def __init__(self, read: Callable[[Any], Value | None]) -> None:
        self._read = read

    def __set_name__(self, owner: Any, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: Any = None) -> Value:
        if model is None:
            return self  # type: ignore[return-value]  # of the class, not of an estimator
        value = self._read(model._fitted()) if "_learned" in vars(model) else None
        if value is None:
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self._name!r}")
        return value

    def __set__(self, model: Any, value: Any) -> NoReturn:
        raise AttributeError(f"{self._name} is learned; fit {type(model).__name__} to change it")
