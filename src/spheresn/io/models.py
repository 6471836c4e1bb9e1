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

from .._errors import BadInput, sentence
from .._validation import Floats, real, whole
from .._version import __version__
from ..driving import COMPILED
from ..estimators import ESNClassifier, ESNFieldForecaster, ESNForecaster, ESNRegressor
from ..series.form import SeriesForm
from .files import whole_file
from .parts import (
    cases_from,
    cases_parts,
    field_from,
    field_parts,
    frame_from,
    frame_parts,
    loop_from,
    loop_parts,
    reservoirs_of,
)

FORMAT = 2  # 2: classifiers of whole series have several networks
KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (ESNRegressor, ESNForecaster, ESNClassifier, ESNFieldForecaster)
}
NEEDED = ("lyapunov_", "memory_", "bend_", "penalty_", "n_features_in_")
PER_NETWORK = ("lyapunov_", "memory_", "bend_")  # of a classifier of whole series
NUMBERS = (
    *NEEDED,
    "bias_ratio_",
    "noise_",
    "score_",
    "loo_error_",
    "sharpness_",
    "typical_length_",
)
FLAGS = {
    "ESNRegressor": "_one_output",
    "ESNForecaster": "_one_column",
    "ESNClassifier": "whole_series_",
    "ESNFieldForecaster": "shared_",
}
INDICES = ("indices", "indptr")
TOO_STRANGE = (RecursionError, SyntaxError)  # from nested brackets, from the name of a type
ARRAYS = ("state_", "last_", "low_", "high_", "mean_", "scale_")
PER_AXIS = ("patch", "halo", "periodic")  # parameters that may have one value per axis of a grid
FORECASTERS = (ESNForecaster, ESNFieldForecaster)
# What becomes plain values and arrays, and back
PARTS: dict[Any, Any] = {
    ESNRegressor: (frame_parts, frame_from),
    ESNClassifier: (frame_parts, frame_from),
    ESNForecaster: (loop_parts, loop_from),
    ESNFieldForecaster: (field_parts, field_from),
}


