"""Fitted estimators as plain values and arrays, and back; constructors check each part."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from scipy import sparse as sp

from .._validation import Floats, array, real, whole
from ..activations import Linear, OnSphere, Tanh
from ..estimators.closed_loop import ClosedLoop
from ..estimators.ensemble import STRIDE_RATIO, Ensemble, SeriesNetwork, View
from ..estimators.features import Frame
from ..estimators.fields.geometry import Patches
from ..estimators.fields.labels import Labels
from ..estimators.fields.loop import FieldLoop, LocalNetworks
from ..estimators.pasts import Pasts
from ..readout import Quadratic, Weights
from ..reservoir import Reservoir
from ..series.scaling import Scaler
from ..topology import Dense, Rotation, Shift, Sparse

Values = dict[str, Any]
Tensors = dict[str, Floats]


def reservoir_parts(reservoir: Reservoir) -> tuple[Values, Tensors]:
    """W by its kind, W_in, b, and the activation by name."""
    links, activation = reservoir.recurrent, reservoir.activation
    values: Values = {
        "leak": reservoir.leak,
        "links": type(links).__name__,
        "kind": type(activation).__name__,
    }
    if isinstance(activation, OnSphere):
        values |= {"radius": float(activation.radius), "bend": float(activation.bend)}
    tensors = {"inputs": reservoir.inputs, "bias": reservoir.bias}
    if isinstance(links, Dense):
        tensors["matrix"] = links.matrix
    elif isinstance(links, Sparse):
        tensors |= {
            "data": links.matrix.data,
            "indices": links.matrix.indices,
            "indptr": links.matrix.indptr,
        }
    elif isinstance(links, Rotation):
        values["weight"], tensors["angles"] = float(links.weight), links.angles
    else:
        values |= {"weight": float(links.weight), "closed": bool(links.closed)}
    return values, tensors


def reservoir_from(values: Values, tensors: Tensors) -> Reservoir:
    """The reservoir. Sparse indices are all checked, because the compiled loops trust them."""
    inputs = tensors["inputs"]
    size, dtype = len(inputs), inputs.dtype
    links: Any
    if values["links"] == "Dense":
        links = Dense(array("matrix", tensors["matrix"], 2, dtype))
    elif values["links"] == "Sparse":
        links = Sparse(_csr(tensors["data"], tensors["indices"], tensors["indptr"], size))
    elif values["links"] == "Rotation":
        angles = array("angles", tensors["angles"], 1)
        links = Rotation(size, angles[: size // 2], real("weight", values["weight"]), dtype)
        whole("angles", len(angles) - size // 2 + 1, 1)
    else:
        links = Shift(size, real("weight", values["weight"]), bool(values["closed"]), dtype)
    if links.size != size or (isinstance(links, Dense) and links.matrix.shape != (size, size)):
        raise ValueError("W and W_in do not have the same units")
    kinds: dict[str, Any] = {"Tanh": Tanh(), "Linear": Linear()}
    activation = (
        OnSphere(values["radius"], values["bend"])
        if values["kind"] == "OnSphere"
        else kinds[values["kind"]]
    )
    return Reservoir(links, inputs, activation, tensors["bias"], values["leak"])


def _csr(data: Floats, indices: Any, indptr: Any, size: int) -> Any:
    """The sparse matrix. scipy cuts the arrays where `indptr` ends, and checks little, so that the
    arrays are checked here.
    """
    shapes = (
        data.ndim == indices.ndim == 1 and indptr.shape == (size + 1,) and len(data) == len(indices)
    )
    if not shapes or indptr[0] != 0 or indptr[-1] != len(data) or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("the rows of the sparse matrix do not follow each other")
    if ((indices < 0) | (indices >= size)).any():
        raise ValueError("the sparse matrix has links to units that do not exist")
    return sp.csr_array((data, indices, indptr), shape=(size, size))


def frame_parts(model: Any) -> tuple[Values, Tensors]:
    """The parts of a regressor or classifier."""
    values, tensors = _readout_parts(model.weights_, model.frame_.quadratic)
    more, others = reservoir_parts(model.frame_.reservoir)
    frame = model.frame_
    scaler = {"mean": frame.scaler.mean, "scale": frame.scaler.scale}
    if frame.pasts is not None:
        values["past_rows"] = int(frame.pasts.rows)
        scaler |= {"pasts": frame.pasts.states, "following": frame.pasts.following}
    return {**values, "reservoir": more, "washout": int(model.washout_)}, {
        **tensors,
        **others,
        **scaler,
    }


def frame_from(model: Any, values: Values, tensors: Tensors) -> None:
    """Put the parts into a regressor or classifier."""
    reservoir = reservoir_from(values["reservoir"], tensors)
    scaler = _scaler(tensors["mean"], tensors["scale"], reservoir.n_inputs)
    model.weights_, quadratic = _readout_from(values, tensors, reservoir.units)
    if hasattr(model, "state_") and model.state_.shape != (reservoir.units,):
        raise ValueError("the state does not fit the network")
    for name in ("low_", "high_"):
        if name in tensors and tensors[name].shape != model.weights_.intercept.shape:
            raise ValueError("the range of the targets does not fit the readout")
    washout = whole("washout", values["washout"], 0)
    pasts = _pasts(values, tensors, reservoir)
    model.frame_ = Frame(scaler, reservoir, washout, quadratic, pasts)
    model.reservoir_, model.washout_, model._stale = reservoir, model.frame_.washout, False


def _pasts(values: Values, tensors: Tensors, reservoir: Reservoir) -> Pasts | None:
    """What stands for the past of a series; files of version 0.2 have none."""
    if "pasts" not in tensors:
        return None
    states, following = tensors["pasts"], tensors["following"]
    count = len(states) if states.ndim == 2 else 0
    shapes = (states.shape, following.shape)
    if not count or shapes != ((count, reservoir.units), (count, reservoir.n_inputs)):
        raise ValueError("the pasts do not fit the network")
    return Pasts(states, following, whole("past_rows", values["past_rows"], 1))


def reservoirs_of(model: Any) -> Iterator[Reservoir]:
    """The networks of an estimator: one, or those of a classifier of whole series."""
    if getattr(model, "whole_series_", False):
        yield from (one.reservoir for one in model.ensemble_.networks)
    else:
        yield model.reservoir_


def cases_parts(model: Any) -> tuple[Values, Tensors]:
    """The parts of a classifier of whole series; the arrays of network k begin with `k.`."""
    networks: list[Values] = []
    values, tensors = _readout_parts(model.weights_, None)
    for k, one in enumerate(model.ensemble_.networks):
        more, others = reservoir_parts(one.reservoir)
        networks.append(
            {
                "reservoir": more,
                "stride": int(one.view.stride),
                "order": int(one.view.order),
                "own": bool(one.view.own),
                "exponent": float(one.exponent),
            }
        )
        others |= {
            "mean": one.scaler.mean,
            "scale": one.scaler.scale,
            "rest": one.rest,
            "state_mean": one.mean,
            "state_scale": one.scale,
        }
        tensors |= {f"{k}.{name}": tensor for name, tensor in others.items()}
    return {**values, "networks": networks, "washout": int(model.washout_)}, tensors


def cases_from(model: Any, values: Values, tensors: Tensors) -> None:
    """Put the parts into a classifier of whole series."""
    networks = tuple(
        _network_from(one, _beginning(f"{k}.", tensors)) for k, one in enumerate(values["networks"])
    )
    weights = _weights_from(values, tensors)
    model.ensemble_ = Ensemble(networks)
    if (
        weights.matrix.shape != (model.ensemble_.width, len(weights.intercept))
        or len({one.reservoir.n_inputs for one in networks}) != 1
    ):
        raise ValueError("the readout does not fit the networks")
    model.weights_, model.washout_ = weights, whole("washout", values["washout"], 0)
    model.memory_ = np.array([one.memory for one in networks])
    model.lyapunov_ = np.array([one.exponent for one in networks])
    model.bend_ = np.array([one.bend for one in networks])
    real("typical_length_", model.typical_length_, 0.0)
    model._stale = False


def _beginning(prefix: str, tensors: Tensors) -> Tensors:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _network_from(values: Values, tensors: Tensors) -> SeriesNetwork:
    reservoir = reservoir_from(values["reservoir"], tensors)
    rest, mean, scale = (
        array(name, tensors[name], 1, reservoir.dtype)
        for name in ("rest", "state_mean", "state_scale")
    )
    if {part.shape for part in (rest, mean, scale)} != {(reservoir.units,)} or not (
        scale > 0.0
    ).all():
        raise ValueError("the states do not fit the network")
    view = View(
        whole("stride", values["stride"], 1), whole("order", values["order"], 0), values["own"]
    )
    if view.order > 2:
        raise ValueError("the order of differences is not one of 0, 1 and 2")
    if STRIDE_RATIO**40 % view.stride:
        raise ValueError("the stride is not a power of three")
    if not isinstance(view.own, bool):
        raise ValueError("own is not true or false")
    scaler = _scaler(tensors["mean"], tensors["scale"], reservoir.n_inputs)
    return SeriesNetwork(
        view, scaler, reservoir, rest, mean, scale, real("exponent", values["exponent"])
    )


def loop_parts(model: Any) -> tuple[Values, Tensors]:
    """The parts of a forecaster."""
    loop = model.closed_loop_
    values, tensors = _readout_parts(loop.weights, loop.quadratic)
    more, others = reservoir_parts(model.reservoir_)
    values["carry"] = float(loop.carry)
    scalers = {"mean": model.scaler_.mean, "scale": model.scaler_.scale}
    exogenous = {
        "exogenous_mean": model.exogenous_scaler_.mean,
        "exogenous_scale": model.exogenous_scaler_.scale,
    }
    return {**values, "reservoir": more, "washout": int(model.washout_)}, {
        **tensors,
        **others,
        **scalers,
        **exogenous,
    }


def loop_from(model: Any, values: Values, tensors: Tensors) -> None:
    """Put the parts into a forecaster."""
    reservoir = reservoir_from(values["reservoir"], tensors)
    weights, quadratic = _readout_from(values, tensors, reservoir.units)
    columns = len(weights.intercept)
    model.scaler_ = _scaler(tensors["mean"], tensors["scale"], columns)
    model.exogenous_scaler_ = _scaler(
        tensors["exogenous_mean"], tensors["exogenous_scale"], reservoir.n_inputs - columns
    )
    if model.state_.shape != (reservoir.units,) or any(
        getattr(model, name).shape != (columns,) for name in ("last_", "low_", "high_")
    ):
        raise ValueError("state and series do not fit the network")
    limits = (model.scaler_.forward(end) for end in (model.low_, model.high_))
    carry = real("carry", values["carry"])
    model.closed_loop_ = ClosedLoop(reservoir, weights, carry, quadratic, *limits)
    model.reservoir_, model.washout_ = reservoir, whole("washout", values["washout"], 0)


def field_parts(model: Any) -> tuple[Values, Tensors]:
    """The parts of a forecaster of fields."""
    loop, patches = model.closed_loop_, model.patches_
    more, others = reservoir_parts(model.reservoir_)
    values = {
        "reservoir": more,
        "washout": int(model.washout_),
        "carry": float(loop.carry),
        "grid": list(patches.grid),
        "channels": int(patches.channels),
        "labels": None if model.labels_ is None else model.labels_.plain(),
    }
    readout = {"weights": loop.matrix, "intercept": loop.intercept}
    return values, {**others, **readout, "position": loop.networks.position}


def field_from(model: Any, values: Values, tensors: Tensors) -> None:
    """Put the parts into a forecaster of fields."""
    reservoir = reservoir_from(values["reservoir"], tensors)
    grid = [whole("grid", cells, 1) for cells in values["grid"]]
    channels = whole("channels", values["channels"], 1)
    # Before anything is built that is as large as the file promises
    if model.last_.shape != (prod(grid) * channels,):
        raise ValueError("the field does not fit its grid")
    if not model._flag("channels") and channels > 1:
        raise ValueError("the field has several channels and one")
    patches = Patches.of(grid, channels, model.patch, model.halo, model.periodic)
    position = array("position", tensors["position"], 2)
    matrix = array("weights", tensors["weights"], 3)
    intercept = array("intercept", tensors["intercept"], 2)
    readouts, outputs = 1 if model.shared_ else patches.count, patches.inner.shape[1]
    if (
        matrix.shape != (readouts, reservoir.units, outputs)
        or intercept.shape != (readouts, outputs)
        or len(position) != patches.count
        or reservoir.n_inputs != patches.windows.shape[1] + position.shape[1]
    ):
        raise ValueError("the readout does not fit the network and its patches")
    if model.state_.shape != (patches.count, reservoir.units):
        raise ValueError("the state does not fit the patches")
    if any(getattr(model, name).shape != (channels,) for name in ("low_", "high_")):
        raise ValueError("the range does not fit the channels")
    _scaler(model.mean_, model.scale_, channels)
    networks = LocalNetworks(patches, reservoir, position)
    model.closed_loop_ = FieldLoop(networks, matrix, intercept, real("carry", values["carry"]))
    model.patches_, model.reservoir_ = patches, reservoir
    model.washout_ = whole("washout", values["washout"], 0)
    model.labels_ = None if values["labels"] is None else Labels.from_plain(values["labels"])


def _readout_parts(weights: Weights, quadratic: Quadratic | None) -> tuple[Values, Tensors]:
    tensors = {"weights": weights.matrix, "intercept": weights.intercept}
    if quadratic is not None:
        tensors |= {"centre": quadratic.centre, "components": quadratic.components}
    return {"by_columns": not weights.matrix.flags.c_contiguous}, tensors


def _weights_from(values: Values, tensors: Tensors) -> Weights:
    """The readout as it lay in memory: the last bits of a product depend on that."""
    matrix = array("weights", tensors["weights"], 2)
    matrix = np.asfortranarray(matrix) if values.get("by_columns", False) else matrix
    return Weights(matrix, array("intercept", tensors["intercept"], 1))


def _readout_from(values: Values, tensors: Tensors, units: int) -> tuple[Weights, Quadratic | None]:
    quadratic = (
        Quadratic(tensors["centre"], tensors["components"]) if "components" in tensors else None
    )
    count = 0 if quadratic is None else len(quadratic.components)
    weights = _weights_from(values, tensors)
    width = units + count * (count + 1) // 2
    if weights.matrix.shape != (width, len(weights.intercept)) or not len(weights.intercept):
        raise ValueError("the readout does not fit the network")
    if quadratic is not None and (
        quadratic.centre.shape != (units,) or quadratic.components.shape[1:] != (units,)
    ):
        raise ValueError("the features do not fit the network")
    return weights, quadratic


def _scaler(mean: Floats, scale: Floats, columns: int) -> Scaler:
    if mean.shape != (columns,) or scale.shape != (columns,) or not (np.asarray(scale) > 0.0).all():
        raise ValueError("the scaling does not fit the network")
    return Scaler(mean, scale)
