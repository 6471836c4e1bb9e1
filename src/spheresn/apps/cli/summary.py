"""A forecast in numbers: for programs as they are, for people in tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...estimators import ESNForecaster
from ...forecasting.backtesting import LEVEL
from .forecast import NETWORK, Outlook
from .numbers import plain, with_interval
from .verdict import TITLES, sentences, shown_horizons, winner


def fitted(model: Any) -> dict[str, Any]:
    """What was fitted, under the names of the library."""
    told = {
        "units": model.reservoir_.units,
        "memory": float(model.memory_),
        "bend": float(model.bend_),
        "penalty": float(model.penalty_),
        "noise": float(getattr(model, "noise", 0.0)),
        "exponent": float(model.lyapunov_),
    }
    return (
        told
        if isinstance(model, ESNForecaster)
        else {name: value for name, value in told.items() if name != "noise"}
    )


MEANINGS = {
    "units": "size of the network",
    "memory": "steps after which the trace of an input has faded to 1/e",
    "bend": "nonlinearity of the sphere, 0 is none",
    "penalty": "of the ridge regression that reads the network",
    "noise": "added to the input while learning, in deviations",
    "exponent": "maximal Lyapunov exponent on the data, per step: negative means that the past fades",
}


def errors_by_horizon(outlook: Outlook) -> list[tuple[str, list[float]]]:
    """For each method its errors at a few horizons and over all, in deviations of the columns."""
    at = np.array(shown_horizons(outlook.steps)) - 1
    return [
        (TITLES[name], [*outlook.test.rmse_by_step(name)[at].tolist(), outlook.test.rmse(name)])
        for name in outlook.test.forecasts
    ]


def errors_by_column(outlook: Outlook) -> list[tuple[str, list[float]]]:
    """For each column the error of every method over all horizons, in the units of the column."""
    totals = [
        np.sqrt(np.mean(np.square(outlook.test.errors(name)), axis=(0, 1))) * outlook.scale
        for name in outlook.test.forecasts
    ]
    return [
        (name, [float(total[column]) for total in totals])
        for column, name in enumerate(outlook.series.names)
    ]


def summary(outlook: Outlook) -> dict[str, Any]:
    """Everything that a program may want to know, as JSON can say it."""
    test, names = outlook.test, outlook.series.names
    columns = {
        name: {
            "value": outlook.values[:, i],
            "lower": outlook.lower[:, i],
            "upper": outlook.upper[:, i],
        }
        for i, name in enumerate(names)
    }
    told = {
        "source": outlook.series.source,
        "rows": len(outlook.series.values),
        "columns": list(names),
        "steps": outlook.steps,
        "notes": list(outlook.series.notes),
        "fitted": fitted(outlook.model),
        "level": LEVEL,
        "backtest": {
            "origins": len(test.origins),
            "first_row": int(test.origins[0]) + 1,
            "taught": len(test.folds),
            "error": {name: test.rmse(name) for name in test.forecasts},
            "error_by_step": {name: test.rmse_by_step(name) for name in test.forecasts},
            "error_by_column": {
                name: dict(zip(test.forecasts, errors, strict=True))
                for name, errors in errors_by_column(outlook)
            },
        },
        "best": winner(test),
        "network_wins": winner(test) == NETWORK,
        "verdict": sentences(test, outlook.steps),
        "forecast": {"time": outlook.times, **{"columns": columns}},
    }
    return dict(plain(told))


def rows_ahead(outlook: Outlook, count: int) -> list[tuple[str, list[str]]]:
    """The first forecasts: time, then value and interval of each column."""
    half = 0.5 * outlook.upper - 0.5 * outlook.lower
    return [
        (
            outlook.times[step],
            [
                with_interval(*pair)
                for pair in zip(outlook.values[step].tolist(), half[step].tolist(), strict=True)
            ],
        )
        for step in range(min(count, outlook.steps))
    ]
