"""What classification.json says, with the standard library alone, so that the site can be built
without the packages of the chapter.
"""

from __future__ import annotations

from statistics import mean
from typing import Any

OURS, RIVAL = "spheresn", "MiniRocket"
HALVES = ("development", "report", "both")
Found = dict[str, Any]


def names(found: Found, half: str = "both") -> list[str]:
    """Problems of a half that every method has."""
    return [
        name
        for name, one in found["problems"].items()
        if half in ("both", one["half"]) and all(name in rows for rows in found["results"].values())
    ]


def line(found: Found, method: str, half: str = "both") -> dict[str, float]:
    """Mean accuracy, seconds in all, and the shares of problems on which the method is better than
    MiniRocket, as good, and the best.
    """
    rows, chosen = found["results"][method], names(found, half)
    rival = found["results"][RIVAL]
    best = {
        name: max(one[name]["accuracy"] for one in found["results"].values()) for name in chosen
    }
    return {
        "accuracy": mean(rows[name]["accuracy"] for name in chosen),
        "seconds": sum(rows[name]["seconds"] or 0.0 for name in chosen),
        "better": mean(rows[name]["accuracy"] > rival[name]["accuracy"] for name in chosen),
        "level": mean(rows[name]["accuracy"] == rival[name]["accuracy"] for name in chosen),
        "best": mean(rows[name]["accuracy"] == best[name] for name in chosen),
    }


def table(found: Found, half: str = "both") -> str:
    """One row per method, as Markdown."""
    methods = sorted(found["results"], key=lambda one: -line(found, one, half)["accuracy"])
    head = [
        f"| {len(names(found, half))} problems | mean accuracy | better than MiniRocket | as good "
        "| best of all | seconds in all |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    body = []
    for method in methods:
        one = line(found, method, half)
        versus = ("", "") if method == RIVAL else (_share(one["better"]), _share(one["level"]))
        body.append(
            f"| {_name(method)} | {one['accuracy']:.3f} | {versus[0]} | {versus[1]} | "
            f"{_share(one['best'])} | {one['seconds']:.1f} |"
        )
    return "\n".join(head + body)


def problems_table(found: Found) -> str:
    """One row per problem, as Markdown: what it is, and the accuracy of each method."""
    methods = sorted(found["results"], key=lambda one: (one != OURS, one != RIVAL, one))
    head = [
        "| problem | half | cases | length | channels | classes | "
        + " | ".join(_name(one) for one in methods)
        + " |",
        "|---|---|--:|--:|--:|--:|" + "--:|" * len(methods),
    ]
    body = []
    for name in names(found):
        one = found["problems"][name]
        length = str(one["longest"])
        if one["shortest"] < one["longest"]:
            length = f"{one['shortest']}-{length}"
        values = " | ".join(f"{found['results'][m][name]['accuracy']:.3f}" for m in methods)
        body.append(
            f"| {name} | {one['half']} | {one['train']} + {one['test']} | {length} | "
            f"{one['channels']} | {one['classes']} | {values} |"
        )
    return "\n".join(head + body)


def _name(method: str) -> str:
    return f"**{method}**" if method == OURS else method


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"
