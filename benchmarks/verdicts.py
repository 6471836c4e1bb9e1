"""What the values of a race say: medians and quartiles, ratios with their range over the rounds,
targets reached or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FASTEST = "fastest peer"


@dataclass(frozen=True)
class Summary:
    """Of the values of one line."""

    median: float
    low: float
    high: float
    best: float
    rounds: int


@dataclass(frozen=True)
class Ratio:
    """The ratio of two medians, and the least and the largest ratio of the values of one round."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Verdict:
    """One target of one case: who ran against whom, how it went, whether that is enough."""

    line: str
    against: str
    wanted: str
    ratio: Ratio
    reached: bool


def summary(values: Sequence[float]) -> Summary:
    """Median, quartiles and the best."""
    low, middle, high = np.percentile(values, [25, 50, 75])
    return Summary(float(middle), float(low), float(high), float(min(values)), len(values))


def ratio(above: Sequence[float], below: Sequence[float]) -> Ratio:
    """Of the medians; the range is over the rounds that both took part in."""
    pairs = [a / b for a, b in zip(above, below, strict=False)]
    return Ratio(float(np.median(above) / np.median(below)), min(pairs), max(pairs))


def fastest_peer(case: dict[str, Any]) -> dict[str, Any] | None:
    """The peer's line with the least median; None where no peer ran."""
    peers = [line for line in case["lines"] if line["kind"] == "peer" and line["values"]]
    return min(peers, key=lambda line: summary(line["values"]).median, default=None)


def verdicts(case: dict[str, Any]) -> list[Verdict | None]:
    """One per target, None where somebody is missing."""
    return [_verdict(case, target) for target in case["targets"]]


def _verdict(case: dict[str, Any], target: dict[str, Any]) -> Verdict | None:
    ours, rival = _values(case, target["line"]), target["against"]
    if rival is None and ours:
        middle = summary(ours).median
        return Verdict(
            target["line"],
            "",
            f"at most {target['at_most']:g}",
            Ratio(middle, min(ours), max(ours)),
            middle <= target["at_most"],
        )
    fastest = fastest_peer(case)
    name = (fastest["name"] if fastest else "") if rival == FASTEST else rival
    theirs = _values(case, name)
    if not ours or not theirs:
        return None
    if "at_least" in target:
        found = ratio(theirs, ours)
        return Verdict(
            target["line"],
            name,
            f"{target['at_least']:g} times faster",
            found,
            found.value >= target["at_least"],
        )
    found = ratio(ours, theirs)
    return Verdict(
        target["line"],
        name,
        f"at most {target['at_most']:g} times",
        found,
        found.value <= target["at_most"],
    )


def _values(case: dict[str, Any], name: str) -> list[float]:
    return next((line["values"] for line in case["lines"] if line["name"] == name), [])


def slope(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The exponent p of times ∝ sizesᵖ, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
