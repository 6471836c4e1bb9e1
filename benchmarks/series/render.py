"""Collects the results of `series.run` in series.json, prints tables and draws the picture.

A method that was not run on this machine keeps the figures of series.json, as long as the series
are the same. So a change of our methods costs no hours of the others.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from spheresn.io import whole_file

from .methods import METHODS
from .run import file_of
from .sources import KINDS, half_of
from .summary import REFERENCE, measure, missing, summarise

COLLECTED = Path(__file__).parents[1] / "series.json"
PICTURE = Path(__file__).parents[2] / "docs" / "images" / "series.png"
OURS, HALVES = "SeriesForecaster", ("report", "development")
SHOWN = ("AutoETS", "AutoARIMA", "AutoTheta", "MSTL", "ridge AR")


def collected() -> dict[str, Any]:
    """Figures of both halves, and the error of each method on each series."""
    found = measured()
    before = json.loads(COLLECTED.read_text()) if COLLECTED.exists() else {"series": {}}
    same = {name: (one["rows"], one["steps"]) for name, one in before["series"].items()}
    if same != {name: (one["rows"], one["steps"]) for name, one in found["series"].items()}:
        return found
    for name in METHODS:
        if any(file_of(one, name).exists() for one in half_of(None)):
            continue
        for half, figures in before["halves"].items():
            for part in ("methods", "missing"):
                found["halves"][half][part].pop(name, None)
                if name in figures[part]:
                    found["halves"][half][part][name] = figures[part][name]
        for label, one in before["series"].items():
            if name in one["relative"]:
                found["series"][label]["relative"][name] = one["relative"][name]
    return found


def measured() -> dict[str, Any]:
    """The figures of what was run here."""
    found: dict[str, Any] = {"halves": {}, "series": {}}
    for half in HALVES:
        series = half_of(half)
        found["halves"][half] = {
            "count": len(series),
            "kinds": {kind: sum(one.kind == kind for one in series) for kind in KINDS},
            "methods": summarise(series, METHODS),
            "missing": missing(series, METHODS),
        }
        for one in series:
            reference = measure(one, REFERENCE)
            if reference is None:
                continue
            errors = {name: measure(one, name) for name in METHODS}
            found["series"][one.name] = {
                "half": half,
                "kind": one.kind,
                "rows": len(one.values),
                "season": one.season,
                "steps": one.steps,
                "relative": {
                    name: value["error"] / reference["error"]
                    for name, value in errors.items()
                    if value is not None
                },
            }
    return found


def picture(found: dict[str, Any], path: Path) -> None:
    """Errors of all series of the report half: one dot per series and method, and the means."""
    import matplotlib

    matplotlib.use("Agg")
    import numpy as np
    from matplotlib import pyplot as plt

    methods = found["halves"]["report"]["methods"]
    names = [OURS, *(name for name in SHOWN if name in methods)]
    names.sort(key=lambda name: methods[name]["error"], reverse=True)
    figure, axes = plt.subplots(figsize=(7.0, 0.55 * len(names) + 1.1))
    rng = np.random.default_rng(0)
    for place, name in enumerate(names):
        values = [
            one["relative"][name] for one in found["series"].values() if one["half"] == "report"
        ]
        colour = "C0" if name == OURS else "0.55"
        spots = place + rng.uniform(-0.22, 0.22, len(values))
        axes.scatter(np.clip(values, 0.05, 8.0), spots, s=9, color=colour, alpha=0.6, lw=0)
        axes.plot([methods[name]["error"]] * 2, [place - 0.27, place + 0.27], color="k", lw=2.0)
        axes.text(
            methods[name]["error"],
            place + 0.29,
            f"{methods[name]['error']:.2f}",
            ha="center",
            fontsize=8,
        )
    axes.axvline(1.0, color="0.6", lw=0.8, zorder=0)
    axes.set_xscale("log")
    axes.set_xlim(0.04, 9.0)
    axes.set_xticks([0.1, 0.25, 0.5, 1, 2, 4], ["0.1", "0.25", "0.5", "1", "2", "4"])
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("error relative to the seasonal naive forecast (left of 1 is better)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    with whole_file(path) as draft:
        figure.savefig(draft, dpi=110, format="png")
    plt.close(figure)


def table(found: dict[str, Any], half: str) -> str:
    """Markdown: a row for each method that has all series, and what is missing."""
    methods = found["halves"][half]["methods"]
    head = ["", "all", *KINDS, "worst", "covers", "score", "s"]
    lines = [" | ".join(head), "|".join(["---"] * len(head))]
    for name, one in sorted(methods.items(), key=lambda pair: pair[1]["error"]):
        label = f"**`{name}()`**" if name == OURS else f"`{name}()`" if "ESN" in name else name
        cells = [one["error"], *(one["by_kind"][kind] for kind in KINDS)]
        coverage, score = one.get("coverage"), one.get("interval_score")
        row = [label, *(f"{cell:.2f}" for cell in cells), f"{one['worst']:.3g}"]
        row += ["" if coverage is None else f"{coverage:.2f}"]
        row += ["" if score is None else f"{score:.2f}", f"{one['seconds']:.2g}"]
        lines.append(" | ".join(row))
    rows = [f"| {line} |" if "---" not in line else f"|{line}|" for line in lines]
    for name, reasons in found["halves"][half]["missing"].items():
        where = "; ".join(f"{one} (`{reason}`)" for one, reason in reasons.items())
        rows += ["", f"{name} is missing on {len(reasons)} series: {where}."]
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    asked = parser.parse_args()
    found = collected()
    with whole_file(COLLECTED) as draft:
        draft.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for half in HALVES:
        print(f"\n{half}, {found['halves'][half]['count']} series\n\n{table(found, half)}")
    if OURS in found["halves"]["report"]["methods"]:
        picture(found, asked.picture)


if __name__ == "__main__":
    main()
