"""Tables of league.json in the terminal, and the picture of all systems at a glance."""

from __future__ import annotations

import argparse
import json
from math import isnan
from pathlib import Path
from typing import Any

from spheresn.io import whole_file

from .run import COLLECTED
from .summary import HALVES, duels, extremes, judged, table, wins

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "league.png"
SETTING = "5000 rows, noise 0"


def picture(found: dict[str, Any], setting: str, path: Path) -> None:
    """One row per system, sorted: our default, the best of all others, how far can be judged."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rows = duels(found, setting)[::-1]
    figure, axes = plt.subplots(figsize=(7.0, 1.2 + 0.115 * len(rows)))
    for place, (name, ours, other, _) in enumerate(rows):
        limit = sorted(judged(found, name))[len(found["systems"][name]["truth_time"]) // 2]
        axes.plot([0.0, limit], [place, place], color="0.9", lw=3.0, zorder=1)
        if not isnan(ours):
            axes.plot([ours, other], [place, place], color="0.6", lw=0.8, zorder=2)
    numbers, levels = range(len(rows)), [row[1] for row in rows]
    others = [row[2] for row in rows]
    style = {"s": 12, "facecolor": "w", "edgecolor": "C1", "zorder": 3}
    axes.scatter(others, numbers, label="best of all others", **style)
    axes.scatter(levels, numbers, s=12, color="C0", zorder=4, label="our default")
    axes.plot([], [], color="0.9", lw=3.0, label="can be judged")
    axes.set_yticks(list(numbers), [row[0] for row in rows], fontsize=5)
    axes.set_ylim(-1, len(rows))
    axes.set_xlabel("valid time, Lyapunov times")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, frameon=False, fontsize=8)
    figure.tight_layout()
    with whole_file(path) as draft:
        figure.savefig(draft, dpi=95, format="png")
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collect", type=Path, default=COLLECTED)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    asked = parser.parse_args()
    found = json.loads(asked.collect.read_text(encoding="utf-8"))
    for setting in found["results"]:
        for half in HALVES:
            print(f"\n{setting}, {half}\n\n{table(found, setting, half)}")
            won = wins(found, setting, half)
            if won is not None:
                print(f"\nour default is better than all others on {100 * won:.0f} %")
    if SETTING in found["results"]:
        print(f"\n{extremes(found, SETTING)}")
        picture(found, SETTING, asked.picture)


if __name__ == "__main__":
    main()
