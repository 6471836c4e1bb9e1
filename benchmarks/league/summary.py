"""What the league says, computed from league.json with the standard library alone, so that the
site can be built without the packages of the league.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from statistics import median, quantiles
from typing import Any

DEFAULT, OURS = "spheresn", ("spheresn", "spheresn tanh")
HALVES = ("development", "report", "both")
Found = dict[str, Any]
Scores = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Line:
    """A method on all systems. Valid times in Lyapunov times, per system the median of its free
    runs: their median and quartiles, the same as a share of what can be judged, and in Lyapunov
    times by dysts' own exponents. `best`, `below`: shares of the systems on which no other method
    is better, and on which the valid time is below 1. `fit`: seconds, the median of those that
    were timed.
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


def chosen(found: Found, half: str = "both") -> list[str]:
    """Chaotic systems of a half, or of both."""
    return [
        name
        for name, one in found["systems"].items()
        if one["chaotic"] and half in ("both", one["half"])
    ]


def scores(found: Found, setting: str, half: str = "both") -> Scores:
    """Method -> system -> median valid time, on the systems that the method is not missing on."""
    results = found["results"].get(setting, {})
    return {
        method: {
            name: rows[name]["median"]
            for name in chosen(found, half)
            if name in rows and rows[name]["error"] is None
        }
        for method, rows in results.items()
    }


def missing(found: Found, setting: str, half: str = "both") -> dict[str, dict[str, str]]:
    """Method -> system -> reason, for the methods that have no result on some system."""
    names, results = chosen(found, half), found["results"].get(setting, {})
    found_missing = {
        method: {
            name: rows[name]["error"] if name in rows else "not measured"
            for name in names
            if name not in own
        }
        for (method, rows), own in zip(
            results.items(), scores(found, setting, half).values(), strict=True
        )
    }
    return {method: reasons for method, reasons in found_missing.items() if reasons}


def judged(found: Found, name: str) -> list[float]:
    """Lyapunov times up to which the free runs of a system can be judged."""
    one = found["systems"][name]
    limit = min(found["cap"], one["horizon"] * one["lyapunov"] * one["dt"])
    return [min(limit, truth) for truth in one["truth_time"]]


def lines(found: Found, setting: str, half: str = "both") -> list[Line]:
    """One line per method, in the order of their medians. A method that is missing somewhere has
    none: its median would be that of other systems.
    """
    table, count = scores(found, setting, half), len(chosen(found, half))
    return sorted(
        (_line(found, setting, one, table) for one in table if 0 < len(table[one]) == count),
        key=lambda line: -line.median,
    )


def _line(found: Found, setting: str, method: str, table: Scores) -> Line:
    own, runs = table[method], found["results"][setting][method]
    values = list(own.values())
    low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    rough = [_by_dysts(found, name, value) for name, value in own.items()]
    best = [
        all(other[name] <= own[name] for other in table.values() if name in other) for name in own
    ]
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
    )


def _by_dysts(found: Found, name: str, value: float) -> float:
    one = found["systems"][name]
    return min(value * one["lyapunov_dysts"] / one["lyapunov"], found["cap"])


def wins(found: Found, setting: str, half: str = "both", method: str = DEFAULT) -> float | None:
    """Share of the systems on which the method is better than the best of all others but ours;
    None where it is missing on one, or nobody to compare with.
    """
    table = scores(found, setting, half)
    own = table.pop(method, {})
    best = {name: _best_rival(table, name) for name in chosen(found, half)}
    if not best or any(name not in own or best[name] is None for name in best):
        return None
    return sum(own[name] > rival[0] for name, rival in best.items() if rival) / len(best)


def _best_rival(table: Scores, name: str) -> tuple[float, str] | None:
    """The largest valid time of a method that is not ours, and whose it is."""
    rivals = [(own[name], one) for one, own in table.items() if one not in OURS and name in own]
    return max(rivals, key=lambda rival: rival[0], default=None)


def duels(found: Found, setting: str, half: str = "both") -> list[tuple[str, float, float, str]]:
    """System, our valid time, the best of the others, and whose it is; our best system first. Where
    ours is missing it is NaN, and the best of the others stands alone.
    """
    table = scores(found, setting, half)
    ours = table.get(DEFAULT, {})
    duels = [
        (name, ours.get(name, nan), *rival)
        for name in chosen(found, half)
        if (rival := _best_rival(table, name)) is not None
    ]
    return sorted(duels, key=lambda duel: -(duel[2] if isnan(duel[1]) else duel[1]))


def table(found: Found, setting: str, half: str = "both") -> str:
    """The lines as Markdown, and what is missing."""
    found_lines = lines(found, setting, half)
    count = found_lines[0].systems if found_lines else 0
    head = [
        f"| {count} systems | median | quartiles | of what can be judged | by dysts' exponents "
        "| best on | below 1 | fit, s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    body = [
        f"| {_name(line.method)} | {line.median:.1f} | {line.low:.1f}-{line.high:.1f} | "
        f"{100 * line.share:.0f} % | {line.by_dysts:.1f} | {100 * line.best:.0f} % | "
        f"{100 * line.below:.0f} % | {_seconds(line.fit)} |"
        for line in found_lines
    ]
    return "\n".join([*head, *body, *_missing_lines(found, setting, half)])


def _missing_lines(found: Found, setting: str, half: str) -> list[str]:
    """A paragraph for each method that is missing somewhere: where, why, and how it does on the
    other systems beside ours.
    """
    table, lines = scores(found, setting, half), []
    ours = table.get(DEFAULT, {})
    for method, reasons in missing(found, setting, half).items():
        by_reason: dict[str, list[str]] = {}
        for name, reason in reasons.items():
            by_reason.setdefault(reason, []).append(name)
        where = "; ".join(f"{', '.join(own)} (`{why}`)" for why, own in by_reason.items())
        lines += ["", f"{_name(method)} is missing on {len(reasons)} systems: {where}."]
        both = [name for name in table[method] if name in ours]
        if both and method != DEFAULT:
            theirs, own = (median(one[name] for name in both) for one in (table[method], ours))
            lines[-1] += f" On the other {len(both)} its median is {theirs:.1f}, "
            lines[-1] += f"that of {DEFAULT} {own:.1f}."
    return lines


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
