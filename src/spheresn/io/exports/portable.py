"""The exported parts of a fitted model: the arrays of one step and of its readout, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from sklearn.utils.validation import check_is_fitted

from ... import _validation
from ..._errors import BadInput, sentence
from ..._plain import one_reservoir_from, reservoir_parts
from ..._validation import Floats
from ...activations import Linear, OnSphere, Tanh
from ...compose import Composition, Driven
from ...driving import COMPILED
from ...estimators import ESNClassifier, ESNForecaster, ESNRegressor
from ...readout import Quadratic, Weights
from ...reservoir import Reservoir
from ...series.scaling import Scaler
from ...topology import Dense, Rotation, Shift, Sparse

# Numbers of a model; as doubles 16 MB, more than the flash of a microcontroller, and as source text
# about as much as a C compiler takes in a minute
MOST_NUMBERS = 2**21
# Of another kind of model: what to export instead
INSTEAD = {
    "SeriesForecaster": "it combines several methods; fit one ESNForecaster to the same series",
    "ESNFieldForecaster": "it has a network at every patch; fit an ESNForecaster to the cells of "
    "one patch",
    "ESNSeriesRegressor": "it is an ensemble of networks; fit an ESNRegressor to the steps",
    "Reservoir": "it has no readout; fit an ESNRegressor or ESNForecaster with its W as topology",
    "ClosedLoop": "it has no scaling of rows; export the ESNForecaster that it comes from",
}


@dataclass(frozen=True, eq=False)
class Loop:
    """What a forecaster has beside a regressor: its newest row, standardised, the scaling of its
    exogenous columns, and what turns the readout into the next row (`ClosedLoop`).
    """

    last: Floats
    exogenous: Scaler
    carry: float
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Portable:
    """A model as arrays of one type.

    x' = F(x, u), y = b + Wᵀ φ(x'), with rows u in deviations by `scaler`. state: x where the model
    begins. columns: names of the columns, as they came. classes, sharpness: of a classifier. loop:
    of a forecaster.
    """

    kind: str
    dtype: np.dtype[Any]
    reservoir: Reservoir
    weights: Weights
    quadratic: Quadratic | None
    scaler: Scaler
    state: Floats
    washout: int
    columns: tuple[str, ...]
    classes: tuple[str, ...] = ()
    sharpness: float = 1.0
    loop: Loop | None = None

    @staticmethod
    def of(model: Any, dtype: DTypeLike = np.float64) -> Portable:
        """From a fitted forecaster, regressor or classifier of steps."""
        kind = _validation.float_type("dtype", dtype)
        _check_kind(model)
        check_is_fitted(model)
        if isinstance(model, ESNForecaster):
            found = _of_forecaster(model, kind)
        elif isinstance(model, ESNRegressor):
            found = _of_frame("regressor", model, kind)
        else:
            found = _of_frame("classifier", model, kind)
        if found.count > MOST_NUMBERS:
            raise BadInput(
                f"model must have at most {MOST_NUMBERS} numbers to be exported, got "
                f"{found.count}; fit it with fewer units, or with the topology 'ring', which "
                "stores no W"
            )
        return found

    @property
    def arrays(self) -> dict[str, Floats]:
        """W_in, W_out and all other arrays by name, of the type `dtype`.

        W is among them, in the form of its topology.
        """
        network, n = self.reservoir, self.reservoir.units
        found = {
            **_recurrent_arrays(network.recurrent),
            "W_in": network.inputs,
            "bias": network.bias,
            "W_out": self.weights.matrix[:n].T,
            "intercept": self.weights.intercept,
            "mean": self.scaler.mean,
            "scale": self.scaler.scale,
            "x_start": self.state,
        }
        if self.quadratic is not None:
            found |= {
                "centre": self.quadratic.centre,
                "components": self.quadratic.components,
                "W_products": self.weights.matrix[n:].T,
            }
        if self.loop is not None:
            found |= {"low": self.loop.low, "high": self.loop.high, "s_start": self.loop.last}
            if len(self.loop.exogenous.mean):
                found["exogenous_mean"] = self.loop.exogenous.mean
                found["exogenous_scale"] = self.loop.exogenous.scale
        return {name: np.asarray(one, self.dtype) for name, one in found.items()}

    @property
    def count(self) -> int:
        """Numbers in all arrays."""
        return sum(one.size for one in self.arrays.values())

    @property
    def outputs(self) -> int:
        """Columns of what the readout gives."""
        return len(self.weights.intercept)

    @property
    def exogenous(self) -> int:
        """Columns beside those of the series."""
        return 0 if self.loop is None else len(self.loop.exogenous.mean)


def _of_forecaster(model: ESNForecaster, dtype: np.dtype[Any]) -> Portable:
    loop = model.closed_loop_
    reservoir, weights, quadratic = _network(loop.reservoir, loop.weights, loop.quadratic, dtype)
    m = len(weights.intercept)
    beside = reservoir.n_inputs - m
    low, high = (
        _array(f"{name}_", end, (m,), dtype)
        for name, end in zip(("low", "high"), loop.bounds, strict=True)
    )
    rest = Loop(
        _array("last_", model.last_, (m,), dtype),
        _scaler("exogenous_scaler_", model.exogenous_scaler_, beside, dtype),
        _validation.real("carry", loop.carry),
        low,
        high,
    )
    return Portable(
        "forecaster",
        dtype,
        reservoir,
        weights,
        quadratic,
        _scaler("scaler_", model.scaler_, m, dtype),
        _array("state_", model.state_, (reservoir.units,), dtype),
        _validation.whole("washout_", model.washout_, 0),
        _columns(model),
        loop=rest,
    )


def _of_frame(kind: str, model: Any, dtype: np.dtype[Any]) -> Portable:
    """A regressor or classifier: rows in, states, outputs."""
    frame = model.frame_
    network = _network(frame.reservoir, model.weights_, frame.quadratic, dtype)
    units = network[0].units
    state = getattr(model, "state_", None)  # after several series, or labels, there is none
    classes = tuple(map(str, model.classes_)) if kind == "classifier" else ()
    sharpness = model.sharpness_ if kind == "classifier" else 1.0
    return Portable(
        kind,
        dtype,
        *network,
        _scaler("the scaler", frame.scaler, network[0].n_inputs, dtype),
        _array("state_", np.zeros(units) if state is None else state, (units,), dtype),
        _validation.whole("washout_", frame.washout, 0),
        _columns(model),
        classes,
        _validation.real("sharpness_", sharpness, 0.0),
    )


def _columns(model: Any) -> tuple[str, ...]:
    return tuple(str(name) for name in getattr(model, "feature_names_in_", ()))


def _check_kind(model: Any) -> None:
    """Refuse what has no step of one network and one linear readout."""
    name = type(model).__name__
    if type(model) not in (ESNForecaster, ESNRegressor, ESNClassifier):
        advice = INSTEAD.get(name, "fit one of these")
        raise BadInput(
            "model must be an ESNForecaster, an ESNRegressor or an ESNClassifier of steps to be "
            f"exported, got {name}; {advice}"
        )
    if getattr(model, "readout", None) is not None:
        raise BadInput(
            "model must have the ridge readout to be exported, got a regressor of your own; fit it "
            "without readout="
        )
    if getattr(model, "whole_series_", False):
        raise BadInput(
            "model must classify steps to be exported, got a classifier of whole series, which is "
            "an ensemble of networks; fit it to tables with one label per row"
        )


def _network(
    reservoir: Driven, weights: Weights, quadratic: Quadratic | None, dtype: np.dtype[Any]
) -> tuple[Reservoir, Weights, Quadratic | None]:
    """The same in this type, with nothing infinite and everything of one size."""
    if isinstance(reservoir, Composition):
        raise BadInput(
            f"model must have one reservoir to be exported, got {reservoir!r}; fit it with one"
        )
    links, activation = reservoir.recurrent, reservoir.activation
    if type(links) not in COMPILED or type(activation) not in (OnSphere, Tanh, Linear):
        raise BadInput(
            "model must have a topology and an activation of spheresn to be exported, got "
            f"{type(links).__name__} and {type(activation).__name__}; fit it with W as an array, "
            "and with one of our activations"
        )
    try:  # as when a file is read: all sizes and all indices of a sparse W
        links = one_reservoir_from(*reservoir_parts(reservoir)).recurrent
    except ValueError as error:
        raise BadInput(
            f"model must have a whole network to be exported, got one where {sentence(error)}; fit "
            "it again"
        ) from None
    n, m = reservoir.units, len(weights.intercept)
    for part in links.kernel_data():
        _validation.array("W", part, np.ndim(part), dtype)
    reservoir = Reservoir(
        links.astype(dtype),
        _array("W_in", reservoir.inputs, (n, reservoir.n_inputs), dtype),
        activation,
        _array("bias", reservoir.bias, (n,), dtype),
        reservoir.leak,
    )
    count = 0 if quadratic is None else len(quadratic.components)
    width = n + count * (count + 1) // 2
    weights = Weights(
        _array("W_out", weights.matrix, (width, m), dtype),
        _array("intercept", weights.intercept, (m,), dtype),
    )
    if quadratic is None or not count:
        return reservoir, weights, None
    return (
        reservoir,
        weights,
        Quadratic(
            _array("centre", quadratic.centre, (n,), dtype),
            _array("components", quadratic.components, (count, n), dtype),
        ),
    )


def _array(name: str, values: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Floats:
    found = _validation.array(name, values, len(shape), dtype)
    if found.shape != shape:
        raise BadInput(
            f"{name} must have shape {shape}, as the network has, got {found.shape}; fit the model "
            "again"
        )
    return found


def _scaler(name: str, scaler: Scaler, columns: int, dtype: np.dtype[Any]) -> Scaler:
    mean, scale = (
        _array(f"the {part} of {name}", getattr(scaler, part), (columns,), dtype)
        for part in ("mean", "scale")
    )
    if not (scale > 0.0).all():
        raise BadInput(
            f"the scale of {name} must be above 0 in {dtype}, got {scale.min():g}; bring the "
            "columns to ordinary numbers and fit again"
        )
    return Scaler(mean, scale)


def _recurrent_arrays(links: Any) -> dict[str, Floats]:
    """What W is stored as; a chain of units needs its one weight only."""
    if isinstance(links, Dense):
        return {"W": links.matrix}
    if isinstance(links, Sparse):
        return {"link_weight": links.matrix.data}
    if isinstance(links, Rotation):
        cosine, sine = links.kernel_data().turns
        return {"cosine": cosine, "sine": sine}
    assert isinstance(links, Shift)
    return {}