class ModelFileError(BadInput):
    """A file that is not a model, or not one that this version can read.

    >>> try:
    ...     load("nowhere.spheresn")
    ... except ModelFileError as error:
    ...     print(str(error).split(", got")[0])
    path must be a saved model
    """


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
    if isinstance(model, (ESNRegressor, ESNClassifier)):
        model._refresh()  # what a stream has left to learn
    for reservoir in reservoirs_of(model):
        if type(reservoir.recurrent) not in COMPILED:
            own = type(reservoir.recurrent).__name__
            raise BadInput(
                f"model must have a topology of spheresn to be saved, got {own}; fit it with W as "
                "an array instead"
            )
    values, tensors = _contents(model)
    header = {
        "format": FORMAT,
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
    if header["format"] > FORMAT:
        found = sentence(f"{header['format']}, written by spheresn {header['library']}", 80)
        raise ModelFileError(f"the file has format {found}; update spheresn to read it")
    return dict(header)


def _contents(model: Any) -> tuple[dict[str, Any], dict[str, Floats]]:
    own = vars(model)
    several = getattr(model, "whole_series_", False)
    values = {
        name: _plain(own[name])
        for name in (*NUMBERS, *FLAGS.values())
        if name in own and not (several and name in PER_NETWORK)
    }
    values["columns"] = [str(name) for name in getattr(model, "feature_names_in_", [])]
    tensors = {name: own[name] for name in ARRAYS if name in own}
    part_values, part_tensors = (cases_parts if several else PARTS[type(model)][0])(model)
    if isinstance(model, ESNForecaster):
        values["form"] = None if model._form is None else model._form.plain()
    if isinstance(model, ESNClassifier):
        values["classes"] = [_plain(one) for one in model.classes_]
        for one in values["classes"]:
            if not isinstance(one, (bool, int, float, str)):
                raise BadInput(
                    f"classes must be numbers or text to be saved, got {one!r}; fit with such "
                    "labels"
                )
        values["class_type"] = model.classes_.dtype.str
    return {**values, **part_values}, {**tensors, **part_tensors}


def _assemble(header: dict[str, Any], tensors: dict[str, Floats]) -> Any:
    values = header["values"]
    for name, tensor in tensors.items():
        _check_tensor(name, tensor)
    model = KINDS[header["kind"]](
        **{
            name: tuple(map(_checked_parameter, value))
            if name in PER_AXIS and isinstance(value, list)
            else _checked_parameter(value)
            for name, value in header["parameters"].items()
        }
    )
    if getattr(model, "readout", None) is not None:
        raise ModelFileError(
            f"the file has a readout, {sentence(model.readout, 40)!r}, that no file can hold; "
            "save the model anew"
        )
    _recall_flags(model, values)
    several = getattr(model, "whole_series_", False)
    for name in NUMBERS:
        if not (several and name in PER_NETWORK) and (name in values or name in NEEDED):
            setattr(model, name, _number(name, values[name]))
    for name in ARRAYS:
        if name in tensors:
            setattr(model, name, tensors[name])
    if several:
        if header["format"] < 2:
            raise ModelFileError(
                f"the file has a classifier of whole series of format {header['format']}, whose "
                "features are no longer computed; fit it again"
            )
        cases_from(model, values, tensors)
    else:
        PARTS[type(model)][1](model, values, tensors)
    _recall_columns(model, values)
    if isinstance(model, ESNForecaster):
        form = values.get("form")
        model._form = None if form is None else SeriesForm.from_plain(form)
    if isinstance(model, ESNClassifier):
        model.classes_ = _classes(values, len(model.weights_.intercept))
        # A file of version 0.1 has no sharpness
        model.sharpness_ = real("sharpness_", getattr(model, "sharpness_", 1.0), 0.0)
    return model


def _recall_flags(model: Any, values: dict[str, Any]) -> None:
    """The flags that give outputs the shape of the training data, and a check of the noise."""
    for kind, name in FLAGS.items():
        if name in values or kind == type(model).__name__:
            if not isinstance(values[name], bool):
                raise ModelFileError(
                    f"the file has a {type(values[name]).__name__} where {name!r} is true or "
                    "false; save the model anew"
                )
            setattr(model, name, values[name])
    if isinstance(model, FORECASTERS):
        if model.noise != "auto":
            real("noise", model.noise, 0.0)
        model.noise_ = _number("noise_", values.get("noise_", model.noise))
    model.bias_ratio_ = _number("bias_ratio_", values.get("bias_ratio_", model.bias_ratio))


def _recall_columns(model: Any, values: dict[str, Any]) -> None:
    """The number of columns, checked against the network, and their names, if they have some."""
    columns = (
        len(model.last_) if isinstance(model, FORECASTERS) else next(reservoirs_of(model)).n_inputs
    )
    names = [str(name) for name in values["columns"]]
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


def _classes(values: dict[str, Any], count: int) -> Any:
    kind = np.dtype(str(values["class_type"]))
    if kind.kind not in "biufUO" or kind.itemsize > 4096:
        raise ModelFileError(f"the file has classes of type {kind}; save the model anew")
    if len(values["classes"]) != count:
        raise ModelFileError(
            f"the file has {len(values['classes'])} classes, while its readout has {count}; save "
            "the model anew"
        )
    return np.array([_checked_parameter(one) for one in values["classes"]]).astype(kind)


def _parameters(model: Any) -> dict[str, Any]:
    """The parameters, except a matrix given as topology and a generator given as random_state: the
    network holds what came of these.
    """
    given = model.get_params(deep=False)
    if not isinstance(given["topology"], str):
        given["topology"] = "given"
    if not isinstance(given["random_state"], (int, np.integer)):
        given["random_state"] = None
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):  # one value for each axis of a grid
        return [_plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def _checked_parameter(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ModelFileError(
        f"the file has a {type(value).__name__} where a number or a name belongs; save the model "
        "anew"
    )


def _number(name: str, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ModelFileError(
            f"the file has a {type(value).__name__} where {name!r} is a number; save the model anew"
        )
    float(value)  # overflows for a whole number of 400 digits
    return value
