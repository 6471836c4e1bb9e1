"""Estimators, whatever the data and the settings: finite answers or a sentence, and neither units
nor pieces matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import spheresn as sn
from hostile import PATTERNS, finite, hold, like, refusals_allowed
from spheresn.readout import force


@dataclass(frozen=True)
class Fit:
    """Settings of an estimator and data for it, from a few numbers."""

    units: int = 10
    activation: str = "spherical"
    topology: str = "ring"
    memory: float = 3.0
    bend: float = 0.5
    leak: float = 1.0
    bias_ratio: float = 3.0
    penalty: float | str = "loo"
    features: str = "linear"
    washout: int | str = "auto"
    scalings: tuple[float, float] | None = None
    pattern: str = "noise"
    target: str = "noise"
    rows: int = 30
    columns: int = 1
    scale: float = 1.0
    seed: int = 0

    def options(self, **changes: Any) -> dict[str, Any]:
        names = (
            "units",
            "activation",
            "topology",
            "memory",
            "bend",
            "leak",
            "bias_ratio",
            "penalty",
            "features",
            "washout",
        )
        chosen = {name: getattr(self, name) for name in names} | {"random_state": self.seed}
        if self.scalings is not None:
            chosen |= {
                "memory": "auto",
                "spectral_radius": self.scalings[0],
                "input_scaling": self.scalings[1],
            }
        return chosen | changes

    def data(self, purpose: int, pattern: str | None = None) -> np.ndarray:
        with np.errstate(over="ignore"):
            values = self.scale * like(
                pattern or self.pattern,
                (self.rows, self.columns),
                np.random.default_rng([self.seed, purpose]),
            )
        return np.clip(values, -1.7e308, 1.7e308)


FITS = st.builds(
    Fit,
    units=st.sampled_from([10, 1, 2, 3, 40]),
    activation=st.sampled_from(["spherical", "spherical", "tanh", "linear"]),
    topology=st.sampled_from(list(sn.topology.TOPOLOGIES)),
    memory=st.sampled_from([3.0, 0.5, 30.0, 1e-3, 1e6]),
    bend=st.sampled_from([0.5, 0.0, 1.0, 100.0]),
    leak=st.sampled_from([1.0, 1.0, 0.3]),
    bias_ratio=st.sampled_from([3.0, 3.0, 0.0]),
    penalty=st.sampled_from(["loo", "loo", 0.0, 1e-6, 1e300]),
    features=st.sampled_from(["linear", "quadratic"]),
    washout=st.sampled_from(["auto", "auto", 0, 10]),
    scalings=st.sampled_from(
        [None, None, (1.0, 1.0), (0.0, 1.0), (5.0, 1e10), (1e-10, 1e-300), (15.0, 1e200)]
    ),
    pattern=st.sampled_from(PATTERNS),
    target=st.sampled_from(PATTERNS),
    rows=st.sampled_from([30, 2, 3, 10, 100]),
    columns=st.integers(1, 2),
    scale=st.sampled_from([1.0, 1.0, 1e-300, 1e-150, 1e8, 1e150]),
    seed=st.integers(0, 2**16),
)
# Data whose digits survive a change of unit, and settings that fit.
CALM = st.builds(
    Fit,
    units=st.integers(2, 30),
    activation=st.sampled_from(["spherical", "tanh"]),
    topology=st.sampled_from(["ring", "gaussian", "rotation"]),
    features=st.sampled_from(["linear", "quadratic"]),
    penalty=st.sampled_from(["loo", 1e-6]),
    scalings=st.just((0.9, 0.5)),
    rows=st.integers(45, 90),
    columns=st.integers(1, 2),
    seed=st.integers(0, 2**16),
)


def regression(fit: Fit) -> bool:
    rows, targets = fit.data(0), fit.data(1, fit.target)
    with refusals_allowed():
        model = sn.ESNRegressor(**fit.options()).fit(rows, targets[:, 0])
        finite(model.predict(rows), model.transform(rows), model.predict(fit.data(2)))
        with refusals_allowed():
            finite(model.predict(fit.data(3, "mixed")))
        return True
    return False


def forecasting(fit: Fit) -> bool:
    with refusals_allowed():
        model = sn.ESNForecaster(
            **fit.options(penalty="auto" if fit.penalty == "loo" else fit.penalty)
        ).fit(fit.data(0))
        finite(
            model.forecast(30), model.predict(fit.data(0)), model.update(fit.data(2)).forecast(3)
        )
        with refusals_allowed():
            finite(model.update(fit.data(3, "mixed")).forecast(3))
        return True
    return False


def classification(fit: Fit) -> bool:
    series = [fit.data(purpose) for purpose in range(6)]
    with refusals_allowed():
        model = sn.ESNClassifier(**fit.options()).fit(series, [0, 1, 0, 1, 1, 0])
        finite(model.decision_function(series))
        steps = sn.ESNClassifier(**fit.options()).fit(series[0], np.arange(fit.rows) % 3)
        return finite(steps.decision_function(series[0]))
    return False


def teaching_by_force(fit: Fit) -> bool:
    kind = {"spherical": sn.OnSphere(bend=fit.bend), "tanh": sn.Tanh(), "linear": sn.Linear()}[
        fit.activation
    ]
    options = {
        "activation": kind,
        "topology": fit.topology,
        "density": 1.0,
        "leak": fit.leak,
        "rng": fit.seed,
    }
    with refusals_allowed():
        taught = force(
            sn.random_reservoir(fit.units, fit.columns, **options),
            fit.data(0),
            penalty=fit.bend + 1e-6,
            forgetting=0.9,
        )
        return finite(taught.outputs, taught.state, taught.weights.matrix, taught.weights.intercept)
    return False


def rows_one_by_one_give_the_fit_of_all(fit: Fit) -> bool:
    rows, targets = fit.data(0), fit.data(1)
    whole, pieces = (sn.ESNRegressor(**fit.options()) for _ in range(2))
    for k in range(fit.rows):
        pieces.partial_fit(rows[k : k + 1], targets[k : k + 1])
    assert np.array_equal(whole.fit(rows, targets).predict(rows), pieces.predict(rows))
    return True


def series_are_answered_one_by_one(fit: Fit) -> bool:
    series, targets = [fit.data(0), fit.data(1)[:20]], [fit.data(2), fit.data(3)[:20]]
    model = sn.ESNRegressor(**fit.options()).fit(series, targets)
    for rows, prediction in zip(series, model.predict(series), strict=True):
        assert np.array_equal(prediction, model.predict(rows))
    return True


def units_of_the_data_do_not_matter(fit: Fit) -> bool:
    """For powers of two to the last bit: X in any unit predicts the same, y in any unit the same in
    that unit; forecasts likewise.
    """
    rows, targets = fit.data(0), fit.data(1)
    plain = sn.ESNRegressor(**fit.options()).fit(rows, targets).predict(rows)
    ahead = sn.ESNForecaster(**fit.options(washout=5)).fit(rows).forecast(10)
    for factor in (2.0**-900, 2.0**900):
        assert np.array_equal(
            sn.ESNRegressor(**fit.options()).fit(factor * rows, targets).predict(factor * rows),
            plain,
        )
        assert np.array_equal(
            sn.ESNRegressor(**fit.options()).fit(rows, factor * targets).predict(rows),
            factor * plain,
        )
        assert np.array_equal(
            sn.ESNForecaster(**fit.options(washout=5)).fit(factor * rows).forecast(10),
            factor * ahead,
        )
    return True


ANSWERS: tuple[Callable[[Fit], bool], ...] = (
    regression,
    forecasting,
    classification,
    teaching_by_force,
)
SAMENESS: tuple[Callable[[Fit], bool], ...] = (
    rows_one_by_one_give_the_fit_of_all,
    series_are_answered_one_by_one,
    units_of_the_data_do_not_matter,
)
LAWS = {
    law.__name__.replace("_", " "): (law, cases)
    for cases, laws in ((FITS, ANSWERS), (CALM, SAMENESS))
    for law in laws
}


@pytest.mark.parametrize("name", LAWS)
def test_it_holds(name):
    assert hold(*LAWS[name], examples=6 if name.startswith("units") else 25) >= 6
