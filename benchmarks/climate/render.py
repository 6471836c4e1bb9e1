"""Tables of climate.json in the terminal, and the picture of all cells at a glance."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from spheresn.io import whole_file

from .run import COLLECTED
from .summary import HALVES, OURS, failures, methods, missing, table, units

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "climate.png"


def distances(found: dict[str, Any], setting: str, method: str, system: str) -> float | None:
    """The largest distance of histograms of a method on a system, over its networks and starts; 1
    where it is missing, None where it was not measured.
    """
    own = [
        max(run[0] for run in entry["runs"]) if entry["error"] is None else 1.0
        for name, entry in units(found, setting, method).items()
        if name.rpartition(", ")[0] == system
    ]
    return max(own, default=None)


def picture(found: dict[str, Any], path: Path) -> None:
    """One panel per condition: the distance of each system, ours and the others', and the truth."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    settings, systems = list(found["results"]), sorted(found["systems"], reverse=True)
    width = 1.6 + 1.5 * len(settings)
    figure, rows = plt.subplots(
        1, len(settings), figsize=(width, 1.4 + 0.2 * len(systems)), sharey=True, squeeze=False
    )
    for axes, setting in zip(rows[0], settings, strict=True):
        for k, method in enumerate(methods(found)):
            shown = [distances(found, setting, method, system) for system in systems]
            points = [(one, place) for place, one in enumerate(shown) if one is not None]
            style: dict[str, Any] = {"s": 16, "facecolor": "w", "edgecolor": f"C{k}", "zorder": 3}
            if method == OURS:
                style |= {"facecolor": "C0", "zorder": 4}
            axes.scatter(*zip(*points, strict=True), label=method, **style) if points else None
        axes.axvline(0.15, color="0.6", linewidth=0.8, zorder=1)
        axes.set(title=setting, xlim=(-0.03, 1.03), xticks=[0.0, 0.5, 1.0])
        axes.set_yticks(range(len(systems)), systems, fontsize=7)
        axes.title.set_fontsize(8)
        axes.grid(axis="y", color="0.93", zorder=0)
    names = rows[0][0].get_legend_handles_labels()
    figure.legend(*names, loc="upper center", ncols=4, frameon=False, fontsize=8)
    figure.supxlabel("Hellinger distance of histograms, worst of all runs", fontsize=8)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.96))
    with whole_file(path) as draft:
        figure.savefig(draft, dpi=95, format="png")
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collect", type=Path, default=COLLECTED)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    asked = parser.parse_args()
    found = json.loads(asked.collect.read_text(encoding="utf-8"))
    for half in HALVES:
        print(f"\n{half}\n\n{table(found, half)}\n")
        for one in failures(found, half=half):
            print(f"  {one}")
    for one in missing(found):
        print(f"missing: {one}")
    picture(found, asked.picture)


if __name__ == "__main__":
    main()
