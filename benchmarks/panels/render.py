"""Collects the results of `panels.run` in panels.json, prints tables and draws the picture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from spheresn.io import whole_file

from .run import CHOSEN
from .scale import MEASURED
from .sources import BY_NAME, SOURCES, panel
from .summary import OURS, SHOWN, everything

COLLECTED = Path(__file__).parents[1] / "panels.json"
PICTURE = Path(__file__).parents[2] / "docs" / "images" / "panels.png"
DRAWN = (OURS, CHOSEN, "AutoETS", "AutoTheta")
COLOURS = ("#0072B2", "#D55E00", "#6b747c", "#b0b7bd")
GROUPS = {
    "evidence": "the nine",
    "ordinary": "the six without population and counts",
    "others": "the four others",
    "all": "all",
}


def collected() -> dict[str, Any]:
    """All measures, what the panels are, and what many series cost."""
    sizes = {}
    for one in SOURCES:
        rows = panel(one.name).groupby("unique_id").size()
        sizes[one.name] = {
            "series": len(rows),
            "rows": [int(rows.min()), int(rows.max())],
            "season": one.season,
            "steps": one.steps,
            "known": list(one.known),
            "counts": one.counts,
        }
    scale = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    return {"panels": sizes, "halves": everything(), "scale": scale}


def by_panel(found: dict[str, Any], half: str = "report", hold_out: str = "last") -> str:
    """Markdown: the error of each method on each panel, relative to the seasonal naive forecast."""
    part = found["halves"][half][hold_out]["panels"]
    names = [name for name in SHOWN[:5] if any(name in one for one in part.values())]
    lines = ["| panel | series | " + " | ".join(names) + " |", "|---|--:|" + "--:|" * len(names)]
    for panel_name, methods in part.items():
        best = min((one["relative"] for one in methods.values()), default=0.0)
        cells = [_marked(methods.get(name), "relative", best) for name in names]
        count = methods[OURS]["series"] if OURS in methods else ""
        lines.append(f"| {panel_name} | {count} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _marked(one: dict[str, Any] | None, what: str, best: float) -> str:
    if one is None or what not in one:
        return ""
    value = f"{one[what]:.3f}"
    return f"**{value}**" if one[what] <= best else value


def means(found: dict[str, Any], half: str = "report") -> str:
    """Markdown: means over groups of panels, at both hold-outs."""
    lines = [
        "| panels | hold-out | method | error | quantile loss | covers | s per series |",
        "|---|---|---|--:|--:|--:|--:|",
    ]
    for group, words in GROUPS.items():
        for hold_out, part in found["halves"][half].items():
            for name, one in part["means"].get(group, {}).items():
                cells = [f"{one['relative']:.3f}"]
                cells += [
                    f"{one[key]:.2f}" if key in one else "" for key in ("quantile_loss", "coverage")
                ]
                cells.append(f"{one['seconds']:.3g}")
                lines.append(f"| {words} | {hold_out} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def counts(found: dict[str, Any], half: str = "report") -> str:
    """Markdown: WAPE and RMSSE of the panels of counts."""
    lines = ["| panel | hold-out | method | WAPE | RMSSE |", "|---|---|---|--:|--:|"]
    for hold_out, part in found["halves"][half].items():
        for name, methods in part["panels"].items():
            if not BY_NAME[name].counts:
                continue
            least = [min(one[key] for one in methods.values()) for key in ("wape", "rmsse")]
            for method, one in methods.items():
                cells = [
                    _marked(one, key, best)
                    for key, best in zip(("wape", "rmsse"), least, strict=True)
                ]
                lines.append(f"| {name} | {hold_out} | {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def coverage(found: dict[str, Any], half: str = "report") -> str:
    """Markdown: the coverage of our intervals on each panel."""
    parts = found["halves"][half]
    lines = ["| panel | " + " | ".join(parts) + " |", "|---|" + "--:|" * len(parts)]
    for name in found["panels"]:
        ours = [part["panels"][name].get(OURS) for part in parts.values()]
        cells = ["" if one is None else f"{one['coverage']:.2f}" for one in ours]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def error(found: dict[str, Any], group: str, method: str = OURS, hold_out: str = "last") -> str:
    """The error of a method on a group of panels, of the half for the report."""
    one = found["halves"]["report"][hold_out]["means"].get(group, {}).get(method)
    return "not measured" if one is None else f"{one['relative']:.3f}"


def ratio(found: dict[str, Any], group: str, hold_out: str = "last") -> str:
    """Our error relative to that of LightGBM on the same series, with its interval."""
    one = found["halves"]["report"][hold_out]["paired"][group]
    if not one:
        return "not measured"
    low, high = one["interval"]
    return f"{one['ratio']:.3f} ({low:.3f} to {high:.3f})"


def worst(found: dict[str, Any], hold_out: str = "last") -> str:
    """The panel on which we are farthest behind LightGBM, and by how much."""
    ratios = found["halves"]["report"][hold_out]["paired"]["all"].get("by_panel")
    if not ratios:
        return "not measured"
    name = max(ratios, key=lambda one: ratios[one])
    return f"{name} ({ratios[name]:.2f} times its error)"


def scale(found: dict[str, Any], what: str) -> str:
    """What many series cost."""
    value = found["scale"].get(what)
    return "not measured" if value is None else f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def picture(found: dict[str, Any], path: Path) -> None:
    """Errors of four methods on each panel, at the last hold-out of the half for the report."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    panels = found["halves"]["report"]["last"]["panels"]
    names = sorted(panels, key=lambda name: panels[name][OURS]["relative"], reverse=True)
    figure, axes = plt.subplots(figsize=(7.0, 0.36 * len(names) + 1.2))
    for method, colour in reversed(list(zip(DRAWN, COLOURS, strict=True))):
        pairs = [
            (panels[name][method]["relative"], place)
            for place, name in enumerate(names)
            if method in panels[name]
        ]
        big = method in (OURS, CHOSEN)
        axes.scatter(
            *zip(*pairs, strict=True), s=60 if big else 28, color=colour, label=method, zorder=3
        )
    axes.axvline(1.0, color="0.6", lw=0.8, zorder=0)
    axes.hlines(range(len(names)), 0.01, 20, color="0.93", lw=0.8, zorder=0)
    axes.set_xscale("log")
    axes.set_xlim(0.015, 4.0)
    axes.set_xticks(
        [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2], ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2"]
    )
    axes.minorticks_off()
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("error relative to the seasonal naive forecast (left of 1 is better)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*axes.get_legend_handles_labels(), loc="upper center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    with whole_file(path) as draft:
        figure.savefig(draft, dpi=110, format="png")
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    asked = parser.parse_args()
    found = collected()
    with whole_file(COLLECTED) as draft:
        draft.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for half in found["halves"]:
        for hold_out in found["halves"][half]:
            print(f"\n{half}, {hold_out}\n\n{by_panel(found, half, hold_out)}")
            for group, one in found["halves"][half][hold_out]["paired"].items():
                print(group, one)
        print(
            f"\n{half}\n\n{means(found, half)}\n\n{counts(found, half)}\n\n{coverage(found, half)}"
        )
    picture(found, asked.picture)


if __name__ == "__main__":
    main()
