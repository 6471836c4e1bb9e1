"""Collect all results in noise.json, print its tables, and draw the shares of the limit."""

from __future__ import annotations

import argparse
from pathlib import Path

from league.run import read, save

from spheresn.io import whole_file

from . import tables
from .collected import collect, joined
from .run import OUT
from .shares import EARLIER, NOISY, OURS, RAW, Found, chosen, methods, setting, share
from .systems import DATA

COLLECTED = Path(__file__).parents[1] / "noise.json"
PICTURE = Path(__file__).parents[2] / "docs" / "images" / "noise.png"
STYLES = {
    OURS: {"color": "C0", "lw": 2.5, "marker": "o", "zorder": 5},
    EARLIER: {"color": "C0", "lw": 1.2, "ls": "--", "marker": "o", "ms": 4},
    RAW: {"color": "0.3", "lw": 1.0, "ls": ":", "marker": "x"},
}


def picture(found: Found, path: Path, half: str = "report") -> None:
    """Share of the limit by noise, all variables and one; ours with its interval."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    titles = {"all": "all variables", "first": "one variable"}
    levels = ("0", *NOISY)
    figure, both = plt.subplots(1, 2, figsize=(9.0, 4.2), sharey=True)
    for axes, (columns, title) in zip(both, titles.items(), strict=True):
        systems = chosen(found, columns, half)
        axes.axhline(100.0, color="0.75", lw=1.0)
        for place, name in enumerate(methods(found)):
            cells = [share(found, [setting(columns, one)], name, systems) for one in levels]
            there = [(k, one) for k, one in enumerate(cells) if one is not None]
            if not there:
                continue
            style = STYLES.get(name, {"color": f"C{place}", "lw": 1.2, "marker": "s", "ms": 4})
            numbers = [k for k, _ in there]
            axes.plot(numbers, [100.0 * one.share for _, one in there], label=name, **style)
            if name == OURS:
                low, high = (
                    [100.0 * end for end in ends]
                    for ends in zip(*((one.low, one.high) for _, one in there), strict=True)
                )
                axes.fill_between(numbers, low, high, color="C0", alpha=0.15, lw=0)
        axes.set_title(f"{title}, {len(systems)} systems", fontsize=10)
        axes.set_xticks(range(len(levels)), ["clean", "1 %", "5 %", "10 %"])
        axes.set_xlabel("noise, of the deviation")
        axes.set_ylim(0.0, 108.0)
        axes.spines[["top", "right"]].set_visible(False)
    both[0].set_ylabel("valid time, % of the limit")
    handles = {
        label: line
        for axes in both
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles, loc="lower center", ncol=4, frameon=False, fontsize=8)
    figure.tight_layout(rect=(0.0, 0.11, 1.0, 1.0))
    with whole_file(path) as draft:
        figure.savefig(draft, dpi=110, format="png")
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--collect", type=Path, default=COLLECTED, help="the file of all results")
    parser.add_argument("--picture", type=Path, default=PICTURE)
    asked = parser.parse_args()
    found = collect(asked.data, asked.out)
    if asked.collect.exists():
        found = joined(read(asked.collect), found)
    save(found, asked.collect)
    for columns in ("all", "first"):
        for half in ("development", "report"):
            for rows in (5000, 1000):
                table = tables.share_table(found, columns, half, rows)
                print(f"\n{columns}, {half}, {rows} rows\n\n{table}")
            print(f"\n{tables.system_table(found, columns, half)}")
            print(f"\nbelow 0.2.0 by more than chance: {tables.worse_text(found, columns, half)}")
    for half in ("development", "report"):
        for table in (tables.gap_table, tables.noise_table, tables.cover_table):
            print(f"\n{half}\n\n{table(found, half)}")
    print(f"\n{tables.fit_times(found)}\n{tables.missing(found)}")
    picture(found, asked.picture)


if __name__ == "__main__":
    main()
