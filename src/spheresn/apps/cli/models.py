"""`spheresn fit` and `predict`: fit a model to a table, and apply a saved model to another one."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..._errors import BadInput
from ..._validation import Floats, at_least, fitting, whole
from ...estimators import (
    ESNClassifier,
    ESNForecaster,
    ESNRegressor,
    ESNSeriesRegressor,
    OutOfClimate,
    OutOfRange,
)
from ...io.models import load
from .._json import plain
from ..forecasts.result import without_constant_columns
from ..forecasts.summary import fitted
from ..tables import Table, TimeSeries

LEAST_ROWS_TO_FIT = 40  # rows
USUAL_PREDICTION = 200  # steps that `predict` forecasts where --steps is not given
CELL_MEMORY = 20  # times the memory of a float that a cell of the result takes as text
ENDING = ".spheresn"  # of the names of model files


def fit_forecaster(series: TimeSeries, units: int, seed: int) -> tuple[ESNForecaster, TimeSeries]:
    """The forecaster of all columns together that `ESNForecaster` gives from Python, and the series
    without its constant columns.
    """
    at_least("FILE", len(series.values), LEAST_ROWS_TO_FIT, "to fit a network")
    series, constants = without_constant_columns(series)
    if len(constants) == len(series.names) and np.ptp(series.values, axis=0).max() == 0.0:
        raise BadInput(
            f"columns must vary, got the same number in all rows of {constants[0][0]!r}; choose "
            "others with --column"
        )
    if constants:
        note = f"left out, constant: {', '.join(name for name, _ in constants)}"
        series = replace(series, notes=(*series.notes, note))
    model = ESNForecaster(whole("--units", units, 1), random_state=whole("--seed", seed, 0))
    return model.fit(series.frame), series


def fit_regressor(series: TimeSeries, target: str, units: int, seed: int) -> ESNRegressor:
    """A regressor of the target column on the others, with the settings of least leave-one-out
    error.
    """
    at_least("FILE", len(series.values), LEAST_ROWS_TO_FIT, "to fit a network")
    frame = series.frame
    if frame.shape[1] < 2:
        raise BadInput(
            f"FILE must have another column than --target, got only {target!r}; leave --target "
            "out for a forecaster"
        )
    model = ESNRegressor(whole("--units", units, 1), random_state=whole("--seed", seed, 0))
    return model.fit(frame.drop(columns=target), frame[target])


def describe_fit(model: Any, series: TimeSeries, target: str | None) -> dict[str, Any]:
    """What was fitted, for JSON."""
    content = {
        "kind": "regressor" if target is not None else "forecaster",
        "source": series.source,
        "rows": len(series.values),
        "columns": [name for name in series.names if name != target],
        "target": target,
        "notes": list(series.notes),
        "fitted": fitted(model),
        "error": getattr(model, "loo_error_", None) if target is not None else None,
        "candidates": getattr(model, "candidates_", []),
        "observation_noise": observation_noise(model, series) if target is None else None,
        "climate": _climate(model),
    }
    return dict(plain(content))


def _climate(model: Any) -> dict[str, Any] | None:
    """What long free runs of a forecaster are like."""
    found = getattr(model, "climate_", None)
    return None if found is None else {**found.plain(), "words": found.words}


def observation_noise(model: ESNForecaster, series: TimeSeries) -> dict[str, dict[str, float]]:
    """The deviation of the noise of each column, in its units and in deviations of the column."""
    found = model.observation_noise_
    pairs = zip(series.names, found, found / model.scaler_.scale, strict=True)
    return {name: {"deviation": float(one), "relative": float(share)} for name, one, share in pairs}


def read_model(path: Path) -> Any:
    """A saved forecaster or regressor."""
    model = load(path)
    if isinstance(model, (ESNClassifier, ESNSeriesRegressor)):
        kind = "classifier" if isinstance(model, ESNClassifier) else "regressor of whole series"
        raise BadInput(
            f"MODEL must be a forecaster or a regressor, got the {kind} {str(path)!r}; use it "
            "from Python"
        )
    return model


def series_for(model: Any, table: Table, fill: str | None) -> TimeSeries:
    """The columns that the model was fitted to; a model without column names takes all columns, if
    their number is right.
    """
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    missing = [name for name in names if name not in table.cells]
    if missing:
        raise BadInput(
            f"FILE must have the columns of the model, {', '.join(map(repr, names))}, got no "
            f"{missing[0]!r}; rename a column"
        )
    series = table.pick(names, fill)
    if not names and series.values.shape[1] != model.n_features_in_:
        raise BadInput(
            f"FILE must have {model.n_features_in_} column(s) of numbers, got "
            f"{len(series.names)}; leave the others out"
        )
    return replace(
        series, notes=tuple(note for note in series.notes if not note.startswith("left out"))
    )


def predict(
    model: Any, table: Table, steps: int | None, fill: str | None
) -> tuple[list[str], list[list[str]], list[str]]:
    """Header, rows and notes of a prediction: a forecaster continues the table, a regressor
    predicts a value for each row.
    """
    series = series_for(model, table, fill)
    if isinstance(model, ESNForecaster):
        width = CELL_MEMORY * (1 + len(series.names))
        ahead = USUAL_PREDICTION if steps is None else fitting("--steps", steps, 1, width)
        values, said = _continue(model, series, ahead)
        head = [series.time_name, *series.names]
        return head, _rows(series.ahead(ahead), values), [*series.notes, *said]
    if steps is not None:
        raise BadInput(
            f"--steps must be left out for a regressor, got {steps}; it predicts one value for "
            "each row of FILE"
        )
    values = _predict_rows(model, series)
    count = values.shape[1]
    names = ["prediction"] if count == 1 else [f"prediction {i + 1}" for i in range(count)]
    times = series.clock.written if series.clock else [str(row + 1) for row in range(len(values))]
    early = (
        f"the first {model.washout_} rows have no prediction, because the state of the network "
        "still depends on where it began"
    )
    notes = [*series.notes, *([early] if model.washout_ else [])]
    return [series.time_name, *names], _rows(times, values), notes


def _continue(model: ESNForecaster, series: TimeSeries, steps: int) -> tuple[Floats, list[str]]:
    """The next rows (steps, d) after those of the series, and the warnings about them.

    The network forgets where it began, so the series may hold only the new rows, or all rows.
    """
    with warnings.catch_warnings(record=True) as caught:
        for kind in (OutOfRange, OutOfClimate):
            warnings.simplefilter("always", kind)
        run = np.asarray(model.update(_input(model, series)).forecast(steps))
    return run.reshape(steps, -1), [str(one.message) for one in caught]


def _predict_rows(model: ESNRegressor, series: TimeSeries) -> Floats:
    """The prediction for each row (T, m); NaN during the washout."""
    at_least(
        "FILE", len(series.values), model.washout_ + 1, "for this model, because of its washout"
    )
    values = np.asarray(model.predict(_input(model, series))).reshape(len(series.values), -1)
    values[: model.washout_] = np.nan
    return values


def _input(model: Any, series: TimeSeries) -> Any:
    return series.frame if hasattr(model, "feature_names_in_") else series.values


def _rows(times: list[str], values: Floats) -> list[list[str]]:
    return [
        [time, *("" if np.isnan(value) else repr(value) for value in row)]
        for time, row in zip(times, values.tolist(), strict=True)
    ]


def row_for_json(row: list[str]) -> list[str | float | None]:
    """A row of `predict`: its time as text, the rest as numbers."""
    return [row[0], *(float(cell) if cell else None for cell in row[1:])]
