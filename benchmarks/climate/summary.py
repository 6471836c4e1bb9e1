"""What the comparison on long free runs says, with the standard library alone.

A *cell* is a system under a condition; each method has one unit in it for each network. A unit
*fails* if at either start its run is of another climate: the Hellinger distance of histograms above
.15, or above .05 and three times that of the truth; or that of spectra above .1 and three times
that of the truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, log
from statistics import mean, median
from typing import Any

OURS = "spheresn"
HISTOGRAM, LARGEST_HISTOGRAM, SPECTRUM, TIMES_TRUTH = 0.05, 0.15, 0.1, 3.0
LEAST_VALID = 1.0 / 30.0  # periods: one row, where a geometric mean needs a logarithm
CHAOTIC = 0.05  # growth per period from which on an exponent has a relative error
HALVES = ("development", "report", "both")
Found = dict[str, Any]
Entry = dict[str, Any]


def failed(entry: Entry) -> bool:
    """Whether a unit fails."""
    histogram, spectrum = (
        max(least, TIMES_TRUTH * truth)
        for least, truth in zip((HISTOGRAM, SPECTRUM), entry["truth"], strict=True)
    )
    limit = min(histogram, LARGEST_HISTOGRAM)
    return any(run[0] > limit or run[1] > spectrum for run in entry["runs"])


def units(found: Found, setting: str, method: str, half: str = "both") -> dict[str, Entry]:
    """The units by "system, seed", of the systems of a half."""
    return {
        name: entry
        for name, entry in found["results"].get(setting, {}).get(method, {}).items()
        if half in ("both", found["systems"][_system(name)]["half"])
    }


def _system(name: str) -> str:
    return name.rpartition(", ")[0]


def methods(found: Found) -> list[str]:
    """All methods, ours first."""
    names = {method for own in found["results"].values() for method in own}
    return sorted(names, key=lambda name: (name != OURS, name))


@dataclass(frozen=True)
class Line:
    """A method under one condition, or all: its units, how many fail, and how many are missing;
    the geometric mean of valid times in periods; the median relative error of the largest exponent
    on chaotic systems, and on how many; seconds for a fit, the median. None where there are none.
    """

    method: str
    units: int
    failures: int
    missing: int
    valid: float | None
    exponent: float | None
    chaotic: int
    fit: float | None

    @property
    def share(self) -> float:
        """Of the units that were measured."""
        return self.failures / max(self.units, 1)


def line(found: Found, method: str, settings: list[str], half: str = "both") -> Line:
    """Of a method over some conditions."""
    named = [
        (name, entry)
        for setting in settings
        for name, entry in units(found, setting, method, half).items()
    ]
    there = [(name, entry) for name, entry in named if entry["error"] is None]
    valid = [max(mean(entry["valid"]), LEAST_VALID) for _, entry in there]
    errors = []
    for name, entry in there:
        truth = found["systems"][_system(name)]["exponent"]
        if entry["exponent"] is not None and truth > CHAOTIC:
            errors.append(abs(entry["exponent"][0] / truth - 1.0))
    return Line(
        method,
        len(there),
        sum(failed(entry) for _, entry in there),
        len(named) - len(there),
        exp(mean(map(log, valid))) if valid else None,
        median(errors) if errors else None,
        len(errors),
        median(entry["fit"] for _, entry in there) if there else None,
    )


def table(found: Found, half: str = "both") -> str:
    """Failures of all methods by condition as Markdown, then valid times, exponents, seconds."""
    settings = list(found["results"])
    head = ["method", *settings, "all", "valid, periods", "error of the exponent", "fit, s"]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    for method in methods(found):
        each = [line(found, method, [setting], half) for setting in settings]
        whole = line(found, method, settings, half)
        if not whole.units and not whole.missing:
            continue
        cells = [
            f"**{method}**" if method == OURS else method,
            *(_failures(one) for one in (*each, whole)),
            "" if whole.valid is None else f"{whole.valid:.1f}",
            "" if whole.exponent is None else f"{100.0 * whole.exponent:.1f} %",
            "" if whole.fit is None else f"{whole.fit:.2g}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _failures(one: Line) -> str:
    missing = f" ({one.missing} missing)" if one.missing else ""
    return f"{one.failures} of {one.units}{missing}" if one.units or one.missing else ""


def failures(found: Found, method: str = OURS, half: str = "both") -> Iterator[str]:
    """The cells in which a method fails, one line each."""
    for setting in found["results"]:
        cells: dict[str, list[Entry]] = {}
        for name, entry in units(found, setting, method, half).items():
            if entry["error"] is None:
                cells.setdefault(_system(name), []).append(entry)
        for system, entries in cells.items():
            count = sum(map(failed, entries))
            if count:
                worst = max(run[0] for entry in entries for run in entry["runs"])
                yield f"{system}, {setting}: {count} of {len(entries)}, distance up to {worst:.2f}"


def missing(found: Found, half: str = "both") -> Iterator[str]:
    """Units without a number, and why."""
    for setting in found["results"]:
        for method in methods(found):
            for name, entry in units(found, setting, method, half).items():
                if entry["error"] is not None:
                    yield f"{method}, {setting}, {name}: {entry['error']}"
