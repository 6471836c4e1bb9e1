"""What forecasts are worth: errors relative to the seasonal naive method, intervals, seconds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .run import result
from .sources import KINDS, Ordinary

REFERENCE, INTERVALS = "seasonal naive", "AutoETS"
LEVEL = 0.9


def interval_score(lower: Any, upper: Any, truth: Any) -> float:
    """Width, plus 2/(1 - level) times what lies outside [GNE07].

    >>> round(interval_score(np.zeros(2), np.ones(2), np.array([0.5, 1.5])), 6)
    6.0
    """
    outside = np.maximum(lower - truth, 0.0) + np.maximum(truth - upper, 0.0)
    return float(np.mean(upper - lower + 2.0 / (1.0 - LEVEL) * outside))


def measure(series: Ordinary, method: str) -> dict[str, Any] | None:
    """Mean of |e|, interval score and coverage over all origins, or None where it is missing."""
    kept = result(series, method)
    if kept["error"] is not None:
        return None
    runs = kept["runs"]
    errors, scores, inside, worst = [], [], [], []
    for run in runs:
        truth = series.values[run["origin"] : run["origin"] + series.steps]
        mean, lower, upper = (np.array(run[part]) for part in ("mean", "lower", "upper"))
        errors.append(float(np.abs(mean - truth).mean()))
        scores.append(interval_score(lower, upper, truth))
        inside.append(float(np.mean((lower <= truth) & (truth <= upper))))
        worst.append(max(np.abs(mean - truth)))
    return {
        "error": float(np.mean(errors)),
        "errors": errors,
        "score": float(np.mean(scores)),
        "coverage": float(np.mean(inside)),
        "seconds": float(np.mean([run["seconds"] for run in runs])),
        "intervals": bool(np.all(np.abs(lower) < 1e299)),
    }


def geometric(values: Iterable[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(list(values)))))


def summarise(series: list[Ordinary], methods: Iterable[str]) -> dict[str, Any]:
    """For each method that is missing on none of these series its figures.

    Interval scores are relative to those of INTERVALS, or where it is missing, of REFERENCE.
    """
    found: dict[str, Any] = {}
    reference = {one.name: measure(one, REFERENCE) for one in series}
    intervals = {one.name: measure(one, INTERVALS) for one in series}
    if None in intervals.values():  # then relative to the other one, as `render` knows
        intervals = reference
    for method in methods:
        measured = {one.name: measure(one, method) for one in series}
        if any(value is None for value in measured.values()):
            continue
        ratio = {
            one.name: measured[one.name]["error"] / reference[one.name]["error"] for one in series
        }
        found[method] = {
            "error": geometric(ratio.values()),
            "by_kind": {
                kind: geometric(ratio[one.name] for one in series if one.kind == kind)
                for kind in KINDS
            },
            "worst": max(ratio.values()),
            "worst_series": max(ratio, key=lambda name: ratio[name]),
            "beats_naive": float(np.mean([value < 1.0 for value in ratio.values()])),
            "seconds": float(np.median([value["seconds"] for value in measured.values()])),
        }
        if all(value["intervals"] for value in measured.values()):
            found[method]["coverage"] = float(
                np.mean([value["coverage"] for value in measured.values()])
            )
            found[method]["interval_score"] = geometric(
                measured[one.name]["score"] / intervals[one.name]["score"] for one in series
            )
    return found


def missing(series: list[Ordinary], methods: Iterable[str]) -> dict[str, dict[str, str]]:
    """Method -> series -> reason, for the methods that have no forecasts of some series."""
    errors = {
        method: {one.name: result(one, method)["error"] for one in series} for method in methods
    }
    found = {
        method: {name: reason for name, reason in reasons.items() if reason is not None}
        for method, reasons in errors.items()
    }
    return {method: reasons for method, reasons in found.items() if reasons}
