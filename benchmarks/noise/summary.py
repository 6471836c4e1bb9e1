"""Tables in the terminal of whatever results are there, complete or not."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from .collected import collect
from .run import OUT
from .shares import JUDGED, LEADS, LIMIT, Found, chosen, failures, means, paired
from .systems import DATA


def terminal(found: Found, half: str, by: str) -> str:
    """Per setting a table: systems down, methods across, valid times and shares of the limit; below
    it the means over the systems that all methods have.
    """
    lines: list[str] = []
    for where, own in found["results"].items():
        columns = where.partition(",")[0]
        systems = [one for one, kind in found["systems"].items() if half in ("both", kind["half"])]
        judged = set(chosen(found, columns, half))
        table = {
            method: {
                name: means(list(pairs.values()))
                for name in systems
                if (pairs := paired(found, [where], method, [name], by))
            }
            for method in own
            if method != LIMIT
        }
        table = {method: cells for method, cells in table.items() if cells}
        if not table:
            continue
        lines += ["", f"{where}; {half}, by the {by} of the origins: valid time (share of limit)"]
        lines.append(f"{'':20}{'limit':>7}" + "".join(f"{one[:21]:>22}" for one in table))
        for name in systems:
            limits = [cells[name][1] for cells in table.values() if name in cells]
            if limits:
                cells = [_cell(one.get(name)) for one in table.values()]
                mark = "" if name in judged else " *"
                lines.append(f"{name + mark:20}{limits[0]:7.2f}" + "".join(cells))
        common = [name for name in systems if all(name in one for one in table.values())]
        common = [name for name in common if name in judged]
        if common:
            parts = [[one[name] for name in common] for one in table.values()]
            over = [means([[pair] for pair in one]) for one in parts]
            head = f"mean of {len(common)}"
            lines.append(f"{head:20}{over[0][1]:7.2f}" + "".join(map(_cell, over)))
            shares = [mean(valid / limit for valid, limit in one) for one in parts]
            lines.append(f"{'mean share':27}" + "".join(f"{one:22.2f}" for one in shares))
        for method in table:
            lines += _of_ours(method, own[method], systems, "noise 0," in f"{where},")
    failed = [f"missing: {', '.join(one)}" for one in failures(found)]
    note = "* not seen by its first variable, and not in the mean (or its limit is not there yet)"
    return "\n".join([*lines, "", note, *failed])


def _cell(one: tuple[float, ...] | None) -> str:
    return f"{one[0]:15.2f} ({one[0] / one[1]:4.2f})" if one else f"{'-':>22}"


def _of_ours(method: str, own: dict[str, Any], systems: list[str], clean: bool) -> Iterator[str]:
    """Noise found, intervals and seconds, where a method has them."""
    some = {name: [one for one in own.get(name, []) if one["error"] is None] for name in systems}
    told = {
        name: [v for one in ones if "noise" in one for v in one["noise"]]
        for name, ones in some.items()
    }
    if any(told.values()):
        text = ", ".join(f"{name} {min(v):.2g}-{max(v):.2g}" for name, v in told.items() if v)
        yield f"  {method}: noise found, {'in deviations' if clean else 'of the truth'}: {text}"
    units = [one for ones in some.values() for one in ones]
    for what in JUDGED:
        lists = [one[what] for one in units if what in one]
        if lists:
            known = [[v for v in column if v is not None] for column in zip(*lists, strict=True)]
            text = ", ".join(
                f"{lead} {mean(v):.3f}" for lead, v in zip(LEADS, known, strict=True) if v
            )
            yield f"  {method}: {what:14} {text}"
    yield f"  {method}: fit {mean(one['fit'] for one in units):.1f} s" if units else ""


def main() -> None:
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
