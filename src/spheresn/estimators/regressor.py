"""A regressor for time series: the target of a row depends on that row and the rows before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from .. import _validation
from .._errors import BadInput, StateOverflow
from .._numerics import power_of_two
from .._plain import Parts, Saved, Tensors, Values
from .._running import all_or_nothing
from .._validation import Floats
from ..compose import Driven
from ..selection.plan import (
    AUTO,
    GIVEN,
    Candidate,
    Chosen,
    Kind,
    Plan,
    activation_name,
    candidates,
    candidates_of,
    kinds,
    plan_of,
    topology_name,
)
from .base import BaseESN, seed_of, with_limited_threads
from .features import FeatureMap, feature_map_from, feature_map_parts
from .regression_search import REGRESSION_DEFAULTS
from .scoring import judged, judged_weights
from .solution import Final, Network, Solution, Solved
from .streaming import Stream, StreamFit, Waiting
from .validation import as_series, as_targets, is_list, validated

Learned = Waiting | StreamFit | Final

SQUARABLE = 2.0**300  # sums of squares of such numbers fit


@dataclass(eq=False, repr=False)
class ESNRegressor(RegressorMixin, TransformerMixin, BaseESN):  # type: ignore[misc]
    """Echo state network with a ridge readout: y_k = b + Wᵀ x_k, with the state x_k after row k.

    X (T, d) and y (T,) or (T, m), rows in the order of time; or lists of such arrays, of any
    lengths. Each series of a list has its own start.

    units: size of the network. activation: "spherical", "tanh" or "linear". topology: "ring",
    "sparse" or another name of spheresn.topology, or W itself. memory: the number of steps after
    which the trace of an input has faded to 1/e; the drive is calibrated to it on the training
    signal. bend: nonlinearity of the sphere. bias_ratio: strength of the bias relative to the
    input; a strong one makes the network weakly nonlinear, none makes it odd. "auto" chooses what
    is left to it (of activations the sphere and tanh, of topologies the ring and a sparse one with
    ten links per unit) by leave-one-out errors: all candidates on some rows with 100 units, the
    best of them on up to 5,000 with 300. Instead of memory you may give spectral_radius and
    input_scaling, which scales the standardised input; then nothing is chosen.
    penalty: that of the ridge regression; "loo" chooses the one with the least leave-one-out error.
    Where smaller penalties pay than a Gram matrix of the states resolves, the readout is computed
    by an orthogonal factorisation.
    features: "linear", or "quadratic", which adds products of the `components` leading principal
    components of the states. readout: any scikit-learn regressor in place of the ridge regression.
    reservoir: a Reservoir, or several as one (`parallel`, `chain`), to be taken as it is; it gets
    the standardised input. What would draw or search a network must be left out.
    washout: rows that fit and score leave out at the start of each series; "auto" is ten memories,
    twenty before an orthogonal readout, and at most a quarter of the series. n_jobs: series driven
    in parallel (joblib).

    Learned: reservoir_, weights_, activation_, topology_, lyapunov_ (measured on the training
    signal: -1/memory), memory_, bend_, bias_ratio_, penalty_, washout_, candidates_ (what was
    tried, the best first, with leave-one-out errors in deviations of the target; finalists before
    others), low_ and high_, the range of the targets, and state_, the state after the
    last row.

    >>> import spheresn as sn
    >>> signal, target = sn.datasets.narma(2000, 0)
    >>> model = ESNRegressor(units=100, bend=0.25, memory=10, random_state=0)
    >>> model = model.fit(signal[:1500], target[:1500])
    >>> bool(model.score(signal[1500:], target[1500:]) > 0.6)
    True
    """

    _saved = Saved("_one_output", ("bias_ratio_", "loo_error_"), ("state_", "low_", "high_"))

    weights_ = Solved[Any](lambda fit: fit.solution.weights)
    penalty_ = Solved[float](lambda fit: fit.solution.penalty)
    loo_error_ = Solved[float](lambda fit: fit.solution.loo_error)
    state_ = Solved[Floats](lambda fit: fit.solution.state)
    frame_ = Solved[FeatureMap](lambda fit: fit.network.feature_map)
    reservoir_ = Solved[Driven](lambda fit: fit.network.feature_map.reservoir)
    washout_ = Solved[int](lambda fit: fit.network.feature_map.washout)
    lyapunov_ = Solved[float](lambda fit: fit.network.chosen.lyapunov)
    memory_ = Solved[float](lambda fit: fit.network.chosen.memory)
    bend_ = Solved[float](lambda fit: fit.network.chosen.bend)
    bias_ratio_ = Solved[float](lambda fit: fit.network.chosen.bias_ratio)
    activation_ = Solved[str](lambda fit: activation_name(fit.network.feature_map.reservoir))
    candidates_ = Solved[Sequence[dict[str, Any]]](lambda fit: fit.network.tried)

    activation: str = "auto"
    topology: Any = "auto"
    bias_ratio: float | str = "auto"
    reservoir: Any = None
    readout: Any = None
    n_jobs: int | None = None

    @all_or_nothing
    @with_limited_threads
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the network, drive it over the series, solve for the readout."""
        series, targets = self._checked(X, y, reset=True)
        self._note_range(targets, True)
        network = self._choose_network(series, targets)
        if self.readout is not None:
            other = Solution(self._fit_other(network.feature_map, series, targets))
            self._learned: Learned = Final(other, network)
        elif is_list(X):
            sums = self._accumulate(network.feature_map, series, targets, precise=network.precise)
            self._learned = Final(Solution.of(*sums, self.penalty).times(self._unit), network)
        else:
            self._learned = self._begun(network, series[0], targets[0])
            _ = self._learned.solution  # what fails, fails in the fit
        return self

    @all_or_nothing
    @with_limited_threads
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn from the next rows of one long series; the result is that of one fit to all rows.

        The network is chosen when 5,000 rows have arrived, or earlier if a method needs the model.
        The weights of the readout are computed when a method needs them.
        """
        if self.readout is not None or is_list(X):
            raise BadInput(
                "partial_fit must get one table and use the ridge readout, got a list or a readout "
                "of your own; call fit instead"
            )
        learned = vars(self).get("_learned", Waiting())
        if isinstance(learned, Final):
            raise BadInput(
                "partial_fit must continue a stream, got a model loaded from a file or fitted to a "
                "list; fit it again"
            )
        first = "_learned" not in vars(self)
        (rows,), (targets,) = self._checked(X, y, reset=first, least=1)
        if not first:
            self._require_outputs(targets.shape[1])
        self._note_range([targets], first)
        if isinstance(learned, StreamFit):
            stream = learned.stream.taking(rows, targets)
            self._learned = replace(learned, stream=stream, penalty=self.penalty)
        else:
            self._learned = waiting = learned.taking(rows, targets)
            if waiting.count >= REGRESSION_DEFAULTS.rows:
                self._begin()
        return self

    def predict(self, X: Any, start: Floats | None = None) -> Any:
        """Outputs (T,) or (T, m) for one series, a list for several.

        Each series begins at the state `start`; `state_` continues after the fit. Without it, what
        went before a series is unknown: the first `washout_` rows are the mean over eight pasts of
        the training series that may have come before its first row, each within the range of the
        training targets, `low_` to `high_`.
        """
        check_is_fitted(self)
        limits = getattr(self, "low_", -np.inf), getattr(self, "high_", np.inf)
        outputs = [
            self.frame_.read(rows, self._read, start, limits)
            for rows in as_series(self, X, reset=False)
        ]
        return outputs if is_list(X) else outputs[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions; of several series, that of all their rows together.

        The first `washout_` rows of each series (at most a quarter of it) are left out with their
        weights, because their past is not known.
        """
        from sklearn.metrics import r2_score  # as scikit-learn does: importing it takes long

        outputs = self.predict(X) if is_list(X) else [self.predict(X)]
        targets = as_targets(y, outputs, is_list(X))
        weights = judged_weights(sample_weight, outputs, self.washout_)
        known = (judged(parts, self.washout_) for parts in (targets, outputs))
        return float(r2_score(*known, sample_weight=weights))

    def transform(self, X: Any) -> Any:
        """The states (T, N) of the network, as features; a list for several series.

        The first `washout_` rows follow the past of the training series that is likeliest before
        the first row.
        """
        check_is_fitted(self)
        states = [self.frame_.states_from_pasts(rows) for rows in as_series(self, X, reset=False)]
        return states if is_list(X) else states[0]

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """state0, state1, ..."""
        check_is_fitted(self)
        return np.array([f"state{i}" for i in range(self.reservoir_.units)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @property
    def topology_(self) -> Any:
        """The topology, by name where it was chosen; "given" with a network of the user's own."""
        check_is_fitted(self)
        if self.reservoir is not None:
            return "given"
        chosen = isinstance(self.topology, str) and self.topology == AUTO
        return topology_name(self.reservoir_) if chosen else self.topology

    def _plan(self) -> Plan:
        self._check_readout()
        found = self._kinds()
        if len(found) > 1 and found[0].topology is not None and self.density is not None:
            raise BadInput(
                f"density must be left out for a topology that is chosen, got {self.density!r}; "
                "name the topology too"
            )
        return plan_of(self, seed_of(self.random_state), self.units, found[0])

    def _kinds(self) -> list[Kind]:
        return kinds(self.activation, self.topology, self.bend)

    def _network_candidates(self, plan: Plan) -> list[Candidate]:
        """What the user left to choose; given scalings, or a given network, leave nothing."""
        if plan.given is not None:
            return [GIVEN]
        settings = self.memory, self.bend, self.bias_ratio
        if plan.scalings:
            return candidates({plan.activation: [Candidate(1.0)]}, plan.activation, *settings)
        return candidates_of(self._kinds(), *settings)

    def _checked(
        self, X: Any, y: Any, *, reset: bool, least: int = 2
    ) -> tuple[list[Floats], list[Floats]]:
        """Series, and targets in their unit."""
        if is_list(X):
            series = as_series(self, X, reset=reset)
        else:
            rows, y = validated(
                self, X, y, reset=reset, multi_output=True, y_numeric=True, ensure_min_samples=least
            )
            series = [rows]
        targets = as_targets(y, series, is_list(X))
        if reset:
            self._one_output = np.ndim(y[0] if is_list(X) else y) == 1
            size = max(power_of_two(one) for one in targets)
            # A power of two: sums of squares of the targets fit, and no digit changes
            self._unit: float = 1.0 if 1.0 / SQUARABLE < size < SQUARABLE else size
        if self._unit == 1.0:  # dividing would change no digit, and copy all targets
            return series, targets
        with np.errstate(over="ignore"):
            return series, [
                _validation.finite("y, in units of its first rows,", one / self._unit)
                for one in targets
            ]

    def _note_range(self, targets: list[Floats], first: bool) -> None:
        """The range of all targets so far."""
        low = self._unit * np.min([one.min(axis=0) for one in targets], axis=0)
        high = self._unit * np.max([one.max(axis=0) for one in targets], axis=0)
        self.low_: Floats = low if first else np.minimum(self.low_, low)
        self.high_: Floats = high if first else np.maximum(self.high_, high)

    def _require_outputs(self, count: int) -> None:
        """Require as many columns of targets as in the rows before."""
        assert not isinstance(self._learned, Final)
        before = self._learned.outputs
        if count != before:
            raise BadInput(
                f"y must have {before} column(s), as in the rows before, got {count}; pass the "
                "same outputs"
            )

    def _fitted(self) -> StreamFit | Final:
        """What was learned; the network of a stream is chosen when somebody needs it."""
        if isinstance(self._learned, Waiting):
            self._begin()
        assert not isinstance(self._learned, Waiting)
        return self._learned

    @with_limited_threads
    def _begin(self) -> None:
        """Choose a network by the rows that wait for one; one assignment, whole or not at all."""
        assert isinstance(self._learned, Waiting)
        rows, targets = (np.vstack(part) for part in zip(*self._learned.pieces, strict=True))
        _validation.at_least("X", len(rows), 2, "in all before something can be learned")
        self._learned = self._begun(self._choose_network([rows], [targets]), rows, targets)

    def _begun(self, network: Network, rows: Floats, targets: Floats) -> StreamFit:
        washout = self._washout_of(network.feature_map, len(rows))
        empty = Stream(
            network.feature_map,
            washout,
            self.penalty == "loo",
            (rows[:0], targets[:0]),
            network.precise,
        )
        return StreamFit(network, empty.taking(rows, targets), self.penalty, self._unit)

    def _to_parts(self) -> Parts:
        return feature_map_parts(self.frame_, self.weights_)

    def _from_parts(self, found: Values, values: Values, tensors: Tensors) -> None:
        feature_map, weights = feature_map_from(values, tensors)
        state = found.pop("state_", None)
        if state is not None and state.shape != (feature_map.reservoir.units,):
            raise ValueError("the state does not fit the network")
        for name in ("low_", "high_"):  # files of version 0.1 have none
            if name in found and found[name].shape != weights.intercept.shape:
                raise ValueError("the range of the targets does not fit the readout")
        chosen = Chosen(*(found.pop(f"{one.name}_") for one in fields(Chosen)))
        solution = Solution(weights, found.pop("penalty_"), found.pop("loo_error_", None), state)
        self._learned = Final(solution, Network(feature_map, chosen))
        self.__dict__.update(found)

    def _fit_other(
        self, feature_map: FeatureMap, series: list[Floats], targets: list[Floats]
    ) -> Any:
        """The user's own regressor, fitted to the features of all rows at once."""
        skips = [self._washout_of(feature_map, len(rows)) for rows in series]
        features = np.vstack(
            [
                feature_map.features(feature_map.states(rows)[skip:])
                for rows, skip in zip(series, skips, strict=True)
            ]
        )
        outputs = np.vstack(
            [self._unit * rows[skip:] for rows, skip in zip(targets, skips, strict=True)]
        )
        return clone(self.readout).fit(features, outputs[:, 0] if self._one_output else outputs)

    def _read(self, features: Floats) -> Floats:
        outputs = self.weights_(features) if self.readout is None else self._predicted(features)
        outputs = outputs.reshape(len(features), -1)  # a regressor may drop a single column
        return outputs[:, 0] if self._one_output else outputs

    def _predicted(self, features: Floats) -> Floats:
        """The outputs of the user's own regressor, which may not check that they are finite."""
        outputs = np.asarray(self.weights_.predict(features))
        if not np.isfinite(outputs).all():
            raise StateOverflow(
                "the prediction left the range of its floating point type; bring input and target "
                "to ordinary numbers"
            )
        return outputs
