"""What the comparison on noisy rows says in numbers, computed from noise.json with the standard
library alone, so that the site can be built without the packages of the comparison.

A unit is a method on a system under a setting, by one draw of the noise and one network. Its valid
time is the mean over its origins. The *share of the limit* is the mean over systems of the mean
over units, over the same mean of the limit on the same draws. A method that failed in a unit is
missing on that system, by name, and has no share there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean as mean
from statistics import stdev
from typing import Any

LIMIT, RAW, OURS, EARLIER = "limit", "true equations, raw start", "spheresn", "0.2.0"
NOISY = ("0.01", "0.05", "0.1")
# What is kept of intervals: share covered, CRPS of ours, of the climate, of an interval of fixed
# width, and the share that this covered
JUDGED = ("covered", "crps", "climate", "fixed", "fixed_covered")
LEADS = ("1 row", "10 rows", "50 rows", "1 T", "3 T", "10 T")
SEEN = 0.5  # of the limit with all variables, that one variable must allow at 1 % noise
RESAMPLED, INSIDE = 1000, 0.9  # bootstrap, and the share of it that an interval holds
CLOSE = 0.15  # relative error of a noise level that was found well
BEYOND = 2.0  # standard errors
Found = dict[str, Any]
Units = dict[str, dict[tuple[int, int], float]]  # system -> draw and network -> valid time


def setting(columns: str, noise: str, rows: int = 5000, gaps: bool = False) -> str:
    return f"{columns}, {rows} rows, noise {noise}{', gaps' if gaps else ''}"


def units(found: Found, where: str, method: str, by: str = "mean") -> Units:
    """Valid times, by the mean or the median of the origins, where no unit of a system failed."""
    return {
        name: {(one["draw"], one["seed"]): one[by] for one in own}
        for name, own in found["results"].get(where, {}).get(method, {}).items()
        if all(one["error"] is None for one in own)
    }


def chosen(found: Found, columns: str, half: str = "both") -> list[str]:
    """The systems of a half that can be judged by these columns."""
    return [
        name
        for name, one in found["systems"].items()
        if half in ("both", one["half"]) and (columns == "all" or seen_by_first(found, name))
    ]


def seen_by_first(found: Found, system: str) -> bool:
    """Whether the first variable alone says where a system is (the rule is in `systems`)."""
    first, whole = (
        units(found, setting(columns, "0.01"), LIMIT).get(system) for columns in ("first", "all")
    )
    return bool(first and whole and mean(first.values()) >= SEEN * mean(whole.values()))


@dataclass(frozen=True)
class Share:
    """Mean valid time over systems, that of the limit, their ratio and an interval about it by a
    bootstrap of systems and, within these, of units.
    """

    systems: int
    valid: float
    limit: float
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.valid / self.limit


def paired(
    found: Found, where: Sequence[str], method: str, systems: Sequence[str], by: str = "mean"
) -> dict[str, list[tuple[float, float]]] | None:
    """System -> valid time and limit of each unit of all these settings; None where the method or
    the limit is missing on a system.
    """
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in systems}
    for one in where:
        own, limits = units(found, one, method, by), units(found, one, LIMIT, by)
        for name in systems:
            limit = {draw: value for (draw, _), value in limits.get(name, {}).items()}
            both = {unit: value for unit, value in own.get(name, {}).items() if unit[0] in limit}
            if not both:
                return None
            pairs[name] += [(value, limit[draw]) for (draw, _), value in both.items()]
    return pairs


def share(
    found: Found, where: Sequence[str], method: str, systems: Sequence[str], by: str = "mean"
) -> Share | None:
    """A method under one or several settings; None where it is missing on a system."""
    pairs = paired(found, where, method, systems, by)
    if not pairs:
        return None
    rng, ratios = random.Random(0), []
    for _ in range(RESAMPLED):
        names = rng.choices(systems, k=len(systems))
        ratios.append(_ratio([rng.choices(pairs[one], k=len(pairs[one])) for one in names]))
    ratios.sort()
    outside = round(0.5 * (1.0 - INSIDE) * RESAMPLED)
    valid, limit = means(list(pairs.values()))
    return Share(len(systems), valid, limit, ratios[outside], ratios[-1 - outside])


def means(pairs: Sequence[Sequence[tuple[float, float]]]) -> tuple[float, float]:
    valid, limit = (mean(mean(one[place] for one in own) for own in pairs) for place in (0, 1))
    return valid, limit


def _ratio(pairs: Sequence[Sequence[tuple[float, float]]]) -> float:
    valid, limit = means(pairs)
    return valid / limit


def methods(found: Found) -> list[str]:
    """All that were measured but the limit, ours first."""
    names = dict.fromkeys(name for own in found["results"].values() for name in own)
    return sorted((name for name in names if name != LIMIT), key=lambda one: one != OURS)


def difference(
    found: Found, where: Sequence[str], system: str, method: str = OURS, other: str = EARLIER
) -> tuple[float, float] | None:
    """Mean of the differences of two methods on the same draws and networks, each over all
    settings, and its standard error; None where there are fewer than two.
    """
    gains: dict[tuple[int, int], list[float]] = {}
    for one in where:
        own, others = (units(found, one, name).get(system, {}) for name in (method, other))
        for unit in own.keys() & others.keys():
            gains.setdefault(unit, []).append(own[unit] - others[unit])
    over = [mean(gains[unit]) for unit in sorted(gains)]
    return (mean(over), stdev(over) / len(over) ** 0.5) if len(over) > 1 else None


def worse(found: Found, columns: str, half: str = "report") -> list[str]:
    """Systems on which ours is below 0.2.0 by more than chance, over the noisy settings."""
    where = [setting(columns, level) for level in NOISY]
    gains = {name: difference(found, where, name) for name in chosen(found, columns, half)}
    return [name for name, one in gains.items() if one and one[0] < -BEYOND * one[1]]


def found_noise(
    found: Found, columns: str, level: str, half: str, gaps: bool = False
) -> list[float]:
    """Noise levels that ours found, relative to the truth; of clean rows in deviations."""
    own = found["results"].get(setting(columns, level), {}).get(OURS, {})
    systems = chosen(found, columns, half)
    return [
        value
        for name in systems
        for one in own.get(name, [])
        if one["error"] is None
        for value in one["noise"]
    ]


def judged(found: Found, columns: str, level: str, what: str, half: str) -> list[float | None]:
    """The mean over units at each lead of what is kept of intervals."""
    own = found["results"].get(setting(columns, level), {}).get(OURS, {})
    lists = [
        one[what]
        for name in chosen(found, columns, half)
        for one in own.get(name, [])
        if one["error"] is None and what in one
    ]
    values = [[one[k] for one in lists if one[k] is not None] for k in range(len(LEADS))]
    return [mean(one) if one else None for one in values]


def bound_ratio(found: Found, columns: str, half: str = "both") -> dict[str, float]:
    """System -> mean squared error of the states at the limit over the Cramér-Rao bound, with all
    noisy settings and draws.
    """
    sums: dict[str, list[float]] = {}
    for level in NOISY:
        own = found["results"].get(setting(columns, level), {}).get(LIMIT, {})
        for name in chosen(found, columns, half):
            for one in own.get(name, []):
                if one["error"] is None:
                    pair = sums.setdefault(name, [0.0, 0.0])
                    pair[0] += one["squared"]
                    pair[1] += one["bound"]
    return {name: squared / bound for name, (squared, bound) in sums.items()}


def failures(found: Found) -> Iterator[tuple[str, str, str, str]]:
    """Method, system, unit and reason of those that failed."""
    for where, own in found["results"].items():
        for method, systems in own.items():
            for name, some in systems.items():
                for one in some:
                    if one["error"] is not None:
                        unit = f"{where}, draw {one['draw']}, network {one['seed']}"
                        yield method, name, unit, one["error"]
