"""A forecast summarised: the verdict in sentences, tables for people, numbers for programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._validation import Floats
from ...estimators import ESNForecaster
from ...forecasting.combination import COMBINATION
from ...forecasting.intervals import LEVEL
from ...forecasting.series import family_of
from .._json import plain
from .formatting import format_interval
from .outlook import Outlook

EQUAL = 0.03  # relative difference up to which errors are called equal
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


def families(outlook: Outlook) -> list[tuple[str, str]]:
    """The kinds of methods in the record, and what they do."""
    names = dict.fromkeys(family_of(name) for name in outlook.relative_errors)
    return [(name, METHODS[name]) for name in names]


def sentences(outlook: Outlook) -> list[str]:
    """The verdict: what the forecast is made of, and whether a simple method would have done."""
    errors = outlook.relative_errors
    simple = min((outlook.naive, "mean"), key=lambda name: errors[name])
    said = [outlook.model.describe()]
    if compare(errors[COMBINATION], errors[simple]) != "better":
        name = "The mean of all rows" if simple == "mean" else f"The {simple} method"
        worse = compare(errors[COMBINATION], errors[simple]) == "worse"
        said.append(
            f"{name} alone had {'a smaller' if worse else 'nearly the same'} error, so do not "
            "expect more of this forecast."
        )
    return said


def compare(error: float, other: float) -> str:
    """Whether an error is "better", "equal" or "worse" than another.

    >>> compare(0.5, 1.0), compare(0.99, 1.0), compare(float("inf"), 1.0), compare(0.0, 0.0)
    ('better', 'equal', 'worse', 'equal')
    """
    if error < (1.0 - EQUAL) * other:
        return "better"
    return "worse" if error > (1.0 + EQUAL) * other else "equal"


def badge(outlook: Outlook) -> tuple[str, str]:
    """The verdict in short: its colour and its words."""
    errors = outlook.relative_errors
    return {
        "better": ("holds", f"✓ better than the {outlook.naive} method"),
        "equal": ("partly", f"◐ as good as the {outlook.naive} method"),
        "worse": ("fails", f"✗ worse than the {outlook.naive} method"),
    }[compare(errors[COMBINATION], errors[outlook.naive])]


def describe_seasons(outlook: Outlook) -> str:
    """The seasons that were found or given, in words."""
    seasons = outlook.model.seasons_
    if not seasons:
        return "no season"
    lengths = " and ".join(str(season) for season in seasons)
    return f"season{'s' if len(seasons) > 1 else ''} of {lengths} rows"


def compared(outlook: Outlook) -> list[str]:
    """The methods whose errors are shown in detail: the combination, the naive one, and the best
    single one unless it is all there is in the combination.
    """
    forecasts, best = outlook.record.forecasts, outlook.best
    alone = np.allclose(forecasts[best], forecasts[COMBINATION], rtol=1e-12, atol=0.0)
    return list(dict.fromkeys([COMBINATION, outlook.naive, *([] if alone else [best])]))


def short_title(outlook: Outlook, method: str) -> str:
    """The name of a method that is compared."""
    return "best single method" if method == outlook.best != outlook.naive else method


def record_rows(outlook: Outlook) -> list[tuple[str, float, float | None]]:
    """Each method, its relative error and its weight, the least error first; the combination has
    no weight.
    """
    weights = outlook.weights
    return [(name, error, weights.get(name)) for name, error in outlook.relative_errors.items()]


def shown_horizons(steps: int) -> list[int]:
    """A few steps ahead for a table: 1, 10, 50, ... and the last.

    >>> shown_horizons(200), shown_horizons(3)
    ([1, 10, 50, 200], [1, 2, 3])
    """
    if steps <= 4:
        return list(range(1, steps + 1))
    return sorted({1, *(step for step in (10, 50, 200, 1000) if step < 0.7 * steps), steps})


def reach(outlook: Outlook) -> int:
    """How many steps ahead the forecasts of the record reach."""
    return int(outlook.record.truth.shape[1])


def error_by_step(outlook: Outlook, method: str) -> Floats:
    """The mean of |e| at each horizon of the record (H,), in deviations of the columns."""
    return np.asarray(np.abs(outlook.record.errors(method)).mean(axis=(0, 2)))


def errors_by_horizon(outlook: Outlook) -> list[tuple[str, list[float]]]:
    """The errors of a few methods at a few horizons and over all, in standard deviations."""
    at = np.array(shown_horizons(reach(outlook))) - 1
    steps = {name: error_by_step(outlook, name) for name in compared(outlook)}
    return [(name, [*errors[at].tolist(), float(errors.mean())]) for name, errors in steps.items()]


def errors_by_column(outlook: Outlook) -> list[tuple[str, list[float]]]:
    """For each column the mean of |e| of a few methods, in the units of the column."""
    totals = [
        np.abs(outlook.record.errors(name)).mean(axis=(0, 1)) * outlook.record.scaler.scale
        for name in compared(outlook)
    ]
    return [
        (name, [float(total[column]) for total in totals])
        for column, name in enumerate(outlook.series.names)
    ]


def rows_ahead(outlook: Outlook, count: int) -> list[tuple[str, list[str]]]:
    """The first forecasts: the time, then value and interval of each column."""
    parts = (outlook.values, outlook.lower, outlook.upper)
    return [
        (time, [format_interval(*triple) for triple in zip(*rows, strict=True)])
        for time, *rows in list(
            zip(outlook.times, *(part.tolist() for part in parts), strict=True)
        )[:count]
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


def summary(outlook: Outlook) -> dict[str, Any]:
    """Everything about a forecast, for JSON."""
    record, names = outlook.record, outlook.series.names
    columns = {
        name: {
            "value": outlook.values[:, i],
            "lower": outlook.lower[:, i],
            "upper": outlook.upper[:, i],
        }
        for i, name in enumerate(names)
    }
    content = {
        "source": outlook.series.source,
        "rows": len(outlook.series.values),
        "columns": list(names),
        "steps": outlook.steps,
        "seasons": list(outlook.model.seasons_),
        "notes": list(outlook.series.notes),
        "level": LEVEL,
        "verdict": sentences(outlook),
        "weights": outlook.weights,
        "record": {
            "origins": len(record.origins),
            "first_row": outlook.origins[0] + 1,
            "fitted": len(record.folds),
            "steps": reach(outlook),
            "naive": outlook.naive,
            "best": outlook.best,
            "relative_error": outlook.relative_errors,
            "error_by_step": {name: error_by_step(outlook, name) for name in record.forecasts},
            "error_by_column": {
                name: dict(zip(compared(outlook), errors, strict=True))
                for name, errors in errors_by_column(outlook)
            },
        },
        "forecast": {"time": outlook.times, "columns": columns},
    }
    return dict(plain(content))
