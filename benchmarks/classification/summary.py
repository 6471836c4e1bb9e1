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
    """Problems of a half."""
    return [name for name, one in found["problems"].items() if half in ("both", one["half"])]


def measured(found: Found, method: str, half: str = "both") -> dict[str, Found]:
    """Problem -> result, of those that the method is not missing on."""
    rows = found["results"][method]
    return {
        name: rows[name]
        for name in names(found, half)
        if name in rows and rows[name]["error"] is None
    }


def line(found: Found, method: str, half: str = "both") -> dict[str, float]:
    """How many problems the method has, mean accuracy and seconds on these, and the shares of them
    on which it is better than MiniRocket, as good, and the best.
    """
    rows, rival = measured(found, method, half), measured(found, RIVAL, half)
    everyone = [measured(found, one, half) for one in found["results"]]
    best = {name: max(one[name]["accuracy"] for one in everyone if name in one) for name in rows}
    both = [name for name in rows if name in rival]
    return {
        "problems": len(rows),
        "accuracy": mean(one["accuracy"] for one in rows.values()),
        "seconds": sum(one["seconds"] for one in rows.values()),
        "better": mean(rows[name]["accuracy"] > rival[name]["accuracy"] for name in both),
        "level": mean(rows[name]["accuracy"] == rival[name]["accuracy"] for name in both),
        "best": mean(rows[name]["accuracy"] == best[name] for name in rows),
    }


def table(found: Found, half: str = "both") -> str:
    """One row per method that has all problems, as Markdown, and what is missing."""
    count = len(names(found, half))
    has = {one: len(measured(found, one, half)) for one in found["results"]}
    lines = {one: line(found, one, half) for one in has if has[one] == count}
    head = [
        f"| {count} problems | mean accuracy | better than MiniRocket | as good "
        "| best of all | seconds in all |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    body = []
    for method, one in sorted(lines.items(), key=lambda pair: -pair[1]["accuracy"]):
        versus = ("", "") if method == RIVAL else (_share(one["better"]), _share(one["level"]))
        body.append(
            f"| {_name(method)} | {one['accuracy']:.3f} | {versus[0]} | {versus[1]} | "
            f"{_share(one['best'])} | {one['seconds']:.1f} |"
        )
    notes = [_missing_text(found, one, half) for one in has if has[one] < count]
    return "\n".join([*head, *body, *(line for text in notes for line in ("", text))])


def _missing_text(found: Found, method: str, half: str) -> str:
    """Where a method is missing and why, and how it does on the other problems beside ours."""
    rows, own = found["results"][method], measured(found, method, half)
    ours = measured(found, OURS, half)
    where = "; ".join(
        f"{name} (`{rows[name]['error'] if name in rows else 'not measured'}`)"
        for name in names(found, half)
        if name not in own
    )
    text = f"{_name(method)} is missing on {where}."
    both = [name for name in own if name in ours]
    if both and method != OURS:
        theirs, mine = (mean(one[name]["accuracy"] for name in both) for one in (own, ours))
        text += f" On the other {len(both)} problems its mean accuracy is {theirs:.3f}, that of "
        text += f"{OURS} {mine:.3f}."
    return text


def problems_table(found: Found) -> str:
    """One row per problem, as Markdown: what it is, and the accuracy of each method."""
    methods = sorted(found["results"], key=lambda one: (one != OURS, one != RIVAL, one))
    results = [measured(found, one) for one in methods]
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
        values = " | ".join(
            f"{rows[name]['accuracy']:.3f}" if name in rows else "missing" for rows in results
        )
        body.append(
            f"| {name} | {one['half']} | {one['train']} + {one['test']} | {length} | "
            f"{one['channels']} | {one['classes']} | {values} |"
        )
    return "\n".join(head + body)


def _name(method: str) -> str:
    return f"**{method}**" if method == OURS else method


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"
