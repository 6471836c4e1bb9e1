"""The parts that estimators of whole series share: the networks that follow them, and the readout
of their features, classes or numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _validation
from .._errors import BadInput
from .._plain import Tensors, Values
from .._validation import Floats, real, whole
from ..compose import Driven
from ..readout import Weights
from ..readout.cases import CaseReadout
from ..selection.plan import plan_of
from .base import BaseESN, seed_of
from .cases import as_cases
from .ensemble import (
    CLASSIFICATION,
    blocks,
    ensemble_from,
    fit_ensemble,
    with_length,
)

CASE_UNITS = 2000  # where nobody sets them
# What `bias_ratio_` says if nobody sets it; tanh and linear networks have the same
BIAS_RATIO = CLASSIFICATION["spherical"][0].bias_ratio


@dataclass(eq=False, repr=False)
class WholeSeries(BaseESN):
    """An estimator with an `ensemble_` of networks and a readout, `weights_`, of its features."""

    units: int | str = "auto"  # type: ignore[assignment]  # of all networks
    time_axis: int | None = None
    n_jobs: int | None = None

    def _case_outputs(self, X: Any) -> Floats:
        """Outputs (n, m) of whole series."""
        check_is_fitted(self)
        cases = as_cases(self, X, self.time_axis, reset=False)
        weights: Weights = self.weights_
        return np.vstack(
            [
                weights(with_length(cases[place], features, self.typical_length_))
                for place, features in self._described(cases)
            ]
        )

    def _choose_length(self, cases: list[Floats], targets: Floats) -> tuple[float, CaseReadout]:
        """The median length where lengths differ and help, otherwise 0; with what a
        readout needs of the cases.
        """
        lengths = [len(rows) for rows in cases]
        tried = [0.0] if min(lengths) == max(lengths) else [0.0, float(np.median(lengths))]
        learned = {
            typical: CaseReadout(self.ensemble_.width, targets.shape[1]) for typical in tried
        }
        for place, features in self._described(cases):
            for typical, readout in learned.items():
                scaled = with_length(cases[place], features, typical)
                learned[typical] = readout.taking(scaled, targets[place])
        if len(tried) == 1:
            return 0.0, learned[0.0]
        penalty = None if self.penalty == "loo" else float(self.penalty)
        return min(learned.items(), key=lambda one: one[1].fit(penalty).error)

    def _begin_cases(self, cases: list[Floats]) -> None:
        """The networks for these cases."""
        if self.features == "quadratic":
            raise BadInput(
                "features must be 'linear' for whole series, got 'quadratic'; what describes "
                "them is not linear in the states anyway"
            )
        self._check_readout()
        asked = CASE_UNITS if self.units == "auto" else self.units
        units = _validation.fitting("units", asked, 1, 10)  # each has several features
        self.washout_ = (
            0 if self.washout == "auto" else _validation.whole("washout", self.washout, 0)
        )
        seeds = np.random.SeedSequence(seed_of(self.random_state)).generate_state(units)
        given = self.spectral_radius is not None or self.input_scaling is not None
        self.ensemble_ = fit_ensemble(
            cases,
            lambda number, size: plan_of(self, int(seeds[number]), size),
            lambda plan: self._candidates(plan, CLASSIFICATION)[0],
            units,
            free=self.memory == "auto" and not given,
            divided=isinstance(self.topology, str),
        )
        self._describe_networks()
        self.bias_ratio_ = BIAS_RATIO if self.bias_ratio == "auto" else float(self.bias_ratio)

    @property
    def _networks(self) -> Sequence[Driven]:
        return [one.reservoir for one in self.ensemble_.networks]

    def _describe_networks(self) -> None:
        networks = self.ensemble_.networks
        self.memory_ = np.array([one.memory for one in networks])
        self.lyapunov_ = np.array([one.exponent for one in networks])
        self.bend_ = np.array([one.bend for one in networks])

    def _described(self, cases: list[Floats]) -> Iterator[tuple[slice, Floats]]:
        """The features of the cases, a block of them at a time."""
        shortest = min(len(rows) for rows in cases)
        _validation.at_least(
            "each series",
            shortest,
            self.washout_ + 1,
            f"to leave one after a washout of {self.washout_}",
        )
        for place in blocks(cases):
            yield place, self.ensemble_.features(cases[place], self.washout_, self.n_jobs)

    def _cases_from(self, found: Values, values: Values, tensors: Tensors) -> Weights:
        """The networks of a file, and its readout."""
        self.ensemble_, weights = ensemble_from(values, tensors)
        self.washout_ = whole("washout", values["washout"], 0)
        self.typical_length_ = real("typical_length_", found["typical_length_"], 0.0)
        # Files of version 0.2 have none
        self.sampling_step_ = real("sampling_step_", found.pop("sampling_step_", 0.0), 0.0)
        self._describe_networks()
        return weights
