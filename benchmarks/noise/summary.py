"""What the comparison on noisy rows says, with the standard library alone.

A *cell* is a method on a system under a setting: over its draws and networks the mean valid time,
in Lyapunov times, each draw by the mean (or the median) of its origins. Its *share* is that of the
limit on the same draws.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

LIMIT, OURS = "limit", "spheresn"
# What is kept of intervals: share covered, CRPS of ours, of the climate, of an interval of fixed
# width, and the share that this covered
JUDGED = ("covered", "crps", "climate", "fixed", "fixed_covered")
Found = dict[str, Any]
Cell = dict[str, Any]  # a unit's file; or what noise.json keeps of it


def rows_of(found: Found, setting: str, method: str, half: str = "both") -> dict[str, list[Cell]]:
    """System -> its units, those that failed included."""
    systems = found["systems"]
    units = found["results"].get(setting, {}).get(method, {})
    return {
        name: own for name, own in units.items() if half in ("both", systems[name]["half"]) and own
    }


def valid(cell: Cell, by: str = "mean") -> float:
    """Lyapunov times of a unit."""
    return mean(cell["valid"]) if by == "mean" else median(cell["valid"])


@dataclass(frozen=True)
class Share:
    """A method on a system: mean valid time, that of the limit on the same draws; how many units,
    and how many of them failed.
    """

    valid: float
    limit: float
    units: int
    failed: int

    @property
    def share(self) -> float:
        return self.valid / self.limit


def shares(
    found: Found, setting: str, method: str, half: str = "both", by: str = "mean"
) -> dict[str, Share]:
    """System -> share of the limit, where both are there. A unit that failed has no number: its
    system is missing, by name.
    """
    limits = rows_of(found, setting, LIMIT, half)
    kept: dict[str, Share] = {}
    for name, units in rows_of(found, setting, method, half).items():
        limit = {one["draw"]: one for one in limits.get(name, []) if one["error"] is None}
        failed = sum(one["error"] is not None for one in units)
        both = [one for one in units if one["draw"] in limit]
        if failed or not both or (setting.startswith("first") and not seen_by_first(found, name)):
            continue
        own = mean(valid(one, by) for one in both)
        most = mean(valid(limit[one["draw"]], by) for one in both)
        kept[name] = Share(own, most, len(both), failed)
    return kept


def seen_by_first(found: Found, system: str) -> bool:
    """Whether the first variable alone says where a system is: the limit with it, at 1 % noise, is
    at least half of the limit with all variables.
    """
    first, whole = (
        rows_of(found, f"{columns}, 5000 rows, noise 0.01", LIMIT).get(system)
        for columns in ("first", "all")
    )
    if not first or not whole or any(one["error"] for one in first + whole):
        return False
    return mean(map(valid, first)) >= 0.5 * mean(map(valid, whole))


def failures(found: Found, half: str = "both") -> Iterator[str]:
    """Units that failed, by name."""
    for setting, methods in found["results"].items():
        for method in methods:
            for name, units in rows_of(found, setting, method, half).items():
                for one in units:
                    if one["error"] is not None:
                        where = f"draw {one['draw']}, seed {one['seed']}"
                        yield f"{method}, {setting}, {name}, {where}: {one['error']}"


def bound_ratio(found: Found, setting: str) -> float | None:
    """Mean squared error of the states at the limit over that of the Cramér-Rao bound, the median
    over the systems.
    """
    ratios = [
        sum(map(sum, (one["squared"] for one in units)))
        / sum(map(sum, (one["bound"] for one in units)))
        for units in rows_of(found, setting, LIMIT).values()
        if all(one["error"] is None and "squared" in one for one in units)
    ]
    return median(ratios) if ratios else None


def terminal(found: Found, half: str, by: str) -> str:
    """Per setting a table: systems down, methods across, the share of the limit; below them means
    over the systems that all methods have, and the noise found.
    """
    lines: list[str] = []
    for setting, methods in found["results"].items():
        table = {one: shares(found, setting, one, half, by) for one in methods if one != LIMIT}
        table = {one: own for one, own in table.items() if own}
        if not table:
            continue
        common = sorted(set.intersection(*(set(own) for own in table.values())))
        names = sorted(set().union(*table.values()))
        lines += ["", f"{setting}; {half}, by the {by} of the origins: valid time (share of limit)"]
        lines.append(f"{'':22}{'limit':>7}" + "".join(f"{one[:19]:>20}" for one in table))
        for name in names:
            some = next(own[name] for own in table.values() if name in own)
            cells = [_cell(own.get(name)) for own in table.values()]
            lines.append(f"{name:22}{some.limit:7.2f}" + "".join(cells))
        if common:
            limit = mean(next(iter(table.values()))[one].limit for one in common)
            means = [mean(own[one].valid for one in common) for own in table.values()]
            parts = [mean(own[one].share for one in common) for own in table.values()]
            head = f"mean of {len(common)}"
            lines.append(
                f"{head:22}{limit:7.2f}"
                + "".join(f"{one:13.2f} ({one / limit:.2f})" for one in means)
            )
            lines.append(f"{'mean share':29}" + "".join(f"{one:20.2f}" for one in parts))
        lines += [f"  {line}" for line in _found_noise(found, setting, half, names)]
    missing = list(failures(found, half))
    return "\n".join([*lines, "", *(f"missing: {one}" for one in missing)])


def _cell(share: Share | None) -> str:
    return f"{share.valid:13.2f} ({share.share:.2f})" if share else f"{'-':>20}"


def _found_noise(found: Found, setting: str, half: str, names: list[str]) -> Iterator[str]:
    for method in found["results"][setting]:
        rows = rows_of(found, setting, method, half)
        told = {
            name: [level for one in rows[name] for level in one["noise"]]
            for name in names
            if name in rows and all("noise" in one for one in rows[name])
        }
        if told:
            text = ", ".join(f"{name} {min(own):.2g}-{max(own):.2g}" for name, own in told.items())
            unit = "in deviations" if "noise 0," in f"{setting}," else "of the truth"
            yield f"{method}: noise found, {unit}: {text}"
            yield from _found_leads(method, rows)
            seconds = mean(one["fit"] for own in rows.values() for one in own if "fit" in one)
            yield f"{method}: fit {seconds:.1f} s"


def _found_leads(method: str, rows: dict[str, list[Cell]]) -> Iterator[str]:
    units = [one for own in rows.values() for one in own if "leads" in one]
    names = list(dict.fromkeys(name for one in units for name in one["leads"]))
    for place, what in enumerate(JUDGED) if names else ():
        told = [
            [one["leads"][name][place] for one in units if name in one["leads"]] for name in names
        ]
        text = ", ".join(f"{name} {mean(own):.3f}" for name, own in zip(names, told, strict=True))
        yield f"{method}: {what:14} {text}"


def main() -> None:
    from .run import OUT, collect
    from .systems import DATA

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, nargs="+", default=[OUT], help="several are joined")
    parser.add_argument("--half", choices=["development", "report", "both"], default="both")
    parser.add_argument("--by", choices=["mean", "median"], default="mean")
    parser.add_argument("--json", action="store_true", help="print all that was found instead")
    asked = parser.parse_args()
    found = collect(asked.data, *asked.out)
    print(json.dumps(found) if asked.json else terminal(found, asked.half, asked.by))


if __name__ == "__main__":
    main()
