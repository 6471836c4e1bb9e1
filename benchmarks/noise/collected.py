"""The results of all units in one file."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from league.run import merged, read
from league.systems import THRESHOLD, TRAIN

from .rows import Unit
from .shares import JUDGED, LEADS
from .systems import horizon

COLUMNS, ROWS, NOISE = ("all", "first"), (5000, 1000), (0.0, 0.01, 0.05, 0.1)
GAP_NOISE = (0.0, 0.01)


def collect(data: Path, *outs: Path) -> dict[str, Any]:
    """All that was measured: systems, and setting -> method -> system -> units. A method that is in
    several folders is named by its folder in those after the first.
    """
    systems: dict[str, Any] = {}
    for path in sorted(data.glob("*.npz")):
        with np.load(path) as file:
            systems[path.stem] = {
                "half": str(file["half"]),
                "columns": int(file["series"].shape[1]),
                "dt": float(file["dt"]),
                "lyapunov": float(file["lyapunov"]),
                "apart": int(file["origins"][1] - file["origins"][0]),
                "horizon": int(horizon(float(file["lyapunov"] * file["dt"]), 0.0)),
            }
    excluded = {one["name"]: one["reason"] for one in map(read, data.glob("*.excluded.json"))}
    results: dict[str, Any] = {}
    for seen, count, level, lost, _ in conditions(COLUMNS, ROWS, NOISE, (False, True)):
        results[Unit("", seen, count, level, lost, 0, 0, "").setting] = {}
    for place, out in enumerate(outs):
        before = {method for methods in results.values() for method in methods} if place else ()
        for path in sorted(out.glob("*/*/*.json")):
            found = read(path)
            unit = Unit(*(found[field.name] for field in fields(Unit)))
            name = f"{unit.method} @{out.name}" if unit.method in before else unit.method
            if unit.system in systems:
                methods = results.setdefault(unit.setting, {}).setdefault(name, {})
                methods.setdefault(unit.system, []).append(entry(systems[unit.system], found))
    return {
        "threshold": THRESHOLD,
        "systems": systems,
        "excluded": excluded,
        "results": {setting: methods for setting, methods in results.items() if methods},
    }


def entry(system: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """A unit with mean and median of its valid times in Lyapunov times; of one that failed the
    reason alone.
    """
    name = {"draw": found["draw"], "seed": found["seed"]}
    if found["error"] is not None:
        return name | {"error": found["error"]}
    per_row = system["lyapunov"] * system["dt"]
    valid = [one * per_row for one in found["valid_rows"]]
    kept: dict[str, Any] = {"mean": round(mean(valid), 3), "median": round(median(valid), 3)}
    kept["fit"] = float(f"{found['fit_seconds']:.3g}")
    if "squared" in found:
        sums = {one: float(f"{sum(found[one]):.3g}") for one in ("squared", "bound")}
        kept |= sums | {"unsettled": found["unsettled"]}
    if "noise_found" in found:
        kept["noise"] = [float(f"{one:.3g}") for one in found["noise_found"]]
    leads = [found["leads"].get(lead) for lead in LEADS] if "leads" in found else []
    for what in JUDGED if leads else ():
        kept[what] = [None if one is None else float(f"{one[what]:.3g}") for one in leads]
    return name | kept | {"error": None}


def conditions(
    columns: Sequence[str], rows: Sequence[int], noise: Sequence[float], gaps: Sequence[bool]
) -> list[tuple[str, int, float, bool, str]]:
    """Columns, rows, noise, gaps and the kind of condition, which says how many draws it has."""
    return [
        (seen, count, level, lost, "gaps" if lost else "complete" if count == TRAIN else "short")
        for count, lost, seen, level in itertools.product(rows, gaps, columns, noise)
        if not lost or (count == TRAIN and level in GAP_NOISE)
    ]


def joined(former: dict[str, Any], fresh: dict[str, Any]) -> dict[str, Any]:
    """All that was measured now, and of the former results what was not (`league.run.merged`)."""
    for where, methods in fresh["results"].items():
        for method, systems in methods.items():
            for name, units in systems.items():
                there = {(one["draw"], one["seed"]) for one in units}
                before = former["results"].get(where, {}).get(method, {}).get(name, [])
                units += [one for one in before if (one["draw"], one["seed"]) not in there]
                units.sort(key=lambda one: (one["draw"], one["seed"]))
    return merged(former, fresh)
