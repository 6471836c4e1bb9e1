"""A forecast summarised: the verdict in sentences, tables for people, numbers for programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._validation import Floats
from ...estimators import ESNForecaster
from ...forecasting.backtesting import LEVEL, Backtest
from .._json import plain
from .forecast import LINEAR, NETWORK, PERSISTENCE, Outlook
from .formatting import format_interval

TITLES = {NETWORK: "network", PERSISTENCE: "persistence", LINEAR: "linear autoregression"}
EXPLAINED = {
    NETWORK: "the network",
    PERSISTENCE: "persistence (the last value repeated)",
    LINEAR: "the linear autoregression",
}
EQUAL = 0.03  # relative difference up to which errors are called equal
NEGLIGIBLE = 1e-3  # the same, in standard deviations
MANY = 1000
MOST_STRETCHES = 4  # more changes of the best method than this are chance
MEANINGS = {
    "units": "size of the network",
    "memory": "steps after which the trace of an input has faded to 1/e",
    "bend": "nonlinearity of the sphere; 0 means none",
    "bias_ratio": "strength of the bias relative to that of the input",
    "penalty": "penalty of the ridge regression of the readout",
    "noise": "noise added to the input during training, in standard deviations",
    "exponent": "maximal Lyapunov exponent on the data, per step; negative: the past fades",
}


def winner(test: Backtest) -> str:
    """The method with the least error over all horizons."""
    return min(test.forecasts, key=test.rmse)


def sentences(test: Backtest, steps: int) -> list[str]:
    """The verdict: the best method over all steps, then the best one at each step if it changes."""
    errors = {name: test.rmse(name) for name in test.forecasts}
    rival = min((name for name in errors if name != NETWORK), key=lambda name: errors[name])
    span = f"over {steps} steps" if steps > 1 else "one step ahead"
    if is_tie(errors[NETWORK], errors[rival]):
        tie = f"A tie {span}: the network and {EXPLAINED[rival]} are equally good"
        return [f"{tie}; prefer the simpler one.", *_no_better_than_the_mean(errors)]
    return [
        _overall(errors[NETWORK], errors[rival], rival, span),
        *_step_by_step(test),
        *_no_better_than_the_mean(errors),
    ]


def is_tie(error: float, other: float) -> bool:
    """Whether two errors are too close to choose by."""
    return abs(error - other) <= max(EQUAL * other, NEGLIGIBLE)


def _overall(error: float, other: float, rival: str, span: str) -> str:
    if error < other:
        return (
            f"The network wins {span}: its error is {100 * (error / other):.3g} % of that of "
            f"{EXPLAINED[rival]}, the better of the two simple methods."
        )
    times = f"{error / other:.3g} times" if error < MANY * other else f"more than {MANY} times"
    name = EXPLAINED[rival]
    return (
        f"{name[0].upper()}{name[1:]} wins {span}: the network's error is {times} as large. Use "
        f"{TITLES[rival]} instead."
    )


def _step_by_step(test: Backtest) -> list[str]:
    """Which method is best how far ahead, if it is not always the same one."""
    stretches = best_by_step(test)
    if not 1 < len(stretches) <= MOST_STRETCHES:
        return []
    until = [
        f"{TITLES[name]} up to {step} step{'s' if step != 1 else ''} ahead"
        for name, step in stretches[:-1]
    ]
    return [f"The best method at each step: {', '.join(until)}, then {TITLES[stretches[-1][0]]}."]


def best_by_step(test: Backtest) -> list[tuple[str, int]]:
    """Stretches of horizons on which one method is best: its name and the last step of the
    stretch.
    """
    names = list(test.forecasts)
    best = np.argmin([_smooth(test.rmse_by_step(name)) for name in names], axis=0)
    ends = [*np.flatnonzero(np.diff(best)).tolist(), len(best) - 1]
    return [(names[best[end]], end + 1) for end in ends]


def _smooth(errors: Floats) -> Floats:
    """Means over neighbouring horizons, so that one lucky step decides nothing."""
    width = max(len(errors) // 10, 1)
    padded = np.pad(errors, (width // 2, width - 1 - width // 2), mode="edge")
    return np.convolve(padded, np.ones(width) / width, "valid")


def _no_better_than_the_mean(errors: dict[str, float]) -> list[str]:
    if min(errors.values()) < 1.0 - EQUAL:
        return []
    return ["On average over all these steps, no method is better than always predicting the mean."]


def shown_horizons(steps: int) -> list[int]:
    """A few steps ahead for a table: 1, 10, 50, ... and the last.

    >>> shown_horizons(200), shown_horizons(3)
    ([1, 10, 50, 200], [1, 2, 3])
    """
    if steps <= 4:
        return list(range(1, steps + 1))
    return sorted({1, *(step for step in (10, 50, 200, 1000) if step < 0.7 * steps), steps})


def errors_by_horizon(outlook: Outlook) -> list[tuple[str, list[float]]]:
    """For each method its errors at a few horizons and over all, in standard deviations."""
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


def rows_ahead(outlook: Outlook, count: int) -> list[tuple[str, list[str]]]:
    """The first forecasts: the time, then value and interval of each column."""
    half = 0.5 * outlook.upper - 0.5 * outlook.lower
    return [
        (
            outlook.times[step],
            [
                format_interval(*pair)
                for pair in zip(outlook.values[step].tolist(), half[step].tolist(), strict=True)
            ],
        )
        for step in range(min(count, outlook.steps))
    ]


def fitted(model: Any) -> dict[str, Any]:
    """The parameters that were fitted, under their names in the library."""
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
    test, names = outlook.test, outlook.series.names
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
        "forecast": {"time": outlook.times, "columns": columns},
    }
    return dict(plain(content))
