"""A fitted forecaster as plain values and arrays for a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import ModelFileError
from .._plain import (
    Parts,
    Tensors,
    Values,
    readout_from,
    readout_parts,
    reservoir_from,
    reservoir_parts,
    scaler_from,
)
from .._validation import real, whole
from ..closed_loop import ClosedLoop
from ..physics import TRIED_ROWS, Physics
from ..selection.staying import LearnedClimate
from ..series.form import SeriesForm
from .present import Present


def parts_of(model: Any) -> Parts:
    """All that a file needs besides the parameters, and the attributes with names of their own."""
    loop = model.closed_loop_
    values, tensors = readout_parts(loop.weights, loop.quadratic)
    reservoir, arrays = reservoir_parts(model.reservoir_)
    form = None if model._form is None else model._form.plain()
    beside = model.exogenous_scaler_
    return {
        "form": form,
        **values,
        "carry": float(loop.carry),
        "reservoir": reservoir,
        "washout": int(model.washout_),
        "rows": int(model._rows_seen),
        "physics": loop.physics is not None,
        "climate": model.climate_.plain() if hasattr(model, "climate_") else None,
    }, {
        **tensors,
        **arrays,
        **model._present.tensors(),
        "mean": model.scaler_.mean,
        "scale": model.scaler_.scale,
        "exogenous_mean": beside.mean,
        "exogenous_scale": beside.scale,
    }


def set_parts(model: Any, values: Values, tensors: Tensors) -> None:
    """Give a model what `parts_of` described; it has its attributes with names of their own."""
    reservoir = reservoir_from(values["reservoir"], tensors)
    weights, quadratic = readout_from(values, tensors, reservoir.units)
    columns = len(weights.intercept)
    model.scaler_ = scaler_from(tensors["mean"], tensors["scale"], columns)
    needed = values.get("physics", False) is True
    model.exogenous_scaler_ = scaler_from(
        tensors["exogenous_mean"],
        tensors["exogenous_scale"],
        reservoir.n_inputs - columns * (2 if needed else 1),
    )
    ends = (model.last_, model.low_, model.high_)
    if model.state_.shape != (reservoir.units,) or any(one.shape != (columns,) for one in ends):
        raise ValueError("state and series do not fit the network")
    limits = (model.scaler_.forward(end) for end in (model.low_, model.high_))
    carry = real("carry", values["carry"])
    physics = _physics_of(model) if needed else None
    low, high = limits
    loop = ClosedLoop(reservoir, weights, carry, quadratic, low, high, physics)
    model.closed_loop_, model.reservoir_ = loop, reservoir
    model.washout_ = whole("washout", values["washout"], 0)
    model._present = Present.from_tensors(tensors, loop, model.state_, model.last_, model.washout_)
    model._rows_seen = whole("rows", values.get("rows", 0), 0)
    if values.get("climate") is not None:
        model.climate_ = LearnedClimate.from_plain(values["climate"])
    form = values.get("form")
    model._form = None if form is None else SeriesForm.from_plain(form)


def _physics_of(model: Any) -> Physics:
    """The user's own model, which no file holds."""
    if model.physics is None:
        raise ModelFileError(
            "the file has a model that needs its physics, the function f(row, exogenous) that "
            "it was fitted with; pass it: load(path, physics=f)"
        )
    # Tried at the mean of the rows
    few = np.zeros((TRIED_ROWS, len(model.scaler_.mean)))
    others = np.zeros((TRIED_ROWS, len(model.exogenous_scaler_.mean)))
    return Physics.of(model.physics, model.scaler_, model.exogenous_scaler_, few, others)
