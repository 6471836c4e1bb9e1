"""The summary of a forecast: the verdict in sentences, tables for people, numbers for programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._formatting import format_interval
from ..._validation import Floats
from ...estimators import ESNForecaster
from ...forecasting.backtesting import INTERVAL_LEVEL
from ...forecasting.combination import COMBINATION
from ...forecasting.series import family_of
from .._json import plain
from .many import ManyForecasts
from .result import ForecastResult

EQUAL_ERRORS = 0.03  # relative difference up to which errors are called equal
METHODS = {
    COMBINATION: "the weighted mean of the other methods: this is the forecast",
    "naive": "the last value, repeated",
    "seasonal naive": "the last season, repeated",
    "mean": "the mean of all rows",
    "theta": "exponential smoothing with half of the linear trend",
    "linear autoregression": "ridge regression on past values",
    "networks": "small echo state networks beside past values",
    "direct readouts": "ridge regression on past values, one for each step ahead",
    "echo state network": "one large echo state network",
}
MEANINGS = {
    "units": "size of the network",
    "memory": "steps after which the trace of an input has faded to 1/e",
    "bend": "nonlinearity of the sphere; 0 means none",
    "bias_ratio": "strength of the bias relative to that of the input",
    "penalty": "penalty of the ridge regression of the readout",
    "noise": "noise added to the input during training, in standard deviations",
    "exponent": "maximal Lyapunov exponent on the data, per step; negative: the past fades",
}


def families(result: ForecastResult) -> list[tuple[str, str]]:
    """The kinds of methods in the record, and what they do."""
    names = dict.fromkeys(family_of(name) for name in result.relative_errors)
    return [(name, METHODS[name]) for name in names]


def sentences(result: ForecastResult) -> list[str]:
    """The verdict: what the forecast is made of, and whether a simple method would have done."""
    errors = result.relative_errors
    simple = min((result.naive, "mean"), key=lambda name: errors[name])
    lines = [result.model.describe()]
    if compare(errors[COMBINATION], errors[simple]) != "better":
        name = "The mean of all rows" if simple == "mean" else f"The {simple} method"
        worse = compare(errors[COMBINATION], errors[simple]) == "worse"
        lines.append(
            f"{name} alone had {'a smaller' if worse else 'nearly the same'} error, so do not "
            "expect more of this forecast."
        )
    return lines


def compare(error: float, other: float) -> str:
    """Whether an error is "better", "equal" or "worse" than another.

    >>> compare(0.5, 1.0), compare(0.99, 1.0), compare(float("inf"), 1.0), compare(0.0, 0.0)
    ('better', 'equal', 'worse', 'equal')
    """
    if error < (1.0 - EQUAL_ERRORS) * other:
        return "better"
    return "worse" if error > (1.0 + EQUAL_ERRORS) * other else "equal"


def badge(result: ForecastResult) -> tuple[str, str]:
    """The verdict in short: its colour and its text."""
    errors = result.relative_errors
    return {
        "better": ("holds", f"✓ better than the {result.naive} method"),
        "equal": ("partly", f"◐ as good as the {result.naive} method"),
        "worse": ("fails", f"✗ worse than the {result.naive} method"),
    }[compare(errors[COMBINATION], errors[result.naive])]


def describe_seasons(result: ForecastResult) -> str:
    """The seasons that were found or given, as text."""
    seasons = result.model.seasons_
    if not seasons:
        return "no season"
    lengths = " and ".join(str(season) for season in seasons)
    return f"season{'s' if len(seasons) > 1 else ''} of {lengths} rows"


def compared(result: ForecastResult) -> list[str]:
    """The methods whose errors are shown in detail: the combination, the naive one, and the best
    single one unless it is all there is in the combination.
    """
    forecasts, best = result.record.forecasts, result.best
    alone = np.allclose(forecasts[best], forecasts[COMBINATION], rtol=1e-12, atol=0.0)
    return list(dict.fromkeys([COMBINATION, result.naive, *([] if alone else [best])]))


def short_title(result: ForecastResult, method: str) -> str:
    """The name of a method that is compared."""
    return "best single method" if method == result.best != result.naive else method


def record_rows(result: ForecastResult) -> list[tuple[str, float, float | None]]:
    """Each method, its relative error and its weight, the least error first; the combination has
    no weight.
    """
    weights = result.weights
    return [(name, error, weights.get(name)) for name, error in result.relative_errors.items()]


def shown_horizons(steps: int) -> list[int]:
    """A few steps ahead for a table: 1, 10, 50, ... and the last.

    >>> shown_horizons(200), shown_horizons(3)
    ([1, 10, 50, 200], [1, 2, 3])
    """
    if steps <= 4:
        return list(range(1, steps + 1))
    return sorted({1, *(step for step in (10, 50, 200, 1000) if step < 0.7 * steps), steps})


def reach(result: ForecastResult) -> int:
    """How many steps ahead the forecasts of the record reach."""
    return int(result.record.truth.shape[1])


def error_by_step(result: ForecastResult, method: str) -> Floats:
    """The mean of |e| at each horizon of the record (H,), in deviations of the columns."""
    return np.asarray(np.abs(result.record.errors(method)).mean(axis=(0, 2)))


def errors_by_horizon(result: ForecastResult) -> list[tuple[str, list[float]]]:
    """The errors of a few methods at a few horizons and over all, in standard deviations."""
    at = np.array(shown_horizons(reach(result))) - 1
    steps = {name: error_by_step(result, name) for name in compared(result)}
    return [(name, [*errors[at].tolist(), float(errors.mean())]) for name, errors in steps.items()]


def errors_by_column(result: ForecastResult) -> list[tuple[str, list[float]]]:
    """For each column the mean of |e| of a few methods, in the units of the column."""
    totals = [
        np.abs(result.record.errors(name)).mean(axis=(0, 1)) * result.record.scaler.scale
        for name in compared(result)
    ]
    return [
        (name, [float(total[column]) for total in totals])
        for column, name in enumerate(result.series.names)
    ]


def rows_ahead(result: ForecastResult, count: int) -> list[tuple[str, list[str]]]:
    """The first forecasts: the time, then value and interval of each column."""
    parts = (result.values, result.lower, result.upper)
    return [
        (time, [format_interval(*triple) for triple in zip(*rows, strict=True)])
        for time, *rows in list(zip(result.times, *(part.tolist() for part in parts), strict=True))[
            :count
        ]
    ]


def fitted(model: Any) -> dict[str, Any]:
    """The parameters of a network that were fitted, under their names in the library."""
    values = {
        "units": model.reservoir_.units,
        "memory": float(model.memory_),
        "bend": float(model.bend_),
        "bias_ratio": float(model.bias_ratio_),
        "penalty": float(model.penalty_),
    }
    if isinstance(model, ESNForecaster):
        values["noise"] = float(model.noise_)
    return {**values, "exponent": float(model.lyapunov_)}


def summary_of_many(many: ManyForecasts) -> dict[str, Any]:
    """Everything about the forecasts of many series, for JSON."""
    return {
        "source": many.source,
        "names": list(many.names),
        "target": many.target,
        "steps": many.steps,
        "notes": list(many.notes),
        "level": INTERVAL_LEVEL,
        "series": [
            {"label": list(label), **summary(result)}
            for label, result in zip(many.labels, many.results, strict=True)
        ],
    }


def summary(result: ForecastResult) -> dict[str, Any]:
    """Everything about a forecast, for JSON."""
    record = result.record
    columns = {
        name: {"value": value, "lower": lower, "upper": upper}
        for name, value, lower, upper in result.everything
    }
    content = {
        "source": result.series.source,
        "rows": len(result.series.values),
        "columns": list(columns),
        "steps": result.steps,
        "seasons": list(result.model.seasons_),
        "notes": list(result.series.notes),
        "level": INTERVAL_LEVEL,
        "verdict": sentences(result),
        "weights": result.weights,
        "record": {
            "origins": len(record.origins),
            "first_row": result.origins[0] + 1,
            "fitted": len(record.folds),
            "steps": reach(result),
            "naive": result.naive,
            "best": result.best,
            "relative_error": result.relative_errors,
            "error_by_step": {name: error_by_step(result, name) for name in record.forecasts},
            "error_by_column": {
                name: dict(zip(compared(result), errors, strict=True))
                for name, errors in errors_by_column(result)
            },
        },
        "forecast": {"time": result.times, "columns": columns},
    }
    return dict(plain(content))
