"""Forecasters of ordinary series on disk: their rows, record and weights. The methods learn again
from the rows when a file is loaded, so that it holds nothing that only this version understands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save as to_bytes

from .._errors import BadInput, ModelFileError, sentence
from .._plain import checked, plain
from .._validation import Floats, whole
from .._version import __version__
from ..io import whole_file
from ..series.form import SeriesForm
from ..series.scaling import Scaler
from .backtesting import Backtest
from .combination import COMBINATION, FittedCombination
from .network import NetworkSettings

SERIES_FORMAT = 1  # of a file: a later one has parts that this version does not know
KIND = "SeriesForecaster"


def write_series(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted forecaster to one file, whole or not at all."""
    fitted, record, given = model._fitted, model._fitted.record, model._exogenous_names
    weights = [np.broadcast_to(one, model.scale_.shape) for one in fitted.weights.values()]
    names = list(record.forecasts)
    header = {
        "format": SERIES_FORMAT,
        "library": __version__,
        "kind": KIND,
        "parameters": {name: plain(one) for name, one in model.get_params().items()},
        "form": model._form.plain(),
        "exogenous": None if given is None else list(map(str, given)),
        "seasons": [int(one) for one in model.seasons_],
        "horizon": int(model.horizon_),
        "folds": list(record.folds),
        "methods": names,
        "weighted": list(fitted.weights),
        "network": None if model._network is None else asdict(model._network),
        "notes": list(model.notes_),
    }
    tensors = {
        "values": model._values,
        "exogenous": model._exogenous,
        "scale": model.scale_,
        "weights": np.array(weights),
        "limit": np.asarray(fitted.limit),
        "origins": record.origins.astype(np.float64),
        "truth": record.truth,
        "forecasts": np.array([record.forecasts[name] for name in names]),
        "diverged": np.array([record.diverged[name] for name in names], np.float64),
    }
    arrays = {name: np.ascontiguousarray(part, np.float64) for name, part in tensors.items()}
    with whole_file(Path(path)) as draft:
        draft.write_bytes(to_bytes(arrays, {"spheresn": json.dumps(header)}))


def read_series(model: Any, path: str | os.PathLike[str]) -> None:
    """Give a forecaster what a file holds, all but its methods."""
    read_file(path, KIND, SERIES_FORMAT, lambda *found: _take(model, *found))


def read_file(
    path: str | os.PathLike[str],
    kind: str,
    newest: int,
    take: Callable[[dict[str, Any], dict[str, Floats]], None],
) -> None:
    """Let `take` have the header and the arrays of a file of this kind; a sentence says what is
    wrong with a file. newest: the last format that is known.
    """
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            header = json.loads((file.metadata() or {})["spheresn"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
        if header["kind"] != kind or header["format"] > newest:
            found = sentence(f"a {header['kind']} of format {header['format']}", 80)
            raise ModelFileError(
                f"the file has {found}, not a {kind} of format {newest}; update spheresn, or load "
                "it with the class that wrote it, or with spheresn.load"
            )
        take(header, tensors)
    except (ModelFileError, MemoryError):
        raise
    except FileNotFoundError:
        raise ModelFileError(
            f"path must be a saved forecaster, got {os.fspath(path)!r}, which does not exist; "
            "check the name"
        ) from None
    except Exception as error:  # a damaged file raises nearly anything
        reason = sentence(error) or type(error).__name__
        raise ModelFileError(
            f"path must be a whole file written by {kind}.save, got {os.fspath(path)!r} "
            f"({reason}); save it anew"
        ) from None


def _take(model: Any, header: dict[str, Any], tensors: dict[str, Floats]) -> None:
    """Check the parts of a file against each other, and take them over."""
    parameters = {name: _parameter(one) for name, one in header["parameters"].items()}
    model.set_params(**parameters)
    for name, part in tensors.items():
        _require(part.dtype == np.float64, f"{name} has another type than float64")
        if name != "forecasts":  # a method may have run away, and then it has no weight
            _require(bool(np.isfinite(part).all()), f"{name} has numbers that are not finite")
    values, scale = tensors["values"], tensors["scale"]
    rows, columns = values.shape
    names, weighted = list(map(str, header["methods"])), list(map(str, header["weighted"]))
    origins, truth = tensors["origins"].astype(np.int64), tensors["truth"]
    count, reach = truth.shape[:2]
    shapes = {
        "exogenous": (rows, tensors["exogenous"].shape[-1]),
        "scale": (columns,),
        "weights": (len(weighted), columns),
        "limit": (columns,),
        "origins": (count,),
        "truth": (count, reach, columns),
        "forecasts": (len(names), count, reach, columns),
        "diverged": (len(names), count),
    }
    for name, shape in shapes.items():
        found = tensors[name].shape
        _require(found == shape, f"{name} has shape {found}, not {shape}")
    _require(bool((scale > 0.0).all()), "scale is not above 0")
    _require(count > 0 and reach > 0, "the record is empty")
    _require(COMBINATION in names and set(weighted) <= set(names), "methods are missing")
    weights = dict(zip(weighted, tensors["weights"], strict=True))
    total = np.sum(tensors["weights"], axis=0)
    is_share = (tensors["weights"] >= 0.0).all() and np.allclose(total, 1.0)
    _require(bool(is_share), "weights are no shares")
    form = SeriesForm.from_plain(header["form"])
    _require(len(form.names) == columns and (columns == 1 or not form.flat), "the form is another")
    horizon = whole("horizon", header["horizon"], 1)
    seasons = tuple(whole("seasons", one, 1) for one in header["seasons"])
    _require(horizon <= rows and all(one <= rows // 2 for one in seasons), "too few rows")
    folds = tuple(whole("folds", one, 0) for one in header["folds"])
    record = Backtest(
        origins,
        folds,
        dict(zip(names, tensors["forecasts"], strict=True)),
        truth,
        Scaler.identity(columns),
        {name: part > 0.0 for name, part in zip(names, tensors["diverged"], strict=True)},
    )
    settings = header["network"]
    model._network = None
    if settings is not None:
        model._network = NetworkSettings(**{name: checked(one) for name, one in settings.items()})
    given = header["exogenous"]
    model._exogenous_names = None if given is None else tuple(map(str, given))
    model._form, model._values, model._exogenous = form, values, tensors["exogenous"]
    model.scale_, model._rows = scale, values / scale
    model.seasons_, model.horizon_ = seasons, horizon
    model.notes_ = tuple(map(str, header["notes"]))
    model._fitted = FittedCombination({}, weights, tensors["limit"], record)
    model._show_weights()


def _parameter(value: Any) -> Any:
    return [checked(one) for one in value] if isinstance(value, list) else checked(value)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise BadInput(what)
