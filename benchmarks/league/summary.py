"""What the league says, computed from league.json with the standard library alone, so that the
site can be built without the packages of the league.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

DEFAULT, OURS = "spheresn", ("spheresn", "spheresn tanh")
HALVES = ("development", "report", "both")
Found = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """A method on some systems. Valid times in Lyapunov times, per system the median of its free
    runs: their median and quartiles, the same as a share of what can be judged, and in Lyapunov
    times by dysts' own exponents. `best`, `below`: shares of the systems on which no other method
    is better, and on which the valid time is below 1. `fit`: seconds, the median.
    """

    method: str
    systems: int
    median: float
    low: float
    high: float
    share: float
    by_dysts: float
    best: float
    below: float
    fit: float | None
    failed: int


def chosen(found: Found, half: str = "both") -> list[str]:
    """Chaotic systems of a half, or of both."""
    return [
        name
        for name, one in found["systems"].items()
        if one["chaotic"] and half in ("both", one["half"])
    ]


def scores(found: Found, setting: str, half: str = "both") -> dict[str, dict[str, float]]:
    """Method -> system -> median valid time, on systems that all methods of the setting have."""
    results = found["results"].get(setting, {})
    names = [name for name in chosen(found, half) if all(name in one for one in results.values())]
    return {
        method: {name: one[name]["median"] for name in names} for method, one in results.items()
    }


def judged(found: Found, name: str) -> list[float]:
    """Lyapunov times up to which the free runs of a system can be judged."""
    one = found["systems"][name]
    limit = min(found["cap"], one["horizon"] * one["lyapunov"] * one["dt"])
    return [min(limit, truth) for truth in one["truth_time"]]


def lines(found: Found, setting: str, half: str = "both") -> list[Line]:
    """One line per method, in the order of their medians."""
    table = scores(found, setting, half)
    return sorted(
        (_line(found, setting, method, table) for method in table if table[method]),
        key=lambda line: -line.median,
    )


def _line(found: Found, setting: str, method: str, table: dict[str, dict[str, float]]) -> Line:
    own, runs = table[method], found["results"][setting][method]
    values = list(own.values())
    low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    rough = [_by_dysts(found, name, value) for name, value in own.items()]
    best = [all(other[name] <= own[name] for other in table.values()) for name in own]
    fits = [runs[name]["fit"] for name in own if runs[name]["fit"] is not None]
    return Line(
        method,
        len(values),
        median(values),
        low,
        high,
        median(runs[name]["share"] for name in own),
        median(rough),
        sum(best) / len(values),
        sum(value < 1.0 for value in values) / len(values),
        median(fits) if fits else None,
        sum(runs[name]["error"] is not None for name in own),
    )


def _by_dysts(found: Found, name: str, value: float) -> float:
    one = found["systems"][name]
    return min(value * one["lyapunov_dysts"] / one["lyapunov"], found["cap"])


def wins(found: Found, setting: str, half: str = "both", method: str = DEFAULT) -> float | None:
    """Share of the systems on which the method is better than the best of all others but ours."""
    table = scores(found, setting, half)
    rivals = [one for name, one in table.items() if name not in OURS and name != method]
    if method not in table or not rivals or not table[method]:
        return None
    won = [value > max(one[name] for one in rivals) for name, value in table[method].items()]
    return sum(won) / len(won)


def duels(found: Found, setting: str, half: str = "both") -> list[tuple[str, float, float, str]]:
    """System, our valid time, the best of the others, and whose it is; our best system first. Where
    ours was not measured, the best of the others stands alone.
    """
    table = scores(found, setting, half)
    rivals = {name: one for name, one in table.items() if name not in OURS}
    names = next(iter(table.values()), {})
    duels = []
    for name in names:
        best = max(rivals, key=lambda method: rivals[method][name])
        ours = table[DEFAULT][name] if DEFAULT in table else float("nan")
        duels.append((name, ours, rivals[best][name], best))
    return sorted(duels, key=lambda duel: -(duel[1] if DEFAULT in table else duel[2]))


def table(found: Found, setting: str, half: str = "both") -> str:
    """The lines as Markdown."""
    found_lines = lines(found, setting, half)
    count = found_lines[0].systems if found_lines else 0
    head = [
        f"| {count} systems | median | quartiles | of what can be judged | by dysts' exponents "
        "| best on | below 1 | failed | fit, s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    body = [
        f"| {_name(line.method)} | {line.median:.1f} | {line.low:.1f}-{line.high:.1f} | "
        f"{100 * line.share:.0f} % | {line.by_dysts:.1f} | {100 * line.best:.0f} % | "
        f"{100 * line.below:.0f} % | {line.failed} | {_seconds(line.fit)} |"
        for line in found_lines
    ]
    return "\n".join(head + body)


def extremes(found: Found, setting: str, count: int = 10) -> str:
    """The systems where our default runs longest and shortest, beside the best of the others."""
    all_of_them = duels(found, setting)
    head = ["| system | half | ours | best other | which |", "|---|---|--:|--:|---|"]
    body = [
        f"| {name} | {found['systems'][name]['half']} | {ours:.1f} | {other:.1f} | {which} |"
        for name, ours, other, which in all_of_them[:count] + all_of_them[-count:]
    ]
    return "\n".join(head + body)


def _name(method: str) -> str:
    return f"**{method}**" if method in OURS else method


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value < 10.0 else f"{value:.0f}"
