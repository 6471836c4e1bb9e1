"""Models on disk: safetensors with a JSON header.

Nothing is unpickled, and loading runs no code of the file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes
from sklearn.utils.validation import check_is_fitted

from .._errors import BadInput, ModelFileError, sentence
from .._plain import Saved, checked, plain
from .._validation import Floats, whole
from .._version import __version__
from ..compose import reservoirs_of
from ..driving import COMPILED, activation_code
from ..estimators import (
    ESNClassifier,
    ESNFieldForecaster,
    ESNForecaster,
    ESNRegressor,
    ESNSeriesRegressor,
)
from .files import whole_file

MODEL_FORMAT = 2  # 2: classifiers of whole series have several networks
KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        ESNRegressor,
        ESNForecaster,
        ESNClassifier,
        ESNSeriesRegressor,
        ESNFieldForecaster,
    )
}
INDICES = ("indices", "indptr")
TOO_STRANGE = (RecursionError, SyntaxError)  # from nested brackets, from the name of a type


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to one file, whole or not at all.

    >>> import tempfile
    >>> import spheresn as sn
    >>> model = sn.ESNRegressor(units=20, bend=0.5, memory=2, random_state=0)
    >>> model = model.fit(np.sin(np.arange(99.0))[:, None], np.cos(np.arange(99.0)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sn.save(model, folder + "/m.spheresn")
    ...     again = sn.load(folder + "/m.spheresn")
    >>> bool(np.array_equal(again.predict(np.ones((5, 1))), model.predict(np.ones((5, 1)))))
    True
    """
    kind = type(model).__name__
    if KINDS.get(kind) is not type(model):
        raise BadInput(
            f"model must be one of {', '.join(sorted(KINDS))}, got {kind}; fit it again from its "
            "data, or save it with another library"
        )
    if getattr(model, "readout", None) is not None:
        raise BadInput(
            "model must have the ridge readout to be saved, got a regressor of your own; fit it "
            "without readout="
        )
    check_is_fitted(model)
    for reservoir in [one for network in model._networks for one in reservoirs_of(network)]:
        if type(reservoir.recurrent) not in COMPILED:
            own = type(reservoir.recurrent).__name__
            raise BadInput(
                f"model must have a topology of spheresn to be saved, got {own}; fit it with W as "
                "an array instead"
            )
        if activation_code(reservoir) is None:
            own = type(reservoir.activation).__name__
            raise BadInput(
                f"model must have an activation of spheresn to be saved, got {own}; pickle it"
            )
    values, tensors = _contents(model)
    header = {
        "format": MODEL_FORMAT,
        "library": __version__,
        "kind": kind,
        "parameters": _parameters(model),
        "values": values,
    }
    arrays = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    with whole_file(Path(path)) as draft:
        draft.write_bytes(to_bytes(arrays, {"spheresn": json.dumps(header)}))


def load(path: str | os.PathLike[str]) -> Any:
    """The estimator that `save` wrote; its outputs are the same to the last bit.

    A file that is not a model is refused in one sentence:

    >>> try:
    ...     load("nowhere.spheresn")
    ... except ModelFileError as error:
    ...     print(error)
    path must be a saved model, got 'nowhere.spheresn', which does not exist; check the name
    """
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            header = _header(file.metadata())
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
        return _assemble(header, tensors)
    except FileNotFoundError:
        raise ModelFileError(
            f"path must be a saved model, got {os.fspath(path)!r}, which does not exist; check "
            "the name"
        ) from None
    except (ModelFileError, MemoryError):
        raise
    except (
        SafetensorError,
        OSError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        *TOO_STRANGE,
    ) as error:
        reason = sentence(error) or type(error).__name__
        raise ModelFileError(
            f"path must be a whole file written by spheresn.save, got {os.fspath(path)!r} "
            f"({reason}); save it anew"
        ) from None


def _header(metadata: dict[str, str] | None) -> dict[str, Any]:
    header = json.loads((metadata or {})["spheresn"])
    if header["format"] > MODEL_FORMAT:
        found = sentence(f"{header['format']}, written by spheresn {header['library']}", 80)
        raise ModelFileError(f"the file has format {found}; update spheresn to read it")
    return dict(header)


