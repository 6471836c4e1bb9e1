"""What targets.json says: errors by task and method, their spread, and who is behind whom."""

from __future__ import annotations

from statistics import geometric_mean, median
from typing import Any

from .names import EARLIER, LAGS, OURS, PEER, SPHERE, TANH

METHODS = (OURS, EARLIER, SPHERE, TANH, PEER, LAGS)
SOLVED = 0.0316  # an error whose square is .001: R² above .999
BEHIND = 1.05
Found = dict[str, Any]


def errors(found: Found, task: str, method: str) -> list[float]:
    """Those of the seeds that were measured."""
    runs = found["tasks"][task]["methods"].get(method, {}).values()
    return [run["error"] for run in runs if run["error"] is not None]


def tasks(found: Found, half: str) -> list[str]:
    """The tasks of a half on which we were measured."""
    return [
        name
        for name, one in found["tasks"].items()
        if one["half"] == half and errors(found, name, OURS)
    ]


def against(found: Found, half: str, rival: str) -> float:
    """The geometric mean of our error as a share of a rival's, both medians over common seeds."""
    ratios = [_ratio(found, task, rival) for task in _common(found, half, rival)]
    return geometric_mean(ratios) if ratios else float("nan")


def behind(found: Found, half: str, rivals: tuple[str, ...]) -> list[str]:
    """Tasks on which we are more than 5 % behind the best of some rivals, solved ones left out."""
    return [
        task
        for task in tasks(found, half)
        if median(errors(found, task, OURS)) > SOLVED
        and any(
            errors(found, task, rival) and _ratio(found, task, rival) > BEHIND for rival in rivals
        )
    ]


def table(found: Found, half: str) -> str:
    """Errors by task and method: the median of the seeds, with the least and the largest."""
    lines = ["| task | " + " | ".join(METHODS) + " |", "|---|" + "--:|" * len(METHODS)]
    for task in tasks(found, half):
        cells = [errors(found, task, method) for method in METHODS]
        least = min(median(one) for one in cells if one)
        lines.append(f"| {task} | " + " | ".join(_cell(one, least) for one in cells) + " |")
    return "\n".join(lines)


def _cell(values: list[float], least: float) -> str:
    if not values:
        return "–"
    middle = median(values)
    text = f"{middle:.2g}"
    text = f"**{text}**" if middle <= BEHIND * least else text
    return text if len(values) == 1 else f"{text} ({min(values):.2g}–{max(values):.2g})"


def _common(found: Found, half: str, rival: str) -> list[str]:
    return [task for task in tasks(found, half) if errors(found, task, rival)]


def _ratio(found: Found, task: str, rival: str) -> float:
    count = min(len(errors(found, task, OURS)), len(errors(found, task, rival)))
    ours, its = (errors(found, task, method)[:count] for method in (OURS, rival))
    return max(median(ours), 1e-9) / max(median(its), 1e-9)
