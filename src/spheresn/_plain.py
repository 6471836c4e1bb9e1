"""What estimators save: networks, readouts and scalings as plain values and arrays, and back.

Constructors check each part, because a file may come from anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse as sp

from ._errors import BadInput, ModelFileError
from ._validation import Floats, array, real, whole
from .activations import Linear, OnSphere, Tanh
from .compose import Composition, Driven
from .readout import Quadratic, Weights
from .reservoir import Reservoir
from .series.scaling import Scaler
from .topology import Dense, Rotation, Shift, Sparse

Values = dict[str, Any]
Tensors = dict[str, Floats]
Parts = tuple[Values, Tensors]


@dataclass(frozen=True)
class Saved:
    """The attributes of an estimator that a file holds by their names.

    flag: true or false. numbers: each file has those that are `needed`; another one that it lacks
    is the parameter of that name, if there is one. arrays: those that the estimator has. axes:
    parameters that may have one value for each axis of a grid. since: the first format of files
    that can still be read. An estimator turns everything else that is saved into parts.
    """

    flag: str
    numbers: tuple[str, ...]
    arrays: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    needed: tuple[str, ...] = ("lyapunov_", "memory_", "bend_", "penalty_", "n_features_in_")
    since: int = 1


def reservoir_parts(reservoir: Driven) -> Parts:
    """W by its kind, W_in, b, and the activation by name; of several as one, those of each part."""
    if isinstance(reservoir, Composition):
        return _composition_parts(reservoir)
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


def _composition_parts(composition: Composition) -> Parts:
    """The values of each part, and its arrays by their names behind its number."""
    found = [reservoir_parts(part) for part in composition.parts]
    tensors = {
        f"{place}.{name}": tensor
        for place, (_, arrays) in enumerate(found)
        for name, tensor in arrays.items()
    }
    return {"kind": composition.kind, "parts": [values for values, _ in found]}, tensors


def _composition_from(values: Values, tensors: Tensors) -> Composition:
    """What `_composition_parts` described; its constructor checks that the parts fit."""
    if values["kind"] not in ("parallel", "chain"):
        raise ValueError("several reservoirs as one are parallel or a chain")
    parts = []
    for place, part in enumerate(values["parts"]):
        own = f"{place}."
        arrays = {
            name.removeprefix(own): one for name, one in tensors.items() if name.startswith(own)
        }
        parts.append(reservoir_from(part, arrays))
    return Composition(values["kind"], tuple(parts))


def reservoir_from(values: Values, tensors: Tensors) -> Driven:
    """The network. Sparse indices are all checked, because the compiled loops trust them."""
    if "parts" in values:
        return _composition_from(values, tensors)
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


def one_reservoir_from(values: Values, tensors: Tensors) -> Reservoir:
    """`reservoir_from` where several as one cannot be."""
    reservoir = reservoir_from(values, tensors)
    if not isinstance(reservoir, Reservoir):
        raise ValueError("there is more than one reservoir where one belongs")
    return reservoir


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


def readout_parts(weights: Weights, quadratic: Quadratic | None) -> Parts:
    """The weights, how they lie in memory, and what the features need."""
    tensors = {"weights": weights.matrix, "intercept": weights.intercept}
    if quadratic is not None:
        tensors |= {"centre": quadratic.centre, "components": quadratic.components}
    return {"by_columns": not weights.matrix.flags.c_contiguous}, tensors


def weights_from(values: Values, tensors: Tensors) -> Weights:
    """The weights as they lay in memory: the last bits of a product depend on that."""
    matrix = array("weights", tensors["weights"], 2)
    matrix = np.asfortranarray(matrix) if values.get("by_columns", False) else matrix
    return Weights(matrix, array("intercept", tensors["intercept"], 1))


def readout_from(values: Values, tensors: Tensors, units: int) -> tuple[Weights, Quadratic | None]:
    """Weights and features that fit a network of so many units."""
    quadratic = (
        Quadratic(tensors["centre"], tensors["components"]) if "components" in tensors else None
    )
    count = 0 if quadratic is None else len(quadratic.components)
    weights = weights_from(values, tensors)
    width = units + count * (count + 1) // 2
    if weights.matrix.shape != (width, len(weights.intercept)) or not len(weights.intercept):
        raise ValueError("the readout does not fit the network")
    if quadratic is not None and (
        quadratic.centre.shape != (units,) or quadratic.components.shape[1:] != (units,)
    ):
        raise ValueError("the features do not fit the network")
    return weights, quadratic


def scaler_from(mean: Floats, scale: Floats, columns: int) -> Scaler:
    """The scaling of so many columns."""
    if mean.shape != (columns,) or scale.shape != (columns,) or not (np.asarray(scale) > 0.0).all():
        raise ValueError("the scaling does not fit the network")
    return Scaler(mean, scale)


def classes_parts(classes: Any) -> Values:
    """The labels of a classifier, one by one, and their type."""
    values = [plain(one) for one in classes]
    for one in values:
        if not isinstance(one, (bool, int, float, str)):
            raise BadInput(
                f"classes must be numbers or text to be saved, got {one!r}; fit with such labels"
            )
    return {"classes": values, "class_type": classes.dtype.str}


def classes_from(values: Values, count: int) -> Any:
    """The labels, as many as the readout has outputs."""
    kind = np.dtype(str(values["class_type"]))
    if kind.kind not in "biufUO" or kind.itemsize > 4096:
        raise ModelFileError(f"the file has classes of type {kind}; save the model anew")
    if len(values["classes"]) != count:
        raise ModelFileError(
            f"the file has {len(values['classes'])} classes, while its readout has {count}; save "
            "the model anew"
        )
    return np.array([checked(one) for one in values["classes"]]).astype(kind)


def plain(value: Any) -> Any:
    """A parameter as JSON has it."""
    if isinstance(value, (tuple, list)):  # one value for each axis of a grid
        return [plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def checked(value: Any) -> Any:
    """A parameter or label from a file, which must be a number or a name."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ModelFileError(
        f"the file has a {type(value).__name__} where a number or a name belongs; save the model "
        "anew"
    )