def _contents(model: Any) -> tuple[dict[str, Any], dict[str, Floats]]:
    saved: Saved = model._what_is_saved()
    names = (*saved.needed, *saved.numbers, saved.flag)
    values = {name: plain(getattr(model, name)) for name in names if hasattr(model, name)}
    values["columns"] = [str(name) for name in getattr(model, "feature_names_in_", [])]
    tensors = {name: getattr(model, name) for name in saved.arrays if hasattr(model, name)}
    part_values, part_tensors = model._to_parts()
    return {**values, **part_values}, {**tensors, **part_tensors}


def _assemble(header: dict[str, Any], tensors: dict[str, Floats]) -> Any:
    values, kind = header["values"], KINDS[header["kind"]]
    for name, tensor in tensors.items():
        _check_tensor(name, tensor)
    model = kind(
        **{
            name: tuple(map(checked, value))
            if name in kind._saved.axes and isinstance(value, list)
            else checked(value)
            for name, value in header["parameters"].items()
        }
    )
    if getattr(model, "readout", None) is not None:
        raise ModelFileError(
            f"the file has a readout, {sentence(model.readout, 40)!r}, that no file can hold; "
            "save the model anew"
        )
    setattr(model, kind._saved.flag, _flag(kind._saved.flag, values))
    saved: Saved = model._what_is_saved()
    if header["format"] < saved.since:
        raise ModelFileError(
            f"the file has a classifier of whole series of format {header['format']}, whose "
            "features are no longer computed; fit it again"
        )
    arrays = {name: tensors[name] for name in saved.arrays if name in tensors}
    model._from_parts(_numbers(model, saved, values) | arrays, values, tensors)
    if getattr(model, "reservoir", None) == "given":
        model.reservoir = model.reservoir_
    _recall_columns(model, values)
    return model


def _flag(name: str, values: dict[str, Any]) -> bool:
    """What gives outputs the shape of the training data."""
    if not isinstance(values[name], bool):
        raise ModelFileError(
            f"the file has a {type(values[name]).__name__} where {name!r} is true or false; save "
            "the model anew"
        )
    return bool(values[name])


def _numbers(model: Any, saved: Saved, values: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a file; those that old files lack are the parameters of the same name."""
    given = {f"{name}_": value for name, value in model.get_params(deep=False).items()}
    known = {name: values[name] for name in saved.needed} | {
        name: values.get(name, given.get(name))
        for name in saved.numbers
        if name in values or name in given
    }
    return {name: _number(name, value) for name, value in known.items()}


def _recall_columns(model: Any, values: dict[str, Any]) -> None:
    """The number of columns, checked against the network, and their names, if they have some."""
    columns, names = model._columns, [str(name) for name in values["columns"]]
    if whole("n_features_in_", model.n_features_in_, 1) != columns or len(names) not in (
        0,
        columns,
    ):
        found = f"{model.n_features_in_} columns and {len(names)} names of them"
        raise ModelFileError(
            f"the file has {found}, while its network has {columns}; save the model anew"
        )
    if names:
        model.feature_names_in_ = np.array(names, dtype=object)


def _check_tensor(name: str, tensor: Floats) -> None:
    if tensor.dtype.kind != ("i" if name.rpartition(".")[2] in INDICES else "f"):
        raise ModelFileError(
            f"the file has numbers of type {tensor.dtype} in {name!r}; save the model anew"
        )
    if not np.isfinite(tensor).all():
        raise ModelFileError(
            f"the file has numbers that are not finite in {name!r}; save the model anew"
        )


def _parameters(model: Any) -> dict[str, Any]:
    """The parameters, except a matrix given as topology and a generator given as random_state: the
    network holds what came of these.
    """
    given = model.get_params(deep=False)
    if not isinstance(given["topology"], str):
        given["topology"] = "given"
    if given.get("reservoir") is not None:
        given["reservoir"] = "given"
    if not isinstance(given["random_state"], (int, np.integer)):
        given["random_state"] = None
    return {name: plain(value) for name, value in given.items()}


def _number(name: str, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ModelFileError(
            f"the file has a {type(value).__name__} where {name!r} is a number; save the model anew"
        )
    float(value)  # overflows for a whole number of 400 digits
    return value
